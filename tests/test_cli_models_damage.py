"""Saved models that are damaged or malicious give a one-line error or the right predictions."""

import bz2
import io
import json
import lzma
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pwcstats.cli import models
from tests.commanding import Shell

pytestmark = pytest.mark.one_environment

ROWS = "size,colour,kind\n" + "".join(
    f"{i % 7},{'red' if i % 3 else 'blue'},{'abc'[(i * 5) % 11 % 3]}\n" for i in range(40)
)
NEW = "colour,size\nred,3\nblue,2\n"
NO_MODEL = "is not a model that `pwcstats fit --save` wrote"
FLIPS = 600


@pytest.fixture
def shell(tmp_path, capsys, monkeypatch):
    return Shell(tmp_path, capsys, monkeypatch)


@pytest.fixture
def model(shell):
    """A saved model; its predictions are in the file `answer`."""
    path = shell.path("kinds.model")
    file, new = shell.write("rows.csv", ROWS), shell.write("new.csv", NEW)
    shell.ok("fit", file, "--target", "kind", "--learners", "nb", "--cv", "0", "--save", path)
    shell.write("answer", shell.ok("predict", path, new, "--proba"))
    return Path(path)


def assert_sound(shell, content):
    """Write a model and predict: it gives one line on stderr, or the original predictions. Returns which."""
    file = shell.folder / "changed.model"
    file.write_bytes(content)
    code, out, err = shell.run("predict", file, shell.path("new.csv"), "--proba")
    if code == 0:
        assert out == (shell.folder / "answer").read_text()
    else:
        assert (code, out) == (1, "")
        assert err.startswith("pwcstats: ")
        assert err.count("\n") == 1
    return code == 0


def members(model):
    with zipfile.ZipFile(model) as archive:
        return json.loads(archive.read("model.json")), archive.read("training.csv").decode()


def packed(document, rows, method=zipfile.ZIP_DEFLATED, **more):
    """An archive; the document may be any value of JSON or a text."""
    content = io.BytesIO()
    text = document if isinstance(document, str) else json.dumps(document)
    with zipfile.ZipFile(content, "w", method) as archive:
        for name, member in {"model.json": text, "training.csv": rows, **more}.items():
            archive.writestr(name, member)
    return content.getvalue()


def with_size(content, size):
    """An archive that states another size of its rows."""
    start = content.rindex(b"PK\x01\x02") + 24
    return content[:start] + size.to_bytes(4, "little") + content[start + 4 :]


def refused(shell, content):
    (shell.folder / "changed.model").write_bytes(content)
    return shell.refused("predict", shell.path("changed.model"), shell.path("new.csv"))


def test_bytes_that_changed(shell, model):
    content, rng = model.read_bytes(), np.random.default_rng(0)
    n_sound = 0
    for place, mask in zip(rng.integers(0, len(content), FLIPS), rng.integers(1, 256, FLIPS), strict=True):
        changed = bytearray(content)
        changed[place] ^= mask
        n_sound += assert_sound(shell, bytes(changed))
    # Dates and attributes of the archive do not change the model.
    assert 0 < n_sound < FLIPS / 2


def test_single_bits_of_the_directory(shell, model):
    """The archive's directory of its members, which follows their content."""
    content = model.read_bytes()
    for place in range(content.index(b"PK\x01\x02"), len(content)):
        changed = bytearray(content)
        changed[place] ^= 1 << place % 8
        assert_sound(shell, bytes(changed))


def test_files_that_were_cut(shell, model):
    content = model.read_bytes()
    for length in np.linspace(0, len(content) - 1, 60).astype(int):
        assert not assert_sound(shell, content[:length])
        assert_sound(shell, content[length:])


