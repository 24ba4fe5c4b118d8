// A page that answers a form takes the address of the page that it stands for. By its own, "back" and "load again" would
// send the form once more, and its parts could not be asked for.
export function settle() {
  const path = document.getElementById("main")?.dataset.standsFor;
  const here = new URL(path || location.href, location.href);
  // The note is of this answer alone: a page that is loaded again has none.
  if (here.searchParams.has("done")) here.searchParams.delete("done");
  if (here.href !== location.href) history.replaceState(null, "", here.href);
}

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
