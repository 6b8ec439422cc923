"""Data sets from R packages, and models fitted to them, against R."""

import doctest

import numpy as np
import pandas as pd
import pytest

from pwcstats import BradleyTerry, FirthLogit, InputError
from pwcstats.datasets import from_r, load

# R writes JSON with 15 digits; what is loaded has all 17.
DIGITS = 1e-14
# Both sides stop where nothing changes: what is left is rounding.
FIT = 1e-8

LABELLED = {"predictors", "schools", "students", "subjects", "items"}


@pytest.fixture(scope="module")
def loaded():
    sets = {}

    def get(name):
        if name not in sets:
            sets[name] = load(name)
        return sets[name]

    return get


@pytest.fixture
def theirs(run_r):
    return run_r("datasets")


def same_column(ours, r):
    if r["class"] in ("factor", "ordered"):
        assert ours.cat.categories.tolist() == r["levels"]
        assert ours.cat.ordered == (r["class"] == "ordered")
        assert ours.astype(object).where(ours.notna(), None).tolist() == r["values"]
    elif r["class"] == "logical":
        assert ours.dtype == bool
        assert ours.tolist() == r["values"]
    else:
        values = np.array(r["values"], dtype=np.float64)
        whole = bool(np.all(values == np.floor(values)))
        assert ours.dtype == (np.int64 if whole else np.float64)
        np.testing.assert_allclose(ours, values, rtol=DIGITS, atol=0)


def same_table(ours, r, labelled):
    assert ours.columns.tolist() == list(r["columns"])
    assert len(ours) == r["rows"]
    assert ours.index.astype(str).tolist() == (r["names"] if labelled else [str(i) for i in range(len(ours))])
    for column, content in r["columns"].items():
        same_column(ours[column], content)


@pytest.mark.against_r
@pytest.mark.parametrize("name", from_r.SOURCES)
def test_tables_are_those_of_r(loaded, theirs, name):
    bunch = loaded(name)
    tables = dict(theirs["tables"][name])
    main = next(iter(from_r.SOURCES[name].tables))
    assert bunch.frame is bunch[main]
    for table in from_r.SOURCES[name].tables:
        r = tables.pop(table, None)
        if r is not None:
            same_table(bunch[table], r, table in LABELLED)
        else:
            # Made of others, which these tests look at by themselves.
            assert (name, table) in {("chameleons", "contests"), ("FirstNames", "items")} or table == "comparisons"
    assert not tables
    assert all(f"{table} ({rows} x " in bunch.DESCR for table, (rows, _) in from_r.SOURCES[name].tables.items())


@pytest.mark.against_r
@pytest.mark.parametrize("name", ["SoundQuality", "GermanParties2009", "FirstNames"])
def test_comparisons_are_those_of_r(loaded, theirs, name):
    """The long table gives R's matrices back, cell by cell: with the order of the two items where R has it."""
    frame, r = loaded(name).frame, theirs["choices"][name]
    items = r["preference"]["items"]
    for column in ("first", "second", "winner"):
        assert frame[column].cat.categories.tolist() == items
    first, second, winner = (frame[column].astype(str) for column in ("first", "second", "winner"))
    swapped = frame["first"].cat.codes > frame["second"].cat.codes
    assert (np.diff(frame["subject"]) >= 0).all()
    assert ((winner == first) | (winner == second)).all()
    assert set(r) == ({"preference"} if name == "SoundQuality" else {"preference", "ordered.pref"})
    for kind, matrix in r.items():
        turned = swapped & (kind == "preference")
        one, two = first.mask(turned, second), second.mask(turned, first)
        cells = frame.assign(pair=one + ":" + two, choice=np.where(winner == one, 1.0, -1.0))
        wide = cells.pivot(index="subject", columns="pair", values="choice")[matrix["pairs"]]
        np.testing.assert_array_equal(wide, np.array(matrix["choices"], dtype=np.float64))


@pytest.mark.against_r
def test_tables_that_are_made_of_others(loaded, theirs):
    chameleons = loaded("chameleons")
    for side in ("winner", "loser"):
        pd.testing.assert_series_equal(chameleons.frame[side], chameleons[side]["ID"], check_names=False)
    same_table(loaded("FirstNames")["items"], theirs["choices"]["FirstNames"]["preference"]["covariates"], True)


@pytest.mark.against_r
def test_shipped_tables_are_those_of_r(theirs):
    same_table(load("endometrial").frame, theirs["tables"]["endometrial"]["frame"], False)
    citations = load("citations").frame
    same_table(citations, theirs["tables"]["citations"]["frame"], True)
    assert [citations.index.name, citations.columns.name] == theirs["citations"]


