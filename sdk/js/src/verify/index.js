// @ts-check
// `@superroot/client/verify`: checks `.srproof` files by hashing, without a service.

import { CHAINS } from "./chains.js";
import * as srproof from "./srproof.js";

export { CHAINS };
export { ProofError, checkAnchor, verifyProof } from "./srproof.js";
export { decode, readFinality, readProfile } from "./file.js";
export { FAMILIES, LEDGERS } from "./ledger/index.js";
export { fingerprintOf, isSignedBy, parseAnyKey, parseKey, parseNote, signedBy } from "./note.js";
export { NoteError, isMet, parsePolicy, verifyNote } from "./policy.js";
export { Fault } from "./reader.js";

/** @typedef {import("./srproof.js").Shown} Shown */
/** @typedef {import("./srproof.js").ShownProof} ShownProof */
/** @typedef {import("./srproof.js").Trust} Trust */
/** @typedef {import("./proof.js").Chain} Chain */

/** Checks a file: every level, and that it leads to what the caller trusts.
 * @param {Uint8Array} bytes a `.srproof` file @param {Trust & { chains?: import("./proof.js").Chain[],
 *   admitsUnknownChains?: boolean }} [brought] the package's chains where none are brought
 * @returns {Shown} throws a ProofError that names the step at which it fails */
export function verify(bytes, { chains = CHAINS, ...brought } = {}) {
  return srproof.verify(bytes, { chains, ...brought });
}

/** Checks the levels of a file, without an anchor.
 * @param {Uint8Array} bytes @param {{ chains?: import("./proof.js").Chain[], admitsUnknownChains?: boolean }} [known]
 * @returns {ShownProof} throws a ProofError */
export function verifyLevels(bytes, { chains = CHAINS, admitsUnknownChains } = {}) {
  return srproof.verifyLevels(bytes, { chains, admitsUnknownChains });
}
