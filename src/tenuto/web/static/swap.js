// Puts a part of a page in the place of an older one. Elements with an id that are equal stay the very same, so that the
// focus, a selection and what is open stay where they are.
const policy = globalThis.trustedTypes?.createPolicy("tenuto", { createHTML: (text) => text });

/** @param {Element} old @param {string} html */
export function swap(old, html) {
  const text = policy ? policy.createHTML(html) : html;
  const next = new DOMParser().parseFromString(/** @type {string} */ (text), "text/html").body;
  const opened = new Set([...old.querySelectorAll("details[open]")].map((one) => path(one, old)));
  const focused = old.contains(document.activeElement) ? path(/** @type {Element} */ (document.activeElement), old) : "";
  const scrolled = [...old.querySelectorAll(".canvas, .wide, pre")].map((one) => [path(one, old), one.scrollLeft, one.scrollTop]);
  morph(old, next);
  for (const one of old.querySelectorAll("details")) if (opened.has(path(one, old))) one.setAttribute("open", "");
  for (const [where, left, top] of scrolled) {
    const one = find(old, String(where));
    if (one) one.scrollTo(Number(left), Number(top));
  }
  if (focused && !old.contains(document.activeElement)) {
    const one = find(old, focused);
    if (one instanceof HTMLElement || one instanceof SVGElement) one.focus({ preventScroll: true });
  }
}

/** @param {Element} old @param {Element} next */
function morph(old, next) {
  const known = new Map();
  for (const one of old.children) if (one.id) known.set(one.id, one);
  const wanted = [...next.childNodes];
  let at = old.firstChild;
  for (const node of wanted) {
    const own = node instanceof Element && node.id ? known.get(node.id) : undefined;
    const match = own ?? (at && at.nodeName === node.nodeName && !(at instanceof Element && at.id) ? at : null);
    if (!match) {
      const added = document.importNode(node, true);
      old.insertBefore(added, at);
      if (added instanceof Element && added.hasAttribute("data-row")) added.classList.add("changed");
      continue;
    }
    if (match !== at) old.insertBefore(match, at);
    else at = at.nextSibling;
    update(match, node);
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

/** @param {ChildNode} match @param {ChildNode} node */
function update(match, node) {
  if (match.isEqualNode(node)) return;
  if (!(match instanceof Element) || !(node instanceof Element)) {
    match.nodeValue = node.nodeValue;
    return;
  }
  if (match instanceof HTMLInputElement && match === document.activeElement) return;
  const isRow = match.hasAttribute("data-row") && match.textContent !== node.textContent;
  for (const { name } of [...match.attributes]) if (!node.hasAttribute(name) && name !== "open") match.removeAttribute(name);
  for (const { name, value } of node.attributes) if (match.getAttribute(name) !== value) match.setAttribute(name, value);
  morph(match, node);
  if (isRow) match.classList.add("changed");
}

/** @param {Element} one @param {Element} root */
function path(one, root) {
  const parts = [];
  for (let now = one; now && now !== root; now = /** @type {Element} */ (now.parentElement)) {
    if (now.id) return [`#${now.id}`, ...parts].join("/");
    const kin = [...(now.parentElement?.children ?? [])];
    parts.unshift(String(kin.indexOf(now)));
  }
  return parts.join("/");
}

/** @param {Element} root @param {string} where */
function find(root, where) {
  /** @type {Element | null | undefined} */
  let now = root;
  for (const part of where.split("/")) {
    if (!part) continue;
    now = part.startsWith("#") ? document.getElementById(part.slice(1)) : now?.children[Number(part)];
  }
  return now;
}
