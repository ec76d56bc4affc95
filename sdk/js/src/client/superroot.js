// @ts-check
// The page of a SuperRoot (`GET /v5/superroot`), recomputed: its hash from its members, its note by key and path.

import { concat, fromHex, keccak256, same, toHex, u64, utf8 } from "../verify/hash.js";
import { leafOf, nodeOf, parseNote } from "../verify/note.js";
import { rootOfRange } from "../verify/trees.js";
import { refusalOf } from "../trust/judge.js";
import { findLog, forkError, shownOrigin } from "../trust/logs.js";
import { TrustError } from "../trust/error.js";
import { ClientError, plain } from "./error.js";

/** @typedef {import("./transport.js").Transport} Transport */
/** @typedef {import("../trust/logs.js").LogKey} LogKey */
/** A page whose members hash to its own hash; trusted by nobody yet. `path`: as the last entry of the note's log.
 * @typedef {{ origin: string, sequence: number, timestamp: number, treeRoot: string, preimage: Uint8Array, hash: string,
 *   note: string | null, path: Uint8Array[], keys: string[] }} SuperRootPage */

const HASH = /^0x[0-9a-f]{64}$/;
const PATH_MAX = 64;

/** @param {boolean} holds @param {string} why @returns {asserts holds} */
function need(holds, why) {
  if (!holds) throw new ClientError("malformed", `the SuperRoot's page: ${why}`);
}

/** Preimage of a SuperRoot. @param {string} origin @param {number} sequence @param {number} timestamp @param {string} treeRoot */
export function preimageOf(origin, sequence, timestamp, treeRoot) {
  const logId = keccak256([9], utf8(origin));
  return concat([7, 5], logId, u64(sequence), u64(timestamp), fromHex(treeRoot));
}

/** Reads a page. @param {any} body @returns {SuperRootPage} */
export function readPage(body) {
  need(typeof body === "object" && body !== null, "it is no object");
  const { origin, sequence, timestamp, treeRoot, superRootHash, logId } = body;
  need(typeof origin === "string" && /^[^\p{White_Space}+]+$/u.test(origin) && utf8(origin).length <= 255, "malformed origin");
  for (const number of [sequence, timestamp]) {
    need(Number.isSafeInteger(number) && number >= 0, "malformed sequence or timestamp");
  }
  for (const hash of [treeRoot, superRootHash, logId]) {
    need(typeof hash === "string" && HASH.test(hash), "malformed hash");
  }
  need(body.version === undefined || body.version === 5, "a SuperRoot of another version than 5");
  const preimage = preimageOf(origin, sequence, timestamp, treeRoot);
  need(toHex(preimage.subarray(2, 34)) === logId, `the log id is not that of ${shownOrigin(origin)}`);
  const hash = toHex(keccak256(preimage));
  need(hash === superRootHash, `its members hash to ${hash}, it says ${plain(superRootHash)}`);
  const { note = null, siblings = [], keys = [] } = body.publication ?? {};
  need(note === null || typeof note === "string", "malformed note");
  const isPath = Array.isArray(siblings) && siblings.length <= PATH_MAX &&
    siblings.every((one) => typeof one === "string" && HASH.test(one));
  need(isPath, "malformed path");
  need(Array.isArray(keys) && keys.length <= 16 && keys.every((key) => typeof key === "string"), "malformed keys");
  return { origin, sequence, timestamp, treeRoot, preimage, hash, note, path: siblings.map(fromHex), keys };
}

/** Checks that a note ends in the page's SuperRoot, signed by the key and its policy's witnesses. Throws a TrustError.
 * @param {SuperRootPage} page @param {string} text @param {LogKey} key */
