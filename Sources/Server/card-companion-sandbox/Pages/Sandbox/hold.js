// A button that does something as long as it is held: with the mouse, a finger, the space bar or Enter.

/**
 * Calls `start` when somebody begins to hold the button, and `stop` when they let go, or when the button or the window
 * loses the focus. A screen reader cannot hold a button: it clicks, and that calls `press`. If `isTap()`, so does
 * everything else.
 */
export function onHold(button, { start, stop, press, isTap }) {
  let isHeld = false;

  const begin = () => {
    if (isHeld || isTap()) return;
    isHeld = true;
    button.classList.add("held");
    start();
  };
  const end = () => {
    if (!isHeld) return;
    isHeld = false;
    button.classList.remove("held");
    stop();
  };

  button.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    button.setPointerCapture(event.pointerId);  // so letting go elsewhere counts too
    begin();
  });
  for (const name of ["pointerup", "pointercancel", "lostpointercapture", "blur"]) button.addEventListener(name, end);
  window.addEventListener("blur", end);

  const isHoldKey = ({ key }) => !isTap() && (key === " " || key === "Enter");
  button.addEventListener("keydown", (event) => {
    if (!isHoldKey(event)) return;
    event.preventDefault();  // neither scrolls nor clicks
    if (!event.repeat) begin();
  });
  button.addEventListener("keyup", (event) => {
    if (!isHoldKey(event)) return;
    event.preventDefault();
    end();
  });

  // A click without a position comes from a screen reader, or from a key if nothing has to be held.
  button.addEventListener("click", ({ detail }) => {
    if (isTap() || detail === 0) press();
  });
  button.addEventListener("contextmenu", (event) => event.preventDefault());  // a long touch
}
