// @ts-check
// Finality by a chain's own consensus, checked from a set of signers that the client pinned: docs/finality.md.
//
// pinned set ──step──► set ──step──► set ──┐
//                                          ├──► shown: a final block, and what is still trusted
// evidence about one block ────────────────┘          │
//                                                   link: the headers from it down to the block in question
//
// Set, steps, evidence and link come from anywhere: each is checked. No error escapes: every call answers a verdict.

import { copyOf, need, Reader, reading, same } from "./bytes.js";
import { KINDS } from "./kinds.js";
import { follow, readLink } from "./link.js";
import { encoding, otherBlock, otherKind, otherNumber, otherRoot, Shortfall, verdictOf } from "./verdict.js";

export { builtInSet, checkableChains, paramsOf, signingChain } from "./chains.js";
export const EVIDENCE_BYTES_MAX = 128 << 10;
export const STEPS_BYTES_MAX = 2 << 20;
const STEPS_MAX = 0xffff;

/** @typedef {import("./kinds.js").FinalityKind} FinalityKind */
/** @typedef {import("./kinds.js").FinalityParams} FinalityParams */
/** @typedef {import("./verdict.js").NotEnough} NotEnough */
/** @typedef {import("./verdict.js").Refused} Refused */
/** A final block. `number` is null where the evidence does not bind it; `target` is the hash of the evidence's block,
 * this one or a descendant; `set` the id of the signing set; `steps` how many led to it; `at` the signature's time in
 * seconds since 1970; `by` who signed, and `trust` what is still trusted, in words.
 * @typedef {{ verdict: "shown", kind: FinalityKind, number: bigint | null, hash: Uint8Array, target: Uint8Array,
 *   set: Uint8Array, steps: number, at: bigint | null, by: string, trust: string }} FinalityShown */
/** @typedef {{ verdict: "shown", set: FinalitySet }} SetShown */
/** As a file of format 02 has them: `steps` lead in order from an earlier set to the signing one.
 * @typedef {{ evidence: Uint8Array, link: Uint8Array, steps: Uint8Array[] }} FinalityProof */
/** The block in question: the code of its header rule, its stated number, and its hash.
 * @typedef {{ rule: number, number: bigint | number, hash: Uint8Array }} FinalityQuestion */
/** Seconds since 1970. @typedef {bigint | number} Time */

const MADE_HERE = Symbol("a set made by readSet or advance");

/** Who may sign, read and checked; made by {@link readSet} and {@link advance} alone. */
export class FinalitySet {
  /** @type {any} */
  #content;

  /** @param {symbol} key @param {FinalityKind} kind @param {any} content */
  constructor(key, kind, content) {
    if (key !== MADE_HERE) throw new TypeError("a set is made by readSet");
    this.kind = kind;
    this.#content = content;
    Object.freeze(this);
  }

