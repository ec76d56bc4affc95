// @ts-check
// Prices, launches and orders: what asks for a key. A member that an answer does not have is not shown, and
// none is made up.

import { CHAINS } from "./chains.js";
import { checkHash } from "./check.js";
import { ask, button, draw, duration, element, make, problem, time } from "./dom.js";

const KEY = "superroot.api-key";
const PRICE_EVERY_MS = 15000;
const POINTS_MAX = 240;
const LAUNCHES_MAX = 10;
const NO_KEY = "Needs a key of the Builder tier.";

/** @param {string} id @returns {HTMLInputElement} */
const input = (id) => /** @type {HTMLInputElement} */ (element(id));

/** @returns {string} the key of this tab, or nothing */
function key() {
  try {
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    return input("api-key").value;
  }
}

/** @param {string} value */
function keep(value) {
  try {
    if (value) sessionStorage.setItem(KEY, value);
    else sessionStorage.removeItem(KEY);
  } catch {
    // then the field alone has it
  }
}

/** @param {unknown} value @returns {value is string | number} */
const isPlain = (value) => typeof value === "string" || typeof value === "number";

/** The name of a chain, or what was said of it. @param {unknown} chain */
const chainName = (chain) => CHAINS.find((one) => one.id === Number(chain))?.name ??
  (isPlain(chain) ? `chain ${chain}` : "");

/** An amount in dollars: a number or a decimal text, as precise as it came. @param {unknown} value */
function dollars(value) {
  if (!isPlain(value) || !Number.isFinite(Number(value))) return "";
  const form = Math.abs(Number(value)) >= 1 ? { maximumFractionDigits: 2 } : { maximumSignificantDigits: 6 };
  return `$${Number(value).toLocaleString("en", form)}`;
}

/** A link to a proof of this service, and to nowhere else. @param {unknown} url @param {string} text */
function proofLink(url, text) {
  if (typeof url !== "string" || !/^\/[^/\\]/.test(url)) return "";
  const link = make("a", "", text);
  link.setAttribute("href", url);
  return link;
}

/** @param {unknown} hash @returns {Node | ""} */
const checkButton = (hash) => typeof hash === "string" && /^0x[0-9a-f]{64}$/.test(hash)
  ? button("Check it", () => {
    input("hash").value = hash;
    element("check-title").scrollIntoView();
    void checkHash(hash);
  })
  : "";

/** Parts with something in them, apart. @param {...(string | Node)} parts @returns {(string | Node)[]} */
const apart = (...parts) => parts.filter((part) => part !== "").flatMap((part, at) => (at ? [" · ", part] : [part]));

// --- price ---------------------------------------------------------------------------------------

/** @type {{ chain: string, token: string, points: { at: number, price: number }[] } | null} */
let watched = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let priceTimer;

async function showPrice() {
  clearTimeout(priceTimer);
  if (!watched) return;
  const own = watched;
  if (!key()) {
    element("price").replaceChildren(make("p", "muted", NO_KEY));
    return;
  }
  const answer = document.hidden ? null : await ask(
    `/price/${encodeURIComponent(own.chain)}/${encodeURIComponent(own.token)}?window=3600`, { key: key() });
  if (own !== watched) return;
  if (answer && !answer.ok) {
    element("price").replaceChildren(make("p", "muted", problem(answer)));
    // what is thin, young or moved now may have a price in a moment
    const isForGood = [400, 401, 403].includes(answer.status) || (answer.status === 404 && answer.body?.code !== "no_price");
    if (isForGood) return;
  } else if (answer) {
    priceOf(answer.body, own.points);
  }
  priceTimer = setTimeout(() => void showPrice(), PRICE_EVERY_MS);
}

/** @param {any} body @param {{ at: number, price: number }[]} points */
function priceOf(body, points) {
  const price = Number(body?.price_usd);
  if (!isPlain(body?.price_usd) || !Number.isFinite(price)) {
    element("price").replaceChildren(make("p", "muted", "The answer has no price."));
    return;
  }
  points.push({ at: Date.now() / 1000, price });
  if (points.length > POINTS_MAX) points.shift();
  const { twap, pools, confidence, block } = body;
  const mean = twap && dollars(twap.price_usd);
  const counted = Array.isArray(pools) ? pools.filter((pool) => !pool?.left_out) : [];
  const lines = apart(
    mean ? `mean of ${duration(Number(twap.covered_seconds ?? twap.window_seconds ?? 0))}: ${mean}` : "",
    counted.length ? `${counted.length} of ${pools.length} pools count` : "",
    isPlain(confidence?.value) ? `confidence ${confidence.value}` : "",
    isPlain(block?.number) ? `block ${block.number}` : "",
    isPlain(block?.finality) ? String(block.finality) : "",
    proofLink(block?.proof_url, "its proof"), proofLink(counted[0]?.last_event?.proof_url, "proof of its event"));
  element("price").replaceChildren(make("p", "figure", dollars(price)), make("p", "muted small", ...lines));
  spark(points);
}

