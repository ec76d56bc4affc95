// @ts-check
// A checked and trusted proof, in the words of its users.

import { CHAINS } from "../verify/chains.js";
import { fromHex, toHex } from "../verify/hash.js";
import { verifyLevels } from "../verify/srproof.js";
import { builtin } from "../trust/file.js";
import { ClientError } from "./error.js";

/** @typedef {import("../trust/judge.js").TrustReason} TrustReason */
/** @typedef {import("../trust/store.js").TrustStore} TrustStore */
/** @typedef {import("../verify/proof.js").Chain} Chain */
/** @typedef {import("../verify/proof.js").ShownProof} ShownProof */
/** @typedef {`0x${string}`} Hex */

/** A log of the EVM family, as its receipt has it. `transactionHash`: null where the proof has no transaction (it was
 * asked for by its place). `logIndex` counts in the receipt, not in the block.
 * @typedef {{ address: Hex, topics: Hex[], data: Hex, logIndex: number, transactionIndex: number,
 *   transactionHash: Hex | null, blockNumber: number, blockHash: Hex }} ProvenLog */

/** @param {Uint8Array} bytes @returns {Hex} */
export const hex = (bytes) => /** @type {Hex} */ (toHex(bytes));

/** Checks a proof file: every level, without a judgment about its SuperRoot. Throws a ProofError that names the step.
 * @param {Uint8Array} bytes @param {readonly Chain[]} [chains]
 * @returns {ShownProof} */
export function checkFile(bytes, chains = CHAINS) {
  return verifyLevels(bytes, { chains: [...chains] });
}

/** A fact that a proof shows, under a SuperRoot that the client trusts. Every member here is proven; an index that the
 * ledger does not bind is null, and `notShown` says what else stays the service's word. */
export class ProvenFact {
  /** @type {TrustStore} */ #store;

  /** @param {Uint8Array} bytes of the file @param {ShownProof} shown @param {TrustReason} trust @param {TrustStore} store */
  constructor(bytes, shown, trust, store) {
    this.#store = store;
    const { chain, subject, boundIndexes } = shown;
    const superRoot = /** @type {NonNullable<ShownProof["superRoot"]>} */ (shown.superRoot);
    const { transaction = null, receipt = null } = shown.entry ?? {};
    /** The `.srproof` file. */
    this.bytes = bytes;
    /** Log name. */
    this.origin = shown.origin;
    /** `live`, `recorded` or `simulated`. */
    this.network = shown.network;
    this.chain = { id: chain.id, family: chain.family, name: chain.name, caip2: chain.caip2 };
    this.kind = subject.kind;
    /** Block; its time in Unix seconds, null where the header has none. */
    this.block = { number: shown.number, hash: /** @type {Hex} */ (shown.blockHash && hex(shown.blockHash)), timestamp: shown.timestamp };
    /** Transaction with its bytes on the chain; null where the proof has none. */
    this.transaction = transaction && { hash: hex(transaction.hash), raw: hex(transaction.raw) };
    /** Index of the transaction in the block, or the empty one of an absence. @type {number | null} */
    this.transactionIndex = subject.kind === "block" || !boundIndexes.txIndex ? null : subject.txIndex;
    /** Place of the event in its transaction. @type {number | null} */
    this.logIndex = subject.kind === "event" && boundIndexes.logIndex ? subject.logIndex : null;
    /** Receipt of the EVM family; null where the proof has none. `succeeded` is null in receipts older than the status. */
    this.receipt = receipt && { succeeded: receipt.succeeded, cumulativeGasUsed: receipt.cumulativeGasUsed,
      logs: receipt.logs.map((log, at) => logOf(log, at, this)) };
    /** The event, of the EVM family. @type {ProvenLog | null} */
    this.log = subject.kind === "event" && this.receipt ? this.receipt.logs[subject.logIndex] ?? null : null;
    /** What the ledger shows, as the verifier gives it: logs, outputs, Move events, operations. */
    this.entry = shown.entry;
    this.superRoot = { sequence: superRoot.sequence, hash: hex(superRoot.hash), timestamp: superRoot.timestamp };
    /** What the chain's own consensus signed about the block, with the option `evidence`; null without. Nothing of it is
     * checked before `checkFinality`. */
    this.finalityProof = shown.finality;
    /** Code of the header's rule. */
    this.rule = shown.rule;
    /** Why the SuperRoot is trusted. */
    this.trust = trust;
    /** The levels, with what each shows. */
    this.levels = shown.levels;
    /** What stays the service's word. @type {string[]} */
    this.notShown = notShown(shown, trust);
    /** The statement's own indexes, bound or not: an answer is compared with them. */
    this.subject = subject;
  }

