// @ts-check
// A checked and trusted proof, in the words of its users.

import { decode } from "../verify/file.js";
import { keccak256, toHex } from "../verify/hash.js";
import { ProofError, verify } from "../verify/srproof.js";
import { builtin } from "../trust/file.js";
import { CHAINS } from "./chains.js";
import { ClientError } from "./error.js";

/** @typedef {import("../trust/judge.js").TrustReason} TrustReason */
/** @typedef {import("../verify/srproof.js").Shown} Shown */
/** @typedef {`0x${string}`} Hex */

/** A log of the EVM family, as its receipt has it. `transactionHash`: null where the proof has no transaction (it was
 * asked for by its place). `logIndex` counts in the receipt, not in the block.
 * @typedef {{ address: Hex, topics: Hex[], data: Hex, logIndex: number, transactionIndex: number,
 *   transactionHash: Hex | null, blockNumber: number, blockHash: Hex }} ProvenLog */

/** @param {Uint8Array} bytes @returns {Hex} */
export const hex = (bytes) => /** @type {Hex} */ (toHex(bytes));

/** Checks a proof file: every level, without a judgment about its SuperRoot. Throws a ProofError that names the step, and
 * `not_whole` (ClientError) where this library cannot check a step.
 * @param {Uint8Array} bytes @param {readonly import("../verify/srproof.js").Chain[]} [chains]
 * @returns {{ shown: Shown, facts: import("../trust/judge.js").JudgedFacts }} */
export function checkFile(bytes, chains = CHAINS) {
  const proof = decoded(bytes);
  if (!proof.superRoot) throw new ProofError("anchor", "the proof ends below level 5 and names no SuperRoot");
  // the SuperRoot to which the proof leads: whether it is trusted is judged after
  const trustedHash = keccak256(proof.superRoot.preimage);
  const shown = verify(bytes, { chains: [...chains], trustedHash });
  if (!shown.isWhole || !shown.superRoot) {
    const open = shown.checks.filter((check) => check.state === "unchecked").map((check) => check.detail);
    throw new ClientError("not_whole", `not every step is checked here: ${open.join("; ")}`);
  }
  const { sequence, hash, note } = shown.superRoot;
  const text = proof.note?.text;
  const facts = {
    origin: shown.origin, chain: shown.chain, number: shown.number,
    superRoot: { sequence, hash, note: note && text !== undefined ? { parsed: note, text } : null },
  };
  return { shown, facts };
}

/** @param {Uint8Array} bytes */
function decoded(bytes) {
  try {
    return decode(bytes);
  } catch (error) {
    throw error instanceof ProofError ? error : new ProofError("encoding", /** @type {Error} */ (error).message);
  }
}

/** A fact that a proof shows, under a SuperRoot that the client trusts. Every member here is proven, unless `notShown`
 * names it. */
export class ProvenFact {
  /** @param {Uint8Array} bytes of the file @param {Shown} shown @param {TrustReason} trust */
  constructor(bytes, shown, trust) {
    const { chain, subject, superRoot } = shown;
    const entry = /** @type {any} */ (shown.entry);
    const transaction = entry?.transaction?.hash ? entry.transaction : entry?.hash ? { hash: entry.hash, raw: entry.raw } : null;
    /** The `.srproof` file. */
    this.bytes = bytes;
    /** Log name. */
    this.origin = shown.origin;
    this.chain = { id: chain.id, family: chain.family, name: chain.name, caip2: chain.caip2 };
    this.kind = subject.kind;
    /** Block; its time in Unix seconds, null where the header has none. */
    this.block = {
      number: shown.number, hash: /** @type {Hex} */ (shown.blockHash && hex(shown.blockHash)),
      timestamp: shown.timestamp === null ? null : Number(shown.timestamp),
    };
    /** Transaction with its bytes on the chain; null where the proof has none. */
    this.transaction = transaction === null ? null
      : { hash: hex(transaction.hash), index: subject.txIndex, raw: hex(transaction.raw) };
    /** Index of the transaction, or the empty one of an absence; null for a block. @type {number | null} */
    this.transactionIndex = subject.kind === "block" ? null : subject.txIndex;
    /** Receipt of the EVM family; null where the proof has none. `succeeded` is null in receipts older than the status. */
    this.receipt = entry?.receipt ? {
      succeeded: /** @type {boolean | null} */ (entry.receipt.succeeded),
      logs: /** @type {any[]} */ (entry.receipt.logs).map((log, at) => logOf(log, at, this)),
    } : null;
    /** The event, of the EVM family. @type {ProvenLog | null} */
    this.log = subject.kind === "event" && this.receipt ? this.receipt.logs[subject.logIndex] ?? null : null;
    /** What the ledger shows beside logs, as the verifier gives it: outputs, Move events, operations. @type {unknown} */
    this.entry = shown.entry;
    this.superRoot = {
      sequence: /** @type {NonNullable<Shown["superRoot"]>} */ (superRoot).sequence,
      hash: hex(/** @type {NonNullable<Shown["superRoot"]>} */ (superRoot).hash),
      timestamp: /** @type {NonNullable<Shown["superRoot"]>} */ (superRoot).timestamp,
    };
    /** Why the SuperRoot is trusted. */
    this.trust = trust;
    /** The steps, with what each shows. */
    this.checks = shown.checks;
    /** That the chain's own consensus chose the block: not checked here. */
    this.finality = /** @type {{ state: "not checked here" }} */ ({ state: "not checked here" });
    /** What stays a word of the service. @type {string[]} */
    this.notShown = notShown(shown, trust);
  }

  /** Writes the file, for `superroot verify`. In Node alone. @param {string} path */
  save(path) {
    builtin("node:fs").writeFileSync(path, this.bytes);
  }
}

/** @param {{ address: Uint8Array, topics: Uint8Array[], data: Uint8Array }} log @param {number} logIndex
 * @param {ProvenFact} fact @returns {ProvenLog} */
function logOf({ address, topics, data }, logIndex, fact) {
  return {
    address: hex(address), topics: topics.map(hex), data: hex(data), logIndex,
    transactionIndex: fact.transactionIndex ?? 0, transactionHash: fact.transaction?.hash ?? null,
    blockNumber: fact.block.number, blockHash: fact.block.hash,
  };
}

/** @param {Shown} shown @param {TrustReason} trust @returns {string[]} */
function notShown(shown, trust) {
  const missing = ["canonicity: that the chain's consensus chose the block", "finality"];
  if (!trust.witnessed && trust.by !== "pin") missing.push("publication: only the log's key says that others see this SuperRoot");
  if (!shown.isNumberBound) missing.push("number: the block's hash does not bind it, the service says it");
  return missing;
}

/** Checks a proof file offline, and that it leads to what the store trusts.
 * @param {Uint8Array} bytes @param {{ trust: import("../trust/store.js").TrustStore,
 *   chains?: readonly import("../verify/srproof.js").Chain[] }} brought
 * @returns {Promise<ProvenFact>} throws a ProofError with the `step` that fails, or a DistrustError */
export async function verifyFile(bytes, { trust, chains }) {
  const { shown, facts } = checkFile(bytes, chains);
  return new ProvenFact(bytes, shown, await trust.judge(facts));
}
