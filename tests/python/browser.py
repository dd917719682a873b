"""Headless Chromium, driven by its protocol over a pipe: pages opened, clicked, read back, drawn into files."""
import base64
import json
import os
import shutil
import subprocess
from pathlib import Path

QUIET = ("data:", "blob:", "about:")
KEYS = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Enter": 13, "Escape": 27, "Tab": 9}


class Browser:
    """One page at a time. `errors`: what the console and scripts complained of; `requests`: what was asked of a network."""

    def __init__(self, folder):
        self.folder = Path(folder)
        program = shutil.which("chromium-headless-shell")
        assert program, "Debian: apt install chromium-headless-shell"
        (command, self.send_end), (self.receive_end, answer) = os.pipe(), os.pipe()

        def places():  # the protocol is spoken over the descriptors 3 and 4
            spare = [os.dup2(end, 100 + k) for k, end in enumerate((command, answer))]
            for k, end in enumerate(spare):
                os.dup2(end, 3 + k)

        self.process = subprocess.Popen([program, "--no-sandbox", "--remote-debugging-pipe", "--use-angle=swiftshader",
                                         "--enable-unsafe-swiftshader", "--hide-scrollbars", f"--user-data-dir={folder}/profile"],
                                        preexec_fn=places, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(command), os.close(answer)
        self.left, self.last, self.session = b"", 0, None
        self.errors, self.requests = [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.send_end), os.close(self.receive_end)

    def receive(self):
        while b"\0" not in self.left:
            more = os.read(self.receive_end, 1 << 20)
            assert more, "the browser has ended"
            self.left += more
        text, self.left = self.left.split(b"\0", 1)
        message = json.loads(text)
        self.hear(message.get("method"), message.get("params", {}))
        return message

    def hear(self, event, told):
        if event == "Runtime.exceptionThrown":
            details = told["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif event == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(one.get("value", one.get("description"))) for one in told["args"]))
        elif event == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.errors.append(told["entry"]["text"])
        elif event == "Network.requestWillBeSent" and not told["request"]["url"].startswith(QUIET):
            self.requests.append(told["request"]["url"])

    def call(self, method, **params):
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.send_end, data):]
        while (answer := self.receive()).get("id") != message["id"]:
            pass
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def open(self, path, width=1280, height=800, dark=False):
        """Opens a file when it has loaded. No request but that of the file itself is left in `requests`."""
        self.errors, self.requests = [], []
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        url = Path(path).resolve().as_uri()
        self.call("Page.navigate", url=url)
        while self.receive().get("method") != "Page.loadEventFired":
            pass
        self.requests = [one for one in self.requests if one != url]

    def eval(self, script):
        """The value of an expression, awaited."""
        done = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"].get("exception", {}).get("description")
        return done["result"].get("value")

    def wait(self, script, times=600):
        """Until an expression is true: asked before each of so many frames of the page."""
        seen = f"new Promise((done) => {{ let left = {times}; const ask = () => (({script}) || !left--) " \
               f"? done(Boolean({script})) : setTimeout(ask, 50); ask(); }})"
        assert self.eval(seen), f"never true: {script}"

    def text(self, selector):
        return self.eval(f"document.querySelector({json.dumps(selector)}).textContent")

    def box(self, selector):
        """Left, top, width, height of an element in the window, into which it is scrolled."""
        return self.eval(f"""(() => {{ const element = document.querySelector({json.dumps(selector)});
            element.scrollIntoView({{block: "nearest", inline: "nearest"}});
            const box = element.getBoundingClientRect(); return [box.left, box.top, box.width, box.height]; }})()""")

    def mouse(self, kind, x, y, button="none", **more):
        """kind: mousePressed, mouseReleased, mouseMoved or mouseWheel (deltaX, deltaY), at pixels of the window."""
        held = {"left": 1, "none": 0}[button] if kind != "mouseReleased" else 0
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=held, clickCount=int(button != "none"), **more)

    def click(self, selector, across=0.5, down=0.5):
        left, top, width, height = self.box(selector)
        x, y = left + across * width, top + down * height
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, "left")
        self.mouse("mouseReleased", x, y, "left")

    def drag(self, selector, start, end, steps=5):
        """From one place of an element to another, each a pair of parts of its width and height."""
        left, top, width, height = self.box(selector)
        places = [(left + width * (start[0] + (end[0] - start[0]) * k / steps), top + height * (start[1] + (end[1] - start[1]) * k / steps))
                  for k in range(steps + 1)]
        self.mouse("mouseMoved", *places[0])
        self.mouse("mousePressed", *places[0], "left")
        for place in places[1:]:
            self.mouse("mouseMoved", *place, "left")
        self.mouse("mouseReleased", *places[-1], "left")

    def key(self, name):
        for kind in ("keyDown", "keyUp"):
            text = name if len(name) == 1 and kind == "keyDown" else ""
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, text=text, windowsVirtualKeyCode=KEYS.get(name, 0))

    def screenshot(self, path):
        shown = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=False)
        Path(path).write_bytes(base64.b64decode(shown["data"]))
