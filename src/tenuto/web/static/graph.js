// The graph by keys: Tab comes to one box and leaves again, arrows follow the lines, d and u light up what depends and
// what is needed.
export function graph() {
  centre();
  document.addEventListener("keydown", (event) => {
    if (event.key === "Tab") rove();
    const box = document.activeElement?.closest?.(".graph .box");
    if (!(box instanceof SVGElement)) return;
    const near = { ArrowUp: names(box, "needs"), ArrowDown: names(box, "users") }[event.key];
    if (near) {
      reach(near[0]);
      event.preventDefault();
    } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const y = box.querySelector("rect")?.getAttribute("y");
      const row = boxes().filter((one) => one.querySelector("rect")?.getAttribute("y") === y);
      row.sort((one, other) => x(one) - x(other));
      row[row.indexOf(box) + (event.key === "ArrowLeft" ? -1 : 1)]?.focus();
      event.preventDefault();
    } else if (event.key === "d" || event.key === "u") {
      light(box, event.key === "d" ? "users" : "needs");
      event.stopPropagation();
    } else if (event.key === "Escape") {
      dark();
    }
  });
}

// A picture that is wider or higher than its place begins where its focus stands, else in the middle, where a root is.
function centre() {
  const canvas = document.querySelector(".canvas");
  if (!canvas) return;
  const focus = document.querySelector(".graph .box[aria-current]")?.getBoundingClientRect();
  const place = canvas.getBoundingClientRect();
  if (focus) {
    canvas.scrollLeft = focus.left + focus.width / 2 - place.left - place.width / 2;
    canvas.scrollTop = focus.top + focus.height / 2 - place.top - place.height / 2;
  } else canvas.scrollLeft = (canvas.scrollWidth - place.width) / 2;
}

const boxes = () => /** @type {SVGElement[]} */ ([...document.querySelectorAll(".graph .box")]);
/** @param {Element} box */
const x = (box) => Number(box.querySelector("rect")?.getAttribute("x"));
/** @param {SVGElement} box @param {string} kind @returns {string[]} */
const names = (box, kind) => JSON.parse(box.dataset[kind] ?? "[]");

// Set anew at each Tab: a part that is fetched takes away what is not its own.
function rove() {
  const all = boxes();
  const own = all.find((one) => one === document.activeElement) ?? all.find((one) => one.dataset.name === last) ?? all[0];
  for (const one of all) one.setAttribute("tabindex", one === own ? "0" : "-1");
  last = own?.dataset.name;
}

/** @type {string | undefined} */
let last;

/** @param {string | undefined} name */
function reach(name) {
  boxes().find((one) => one.dataset.name === name)?.focus();
}

/** @param {SVGElement} box @param {string} kind */
function light(box, kind) {
  const all = new Map(boxes().map((one) => [one.dataset.name, one]));
  const lit = new Set([box.dataset.name]);
  const waiting = [box];
  while (waiting.length) {
    for (const name of names(/** @type {SVGElement} */ (waiting.pop()), kind)) {
      const one = all.get(name);
      if (one && !lit.has(name)) {
        lit.add(name);
        waiting.push(one);
      }
    }
  }
  for (const [name, one] of all) one.classList.toggle("dim", !lit.has(name));
  for (const line of document.querySelectorAll(".graph .lines path")) {
    const { from, to } = /** @type {SVGElement} */ (line).dataset;
    line.classList.toggle("lit", lit.has(from) && lit.has(to));
  }
}

function dark() {
  for (const one of document.querySelectorAll(".graph .dim, .graph .lit")) one.classList.remove("dim", "lit");
}
