// Single keys. They can be switched off, and none of them is heard in a field.
const PLACES = { o: "/", p: "/processes", e: "/events" };

export function keys() {
  const box = /** @type {HTMLInputElement | null} */ (document.getElementById("keys-on"));
  const dialog = /** @type {HTMLDialogElement | null} */ (document.getElementById("keys"));
  if (box) {
    box.checked = localStorage.getItem("tenuto-keys") !== "off";
    box.addEventListener("change", () => localStorage.setItem("tenuto-keys", box.checked ? "on" : "off"));
  }
  let goes = 0;
  document.addEventListener("keydown", (event) => {
    const field = /** @type {HTMLElement} */ (event.target);
    if (field.matches("input, select, textarea")) {
      if (event.key === "Escape") field.blur();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || (box && !box.checked && event.key !== "?")) return;
    if (goes && Date.now() - goes < 1200 && event.key in PLACES) {
      location.assign(PLACES[/** @type {keyof typeof PLACES} */ (event.key)]);
      return;
    }
    goes = event.key === "g" ? Date.now() : 0;
    const act = ACTS[event.key];
    if (act && act(dialog)) event.preventDefault();
  });
}

/** @type {Record<string, (dialog: HTMLDialogElement | null) => boolean>} */
const ACTS = {
  "?": (dialog) => (dialog?.showModal(), true),
  "/": () => focus("#find"),
  f: () => focus("[data-filter]"),
  ".": () => focus(".acts button, .acts a"),
  j: () => step(1),
  k: () => step(-1),
  Enter: () => open(),
};

/** @param {string} selector */
function focus(selector) {
  const found = /** @type {HTMLElement | null} */ (document.querySelector(selector));
  found?.focus();
  if (found instanceof HTMLInputElement) found.select();
  return found !== null;
}

/** @param {number} by */
function step(by) {
  const rows = [...document.querySelectorAll("[data-row]")];
  if (!rows.length) return false;
  const now = rows.findIndex((row) => row.classList.contains("at"));
  const next = Math.max(0, Math.min(rows.length - 1, now + by));
  rows[now]?.classList.remove("at");
  rows[next].classList.add("at");
  rows[next].scrollIntoView({ block: "nearest" });
  /** @type {HTMLElement | null} */ (rows[next].querySelector("a"))?.focus({ preventScroll: true });
  return true;
}

function open() {
  if (document.activeElement && document.activeElement !== document.body) return false;
  const link = /** @type {HTMLAnchorElement | null} */ (document.querySelector("[data-row].at a"));
  link?.click();
  return link !== null;
}
