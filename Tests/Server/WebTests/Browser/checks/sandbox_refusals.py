"""The sandbox's page when something is refused: it says which check failed, and nothing moves or stays that must not."""

from checks import equal
from checks.sandbox_page import (
    SMALLEST, WIDE, new_pin, no_passport_required_at_end, opened, signed_in, unlocked_at_end)

WRONG = "00000000"


def failed_checks(app):
    """The checks of the newest action that failed: subject and text."""
    app.until(lambda: app.all("#actions .action:first-child .verdict.bad"), "a check that failed")
    return app.script(
        """
        const failed = [...document.querySelectorAll("#actions .action:first-child .finding")]
          .filter((finding) => finding.querySelector(".verdict.bad"));
        return failed.map((finding) => [finding.children[0].textContent, finding.children[1].textContent]);
        """)


def expect_failed_check(app, code, words):
    [(subject, text)] = failed_checks(app)
    equal(subject, f"code {code}", "the subject of the check that failed")
    assert words in text, f"{words!r} is not in {text!r}"


def check_failed_code(scene):
    """a wrong code, a locked cardholder and a missing passport are shown as the check that failed, below the good ones"""
    for way, wrong in (("code", "authCode is wrong"), ("token", "it is wrong")):
        with signed_in(scene, "bob", way) as app, unlocked_at_end(scene, "bob"):
            app.fill("code", WRONG)
            for _ in range(3):
                app.ask_in_vain("This code is not right")
                expect_failed_check(app, 203, wrong)
            assert app.all("#actions .action:first-child .verdict.good"), "the checks that succeeded are missing"
            app.ask_in_vain("You are locked")
            expect_failed_check(app, 307, "too many wrong authentication codes")
    with signed_in(scene, "bob") as app, no_passport_required_at_end(app):
        with app.held():
            pass
        app.find("seen").click()
        app.until_message("Thank you")  # which ends a pass from another check
        app.go("passport")
        app.find("required").click()
        app.until_message("you must show your passport first")
        app.go("my-pin")
        app.ask_in_vain("wants to see your passport first")
        expect_failed_check(app, 302, "the bank requires a pass")


def check_failed_rule(scene):
    """a PIN that is too easy to guess, which no signature explains, is shown as the check that failed"""
    with signed_in(scene, "carol") as app:
        app.go("new-pin")
        app.type_pin("1234")
        app.until_message("too easy to guess")
        expect_failed_check(app, 131, "the bank does not allow this PIN")


def check_used_twice(scene):
    """a hashMac that is used twice is shown as the check that failed, and explained where the bank makes it"""
    with signed_in(scene, "carol") as app:
        app.script(
            """
            const fetchOnce = fetch;
            window.fetch = async (url, options) => {
              if (String(url).endsWith("/captcha")) window.again = () => fetchOnce(url, options);
              return fetchOnce(url, options);
            };
            """)
        with app.held():
            pass
        made = app.all("#actions .step")[0].text
        assert "a second hashMac in the same second is the same, and refused (205)" in made, made
        app.script("again()")
        expect_failed_check(app, 205, "hashMac was already used")


def check_no_cached_pin(scene):
    """after a fetch, another code in the field hides the PIN, and the next look is a fetch with that code"""
    with signed_in(scene, "bob") as app, unlocked_at_end(scene, "bob"):
        with app.held():
            pass
        app.fill("code", WRONG)
        equal(app.find("remaining").text, "", "what is said about the PIN")
        app.ask_in_vain("This code is not right")
        equal(app.is_shown(), False, "whether the PIN is on the screen")
        app.fill("code", scene.code_of("bob"))
        with app.held():
            equal(len(app.actions()), 3, "fetches")


def check_no_late_pin(scene):
    """a PIN that arrives after the code was changed is not shown for the other code"""
    with signed_in(scene, "bob") as app, unlocked_at_end(scene, "bob"):
        app.wait_for_new_second()
        app.script(
            """
            document.getElementById("hold").click();
            const code = document.getElementById("code");
            code.value = arguments[0];
            code.dispatchEvent(new Event("input", { bubbles: true }));
            """, WRONG)
        app.until(lambda: len(app.steps()) == 3, "the PIN arrives")
        app.note_second()
        equal(app.is_shown(), False, "whether the PIN is on the screen")
        app.ask_in_vain("This code is not right")
        equal(app.is_shown(), False, "whether the PIN is on the screen")


def check_third_code(scene):
    """the third wrong code says that it has locked the cardholder, and offers the bank's unlock"""
    for way in ("code", "token"):
        with signed_in(scene, "bob", way) as app, unlocked_at_end(scene, "bob"):
            app.fill("code", WRONG)
            for _ in range(2):
                app.ask_in_vain("This code is not right")
                assert "locked you" not in app.message, f"it says {app.message!r} too early"
            app.ask_in_vain("This code is not right")
            app.until_message("It has locked you")
            app.find("unlock").click()
            app.until_message("You are unlocked")


