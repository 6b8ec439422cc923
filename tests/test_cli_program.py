"""Exit codes, invalid files, stdin, pipes, real processes, and messages that refer to options."""

import json
import os
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest

from pwcstats import __version__
from pwcstats._results import plain
from pwcstats.cli import main, reading
from pwcstats.cli.program import COMMANDS, Options, make_parser
from pwcstats.datasets import catalogue, load
from pwcstats.errors import InputError, Message, SeparationWarning, arg, code, value
from tests.commanding import Shell

pytestmark = pytest.mark.one_environment

TABLES = (("couple",), ("rank",), ("compare",), ("fit", "--target", "y"))
NAMES = ("demo", "rank", "fit", "predict", "compare", "couple", "datasets", "reproduce")
WINS = ",a,b\na,0,3\nb,1,0\n"


@pytest.fixture
def shell(tmp_path, capsys, monkeypatch):
    return Shell(tmp_path, capsys, monkeypatch)


def process(*arguments, **options):
    """A real process, whose warnings are those that users see."""
    command = [sys.executable, "-m", "pwcstats", *arguments]
    return subprocess.run(command, capture_output=True, timeout=120, check=False, **options)


@pytest.mark.parametrize("command", TABLES)
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty; a table with a header is needed"),
        (b" \n\n", "is empty"),
        (b"a,b,y\n", "has a header (a, b, y) and no rows"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "is not a text file in UTF-8"),
        ("a,b\n1,\u00e9\n".encode("latin-1"), "is not a text file in UTF-8"),
        (b"a,b\n1,2\n3\n", "line 3 of"),
        (b"a,b\n1,2,3\n", "has 3 cells, but the header has 2"),
        (b'a,b\n1,"2\n3,4\n', "cannot be read as a table"),
        (b"a,,b\n1,2,3\n", "got none for column 2"),
        (b"a,b,a\n1,2,3\n", "got (a) more than once"),
    ],
)
def test_files_that_are_no_tables(shell, command, content, words):
    (shell.folder / "file.csv").write_bytes(content)
    assert words in shell.refused(*command, shell.path("file.csv"))


@pytest.mark.parametrize("command", TABLES)
def test_files_that_are_not_there(shell, command):
    assert "No such file or directory: " in shell.refused(*command, shell.path("none.csv"))
    assert "Is a directory: " in shell.refused(*command, shell.path("."))


def test_tables_as_spreadsheets_write_them(shell):
    text = '\ufeffa;"b; b";c\r\n1;x;NA\r\n\r\n 2 ;"say ""y""";Na\r\n'
    frame = reading.read_table(shell.write("a.csv", text))
    assert list(frame.columns) == ["a", "b; b", "c"]
    assert frame.to_numpy().tolist() == [["1", "x", None], ["2", 'say "y"', "Na"]]
    assert reading.as_numbers(frame["a"]).tolist() == [1.0, 2.0]


def test_what_is_a_number():
    assert [cell for cell in ("1", "-1e3", ".5", "inf", "1_0", "x", "nan", "0,5", "") if reading.is_number(cell)] == [
        "1",
        "-1e3",
        ".5",
        "inf",
    ]
    assert not reading.is_numeric(pd.Series([None, None], dtype=object))


def test_plain():
    value = {"a": np.array([1.0, np.nan]), 2: (np.inf, np.bool_(True), None), "f": pd.DataFrame({"x": [np.nan, 1]})}
    expected = {"a": [1.0, None], "2": [None, True, None], "f": [{"x": None}, {"x": 1.0}]}
    assert plain(value) == expected
    assert json.loads(json.dumps(plain(value), allow_nan=False)) == expected


def test_datasets(shell):
    found = shell.document("datasets")
    table = catalogue()
    assert found == table.astype(object).where(table.notna(), None).to_dict("records")
    (football,) = (row for row in found if row["name"] == "football")
    assert (football["rows"], football["features"], football["classes"]) == (1900, None, None)
    text = shell.ok("datasets")
    assert all(row["name"] in text for row in found)
    assert not any(word in text for word in ("NA", "None", "nan"))


@pytest.mark.parametrize("name", ["citations", "arena", "iris", "endometrial"])
def test_one_data_set(shell, name):
    frame = load(name).frame
    table = frame.reset_index() if name == "citations" else frame
    assert shell.document("datasets", name) == json.loads(table.to_json(orient="records", double_precision=15))
    shell.ok("datasets", name, "--out", shell.path("file.csv"))
    pd.testing.assert_frame_equal(pd.read_csv(shell.path("file.csv")), table, check_dtype=False, check_names=False)


def test_unknown_data_set(shell):
    assert shell.refused("datasets", "citatons").endswith("got 'citatons'. Did you mean 'citations'?\n")


def test_version(capsys):
    with pytest.raises(SystemExit) as leaving:
        make_parser().parse_args(["--version"])
    assert leaving.value.code == 0
    assert capsys.readouterr().out == f"pwcstats {__version__}\n"


