// One stream for each browser says where to look; what is shown there is fetched. The tab that holds the lock has the
// stream, and the others hear of it: browsers give one server six connections, and more tabs than that would hang.
import { swap } from "./swap.js";

const LEAST_MS = 400;
const SILENT_MS = 45_000;
const AT_ONCE = 2;
const LONGEST_PAUSE_MS = 10_000;

/** @typedef {{kind: string, processes?: string[], estate?: boolean, rest?: number}} Word */

let heard = 0;
const began = Date.now();
let isOver = false;
/** Whether the stream is known to be cut. */
let isLost = false;
/** Whether the page was one of a process that is gone when it was loaded. */
const isOfGone = isGone();
let running = 0;
let restUntil = 0;
/** @type {Map<Element, {etag: string, at: number, timer: number, isBusy: boolean, isAgain: boolean}>} */
const parts = new Map();

export function watch() {
  const shown = document.getElementById("live");
  if (!shown) return;
  for (const one of document.querySelectorAll("[data-part][data-live]")) {
    parts.set(one, { etag: "", at: 0, timer: 0, isBusy: false, isAgain: false });
  }
  for (const one of document.querySelectorAll("[data-pause]")) pause(/** @type {HTMLElement} */ (one));
  const channel = new BroadcastChannel("tenuto-live");
  channel.onmessage = (event) => hear(event.data);
  const say = (/** @type {Word} */ word) => {
    hear(word);
    channel.postMessage(word);
  };
  tell("connecting", "");
  if (navigator.locks) navigator.locks.request("tenuto-live", () => lead(say)).catch(() => lead(say));
  else lead(say);
  setInterval(check, 1000);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) look(null);
  });
}

/** A button that holds a part as it is, so that its rows can be read. @param {HTMLElement} button */
function pause(button) {
  const part = /** @type {HTMLElement | null} */ (document.querySelector(`[data-part="${button.dataset.pause}"]`));
  if (!part) return;
  button.hidden = false;
  button.addEventListener("click", () => {
    const isPaused = part.toggleAttribute("data-paused");
    button.setAttribute("aria-pressed", String(isPaused));
    button.textContent = isPaused ? "Go on" : "Pause";
    if (!isPaused) soon(part);
  });
}

/** Holds the stream until it is over for good. @param {(word: Word) => void} say */
function lead(say) {
  return new Promise((resolve) => {
    let pause = 2000;
    const open = () => {
      const source = new EventSource("/live");
      source.addEventListener("hello", () => { pause = 2000; say({ kind: "hello" }); });
      source.addEventListener("quiet", () => say({ kind: "quiet" }));
      source.addEventListener("resync", () => say({ kind: "resync" }));
      source.addEventListener("marks", (event) => say({ kind: "marks", ...JSON.parse(/** @type {MessageEvent} */ (event).data) }));
      source.addEventListener("over", () => { source.close(); say({ kind: "over" }); resolve(undefined); });
      source.onerror = async () => {
        source.close();
        // The stream tells no status: one request does, and a session that is over is not asked for again.
        const answer = await fetch("/me?part=none", { redirect: "manual" }).catch(() => null);
        const rest = answer ? restOf(answer) : 0;
        if (rest) {
          say({ kind: "busy", rest });
          setTimeout(open, rest);
          return;
        }
        if (answer && answer.status === 401) {
          say({ kind: "over" });
          resolve(undefined);
          return;
        }
        say({ kind: "lost" });
        pause = Math.min(LONGEST_PAUSE_MS, pause * 1.6) * (0.75 + Math.random() / 2);
        setTimeout(open, pause);
      };
    };
    open();
  });
}

/** @param {Word} word */
function hear(word) {
  if (word.kind === "over") {
    isOver = true;
    tell("signed out", "is-quiet");
    document.body.classList.add("is-stale");
    return;
  }
  if (word.kind === "busy") {
    rest(word.rest ?? 0);
    return;
  }
  if (word.kind === "lost") {
    isLost = true;
    check();
    return;
  }
  isLost = false;
  const wasSilent = document.body.classList.contains("is-stale");
  heard = Date.now();
  document.body.classList.remove("is-stale");
  check();
  if (word.kind === "hello" || word.kind === "resync" || wasSilent) look(null);
  if (word.kind === "marks") look(word);
}

