// @ts-check
// A scan in JSON: a page of `GET /v5/scan/{chain}`, or a search with `completeness` (docs/decisions/0006).

import { toHex } from "../verify/hash.js";
import { Disagreement, Member, compare } from "./compare.js";
import { within } from "./fault.js";
import { shorten } from "./json.js";
import { logMembers } from "./ledgers/evm.js";
import { decodeScan, verifyScan } from "./scan.js";

/** @typedef {import("./json.js").Json} Json */
/** @typedef {import("./json.js").JsonMap} JsonMap */
/** @typedef {import("./scan.js").ShownScan} ShownScan */
/** @typedef {import("./scan.js").ScanEvent} ScanEvent */

const RESERVED = ["events", "answer", "filter", "scanBlob", "eventCount"];
const PAGE = { reserved: RESERVED, closed: ["filter", "events"] };
const SEARCH = { reserved: RESERVED, closed: ["completeness", "searched", "logs"],
  free: ["transactionHash", "otherAddresses", "finality", "proofUrl"] };

/** Whether a body holds a scan. @param {Json} body @returns {body is JsonMap} */
export const isScanAnswer = (body) => body instanceof Map && (body.has("scanBlob") || isSearch(body));

/** @param {JsonMap} body */
const isSearch = (body) => !body.has("scanBlob") && body.get("completeness") instanceof Map && body.has("logs");

/** @param {JsonMap} body whether a next page has more */
const goesOn = (body) => (body.get("nextCursor") ?? null) !== null;

/** @param {JsonMap} body @returns {number} */
function listedOf(body) {
  const logs = body.get("logs");
  return Array.isArray(logs) ? logs.length : 0;
}

/** @param {ScanEvent} event */
const eventRow = (event) => ({ blockNumber: event.number, blockHash: toHex(event.blockHash), blockTimestamp: event.timestamp,
  transactionIndex: event.txIndex, logIndex: event.logIndex, ...logMembers(event.log) });

/** @param {ShownScan} shown */
function endOf({ last }) {
  const { superRoot } = last;
  return { sequence: superRoot?.sequence, superRootHash: superRoot ? toHex(superRoot.hash) : undefined };
}

/** @param {ShownScan} shown @param {Uint8Array} file */
function page(shown, file) {
  const { chainId, from, to, filter, events, byBloom, byReceipts, bloomsNotBinding, outsideReceipts, last } = shown;
  return {
    chainId, fromBlock: from, toBlock: to, filter: { address: filter.addresses.map(toHex),
      topics: filter.topics.map((list) => list.map(toHex)), topic: filter.anywhere.map(toHex) },
    answer: events.length === 0 ? "absent" : "events", events: events.map(eventRow), blocksByBloom: byBloom,
    blocksByReceipts: byReceipts, bloomsNotBinding, outsideReceipts, origin: last.origin, ...endOf(shown),
    scanFormat: "srscan/1", scanBlob: toHex(file),
  };
}

/** The blocks that a page with a next page is of: all events in each but its last one are listed.
 * @param {JsonMap} body @param {ShownScan} shown @param {boolean} isNewestFirst @returns {[number, number]} */
function searchedOf(body, { from: first, to: last, events }, isNewestFirst) {
  const said = body.get("searched");
  const [from, to] = ["from", "to"].map((name) => (said instanceof Map ? said.get(name) : undefined));
  const isRange = typeof from === "number" && typeof to === "number" &&
    (isNewestFirst ? to === last && from >= first && from <= last : from === first && to >= first && to <= last);
  if (!isRange) throw new Disagreement("searched", shorten(said), `blocks from one end of ${first} to ${last} on`);
  const [inner, outer] = isNewestFirst ? [(/** @type {number} */ n) => n > from, (/** @type {number} */ n) => n >= from]
    : [(/** @type {number} */ n) => n < to, (/** @type {number} */ n) => n <= to];
  const count = (/** @type {(number: number) => boolean} */ isIn) => events.filter((event) => isIn(event.number)).length;
  const listed = listedOf(body);
  if (listed < count(inner) || listed > count(outer)) {
    throw new Disagreement("logs", `${listed} events of blocks ${from} to ${to}`, `from ${count(inner)} to ${count(outer)}`);
  }
  return [from, to];
}

/** @param {JsonMap} body @param {ShownScan} shown @param {Uint8Array} file @param {boolean} isNewestFirst */
function compareSearch(body, shown, file, isNewestFirst) {
  const all = isNewestFirst ? [...shown.events].reverse() : shown.events;
  const isPart = goesOn(body);
  const [from, to] = isPart ? searchedOf(body, shown, isNewestFirst) : [shown.from, shown.to];
  const events = isPart ? all.slice(0, listedOf(body)) : all;
  const paths = compare(body, {
    chainId: shown.chainId, logs: events.map(eventRow), gaps: [], searched: { from, to },
    completeness: { fromBlock: shown.from, toBlock: shown.to, eventCount: shown.events.length,
      outsideReceipts: shown.outsideReceipts, ...endOf(shown), scanFormat: "srscan/1", scanBlob: toHex(file) },
  }, SEARCH);
  return [...new Set(paths.map((path) => path.replace(/^logs\[\d+\]/, "logs[]")))];
}

/** Oldest first, or else newest first. @param {JsonMap} body @param {ShownScan} shown @param {Uint8Array} file */
function compareEither(body, shown, file) {
  try {
    return compareSearch(body, shown, file, false);
  } catch (error) {
    if (!(error instanceof Disagreement) || !/^(logs|searched)/.test(error.member)) throw error;
    try {
      return compareSearch(body, shown, file, true);
    } catch {
      throw error;
    }
  }
}

/** Checks a scan in JSON: its file, and every member against it.
 * @param {JsonMap} body @param {import("./index.js").Brought} brought
 * @returns {ShownScan & { unproven: string[], listed: number | null }} `listed`: events on a page with a next page; null
 *   for a complete list. Throws a ProofError: `encoding`, a step of the scan, or `body` */
export function verifyScanAnswer(body, brought) {
  const { file, scan } = within("encoding", () => {
    const root = new Member(body, "camel");
    const bytes = (isSearch(body) ? root.get("completeness") : root).get("scanBlob").bytes();
    return { file: bytes, scan: decodeScan(bytes) };
  });
  const shown = verifyScan(scan, brought);
  const unproven = within("body", () =>
    (isSearch(body) ? compareEither(body, shown, file) : compare(body, page(shown, file), PAGE)));
  return { ...shown, unproven, listed: goesOn(body) ? listedOf(body) : null };
}