def close(params, bse, r, prefix=""):
    terms = [term.removeprefix(prefix).removesuffix("[..]").removesuffix("[ID]") for term in r["term"]]
    np.testing.assert_allclose(params[terms], r["coef"], rtol=FIT, atol=FIT)
    np.testing.assert_allclose(bse[terms], r["se"], rtol=FIT, atol=FIT)


@pytest.mark.against_r
def test_fits_of_games(loaded, run_r):
    r = run_r("bradley_terry")
    res = BradleyTerry(loaded("citations").frame).fit(ref="Biometrika")
    close(res.params, res.bse, r["citations"]["fit"], "journal")
    model = BradleyTerry.from_comparisons(
        loaded("baseball").frame, first="home.team", second="away.team", wins=("home.wins", "away.wins")
    )
    res = model.fit(ref="Baltimore")
    close(res.params, res.bse, r["baseball"]["plain"], "team")
    res = model.fit(order_effect=True, ref="Baltimore")
    close(
        res.params.rename({"(order)": "at.home"}), res.bse.rename({"(order)": "at.home"}), r["baseball"]["home"], "team"
    )
    hockey = loaded("icehockey").frame
    won = hockey["result"].map({1: "visitor", 0: "opponent", 0.5: "tie"})
    model = BradleyTerry.from_comparisons(
        hockey, first="opponent", second="visitor", winner=won, tie="tie", neutral=~hockey["home.ice"]
    )
    res = model.fit(ties="half", order_effect=True, ref=model.items[0])
    close(
        res.params.rename({"(order)": "home.ice"}),
        res.bse.rename({"(order)": "home.ice"}),
        r["icehockey"]["home"],
        "team",
    )


@pytest.mark.against_r
def test_fits_of_football(loaded, theirs):
    football = loaded("football").frame
    won = football["result"].map({1: "home", 0: "draw", -1: "away"})
    model = BradleyTerry.from_comparisons(football, first="home", second="away", winner=won, tie="draw")
    res = model.fit(ties="half", ref="Ars")
    close(res.params, res.bse, theirs["fits"]["football"], "team")


@pytest.mark.against_r
def test_fits_by_predictors(loaded, theirs, run_r):
    chameleons = loaded("chameleons")
    model = BradleyTerry.from_comparisons(chameleons.frame, "winner", "loser")
    res = model.fit(covariates=chameleons.predictors[["ch.res", "prop.main"]])
    close(res.params, res.bse, run_r("bradley_terry")["chameleons"]["fit"])
    lizards = loaded("flatlizards")
    known = lizards.predictors.index[lizards.predictors["throat.PC1"].notna()]
    both = lizards.frame["winner"].isin(known) & lizards.frame["loser"].isin(known)
    model = BradleyTerry.from_comparisons(lizards.frame[both], "winner", "loser")
    columns = ["throat.PC1", "throat.PC3", "head.length", "SVL"]
    res = model.fit(covariates=lizards.predictors.loc[model.items, columns])
    close(res.params, res.bse, theirs["fits"]["flatlizards"])


@pytest.mark.against_r
@pytest.mark.parametrize("name", ["SoundQuality", "GermanParties2009", "FirstNames"])
def test_fits_of_choices(loaded, theirs, name):
    model = BradleyTerry.from_comparisons(loaded(name).frame, first="first", second="second", winner="winner")
    res = model.fit(ref=model.items[-1])
    assert res.params.index.tolist() == theirs["fits"][name]["term"]
    close(res.params, res.bse, theirs["fits"][name])


@pytest.mark.against_r
def test_fit_of_schools_with_ties(loaded, run_r):
    told = loaded("CEMS").frame.dropna()
    model = BradleyTerry.from_comparisons(told, first="school1", second="school2", wins=("win1", "win2", "tied"))
    res = model.fit(ties="davidson", ref="Stockholm")
    r = run_r("bradley_terry")["schools"]
    terms = [*r["items"][:-1], "(tie)"]
    np.testing.assert_allclose(res.params[terms], r["coef"], rtol=FIT, atol=FIT)
    np.testing.assert_allclose(res.bse[terms], r["se"], rtol=FIT, atol=FIT)


