"""Pages as Chromium shows them: pictures, maths, errors, contrast, search, and what does not fit on the screen.

Chromium is driven by its DevTools protocol over a pipe, so that no other package is needed.
"""

import json
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
# As root there is no sandbox; and nothing is fetched from elsewhere, whatever a page asks for.
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--remote-debugging-pipe",
)
PATIENCE = 60  # seconds for one answer: a busy machine is slow, a crashed page says nothing
WIDTHS = (1280, 390)  # a desk and a telephone
SCHEMES = ("light", "dark")
# The least contrast of text and background, by the guidelines WCAG 2.1, level AA: 3 for large text.
CONTRAST = 4.5
LARGE_CONTRAST = 3.0

# What each page is asked. Text that still has TeX's commands in it is maths that nobody set.
CONTENT = r"""
(async () => {
  const found = [];
  const show = text => JSON.stringify(text.trim().replace(/\s+/g, " ").slice(0, 60));
  const pictures = [...document.images];
  for (const picture of pictures) picture.loading = "eager";
  await Promise.all(pictures.map(picture => picture.decode().catch(() => {})));
  for (const picture of pictures)
    if (!picture.naturalWidth) found.push("broken picture " + show(picture.getAttribute("src") || "without a source"));

  for (const formula of document.querySelectorAll("math"))
    if (!formula.getBoundingClientRect().width) found.push("formula without any width " + show(formula.textContent));
  for (const error of document.querySelectorAll("merror, .katex-error, .problematic"))
    found.push("formula or text marked as an error " + show(error.textContent));
  for (const formula of document.querySelectorAll(".math"))
    if (!formula.closest("math") && !formula.querySelector("math, svg, img"))
      found.push("formula that was not set " + show(formula.textContent));
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const tex = /\\[([]|\\[A-Za-z]{2,}|\$\$|\$[^\s$]*[_^{][^\s$]*\$/;
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (tex.test(text.data) && !text.parentElement.closest("pre, code, script, style, textarea, annotation, .math"))
      found.push("TeX in the text " + show(text.data));
  }
  return found;
})()
"""

# How far the page is wider than the window, and because of what. What scrolls by itself is allowed to be wide.
OVERFLOW = r"""
(width => {
  const excess = document.documentElement.scrollWidth - width;
  if (excess <= 0) return null;
  const scrolls = element => getComputedStyle(element).overflowX !== "visible";
  let widest = document.body, edge = 0;
  for (const element of document.body.querySelectorAll("*")) {
    const box = element.getBoundingClientRect();
    const right = scrolls(element) ? box.right : Math.max(box.right, box.left + element.scrollWidth);
    if (right <= width || right < edge - 1) continue;
    let parent = element.parentElement;
    while (parent !== document.body && !scrolls(parent)) parent = parent.parentElement;
    if (parent === document.body) { widest = element; edge = right; }
  }
  const text = JSON.stringify(widest.textContent.trim().replace(/\s+/g, " ").slice(0, 40));
  return `${excess} px wider than a window of ${width} px, because of <${widest.localName}> ${text}`;
})
"""


# Texts whose colour is too near to that of their background, each kind once.
DIM = r"""
(async (least, leastLarge) => {
  if (!document.getElementById("no-transitions")) {
    const style = document.createElement("style");
    style.id = "no-transitions";
    style.textContent = "*, *::before, *::after { transition: none !important; animation: none !important; }";
    document.head.append(style);
  }
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgba = color => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => below.map((value, k) => k < 3 ? top[k] * top[3] + value * (1 - top[3]) : 1);
  const background = element => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(rgba(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
  };
  const linear = v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => .2126 * linear(r / 255) + .7152 * linear(g / 255) + .0722 * linear(b / 255);
  const seen = new Map();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    const text = texts.currentNode.data.trim();
    if (!text || element.closest("script, style, svg, [hidden], .visually-hidden, [aria-hidden=true]")) continue;
    const style = getComputedStyle(element), box = element.getBoundingClientRect();
    if (!box.width || !box.height || style.visibility === "hidden" || +style.opacity < 1) continue;
    const below = background(element), color = over(rgba(style.color), below);
    const [a, b] = [light(color), light(below)].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05), size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && +style.fontWeight >= 700);
    if (ratio < (large ? leastLarge : least)) {
      const key = `${style.color} on rgb(${below.slice(0, 3).map(Math.round)})`;
      if (!seen.has(key)) seen.set(key, `contrast ${ratio.toFixed(1)}, ${key}: ${JSON.stringify(text.slice(0, 40))}`);
    }
  }
  return [...seen.values()];
})
"""

# The pages that a search has found, once it is finished.
FOUND = r"""
new Promise(done => {
  const started = Date.now();
  const look = () => {
    const links = [...document.querySelectorAll("#search-results li a")].map(a => a.getAttribute("href"));
    const summary = document.querySelector("#search-results p.search-summary, #search-results p");
    const finished = summary && /found|did not match/.test(summary.textContent);
    if (finished || Date.now() - started > 20000) done(links); else setTimeout(look, 50);
  };
  look();
})
"""


