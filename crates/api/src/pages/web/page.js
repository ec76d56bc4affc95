// @ts-check
// The page: the time line of SuperRoots, the chains, and the start of the rest.

import { checkBlock, checkHash, useKey } from "./check.js";
import { ask, button, draw, duration, element, grouped, make, problem, time } from "./dom.js";
import { keccak256, toHex } from "./verify/hash.js";
import { startPanels } from "./panels.js";

const SUPER_ROOT_EVERY_MS = 5000;
const CHAINS_EVERY_MS = 15000;
/** SuperRoots on the time line. */
const LINE_MAX = 60;
const TILE = 256;

// --- SuperRoots ----------------------------------------------------------------------------------

/** @type {Map<number, { timestamp: number, hash: string }>} */
const line = new Map();

/** SuperRoots of one tile of the log, out of their preimages. @param {number} tile @param {number} width */
async function loadTile(tile, width) {
  const digits = [];
  for (let left = tile; digits.length === 0 || left > 0; left = Math.floor(left / 1000)) {
    digits.unshift(`${digits.length ? "x" : ""}${String(left % 1000).padStart(3, "0")}`);
  }
  const path = `/v5/tile/entries/${digits.join("/")}${width < TILE ? `.p/${width}` : ""}`;
  const answer = await ask(path, { file: true });
  if (!answer.ok) return;
  /** @type {Uint8Array} */
  const bytes = answer.body;
  const view = new DataView(bytes.buffer);
  for (let at = 0; at + 84 <= bytes.length; at += 84) {
    const preimage = bytes.subarray(at + 2, at + 84);
    const sequence = Number(view.getBigUint64(at + 2 + 34));
    const timestamp = Number(view.getBigUint64(at + 2 + 42));
    // the newest alone are shown, and only of those the hash
    if (sequence > newestSequence - LINE_MAX) line.set(sequence, { timestamp, hash: toHex(keccak256(preimage)) });
  }
}

let newestSequence = -1;

async function showSuperRoots() {
  const answer = await ask("/v5/superroot");
  if (!answer.ok) {
    element("pulse").textContent = problem(answer);
    return;
  }
  const { sequence, timestamp, superRootHash, origin, network } = answer.body;
  element("pulse").textContent = "";
  element("origin").textContent = String(origin);
  const badge = element("network");
  badge.hidden = false;
  badge.textContent = network === "live" ? "live chains" : `${network} chains`;
  badge.classList.toggle("live", network === "live");
  useKey(answer.body);
  const before = newestSequence;
  newestSequence = sequence;
  if (sequence > before + 1 || before < 0) {
    const [tile, width] = [Math.floor((sequence + 1) / TILE), (sequence + 1) % TILE];
    if (width > 0) await loadTile(tile, width);
    if (width < LINE_MAX && tile > 0) await loadTile(tile - 1, TILE);
  }
  line.set(sequence, { timestamp, hash: superRootHash });
  for (const known of line.keys()) if (known <= sequence - LINE_MAX || known > sequence) line.delete(known);
  showLine(sequence, timestamp, superRootHash);
}

/** @param {number} sequence @param {number} timestamp @param {string} hash */
function showLine(sequence, timestamp, hash) {
  const now = Math.max(Date.now() / 1000, timestamp);
  const all = [...line].sort(([one], [other]) => one - other);
  const [first, span] = [all[0][1].timestamp, Math.max(1, now - all[0][1].timestamp)];
  const age = duration(now - timestamp);
  element("newest").replaceChildren("SuperRoot ", make("strong", "", grouped(sequence)), `, ${age} ago: `,
    make("code", "", hash));
  const about = `${all.length} SuperRoots in ${duration(span)}, the newest ${age} ago`;
  const ticks = all.map(([number, { timestamp: at }]) => {
    const [x, isLast] = [((at - first) / span) * 600, number === sequence];
    return /** @type {[string, Record<string, string | number>]} */ (["line",
      { x1: x, x2: x, y1: isLast ? 4 : 12, y2: 40, class: isLast ? "tick last" : "tick" }]);
  });
  const axis = /** @type {[string, Record<string, string | number>]} */ (
    ["line", { x1: 0, x2: 600, y1: 40, y2: 40, class: "axis" }]);
  element("line").replaceChildren(draw("0 0 600 44", about, [axis, ...ticks]),
    make("div", "ends muted small", make("span", "", `${duration(span)} ago`),
      make("span", "", `${all.length} SuperRoots`), make("span", "", "now")));
  element("roots").replaceChildren(...all.slice(-10).reverse().map(([number, one]) =>
    make("li", "", make("span", "", grouped(number)), make("span", "muted", time(one.timestamp).slice(11)),
      make("code", "", one.hash))));
}

