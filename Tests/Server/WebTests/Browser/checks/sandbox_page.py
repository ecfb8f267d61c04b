"""The sandbox's page, as a cardholder uses it."""

import contextlib
import importlib.resources
import itertools
import time
from urllib.parse import urlsplit

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from bank_app import BankApp
from checks import equal

WIDE, SMALLEST = (1280, 860), (320, 640)
SCREENS = ("my-pin", "new-pin", "passport", "terminal", "settings")
numbers = itertools.count()


@contextlib.contextmanager
def opened(scene, **look):
    """The page. At the end every cardholder is as before, and the browser's console has no complaint."""
    app = BankApp(scene.page.driver, f"{scene.bank.url}/sandbox/")
    scene.page.complaints()
    with scene.page.left():
        app.look(*WIDE, **look)
        try:
            app.open()
            yield app
            equal(scene.page.complaints(), [], "complaints in the console")
        finally:
            app.usual_look()


@contextlib.contextmanager
def signed_in(scene, name="alice", way="code", **look):
    with opened(scene, **look) as app:
        app.sign_in(name, way)
        yield app


def new_pin():
    """Six digits that no rule refuses, different each time."""
    return f"{829_517 + 1_013 * next(numbers)}"


def expect_covered(app):
    equal(app.is_shown(), False, "whether the PIN is on the screen")
    equal(app.find("covered").is_displayed(), True, "whether it is covered")


def check_first_pin(scene):
    """two presses show a PIN: sign in, and hold"""
    with opened(scene) as app:
        equal(app.find("enter").text, "Sign in as alice", "the first button")
        app.find("enter").click()
        app.name = "alice"
        equal(app.focused, "hold", "what has the focus")
        with app.held():
            [image] = app.all("#frame img")
            equal(app.script("return [arguments[0].naturalWidth, arguments[0].width]", image), [240, 240], "widths")
            equal(app.find("words").text, "Welcome to the sandbox, alice", "the bank's words")
        expect_covered(app)


def check_confirmation(scene):
    """after the cardholder has said yes, the server has recorded the delivery; after no, that it failed"""
    for way, button, event in (
        ("code", "seen", "pin.delivered"), ("code", "not-seen", "pin.delivery-failed"),
        ("token", "seen", "pin.delivered"), ("token", "not-seen", "pin.delivery-failed"),
    ):
        with signed_in(scene, "bob", way) as app:
            scene.events(event, "bob")
            equal(app.find("question").is_displayed(), False, "whether it asks before the PIN was shown")
            with app.held():
                pass
            app.find(button).click()
            app.until_message("Thank you" if button == "seen" else "you have not seen it")
            equal(len(scene.events(event, "bob")), 1, f"{event} events by {way}")
            equal(app.find("question").is_displayed(), False, "whether it asks again")


def check_lost_answer(scene):
    """an answer that does not reach the server can be given again"""
    with signed_in(scene, "bob") as app:
        scene.events("pin.delivered", "bob")
        with app.held():
            pass
        with app.offline():
            app.find("seen").click()
            app.until_message("cannot be reached")
        app.find("seen").click()
        app.until_message("Thank you")
        equal(len(scene.events("pin.delivered", "bob")), 1, "pin.delivered events")
        scene.page.complaints()  # about the server that could not be reached


def check_reminder(scene):
    """after a confirmed delivery, the bank's token is one for a reminder"""
    with signed_in(scene, "bob", "token") as app:
        types = []
        for button in ("not-seen", "seen", "seen"):
            with app.held():
                types.append(app.sent("/sandbox/bank/token")["type"])
            app.find(button).click()
            app.until(lambda: app.message, "a message")
        equal(types, ["00", "00", "01"], "the types")


def check_hold_again(scene):
    """within ten seconds the same PIN can be shown again, without another request"""
    with signed_in(scene) as app:
        with app.held():
            pass
        with app.held():
            equal(len(app.actions()), 1, "actions")
        expect_covered(app)