@pytest.mark.against_r
def test_fits_of_firth(loaded, run_r):
    r = run_r("logit")
    res = FirthLogit.from_formula("HG ~ NV + PI + EH", loaded("endometrial").frame).fit()
    np.testing.assert_allclose(res.params, r["endometrial"]["firth"]["coef"], rtol=FIT, atol=FIT)
    lizards = loaded("lizards").frame.melt(["height", "diameter", "light", "time"], var_name="species", value_name="n")
    lizards["grahami"] = (lizards["species"] == "grahami").astype(int)
    res = FirthLogit.from_formula(
        "grahami ~ height + diameter + light + time", lizards, freq_weights=lizards["n"]
    ).fit()
    np.testing.assert_allclose(res.params, r["lizards"]["firth"]["coef"], rtol=FIT, atol=FIT)
    np.testing.assert_allclose(res.bse, r["lizards"]["firth"]["se"], rtol=FIT, atol=FIT)


@pytest.mark.against_r
def test_examples_that_need_r_run():
    text = load.__doc__.replace("# doctest: +SKIP", "")
    examples = doctest.DocTestParser().get_doctest(text, {}, "load", None, None)
    said = []
    failed, tried = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(examples, out=said.append)
    assert failed == 0, "".join(said)
    assert tried > 20


@pytest.mark.against_r
def test_names_in_any_case(loaded):
    pd.testing.assert_frame_equal(load("cems").frame, loaded("CEMS").frame)


@pytest.mark.against_r
@pytest.mark.parametrize(
    ("package", "message"),
    [
        (
            "NoSuchPackage",
            r"^'baseball' is in the R package NoSuchPackage, which is not installed: "
            r'apt-get install r-cran-nosuchpackage, or install.packages\("NoSuchPackage"\) in R\.$',
        ),
        (
            "stats",
            r"^'baseball' cannot be read from the R package stats \(.*baseball.* not found .*\); try apt-get install ",
        ),
    ],
)
def test_other_packages(monkeypatch, package, message):
    monkeypatch.setitem(from_r.SOURCES, "baseball", from_r.SOURCES["baseball"]._replace(package=package))
    with pytest.raises(InputError, match=message):
        load("baseball")


def test_no_rscript(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        InputError,
        match=r"^'lizards' is in the R package brglm2, and Rscript is not on the PATH: apt-get install "
        r'r-cran-brglm2, or install R and then the package with install.packages\("brglm2"\)\.$',
    ):
        load("lizards")


@pytest.fixture
def fake_r(monkeypatch, tmp_path):
    """In place of R a shell script, which gets from_r.R, the package, the set and the directory."""

    def make(script):
        (tmp_path / "Rscript").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "Rscript").chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))

    return make


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (
            "exit 3",
            r"^'lizards' is in the R package brglm2, which is not installed: apt-get install r-cran-brglm2, or ",
        ),
        (
            "echo some >&2; echo trouble >&2; exit 1",
            r"^'lizards' cannot be read from the R package brglm2 \(some trouble\); try apt",
        ),
        ("exit 0", r"^'lizards' cannot be read from the R package brglm2 \(.*levels.csv.*\); try apt-get install .*$"),
        (
            'echo "table,column,ordered,level" > "$4/levels.csv"; echo ",a\n1,2\n2,3" > "$4/frame.csv"',
            r"^'lizards' must have the tables frame \(23 x 6\), got frame \(2 x 1\) from the R package brglm2; try apt",
        ),
        (
            'echo "table,column,ordered,level\nframe,a,FALSE,x" > "$4/levels.csv"; echo ",a\n1,2" > "$4/frame.csv"',
            r"^'lizards' cannot be read from the R package brglm2 \(.*codes.*\); try apt-get",
        ),
    ],
)
def test_what_r_may_do(fake_r, script, message):
    fake_r(script)
    with pytest.raises(InputError, match=message):
        load("lizards")


def test_factors_and_gaps(tmp_path):
    """Codes of factors in the order of their levels, which may be words such as NA; a gap is missing."""
    (tmp_path / "levels.csv").write_text("table,column,ordered,level\nitems,size,TRUE,NA\nitems,size,TRUE,001\n")
    (tmp_path / "items.csv").write_text(
        ',"size","on","x"\n"a, b",2,TRUE,"0.10000000000000001"\n"c",1,FALSE,\n"d",,TRUE,"3"\n'
    )
    items = from_r._read(tmp_path, ["items"])["items"]
    assert items.index.tolist() == ["a, b", "c", "d"]
    assert items["size"].cat.categories.tolist() == ["NA", "001"]
    assert items["size"].cat.ordered
    assert items["size"].cat.codes.tolist() == [1, 0, -1]
    assert items["on"].tolist() == [True, False, True]
    np.testing.assert_array_equal(items["x"], [0.1, np.nan, 3])
