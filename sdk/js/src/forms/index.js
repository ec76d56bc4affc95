// @ts-check
// Every form of proof besides the proof file, and one entry that recognises what it is given.

import { CHAINS } from "../verify/chains.js";
import { ProofError } from "../verify/proof.js";
import { verify } from "../verify/srproof.js";
import { shapeOf, verifyAnswer } from "./answer.js";
import { expandBatch, isBatch } from "./batch.js";
import { isBlob, verifyBlob } from "./blob.js";
import { calldataOf, decodeCalldata, verifyCalldata } from "./calldata.js";
import { isConsistency, verifyConsistency } from "./consistency.js";
import { isEvidence, verifyEvidence } from "./evidence.js";
import { fault, within } from "./fault.js";
import { bytesFrom, parseJson } from "./json.js";
import { isLaunch, verifyLaunch } from "./launch.js";
import { isPrice, verifyPrice } from "./price.js";
import { isScanAnswer, verifyScanAnswer } from "./scan-answer.js";
import { decodeScan, isScanFile, verifyScan } from "./scan.js";
import { isUsage, verifyUsage } from "./usage.js";

export { Appending, beginConsistency, takeTwigPage } from "./consistency.js";
export { parseJson } from "./json.js";
export { decodeCalldata, decodeScan, expandBatch, verifyAnswer, verifyBlob, verifyCalldata, verifyConsistency, verifyEvidence,
  verifyLaunch, verifyPrice, verifyScan, verifyScanAnswer, verifyUsage };

/** @typedef {import("./json.js").Json} Json */
/** What the caller knows and trusts. For consistency `trustedHash` is the earlier SuperRoot, and `laterHash` the later
 * one, where the caller knows it, and `twigPages` the answers of `/v5/mini-mmr/{family}/twigs` in their order, where the
 * appended twigs are not in the answer. `origin`: the log of a proof for contracts, which does not name it. `stables`:
 * addresses of tokens that the caller takes for a dollar in a price.
 * @typedef {import("../verify/srproof.js").Known & import("../verify/srproof.js").Trust & { laterHash?: Uint8Array | string,
 *   twigPages?: unknown[], origin?: string, stables?: string[] }} Brought */
/** @typedef {Omit<Brought, "chains"> & { chains?: import("../verify/proof.js").Chain[] }} Asked the package's chains
 *   where none are brought */
/** Shown by a form: `form` names it, the other members are those that the form's own function gives.
 * @typedef {{ form: "proof", shown: import("../verify/srproof.js").Shown }
 *   | { form: "calldata" } & ReturnType<typeof verifyCalldata>
 *   | { form: "answer" } & ReturnType<typeof verifyAnswer>
 *   | { form: "scan", unproven?: string[], listed?: number | null } & ReturnType<typeof verifyScan>
 *   | { form: "evidence" } & ReturnType<typeof verifyEvidence>
 *   | { form: "price" } & ReturnType<typeof verifyPrice>
 *   | { form: "launch" } & ReturnType<typeof verifyLaunch>
 *   | { form: "usage" } & ReturnType<typeof verifyUsage>
 *   | { form: "consistency" } & ReturnType<typeof verifyConsistency>
 *   | { form: "blob" } & ReturnType<typeof verifyBlob>
 *   | { form: "batch", items: (AnyShown | ProofError)[], unproven: string[] }} AnyShown */

/** @param {Uint8Array} bytes @param {string} magic */
const startsWith = (bytes, magic) => Array.from(magic, (letter, at) => bytes[at] === letter.charCodeAt(0)).every(Boolean);

/** Checks whatever form of proof it is given: a proof file, a scan file, a proof in the form for contracts, or JSON of a
 * proof, a batch, a scan, a search with `completeness`, consistency, a blob, evidence of a fork, a price, a launch, or a
 * usage bill.
 *
 * Not checked here: evidence of finality, and contradictions of a chain's signers.
 * @param {unknown} input bytes of a file, a text, or parsed JSON (in which `7.0` is 7) @param {Asked} [asked]
 * @returns {AnyShown} what is shown; throws a ProofError with the failing `step`. Of a batch, `items` has the ProofError of
 *   every item that fails */
export function verifyAny(input, asked = {}) {
  const brought = { ...asked, chains: asked.chains ?? CHAINS };
  const bytes = bytesFrom(input);
  if (bytes && startsWith(bytes, "SRPROOF")) return { form: "proof", shown: verify(bytes, brought) };
  if (bytes && isScanFile(bytes)) return { form: "scan", ...verifyScan(within("encoding", () => decodeScan(bytes)), brought) };
  const calldata = within("form", () => calldataOf(input));
  if (calldata) return { form: "calldata", ...verifyCalldata(calldata, brought) };
  const body = within("encoding", () => parseJson(input));
  if (!isBatch(body)) return verifyJson(body, brought);
  const { items, unproven } = within("encoding", () => expandBatch(body));
  return { form: "batch", items: items.map((item) => verifyItem(item, brought)), unproven };
}

/** @param {Json} item @param {Brought} brought @returns {AnyShown | ProofError} */
function verifyItem(item, brought) {
  try {
    return verifyJson(item, brought);
  } catch (error) {
    if (error instanceof ProofError) return error;
    throw error;
  }
}

/** @param {Json} body @param {Brought} brought @returns {AnyShown} */
function verifyJson(body, brought) {
  if (isEvidence(body)) return { form: "evidence", ...verifyEvidence(body) };
  if (isScanAnswer(body)) return { form: "scan", ...verifyScanAnswer(body, brought) };
  refuseOther(body);
  if (isPrice(body)) return { form: "price", ...verifyPrice(body, brought) };
  if (isUsage(body)) return { form: "usage", ...verifyUsage(body, brought) };
  if (isLaunch(body)) return { form: "launch", ...verifyLaunch(body, brought) };
  if (isConsistency(body)) return { form: "consistency", ...verifyConsistency(body, brought) };
  if (isBlob(body)) return { form: "blob", ...verifyBlob(body, brought) };
  if (shapeOf(body)) return { form: "answer", ...verifyAnswer(body, brought) };
  throw fault("encoding", "no form of proof that is known here");
}

/** Refuses what is no proof, or is not checked here. @param {Json} body */
function refuseOther(body) {
  if (!(body instanceof Map)) return;
  if (typeof body.get("conflict") === "string" && body.get("set") instanceof Map) {
    throw fault("conflict", "not checked here: whether signers of a chain contradict themselves");
  }
  const isProblem = typeof body.get("status") === "number" && typeof body.get("code") === "string";
  if (isProblem && typeof body.get("detail") === "string") {
    throw fault("encoding", "a refusal of the service, not an answer");
  }
}