/** @param {{ at: number, price: number }[]} points */
function spark(points) {
  const note = "Points are taken while this page is open: one question each 15 s, which weighs one billing token.";
  if (points.length < 2) {
    element("spark").replaceChildren(make("p", "muted small", note));
    return;
  }
  const prices = points.map((point) => point.price);
  const [low, high] = [Math.min(...prices), Math.max(...prices)];
  const [first, last] = [points[0].at, points[points.length - 1].at];
  const place = points.map(({ at, price }) => {
    const [x, y] = [(at - first) / (last - first), high === low ? .5 : (price - low) / (high - low)];
    return `${(x * 300).toFixed(1)},${(46 - y * 42).toFixed(1)}`;
  });
  const about = `${points.length} prices in ${duration(last - first)}, from ${dollars(low)} to ${dollars(high)}`;
  element("spark").replaceChildren(draw("0 0 300 50", about, [["polyline", { points: place.join(" "), class: "curve" }]]),
    make("p", "muted small", `${about}. ${note}`));
}

// --- launches ------------------------------------------------------------------------------------

/** @type {EventSource | null} */
let stream = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let streamTimer;
/** @type {any[]} */
let launches = [];

/** @param {any} launch */
function launchItem(launch) {
  const { symbol, token, chainId, liquidityUSD, protocol, pairedWith, block, txHash, proofUrl } = launch;
  const money = dollars(liquidityUSD);
  const number = isPlain(block) ? block : block?.number;
  const title = make("strong", "", String(symbol ?? token ?? "a token"));
  return make("li", "", title, launch.state === "pulled" ? " (its liquidity is gone)" : "", ...[chainName(chainId)].filter(Boolean).map((name) => ` on ${name}`), make("br"),
    make("span", "muted small", ...apart(money ? `${money} in the pool` : "", isPlain(protocol) ? String(protocol) : "",
      isPlain(pairedWith) ? `with ${pairedWith}` : "", isPlain(number) ? `block ${number}` : "",
      proofLink(proofUrl, "proof"))), ...(checkButton(txHash) ? [" ", checkButton(txHash)] : []));
}

/** @param {any[]} more newest first */
function addLaunches(more) {
  const known = new Set(launches.map((one) => one.proofHash ?? one.txHash));
  showAll([...more.filter((one) => one && !known.has(one.proofHash ?? one.txHash)), ...launches].slice(0, LAUNCHES_MAX));
}

/** @param {any[]} all */
function showAll(all) {
  launches = all;
  element("launches").replaceChildren(...launches.map(launchItem));
}

/** What an event of a stream says; null of none. @param {Event} event */
function read(event) {
  try {
    return JSON.parse(/** @type {MessageEvent} */ (event).data);
  } catch {
    return null;
  }
}

async function showLaunches() {
  clearTimeout(streamTimer);
  stream?.close();
  stream = null;
  launches = [];
  element("launches").replaceChildren();
  const state = element("launch-state");
  if (!key()) {
    state.textContent = NO_KEY;
    return;
  }
  const answer = await ask("/signals/launches?format=json", { key: key() });
  if (!answer.ok) {
    state.textContent = problem(answer);
    if (answer.status === 401) element("key-state").textContent = "The service does not take this key.";
    return;
  }
  addLaunches(Array.isArray(answer.body?.launches) ? answer.body.launches : []);
  state.textContent = launches.length ? "" : "None seen yet. New ones appear here.";
  await listen();
}

/** Opens the stream: a browser sets no key on it, so it asks for a token first. */
async function listen() {
  const answer = await ask("/api/v1/stream-token", { key: key(), method: "POST" });
  if (!answer.ok || typeof answer.body?.token !== "string") {
    element("launch-state").textContent = `New ones do not come: ${problem(answer)}`;
    if (![401, 403].includes(answer.status)) streamTimer = setTimeout(() => void showLaunches(), PRICE_EVERY_MS);
    return;
  }
  const own = new EventSource(`/signals/launches?token=${encodeURIComponent(answer.body.token)}`);
  stream = own;
  own.addEventListener("token_launch", (event) => {
    try {
      addLaunches([JSON.parse(/** @type {MessageEvent} */ (event).data)]);
      element("launch-state").textContent = "";
    } catch (error) {
      console.warn(error);
    }
  });
  own.addEventListener("updated", (event) => {
    const now = read(event);
    const isIt = (/** @type {any} */ one) => one.chainId === now?.chainId && one.pool === now?.pool && one.poolId === now?.poolId;
    showAll(launches.map((one) => (isIt(one) ? { ...one, state: now.state, liquidityUSD: now.liquidityUSD } : one)));
  });
  own.addEventListener("retracted", (event) => {
    const hashes = read(event)?.blockHashes;
    showAll(launches.filter((one) => !(Array.isArray(hashes) && hashes.includes(one.blockHash))));
  });
  own.addEventListener("error", () => {
    // a token opens one stream: the next one takes another
    own.close();
    // the list has what came meanwhile, and not what was taken back
    if (stream === own) streamTimer = setTimeout(() => void showLaunches(), PRICE_EVERY_MS);
  });
}

// --- orders --------------------------------------------------------------------------------------