def test_wrong_usage(shell):
    assert "COMMAND" in shell.misused("--none")
    assert "invalid choice" in shell.misused("dance")
    assert "did you mean" not in shell.misused("dance")
    assert "FILE" in shell.misused("rank")
    message = shell.misused("rank", "a.csv", "--none")
    assert "unrecognized arguments: --none\n" in message
    assert message.startswith("usage: pwcstats rank ")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["rnak"], "; did you mean rank?"),
        (["Compare", "a.csv"], "; did you mean compare?"),
        (["rank", "a.csv", "--loosr", "x"], "; there is no option --loosr, did you mean --loser?"),
        (["fit", "a.csv", "--taget=y"], "required: --target; there is no option --taget, did you mean --target?"),
        (["--versoin"], "; there is no option --versoin, did you mean --version?"),
        (["couple", "a.csv", "--method", "wlw3"], "; did you mean wlw2?"),
        (["compare", "a.csv", "--test", "wilcoxn"], "; did you mean wilcoxon?"),
        (["compare", "a.csv", "--adjust", "holmes"], "; did you mean holm?"),
        (["fit", "a.csv", "--target", "y", "--learners", "svm,tre"], "; did you mean tree?"),
        (["reproduce", "szepanek"], " Did you mean 'szepannek'?"),
        (["reproduce", "szepannek.tabel1"], " Did you mean 'table1'?"),
    ],
)
def test_wrong_names_are_answered_by_the_nearest(shell, words, expected):
    assert shell.misused(*words).endswith(f"{expected}\n")


def test_abbreviated_options_are_known(shell):
    # The message is about the value alone.
    assert "did you mean" not in shell.misused("rank", "a.csv", "--alph", "5", "--win", "w")


def test_wrong_columns_are_answered_by_the_nearest(shell):
    games = shell.write("games.csv", "Winner,lost\na,b\nb,a\n")
    assert shell.refused("rank", games, "--winner", "winner", "--loser", "lost").endswith(
        "(Winner, lost), got 'winner'. Did you mean 'Winner'?\n"
    )
    assert shell.refused("rank", games).endswith(
        "got (Winner, lost). Rename 'Winner' to 'winner' and 'lost' to 'loser'. Or name the columns with --winner and "
        "--loser.\n"
    )
    rows = shell.write("rows.csv", "size,kind\n" + "1,a\n2,b\n" * 9)
    model = shell.path("model")
    assert shell.refused("fit", rows, "--target", "knid").endswith("Did you mean 'kind'?\n")
    shell.ok("fit", rows, "--target", "kind", "--learners", "nb", "--save", model)
    new = shell.write("new.csv", "Size\n1\n")
    assert shell.refused("predict", model, new).endswith("got (Size). Rename 'Size' to 'size'.\n")


def test_without_arguments_the_help_is_printed(shell, monkeypatch):
    text = shell.ok()
    assert text.startswith("usage: pwcstats ")
    assert all(f"\n    {name} " in text for name in NAMES)
    monkeypatch.setattr(sys, "argv", ["pwcstats"])
    assert main() == 0


def test_every_command_has_help_with_an_example(capsys):
    assert len(NAMES) == len(COMMANDS)
    for name in NAMES:
        with pytest.raises(SystemExit) as leaving:
            make_parser().parse_args([name, "--help"])
        assert leaving.value.code == 0
        out = capsys.readouterr().out
        assert f"example:\n  pwcstats {name} " in out
        assert "--json" in out


def test_errors_of_learners_are_lines(shell, monkeypatch):
    def fail(*_):
        raise np.linalg.LinAlgError("Singular\nmatrix")

    monkeypatch.setattr("pwcstats.cli.datasets.catalogue", fail)
    assert shell.refused("datasets") == "pwcstats: Singular matrix\n"


def test_interrupt(shell, monkeypatch):
    def stop():
        raise KeyboardInterrupt

    monkeypatch.setattr("pwcstats.cli.datasets.catalogue", stop)
    assert shell.run("datasets") == (130, "", "")


class TestProcesses:
    def test_stdin_to_stdout(self):
        found = process("rank", "-", "--json", input=WINS.encode())
        assert (found.returncode, found.stderr) == (0, b"")
        assert [row["item"] for row in json.loads(found.stdout)["items"]] == ["a", "b"]

    def test_exit_codes(self, tmp_path):
        bad = process("rank", str(tmp_path / "none.csv"))
        assert (bad.returncode, bad.stdout) == (1, b"")
        assert bad.stderr.decode() == f"pwcstats: No such file or directory: {tmp_path / 'none.csv'}\n"
        assert process("rank").returncode == 2

    def test_a_pipe_that_closes_is_no_error(self, tmp_path):
        file = tmp_path / "pairs.csv"
        file.write_text("a/b,a/c,b/c\n" + "0.9,0.4,0.7\n" * 5000)
        reading_end, writing_end = os.pipe()
        os.close(reading_end)
        command = [sys.executable, "-m", "pwcstats", "couple", str(file)]
        try:
            found = subprocess.run(command, stdout=writing_end, stderr=subprocess.PIPE, timeout=120, check=False)
        finally:
            os.close(writing_end)
        assert (found.returncode, found.stderr) == (0, b"")

    def test_predictions_of_another_process_have_the_same_bits(self, shell):
        rows = "x,z,y\n" + "".join(f"{i * 37 % 11},{i * i % 13},{'abc'[i % 3]}\n" for i in range(60))
        file, model = shell.write("rows.csv", rows), shell.path("m")
        shell.ok("fit", file, "--target", "y", "--learners", "svm,lda,tree", "--cv", "0", "--save", model)
        found = process("predict", model, file, "--proba")
        assert (found.returncode, found.stderr) == (0, b"")
        assert found.stdout.decode() == shell.ok("predict", model, file, "--proba")