def check_still_button(scene):
    """the button that is held stays where it is: whatever is fetched, refused or said, in wide and narrow windows"""
    for size in (WIDE, SMALLEST):
        with opened(scene) as app, unlocked_at_end(scene, "bob"):
            app.look(*size, motion="reduce")
            app.sign_in("bob", "code")
            for accessibility in ("", "calm", "text"):
                if accessibility:
                    app.set_accessibility(accessibility)
                app.go("my-pin")
                app.script("scrollTo(0, 0)")
                place = app.middle("hold")
                for style in ("standard", "strong", "calm"):
                    app.script("document.getElementById('style').value = arguments[0]", style)
                    with app.held():
                        equal(app.middle("hold"), place, f"the middle of the button with the PIN, {style}, {size}")
                    equal(app.middle("hold"), place, f"the middle of the button after the PIN, {style}, {size}")
                    app.find("seen").click()
                    app.until_message("Thank you")
                    app.script("scrollTo(0, 0)")  # to answer, one may have to scroll
                    equal(app.middle("hold"), place, f"the middle of the button after the answer, {style}, {size}")
            app.set_accessibility("")
            app.go("my-pin")
            app.fill("code", WRONG)
            app.script("scrollTo(0, 0)")
            place = app.middle("hold")
            for message in 3 * ["This code is not right"] + ["You are locked"]:
                app.ask_in_vain(message)
                equal(app.middle("hold"), place, f"the middle of the button after {message!r}, {size}")


def check_whole_pin(scene):
    """a PIN of six digits is whole in its frame, as an image of each style and as text, in wide and narrow windows"""
    for size in (WIDE, SMALLEST):
        with signed_in(scene, "carol") as app:
            app.look(*size)
            app.go("new-pin")
            app.type_pin(new_pin())
            app.until_message("Your new PIN is set")
            for accessibility in ("calm", "text"):
                app.set_accessibility(accessibility)
                app.go("my-pin")
                with app.held():
                    sizes = app.script(
                        "const frame = document.getElementById('frame'); return [frame.scrollHeight, frame.clientHeight]")
                    assert sizes[0] <= sizes[1], f"{sizes[0] - sizes[1]} pixels are outside of the frame: {accessibility}, {size}"
            app.set_accessibility("")


def check_long_words(scene):
    """also if the bank's words for the cardholder are long"""
    words = "Your new card is on its way. " * 8
    body = b'{"freeField":"%s"}' % words.strip().encode()
    before = b'{"freeField":"Welcome to the sandbox, bob"}'
    media_type = "application/merge-patch+json"
    scene.bank.call("PATCH", "cardholders/bob", body, media_type)
    try:
        with signed_in(scene, "bob") as app:
            place = app.middle("hold")
            with app.held():
                equal(app.find("words").text, words.strip(), "the bank's words")
                equal(app.middle("hold"), place, "the middle of the button")
    finally:
        scene.bank.call("PATCH", "cardholders/bob", before, media_type)


def check_whole_names(scene):
    """the names of members stay in one line, such as activeAuthentication"""
    for size in (WIDE, SMALLEST):
        with signed_in(scene, "carol") as app:
            app.look(*size)
            with app.held():
                pass
            app.go("passport")
            app.find("read").click()
            app.until_message("Your passport is genuine")
            for details in app.all("#actions > details:not([open]) > summary"):
                app.script("arguments[0].parentNode.open = true", details)
            names = app.script(
                """
                const names = [...document.querySelectorAll(".member dt code, .finding > code")];
                const isWhole = (name) => new Set([...name.getClientRects()].map(({ top }) => top)).size === 1;
                const broken = names.filter((name) => !isWhole(name));
                return [names, broken].map((some) => some.map((name) => name.textContent));
                """)
            assert "activeAuthentication" in names[0], "there is no activeAuthentication"
            equal(names[1], [], f"names in more than one line, {size}")


def check_note(scene):
    """a passport that passes has no errors: that there is no revocation list is a note"""
    with signed_in(scene, "carol") as app:
        app.go("passport")
        app.find("read").click()
        app.until_message("Your passport is genuine")
        assert "Note: there is no revocation list" in app.message, f"the message is {app.message!r}"
        reading = app.script(
            """
            const rows = [...document.querySelectorAll("#actions .action:first-child .member")];
            const cells = rows.map((row) => [row.querySelector("dt").textContent, row.querySelector("dd").textContent]);
            return Object.fromEntries(cells);
            """)
        equal(reading["errors"], "[]", "errors")
        assert "no revocation list" in reading["notes"], f"notes are {reading['notes']!r}"
        app.choose("chip", "forged")
        app.find("read").click()
        app.until_message("No trusted state has signed the files")
        assert "Note: " not in app.message, f"the message is {app.message!r}"
