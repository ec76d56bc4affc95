// @ts-check
// Logs by filter, each with its proof. The service names them; every one is proven, compared with what the service said
// of it, and with the filter. That none is left out is shown by a scan, where the caller asks for it.

import { ClientError, plain } from "./error.js";
import { findChain } from "./question.js";

/** @typedef {import("./client.js").SuperRoot} SuperRoot */
/** @typedef {import("./proof.js").ProvenFact} ProvenFact */
/** @typedef {import("./proof.js").ProvenLog} ProvenLog */
/** @typedef {import("./schema.js").components["schemas"]["EventLog"]} EventLog */

/** `address`: one of them. `topics`: at each of up to four positions one of them; null for any. Blocks have to be anchored.
 * `max`: refuse more logs than that; 1,000 if left out. `complete`: a scan shows that none is left out; both blocks are named.
 * @typedef {{ chain: import("./question.js").ChainName, address?: string | readonly string[] | null,
 *   topics?: readonly (string | readonly string[] | null)[], fromBlock?: number | bigint, toBlock?: number | bigint,
 *   max?: number, complete?: boolean, signal?: AbortSignal }} LogFilter */
/** @typedef {ProvenFact & { log: ProvenLog }} ProvenEvent */

const MAX = 1000;
const PAGE = 100;
const AT_ONCE = 4;
const HASH = /^0x[0-9a-f]{64}$/;

/** @param {string | readonly string[] | null | undefined} value @returns {string[]} in lower case */
function listOf(value) {
  const list = value === null || value === undefined ? [] : typeof value === "string" ? [value] : [...value];
  return list.map((one) => one.toLowerCase());
}

/** Proves every log that the service finds by the filter, in its order.
 * @param {SuperRoot} client @param {LogFilter} filter @returns {Promise<ProvenEvent[]>} */
export async function proveLogs(client, { chain: name, fromBlock, toBlock, max = MAX, complete = false, signal, ...filter }) {
  const chain = findChain(name);
  const addresses = listOf(filter.address);
  const topics = (filter.topics ?? []).map(listOf);
  if (topics.length > 4) throw new ClientError("argument", "a log has at most four topics");
  const words = [...addresses, ...topics.flat()];
  if (words.some((word) => !/^0x[0-9a-f]+$/.test(word))) {
    throw new ClientError("argument", "addresses and topics are 0x and hex digits");
  }
  const query = {
    chain: chain.id, finality: /** @type {const} */ ("anchored"), limit: PAGE, address: addresses.join(",") || undefined,
    ...Object.fromEntries(topics.map((list, at) => [`topic${at}`, list.join(",") || undefined])),
    fromBlock: fromBlock === undefined ? undefined : Number(fromBlock), toBlock: toBlock === undefined ? undefined : Number(toBlock),
  };
  /** @type {EventLog[]} */
  const named = [];
  let cursor;
  do {
    const { claimed } = await client.logs({ ...query, cursor }, { signal });
    if (!Array.isArray(claimed.logs) || claimed.logs.length > PAGE) {
      throw new ClientError("malformed", "the answer is no page of logs");
    }
    named.push(...claimed.logs);
    if (named.length > max) {
      throw new ClientError("argument", `the filter finds more than ${max} logs: ask for fewer blocks, or raise max`);
    }
    // a page after the same place, or an empty one that goes on, would never end
    if (claimed.nextCursor && (claimed.nextCursor === cursor || claimed.logs.length === 0)) {
      throw new ClientError("malformed", "the pages of logs do not end");
    }
    cursor = claimed.nextCursor ?? undefined;
  } while (cursor !== undefined);
  if (complete) await checkComplete(client, { chain: chain.id, ...filter, fromBlock, toBlock, signal }, named);
  const range = { from: Number(fromBlock ?? 0), to: Number(toBlock ?? Number.MAX_SAFE_INTEGER) };
  return proveAll(named, signal, async (event) => {
    const fact = await proveNamed(client, chain.id, event, signal);
    const { log } = fact;
    const fits = (addresses.length === 0 || addresses.includes(log.address)) &&
      topics.every((list, at) => list.length === 0 || list.includes(log.topics[at])) &&
      range.from <= log.blockNumber && log.blockNumber <= range.to;
    if (!fits) {
      throw new ClientError("contradiction", `the service names a log that does not pass the filter: ${placeOf(log)}`);
    }
    return fact;
  });
}