/** Fetch the parts that a word is about. @param {Word | null} word */
function look(word) {
  for (const part of parts.keys()) {
    const live = /** @type {HTMLElement} */ (part).dataset.live ?? "";
    if (!word || live === "*" || word.processes?.includes(live)) soon(part);
    if (word && part instanceof HTMLElement && part.dataset.moved && word.processes?.includes(live)) {
      document.querySelector("[data-moved-hint]")?.removeAttribute("hidden");
    }
  }
}

/** The time that the server asks to wait, in ms; 0 for any other answer. @param {Response} answer */
function restOf(answer) {
  // Some more, so that all pages of a user do not come back at once.
  return answer.status === 429 ? 1000 * Number(answer.headers.get("Retry-After") || 5) + 1000 * Math.random() : 0;
}

/** Ask for nothing for a while; what is shown stays. @param {number} ms */
function rest(ms) {
  restUntil = Math.max(restUntil, Date.now() + ms);
  check();
}

/** @param {Element} part */
function soon(part) {
  const state = parts.get(part);
  if (!state || isOver || document.hidden || part.hasAttribute("data-paused")) return;
  if (state.isBusy) {
    state.isAgain = true;
    return;
  }
  if (state.timer) return;
  state.timer = window.setTimeout(() => refresh(part), Math.max(0, state.at + LEAST_MS - Date.now(), restUntil - Date.now()));
}

/** @param {Element} part */
async function refresh(part) {
  const state = parts.get(part);
  if (!state) return;
  state.timer = 0;
  if (running >= AT_ONCE) {
    state.timer = window.setTimeout(() => refresh(part), 100);
    return;
  }
  state.isBusy = true;
  state.at = Date.now();
  running += 1;
  try {
    const url = new URL(location.href);
    const { part: name, done } = /** @type {HTMLElement} */ (part).dataset;
    url.searchParams.set("part", name ?? "");
    if (done) url.searchParams.set("done", done);
    const answer = await fetch(url, { headers: state.etag ? { "If-None-Match": state.etag } : {} });
    if (answer.status === 401) hear({ kind: "over" });
    if (restOf(answer)) {
      rest(restOf(answer));
      state.isAgain = true;
    }
    if (answer.status === 200) {
      state.etag = answer.headers.get("ETag") ?? "";
      swap(part, await answer.text());
    }
    // The rest of the page is of what was: its filters, its tabs and its note.
    if (answer.status === 403 || answer.status === 404 || (isGone() && !isOfGone)) loadAgain();
  } catch {
    // The stream tells when the server is back.
  } finally {
    running -= 1;
    state.isBusy = false;
    if (state.isAgain) {
      state.isAgain = false;
      soon(part);
    }
  }
}

// A part that is refused although its page is not must not load the page for ever.
function loadAgain() {
  const last = Number(sessionStorage.getItem("loaded again"));
  if (Date.now() - last < LONGEST_PAUSE_MS) return;
  sessionStorage.setItem("loaded again", Date.now());
  location.reload();
}

function isGone() {
  return document.querySelector("[data-gone]") !== null;
}

const shownLive = () => document.getElementById("live")?.classList.contains("is-live");

function check() {
  if (isOver || (!heard && !shownLive() && !restUntil && !isLost)) return;
  if (restUntil > Date.now()) {
    tell("many requests · a short rest", "is-quiet");
    return;
  }
  const clock = new Date(heard).toISOString().slice(11, 19);
  if (Date.now() - (heard || began) >= SILENT_MS) document.body.classList.add("is-stale");
  if (isLost) {
    tell(heard ? `not connected · last heard ${clock}` : "not connected", "is-quiet");
  } else if (!heard) {
    tell("connecting", "");
  } else if (Date.now() - heard >= SILENT_MS) {
    tell(`not live since ${clock}`, "is-quiet");
  } else if (!parts.size) {
    // Nothing here is fetched again, so it is no live page.
    tell("connected · load again for news", "");
  } else {
    tell(`● live · ${new Date().toISOString().slice(11, 19)}`, "is-live");
  }
}

/** @param {string} text @param {string} kind */
function tell(text, kind) {
  const shown = document.getElementById("live");
  if (!shown) return;
  // Only a change of kind is spoken by a screen reader; the clock is not.
  shown.setAttribute("aria-live", shown.className === `live ${kind}`.trim() ? "off" : "polite");
  shown.textContent = text;
  shown.className = `live ${kind}`.trim();
}