/** An amount of an order, in whole tokens where its digits are known. @param {any} one @returns {string} */
function amountOf({ name, amount, symbol, decimals }) {
  if (typeof amount !== "string" || !/^[0-9]+$/.test(amount)) return "";
  const isWhole = typeof decimals === "number";
  const digits = isWhole ? decimals : 0;
  const padded = amount.padStart(digits + 1, "0");
  const part = digits ? padded.slice(-digits).replace(/0+$/, "") : "";
  const whole = digits ? padded.slice(0, -digits) : padded;
  return [String(name ?? "").replaceAll("_", " "), part ? `${whole}.${part}` : whole,
    ...(isWhole ? [] : ["smallest units"]), symbol].filter(isPlain).join(" ");
}

/** A step of an order as a box. @param {any} step */
function leg(step) {
  const { kind, event, amounts, mismatch, finality, anchor_status: anchor, block_number: block, tx_hash: hash } = step ?? {};
  const plain = (Array.isArray(amounts) ? amounts : []).map(amountOf);
  const words = [event, finality, anchor === finality ? "" : anchor].filter((word) => typeof word === "string");
  const check = checkButton(hash);
  return make("li", mismatch ? "" : "done", make("strong", "", isPlain(kind) ? String(kind) : "seen"),
    chainName(step?.chain_id), make("br"), ...apart(...plain), make("br"),
    make("span", "muted small", ...apart(...words, isPlain(block) ? `block ${block}` : "", proofLink(step?.proof_url, "proof"))),
    ...(mismatch ? [make("br"), `does not count: ${mismatch}`] : []), ...(check ? [make("br"), check] : []));
}

/** What is awaited, as a box that is not filled yet. @param {any} next */
function awaited({ event, chain_id: chain, before, proof, why }) {
  const until = isPlain(before) ? `before ${time(Number(before))}` : "";
  return make("li", "awaited", make("strong", "", "awaited"), chainName(chain) || "on the other chain", make("br"),
    make("span", "muted small", ...apart(isPlain(event) ? String(event) : "", until,
      proof === "not_provable" ? `never to be shown: ${why ?? "it is kept outside of what is proven"}` : "")));
}

/** Counts what was asked: a slow answer never takes the place of a newer one. */
let orderTurn = 0;

async function showOrder() {
  const turn = ++orderTurn;
  const [id, place] = [input("order-id").value.trim(), element("order")];
  if (!id) return;
  if (!key()) {
    place.replaceChildren(make("p", "muted", NO_KEY));
    return;
  }
  const answer = await ask(`/events/${encodeURIComponent(id)}`, { key: key() });
  if (turn !== orderTurn) return;
  if (!answer.ok) {
    place.replaceChildren(make("p", "muted", problem(answer)));
    return;
  }
  const { protocol, state, terminal, legs, transitions, next_expected: next, stuck } = answer.body ?? {};
  const boxes = (Array.isArray(legs) ? legs : []).map(leg);
  if (next) boxes.push(awaited(next));
  const title = apart(isPlain(protocol) ? String(protocol) : "", isPlain(state) ? make("strong", "", String(state)) : "",
    terminal === true ? "nothing follows" : "",
    isPlain(stuck?.detail) ? `stuck: ${stuck.detail}` : "");
  const steps = (Array.isArray(transitions) ? transitions : []).map((step) => make("li", "", ...apart(
    String(step?.state ?? ""), isPlain(step?.at) ? new Date(Number(step.at) * 1000).toISOString().slice(0, 19) : "",
    chainName(step?.chain_id), typeof step?.anchor_status === "string" ? step.anchor_status : "",
    proofLink(step?.proof_url, "proof"))));
  place.replaceChildren(make("p", "", ...title), make("ol", "legs", ...boxes), make("ol", "plainlist small", ...steps));
}

// --- start ---------------------------------------------------------------------------------------

function showKeyState() {
  element("key-state").textContent = key() ? "A key is in use in this tab." : "";
  element("forget").hidden = !key();
  if (!watched) element("price").replaceChildren(...(key() ? [] : [make("p", "muted", NO_KEY)]));
}

export function startPanels() {
  element("price-chain").append(...CHAINS.filter((chain) => chain.family === 0).map((chain) => {
    const option = make("option", "", chain.name);
    option.setAttribute("value", String(chain.id));
    return option;
  }));
  element("key-form").addEventListener("submit", (event) => {
    event.preventDefault();
    keep(input("api-key").value.trim());
    input("api-key").value = "";
    showKeyState();
    void showLaunches();
    void showPrice();
  });
  element("forget").addEventListener("click", () => {
    keep("");
    watched = null;
    showKeyState();
    element("spark").replaceChildren();
    element("order").replaceChildren();
    void showLaunches();
  });
  element("price-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const [chain, token] = [input("price-chain").value, input("price-token").value.trim()];
    if (!token) return;
    watched = { chain, token, points: [] };
    element("spark").replaceChildren();
    void showPrice();
  });
  element("order-form").addEventListener("submit", (event) => {
    event.preventDefault();
    void showOrder();
  });
  showKeyState();
  void showLaunches();
}
