// @ts-check
// All logs of a block range that pass a filter, or that there are none: scan files (docs/protocol/files.md), page by page.

import { CHAINS } from "../verify/chains.js";
import { keccak256, toHex } from "../verify/hash.js";
import { ProofError } from "../verify/srproof.js";
import { decodeScan, verifyScan } from "../forms/scan.js";
import { ClientError, plain } from "./error.js";
import { hex } from "./proof.js";
import { findChain } from "./question.js";

/** @typedef {import("./transport.js").Transport} Transport */
/** @typedef {import("../trust/store.js").TrustStore} TrustStore */
/** @typedef {import("./proof.js").Hex} Hex */
/** `address`: one of them. `topics`: at each of up to four positions one of them; null for any. Both blocks are included.
 * @typedef {{ chain: import("./question.js").ChainName, address?: string | readonly string[] | null,
 *   topics?: readonly (string | readonly string[] | null)[], fromBlock: number | bigint, toBlock: number | bigint,
 *   signal?: AbortSignal }} ScanFilter */
/** A log in a scan. Its transaction's hash is not in the file.
 * @typedef {{ address: Hex, topics: Hex[], data: Hex, blockNumber: number, blockHash: Hex, blockTimestamp: number,
 *   transactionIndex: number, logIndex: number }} ScannedLog */
/** `logs`: all of the range that pass the filter, in order. `byBloom`, `byReceipts`: blocks settled by their bloom, and by
 * all their receipts. `files`: the `.srscan` pages.
 * @typedef {{ fromBlock: number, toBlock: number, logs: ScannedLog[], byBloom: number, byReceipts: number,
 *   trust: import("../trust/judge.js").TrustReason[], notShown: string[], files: Uint8Array[] }} ProvenScan */

const FILE_BYTES_MAX = 16 << 20;
const PAGES_MAX = 1024;

/** Lists as a scan has them: rising, nothing twice. @param {string | readonly string[] | null | undefined} value @returns {string[]} */
export function risingList(value) {
  const list = value === null || value === undefined ? [] : typeof value === "string" ? [value] : [...value];
  const rising = [...new Set(list.map((one) => one.toLowerCase()))].sort();
  if (rising.some((one) => !/^0x([0-9a-f]{40}|[0-9a-f]{64})$/.test(one))) {
    throw new ClientError("argument", "addresses and topics are 0x and hex digits");
  }
  return rising;
}

/** @param {Transport} transport @param {TrustStore} trust @param {ScanFilter} filter @returns {Promise<ProvenScan>} */
export async function fetchScan(transport, trust, { chain: name, address, topics = [], fromBlock, toBlock, signal }) {
  const chain = findChain(name);
  const [from, to] = [Number(fromBlock), Number(toBlock)];
  if (![from, to].every((number) => Number.isSafeInteger(number) && number >= 0) || from > to) {
    throw new ClientError("argument", "fromBlock and toBlock are whole numbers, and rise");
  }
  if (topics.length > 4) throw new ClientError("argument", "a log has at most four topics");
  const asked = { chain: chain.id, addresses: risingList(address), topics: Array.from({ length: 4 }, (_, at) => risingList(topics[at])) };
  /** @type {ProvenScan} */
  const scan = { fromBlock: from, toBlock: to, logs: [], byBloom: 0, byReceipts: 0, trust: [], notShown: [], files: [] };
  for (let next = from; next <= to;) {
    if (scan.files.length >= PAGES_MAX) {
      throw new ClientError("argument", `the range has more than ${PAGES_MAX} pages: ask for fewer blocks`);
    }
    const bytes = await transport.bytes(["v5", "scan", String(chain.id)], {
      accept: "application/octet-stream", bytesMax: FILE_BYTES_MAX, signal,
      query: { fromBlock: next, toBlock: to, note: 1, address: asked.addresses.join(",") || null,
        ...Object.fromEntries(asked.topics.map((list, at) => [`topic${at}`, list.join(",") || null])) },
    });
    const { shown, reason } = await checkPage(bytes, trust);
    checkAnswers(asked, shown, next, to);
    scan.logs.push(...shown.events.map(logOf));
    scan.byBloom += shown.byBloom;
    scan.byReceipts += shown.byReceipts;
    scan.trust.push(reason);
    scan.files.push(bytes);
    for (const word of [shown.bloomsNotBinding, shown.outsideReceipts]) {
      if (word !== null && !scan.notShown.includes(word)) scan.notShown.push(word);
    }
    next = shown.to + 1;
  }
  return scan;
}

/** @param {Uint8Array} bytes @param {TrustStore} trust */
async function checkPage(bytes, trust) {
  const scan = (() => {
    try {
      return decodeScan(bytes);
    } catch (cause) {
      if (cause instanceof ProofError) throw cause;
      throw new ProofError("encoding", /** @type {Error} */ (cause).message);
    }
  })();
  const preimage = scan.last.superRoot?.preimage;
  if (!preimage) throw new ProofError("anchor", "the proof of the last block names no SuperRoot");
  // the SuperRoot to which the scan leads: whether it is trusted is judged after
  const shown = verifyScan(scan, { chains: CHAINS, trustedHash: keccak256(preimage) });
  // the newest block is withdrawn wherever an older one is
  return { shown, reason: await trust.judge(shown.last) };
}

/** @param {{ chain: number, addresses: string[], topics: string[][] }} asked
 * @param {import("../forms/scan.js").ShownScan} shown @param {number} from @param {number} to */
function checkAnswers(asked, shown, from, to) {
  const same = (/** @type {string[]} */ one, /** @type {Uint8Array[]} */ other) => one.join() === other.map(toHex).join();
  const { filter } = shown;
  const fits = shown.chainId === asked.chain && shown.from === from && shown.to <= to && same(asked.addresses, filter.addresses) &&
    asked.topics.every((list, at) => same(list, filter.topics[at] ?? [])) && filter.anywhere.length === 0;
  if (fits) return;
  throw new ClientError("another_answer", `the scan is valid, and about something else than asked: ` +
    `blocks ${shown.from} to ${shown.to} of chain ${plain(shown.chainId)}`);
}

/** @param {import("../forms/scan.js").ScanEvent} event @returns {ScannedLog} */
function logOf({ number, blockHash, timestamp, txIndex, logIndex, log }) {
  return { address: hex(log.address), topics: log.topics.map(hex), data: hex(log.data), blockNumber: number, blockHash: hex(blockHash),
    blockTimestamp: Number(timestamp), transactionIndex: txIndex, logIndex };
}