def check_ten_seconds(scene):
    """after ten seconds the PIN is hidden, though the button is held, and its image is gone"""
    with signed_in(scene) as app:
        with app.held():
            url = app.all("#frame img")[0].get_attribute("src")
            assert url.startswith("blob:"), "the image has no address of its own"
            equal(loads(app, url), True, "whether the image is there")
            app.advance_clock(9.9)
            app.until(lambda: app.find("remaining").text == "It hides in 1 s.", "the page has seen the time")
            equal(app.is_shown(), True, "whether the PIN is shown")
            app.advance_clock(0.1)
            app.until(lambda: not app.is_shown(), "the PIN hides")
        expect_covered(app)
        equal(loads(app, url), False, "whether the image is still there")
        scene.page.complaints()  # about the image that is gone


def loads(app, url):
    return app.driver.execute_async_script(
        """
        const [url, done] = arguments;
        const image = new Image();
        image.onload = () => done(true);
        image.onerror = () => done(false);
        image.src = url;
        """, url)


def check_wiped(scene):
    """an answer, another screen, signing out and a hidden page wipe the PIN at once"""
    hide = """
        Object.defineProperty(document, "hidden", { configurable: true, get: () => true });
        document.dispatchEvent(new Event("visibilitychange"));
        delete document.hidden;
    """
    ways = {
        "an answer": lambda app: app.find("seen").click(),
        "another screen": lambda app: app.go("settings"),
        "signing out": lambda app: app.find("sign-out").click(),
        "a hidden page": lambda app: app.script(hide),
        "printing": lambda app: app.script("dispatchEvent(new Event('beforeprint'))"),
    }
    for what, leave in ways.items():
        with signed_in(scene) as app:
            with app.held():
                url = app.all("#frame img")[0].get_attribute("src")
            leave(app)
            equal(loads(app, url), False, f"whether the image is still there after {what}")
            expect_no_pin(app)
            app.until(lambda: not app.all("#frame img"), "the image goes")
            scene.page.complaints()


def expect_no_pin(app):
    equal(app.is_shown(), False, "whether the PIN is on the page")


def check_not_copied(scene):
    """the PIN cannot be selected, copied, dragged, or saved from a context menu"""
    with signed_in(scene) as app, app.held():
        equal(app.script(
            """
            const image = document.querySelector("#frame img");
            const fires = (name) => image.dispatchEvent(new Event(name, { bubbles: true, cancelable: true }));
            return {
                refused: ["contextmenu", "dragstart", "selectstart", "copy"].filter((name) => !fires(name)),
                select: getComputedStyle(image).userSelect, draggable: image.draggable,
                pointer: getComputedStyle(image).pointerEvents,
            };
            """),
            {"refused": ["contextmenu", "dragstart", "selectstart", "copy"], "select": "none", "draggable": False,
             "pointer": "none"}, "the image")


def check_let_go_elsewhere(scene):
    """letting the mouse go beside the button hides the PIN too"""
    with signed_in(scene, "carol") as app:
        app.wait_for_new_second()
        app.mouse("mousePressed", "hold")
        app.until_shown()
        app.mouse("mouseMoved", "wire-title")
        equal(app.is_shown(), True, "whether the PIN is shown while the button is held")
        app.mouse("mouseReleased", "wire-title")
        expect_covered(app)


def check_finger(scene):
    """a finger that holds the button shows the PIN until it is lifted"""
    with signed_in(scene) as app:
        with app.touched():
            pass
        app.until(lambda: not app.is_shown(), "the PIN hides")
        expect_covered(app)


def check_keys(scene):
    """the space bar and Enter show the PIN as long as they are held"""
    for key in (Keys.SPACE, Keys.ENTER):
        with signed_in(scene) as app:
            app.wait_for_new_second()
            ActionChains(app.driver).key_down(key).perform()
            app.until_shown()
            ActionChains(app.driver).key_up(key).perform()
            expect_covered(app)


