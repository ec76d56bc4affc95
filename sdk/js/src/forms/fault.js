// @ts-check
// Failures of forms: a ProofError with the step as docs/protocol/vectors.md names it.

import { ProofError } from "../verify/srproof.js";

/** Steps besides those of a proof file: `body` (a member contradicts the proof), `consistency`, `blob`, `headers`,
 * `receipts`, and the steps of evidence, prices, launches and usage.
 * @typedef {string} FormStep */

/** @param {FormStep} step @param {string} message @returns {ProofError} */
export function fault(step, message) {
  return new ProofError(/** @type {any} */ (step), message);
}

/** Runs a part of a check: what fails in it fails at that step.
 * @template T @param {FormStep} step @param {() => T} run @returns {T} */
export function within(step, run) {
  try {
    return run();
  } catch (error) {
    if (error instanceof ProofError) throw error;
    throw fault(step, error instanceof Error ? error.message : String(error));
  }
}

/** Runs a part of a check: whatever fails in it, fails at that step, also a proof within.
 * @template T @param {FormStep} step @param {() => T} run @returns {T} */
export function allWithin(step, run) {
  try {
    return run();
  } catch (error) {
    throw fault(step, error instanceof Error ? error.message : String(error));
  }
}

/** @param {unknown} holds @param {string} message @returns {asserts holds} */
export function need(holds, message) {
  if (!holds) throw new Error(message);
}

/** @param {unknown} holds @param {FormStep} step @param {string} message @returns {asserts holds} */
export function needAt(holds, step, message) {
  if (!holds) throw fault(step, message);
}
