"""Saved models: what is in the file, and what is refused."""

import json
import zipfile

import pytest

from tests.commanding import Shell

ROWS = "size,colour,kind\n" + "".join(
    f"{i % 7},{'red' if i % 3 else 'blue'},{'a' if (i * 5) % 11 < 5 else 'b, c'}\n".replace("b, c", '"b, ""c"""')
    for i in range(40)
)
NEW = "colour,size\nred,3\nblue,2\n"


@pytest.fixture
def shell(tmp_path, capsys, monkeypatch):
    return Shell(tmp_path, capsys, monkeypatch)


@pytest.fixture
def model(shell):
    path = shell.path("kinds.model")
    file = shell.write("rows.csv", ROWS)
    shell.ok("fit", file, "--target", "kind", "--learners", "lda,nb", "--cv", "0", "--save", path)
    return path


def rewrite(path, **changes):
    """Change entries of model.json; a callable changes the rows."""
    with zipfile.ZipFile(path) as archive:
        document, rows = json.loads(archive.read("model.json")), archive.read("training.csv").decode()
    rows = changes.pop("rows", lambda text: text)(rows)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model.json", json.dumps({**document, **changes}))
        archive.writestr("training.csv", rows)


def test_the_file_holds_words_and_numbers_only(model):
    with zipfile.ZipFile(model) as archive:
        assert archive.namelist() == ["model.json", "training.csv"]
        document = json.loads(archive.read("model.json"))
        rows = archive.read("training.csv").decode().splitlines()
    assert document["format"] == "pwcstats-model"
    assert document["learners"] == ["lda", "nb"]
    assert document["classes"] == ["a", 'b, "c"']
    assert set(document["versions"]) == {"pwcstats", "scikit-learn"}
    assert len(rows) == 41


def test_classes_with_commas_and_quotes(shell, model):
    document = shell.document("predict", model, shell.write("new.csv", NEW))
    assert {row["prediction"] for row in document["rows"]} <= {"a", 'b, "c"'}


def test_other_versions_are_warned_of(shell, model):
    new = shell.write("new.csv", NEW)
    before = shell.ok("predict", model, new)
    rewrite(model, versions={"pwcstats": "0.0.1", "scikit-learn": "1.0"})
    code, out, err = shell.run("predict", model, new)
    assert (code, out) == (0, before)
    assert err.startswith("pwcstats: warning: ")
    assert "was saved by pwcstats 0.0.1 (here " in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format": "other"}, "is not a model that `pwcstats fit --save` wrote"),
        ({"format_version": 99}, "has format 99 of saved models, but this version of pwcstats reads format 2;"),
        ({"format_version": 1}, "has format 1 of saved models"),
        ({"threshold": "best"}, "asks for (best)"),
        ({"calibration": "platt"}, "asks for (platt)"),
        ({"temperature": "on"}, "asks for (on)"),
        ({"pair_weights": "rows"}, "asks for (rows)"),
        ({"pair_weights": [1.0, 2.0]}, "is not a model"),
        ({"pair_weights": [1.0]}, "uses weights of the pairs, got coupling='wlw2'"),
        ({"pair_weights": [0.0], "coupling": "ht"}, "is not connected"),
        ({"columns": 3}, "is not a model"),
        ({"learners": ["lda", "forest"]}, "asks for (forest)"),
        ({"coupling": "none"}, "asks for (none)"),
        ({"seed": "x"}, "is not a model"),
        ({"target": "other"}, "must have the columns (other)"),
        ({"rows": lambda text: ""}, "training.csv is empty"),
        ({"rows": lambda text: text.replace("red", "green")}, "column colour must hold values of the training rows"),
    ],
)
def test_altered_files(shell, model, changes, words):
    rewrite(model, **changes)
    assert words in shell.refused("predict", model, shell.write("new.csv", NEW))


def test_wrong_files(shell):
    new = shell.write("new.csv", NEW)
    assert "is not a model" in shell.refused("predict", new, new)
    assert "No such file" in shell.refused("predict", shell.path("none"), new)
    assert "Is a directory" in shell.refused("predict", shell.path("."), new)
    with zipfile.ZipFile(shell.path("empty.zip"), "w"):
        pass
    assert "is not a model" in shell.refused("predict", shell.path("empty.zip"), new)


def test_a_damaged_file(shell, model):
    with open(model, "r+b") as file:
        file.seek(80)
        file.write(b"\xff" * 40)
    assert "is not a model" in shell.refused("predict", model, shell.write("new.csv", NEW))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("size\n3\n", "must have the columns (colour), got (size)"),
        ("size,colour\nbig,red\n", "column size must hold numbers, got 'big' in row 1"),
        ("size,colour\n3,red\n,red\n", "column size must not have missing values, got 1, the first in row 2"),
        ("size,colour\n3,pink\n", "column colour must hold values of the training rows, (blue, red), got 'pink'"),
        ("size,colour\n", "and no rows"),
    ],
)
def test_bad_new_rows(shell, model, text, words):
    assert words in shell.refused("predict", model, shell.write("new.csv", text))


def test_other_columns_are_not_used(shell, model):
    new = shell.write("new.csv", NEW)
    extra = shell.write("extra.csv", "colour,weight,size,kind\nred,1,3,a\nblue,1,2,a\n")
    expected = shell.ok("predict", model, new)
    code, out, err = shell.run("predict", model, extra)
    assert (code, out) == (0, expected)
    assert err == "pwcstats: warning: columns that the model does not use were ignored: (weight)\n"