def check_screen_reader(scene):
    """a screen reader, which can only click, shows the PIN and hides it again"""
    with signed_in(scene, "carol") as app:
        app.wait_for_new_second()
        app.script("arguments[0].click()", app.find("hold"))
        app.until_shown()
        app.script("arguments[0].click()", app.find("hold"))
        expect_covered(app)


def check_one_press(scene):
    """with the setting for one press, nothing has to be held"""
    with signed_in(scene, "carol") as app:
        app.go("settings")
        app.find("tap").click()
        app.go("my-pin")
        equal(app.find("hold").text, "See my PIN", "the button")
        app.wait_for_new_second()
        app.find("hold").click()
        app.until_shown()
        equal(app.find("hold").text, "Hide my PIN", "the button")
        app.find("hold").click()
        expect_covered(app)


def check_short_press(scene):
    """a short press fetches the PIN, and says that the button must be held"""
    with signed_in(scene, "carol") as app:
        app.wait_for_new_second()
        app.find("hold").click()
        app.until(lambda: "Hold the button" in app.find("remaining").text, "the words")
        app.note_second()
        expect_covered(app)


def check_wrong_code(scene):
    """wrong codes lead to a message, then to the lock, and the bank unlocks"""
    with signed_in(scene, "bob") as app, unlocked_at_end(scene, "bob"):
        app.fill("code", "")
        app.ask_in_vain("Your code is missing")
        app.fill("code", "1111")
        for _ in range(3):
            app.ask_in_vain("This code is not right")
            equal(app.find("code").get_attribute("aria-invalid"), "true", "aria-invalid")
        app.ask_in_vain("You are locked")
        app.find("unlock").click()
        app.until_message("You are unlocked")
        app.fill("code", scene.code_of("bob"))
        with app.held():
            equal(app.find("code").get_attribute("aria-invalid"), "false", "aria-invalid")


@contextlib.contextmanager
def unlocked_at_end(scene, unique_id):
    """Also if the check fails: other checks need this cardholder."""
    try:
        yield
    finally:
        media_type = "application/merge-patch+json"
        scene.bank.call("PATCH", f"cardholders/{unique_id}", b'{"authenticationFailures":0}', media_type)


def check_old_signature(scene):
    """an HMAC or a token that is ten minutes old is refused, for a fetch and for a definition"""
    for way in ("code", "token"):
        with signed_in(scene, "bob", way) as app:
            app.go("settings")
            app.find("old").click()
            app.go("my-pin")
            app.ask_in_vain("too old")
            app.until(lambda: app.all(".verdict.bad"), "a check that failed")
            app.go("new-pin")
            app.type_pin(new_pin())
            app.until_message("too old")


def check_passport(scene):
    """if the bank asks for a passport, it shows the PIN after a genuine one was read, and after no other"""
    with signed_in(scene, "bob") as app, no_passport_required_at_end(app):
        app.go("passport")
        app.find("required").click()
        app.until_message("you must show your passport first")
        app.go("my-pin")
        app.ask_in_vain("wants to see your passport first")
        app.go("passport")
        app.until(lambda: app.find("required").is_selected(), "what the bank asks for")
        for chip, reason in (
            ("clone", "did not prove that it is no copy"), ("forged", "No trusted state has signed the files"),
            ("stranger", "not the expected document"), ("expired", "has expired"),
        ):
            app.choose("chip", chip)
            app.find("read").click()
            app.until_message(reason)
        app.go("my-pin")
        app.ask_in_vain("wants to see your passport first")
        app.go("passport")
        app.choose("chip", "genuine")
        app.find("read").click()
        app.until_message("Your passport is genuine")
        said = [item.text for item in app.all("#said li")]
        equal((said[0], said[-1]), ("sent START", "received CLOSE"), "what was said")
        app.go("my-pin")
        with app.held():
            pass
        app.find("seen").click()
        app.until_message("Thank you")
        app.ask_in_vain("wants to see your passport first")