  /** Checks, from a set of signers that you pinned, that the chain's own consensus chose the block for good: docs/finality.md.
   * Of a simulated network this shows that the program works, and nothing else: everybody has its keys. Throws a ClientError
   * where there is nothing to check or no pin, and a TrustError where the file of the pin is damaged.
   * @param {{ set?: Uint8Array, setId?: Uint8Array, now?: number }} [pinned] `set`: bytes of the set, which can come from
   *   the service; `setId`: its id, which cannot. Without both: the set that `superroot trust light-client` pinned beside
   *   the file of the trust store, else the built-in one (ICP). `now`: Unix seconds
   * @returns {Promise<import("../finality/index.js").FinalityShown | import("../finality/index.js").NotEnough
   *   | import("../finality/index.js").Refused>} only the verdict `shown` counts */
  async checkFinality({ set, setId, now = Math.floor(Date.now() / 1000) } = {}) {
    if (!this.finalityProof) {
      throw new ClientError("argument", "the proof has no evidence of finality: ask with evidence: true");
    }
    const { firstSet, paramsFor } = await import("./pinned.js");
    const { checkBlock } = await import("../finality/index.js");
    const [store, chain, network] = [this.#store, this.chain, this.network];
    const params = paramsFor(chain, network);
    const read = await firstSet({ store, chain, network, params, set, setId });
    if (read.verdict !== "shown") return read;
    const question = { rule: this.rule, number: this.block.number, hash: fromHex(this.block.hash) };
    return checkBlock(params, read.set, this.finalityProof, question, now);
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

/** @param {ShownProof} shown @param {TrustReason} trust @returns {string[]} */
function notShown(shown, trust) {
  const missing = ["finality: that the chain's consensus chose the block for good is not checked here",
    "time: the SuperRoot's timestamp is the service's word"];
  if (!trust.witnessed && trust.by !== "pin") {
    missing.push("publication: only the log's key says that others see this SuperRoot");
  }
  if (trust.by === "not_joined") missing.push("growth: the SuperRoot was not compared with a pin; advancePin does");
  if (trust.firstUse) missing.push("the key: it came from the service and was never confirmed");
  if (!shown.isNumberBound) missing.push("number: the block's hash does not bind it");
  if (shown.entry && !shown.boundIndexes.txIndex) missing.push("transactionIndex: the ledger does not bind it");
  if (shown.subject.kind === "event" && !shown.boundIndexes.logIndex) {
    missing.push("logIndex: the ledger does not bind it");
  }
  if (!shown.isBlockBound) missing.push("block: the entry is in the chain by this block, maybe in an earlier one");
  return missing;
}

/** Checks a proof file offline, and that it leads to what the store trusts.
 * @param {Uint8Array} bytes @param {{ trust: TrustStore, chains?: readonly Chain[] }} brought
 * @returns {Promise<ProvenFact>} throws a ProofError with the `step` that fails, or a DistrustError */
export async function verifyFile(bytes, { trust, chains } = /** @type {any} */ ({})) {
  if (!trust) throw new ClientError("argument", "trust is missing: pass { trust: TrustStore.pin(key) }, or another store");
  const shown = checkFile(bytes, chains);
  return new ProvenFact(bytes, shown, await trust.judge(shown), trust);
}