def test_rows_that_changed(shell, model):
    """Without a wrong checksum: by a program that wrote the archive again."""
    document, rows = members(model)
    assert assert_sound(shell, packed(document, rows))
    lost = rows.replace('"a"\r\n', '"c"\r\n')
    assert "training rows have the classes (b, c), but it lists (a, b, c)" in refused(shell, packed(document, lost))
    other = {**document, "classes": ["a", "b", "d"]}
    assert "have the classes (a, b, c), but it lists (a, b, d)" in refused(shell, packed(other, rows))
    more = {**document, "classes": ["c", "b", "a"]}
    assert "is damaged" in refused(shell, packed(more, rows))
    reds = rows.replace('"blue"', '"red"')
    assert "columns and values of its training rows differ from those" in refused(shell, packed(document, reds))
    swapped = "".join(",".join(np.array(line.split(","))[[1, 0, 2]]) + "\r\n" for line in rows.splitlines())
    assert "columns and values of its training rows differ from those" in refused(shell, packed(document, swapped))
    gap = rows.replace('"a"\r\n', '""\r\n', 1)
    assert "column kind must not have missing values" in refused(shell, packed(document, gap))
    assert NO_MODEL in refused(shell, packed(document, rows.replace("red", "r\0d")))
    assert "cannot be read as a table" in refused(shell, packed(document, rows + '"'))


WRONG = {
    "format_version": [True, 2.0, "2", None],
    "versions": [None, [], "1", {"pwcstats": 1}, [["pwcstats", "1"]]],
    "target": [None, 3, ["kind"], {"kind": 1}],
    "classes": [None, "abc", [], ["a", "b", 3], {"a": 1, "b": 2, "c": 3}, ["a", "a", "b", "c"]],
    "columns": [
        None,
        {"size": None},
        ["size"],
        [{"name": "size"}],
        [{"name": 3, "categories": None}],
        [{"name": "size", "categories": "red"}],
        [{"name": "size", "categories": [1]}],
        [{"name": "size", "categories": None, "more": 1}],
    ],
    "learners": [None, "nb", [], ["nb", "nb"], [["nb"]], [{}], {"nb": 1}],
    "coupling": [None, 3, ["wlw2"], {}],
    "pair_weights": [None, 3, {}, [True, 1, 1], [1, 1, "1"], [1, 1, -1], [1, 1], [[1, 1, 1]], [1, 1, 1e400]],
    "threshold": [None, 3, ["none"], {}],
    "calibration": [None, True, ["auto"], {}],
    "temperature": [None, True, 1.0, ["auto"], {}],
    "seed": [None, "0", 0.0, 1.5, True, -1, 2**32, [0], 10**30],
}


@pytest.mark.parametrize(("field", "value"), [(field, value) for field, values in WRONG.items() for value in values])
def test_entries_of_wrong_types(shell, model, field, value):
    document, rows = members(model)
    assert NO_MODEL in refused(shell, packed({**document, field: value}, rows))


@pytest.mark.parametrize("word", ["Infinity", "-Infinity", "NaN", "1e999", "1" * 5000])
def test_seeds_that_are_no_whole_numbers(shell, model, word):
    document, rows = members(model)
    text = json.dumps(document).replace('"seed": 0', f'"seed": {word}')
    assert word in text
    assert NO_MODEL in refused(shell, packed(text, rows))


@pytest.mark.parametrize("text", ["", "null", "[]", "3", '"pwcstats-model"', "{}", "[" * 100_000, "{", "\ufeff{}"])
def test_documents_that_are_none(shell, model, text):
    assert NO_MODEL in refused(shell, packed(text, members(model)[1]))


def test_entries_that_are_missing_or_unknown(shell, model):
    document, rows = members(model)
    for field in document:
        assert NO_MODEL in refused(shell, packed({k: v for k, v in document.items() if k != field}, rows))
    assert NO_MODEL in refused(shell, packed({**document, "more": 1}, rows))


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["nb", "kind", "a"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["name", "categories", "x"]), inner),
    max_leaves=6,
)


