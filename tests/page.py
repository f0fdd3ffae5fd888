#!/usr/bin/env python3
"""The page of `queens solutions N --format html` as a browser shows it.

    tests/page.py [PROGRAM [SCREENSHOTS]]

Drives headless Chromium through chromedriver's WebDriver protocol, on the loopback interface only. With a folder as
second argument it leaves screenshots there: as wide as a phone and a desktop, light, dark and printed. Exits 77 where there is no browser.
"""

import base64
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else "target/release/queens"
SHOTS = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
LEFT, RIGHT, HOME, END, ENTER = "\ue012", "\ue014", "\ue011", "\ue010", "\ue007"
DOWN, PAGE_UP, PAGE_DOWN = "\ue015", "\ue00e", "\ue00f"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    """A WebDriver session, as far as it is needed here."""

    def __init__(self, driver, chromium, profile):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.base = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen([driver, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        arguments = [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--force-prefers-color-scheme=light", f"--user-data-dir={profile}",
        ]
        wanted = {
            "goog:chromeOptions": {"args": arguments, "binary": chromium},
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        for _ in range(100):
            try:
                if self.call("GET", "/status")["ready"]:
                    break
            except OSError:
                time.sleep(0.1)
        session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.base += f"/session/{session['sessionId']}"

    def call(self, method, path, body=None):
        data = json.dumps(body if body is not None else {}).encode() if method == "POST" else None
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.read().decode()}") from error

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait()

    def open(self, file):
        self.call("POST", "/url", {"url": file.resolve().as_uri()})

    def find(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.call("POST", f"/element/{self.find(selector)}/click")

    def type(self, selector, keys):
        self.call("POST", f"/element/{self.find(selector)}/value", {"text": keys})

    def clear(self, selector):
        self.call("POST", f"/element/{self.find(selector)}/clear")

    def run(self, script):
        return self.call("POST", "/execute/sync", {"script": script, "args": []})

    def text(self, selector):
        return self.run(f"return document.querySelector({json.dumps(selector)}).textContent")

    def queens(self):
        """Where the queens stand on the large board: the row of each column, read off the drawing."""
        return self.run(
            "return [...document.querySelectorAll('#board use')].map((use) => ["
            "  (Number(use.getAttribute('x')) - 64) / 100, (Number(use.getAttribute('y')) - 64) / 100 + 1])"
            ".sort((a, b) => a[0] - b[0]).map((square) => square[1]).join('')"
        )

    def log(self):
        return self.call("POST", "/se/log", {"type": "browser"})

    def command(self, name, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def resize(self, width, height):
        # The window's frame differs between headless and not, so the page's own size is what is set.
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def shot(self, name):
        if SHOTS:
            (SHOTS / f"{name}.png").write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def click_square(self, column, row):
        """A click of the pointer in the middle of a square of the large board."""
        x, y = self.run(
            "const box = document.querySelector('#board svg').getBoundingClientRect();"
            f"const unit = box.width / (100 * page.n + 112); return [box.left + unit * {6 + 100 * column},"
            f" box.top + unit * {6 + 100 * row}]"
        )
        for kind in ["mousePressed", "mouseReleased"]:
            self.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def looks(self, name):
        """Screenshots as wide as a phone and a desktop, light and dark; nothing may stick out of any."""
        for width, height in [(390, 844), (1280, 860)]:
            self.resize(width, height)
            for theme in ["light", "dark"]:
                self.run(f"theme('{theme}')")
                sticks_out = self.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
                expect(f"nothing sticks out at {width}, {theme}", sticks_out, 0)
                self.shot(f"{name}-{width}-{theme}")
        # The window is 1280 wide now; where nothing is below its edge there is no scroll bar to take some of that.
        expect("nothing is below the window", self.run("return document.documentElement.scrollHeight <= innerHeight"), True)
        self.run("theme('light')")


def wait(condition):
    for _ in range(50):
        if condition():
            return
        time.sleep(0.1)


def expect(what, found, wanted):
    if found != wanted:
        raise AssertionError(f"{what}: {found!r} instead of {wanted!r}")
    print(f"ok: {what}")


def make(folder, name, *arguments):
    file = folder / name
    subprocess.run([PROGRAM, "solutions", *arguments, "-o", file], check=True)
    return file


def walk(browser, folder):
    browser.open(make(folder, "eight.html", "8"))
    expect("the page opens on the first solution", browser.queens(), "15863724")
    expect("it says how many there are", browser.text("#about"), "92 solutions")
    browser.type("body", RIGHT)
    expect("the right arrow goes on", browser.queens(), "16837425")
    expect("it is announced", browser.text("#spoken"), "Solution 2 of 92, 16837425")
    browser.type("body", LEFT)
    expect("the left arrow goes back", browser.queens(), "15863724")
    browser.type("body", END)
    expect("End goes to the last", browser.queens(), "84136275")
    browser.click("#previous")
    expect("the button goes back", browser.text("#position"), "91 of 92")
    browser.type("body", HOME)
    browser.click("#next")
    expect("the button goes on", browser.text("#position"), "2 of 92")

    browser.clear("#number")
    browser.type("#number", "31" + ENTER)
    expect("the box jumps", browser.queens(), "42586137")
    browser.type("#number", "")
    browser.clear("#number")
    browser.type("#number", "31" + ENTER + RIGHT)
    expect("and the arrow walks on from there", browser.text("#position"), "32 of 92")
    browser.type("body", PAGE_DOWN)
    expect("PgDn goes ten on", browser.text("#position"), "42 of 92")
    browser.type("body", PAGE_UP + LEFT)
    expect("PgUp goes ten back", browser.text("#position"), "31 of 92")
    expect("the address links to it", browser.run("return location.hash"), "#31")
    browser.looks("page")
    for wrong in ["0", "93", "1.5", "-3"]:
        browser.clear("#number")
        browser.type("#number", wrong + ENTER)
        expect(f"{wrong} is refused in words", browser.text("#note"), "Numbers go from 1 to 92.")
        expect("and the board stays", browser.queens(), "42586137")

    browser.type("body", HOME)
    images = browser.run("return [...document.querySelectorAll('#images button')].map((b) => b.getAttribute('aria-label'))")
    program = subprocess.run([PROGRAM, "symmetries", "15863724"], check=True, capture_output=True, text=True).stdout
    lines = [line.split("  ") for line in program.splitlines() if "  " in line]
    expect("the eight images are the program's", images, [f"{name}: {image}" for image, name in lines])
    browser.click("#images li:nth-child(2) button")
    expect("an image is shown large", browser.queens(), "36428571")
    expect("which is not the fundamental one", browser.text("#class"), "8, fundamental 15863724")
    browser.click("#fundamental")
    expect("twelve are fundamental", browser.text("#position"), "1 of 12")
    browser.type("body", END)
    expect("the last of these", browser.queens(), "36258174")
    browser.type("body", LEFT + LEFT)
    expect("the class of four", (browser.queens(), browser.text("#class")[:1]), ("35281746", "4"))
    browser.click("#theme")
    expect("there is a dark look", browser.run("return document.documentElement.dataset.theme"), "dark")
    browser.run("theme('light')")


def links(browser, folder):
    file = make(folder, "links.html", "8")
    browser.call("POST", "/url", {"url": file.resolve().as_uri() + "#31"})
    expect("a link opens its solution", (browser.queens(), browser.text("#position")), ("42586137", "31 of 92"))
    browser.run("location.hash = '#92'")
    wait(lambda: browser.queens() == "84136275")
    expect("another link leads on", browser.queens(), "84136275")
    browser.call("POST", "/url", {"url": "about:blank"})
    browser.call("POST", "/url", {"url": file.resolve().as_uri() + "#93"})
    expect("a link to nothing opens the first", browser.queens(), "15863724")


def settings(browser, folder):
    browser.open(make(folder, "set.html", "8"))
    browser.click("#placing")
    expect("an empty board has all completions", browser.text("#completions"), "92")
    for column, row, free, completions in [(1, 1, 42, 4), (5, 2, 25, 1)]:
        browser.click_square(column, row)
        expect(f"free squares with a queen on {column}, {row}", browser.text("#free"), str(free))
        expect("and completions", browser.text("#completions"), str(completions))
    browser.click_square(3, 3)
    expect("an attacked square is refused in words", browser.text("#note"),
           "Column 3 row 3 is attacked by the queen in column 1 row 1.")
    expect("each queen's attacks are shown", browser.run("return document.querySelectorAll('#board .attack').length"), 2)
    browser.looks("set")
    browser.click("#complete")
    expect("the rest is filled in", browser.queens()[:1] + browser.queens()[4:5], "12")
    expect("to a solution", browser.text("#set"), "8 of 8")
    browser.click("#clear")
    browser.run("document.activeElement.blur()")
    browser.type("body", RIGHT + DOWN + DOWN + " ")
    expect("the keys set queens too", browser.run("return placed.join('')"), "00050000")
    browser.type("body", "e" + RIGHT)
    expect("and lead back to the list", browser.text("#position"), "2 of 92")


def paper(browser, folder):
    browser.open(make(folder, "paper.html", "8"))
    browser.resize(800, 1100)
    browser.run("theme('dark')")
    browser.command("Emulation.setEmulatedMedia", media="print")
    expect("paper is white", browser.run("return getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
    expect("and has no buttons", browser.run(
        "return [...document.querySelectorAll('button')].filter((button) => button.offsetParent).length"), 0)
    browser.shot("print")
    browser.command("Emulation.setEmulatedMedia", media="")
    browser.run("theme('light')")


def others(browser, folder):
    browser.open(make(folder, "limit.html", "12", "--limit", "7", "--skip", "3"))
    expect("a cut list says so", browser.text("#about"), "7 solutions, from number 4; there are more")
    expect("and counts from where it begins", browser.text("#position"), "4 of 10 (of 14,200 in all)")
    browser.open(make(folder, "ten.html", "14"))
    expect("a long list is cut by itself", browser.text("#about"), "5,000 solutions, from number 1; there are more")
    browser.open(make(folder, "classes.html", "8", "--fundamental"))
    expect("a page of fundamental ones", browser.text("#about"), "12 fundamental solutions")
    browser.open(make(folder, "prefix.html", "8", "--prefix", "15"))
    expect("a page of completions", browser.text("#about"), "1 solution beginning 15")
    for n, about in [("0", "1 solution"), ("1", "1 solution"), ("2", "no solutions")]:
        browser.open(make(folder, f"{n}.html", n))
        expect(f"N = {n}", browser.text("#about"), about)


def main():
    driver = shutil.which("chromedriver")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not driver or not chromium:
        print("skipped: chromium and chromedriver are needed")
        return 77
    if SHOTS:
        SHOTS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        folder = pathlib.Path(folder)
        browser = Browser(driver, chromium, folder / "profile")
        try:
            browser.resize(1280, 860)
            walk(browser, folder)
            links(browser, folder)
            settings(browser, folder)
            paper(browser, folder)
            others(browser, folder)
        finally:
            # Errors there explain failures elsewhere, so they come out either way.
            log = browser.log()
            print(*log, sep="\n", end="\n" if log else "")
            browser.close()
        expect("the console stays empty", log, [])
    return 0


if __name__ == "__main__":
    sys.exit(main())
