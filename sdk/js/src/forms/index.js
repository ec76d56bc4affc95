// @ts-check
// Every form of proof besides the proof file, and one entry that recognises what it is given.

import { CHAINS } from "../verify/chains.js";
import { verify } from "../verify/srproof.js";
import { shapeOf, verifyAnswer } from "./answer.js";
import { isBlob, readCheckedBlob } from "./blob.js";
import { isConsistency, verifyConsistency } from "./consistency.js";
import { isEvidence, verifyEvidence } from "./evidence.js";
import { fault, within } from "./fault.js";
import { parseJson } from "./json.js";
import { isLaunch, verifyLaunch } from "./launch.js";
import { isPrice, verifyPrice } from "./price.js";
import { isScanAnswer, verifyScanAnswer } from "./scan-answer.js";
import { decodeScan, isScanFile, verifyScan } from "./scan.js";
import { isUsage, verifyUsage } from "./usage.js";

/** @typedef {import("./json.js").Json} Json */
/** What the caller knows and trusts. For consistency `trustedHash` is the earlier SuperRoot, and `laterHash` the later
 * one, where the caller knows it. `stables`: addresses of tokens that the caller takes for a dollar in a price.
 * @typedef {import("../verify/srproof.js").Known & import("../verify/srproof.js").Trust & { laterHash?: Uint8Array,
 *   stables?: string[] }} Brought */
/** @typedef {Omit<Brought, "chains"> & { chains?: import("../verify/proof.js").Chain[] }} Asked the package's chains
 *   where none are brought */

const MAGIC = "SRPROOF";

/** @param {Uint8Array} bytes @param {string} magic */
const startsWith = (bytes, magic) => Array.from(magic, (letter, at) => bytes[at] === letter.charCodeAt(0)).every(Boolean);

/** Checks whatever form of proof it is given: a proof file, or JSON.
 * @param {unknown} input bytes of a file, a text, or parsed JSON @param {Asked} [asked]
 * @returns {{ form: string, [member: string]: any }} what is shown; throws a ProofError with the failing `step` */
export function verifyAny(input, asked = {}) {
  const brought = { chains: CHAINS, ...asked };
  if (input instanceof Uint8Array) {
    if (startsWith(input, MAGIC)) return { form: "proof", shown: verify(input, brought) };
    if (isScanFile(input)) return { form: "scan", ...verifyScan(within("encoding", () => decodeScan(input)), brought) };
  }
  const body = within("encoding", () => parseJson(input));
  return verifyJson(body, brought);
}

/** @param {Json} body @param {Brought} brought @returns {{ form: string, [member: string]: any }} */
function verifyJson(body, brought) {
  if (isEvidence(body)) return { form: "evidence", ...verifyEvidence(body) };
  if (isScanAnswer(body)) return { form: "scan", ...verifyScanAnswer(body, brought) };
  if (isPrice(body)) return { form: "price", ...verifyPrice(body, brought) };
  if (isUsage(body)) return { form: "usage", ...verifyUsage(body, brought) };
  if (isLaunch(body)) return { form: "launch", ...verifyLaunch(body, brought) };
  if (isConsistency(body)) return { form: "consistency", ...verifyConsistency(body, brought) };
  if (isBlob(body)) return { form: "blob", ...readCheckedBlob(body) };
  if (shapeOf(body)) return { form: "answer", ...verifyAnswer(body, brought) };
  throw fault("encoding", "no form of proof that is known here");
}
