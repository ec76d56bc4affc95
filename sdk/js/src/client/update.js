// @ts-check
// Moves a pin to the newest SuperRoot that the pinned key signed, after full consistency alone.
//
//     newest note, of the key and the quorum ──► its SuperRoot ──► full consistency from the pin
//                                                     │            └─ twigs in pages, checked as they come
//                                                     └─ contradicts the pin: evidence, where both are signed

import { ProofError } from "../verify/srproof.js";
import { concat, fromHex, toHex, u64, utf8 } from "../verify/hash.js";
import { parseNote } from "../verify/note.js";
import { node } from "../verify/trees.js";
import { readBlob, verifyBlob } from "../forms/blob.js";
import { Member, caseOf } from "../forms/compare.js";
import { beginConsistency, takeTwigPage } from "../forms/consistency.js";
import { verifyEvidence } from "../forms/evidence.js";
import { parseJson } from "../forms/json.js";
import { TrustError } from "../trust/error.js";
import { forkError, logWithKey, shownOrigin } from "../trust/logs.js";
import { ClientError, plain } from "./error.js";
import { checkSigned, fetchPage, preimageOf, readPage } from "./superroot.js";

/** @typedef {import("./transport.js").Transport} Transport */
/** @typedef {import("../trust/logs.js").TrustedLog} TrustedLog */
/** @typedef {import("../trust/logs.js").LogKey} LogKey */
/** @typedef {import("../trust/logs.js").Pin} Pin */
/** @typedef {import("../trust/logs.js").PinAdvance} PinAdvance */
/** @typedef {import("../trust/error.js").ForkEvidence} ForkEvidence */
/** @typedef {import("./superroot.js").SuperRootPage} SuperRootPage */
/** `progress`: twigs taken and all. @typedef {{ signal?: AbortSignal, progress?: (taken: number, all: number) => void }} AdvanceOptions */
/** One update: the service, the log, the key by which notes count.
 * @typedef {{ transport: Transport, log: TrustedLog, key: LogKey, options: AdvanceOptions }} Update */

const TWIGS_MAX = 4096;
/** More twigs than all chains seal in a lifetime. */
const STEP_TWIGS_MAX = 2 ** 27;
const HISTORY_SLOT = 54;

/** Moves the pin of a log, or pins its first SuperRoot. Null where the pin is the newest already.
 * @param {Transport} transport @param {import("../trust/store.js").TrustStore} trust @param {string} origin
 * @param {AdvanceOptions} [options] @returns {Promise<{ from: Pin | null, to: Pin } | null>} */
export async function advancePin(transport, trust, origin, options = {}) {
  const log = logWithKey(await trust.logs(), origin);
  const step = await fetchStep({ transport, log, key: log.key, options });
  if (step === null) return null;
  await trust.advance(step);
  return { from: step.from, to: step.to };
}

/** Without witnesses on anything newer than the pin, the note of the key alone is compared with the pin too, without
 * moving it: witnesses are absent when a log forks.
 * @param {Update} update @returns {Promise<PinAdvance | null>} */
async function fetchStep(update) {
  const { transport, log, key, options: { signal } } = update;
  if (key.policy === null) return stepTo(update, await fetchNote(transport, {}, signal));
  /** @type {PinAdvance | null} */
  let step = null;
  /** @type {unknown} */
  let failure = null;
  try {
    step = await stepTo(update, await fetchNote(transport, { cosigned: 1 }, signal));
  } catch (error) {
    failure = error;
  }
  const isDecided = step !== null || (failure instanceof TrustError && failure.isContradiction);
  if (!isDecided && log.pins.length > 0) {
    const alone = { ...update, key: { ...key, policy: null } };
    try {
      await stepTo(alone, await fetchNote(transport, {}, signal));
    } catch (error) {
      if (error instanceof TrustError && error.isContradiction) throw error;
    }
  }
  if (failure !== null) throw failure;
  return step;
}

/** @param {Transport} transport @param {Record<string, number>} query @param {AbortSignal} [signal] */
const fetchNote = (transport, query, signal) => transport.text(["v5", "checkpoint"], { query, signal });

/** Step from the newest pin to a note's last SuperRoot. @param {Update} update @param {string} note
 * @returns {Promise<PinAdvance | null>} */
