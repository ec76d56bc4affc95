// @ts-check
// Whether a valid proof leads to something that the store trusts.

import { concat, fromHex, same, toHex } from "../verify/hash.js";
import { isSignedBy, parseKey, parseNote } from "../verify/note.js";
import { isMet, parsePolicy } from "../verify/policy.js";
import { DistrustError } from "./error.js";
import { findLog, shownOrigin, withdrawnFrom } from "./logs.js";

/** @typedef {import("./logs.js").TrustedLog} TrustedLog */
/** @typedef {import("./logs.js").LogKey} LogKey */
/** @typedef {import("../verify/note.js").Note} Note */

/** What the judgment needs of a checked proof: a `ShownProof` has it.
 * @typedef {{ origin: string, chain: { family: number, id: number }, number: number,
 *   superRoot: { sequence: number, hash: Uint8Array, note: Note | null } | null }} JudgedFacts */

/** Why a proof is trusted.
 *
 * `by`: `pin` (its SuperRoot is a pin), `joined` (a pinned note holds it) or `not_joined` (signed, newer than the pin and
 * not compared with it: advance the pin). `size`: SuperRoots in the note's log; null with `pin`. `firstUse`: the key came
 * from the service and was never confirmed. `witnessed`: the policy asks for witnesses, and their quorum signed.
 * @typedef {{ by: "pin" | "joined" | "not_joined", size: number | null, firstUse: boolean, witnessed: boolean }} TrustReason */

/** Judges the facts of a valid proof. Throws a DistrustError: the pins say nothing about them, or contradict them.
 * @param {readonly TrustedLog[]} logs @param {JudgedFacts} facts @returns {TrustReason} */
export function judge(logs, facts) {
  const { superRoot, origin } = facts;
  const shown = shownOrigin(origin);
  if (!superRoot) throw new DistrustError("no_super_root", "the proof ends below level 5 and leads to no SuperRoot");
  const log = findLog(logs, origin);
  if (!log) throw new DistrustError("unknown_log", `log ${shown} is not in the trust store: pin its key first`);
  checkWithdrawn(log, facts);
  const { sequence, note } = superRoot;
  const isPinned = isPinOf(log, sequence, toHex(superRoot.hash));
  if (!log.key || !note) {
    if (!isPinned && log.key) {
      throw new DistrustError("no_note",
        `SuperRoot ${sequence} of ${shown} is not pinned, and the proof has no signed ` +
        "note: ask the service for it with ?note=1");
    }
    if (!isPinned) {
      throw new DistrustError("no_key", `SuperRoot ${sequence} of ${shown} is not pinned, and no key of that log is`);
    }
    return { by: "pin", size: null, firstUse: isFirstUse(log), witnessed: false };
  }
  checkOneHistory(log, log.key, note);
  const refusal = refusalOf(log.key, note);
  if (refusal && !isPinned) throw refusal;
  const witnessed = !refusal && log.key.policy !== null;
  if (isPinned) return { by: "pin", size: null, firstUse: isFirstUse(log), witnessed };
  const size = Number(note.size); // below 2^53 in a proof
  return { by: relationOf(log, size), size, firstUse: isFirstUse(log), witnessed };
}

/** A key of first use counts as unconfirmed while no pin was set by hand. @param {TrustedLog} log */
const isFirstUse = (log) => log.key !== null && log.key.firstUse && log.pins.every((pin) => pin.note !== null);

/** Blocks that the newest pin's registry withdraws are true under no SuperRoot of the log.
 * @param {TrustedLog} log @param {JudgedFacts} facts */
function checkWithdrawn(log, { chain, number }) {
  const newest = log.pins[log.pins.length - 1];
  if (!newest) return;
  const from = withdrawnFrom(log.registry, chain);
  if (from !== null && from <= number) {
    throw new DistrustError("withdrawn", `block ${number} of chain ${chain.id} was withdrawn by the log: SuperRoot ` +
      `${newest.sequence}, which you pinned, says so`);
  }
}

/** @param {TrustedLog} log @param {number} sequence @param {string} got @returns {boolean} */
function isPinOf(log, sequence, got) {
  const pin = log.pins.find((one) => one.sequence === sequence);
  if (pin && pin.superRootHash !== got) {
    throw new DistrustError("fork",
      `SuperRoot ${sequence} of ${shownOrigin(log.origin)} is ${got}, pinned is ${pin.superRootHash}`);
  }
  return pin !== undefined;
}

/** Why a note does not count by the key and its policy; null where it counts. @param {LogKey} key @param {Note} note */
export function refusalOf(key, note) {
  const parsed = parseKey(key.key);
  if (note.origin !== parsed.name) {
    return new DistrustError("note_origin", `the note is of ${shownOrigin(note.origin)}, the key is of ${shownOrigin(parsed.name)}`);
  }
  if (!isSignedBy(note, parsed)) return new DistrustError("signature", "the note is not signed by the pinned key");
  if (key.policy !== null && !isMet(parsePolicy(key.policy), note)) {
    return new DistrustError("quorum", "the note has not the witnesses that the policy asks for");
  }
  return null;
}

/** A log signs one root a size: another root under a pin's size, signed by the pinned key, contradicts the pin even
 * without witnesses. @param {TrustedLog} log @param {LogKey} key @param {Note} note */
function checkOneHistory(log, key, note) {
  const own = noteOfSize(log, Number(note.size));
  if (own === null || !isSignedBy(note, parseKey(key.key))) return;
  if (same(parseNote(own).root, note.root)) return;
  throw new DistrustError("two_histories", `the key of ${shownOrigin(log.origin)} signed two histories of one size`,
    { evidence: "two_notes", key: key.key, notes: [own, textOf(note)] });
}

/** The note as it was signed: it has one form. @param {Note} note @returns {string} */
function textOf({ text, signatures }) {
  const lines = signatures.map(({ name, id, signature }) => {
    const bytes = concat(fromHex(id), signature);
    return `\u2014 ${name} ${btoa(String.fromCharCode(...bytes))}\n`;
  });
  return `${text}\n${lines.join("")}`;
}

/** A signed size at or below the newest pin's must be a pin's. @param {TrustedLog} log @param {number} size */
function relationOf(log, size) {
  if (noteOfSize(log, size) !== null) return "joined";
  const newest = log.pins[log.pins.length - 1];
  if (newest && size <= newest.sequence + 1) {
    throw new DistrustError("older_note",
      `the proof's note is of size ${size}, no newer than SuperRoot ${newest.sequence}, ` +
      "which you pinned, and was never compared with it: fetch the proof again");
  }
  return "not_joined";
}

/** The note under which the last SuperRoot of that size was pinned. @param {TrustedLog} log @param {number} size */
function noteOfSize(log, size) {
  return log.pins.find((pin) => pin.sequence + 1 === size)?.note ?? null;
}