# Where the copy button of the first block of code with a prompt is; what is copied is kept.
COPY_BUTTON = r"""
(async () => {
  document.addEventListener("copy", () => { window.copied = document.activeElement.value; });
  for (const button of document.querySelectorAll("button.copybtn")) {
    const block = button.parentElement.querySelector("pre");
    if (!block || !/^(>>> |\$ )/.test(block.innerText) || !block.getBoundingClientRect().width) continue;
    button.scrollIntoView({block: "center", behavior: "instant"});
    await new Promise(requestAnimationFrame);
    const box = button.getBoundingClientRect();
    return {x: box.x + box.width / 2, y: box.y + box.height / 2};
  }
  return null;
})()
"""


class BrowserError(RuntimeError):
    """Chromium is missing, did not start, or does not answer."""


class Browser:
    """A headless Chromium with one tab and an empty profile; use it in a ``with`` statement."""

    def __init__(self) -> None:
        program = next(filter(None, map(shutil.which, NAMES)), None)
        if program is None:
            raise BrowserError("there is no Chromium on the PATH: tools/need-debs chromium installs it.")
        self._program = program
        self._buffer = b""
        self._events: list[dict[str, Any]] = []
        self._count = 0
        self._session: str | None = None

    def __enter__(self) -> "Browser":
        self._profile = tempfile.TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True)
        self._socket, theirs = socket.socketpair()
        self._socket.settimeout(PATIENCE)
        # Chromium reads commands from descriptor 3 and answers on 4.
        end = theirs.fileno()
        flags = [*FLAGS, f"--user-data-dir={self._profile.name}"]
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{end} 4>&{end}', "bash", self._program, *flags, "about:blank"],
            pass_fds=[end],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        theirs.close()
        tab = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=tab, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._socket.close()
        self._process.terminate()
        self._process.wait()
        self._profile.cleanup()

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            try:
                data = self._socket.recv(1 << 20)
            except TimeoutError:
                raise BrowserError(f"Chromium has not answered for {PATIENCE} seconds.") from None
            if not data:
                raise BrowserError("Chromium has ended.")
            self._buffer += data
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def send(self, method: str, **params: Any) -> Any:
        """Send a command of the DevTools protocol and return its result; events that come before it are kept."""
        self._count += 1
        command: dict[str, Any] = {"id": self._count, "method": method, "params": params}
        if self._session:
            command["sessionId"] = self._session
        self._socket.sendall(json.dumps(command).encode() + b"\0")
        while True:
            message = self._receive()
            if message.get("id") != self._count:
                self._events.append(message)
            elif "error" in message:
                raise BrowserError(f"{method}: {message['error']['message']}")
            else:
                return message["result"]

    def load(self, url: str) -> None:
        """Open a page and wait until it is loaded, with everything in it."""
        self._events.clear()
        answer = self.send("Page.navigate", url=url)
        if "errorText" in answer:
            raise BrowserError(f"{url}: {answer['errorText']}")
        while all(event.get("method") != "Page.loadEventFired" for event in self._events):
            self._events.append(self._receive())

    def resize(self, width: int) -> None:
        """Make the window so wide. A narrow one is a telephone's, where a page must say that it fits."""
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600
        )

    def prefer(self, scheme: str) -> None:
        """Ask for light or dark pages."""
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def search(self, site: Path, word: str) -> list[str]:
        """Return the pages of a site that its search finds for a word."""
        self.load(f"{(site / 'search.html').resolve().as_uri()}?q={word}")
        return [link.split("?")[0].split("#")[0] for link in self.evaluate(FOUND)]

    def copy(self, page: Path) -> str | None:
        """Click the copy button of the first block of code with a prompt; return what it copies, or None."""
        self.resize(WIDTHS[0])
        self.load(page.resolve().as_uri())
        place = self.evaluate(COPY_BUTTON)
        if place is None:
            return None
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **place)
        return self.evaluate("window.copied")

    def evaluate(self, script: str) -> Any:
        """Return the value of a script on the page that is open."""
        answer = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise BrowserError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def _complaints(self) -> Iterator[str]:
        """What the console shows, and what was asked from elsewhere."""
        for event in self._events:
            params = event.get("params", {})
            match event.get("method"):
                case "Network.requestWillBeSent" if params["request"]["url"].startswith(("http:", "https:", "ws")):
                    yield f"asks for {params['request']['url']}"
                case "Runtime.exceptionThrown":
                    details = params["exceptionDetails"]
                    yield f"script error: {details.get('exception', {}).get('description', details['text'])}"
                case "Runtime.consoleAPICalled" if params["type"] in ("error", "assert"):
                    words = " ".join(str(a.get("value", a.get("description"))) for a in params["args"])
                    yield f"console error: {words}"
                case "Log.entryAdded" if params["entry"]["level"] == "error":
                    url = params["entry"].get("url", "")
                    if not url.startswith("http"):  # said above
                        yield f"console error: {params['entry']['text']} {url}".rstrip()

    def findings(self, page: Path) -> list[str]:
        """Return what is wrong with a page, a line each."""
        self.resize(WIDTHS[0])
        self.load(page.resolve().as_uri())
        found = list(self.evaluate(CONTENT))
        for width in WIDTHS:
            self.resize(width)
            too_wide = self.evaluate(f"{OVERFLOW}({width})")
            found += [too_wide] if too_wide else []
        self.resize(WIDTHS[0])
        for scheme in SCHEMES:
            self.prefer(scheme)
            found += [f"{scheme}: {line}" for line in self.evaluate(f"{DIM}({CONTRAST}, {LARGE_CONTRAST})")]
        return [" ".join(line.split()) for line in [*self._complaints(), *found]]