@settings(
    max_examples=300, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(field=st.sampled_from(sorted(models.FIELDS)), value=VALUES)
def test_entries_of_any_type(shell, model, field, value):
    document, rows = members(model)
    changed = packed({**document, field: value}, rows)
    if field in ("seed", "versions"):
        # Another seed is another model, and other versions are warned of.
        (shell.folder / "changed.model").write_bytes(changed)
        assert shell.run("predict", shell.path("changed.model"), shell.path("new.csv"))[0] in (0, 1)
    else:
        assert assert_sound(shell, changed) == (json.dumps(value) == json.dumps(document[field]))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compressions(shell, model, method):
    """They unpack to far more than zip's default method, and raise other kinds of errors."""
    content = packed(*members(model), method)
    assert NO_MODEL in refused(shell, content)
    damaged = bytearray(content)
    damaged[60:90] = bytes(30)
    assert NO_MODEL in refused(shell, bytes(damaged))


def test_other_members(shell, model):
    document, rows = members(model)
    assert NO_MODEL in refused(shell, packed(document, rows, more="x"))
    assert NO_MODEL in refused(shell, packed(document, rows, **{"../training.csv": rows}))
    content = io.BytesIO(packed(document, rows))
    with zipfile.ZipFile(content, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("training.csv", rows)
    assert NO_MODEL in refused(shell, content.getvalue())
    for wrong in (bz2.compress(rows.encode()), lzma.compress(rows.encode()), b"PK\x05\x06" + bytes(18)):
        assert NO_MODEL in refused(shell, wrong)


class TestSizes:
    def test_small_archives_of_much(self, shell, model):
        """Archives of about 100 kB that hold 100 MB are refused before they are unpacked, whatever size they state."""
        document, rows = members(model)
        content = packed(document, rows + '"1","red","a"\r\n' * 7_000_000)
        assert len(content) < 1e6
        (shell.folder / "large.model").write_bytes(content)
        (shell.folder / "liar.model").write_bytes(with_size(content, len(rows)))
        script = f"""
import resource, sys
from pwcstats.cli import main
usual = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for name in ("large", "liar"):
    print(main(["predict", f"{shell.folder}/{{name}}.model", {shell.path("new.csv")!r}]))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - usual)
"""
        found = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=120, check=True)
        *codes, kilobytes = map(int, found.stdout.split())
        assert codes == [1, 1]
        large, liar = found.stderr.decode().splitlines()
        assert "is too large: a saved model holds at most 64 MiB" in large
        assert NO_MODEL in liar
        assert kilobytes < 100_000

    @pytest.mark.parametrize(
        ("size", "words"), [(0, NO_MODEL), (300, NO_MODEL), (5000, NO_MODEL), (2**32 - 2, "is too large")]
    )
    def test_sizes_that_are_wrong(self, shell, model, size, words):
        assert words in refused(shell, with_size(packed(*members(model)), size))

    def test_limits_hold_for_saving_and_loading(self, shell, model, monkeypatch):
        rows = members(model)[1]
        words = ("fit", shell.path("rows.csv"), "--target", "kind", "--learners", "nb", "--cv", "0", "--save")
        for limits in ({**models.MEMBERS, "training.csv": len(rows)}, models.MEMBERS):
            with monkeypatch.context() as patch:
                patch.setattr(models, "MEMBERS", limits)
                patch.setattr(models, "MOST_ROWS", 40)
                shell.ok(*words, shell.path("again.model"))
                shell.ok("predict", shell.path("again.model"), shell.path("new.csv"))
        (shell.folder / "again.model").unlink()
        for name, value in (("MEMBERS", {**models.MEMBERS, "training.csv": len(rows) - 1}), ("MOST_ROWS", 39)):
            with monkeypatch.context() as patch:
                patch.setattr(models, name, value)
                assert "use fewer rows or columns" in shell.refused(*words, shell.path("again.model"))
                assert not (shell.folder / "again.model").exists()
                assert "is too large" in shell.refused("predict", model, shell.path("new.csv"))

    def test_files_of_any_size(self, shell, model):
        with open(shell.path("changed.model"), "wb") as file:
            file.truncate(10 * 2**30)
        assert "is too large" in shell.refused("predict", shell.path("changed.model"), shell.path("new.csv"))
        assert "is too large" in shell.refused("predict", "/dev/zero", shell.path("new.csv"))
