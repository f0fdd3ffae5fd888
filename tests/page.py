#!/usr/bin/env python3
"""The page of `queens solutions N --format html` as a browser shows it.

    tests/page.py [PROGRAM [SCREENSHOTS]]

Drives headless Chromium through chromedriver's WebDriver protocol, on the loopback interface only. With a folder as
second argument it leaves screenshots there: light, dark, and as wide as a phone. Exits 77 where there is no browser.
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

    def shot(self, name, width, height):
        if SHOTS:
            # The window's frame differs between headless and not, so the page's own size is what is set.
            metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
            command = {"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics}
            self.call("POST", "/goog/cdp/execute", command)
            (SHOTS / f"{name}.png").write_bytes(base64.b64decode(self.call("GET", "/screenshot")))


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
    browser.shot("light", 1280, 860)
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
    browser.click("#fundamental")
    expect("twelve are fundamental", browser.text("#position"), "1 of 12")
    browser.type("body", END)
    expect("the last of these", browser.queens(), "36258174")
    browser.type("body", LEFT + LEFT)
    expect("the class of four", (browser.queens(), browser.text("#class")[:1]), ("35281746", "4"))
    browser.shot("phone", 390, 844)
    expect("nothing sticks out on a phone", browser.run("return document.documentElement.scrollWidth <= innerWidth"), True)
    browser.click("#theme")
    expect("there is a dark look", browser.run("return document.documentElement.dataset.theme"), "dark")
    browser.type("body", HOME)
    browser.shot("dark", 1280, 860)


def others(browser, folder):
    browser.open(make(folder, "limit.html", "12", "--limit", "7", "--skip", "3"))
    expect("a cut list says so", browser.text("#about"), "7 solutions, from number 4; there are more")
    expect("and counts from where it begins", browser.text("#position"), "4 of 10")
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
            walk(browser, folder)
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