// --- chains --------------------------------------------------------------------------------------

const WELL = ["following", "catching_up", "backfilling", "recorded", "starting"];

async function showChains() {
  const answer = await ask("/finality");
  const note = element("chains-note");
  if (!answer.ok || !Array.isArray(answer.body?.chains)) {
    note.textContent = problem(answer);
    return;
  }
  const chains = [...answer.body.chains];
  const isOff = (/** @type {any} */ chain) => (chain.anchored ? 0 : 1);
  chains.sort((one, other) => isOff(one) - isOff(other));
  const held = element("chain-rows").contains(document.activeElement) ? document.activeElement?.id : null;
  element("chain-rows").replaceChildren(...chains.map(chainRow));
  if (held) document.getElementById(held)?.focus();
  const count = chains.filter((chain) => chain.anchored).length;
  element("chains-title").textContent = `${chains.length} chains`;
  note.textContent = count === chains.length ? "" : `${count} of ${chains.length} are followed here.`;
}

/** @param {any} chain as /finality has it */
function chainRow(chain) {
  const row = make("tr", chain.anchored ? "" : "off");
  row.setAttribute("role", "row");
  const state = make("span", "state", String(chain.state ?? "unknown").replaceAll("_", " "));
  if (chain.anchored) state.classList.add(WELL.includes(chain.state) ? "good" : "bad");
  const lag = typeof chain.lag_seconds === "number" ? duration(chain.lag_seconds) : "";
  const blocks = typeof chain.lag_blocks === "number" ? `${grouped(chain.lag_blocks)} blocks` : "";
  const agree = typeof chain.agreeing === "number" && typeof chain.source_count === "number"
    ? `${chain.agreeing} of ${chain.source_count} sources agree` : "";
  const check = chain.anchored && button("Check", () => void checkBlock(chain.chain_id, chain.anchored.number));
  if (check) {
    check.id = `check-${chain.chain_id}`;
    check.setAttribute("aria-label", `Check block ${chain.anchored.number} of ${chain.name}`);
  }
  const why = chain.why && chain.anchored ? [make("span", "sub", String(chain.why))] : [];
  row.append(
    cell("", make("span", "", String(chain.name)), make("span", "sub", String(chain.family))),
    cell("State", state, ...why),
    cell("Anchored", chain.anchored ? grouped(chain.anchored.number) : ""),
    cell("Lag", lag, make("span", "sub", blocks)),
    cell("Finality evidence", String(chain.evidence_kind ?? "").replaceAll("_", " "), make("span", "sub", agree)),
    cell("", ...(check ? [check] : [])));
  row.children[2].classList.add("number");
  row.children[3].classList.add("number");
  return row;
}

/** @param {string} label @param {...(string | Node)} inner */
function cell(label, ...inner) {
  const made = make("td", "", ...inner.filter((one) => one !== "" && (typeof one === "string" || one.textContent)));
  made.setAttribute("role", "cell");
  if (label) made.dataset.label = label;
  return made;
}

// --- start ---------------------------------------------------------------------------------------

/** Runs again and again, but not while nobody looks. @param {() => Promise<void>} work @param {number} every */
async function repeat(work, every) {
  for (;;) {
    if (!document.hidden) await work().catch((error) => console.error(error));
    await new Promise((resolve) => setTimeout(resolve, every));
  }
}

element("check-form").addEventListener("submit", (event) => {
  event.preventDefault();
  void checkHash(/** @type {HTMLInputElement} */ (element("hash")).value);
});
element("hash").addEventListener("paste", (event) => {
  const text = /** @type {ClipboardEvent} */ (event).clipboardData?.getData("text").trim() ?? "";
  if (!/^(0x)?[0-9a-fA-F]{64}$/.test(text)) return;
  event.preventDefault();
  /** @type {HTMLInputElement} */ (event.target).value = text;
  void checkHash(text);
});
function checkAddress() {
  const hash = location.hash.slice(1);
  // a link to a part of the page is none to a hash
  if (!hash || document.getElementById(hash)) return;
  /** @type {HTMLInputElement} */ (element("hash")).value = hash;
  void checkHash(hash);
}

addEventListener("hashchange", checkAddress);
checkAddress();
void repeat(showSuperRoots, SUPER_ROOT_EVERY_MS);
void repeat(showChains, CHAINS_EVERY_MS);
startPanels();
