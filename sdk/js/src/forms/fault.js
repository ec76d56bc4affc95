// @ts-check
// Failures of forms: a ProofError with the step as docs/protocol/vectors.md names it.

import { ProofError } from "../verify/proof.js";
import { Fault } from "../verify/reader.js";

export { Fault };

/** Steps besides those of a proof file: `body` (a member contradicts the proof), `consistency`, `blob`, `headers`,
 * `receipts`, and the steps of evidence, prices, launches and usage. @typedef {string} FormStep */

/** @param {FormStep} step @param {string} message @param {unknown} [cause] @returns {ProofError} */
export function fault(step, message, cause = new Fault(message)) {
  return new ProofError(/** @type {any} */ (step), message, [], cause);
}

/** @param {FormStep} step @param {unknown} error @returns {ProofError} */
const of = (step, error) => fault(step, error instanceof Error ? error.message : String(error), error);

/** Runs a part of a check: what fails in it fails at that step.
 * @template T @param {FormStep} step @param {() => T} run @returns {T} */
export function within(step, run) {
  try {
    return run();
  } catch (error) {
    throw error instanceof ProofError ? error : of(step, error);
  }
}

/** Runs a part of a check: whatever fails in it fails at that step, also a proof in it.
 * @template T @param {FormStep} step @param {() => T} run @returns {T} */
export function allWithin(step, run) {
  try {
    return run();
  } catch (error) {
    throw error instanceof ProofError ? fault(step, error.message, error.cause) : of(step, error);
  }
}

/** @param {unknown} holds @param {string} message @returns {asserts holds} */
export function need(holds, message) {
  if (!holds) throw new Fault(message);
}

/** @param {unknown} holds @param {FormStep} step @param {string} message @returns {asserts holds} */
export function needAt(holds, step, message) {
  if (!holds) throw fault(step, message);
}
