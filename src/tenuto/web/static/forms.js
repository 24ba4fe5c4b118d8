// Menus close by Escape and by a click elsewhere, and only one is open.
export function closers() {
  const open = () => document.querySelectorAll("details[data-close][open]");
  document.addEventListener("click", (event) => {
    for (const one of open()) if (!one.contains(/** @type {Node} */ (event.target))) one.removeAttribute("open");
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const one of open()) {
      one.removeAttribute("open");
      one.querySelector("summary")?.focus();
    }
  });
}
