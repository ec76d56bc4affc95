// @ts-check
// The check of a proof as people see it, and the key that it rests on.

import { CHAINS } from "./chains.js";
import { ask, button, element, grouped, make, problem, time } from "./dom.js";
import { FAMILIES } from "./verify/file.js";
import { toBase58, toHex } from "./verify/hash.js";
import { readTransaction } from "./verify/ledger/bitcoin.js";
import { parseKey } from "./verify/note.js";
import { ProofError, verify } from "./verify/srproof.js";

const PIN = "superroot.log-key";

// --- the log's key -------------------------------------------------------------------------------

/** The key that proofs are checked by: the one this browser saw first. @type {string | null} */
let pinned = null;
let alarmed = "";

/** What was remembered; nothing where the browser keeps nothing. */
function remembered() {
  try {
    return localStorage.getItem(PIN);
  } catch {
    return null;
  }
}

/** @param {string} key */
function remember(key) {
  try {
    localStorage.setItem(PIN, key);
    return true;
  } catch {
    return false;
  }
}

/** Shows the key, remembers the first, and warns of another.
 * @param {any} page a SuperRoot, with the keys that sign the log now */
export function useKey({ publication, network }) {
  /** @type {string[]} */
  const keys = (publication?.keys ?? []).map(String);
  pinned ??= remembered();
  // while a log changes its key, both sign
  const served = keys.find((one) => one === pinned) ?? keys[0];
  if (!served) {
    element("key").textContent = pinned ?? "this log signs nothing";
    return;
  }
  const isTrial = network !== "live";
  const isOtherLog = pinned !== null && pinned.split("+")[0] !== served.split("+")[0];
  // each trial has a log and a key of its own
  if (pinned === null || (isTrial && isOtherLog && /^(simulated|recorded)\//.test(pinned))) {
    const isKept = remember(served);
    element("key-note").textContent = pinned === null
      ? `First seen now${isKept ? "" : "; this browser does not keep it"}.`
      : `Another trial log than the last time: ${pinned.split("+")[0]} was here before.`;
    pinned = served;
  }
  element("key").textContent = pinned;
  if (pinned === served) {
    alarmed = "";
    element("alarm").replaceChildren();
  } else if (alarmed !== served) {
    alarmed = served;
    warnOfKey(pinned, served, isOtherLog);
  }
}

/** @param {string} before @param {string} now @param {boolean} isOtherLog */
function warnOfKey(before, now, isOtherLog) {
  const trust = button("I know why: trust the new key from now on", () => {
    pinned = now;
    remember(now);
    alarmed = "";
    element("alarm").replaceChildren();
    element("key").textContent = now;
  });
  const title = isOtherLog ? "This is another log than before" : "The log's key has changed";
  element("alarm").replaceChildren(make("div", "notice bad", make("strong", "", title),
    make("p", "", "Somebody else may be answering. Nothing is checked by the new key until you say so. ",
      "Ask the log's operator by another way."),
    make("p", "", "Before: ", make("code", "", before)), make("p", "", "Now: ", make("code", "", now)), trust));
}

/** The key that is trusted, as the verifier takes it. */
async function trustedKey() {
  if (!pinned) {
    const answer = await ask("/v5/superroot");
    if (answer.ok) useKey(answer.body);
  }
  try {
    return pinned ? parseKey(pinned) : undefined;
  } catch {
    return undefined; // then nothing is trusted, and the last step says so
  }
}

// --- the check -----------------------------------------------------------------------------------

/** What is asked of a proof: the hash that it has to show, or the block.
 * @typedef {{ hash?: string, chainId?: number, number?: number }} Wanted */

/** Counts checks: an answer to one that was overtaken is dropped. */
let turn = 0;

/** @param {string} className @param {string} title @param {...string} lines */
function say(className, title, ...lines) {
  const mark = { good: "✓ ", bad: "✗ ", warn: "– " }[className] ?? "";
  element("verdict").replaceChildren(make("div", `verdict ${className}`, make("strong", className, `${mark}${title}`),
    ...lines.map((text) => make("p", "", text))));
}

/** @returns {number} the turn of this check */
function begin(/** @type {string} */ title) {
  element("choices").replaceChildren();
  element("result").hidden = true;
  say("", title);
  return ++turn;
}

/** Finds a hash and checks its proof. @param {string} text as it was pasted */
export async function checkHash(text) {
  const hash = text.trim();
  if (hash === "") return;
  const started = performance.now();
  const own = begin("Looking for it …");
  const found = await ask(`/v5/find/${encodeURIComponent(hash)}`);
  if (own !== turn) return;
  if (!found.ok) {
    say("warn", found.status === 404 ? "Not found here" : "No proof to check", problem(found));
    return;
  }
  const matches = Array.isArray(found.body?.matches) ? found.body.matches : [];
  const [first] = matches;
  if (matches.length > 1) {
    say("", `This hash stands at ${matches.length} places. Choose one.`);
    element("choices").replaceChildren(...matches.map((/** @type {any} */ match) =>
      button(`${match.kind} of ${match.chainName}, block ${match.blockNumber}`, () =>
        void checkMatch(match, hash, begin("Fetching its proof …"), performance.now()))));
    return;
  }
  history.replaceState(null, "", `#${hash}`);
  if (first) await checkMatch(first, hash, own, started);
}

/** @param {any} match of /v5/find @param {string} hash @param {number} own @param {number} started */
async function checkMatch(match, hash, own, started) {
  if (match.kind === "superRoot") {
    say("", `SuperRoot ${match.sequence}`, `This is the hash of a SuperRoot, the end of every proof: ${match.proofUrl}`);
    return;
  }
  say("", `Found in block ${match.blockNumber} of ${match.chainName}`, "Fetching its proof …");
  await checkProof(String(match.proofUrl), { hash }, own, started);
}

/** @param {number} chainId @param {number} number */
export async function checkBlock(chainId, number) {
  const started = performance.now();
  const own = begin("Fetching the proof of the block …");
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  element("check-title").scrollIntoView({ behavior: calm ? "auto" : "smooth" });
  await checkProof(`/v5/proof/${chainId}/${number}`, { chainId, number }, own, started);
}

/** Fetches a proof file and checks it. @param {string} path @param {Wanted} wanted @param {number} own
 * @param {number} started */
async function checkProof(path, wanted, own, started) {
  const question = `${path}${path.includes("?") ? "&" : "?"}note=1&wait=10`;
  const [answer, key] = await Promise.all([ask(question, { file: true }), trustedKey()]);
  if (own !== turn) return;
  if (!answer.ok) {
    say("warn", "No proof yet", problem(answer));
    return;
  }
  const fetched = performance.now();
  /** @type {import("./verify/srproof.js").Shown} */
  let shown;
  try {
    shown = verify(answer.body, { chains: CHAINS, key });
    needWanted(shown, wanted);
  } catch (error) {
    const failed = error instanceof ProofError ? error : new ProofError("encoding", String(error));
    element("result").hidden = false;
    showLevels(failed.levels, failed);
    element("split").hidden = true;
    const title = failed.step === "anchor" ? "This proof does not lead to what you trust" : "This proof is false";
    say("bad", title, `${NAMES[failed.step]}: ${failed.message}. Do not rely on this answer.`);
    return;
  }
  const done = performance.now();
  const took = `Checked in ${Math.round(done - fetched)} ms, ${Math.round(done - started)} ms with finding and fetching; ` +
    `${grouped(answer.body.length)} bytes of proof.`;
  showLevels(shown.levels, null);
  showFacts(shown);
  element("split").hidden = false;
  element("limits").replaceChildren(...limits(shown, path).map((inner) => make("li", "", ...inner)));
  element("result").hidden = false;
  say("good", "Verified in your browser", took);
  await showFinality(shown, own);
}

/** A true proof of something else is no answer. @param {import("./verify/srproof.js").Shown} shown @param {Wanted} wanted */
function needWanted(shown, wanted) {
  if (wanted.hash !== undefined) {
    const asked = [wanted.hash, wanted.hash.replace(/^0x/i, "").toLowerCase()];
    const isIt = spellings(shown).some((form) => asked.includes(form));
    if (!isIt) throw new ProofError("statement", "the proof is of another hash than the one asked for", shown.levels);
  } else if (shown.chain.id !== wanted.chainId || shown.number !== wanted.number) {
    throw new ProofError("statement", "the proof is of another block than the one asked for", shown.levels);
  }
}

/** The hash of what is shown, in the forms of its ledger. @param {import("./verify/srproof.js").Shown} shown
 * @returns {string[]} */
function spellings(shown) {
  const isOfBlock = shown.subject.kind === "block";
  const own = isOfBlock ? shown.blockHash : shown.entry?.transaction?.hash;
  if (!own) return [];
  const hex = toHex(own).slice(2);
  const family = FAMILIES[shown.chain.family];
  if (family === "bitcoin") return [hex, toHex(Uint8Array.from(own).reverse()).slice(2)];
  // a transaction of Solana goes by its first signature, which follows the one byte of their count
  const signature = shown.entry?.transaction?.raw.subarray(1, 65);
  if (family === "solana") return [hex, toBase58(isOfBlock || !signature ? own : signature)];
  return family === "sui" ? [hex, toBase58(own)] : [hex];
}

/** @type {Record<string, string>} */
const NAMES = {
  encoding: "Proof file", statement: "Statement", entry: "1 Transaction", block: "2 Block", twig: "3 Twig",
  mini_mmr: "4 Mini-MMR", super_root: "5 SuperRoot", anchor: "Anchor",
};
const STATES = {
  shown: ["✓", "shown"], passed: ["–", "not on the way"], failed: ["✗", "false"], missing: ["·", "not reached"],
};

/** @param {import("./verify/srproof.js").Level[]} levels @param {ProofError | null} failed */
function showLevels(levels, failed) {
  const isOfBlock = !failed && !levels.some((level) => level.step === "entry");
  const steps = Object.keys(NAMES).filter((step) =>
    step === failed?.step || !["encoding", "statement"].includes(step));
  element("levels").replaceChildren(...steps.map((step) => {
    const level = levels.find((one) => one.step === step);
    const state = step === failed?.step ? "failed" : level?.state ?? "missing";
    const nothing = isOfBlock && step === "entry" ? "none: the proof is of the block itself" : "not reached";
    const detail = step === failed?.step ? failed.message : level?.detail ?? nothing;
    const [mark, word] = STATES[state];
    const shownMark = make("span", "mark", mark);
    shownMark.setAttribute("aria-hidden", "true");
    const item = make("li", state, shownMark, make("span", "name", NAMES[step], make("span", "hidden", `: ${word}`)),
      make("span", "detail", detail));
    item.dataset.step = step;
    return item;
  }));
}

/** @param {import("./verify/srproof.js").Shown} shown */
function showFacts(shown) {
  const { chain, subject, entry, superRoot } = shown;
  /** @type {[string, string | Node][]} */
  const facts = [["Chain", `${chain.name} (${chain.caip2})`], ["Block", grouped(shown.number)]];
  if (shown.blockHash) facts.push(["Block hash", make("code", "", toHex(shown.blockHash))]);
  if (shown.timestamp !== null) facts.push(["Block time", time(shown.timestamp)]);
  if (entry?.transaction) facts.push(["Transaction", make("code", "", toHex(entry.transaction.hash))]);
  if (entry?.transaction && shown.boundIndexes.txIndex) facts.push(["Its index", String(subject.txIndex)]);
  if (entry?.receipt) {
    const { succeeded, logs } = entry.receipt;
    if (succeeded !== null) facts.push(["Outcome", succeeded ? "succeeded" : "failed"]);
    facts.push(["Events", logs.length === 0 ? "none" : String(logs.length)]);
  }
  if (entry?.transaction && FAMILIES[chain.family] === "bitcoin") {
    const { outputs } = readTransaction(entry.transaction.raw);
    const satoshi = outputs.reduce((sum, output) => sum + output.satoshi, 0n);
    facts.push(["Outputs", `${outputs.length}, together ${satoshi} satoshi`]);
  }
  if (superRoot) {
    facts.push(["SuperRoot", `${grouped(superRoot.sequence)}, of ${time(superRoot.timestamp)}`],
      ["Its hash", make("code", "", toHex(superRoot.hash))]);
  }
  facts.push(["Log", shown.origin]);
  element("facts").replaceChildren(...facts.flatMap(([name, value]) => [make("dt", "", name), make("dd", "", value)]));
}

/** What is not shown. @param {import("./verify/srproof.js").Shown} shown @param {string} path
 * @returns {(string | Node)[][]} */
function limits(shown, path) {
  const list = ["That the block is final on its chain. The service's word on it comes below, and is no proof."];
  if (/^simulated\//.test(shown.origin)) list.unshift("Anything about a real chain: these blocks are made up.");
  if (/^recorded\//.test(shown.origin)) list.unshift("That the recording is whole: this log holds recorded blocks.");
  if (!shown.isBlockBound) list.push("In which block the transaction is: it is in the chain by this block.");
  if (shown.entry && !shown.boundIndexes.txIndex) list.push("Its index in the block: no hash of this ledger holds it.");
  if (!shown.isNumberBound) list.push("The number of the block: the hash of this ledger does not hold it.");
  if (shown.entry) list.push("Who sent it and what it means: the bytes are proven, and not read further here.");
  list.push("That the log tells everybody the same: cosignatures of witnesses are not looked at here.");
  const parts = path.split("?")[0].split("/");
  const command = parts[3] === "tx" ? `tx ${parts[4]} ${parts[5]}` : `block ${parts[3]} ${parts[4]}`;
  const own = make("code", "", `superroot prove --url ${location.origin} ${command} -o proof.srproof`);
  return [...list.map((text) => [text]), ["That this page is honest: it came from the service that it checks. " +
    "The same check on your own machine: ", own, ", then ", make("code", "", "superroot verify proof.srproof"), "."]];
}

/** What the service says of finality, held against the proven hash. @param {import("./verify/srproof.js").Shown} shown
 * @param {number} own */
async function showFinality(shown, own) {
  const answer = await ask(`/v5/proof/${shown.chain.id}/${shown.number}?level=2`);
  if (own !== turn || !answer.ok) return;
  const finality = answer.body?.finality;
  const isSameBlock = shown.blockHash && answer.body?.blockHash === toHex(shown.blockHash);
  if (!finality || !isSameBlock) return;
  const { status, evidenceKind, evidence, rule, trust } = finality;
  const agree = evidence ? `: ${evidence.agreeing} of ${evidence.of ?? "?"} sources (${(evidence.sources ?? []).join(", ")})` : "";
  const said = [`The service calls it ${String(status)}`, evidenceKind && `by ${String(evidenceKind)}${agree}`, rule && `(${rule})`];
  const item = make("li", "", `${said.filter(Boolean).join(" ")}.${trust ? ` You trust ${trust}.` : ""}`);
  element("limits").append(item);
}
