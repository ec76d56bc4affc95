// @ts-check
// `@superroot/client/viem`: proven logs and transactions in viem's forms.
//
//     const client = createPublicClient({ chain: base, transport: http() }).extend(superRootActions(log));
//     const logs = await client.getProvenLogs({ address, event, fromBlock, toBlock });

import { encodeEventTopics, parseEventLogs, parseTransaction, recoverTransactionAddress } from "viem";
import { ClientError } from "./client/error.js";
import { proveLogs } from "./client/logs.js";

/** @typedef {import("./client/client.js").SuperRoot} SuperRoot */
/** @typedef {import("./client/proof.js").ProvenFact} ProvenFact */
/** @typedef {import("viem").AbiEvent} AbiEvent */

/** A proven log. `logIndex` is null: no proof binds the place in the block; `logIndexInTransaction` is bound. With `event`
 * or `events` it has `eventName` and `args`.
 * @typedef {Omit<import("viem").Log<bigint, number, false>, "logIndex"> & { logIndex: null, logIndexInTransaction: number,
 *   eventName?: string, args?: any, proof: ProvenFact }} ProvenViemLog */

/** @typedef {{ address?: `0x${string}` | readonly `0x${string}`[], event?: AbiEvent, events?: readonly AbiEvent[],
 *   args?: Record<string, unknown> | readonly unknown[], fromBlock?: bigint, toBlock?: bigint, strict?: boolean,
 *   max?: number, complete?: boolean,
 *   signal?: AbortSignal }} ProvenLogsParameters as in viem's `getLogs`; blocks have to be anchored. `max`: most logs, 1,000 if left out */

/** A proven transaction. `transaction` is null for a kind that viem does not read (a deposit of an OP chain).
 * @typedef {{ hash: `0x${string}`, blockHash: `0x${string}`, blockNumber: bigint, transactionIndex: number,
 *   raw: `0x${string}`, transaction: import("viem").TransactionSerializable | null, from: `0x${string}` | null,
 *   status: "success" | "reverted" | null, logs: ProvenViemLog[], proof: ProvenFact }} ProvenViemTransaction */

/** Actions for a viem client. @param {SuperRoot} log
 * @returns {(client: { chain?: { id: number } | undefined }) => {
 *   getProvenLogs: (parameters: ProvenLogsParameters) => Promise<ProvenViemLog[]>,
 *   getProvenTransaction: (parameters: { hash: `0x${string}`, signal?: AbortSignal }) => Promise<ProvenViemTransaction> }} */
export function superRootActions(log) {
  return (client) => ({
    getProvenLogs: async (parameters) => getProvenLogs(log, chainOf(client), parameters),
    getProvenTransaction: async (parameters) => getProvenTransaction(log, chainOf(client), parameters),
  });
}

/** @param {{ chain?: { id: number } | undefined }} client @returns {number} */
function chainOf({ chain }) {
  if (!chain) throw new ClientError("argument", "the viem client has no chain");
  return chain.id;
}

/** @param {SuperRoot} log @param {number} chain @param {ProvenLogsParameters} parameters @returns {Promise<ProvenViemLog[]>} */
async function getProvenLogs(log, chain, { address, event, events, args, strict = false, ...rest }) {
  const abi = events ?? (event ? [event] : []);
  if (args !== undefined && abi.length !== 1) throw new ClientError("argument", "args go with one event");
  const encoded = abi.map((one) => {
    const question = { abi: [one], eventName: one.name, args: abi.length === 1 ? args : undefined };
    return encodeEventTopics(/** @type {any} */ (question));
  });
  /** @type {readonly (string | readonly string[] | null)[]} */
  const topics = abi.length === 1 ? /** @type {any} */ (encoded[0]) : abi.length > 1 ? [encoded.map(([first]) => String(first))] : [];
  const facts = await proveLogs(log, { chain, address, topics, ...rest });
  const logs = facts.map((fact) => viemLog(fact.log, fact));
  if (abi.length === 0) return logs;
  return /** @type {any} */ (parseEventLogs({ abi, logs: /** @type {any} */ (logs), strict }));
}

/** @param {import("./client/proof.js").ProvenLog} log @param {ProvenFact} proof @returns {ProvenViemLog} */
function viemLog(log, proof) {
  return {
    address: log.address, topics: /** @type {any} */ (log.topics), data: log.data, blockHash: log.blockHash,
    blockNumber: BigInt(log.blockNumber), transactionHash: /** @type {`0x${string}`} */ (log.transactionHash),
    transactionIndex: log.transactionIndex, removed: false, logIndex: null, logIndexInTransaction: log.logIndex,
    blockTimestamp: proof.block.timestamp === null ? undefined : BigInt(proof.block.timestamp), proof,
  };
}

/** @param {SuperRoot} log @param {number} chain @param {{ hash: `0x${string}`, signal?: AbortSignal }} parameters
 * @returns {Promise<ProvenViemTransaction>} */
async function getProvenTransaction(log, chain, { hash, signal }) {
  const proof = await log.proveTransaction({ chain, tx: hash }, { signal });
  const proven = proof.transaction;
  if (!proven) throw new ClientError("not_whole", "the proof has no transaction");
  let [transaction, from] = /** @type {[any, any]} */ ([null, null]);
  try {
    transaction = parseTransaction(proven.raw);
    from = await recoverTransactionAddress({ serializedTransaction: /** @type {any} */ (proven.raw) });
  } catch {
    // a kind that viem does not read: its bytes are proven all the same
    [transaction, from] = [null, null];
  }
  const status = proof.receipt?.succeeded;
  return {
    hash: proven.hash, blockHash: proof.block.hash, blockNumber: BigInt(proof.block.number), transactionIndex: proof.transactionIndex ?? 0,
    raw: proven.raw, transaction, from, status: status === true ? "success" : status === false ? "reverted" : null,
    logs: (proof.receipt?.logs ?? []).map((one) => viemLog(one, proof)), proof,
  };
}