export function checkSigned(page, text, key) {
  let note;
  try {
    note = parseNote(text);
  } catch (cause) {
    throw new TrustError("note", `not a signed note: ${/** @type {Error} */ (cause).message}`, { cause });
  }
  const refusal = refusalOf(key, note);
  if (refusal) throw new TrustError(/** @type {any} */ (refusal.code), refusal.message, { cause: refusal });
  if (note.size !== BigInt(page.sequence) + 1n) {
    throw new TrustError("note_size",
      `the note is of size ${note.size}, that of SuperRoot ${page.sequence} is one more than its sequence`);
  }
  let root;
  try {
    root = rootOfRange(leafOf(page.preimage), BigInt(page.sequence), note.size, page.path, nodeOf);
  } catch (cause) {
    throw new TrustError("not_under_note",
      `the note does not lead to SuperRoot ${page.sequence}: ` +
      /** @type {Error} */ (cause).message, { cause });
  }
  if (!same(root, note.root)) {
    throw new TrustError("not_under_note", `the note does not lead to SuperRoot ${page.sequence}`);
  }
  return note;
}

/** @param {Transport} transport @param {number | undefined} sequence @param {AbortSignal} [signal] @returns {Promise<any>} */
export function fetchPage(transport, sequence, signal) {
  return transport.json(["v5", "superroot", ...(sequence === undefined ? [] : [String(sequence)])], { signal });
}

/** A SuperRoot that the store trusts: by a `pin`, by the `key`, or by the `history` of a pin. Every member is proven; what
 * else the page says is `claimed`.
 * @param {Transport} transport @param {import("../trust/store.js").TrustStore} trust @param {number} [sequence]
 * @param {{ signal?: AbortSignal }} [options] */
export async function fetchSuperRoot(transport, trust, sequence, options) {
  const body = await fetchPage(transport, sequence, options?.signal);
  const page = readPage(body);
  if (sequence !== undefined && page.sequence !== sequence) {
    throw new ClientError("another_answer",
      `SuperRoot ${sequence} was asked for, the answer is SuperRoot ${page.sequence}`);
  }
  const log = findLog(await trust.logs(), page.origin);
  if (!log) {
    throw new TrustError("unknown_log", `log ${shownOrigin(page.origin)} is not in the trust store: pin its key first`);
  }
  const pin = log.pins.find((one) => one.sequence === page.sequence);
  if (pin && pin.superRootHash !== page.hash) throw forkError(page.origin, page.sequence, pin.superRootHash, page.hash);
  if (!pin) {
    if (!log.key) {
      throw new TrustError("no_key",
        `SuperRoot ${page.sequence} of ${shownOrigin(page.origin)} is not pinned, ` +
        "and no key of that log is");
    }
    const newest = log.pins[log.pins.length - 1];
    if (newest && page.sequence < newest.sequence) {
      return { ...shownPage(page, body), by: await checkUnderPin(transport, page, newest, options?.signal) };
    }
    // the page has no cosignatures
    const question = { query: { sequence: page.sequence }, signal: options?.signal };
    const text = (log.key.policy === null && page.note) || (await transport.text(["v5", "checkpoint"], question));
    checkSigned(page, text, log.key);
  }
  return { ...shownPage(page, body), by: /** @type {"pin" | "key" | "history"} */ (pin ? "pin" : "key") };
}

/** @param {SuperRootPage} page @param {unknown} body */
function shownPage({ origin, sequence, timestamp, treeRoot, hash }, body) {
  return { origin, sequence, timestamp, treeRoot, superRootHash: hash,
    claimed: /** @type {import("./schema.js").components["schemas"]["SuperRootPage"]} */ (body) };
}

/** The history of a pin holds an older SuperRoot. @param {Transport} transport @param {SuperRootPage} page
 * @param {import("../trust/logs.js").Pin} pin @param {AbortSignal} [signal] @returns {Promise<"history">} */
async function checkUnderPin(transport, page, pin, signal) {
  const query = { from: page.sequence, to: pin.sequence, strength: "history" };
  const bytes = await transport.bytes(["v5", "superroot", "consistency"], { query, signal });
  const [{ verifyConsistency }, { parseJson }] = await Promise.all([import("../forms/consistency.js"), import("../forms/json.js")]);
  const hashes = { chains: [], trustedHash: fromHex(page.hash), laterHash: fromHex(pin.superRootHash) };
  try {
    verifyConsistency(parseJson(bytes), hashes);
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    throw new TrustError("not_compared",
      `SuperRoot ${page.sequence} is older than SuperRoot ${pin.sequence}, which you pinned, ` +
      `and the service does not show that the pin's history has it: ${plain(cause.message)}`, { cause });
  }
  return "history";
}