  /** Id for pins. @returns {Uint8Array} */
  get id() {
    return rowOf(this.kind).rules.id(this.#content).slice();
  }

  /** A period on Ethereum and Bitcoin, an epoch on Sui, BNB Smart Chain and Aptos, a day on Tron. @returns {bigint} */
  get number() {
    return rowOf(this.kind).rules.number(this.#content);
  }

  /** Seconds since 1970 at which the set begins to sign, if known. @param {FinalityParams} params
   * @returns {bigint | null} */
  begins(params) {
    return rowOf(params.kind).rules.begins(contentOf(this, params), params);
  }

  /** Last second of trust; null for ever. @param {FinalityParams} params @returns {bigint | null} */
  trustedUntil(params) {
    return rowOf(params.kind).rules.trustedUntil(contentOf(this, params), params);
  }

  /** @param {FinalitySet} set @returns {any} */
  static content(set) {
    return set.#content;
  }
}

/** @param {FinalitySet} set @param {FinalityParams} params @returns {any} */
function contentOf(set, params) {
  if (!(set instanceof FinalitySet)) throw new TypeError("a set is made by readSet");
  if (set.kind !== params.kind) throw otherKind();
  return FinalitySet.content(set);
}

/** @param {string} kind */
function rowOf(kind) {
  const row = KINDS.get(kind);
  if (!row) throw new Shortfall("unchecked", "this kind is not checked here");
  return row;
}

/** @param {Time} time @returns {bigint} whole seconds */
const secondsOf = (time) => (typeof time === "bigint" ? time : BigInt(Math.floor(time)));

/** What a set signed; the number is only claimed where the kind does not bind it.
 * @typedef {{ byte: number, number: bigint, hash: Uint8Array, body: Uint8Array }} Evidence */

/** `kind:u8 ‖ length:u32 ‖ number:u64 ‖ hash:32 ‖ body` @param {Uint8Array} bytes @returns {Evidence} */
const readEvidence = (bytes) => reading("evidence of finality", () => {
  need(bytes.length <= EVIDENCE_BYTES_MAX);
  const reader = new Reader(bytes);
  const byte = reader.u8();
  need([...KINDS.values()].some((row) => row.byte === byte));
  const inner = new Reader(reader.long());
  reader.end();
  return { byte, number: inner.u64(), hash: inner.hash(), body: inner.rest() };
});

/** @param {FinalityParams} params @param {any} content of the set @param {Evidence} evidence @param {bigint} now
 * @returns {FinalityShown} */
function signed(params, content, { byte, number, hash, body }, now) {
  const { bindsNumber, byte: expected, rules, trust } = rowOf(params.kind);
  if (byte !== expected) throw otherKind();
  const { at, by } = rules.check(params, content, { number, hash }, body, now);
  return {
    verdict: "shown", kind: params.kind, number: bindsNumber ? number : null, hash, target: hash,
    set: rules.id(content).slice(), steps: 0, at, by, trust,
  };
}

/** Reads a set. With an `id`, any other set is refused; without one, compare {@link FinalitySet.id} with a pin yourself.
 * @param {FinalityParams} params @param {Uint8Array} bytes @param {Uint8Array} [id] as pinned
 * @returns {SetShown | NotEnough | Refused} */
export function readSet(params, bytes, id) {
  return verdictOf(() => {
    const { rules } = rowOf(params.kind);
    const content = rules.decode(params, copyOf(bytes));
    if (id !== undefined && !same(rules.id(content), id)) throw otherRoot();
    return { verdict: "shown", set: new FinalitySet(MADE_HERE, params.kind, content) };
  });
}

/** Checks evidence with the signing set.
 * @param {FinalityParams} params @param {FinalitySet} set @param {Uint8Array} evidence @param {Time} now
 * @returns {FinalityShown | NotEnough | Refused} */
export function check(params, set, evidence, now) {
  return verdictOf(() => {
    return signed(params, contentOf(set, params), readEvidence(copyOf(evidence)), secondsOf(now));
  });
}

/** Checks a step: the set behind this one.
 * @param {FinalityParams} params @param {FinalitySet} set @param {Uint8Array} step @param {Time} now
 * @returns {SetShown | NotEnough | Refused} */
export function advance(params, set, step, now) {
  return verdictOf(() => {
    if (step.length > STEPS_BYTES_MAX) throw encoding("step");
    const content = rowOf(params.kind).rules.advance(params, contentOf(set, params), copyOf(step), secondsOf(now));
    return { verdict: "shown", set: new FinalitySet(MADE_HERE, params.kind, content) };
  });
}

/** Takes steps in order. While none was taken, one that leads to the own set or to an earlier one is skipped.
 * @param {FinalityParams} params @param {any} own content of the set @param {Uint8Array[]} steps @param {bigint} now */
function advanceAll(params, own, steps, now) {
  const { rules } = rowOf(params.kind);
  let [content, taken] = [own, 0];
  for (const step of steps) {
    try {
      content = rules.advance(params, content, step, now);
      taken += 1;
    } catch (error) {
      const sets = error instanceof Shortfall ? error.sets : undefined;
      if (!sets || taken > 0 || sets.needed >= sets.held) throw error;
    }
  }
  return { content, taken };
}

/** Checks a block's finality from a trusted set: steps, the last set's signature, and headers down to the block. The
 * number that is reached must be the stated one.
 * @param {FinalityParams} params @param {FinalitySet} set @param {FinalityProof} proof
 * @param {FinalityQuestion} question @param {Time} now @returns {FinalityShown | NotEnough | Refused} */
export function checkBlock(params, set, proof, question, now) {
  return verdictOf(() => {
    const time = secondsOf(now);
    const expected = { number: BigInt(question.number), hash: copyOf(question.hash) };
    const evidence = readEvidence(copyOf(proof.evidence));
    const link = reading("link of finality", () => readLink(copyOf(proof.link)));
    const total = proof.steps.reduce((sum, step) => sum + step.length, 0);
    if (proof.steps.length > STEPS_MAX || total > STEPS_BYTES_MAX) throw encoding("steps of finality");
    const { content, taken } = advanceAll(params, contentOf(set, params), proof.steps.map(copyOf), time);
    const shown = signed(params, content, evidence, time);
    const ring = params.kind === "anchor" ? BigInt(params.history_blocks) : 0n;
    const got = follow(link, question.rule, ring, evidence);
    if (!same(got.hash, expected.hash)) throw otherBlock(got.hash, expected.hash);
    if (got.number !== expected.number) throw otherNumber(got.number, expected.number);
    const number = shown.number === null ? null : expected.number;
    return { ...shown, number, hash: got.hash.slice(), steps: taken };
  });
}

/** Splits the finality of a file of format 02, or `finality_proof` of an answer:
 * `length:u32 ‖ evidence ‖ length:u32 ‖ link ‖ count:u16 ‖ (length:u32 ‖ step)*`.
 * @param {Uint8Array} bytes @returns {({ verdict: "shown" } & FinalityProof) | NotEnough | Refused} */
export function splitProof(bytes) {
  return verdictOf(() => reading("finality", () => {
    const reader = new Reader(copyOf(bytes));
    const [evidence, link] = [reader.long(), reader.long()];
    need(reader.left <= STEPS_BYTES_MAX);
    const steps = Array.from({ length: reader.u16() }, () => reader.long());
    reader.end();
    return { verdict: "shown", evidence, link, steps };
  }));
}
