// @ts-check
// The Polkadot family in JSON. Addresses are left out: to read them takes the runtime's metadata.

import { toHex } from "../../verify/hash.js";
import { extrinsicOf } from "../../verify/ledger/polkadot.js";

/** @typedef {import("../../verify/ledger/polkadot.js").Entry} Entry */
/** @typedef {import("../../verify/ledger/polkadot.js").Header} Header */

const [EXTRINSIC_NODES_MAX, EVENTS_NODES_MAX] = [12, 66];

/** @param {Uint8Array} raw @param {Uint8Array} hash @param {number} txIndex */
function transactionRow(raw, hash, txIndex) {
  const [first, ...rest] = extrinsicOf(raw).subarray(0, 3);
  if (first === undefined) return undefined;
  const [form, format] = [first >> 6, first & 0x3f];
  const kind = form === 0 && (format === 4 || format === 5) ? "bare"
    : form === 1 && format === 5 ? "general" : form === 2 && format === 4 ? "signed" : undefined;
  if (!kind) return undefined;
  const isBare = kind === "bare";
  return { hash: toHex(hash), transactionIndex: txIndex, format, kind, pallet: isBare ? rest[0] : undefined,
    call: isBare ? rest[1] : undefined };
}

/** @type {import("./index.js").LedgerForm<Entry, Header>} */
export const polkadot = {
  parse: (root) => ({ extrinsic: root.get("siblings").byteStrings(EXTRINSIC_NODES_MAX),
    events: root.optional("eventSiblings")?.byteStrings(EVENTS_NODES_MAX) ?? null }),
  header: ({ hash, parentHash, number, stateRoot, extrinsicsRoot, digest }) => ({
    hash: toHex(hash), parentHash: toHex(parentHash), number: `0x${number.toString(16)}`, stateRoot: toHex(stateRoot),
    extrinsicsRoot: toHex(extrinsicsRoot), digest: { logs: digest.map(toHex) } }),
  entry({ extrinsic, events }, { subject, entry }) {
    const proven = entry?.transaction;
    return {
      transactionsRoot: entry?.transactionsRoot ? toHex(entry.transactionsRoot) : undefined, siblings: extrinsic.map(toHex),
      transactionHash: proven ? toHex(proven.hash) : undefined, rawTransaction: proven ? toHex(proven.raw) : undefined,
      transaction: proven ? transactionRow(proven.raw, proven.hash, subject.txIndex) : undefined,
      stateRoot: entry?.event?.kind === "list" ? toHex(entry.event.stateRoot) : undefined, eventSiblings: events?.map(toHex),
    };
  },
  event: (_, { subject, entry }) => (entry?.event?.kind === "list" ? { event: { logIndex: subject.logIndex,
    recordCount: entry.event.recordCount, list: toHex(entry.event.value) } } : {}),
  roots: ({ extrinsicsRoot }) => ({ transactionsRoot: extrinsicsRoot }),
  unshownOfEvents: ["event.logIndex", "transactionIndex"],
  noReceipts: "no tree of receipts is in a header of Polkadot: what came of an extrinsic stands among the events of the " +
    "block, under the state root",
};
