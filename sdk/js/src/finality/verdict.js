// @ts-check
// What a check says, in the words of the Rust verifier.

import { bytesToHex } from "@noble/hashes/utils.js";

/** Why nothing is shown, though nothing is wrong with the bytes; `unchecked` is a kind that this module does not check.
 * @typedef {"set" | "expired" | "early" | "signers" | "work" | "confirmations" | "unchecked"} ShortfallCode */
/** Why bytes are wrong; `fault` is an error in this module, which shows nothing either.
 * @typedef {"encoding" | "branch" | "order" | "no_rules" | "signature" | "key" | "root" | "kind" | "block" | "number" |
 *   "link" | "header" | "fault"} RefusalCode */
/** Nothing is wrong with the bytes; they are not enough with this set, or not yet.
 * @typedef {{ verdict: "not_enough", code: ShortfallCode, reason: string }} NotEnough */
/** The bytes are wrong, for ever. `fault` is the error of a check that failed by itself.
 * @typedef {{ verdict: "refused", code: RefusalCode, reason: string, fault?: unknown }} Refused */

/** Ends a check without showing anything. */
export class Stop extends Error {
  /** @param {string} reason @param {boolean} isRefusal */
  constructor(reason, isRefusal) {
    super(reason);
    this.isRefusal = isRefusal;
  }
}

/** Not enough, yet nothing is wrong. */
export class Shortfall extends Stop {
  /** @param {ShortfallCode} code @param {string} reason @param {{ needed: bigint, held: bigint }} [sets] */
  constructor(code, reason, sets) {
    super(reason, false);
    this.code = code;
    this.sets = sets;
  }
}

/** Wrong bytes. */
export class Refusal extends Stop {
  /** @param {RefusalCode} code @param {string} reason */
  constructor(code, reason) {
    super(reason, true);
    this.code = code;
  }
}

/** Runs a check, from which no error escapes. @template T @param {() => T} run @returns {T | NotEnough | Refused} */
export function verdictOf(run) {
  try {
    return run();
  } catch (error) {
    if (error instanceof Shortfall) return { verdict: "not_enough", code: error.code, reason: error.message };
    if (error instanceof Refusal) return { verdict: "refused", code: error.code, reason: error.message };
    const what = error instanceof Error ? error.message : String(error);
    return { verdict: "refused", code: "fault", reason: `the check itself failed: ${what}`, fault: error };
  }
}

/** Another set signed. @param {bigint} needed @param {bigint} held */
export const otherSet = (needed, held) =>
  new Shortfall("set", `the set of number ${needed} signed it, this is the set of number ${held}`, { needed, held });

/** The set is past its trusting period. @param {bigint} of @param {bigint} seconds */
export const expired = (of, seconds) =>
  new Shortfall("expired", `the set signed until ${of}, and is trusted for ${seconds} seconds more: pin again`);

/** Of a later time than now. @param {bigint} at */
export const early = (at) => new Shortfall("early", `it is of ${at}, which is later than now`);

/** Too few members, or too little of their weight. @param {bigint | number} got @param {bigint | number} of
 * @param {bigint | number} expected */
export const fewSigners = (got, of, expected) =>
  new Shortfall("signers", `${got} of ${of} signed it, ${expected} must`);

/** @param {bigint} number */
export const cheapWork = (number) => new Shortfall("work", `header ${number} has too little work to count`);

/** @param {bigint} got @param {bigint} expected */
export const fewConfirmations = (got, expected) =>
  new Shortfall("confirmations", `${got} blocks follow it, ${expected} must`);

/** Cut short, too long, or out of bounds. @param {string} part */
export const encoding = (part) => new Refusal("encoding", `${part} cannot be read`);

/** A part that is not under its root. @param {string} part */
export const branch = (part) => new Refusal("branch", `${part} is not under its root`);

/** @param {string} what */
export const order = (what) => new Refusal("order", what);

/** @param {bigint} slot */
export const noRules = (slot) => new Refusal("no_rules", `the chain has no rules for slot ${slot}`);

/** By other keys, or over other bytes. */
export const badSignature = () => new Refusal("signature", "the signature is not that of the set");

/** @param {number} index in the set */
export const badKey = (index) => new Refusal("key", `key ${index} of the set is none`);

/** A set with another id than the pin. */
export const otherRoot = () => new Refusal("root", "the set has another id");

/** Evidence or a set of another kind than the params. */
export const otherKind = () => new Refusal("kind", "it is of another kind than the chain's evidence");

/** @param {Uint8Array} got @param {Uint8Array} expected */
export const otherBlock = (got, expected) =>
  new Refusal("block", `it is about block 0x${bytesToHex(got)}, expected 0x${bytesToHex(expected)}`);

/** @param {bigint} got @param {bigint} expected */
export const otherNumber = (got, expected) =>
  new Refusal("number", `it is about block number ${got}, expected ${expected}`);

/** @param {number} index from the newest header */
export const badLink = (index) =>
  new Refusal("link", `header ${index} of the link is not the one that is named`);

/** A header against the chain's rules. @param {bigint} number @param {string} what */
export const badHeader = (number, what) => new Refusal("header", `header ${number} breaks a rule: ${what}`);