/** Refuses logs that are not all of a scan. @param {SuperRoot} client @param {LogFilter} filter @param {EventLog[]} named */
async function checkComplete(client, { fromBlock, toBlock, ...filter }, named) {
  if (fromBlock === undefined || toBlock === undefined) {
    throw new ClientError("argument", "a complete search names both blocks");
  }
  const { logs } = await client.scan({ ...filter, fromBlock, toBlock });
  /** @param {{ blockNumber: number, transactionIndex: number, logIndex: number }} one */
  const key = (one) => `${one.blockNumber}/${one.transactionIndex}/${one.logIndex}`;
  const keys = new Set(named.map(key));
  const missing = logs.find((one) => !keys.has(key(one)));
  if (missing) throw new ClientError("contradiction", `the service leaves out log ${key(missing)}, which a scan shows`);
}

/** Proves an event that the service named, and compares every member with the proof.
 * @param {SuperRoot} client @param {number} chain @param {EventLog} said @param {AbortSignal} [signal] @returns {Promise<ProvenEvent>} */
export async function proveNamed(client, chain, said, signal) {
  const place = { block: said.blockNumber, index: said.transactionIndex, logIndex: said.logIndex };
  const asked = typeof said.transactionHash === "string" ? { chain, tx: said.transactionHash, ...place } : { chain, ...place };
  const fact = await client.proveEvent(/** @type {any} */ (asked), { signal });
  const { log, block } = fact;
  if (!log) throw new ClientError("not_whole", "an event that is no log of the EVM family is not compared here");
  const pairs = /** @type {[string, unknown, unknown][]} */ ([
    ["blockNumber", said.blockNumber, log.blockNumber], ["blockHash", said.blockHash, log.blockHash],
    ["transactionIndex", said.transactionIndex, log.transactionIndex], ["logIndex", said.logIndex, log.logIndex],
    ["address", said.address, log.address], ["data", said.data, log.data], ["topics", String(said.topics), String(log.topics)],
    ["blockTimestamp", said.blockTimestamp, block.timestamp],
  ]);
  const differs = pairs.find(([, one, other]) => one !== other);
  if (differs) {
    const [member, got, proven] = differs;
    throw new ClientError("contradiction",
      `member ${member} of ${placeOf(log)} says ${plain(got)}, proven is ${plain(proven)}`);
  }
  return /** @type {ProvenEvent} */ (fact);
}

/** Proves the logs of a stream once they are anchored; other events pass as they are.
 * @param {SuperRoot} client @param {Omit<import("./stream.js").StreamFilter, "topics" | "finality" | "chain"> &
 *   { chain: import("./question.js").ChainName }} filter @param {import("./stream.js").StreamOptions} options
 * @returns {AsyncGenerator<import("./stream.js").StreamEvent & { proof: ProvenEvent | null }, void, void>} */
export async function* proveStream(client, { chain: name, ...filter }, options) {
  const chain = findChain(name);
  const words = { address: listOf(filter.address), topics: [filter.topic0, filter.topic1, filter.topic2, filter.topic3]
    .map((topic) => listOf(topic?.split(","))) };
  const events = client.stream({ ...filter, chain: chain.id, topics: "logs", finality: "anchored" }, options);
  for await (const event of events) {
    if (event.event !== "logs") {
      yield { ...event, proof: null };
      continue;
    }
    const proof = await proveNamed(client, chain.id, /** @type {any} */ (event.data), options.signal);
    // a topic given as a signature is compared by the service alone
    const fits = (words.address.length === 0 || words.address.includes(proof.log.address)) &&
      words.topics.every((list, at) => list.length === 0 || !list.every((word) => HASH.test(word)) || list.includes(proof.log.topics[at]));
    if (!fits) {
      throw new ClientError("contradiction",
        `the stream has a log that does not pass the filter: ${placeOf(proof.log)}`);
    }
    yield { ...event, proof };
  }
}

/** @param {ProvenLog} log */
const placeOf = (log) => `log ${log.logIndex} of transaction ${log.transactionIndex} in block ${log.blockNumber}`;

/** @template T, R @param {T[]} items @param {AbortSignal | undefined} signal
 * @param {(item: T) => Promise<R>} prove @returns {Promise<R[]>} in order; the first error ends all */
async function proveAll(items, signal, prove) {
  /** @type {R[]} */
  const proven = [];
  let [next, hasFailed] = [0, false];
  const work = async () => {
    for (let at = next++; at < items.length && !hasFailed; at = next++) {
      signal?.throwIfAborted();
      proven[at] = await prove(items[at]).catch((error) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return proven;
}