async function stepTo(update, note) {
  const { transport, log, key, options: { signal } } = update;
  const page = await signedPage(update, note);
  const pin = log.pins[log.pins.length - 1] ?? null;
  const to = { sequence: page.sequence, superRootHash: page.hash, note };
  if (pin === null) {
    const body = parse(await transport.bytes(["kv", "blob", page.hash], { signal }));
    const { blob } = read(() => verifyBlob(body, { chains: [], trustedHash: fromHex(page.hash) }));
    return { origin: log.origin, key: key.key, from: null, to, registry: blob.registry.map(profileHex) };
  }
  if (page.sequence < pin.sequence) {
    throw new TrustError("behind", `the service is at SuperRoot ${page.sequence}, behind your pin ${pin.sequence}`);
  }
  if (page.sequence === pin.sequence) {
    checkSame(log, key, pin, page, note);
    return null;
  }
  try {
    return { origin: log.origin, key: key.key, from: pin, to, registry: await extend(update, pin, page) };
  } catch (error) {
    if (!(error instanceof TrustError && error.code === "inconsistent")) throw error;
    const evidence = await findEvidence(update, pin, page, note).catch(() => null);
    if (!evidence) throw error;
    throw twoHistories(log, evidence);
  }
}

/** The last SuperRoot of a note, signed. @param {Update} update @param {string} note @returns {Promise<SuperRootPage>} */
async function signedPage({ transport, log, key, options: { signal } }, note) {
  let size;
  try {
    ({ size } = parseNote(note));
  } catch (cause) {
    throw new TrustError("note",
      `the checkpoint is no signed note: ${plain(/** @type {Error} */ (cause).message)}`, { cause });
  }
  if (size === 0n || size > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new TrustError("note", "the checkpoint is no note of a log with entries");
  }
  const page = readPage(await fetchPage(transport, Number(size) - 1, signal));
  if (page.origin !== log.origin) {
    throw new TrustError("other_log",
      `the service's log is ${shownOrigin(page.origin)}, not ${shownOrigin(log.origin)}`);
  }
  checkSigned(page, note, key);
  return page;
}

/** The SuperRoot shown at the pin's own sequence is the pin. @param {TrustedLog} log @param {LogKey} key @param {Pin} pin
 * @param {SuperRootPage} page @param {string} note */
function checkSame(log, key, pin, page, note) {
  if (page.hash === pin.superRootHash) return;
  if (pin.note !== null) {
    /** @type {ForkEvidence} */
    const evidence = { evidence: "two_notes", key: key.key, notes: [pin.note, note] };
    if (isEvidence(evidence)) throw twoHistories(log, evidence);
  }
  throw forkError(log.origin, pin.sequence, pin.superRootHash, page.hash);
}

/** Full consistency from the pin, twigs page by page. @param {Update} update @param {Pin} pin @param {SuperRootPage} page
 * @returns {Promise<string[]>} the registry of the later SuperRoot */
async function extend(update, pin, page) {
  const { transport, options } = update;
  const body = await fetchConsistency(update, pin.sequence, page.sequence, "full");
  const hashes = { chains: [], trustedHash: fromHex(pin.superRootHash), laterHash: fromHex(page.hash) };
  const { strength, appending } = read(() => beginConsistency(body, hashes));
  if (strength !== "full") {
    throw new ClientError("malformed", `strength full was asked for, the answer has ${strength}`);
  }
  if (appending) {
    const all = appending.growing.reduce((sum, one) => sum + one.now.leafCount - one.peaks.count, 0);
    if (all > STEP_TWIGS_MAX) throw new TrustError("inconsistent", "more twigs than all chains seal in a lifetime");
    for (let due = appending.due(); due; due = appending.due()) {
      const query = { from: due.from, count: Math.min(due.to - due.from, TWIGS_MAX), root: page.hash };
      const twigs = parse(await transport.bytes(["v5", "mini-mmr", due.family, "twigs"], { query, signal: options.signal }));
      read(() => takeTwigPage(appending, twigs));
      options.progress?.(appending.taken, all);
    }
    try {
      appending.finish();
    } catch (cause) {
      throw new TrustError("inconsistent",
        `the log does not extend what is pinned: ${/** @type {Error} */ (cause).message}`, { cause });
    }
  }
  const root = new Member(body, caseOf(body, "inclusionPath"));
  return readBlob(root.get("toBlob")).registry.map(profileHex);
}