def test_errors_speak_of_options(shell):
    games = shell.write("games.csv", "winner,loser\na,b\na,b\n")
    assert "use --method firth for finite ones" in shell.refused("rank", games)
    r = shell.write("r.csv", "a/b,a/c,b/c\n.9,.2,.5\n")
    assert "--method bayes needs --weights" in shell.refused("couple", r, "--method", "bayes")
    weighted = shell.write("weighted.csv", "winner,loser,n\na,b,3\nb,a,-1\n")
    assert "got -1 in row 2" in shell.refused("rank", weighted, "--weight", "n")


@pytest.mark.parametrize(
    ("command", "source", "expected"),
    [
        ("couple", arg("method", "ht"), "--method ht"),
        ("couple", arg("method"), "--method"),
        ("couple", arg("pair_mass"), "--weights"),
        ("couple", arg("n"), "--weights"),
        ("couple", arg("r"), "r"),
        ("couple", arg("clip", 1e-7), "clip=1e-07"),
        ("couple", arg("file"), "FILE"),
        ("rank", arg("n"), "--counts"),
        ("rank", arg("weight"), "--weight"),
        ("couple", arg("symmetrize", True), "--symmetrize"),
        ("fit", arg("weights"), "--pair-weights"),
        ("rank", arg("ties", "half"), "--ties half"),
        ("rank", arg("ties", "none"), "--ties none"),
        ("rank", arg("prior_sd"), "--prior-sd"),
        ("rank", arg("groups"), "--cluster"),
        ("rank", arg("cov_type", "cluster"), "--cluster"),
        ("rank", arg("cov_type", "HC0"), "cov_type='HC0'"),
        ("rank", arg("cov", "full"), "--cov full"),
        ("rank", code("model.largest()"), "--largest"),
        ("couple", code("model.largest()"), "model.largest()"),
        ("rank", arg("order_effect", True), "--order-effect"),
        ("rank", arg("order_effect", False), "order_effect=False"),
        ("rank", arg("maxiter"), "maxiter"),
        ("rank", arg("alpha", 0.1), "--alpha 0.1"),
        ("fit", arg("random_state", 3), "--seed 3"),
        ("fit", arg("estimator"), "--learners"),
        ("compare", arg("control", "my method"), "--control 'my method'"),
        ("compare", arg("test_fraction"), "--test-fraction"),
        ("reproduce", arg("n_jobs"), "--jobs"),
        ("reproduce", arg("names"), "NAME"),
        ("rank", f"{value(None)} and {code('fit()')}", "None and fit()"),
        ("fit", arg("temperature", False), "--temperature no"),
        ("fit", arg("temperature", True), "--temperature yes"),
        ("fit", arg("temperature", "auto"), "--temperature auto"),
        ("fit", arg("calibration", None), "--calibration none"),
        ("fit", arg("threshold", None), "--threshold none"),
        ("fit", arg("X"), "FILE"),
        ("fit", arg("y"), "--target"),
        ("fit", arg("calibration_cv"), "the cross-validation for calibration"),
        ("fit", arg("selection_cv"), "the cross-validation of candidates"),
    ],
)
def test_references_are_options_of_the_command(command, source, expected):
    files = {"fit": ["f", "--target", "y"], "reproduce": ["all"]}.get(command, ["f"])
    parser = make_parser().parse_args([command, *files]).parser
    assert Message(source).render(Options(parser)) == expected


@pytest.mark.parametrize("kind", [InputError, SeparationWarning])
def test_errors_and_warnings_of_ours_are_rendered(shell, monkeypatch, kind):
    def fail():
        raise kind(f"{arg('json')} and\n{arg('method', 'ht')}")

    monkeypatch.setattr("pwcstats.cli.datasets.catalogue", fail)
    assert shell.refused("datasets") == "pwcstats: --json and method='ht'\n"


def test_warnings_are_rendered_once_and_other_warnings_stay_as_they_are(shell, monkeypatch):
    def warn():
        for _ in range(2):
            warnings.warn(SeparationWarning(f"use {arg('out', 'a b')}"), stacklevel=1)
            warnings.warn("plain out='a b'", UserWarning, stacklevel=1)
        return catalogue()

    monkeypatch.setattr("pwcstats.cli.datasets.catalogue", warn)
    code_, _, err = shell.run("datasets")
    assert (code_, err) == (0, "pwcstats: warning: use --out 'a b'\npwcstats: warning: plain out='a b'\n")
