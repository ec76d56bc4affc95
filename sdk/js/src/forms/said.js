// @ts-check
// Members of an answer, compared with what its proofs show: JSON values, exactly.

import { toHex } from "../verify/hash.js";
import { Fault } from "./fault.js";
import { shorten } from "./json.js";

/** @typedef {import("./json.js").Json} Json */

/** Throws a Fault where a member that is there is another. @param {Json | undefined} said @param {string} path
 * @param {Record<string, string | number | null>} proven */
export function checkSaid(said, path, proven) {
  if (!(said instanceof Map)) return;
  for (const [name, value] of Object.entries(proven)) {
    if (said.has(name) && said.get(name) !== value) {
      throw new Fault(`member ${path}${name} says ${shorten(said.get(name))}, proven is ${shorten(value)}`);
    }
  }
}

/** Compares the SuperRoot that an answer names with the proven one. @param {Json} body
 * @param {import("../verify/proof.js").ShownProof} shown */
export function checkSaidAnchor(body, { superRoot }) {
  if (!superRoot || !(body instanceof Map)) return;
  const { sequence, timestamp, hash } = superRoot;
  for (const [name, hashName] of [["v5Anchor", "superRootHash"], ["v5_anchor", "super_root_hash"]]) {
    checkSaid(body.get(name), `${name}.`, { sequence, [hashName]: toHex(hash), timestamp });
  }
}
