#!/usr/bin/env python3
"""Tests the page of `queens solutions N -o FILE.html` in a browser.

    tests/page.py PROGRAM [SCREENSHOTS]

Controls headless Chromium by chromedriver's WebDriver protocol, on the loopback interface only. With a folder SCREENSHOTS,
it also writes pictures there. Needs chromium and chromedriver.
"""

import base64
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request

PROGRAM, SHOTS = sys.argv[1], sys.argv[2:3]
LEFT, RIGHT, HOME, END, ENTER = "\ue012", "\ue014", "\ue011", "\ue010", "\ue007"


class Browser:
    def __init__(self, profile):
        self.process = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        line = next(line for line in self.process.stdout if "started successfully on port" in line)
        self.base = "http://127.0.0.1:" + line.rstrip(".\n").split()[-1]
        options = {"args": ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}"]}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        self.base += "/session/" + self.call("/session", capabilities={"alwaysMatch": wanted})["sessionId"]

    def call(self, path, method="POST", **body):
        request = urllib.request.Request(self.base + path, json.dumps(body).encode(), method=method)
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def to(self, selector, action, **body):
        found = self.call("/element", using="css selector", value=selector)
        return self.call(f"/element/{next(iter(found.values()))}/{action}", **body)

    def type(self, keys, selector="body"):
        self.to(selector, "value", text=keys)

    def run(self, script):
        return self.call("/execute/sync", script=script, args=[])

    def text(self, selector):
        return self.run(f"return document.querySelector('{selector}').textContent")

    def command(self, name, **parameters):
        return self.call("/goog/cdp/execute", cmd=name, params=parameters)

    def click_square(self, column, row):
        """Clicks in the middle of a square of the board."""
        x, y = self.run("const box = document.querySelector('#board .light').getBoundingClientRect();"
                        f"return [box.left + box.width / n * {column - 0.5}, box.top + box.height / n * {row - 0.5}]")
        for kind in ["Pressed", "Released"]:
            self.command("Input.dispatchMouseEvent", type=f"mouse{kind}", x=x, y=y, button="left", clickCount=1)

    def sheets(self, width, height):
        """The number of printed sheets of this size in inches."""
        self.command("Emulation.setEmulatedMedia", media="")
        printed = self.command("Page.printToPDF", paperWidth=width, paperHeight=height)["data"]
        return len(re.findall(rb"/Type\s*/Page\b", base64.b64decode(printed)))

    def screen(self, width, scheme, media="screen"):
        self.command("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=860, deviceScaleFactor=1, mobile=False)

    def shot(self, name):
        for folder in SHOTS:
            picture = base64.b64decode(self.command("Page.captureScreenshot")["data"])
            pathlib.Path(folder, f"{name}.png").write_bytes(picture)

    def open(self, folder, line, link=""):
        file = folder / (line.replace(" ", "") + ".html")
        subprocess.run([PROGRAM, "solutions", *line.split(), "-o", file, "-q"], check=True)
        self.call("/url", url="about:blank")
        self.call("/url", url=file.as_uri() + link)


def expect(what, found, wanted):
    if found != wanted:
        raise AssertionError(f"{what}: {found!r} instead of {wanted!r}")
    print(f"ok: {what}")


def check(browser, folder):
    shown = lambda: (browser.text("#name"), browser.text("#rows"))
    browser.screen(1280, "light")
    browser.open(folder, "8")
    expect("it opens on the first solution", shown(), ("Solution 1 of 92", "15863724"))
    expect("the number of solutions", browser.text("#about"), "92 solutions")
    for what, keys, wanted in [("right", RIGHT, 2), ("left", LEFT, 1), ("End", END, 92), ("a number", "31" + ENTER, 31),
                               ("right from there", RIGHT, 32), ("Home", HOME, 1)]:
        browser.type(keys)
        expect(f"keys: {what}", shown()[0], f"Solution {wanted} of 92")
    for button in ["#next", "#next", "#previous"]:
        browser.to(button, "click")
    expect("buttons", (shown(), browser.run("return location.hash")), (("Solution 2 of 92", "16837425"), "#2"))

    browser.type(HOME)
    images = browser.run("return [...document.querySelectorAll('#images a')].map((image) => image.querySelector('svg')"
                         ".getAttribute('aria-label') + '  ' + image.querySelector('span').textContent)")
    lines = subprocess.run([PROGRAM, "symmetries", "15863724"], check=True, capture_output=True, text=True).stdout
    expect("the images are the program's", images, lines.splitlines()[:8])
    # The page shows a new address after a moment.
    browser.run("return new Promise((done) => { addEventListener('hashchange', () => done());"
                "document.querySelectorAll('#images a')[1].click(); })")
    expect("an image leads to its place in the list", shown()[1], "36428571")

    browser.to("#fundamental", "click")
    expect("twelve are fundamental", browser.text("#matches"), "12 of 92 match.")
    browser.type(END)
    expect("the last of these", shown()[1], "36258174")
    browser.to("#fundamental", "click")
    for square, wanted in [((1, 1), "4 of 92 match."), ((5, 4), "N = 8 has no solutions with a queen on 1,1 and on 5,4"),
                           ((5, 4), "4 of 92 match."), ((1, 1), "")]:
        browser.click_square(*square)
        expect(f"a click on {square}", browser.text("#matches"), wanted)
    browser.type("1,1 4,6", "#queens")
    expect("queens as text", (browser.text("#matches"), browser.text("#rows")), ("2 of 92 match.", "15863724"))
    # The page prints the same message as the program.
    for queens in ["9,9", "abc", "1,1 8,9", "1,1 1,5", "4,2 3,2", "4,6 1,3", "1,1 5,4", "4,2 0,1"]:
        browser.to("#queens", "clear")
        browser.type(queens, "#queens")
        options = [word for queen in queens.split() for word in ["--queen", queen]]
        message = subprocess.run([PROGRAM, "solutions", "8", *options], capture_output=True, text=True).stderr.splitlines()[0]
        expect(f"queens as text: {queens}", browser.text("#matches"), message.split("COLUMN,ROW>': ")[-1].removeprefix("note: "))
    browser.to("#queens", "clear")
    browser.type("4,2", "#queens")
    browser.to("#fundamental", "click")
    expect("no fundamental one", (browser.text("#matches"), browser.text("#name")),
           ("N = 8 has no fundamental solutions with a queen on 4,2", "No solution"))
    browser.to("#fundamental", "click")
    browser.to("#queens", "clear")

    for width, scheme in [(320, "light"), (390, "light"), (390, "dark"), (1280, "dark"), (1280, "light")]:
        browser.screen(width, scheme)
        wide = browser.run("return document.documentElement.scrollWidth > document.documentElement.clientWidth")
        lines = browser.run("const range = document.createRange();"
                            "return [...document.querySelectorAll('button')].map((button) => "
                            "(range.selectNodeContents(button), range.getClientRects().length))")
        expect(f"nothing sticks out and no button breaks at {width}, {scheme}", (wide, lines), (False, [1, 1]))
        browser.shot(f"{width}-{scheme}")
    browser.command("Emulation.setDeviceMetricsOverride", width=1920, height=1080, deviceScaleFactor=1, mobile=False)
    high = browser.run("return document.querySelector('#board').clientHeight")
    expect("the board is as high as a large screen has room for", high, 1080 - 11 * 16)
    browser.screen(800, "dark", "print")
    background = browser.run("return getComputedStyle(document.body).backgroundColor")
    buttons = browser.run("return [...document.querySelectorAll('button')].filter((one) => one.offsetParent).length")
    expect("paper is white and has no buttons", (background, buttons), ("rgb(255, 255, 255)", 0))
    browser.shot("print")
    browser.screen(1280, "light")

    for line in ["8", "32 --limit 1"]:
        browser.open(folder, line)
        expect(f"solutions {line}: sheets of A4 and US Letter", (browser.sheets(8.27, 11.69), browser.sheets(8.5, 11)), (1, 1))
    browser.open(folder, "8", "#31")
    expect("a link opens its solution", shown(), ("Solution 31 of 92", "42586137"))
    for line, about, name in [("0", "1 solution", "Solution 1 of 1"), ("3", "no solutions", "No solution"),
                              ("8 --fundamental", "12 fundamental solutions", "Fundamental solution 1 of 12"),
                              ("12 --skip 3 --limit 7", "numbers 4 to 10 of 14,200 solutions", "Solution 4 of 14,200"),
                              ("14", "numbers 1 to 5,000 of 365,596 solutions", "Solution 1 of 365,596")]:
        browser.open(folder, line)
        expect(f"solutions {line}", (browser.text("#about"), browser.text("#name")), (about, name))
    expect("no network", browser.run("return performance.getEntriesByType('resource').length"), 0)


def main():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(f"{folder}/profile")
        try:
            check(browser, pathlib.Path(folder))
            expect("the console is empty", browser.call("/se/log", type="browser"), [])
        finally:
            browser.call("", "DELETE")
            browser.process.terminate()


if __name__ == "__main__":
    main()
