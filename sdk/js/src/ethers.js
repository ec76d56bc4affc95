// @ts-check
// `@superroot/client/ethers`: proven logs and transactions in ethers' forms.
//
//     const { getProvenLogs } = superRootActions(log)(provider);
//     const logs = await getProvenLogs({ address, topics, fromBlock, toBlock });

import { Log, Transaction } from "ethers";
import { ClientError } from "./client/error.js";
import { proveLogs } from "./client/logs.js";

/** @typedef {import("./client/client.js").SuperRoot} SuperRoot */
/** @typedef {import("./client/proof.js").ProvenFact} ProvenFact */

/** As ethers' `Filter`; blocks have to be anchored. `max`: most logs, 1,000 if left out.
 * @typedef {{ address?: string | readonly string[], topics?: readonly (string | readonly string[] | null)[],
 *   fromBlock?: number | bigint, toBlock?: number | bigint, max?: number, complete?: boolean, signal?: AbortSignal }} ProvenLogsFilter */

/** A proven transaction. `transaction` is null for a kind that ethers does not read (a deposit of an OP chain).
 * @typedef {{ hash: string, blockHash: string, blockNumber: number, index: number, raw: string,
 *   transaction: Transaction | null, status: 0 | 1 | null, logs: ProvenEthersLog[], proof: ProvenFact }} ProvenEthersTransaction */

/** A log as ethers has it, with its proof. `index` is -1: no proof binds the place in the block; `logIndexInTransaction` is
 * bound. */
export class ProvenEthersLog extends Log {
  /** @param {import("./client/proof.js").ProvenLog} log @param {ProvenFact} proof @param {import("ethers").Provider} provider */
  constructor(log, proof, provider) {
    const { address, data, topics, blockHash, blockNumber, transactionIndex } = log;
    super({ address, data, topics, blockHash, blockNumber, transactionIndex, removed: false, index: -1,
      transactionHash: /** @type {string} */ (log.transactionHash) }, provider);
    this.logIndexInTransaction = log.logIndex;
    this.proof = proof;
  }
}

/** Actions for an ethers provider. @param {SuperRoot} log
 * @returns {(provider: import("ethers").Provider) => {
 *   getProvenLogs: (filter: ProvenLogsFilter) => Promise<ProvenEthersLog[]>,
 *   getProvenTransaction: (hash: string, options?: { signal?: AbortSignal }) => Promise<ProvenEthersTransaction> }} */
export function superRootActions(log) {
  return (provider) => {
    const chainOf = async () => Number((await provider.getNetwork()).chainId);
    return {
      getProvenLogs: async (filter) => {
        const facts = await proveLogs(log, { chain: await chainOf(), ...filter });
        return facts.map((fact) => new ProvenEthersLog(fact.log, fact, provider));
      },
      getProvenTransaction: async (hash, options) => {
        const proof = await log.proveTransaction({ chain: await chainOf(), tx: hash }, options);
        return transactionOf(proof, provider);
      },
    };
  };
}

/** @param {ProvenFact} proof @param {import("ethers").Provider} provider @returns {ProvenEthersTransaction} */
function transactionOf(proof, provider) {
  const proven = proof.transaction;
  if (!proven) throw new ClientError("not_whole", "the proof has no transaction");
  let transaction = null;
  try {
    transaction = Transaction.from(proven.raw);
  } catch { /* a kind that ethers does not read: its bytes are proven all the same */ }
  const status = proof.receipt?.succeeded;
  return {
    hash: proven.hash, blockHash: proof.block.hash, blockNumber: proof.block.number, index: proof.transactionIndex ?? 0, raw: proven.raw,
    transaction, status: status === true ? 1 : status === false ? 0 : null,
    logs: (proof.receipt?.logs ?? []).map((one) => new ProvenEthersLog(one, proof, provider)), proof,
  };
}