@contextlib.contextmanager
def no_passport_required_at_end(app):
    """Also if the check fails: other checks ask for PINs."""
    try:
        yield
    finally:
        status = app.driver.execute_async_script(
            """
            const done = arguments[0];
            const headers = { "Content-Type": "application/json" };
            fetch("/sandbox/bank/identity-requirement", { method: "POST", headers, body: '{"isRequired":false}' })
              .then((answer) => done(answer.status));
            """)
        equal(status, 200, "the status")


def check_define_typed(scene):
    """a PIN that is typed twice is set, by HMAC and by token"""
    for way, path in (("code", "/v1/pin-definition/pin"), ("token", "/v1/pin-definition/token/pin")):
        with signed_in(scene, "carol", way) as app:
            pin = new_pin()
            app.go("new-pin")
            app.type_pin(pin)
            app.until_message("Your new PIN is set")
            assert any(path in line for step in app.steps() for line in step), f"no request to {path}: {app.steps()}"
            equal(app.read_pin(), pin, "the PIN that is shown")


def check_define_on_keypad(scene):
    """a PIN that is entered twice on the scrambled keypad is set"""
    with signed_in(scene, "carol") as app:
        pin = new_pin()
        app.go("new-pin")
        app.choose("entry", "keypad")
        app.press_keys(pin)
        equal(app.find("step").text, "Enter the same PIN again.", "what to do")
        app.press_keys(pin)
        app.until_message("Your new PIN is set")
        equal(app.all("#keys button"), [], "the keys")
        equal(app.read_pin(), pin, "the PIN that is shown")


def check_scrambled(scene):
    """each keypad has its digits at other places"""
    with signed_in(scene, "carol") as app:
        app.go("new-pin")
        keypads = []
        for _ in range(3):
            app.choose("entry", "keypad")
            app.until(lambda: len(app.all("#keys button")) == 10, "ten keys")
            keypads.append([key.text for key in app.all("#keys button")])
            equal(sorted(keypads[-1]), list("0123456789"), "the keys")
            app.choose("entry", "typed")
        assert not keypads[0] == keypads[1] == keypads[2], f"three times the same keypad: {keypads[0]}"


def check_weak_pin(scene):
    """a PIN that is easy to guess is refused, typed or on the keypad, and another one can be entered"""
    with signed_in(scene, "carol") as app:
        app.go("new-pin")
        app.type_pin("1234")
        app.until_message("too easy to guess")
        equal(app.focused, "first", "what has the focus")
        app.choose("entry", "keypad")
        app.press_keys("0000")
        app.press_keys("0000")
        app.until_message("too easy to guess")
        pin = new_pin()
        app.press_keys(pin)
        app.press_keys(pin)
        app.until_message("Your new PIN is set")


def check_mistyped(scene):
    """two different PINs, and PINs that are too short or not digits, are not sent"""
    with signed_in(scene, "carol") as app:
        app.go("new-pin")
        for first, second, message in (
            ("8295", "8296", "not the same"), ("829", "829", "4 to 6 digits"), ("82a5", "82a5", "4 to 6 digits"),
        ):
            app.type_pin(first, second)
            app.until_message(message)
            equal([app.find(id).get_attribute("value") for id in ("first", "second")], ["", ""], "what is left")
        app.choose("entry", "keypad")
        app.press_keys("829")
        app.until_message("4 to 6 digits")
        app.find("delete").click()
        equal(app.find("dots").text, "●●○○", "the dots")
        app.press_keys("95")
        app.press_keys("8296")
        app.until_message("not the same")
        equal(app.actions(), ["1. carol gets a keypad"], "actions")


