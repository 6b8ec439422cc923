"""tools/check-site: every kind of fault is found, with its page, and a page without faults is let pass."""

import subprocess
import sys
from pathlib import Path

import pytest

# Each run starts a Chromium. Versions of NumPy do not show in it.
pytestmark = [pytest.mark.slow, pytest.mark.one_environment]
TOOL = Path(__file__).parents[1] / "tools" / "check-site"
# One red pixel.
PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)
HEAD = '<!DOCTYPE html><html><head><meta charset="utf-8"><title>page</title>'
ON_A_PHONE = '<meta name="viewport" content="width=device-width, initial-scale=1">'


def page(body, head=ON_A_PHONE):
    return f"{HEAD}{head}</head><body>\n{body}\n</body></html>"


def check(*paths):
    """Run the tool; return its exit code and what it found."""
    done = subprocess.run([sys.executable, TOOL, *paths], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout.splitlines()


GOOD = f"""<h1 id="here">A page</h1>
<a href="#here">here</a> <a href="#">top</a> <a href="other.html#there">there</a> <a href="other.html?x=1">other</a>
<a href="https://doi.org/10.1214/aos/1028144844">paper</a> <a href="mailto:me@example.org">me</a>
<img src="{PIXEL}" alt="a pixel"> <img src="a%20pixel.svg" alt="a file">
<p>A formula, <math><mi>x</mi></math>, which cost $5; <code>\\frac{{1}}{{2}} $$</code>.</p>
<pre style="overflow-x: auto">{"a long line that scrolls by itself " * 20}</pre>
<script>console.log("words")</script>"""


@pytest.fixture
def site(tmp_path):
    """A site of two good pages, with a stylesheet and a picture."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "index.html").write_text(
        page(GOOD, ON_A_PHONE + '<link rel="stylesheet" href="sub/style.css"><link rel="next" href="other.html">')
    )
    (tmp_path / "other.html").write_text(page('<a name="there" href="index.html">back</a>'))
    (tmp_path / "a pixel.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><path d="M0 0h1v1z"/></svg>'
    )
    (tmp_path / "sub" / "style.css").write_text("h1 { background: url('../a%20pixel.svg') }")
    return tmp_path


def test_good_site_passes(site):
    assert check(site) == (0, [])
    assert check(site / "index.html", site / "other.html") == (0, [])


def test_nothing_to_check_is_a_failure(tmp_path):
    assert check(tmp_path) == (1, [])
    assert check(tmp_path / "gone.html") == (1, ["gone.html is not there"])


def test_links_that_lead_nowhere(site):
    (site / "bad.html").write_text(
        page(f"""<a href="gone.html">1</a>
<a href="other.html#nowhere">2</a>
<a href="#nowhere">3</a>
<a href="../outside.html">4</a>
<a href="{site}/index.html">5</a>
<a href="https://no address/">6</a>
<a href="javascript:void(0)">7</a>
<a href="sub">8</a>""")
    )
    (site / "sub" / "style.css").write_text("@import 'gone.css'; h1 { background: url(https://example.org/a.png) }")
    code, found = check(site)
    assert code == 1
    assert [line for line in found if line.startswith("bad")] == [
        "bad.html:2: gone.html is not there",
        "bad.html:3: other.html#nowhere names a place that is not on that page",
        "bad.html:4: #nowhere names a place that is not on that page",
        "bad.html:5: ../outside.html leads out of the site",
        f"bad.html:6: {site}/index.html leads out of the site",
        "bad.html:7: https://no address/ is no address",
        "bad.html:8: javascript:void(0) leads out of the site",
        "bad.html:9: sub is not there",
    ]
    assert "sub/style.css: gone.css is not there" in found
    assert "sub/style.css: https://example.org/a.png is loaded from elsewhere" in found


# What stands in the page, and the line that must be found; {} is the page's name.
FAULTS = {
    "file that is not a picture": ('<img src="other.html" alt="">', '{}: broken picture "other.html"'),
    "picture elsewhere": (
        '<img src="https://example.org/a.png" alt="">',
        "{}:2: https://example.org/a.png is loaded from elsewhere",
    ),
    "script that asks elsewhere": (
        '<script>fetch("https://example.org/a.json").catch(() => {})</script>',
        "{}: asks for https://example.org/a.json",
    ),
    "script that fails": (
        "<script>nothing.at.all()</script>",
        "{}: script error: ReferenceError: nothing is not defined",
    ),
    "console": ('<script>console.error("it broke", 3)</script>', "{}: console error: it broke 3"),
    "raw TeX": (r"<p>where \(x\) is</p>", r'{}: TeX in the text "where \\(x\\) is"'),
    "raw dollars": ("<p>where $x_i$ is</p>", '{}: TeX in the text "where $x_i$ is"'),
    "TeX within MathML": (
        r"<p><math><mtext>\mathbb</mtext></math></p>",
        r'{}: TeX in the text "\\mathbb"',
    ),
    "formula not set": ('<span class="math inline">x + y</span>', '{}: formula that was not set "x + y"'),
    "empty formula": ("<math></math>", '{}: formula without any width ""'),
    "too wide for a phone": (
        '<p style="width: 700px">wide</p>',
        '{}: 318 px wider than a window of 390 px, because of <p> "wide"',
    ),
    "pale text": (
        '<p style="color: #aaa">pale</p>',
        '{}: light: contrast 2.3, rgb(170, 170, 170) on rgb(255,255,255): "pale"',
    ),
    "dim on a dark page": (
        "<style>@media (prefers-color-scheme: dark) { p { background: #111; color: #444 } }</style><p>dim</p>",
        '{}: dark: contrast 1.9, rgb(68, 68, 68) on rgb(17,17,17): "dim"',
    ),
}


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    """What is found on a site with a page for each fault."""
    site = tmp_path_factory.mktemp("site")
    (site / "other.html").write_text(page(""))
    for i, (body, _) in enumerate(FAULTS.values()):
        (site / f"{i}.html").write_text(page(body))
    return check(site)[1]


@pytest.mark.parametrize("fault", FAULTS)
def test_what_only_a_browser_sees(faulty, fault):
    name = f"{list(FAULTS).index(fault)}.html"
    found = [line for line in faulty if line.startswith((f"{name}:", f"{name} "))]
    assert any(line.startswith(FAULTS[fault][1].format(name)) for line in found), found


def test_page_that_does_not_say_that_it_fits_a_phone(tmp_path):
    file = tmp_path / "report.html"
    file.write_text(page("<p>words</p>", head=""))
    assert check(file) == (1, ['report.html: 590 px wider than a window of 390 px, because of <p> "words"'])


SEARCH = """<div id="search-results"></div>
<script>setTimeout(() => { document.getElementById("search-results").innerHTML =
  "<p>Search finished, found one page</p><ul><li><a href='FOUND'>a page</a></li></ul>"; }, 100)</script>"""


def test_search_that_misses_a_tutorial(site):
    for name in ("vignettes/ranking", "r/quasi_variances", "api/compare", "classify"):
        (site / f"{name}.html").parent.mkdir(exist_ok=True)
        (site / f"{name}.html").write_text(page(""))
    (site / "search.html").write_text(page(SEARCH.replace("FOUND", "classify.html?highlight=x#y")))
    code, found = check(site)
    missed = (
        ("Dogwood", "vignettes/ranking"),
        ("quasi_variances", "r/quasi_variances"),
        ("corrected_resampled_t", "api/compare"),
    )
    expected = [f"search.html: {word} leads to ['classify.html'], and not to {name}.html" for word, name in missed]
    assert code == 1
    assert [line for line in found if "leads to" in line] == expected
