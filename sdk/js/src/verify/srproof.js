// @ts-check
// Checks a `.srproof` file up to what the caller trusts: docs/protocol.md, "What a verifier does".

import { decode } from "./file.js";
import { fromHex } from "./hash.js";
import { isSignedBy, parseKey } from "./note.js";
import { isMet, parsePolicy } from "./policy.js";
import { ProofError, runStep, verifyProof } from "./proof.js";
import { Fault, match, need } from "./reader.js";

export { ProofError, verifyProof };

/** @typedef {import("./proof.js").Chain} Chain */
/** @typedef {import("./proof.js").Level} Level */
/** @typedef {import("./proof.js").Step} Step */
/** @typedef {import("./proof.js").ShownProof} ShownProof */
/** @typedef {import("./file.js").Proof} Proof */
/** @typedef {import("./ledger/index.js").Subject} Subject */
/** What the caller trusts: a SuperRoot's hash, or the log's key (or a policy that names it), with the cosignatures that
 * the policy asks for. @typedef {{ trustedHash?: Uint8Array | string, key?: import("./note.js").Key | string,
 *   policy?: import("./policy.js").Policy | string }} Trust */
/** @typedef {{ chains: Chain[], admitsUnknownChains?: boolean }} Known */

/** That a proof leads to what the caller trusts. @param {ShownProof} shown @param {Trust} trust
 * @returns {string} by what it is anchored, in words; throws a ProofError at `anchor` */
export function checkAnchor(shown, trust) {
  return runStep("anchor", shown.levels, () => needAnchor(shown.superRoot, trust));
}

/** @param {string} text @returns {Uint8Array} throws a Fault */
export function readHash(text) {
  need(/^(0x)?[0-9a-fA-F]{64}$/.test(text), "a trusted hash has 64 hex digits");
  return fromHex(text);
}

/** @param {import("./proof.js").SuperRoot | null} superRoot @param {Trust} trust */
function needAnchor(superRoot, { trustedHash, key, policy }) {
  if (!superRoot) throw new Fault("the proof ends below level 5 and names no SuperRoot");
  if (trustedHash) {
    match(superRoot.hash, typeof trustedHash === "string" ? readHash(trustedHash) : trustedHash, "hash of the SuperRoot");
    if (!key && !policy) return "this is the SuperRoot that you named";
  }
  const asked = typeof policy === "string" ? parsePolicy(policy) : policy;
  const keys = key ? [typeof key === "string" ? parseKey(key) : key] : asked?.logs ?? [];
  need(keys.length > 0, "no key and no hash is trusted");
  const { note } = superRoot;
  if (!note) throw new Fault("the proof carries no signed note");
  need(keys.some((one) => isSignedBy(note, one)), "the note is not signed by the key that you trust");
  need(!asked || isMet(asked, note), "the note has not the witnesses that the policy asks for");
  const witnesses = asked?.quorum ? " and by the quorum of your witnesses" : "";
  return `a note of ${note.size} SuperRoots, signed by the log's key${witnesses}, holds SuperRoot ${superRoot.sequence}`;
}

/** Checks the levels of a file, without an anchor: what is shown stands under a SuperRoot that nobody vouches for yet.
 * @param {Uint8Array} bytes @param {Known} known @returns {ShownProof} throws a ProofError */
export function verifyLevels(bytes, known) {
  return verifyProof(runStep("encoding", [], () => decode(bytes)), known);
}

/** Checks a file: every level, and that it leads to what the caller trusts.
 * @param {Uint8Array} bytes a `.srproof` file @param {Known & Trust} brought what the caller knows and trusts
 * @returns what is shown; throws a ProofError that names the step at which it fails. `isWhole`: every level of the
 *   proof was checked, and it leads to what the caller trusts. */
export function verify(bytes, { chains, admitsUnknownChains, ...trust }) {
  const shown = verifyLevels(bytes, { chains, admitsUnknownChains });
  const detail = checkAnchor(shown, trust);
  /** @type {Level[]} */
  const levels = [...shown.levels, { step: "anchor", state: "shown", detail }];
  return { ...shown, levels, isWhole: true };
}

/** @typedef {ReturnType<typeof verify>} Shown */