def check_terminal(scene):
    """a PIN that was chosen is accepted at the terminal when the page says that it works, and another one is not"""
    with signed_in(scene, "bob") as app:
        equal(app.find("effect").text, "", "the line about a PIN that nobody has chosen")
        app.script(
            """
            const effect = document.getElementById("effect");
            window.effects = [];
            new MutationObserver(() => effects.push(effect.textContent)).observe(effect, { childList: true });
            """)
        pin = new_pin()
        app.go("new-pin")
        app.type_pin(pin)
        app.until_message("Your new PIN is set")
        app.until(lambda: app.find("effect").text == "Your new PIN works at terminals.", "the PIN works")
        before = app.script("return effects.filter((text) => text !== '').slice(0, -1)")
        assert before and all("does not work at terminals yet" in text for text in before), f"what was said before: {before}"
        app.go("terminal")
        app.enter_at_terminal("12", "A PIN has 4 to 12 digits")
        app.enter_at_terminal(pin, "Accepted")
        for name, expected in (("aria-invalid", "false"), ("value", "")):
            equal(app.find("entered").get_attribute(name), expected, f"{name} of the field")
        # One in ten thousand PINs has the same value, so that one of the two may.
        seen = [app.enter_at_terminal(other, "Card 999900") for other in ("2468", "8642")]
        assert any("Wrong PIN" in message for message in seen), f"wrong PINs are accepted: {seen}"
        assert pin not in app.find("wire").get_attribute("textContent"), "the PIN is among what went over the wire"
        app.find("sign-out").click()
        app.sign_in("bob", "code")
        app.until(lambda: app.find("effect").text == "Your new PIN works at terminals.", "the line after signing in")


def check_hints(scene):
    """the app asks for an image that fits the page and the display, in the style of the settings"""
    with signed_in(scene, "bob", theme="dark", scale=2) as app:
        app.go("settings")
        app.all('#style [value="calm"]')[0].click()
        assert "dark" in app.find("surroundings").text and "scale 2" in app.find("surroundings").text, "the settings"
        app.go("my-pin")
        with app.held():
            [image] = app.all("#frame img")
            equal(app.script("return arguments[0].naturalWidth", image), 960, "pixels of the image")
            width = image.get_dom_attribute("width")
        sent = app.sent("/v1/pin-distribution/captcha")
        equal({name: sent[name] for name in ("style", "theme", "scale")},
              {"style": "calm", "theme": "dark", "scale": "2"}, "hints")
        equal(width, "480", "the width on the page")


def check_calm(scene):
    """a cardholder whom the bank has marked gets a calm image"""
    with signed_in(scene, "bob") as app:
        app.set_accessibility("calm")
        app.go("my-pin")
        with app.held():
            equal(app.script("return document.querySelector('#frame img').naturalWidth"), 480, "pixels of the image")
        app.set_accessibility("")


def check_spoken(scene):
    """a cardholder who cannot see images gets digits, and hears them, also when they are hidden again"""
    with signed_in(scene, "carol") as app:
        app.script("window.spoken = []; speechSynthesis.speak = (words) => spoken.push(words.text)")
        app.set_accessibility("text")
        app.go("my-pin")
        with app.held():
            [pin] = [digits.text for digits in app.all("#frame .digits [aria-hidden]")]
            heard = app.all("#frame .digits .unseen")[0].text
            equal(heard, f"Your PIN is {' '.join(pin)}.", "what a screen reader says")
        app.find("speak").click()
        app.script("dispatchEvent(new Event('beforeprint'))")  # hides the PIN
        app.wait_for_new_second()
        app.find("speak").click()
        app.until(lambda: len(app.script("return spoken")) == 2, "the second time")
        app.note_second()
        equal(app.script("return spoken"), [", ".join(pin)] * 2, "what is spoken")
        app.set_accessibility("")


