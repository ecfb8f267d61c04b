"""A page in a headless Chromium, and calls of its functions."""

import contextlib
import os
import shutil

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service

from origin import OTHER_MACHINE

# --no-sandbox: Chromium's sandbox does not start as root or in most containers, and this Chromium only opens our own
# pages. --disable-dev-shm-usage: in containers /dev/shm has 64 MiB.
SWITCHES = (
    "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-sync",
    "--proxy-server=direct://", f"--host-resolver-rules=MAP {OTHER_MACHINE} 127.0.0.1",
)


class ChromiumFailed(Exception):
    pass


class Page:
    def __init__(self, driver):
        self.driver = driver

    def run(self, function, *arguments):
        """Calls a function of page.js, and returns what it returns."""
        answer = self.driver.execute_async_script(
            """
            const [name, given, done] = arguments;
            Promise.resolve().then(() => window.page[name](...given))
                .then((value) => done({ value: value ?? null }))
                .catch((error) => done({ error: `${error}\\n${error.stack}` }));
            """,
            function, arguments)
        if "error" in answer:
            raise RuntimeError(f"{function} failed in the page: {answer['error']}")
        return answer["value"]

    def call(self, operation, parameters, host_url, session="shared"):
        """Calls an operation of the client, and returns its response."""
        return self.run("call", operation, parameters, host_url, session)

    def reload(self):
        self.driver.refresh()
        self.wait()

    @contextlib.contextmanager
    def elsewhere(self, url):
        """Loads a page from another address, and then the first one again."""
        with self.left():
            self.driver.get(url)
            self.wait()
            yield

    @contextlib.contextmanager
    def left(self):
        """Comes back to this page at the end, wherever the driver goes meanwhile."""
        here = self.driver.current_url
        try:
            yield
        finally:
            self.driver.get(here)
            self.wait()

    def wait(self):
        """Waits until the page's modules are there."""
        self.driver.execute_async_script(
            """
            const done = arguments[0];
            const look = () => (window.page ? done() : setTimeout(look, 20));
            look();
            """)

    def complaints(self):
        """What the browser's console says is wrong."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]


@contextlib.contextmanager
def chromium_page(url, folder, script_seconds):
    programs = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
    missing = [name for name, path in programs.items() if path is None]
    if missing:
        raise ChromiumFailed(
            f"{' and '.join(missing)} not found on the PATH. Install Debian's packages chromium and chromium-driver: "
            "deploy/install-packages test")
    options = webdriver.ChromeOptions()
    options.binary_location = programs["chromium"]
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for switch in (*SWITCHES, f"--user-data-dir={folder}/chromium"):
        options.add_argument(switch)
    os.environ["HOME"] = folder  # Chromium writes there, and a test may run without one
    try:
        driver = webdriver.Chrome(options=options, service=Service(executable_path=programs["chromedriver"]))
    except WebDriverException as failure:
        raise ChromiumFailed(f"Chromium did not start: {failure.msg}") from failure
    try:
        driver.set_page_load_timeout(script_seconds)
        driver.set_script_timeout(script_seconds)
        driver.get(url)
        page = Page(driver)
        page.wait()
        yield page
    except WebDriverException as failure:
        raise ChromiumFailed(f"{url} did not load in Chromium: {failure.msg}\n{log_of(driver)}") from failure
    finally:
        driver.quit()


def log_of(driver):
    with contextlib.suppress(WebDriverException):
        return "\n".join(entry["message"] for entry in driver.get_log("browser"))
    return ""
