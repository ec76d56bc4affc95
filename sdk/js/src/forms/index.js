// @ts-check
// Every form of proof besides the proof file, and one entry that recognises what it is given.

import { verify } from "../verify/srproof.js";
import { shapeOf, verifyAnswer } from "./answer.js";
import { isBlob, readCheckedBlob } from "./blob.js";
import { isConsistency, verifyConsistency } from "./consistency.js";
import { isEvidence, verifyEvidence } from "./evidence.js";
import { fault, within } from "./fault.js";
import { parseJson } from "./json.js";

/** @typedef {import("./json.js").Json} Json */
/** What the caller trusts and knows. `key` or `trustedHash`: as `verify` takes them; for consistency `trustedHash` is the
 * earlier SuperRoot. `laterHash`: for consistency, the later SuperRoot, where the caller knows it. `stables`: addresses
 * of tokens that the caller takes for a dollar in a price.
 * @typedef {{ chains: import("../verify/srproof.js").Chain[], key?: import("../verify/note.js").Key,
 *   trustedHash?: Uint8Array, laterHash?: Uint8Array, stables?: string[] }} Trust */

const MAGIC = "SRPROOF";

/** @param {Uint8Array} bytes @param {string} magic */
const startsWith = (bytes, magic) => Array.from(magic, (letter, at) => bytes[at] === letter.charCodeAt(0)).every(Boolean);

/** Checks whatever form of proof it is given: a proof file, or JSON.
 * @param {unknown} input bytes of a file, a text, or parsed JSON @param {Trust} trust
 * @returns {{ form: string, [member: string]: any }} what is shown; throws a ProofError with the failing `step` */
export function verifyAny(input, trust) {
  if (input instanceof Uint8Array) {
    if (startsWith(input, MAGIC)) return { form: "proof", shown: verify(input, trust) };
  }
  const body = within("encoding", () => parseJson(input));
  return verifyJson(body, trust);
}

/** @param {Json} body @param {Trust} trust @returns {{ form: string, [member: string]: any }} */
function verifyJson(body, trust) {
  if (isEvidence(body)) return { form: "evidence", ...verifyEvidence(body) };
  if (isConsistency(body)) return { form: "consistency", ...verifyConsistency(body, trust) };
  if (isBlob(body)) return { form: "blob", ...readCheckedBlob(body) };
  if (shapeOf(body)) return { form: "answer", ...verifyAnswer(body, trust) };
  throw fault("encoding", "no form of proof that is known here");
}