def check_wire(scene):
    """what went over the wire is there step by step, with the checks that the server made"""
    ways = {
        "code": ("hash-mac", "/v1/pin-distribution/captcha", "/v1/pin-distribution/notify"),
        "token": ("token", "/v1/pin-distribution/token/captcha", "/v1/pin-distribution/token/notify"),
    }
    for way, (bank, fetch, notify) in ways.items():
        with signed_in(scene, "alice", way) as app:
            with app.held():
                pass
            equal([step[:2] for step in app.steps()], [
                ["to the bank", f"POST /sandbox/bank/{bank}"], ["to Card Companion", f"POST {fetch}"],
                ["in the app", "Open what was encrypted"],
            ], "steps")
            app.until(lambda: app.all(".checks"), "the server's checks")
            assert app.all(".verdict.good") and not app.all(".verdict.bad"), "the checks do not all succeed"
            without_meaning = app.script(
                """
                const rows = [...document.querySelectorAll(".member")];
                return rows.filter((row) => !row.querySelector(".meaning").textContent).map((row) => row.textContent);
                """)
            equal(without_meaning, [], "members without a meaning")
            app.find("seen").click()
            app.until_message("Thank you")
            equal([step[:2] for step in app.steps()], [["to Card Companion", f"POST {notify}"]], "steps")


def check_wire_of_definitions(scene):
    """a definition shows how the PIN is encrypted, but no digit of it"""
    with signed_in(scene, "carol") as app:
        app.go("new-pin")
        pin = new_pin()
        app.type_pin(pin)
        app.until_message("Your new PIN is set")
        equal([step[1] for step in app.steps()], [
            "POST /sandbox/bank/transaction", "GET /.well-known/jwks.json", "Encrypt the PIN",
            "POST /sandbox/bank/hash-mac", "POST /v1/pin-definition/pin",
        ], "steps")
        wire = app.find("actions").get_attribute("textContent")
        assert "•" * 6 + "␠" * 10 in wire, "the plaintext is not shown"
        assert f'"sub": "carol"' in wire, "the header of the encrypted value is not shown"
        equal(app.read_pin(), pin, "the PIN")
        assert "6 digits, not shown here" in app.find("actions").get_attribute("textContent"), "the delivery"
        assert pin not in app.find("wire").get_attribute("textContent"), "the PIN is among what went over the wire"


def check_clear(scene):
    """what went over the wire can be cleared"""
    with signed_in(scene, "carol") as app:
        with app.held():
            pass
        app.find("clear").click()
        equal(app.actions(), [], "actions")
        equal(app.find("nothing").is_displayed(), True, "whether the page says that there is nothing")


def check_sign_out(scene):
    """after signing out, the next cardholder sees nothing of the one before"""
    with signed_in(scene, "alice") as app:
        with app.held():
            pass
        app.find("sign-out").click()
        app.sign_in("bob", "token")
        equal(app.find("name").text, "bob", "who is signed in")
        equal(app.find("code").get_attribute("value"), scene.code_of("bob"), "the code")
        equal(app.find("question").is_displayed(), False, "whether it asks about alice's PIN")
        expect_covered(app)
        with app.held():
            equal(app.find("words").text, "Welcome to the sandbox, bob", "the bank's words")


def check_sign_out_at_once(scene):
    """a PIN that arrives after signing out is shown to nobody"""
    with signed_in(scene, "alice") as app:
        app.wait_for_new_second()
        app.script(
            """
            for (const id of ["hold", "sign-out"]) document.getElementById(id).click();
            document.querySelector('[name="cardholder"][value="bob"]').click();
            document.getElementById("enter").click();
            """)
        app.until(lambda: len(app.steps()) == 3, "alice's PIN arrives")
        app.note_second()
        time.sleep(0.3)
        expect_covered(app)
        equal([app.find(id).text for id in ("words", "remaining")], ["", ""], "words under the PIN")


def check_nothing_left(scene):
    """another screen empties what was typed"""
    with signed_in(scene, "carol") as app:
        app.go("new-pin")
        app.fill("first", "8295")
        app.go("settings")
        equal(app.find("first").get_attribute("value"), "", "what is left")