/** @param {Update} update @param {number} from @param {number} to @param {"history" | "full"} strength */
async function fetchConsistency({ transport, options: { signal } }, from, to, strength) {
  return parse(await transport.bytes(["v5", "superroot", "consistency"], { query: { from, to, strength }, signal }));
}

/** @param {Uint8Array} bytes */
function parse(bytes) {
  try {
    return parseJson(bytes);
  } catch (cause) {
    throw new ClientError("malformed", plain(/** @type {Error} */ (cause).message), { cause });
  }
}

/** Sorts the failures of a form: `body` is no answer, everything else is no extension of the pin.
 * @template T @param {() => T} run @returns {T} */
function read(run) {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof ProofError)) throw cause;
    if (/** @type {string} */ (cause.step) === "body") {
      throw new ClientError("malformed",
        `the answer is unreadable, or contradicts itself: ${plain(cause.message)}`, { cause });
    }
    throw new TrustError("inconsistent", `the log does not extend what is pinned: ${plain(cause.message)}`, { cause });
  }
}

/** @param {TrustedLog} log @param {ForkEvidence} evidence */
function twoHistories(log, evidence) {
  return new TrustError("two_histories", `the key of ${shownOrigin(log.origin)} signed two histories`, { evidence });
}

/** @param {ForkEvidence} evidence @returns {boolean} */
function isEvidence(evidence) {
  try {
    verifyEvidence(parseJson(evidence));
    return true;
  } catch (error) {
    if (error instanceof ProofError) return false;
    throw error;
  }
}

/** Evidence that the key signed two histories: in the newer note, the SuperRoot after the pin commits to another history
 * than the pin's note. Null where the service withholds what it takes; then only the answer is refused.
 * @param {Update} update @param {Pin} pin @param {SuperRootPage} page @param {string} note @returns {Promise<ForkEvidence | null>} */
async function findEvidence(update, pin, page, note) {
  if (pin.note === null) return null;
  const { transport, key, log, options: { signal } } = update;
  const next = pin.sequence + 1;
  /** @type {ForkEvidence["entry"]} */
  let entry;
  let newer = note;
  if (next === page.sequence) {
    const body = /** @type {any} */ (await transport.json(["kv", "blob", page.hash], { signal }));
    entry = { index: next, preimage: toHex(page.preimage), inclusion_path: page.path.map(toHex),
      history: { leaf_count: body.history.leafCount, log_root: body.history.logRoot, siblings: siblingsOf(body.slots.map(fromHex)) } };
  } else {
    // the log before its last SuperRoot is what that one commits to
    const query = { from: next, to: page.sequence, strength: "history" };
    const body = await transport.json(["v5", "superroot", "consistency"], { query, signal });
    const { from, inclusionPath, fromHistory } = /** @type {any} */ (body);
    newer = await fetchNote(transport, { sequence: page.sequence - 1 }, signal);
    const preimage = toHex(preimageOf(log.origin, from.sequence, from.timestamp, from.treeRoot));
    entry = { index: next, preimage, inclusion_path: inclusionPath,
      history: { leaf_count: fromHistory.leafCount, log_root: fromHistory.logRoot, siblings: fromHistory.siblings } };
  }
  /** @type {ForkEvidence} */
  const evidence = { evidence: "another_history", key: key.key, notes: [pin.note, newer], entry };
  return isEvidence(evidence) ? evidence : null;
}

/** The path of the history slot in the tree over 64 slots. @param {Uint8Array[]} slots @returns {string[]} */
function siblingsOf(slots) {
  const path = [];
  let level = slots.slice(0, 64);
  for (let at = HISTORY_SLOT; level.length > 1; at >>= 1) {
    path.push(toHex(level[at ^ 1]));
    level = level.flatMap((one, place) => (place % 2 ? [] : [node(one, level[place + 1])]));
  }
  return path;
}

/** A profile as the store keeps it. @param {import("../forms/blob.js").Profile} profile @returns {string} */
function profileHex({ family, chainId, caip2, rules }) {
  const name = utf8(caip2);
  const coded = rules.map(([from, code]) => concat(u64(from), [code >> 8, code & 255]));
  return toHex(concat([8, family], u64(chainId), [name.length], name, [rules.length], ...coded));
}

