// @ts-check
// The content of a trust store: for each log its key, the witnesses that it needs, and the pinned SuperRoots. Values
// never change in place: every function returns new logs, or throws a TrustError and leaves the old ones as they are.

import { readProfile } from "../verify/file.js";
import { fromHex, same, utf8 } from "../verify/hash.js";
import { parseKey } from "../verify/note.js";
import { parsePolicy } from "../verify/policy.js";
import { TrustError } from "./error.js";

/** A trusted SuperRoot: `note` is the note under which it was pinned, null where it was set by hand.
 * @typedef {{ readonly sequence: number, readonly superRootHash: string, readonly note: string | null }} Pin */
/** A log's key (vkey). `firstUse`: named by the service and not confirmed since. `policy`: witnesses that every note
 * needs; null for none.
 * @typedef {{ readonly key: string, readonly firstUse: boolean, readonly policy: string | null }} LogKey */
/** A trusted log. `registry`: profiles of the newest pin, in hex. `pins` rise by sequence. Without a key they never move.
 * @typedef {{ readonly origin: string, readonly key: LogKey | null, readonly registry: readonly string[],
 *   readonly pins: readonly Pin[] }} TrustedLog */
/** @typedef {readonly TrustedLog[]} Logs */
/** A checked move of a pin. @typedef {{ origin: string, key: string, from: Pin | null, to: Pin, registry: string[] }}
 *   PinAdvance */

export const PINS_MAX = 64;
export const LOGS_MAX = 64;
const PLAIN_ORIGIN = /^[a-z0-9.\-_/:~]+$/;
const HASH = /^0x[0-9a-f]{64}$/;

/** A log's name as it can be shown: letters that may be taken for others are escaped. @param {string} origin */
export function shownOrigin(origin) {
  return Array.from(origin, (letter) => /^[!-@[\]-~]$/.test(letter) ? letter
    : `\\u{${/** @type {number} */ (letter.codePointAt(0)).toString(16)}}`).join("");
}

/** @param {Logs} logs @param {string} origin @returns {TrustedLog | undefined} */
export const findLog = (logs, origin) => logs.find((log) => log.origin === origin);

/** The log with its key: every move of a pin needs one.
 * @param {Logs} logs @param {string} origin @returns {TrustedLog & { key: LogKey }} */
export function logWithKey(logs, origin) {
  const log = findLog(logs, origin);
  if (!log) {
    throw new TrustError("unknown_log", `log ${shownOrigin(origin)} is not in the trust store: pin its key first`);
  }
  if (!log.key) {
    throw new TrustError("no_key", `no key of ${shownOrigin(origin)} is pinned: its pins never move; pin its key`);
  }
  return /** @type {TrustedLog & { key: LogKey }} */ (log);
}

/** The log, or a new one at the end. @param {Logs} logs @param {string} origin @returns {TrustedLog} */
function logOrNew(logs, origin) {
  if (origin === "" || utf8(origin).length > 255 || /[\p{White_Space}+]/u.test(origin)) {
    throw new TrustError("origin",
      `an origin has 1 to 255 bytes, without white space and +, got ${shownOrigin(origin)}`);
  }
  if (!PLAIN_ORIGIN.test(origin)) {
    throw new TrustError("confusing", `the origin ${shownOrigin(origin)} may be taken for another: only lower case ` +
      "letters, digits and .-_/:~ are pinned");
  }
  const known = findLog(logs, origin);
  if (!known && logs.length >= LOGS_MAX) throw new TrustError("full", `the trust store has at most ${LOGS_MAX} logs`);
  return known ?? { origin, key: null, registry: [], pins: [] };
}

/** @param {Logs} logs @param {TrustedLog} log @returns {Logs} */
function withLog(logs, log) {
  return findLog(logs, log.origin) ? logs.map((one) => (one.origin === log.origin ? log : one)) : [...logs, log];
}

/** Trusts a key, and every note that it signs together with the policy's witnesses.
 *
 * A given key confirms the same key of first use. `replaces`: the key takes the place of another; pins stay, and a log
 * under the new key must extend each. Without a policy the earlier one stays.
 * @param {Logs} logs @param {string} vkey @param {{ policy?: string | null, firstUse?: boolean, replaces?: boolean }} [how]
 * @returns {Logs} */
export function withKey(logs, vkey, { policy = null, firstUse = false, replaces = false } = {}) {
  const key = checked("key", "malformed log key (vkey)", () => parseKey(vkey));
  const parsed = policy === null ? null : checked("policy", "malformed policy", () => parsePolicy(policy));
  const names = parsed?.logs ?? [];
  if (names.length > 0 && !names.some((one) => one.name === key.name && same(one.key, key.key))) {
    throw new TrustError("policy", `the policy names logs, and not the key of ${shownOrigin(key.name)}`);
  }
  const log = logOrNew(logs, key.name);
  const before = log.key;
  const isSame = before === null || before.key === vkey;
  if (!isSame && !replaces) {
    throw new TrustError("other_key",
      `the key of ${shownOrigin(log.origin)} is pinned as ${before?.key}, not ${vkey}; ` +
      "where the operator announced a new key, and you know it from elsewhere, pin it with replaces");
  }
  const wasGiven = isSame && before !== null && !before.firstUse;
  const kept = before?.policy ?? null;
  const now = parsed === null ? kept : parsed.quorum === null ? null : parsed.text;
  return withLog(logs, { ...log, key: { key: vkey, firstUse: firstUse && !wasGiven, policy: now } });
}