def check_keyboard_only(scene):
    """everything can be done with the keyboard"""
    with opened(scene) as app:
        app.tab_to("enter")
        app.press(Keys.ENTER)
        app.until(lambda: app.focused == "hold", "the focus on the button")
        app.name = "alice"
        app.wait_for_new_second()
        ActionChains(app.driver).key_down(Keys.SPACE).perform()
        app.until_shown()
        ActionChains(app.driver).key_up(Keys.SPACE).perform()
        app.tab_to("seen")
        app.press(Keys.SPACE)
        app.until_message("Thank you")
        app.tab_to("New PIN")
        app.press(Keys.ENTER)
        app.tab_to("typed")
        app.press(Keys.ARROW_RIGHT)
        app.until(lambda: len(app.all("#keys button")) == 10, "ten keys")
        pin = new_pin()
        for _ in range(2):
            for digit in pin:
                app.tab_to(digit)
                app.press(Keys.SPACE)
            app.tab_to("continue")
            app.press(Keys.ENTER)
        app.until_message("Your new PIN is set")
        equal(app.focused, "hold", "what has the focus")
        app.tab_to("sign-out")
        app.press(Keys.ENTER)
        equal(app.focused, "enter", "what has the focus")


def check_accessibility_rules(scene):
    """axe-core finds nothing wrong on any screen, light or dark"""
    axe = (importlib.resources.files("axe_core_python") / "axe.min.js").read_text()
    for theme in ("light", "dark"):
        with opened(scene, theme=theme) as app:
            found = {"sign-in": app.violations(axe)}
            app.sign_in("alice", "code")
            with app.held():
                found["the PIN"] = app.violations(axe)
            for screen in SCREENS:
                app.go(screen)
                found[screen] = app.violations(axe)
            app.go("new-pin")
            app.type_pin("1234")
            app.until_message("too easy to guess")
            app.choose("entry", "keypad")
            app.press_keys("82")
            found["keypad"] = app.violations(axe)
            for details in app.all("#actions details:not([open]) > summary"):
                app.script("arguments[0].parentNode.open = true", details)
            found["wire"] = app.violations(axe)
            equal({screen: wrong for screen, wrong in found.items() if wrong}, {}, f"axe-core, {theme}")


def check_looks(scene):
    """every screen fits wide and narrow windows; pictures are in .build/screenshots"""
    folder = scene.root / ".build/screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    for theme, (name, size) in itertools.product(("light", "dark"), {"wide": WIDE, "narrow": SMALLEST}.items()):
        with opened(scene, theme=theme) as app:
            app.look(*size, theme=theme, motion="reduce")

            def picture(what):
                equal(app.overflow(), 0, f"pixels outside of the {name} window: {what}")
                app.driver.save_screenshot(str(folder / f"sandbox-{name}-{theme}-{what}.png"))

            picture("sign-in")
            app.sign_in("alice", "code")
            with app.held():
                picture("shown")
            for screen in SCREENS:
                app.go(screen)
                picture(screen)
            app.choose("accessibility", "")
            app.go("new-pin")
            app.choose("entry", "keypad")
            app.press_keys("82")
            picture("keypad")


def check_policy(scene):
    """the page's parts come from the server itself, with a strict policy, and nothing is stored in the browser"""
    with signed_in(scene, "alice") as app:
        with app.held():
            pass
        names = app.script("return performance.getEntriesByType('resource').map(({ name }) => name)")
        hosts = {urlsplit(name).netloc for name in names if not name.startswith(("blob:", "data:"))}
        equal(hosts, {urlsplit(scene.bank.url).netloc}, "the hosts that the page asks")
        equal(app.script("return [localStorage.length, sessionStorage.length, document.cookie]"), [0, 0, ""], "storage")
        equal(app.all("[style], style, script:not([src])"), [], "inline parts")
