// @ts-check
// Aptos in JSON.

import { toHex } from "../../verify/hash.js";
import { readEvent, readInfo } from "../../verify/ledger/aptos.js";
import { orNull } from "./spelling.js";

/** @typedef {import("../../verify/ledger/aptos.js").Entry} Entry */
/** @typedef {import("../../verify/ledger/index.js").Header} Header */

const DEPTH_MAX = 63;

/** @param {Uint8Array} raw @param {bigint} version */
function transactionRow(raw, version) {
  const info = readInfo(raw);
  return {
    hash: toHex(info.transactionHash), version, success: info.status === "success", status: info.status,
    statusCode: info.code === null ? undefined : String(info.code), abortReason: info.reason ?? undefined,
    gasUsed: String(info.gasUsed), eventRootHash: toHex(info.eventRoot), stateChangeHash: toHex(info.stateChangeHash),
    stateCheckpointHash: info.stateCheckpointHash ? toHex(info.stateCheckpointHash) : null,
  };
}

/** @type {import("./index.js").LedgerForm<Entry, Header>} */
export const aptos = {
  parse(root) {
    const event = root.optional("rawEvent");
    return {
      version: BigInt(root.get("version").integer()),
      info: { leaf: root.get("transactionInfo").bytes(), siblings: root.get("siblings").hashes(DEPTH_MAX) },
      event: event ? { leaf: event.bytes(), siblings: root.get("eventSiblings").hashes(DEPTH_MAX) } : null,
    };
  },
  header: ({ hash }) => ({ accumulatorRootHash: toHex(hash) }),
  entry({ version, info, event }, { entry, isBlockBound }) {
    const proven = entry?.transaction;
    return {
      transactionsRoot: entry?.transactionsRoot ? toHex(entry.transactionsRoot) : undefined, siblings: info.siblings.map(toHex),
      transactionHash: proven ? toHex(proven.hash) : undefined,
      transaction: proven ? transactionRow(proven.raw, version) : undefined, version, blockBound: isBlockBound,
      transactionInfo: toHex(info.leaf), rawEvent: event ? toHex(event.leaf) : undefined,
      eventSiblings: event?.siblings.map(toHex),
    };
  },
  event(_, { subject, entry }) {
    if (entry?.event?.kind !== "versionEvent") return {};
    const { raw, eventRoot } = entry.event;
    const read = orNull(() => readEvent(raw));
    return { event: { logIndex: subject.logIndex, raw: toHex(raw), eventRootHash: toHex(eventRoot), type: read?.type,
      data: read ? toHex(read.data) : undefined, account: read?.handle ? toHex(read.handle.account) : undefined } };
  },
  roots: ({ hash }) => ({ transactionsRoot: hash }),
  unshownOfEvents: [],
  noReceipts: "Aptos has no tree of receipts: the info, which is the transaction's leaf, says what came of it, and has the " +
    "root of its events",
};