/** Trusts a SuperRoot known from elsewhere: read on-chain, or from a trusted person.
 * @param {Logs} logs @param {string} origin @param {number} sequence @param {string} superRootHash 0x and 64 hex digits
 * @param {string | null} [note] @returns {Logs} */
export function withPin(logs, origin, sequence, superRootHash, note = null) {
  const hash = superRootHash.toLowerCase();
  if (!Number.isSafeInteger(sequence) || sequence < 0) {
    throw new TrustError("malformed", "a sequence is a whole number below 2^53");
  }
  if (!HASH.test(hash)) throw new TrustError("malformed", "a SuperRoot hash is 0x and 64 hex digits");
  const log = logOrNew(logs, origin);
  const known = log.pins.find((pin) => pin.sequence === sequence);
  if (known?.superRootHash === hash) return withLog(logs, log);
  if (known) throw forkError(origin, sequence, known.superRootHash, hash);
  if (log.pins.length >= PINS_MAX) {
    throw new TrustError("full", `the trust store has at most ${PINS_MAX} pins of a log`);
  }
  const pins = [...log.pins, { sequence, superRootHash: hash, note }].sort((one, other) => one.sequence - other.sequence);
  return withLog(logs, { ...log, pins });
}

/** @param {string} origin @param {number} sequence @param {string} pinned @param {string} got */
export function forkError(origin, sequence, pinned, got) {
  return new TrustError("fork", `SuperRoot ${sequence} of ${shownOrigin(origin)} is pinned as ${pinned}, not ${got}: the log has forked`);
}

/** Moves the newest pin as a checked step says; a step for another state of the store is refused (`changed`).
 * @param {Logs} logs @param {PinAdvance} step @returns {Logs} */
export function withAdvance(logs, step) {
  const log = findLog(logs, step.origin);
  const newest = log?.pins[log.pins.length - 1] ?? null;
  const isSame = log?.key?.key === step.key && newest?.sequence === step.from?.sequence &&
    newest?.superRootHash === step.from?.superRootHash && newest?.note === step.from?.note;
  if (!log || !isSame) {
    throw new TrustError("changed",
      `the trust store has changed meanwhile as to ${shownOrigin(step.origin)}: ` +
      "nothing was moved, try again");
  }
  const kept = log.pins.slice(log.pins.length >= PINS_MAX ? 1 : 0);
  return withLog(logs, { ...log, pins: [...kept, step.to], registry: step.registry });
}

/** Removes a log, or one pin of it. @param {Logs} logs @param {string} origin @param {number} [sequence] @returns {Logs} */
export function without(logs, origin, sequence) {
  const changed = logs.map((log) => {
    if (log.origin !== origin) return log;
    if (sequence === undefined) return { ...log, key: null, pins: [] };
    return { ...log, pins: log.pins.filter((pin) => pin.sequence !== sequence) };
  });
  return changed.filter((log) => log.pins.length > 0 || log.key !== null);
}

/** Refuses logs that have lost pins or keys which were read before: an older copy of the store came back.
 * @param {Logs} logs @param {Logs} before read earlier by this process */
export function checkNotOlder(logs, before) {
  for (const earlier of before) {
    const [now, newest] = [findLog(logs, earlier.origin), earlier.pins[earlier.pins.length - 1]];
    if (!now || !newest) continue; // removed on purpose, or never pinned
    const last = now.pins[now.pins.length - 1];
    if (!last || last.sequence < newest.sequence) {
      throw new TrustError("older", `the trust store ends at SuperRoot ${last?.sequence ?? "none"} of ` +
        `${shownOrigin(now.origin)}, it had SuperRoot ${newest.sequence} before: an older copy was restored; bring the newer ` +
        "one back, or open the store again");
    }
  }
}

/** Runs a check; what fails in it is that kind of TrustError.
 * @template T @param {import("./error.js").TrustCode} code @param {string} what @param {() => T} run @returns {T} */
function checked(code, what, run) {
  try {
    return run();
  } catch (cause) {
    throw new TrustError(code, `${what}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

/** The first number that a registry withdraws of a chain; null where it withdraws none.
 * @param {readonly string[]} registry @param {{ family: number, id: number }} chain @returns {number | null} */
export function withdrawnFrom(registry, chain) {
  for (const text of registry) {
    const profile = readProfile(fromHex(text));
    if (profile.family !== chain.family || profile.id !== chain.id) continue;
    const withdrawn = profile.rules.filter(([, code]) => code === 0).map(([from]) => from);
    return withdrawn.length > 0 ? Math.min(...withdrawn) : null;
  }
  return null;
}
