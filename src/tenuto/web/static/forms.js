// Menus close by Escape, by a click elsewhere, and when the focus leaves them: an open one would hide what has it.
export function closers() {
  const open = () => document.querySelectorAll("details[data-close][open]");
  const leave = (/** @type {Event} */ event) => {
    for (const one of open()) if (!one.contains(/** @type {Node} */ (event.target))) one.removeAttribute("open");
  };
  document.addEventListener("click", leave);
  document.addEventListener("focusin", leave);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const one of open()) {
      one.removeAttribute("open");
      one.querySelector("summary")?.focus();
    }
  });
}
