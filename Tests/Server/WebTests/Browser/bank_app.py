"""The sandbox's page in Chromium, as a cardholder uses it: with the mouse, a finger or the keyboard."""

import contextlib
import time

from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

WAIT_SECONDS = 90
TAB_LIMIT = 80


class BankApp:
    last_seconds = {}  # when each cardholder has used a hashMac

    def __init__(self, driver, url):
        self.driver, self.url = driver, url
        self.name = None

    def open(self):
        self.driver.get(self.url)
        self.until(lambda: self.find("enter").is_enabled(), "the cardholders are there")
        self.stop_clock()

    def stop_clock(self):
        """On a busy machine, a look at the page can take longer than the page shows a PIN."""
        self.script("const now = performance.now(); performance.now = () => now")

    def advance_clock(self, seconds):
        self.script("const then = performance.now() + 1000 * arguments[0]; performance.now = () => then", seconds)

    # What is on the page.

    def find(self, id):
        return self.driver.find_element(By.ID, id)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def script(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    @property
    def message(self):
        return "\n".join(place.text for place in self.all(".message")).strip()

    @property
    def focused(self):
        return self.driver.switch_to.active_element.get_attribute("id")

    def is_shown(self):
        """Whether the PIN is on the screen."""
        return bool(self.all("#frame img, #frame .digits"))

    def actions(self):
        """The headings of what went over the wire, the newest first."""
        return [heading.text for heading in self.all("#actions h3")]

    def steps(self):
        """The headings of the newest action's steps: who is asked, for what, and how it ended."""
        return [step.text.splitlines() for step in self.all("#actions .action:first-child h4")]

    def sent(self, path):
        """The members of the newest request to a path."""
        return self.script(
            """
            const steps = [...document.querySelectorAll(".step")];
            const step = steps.find((step) => step.textContent.includes(arguments[0]));
            const rows = [...step.querySelector(".members").querySelectorAll(".member")];
            const value = (row) => row.querySelector("pre:last-child") ?? row.querySelector("dd");
            return Object.fromEntries(rows.map((row) => [row.querySelector("dt").textContent, value(row).textContent]));
            """, path)

    def until(self, holds, what, seconds=WAIT_SECONDS):
        deadline = time.monotonic() + seconds
        while True:
            with contextlib.suppress(NoSuchElementException, StaleElementReferenceException):
                if holds():
                    return
            assert time.monotonic() < deadline, f"{what}: not within {seconds} seconds. The message is {self.message!r}"
            time.sleep(0.1)  # each look is work for the browser and its driver

    def until_message(self, text):
        self.until(lambda: text in self.message, f"the message {text!r}")

    # What a cardholder does.

    def sign_in(self, name="alice", way="code"):
        self.name = name
        self.choose("cardholder", name)
        self.choose("way", way)
        self.find("enter").click()
        self.until(lambda: self.find("my-pin").is_displayed(), "the screen after signing in")

    def choose(self, group, value):
        self.all(f'[name="{group}"][value="{value}"]')[0].click()

    def go(self, screen):
        self.all(f'[data-screen="{screen}"]')[0].click()
        self.until(lambda: self.find(screen).is_displayed(), f"the screen {screen}")

    @contextlib.contextmanager
    def held(self, until_shown=True):
        """Holds the button with the mouse."""
        self.wait_for_new_second()
        ActionChains(self.driver).move_to_element(self.find("hold")).click_and_hold().perform()
        try:
            if until_shown:
                self.until_shown()
            yield
        finally:
            ActionChains(self.driver).release().perform()

    @contextlib.contextmanager
    def touched(self):
        """Holds the button with a finger."""
        self.wait_for_new_second()
        x, y = self.middle("hold")
        self.touch("touchStart", {"x": x, "y": y})
        try:
            self.until_shown()
            yield
        finally:
            self.touch("touchEnd")

    def middle(self, id):
        """The middle of an element in the window."""
        return self.script(
            """
            const { x, y, width, height } = document.getElementById(arguments[0]).getBoundingClientRect();
            return [x + width / 2, y + height / 2];
            """, id)

    def mouse(self, type, id):
        """What the mouse does with its left button at an element. Selenium's moves end a press on Chromium's button."""
        x, y = self.middle(id)
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {
            "type": type, "x": x, "y": y, "button": "left", "buttons": int(type != "mouseReleased"), "clickCount": 1})

    def touch(self, type, *points):
        self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": type, "touchPoints": points})

    def until_shown(self):
        self.until(self.is_shown, "the PIN")
        self.note_second()

    def wait_for_new_second(self):
        """A hashMac is good for one PIN, and the bank makes one in a second for a cardholder."""
        while time.time() < self.last_seconds.get(self.name, 0) + 1:
            time.sleep(0.02)

    def note_second(self):
        self.last_seconds[self.name] = int(time.time() + 0.3)

    def ask_in_vain(self, text):
        """Asks for the PIN, and gets a message."""
        self.script("for (const place of document.querySelectorAll('.message')) place.replaceChildren()")
        with self.held(until_shown=False):
            self.until_message(text)

    def fill(self, id, text):
        self.find(id).clear()
        self.find(id).send_keys(text)

    def type_pin(self, first, second=None):
        self.wait_for_new_second()
        self.fill("first", first)
        self.fill("second", first if second is None else second)
        self.find("second").submit()
        self.note_second()

    def press_keys(self, pin):
        """Enters a PIN on the keypad."""
        self.until(lambda: len(self.all("#keys button")) == 10, "ten keys")
        keys = {key.text: key for key in self.all("#keys button")}
        for digit in pin:
            keys[digit].click()
        self.find("continue").click()

    def enter_at_terminal(self, pin, text):
        """Enters a PIN at the terminal, and waits for this text. Returns the whole message."""
        self.script("for (const place of document.querySelectorAll('.message')) place.replaceChildren()")
        self.fill("entered", pin)
        self.find("entered").submit()
        self.until_message(text)
        return self.message

    def set_accessibility(self, value):
        self.go("settings")
        self.choose("accessibility", value)
        self.until_message("The bank knows it now")

    def read_pin(self):
        """The digits of the PIN, which the bank sends to cardholders who cannot see images."""
        self.set_accessibility("text")
        self.go("my-pin")
        with self.held():
            digits = self.all("#frame .digits [aria-hidden]")[0].text
        self.set_accessibility("")
        return digits

    # The keyboard.

    def press(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def tab_to(self, what):
        """Presses Tab until the element with this id, value or text has the focus."""
        for _ in range(TAB_LIMIT):
            element = self.driver.switch_to.active_element
            if what in (element.get_attribute("id"), element.get_attribute("value"), element.text):
                return
            self.press(Keys.TAB)
        raise AssertionError(f"Tab does not lead to {what}")

    # The window.

    def look(self, width, height, theme="light", scale=1, motion="no-preference"):
        """A window of this size in this theme."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": scale, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": theme}, {"name": "prefers-reduced-motion", "value": motion}]})

    @contextlib.contextmanager
    def offline(self):
        """A browser without a network."""
        conditions = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd("Network.emulateNetworkConditions", conditions | {"offline": True})
        try:
            yield
        finally:
            self.driver.execute_cdp_cmd("Network.emulateNetworkConditions", conditions | {"offline": False})
            self.driver.execute_cdp_cmd("Network.disable", {})

    def usual_look(self):
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def overflow(self):
        """How many pixels of the page are outside of the window, to the right."""
        return self.script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")

    def violations(self, axe):
        """What axe-core finds wrong."""
        self.script(axe)
        found = self.driver.execute_async_script("axe.run().then(arguments[0])")["violations"]
        return [f"{one['id']}: {one['help']}: {node['html'][:120]}" for one in found for node in one["nodes"]]
