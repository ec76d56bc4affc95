// @ts-check
// Sui in JSON. Digests are 0x hex and, as explorers show them, in base58.

import { concat, blake2b256, toHex, utf8 } from "../../verify/hash.js";
import { readEffects } from "../../verify/ledger/sui.js";
import { base58, orNull } from "./spelling.js";

/** @typedef {import("../../verify/ledger/sui.js").Entry} Entry */
/** @typedef {import("../../verify/ledger/sui.js").Header} Header */

/** @param {Uint8Array} bytes */
const effectsDigest = (bytes) => blake2b256(concat(utf8("TransactionEffects::"), bytes));

/** @param {Uint8Array} bytes */
function effectsRow(bytes) {
  const read = orNull(() => readEffects(bytes));
  const hash = effectsDigest(bytes);
  return read ? { hash: toHex(hash), digest: base58(hash), status: read.isSuccess ? "success" : "failure",
    eventsDigest: read.eventsDigest ? base58(read.eventsDigest) : null } : undefined;
}

/** @type {import("./index.js").LedgerForm<Entry, Header>} */
export const sui = {
  parse(root, { kind }) {
    const contents = root.get("rawContents").bytes();
    const isEvent = kind === "event";
    const own = isEvent ? root.optional("rawTransaction") : root;
    if (kind === "absence" || kind === "block") return { contents, transaction: null, effects: null, events: null };
    const transaction = isEvent ? own?.bytes() ?? null : root.get("rawTransaction").bytes();
    return { contents, transaction, effects: root.get("rawEffects").bytes(),
      events: isEvent ? root.get("rawEvents").bytes() : null };
  },
  header: ({ hash, parentHash, number, epoch, timestampMs, contentDigest, networkTotalTransactions, nextCommittee }) => ({
    hash: toHex(hash), explorerHash: base58(hash), parentHash: toHex(parentHash), number, epoch, timestampMs,
    contentDigest: toHex(contentDigest), networkTotalTransactions, endsEpoch: nextCommittee !== null }),
  entry({ contents, effects, events }, { subject, entry }) {
    const proven = entry?.transaction;
    return {
      transactionsRoot: entry?.transactionsRoot ? toHex(entry.transactionsRoot) : undefined,
      rawTransaction: proven ? toHex(proven.raw) : undefined, transactionHash: proven ? toHex(proven.hash) : undefined,
      transaction: proven ? { hash: toHex(proven.hash), digest: base58(proven.hash), transactionIndex: subject.txIndex } : undefined,
      transactionDigest: proven ? base58(proven.hash) : undefined, transactionCount: entry?.txCount ?? 0,
      rawContents: toHex(contents), rawEffects: effects ? toHex(effects) : undefined,
      effects: effects ? effectsRow(effects) : undefined, rawEvents: events ? toHex(events) : undefined,
    };
  },
  event(_, { subject, entry }) {
    if (entry?.event?.kind !== "move") return {};
    const { event, transactionHash } = entry.event;
    return { event: { logIndex: subject.logIndex, packageId: toHex(event.package), module: event.module,
      sender: toHex(event.sender), type: event.type, contents: toHex(event.contents), transactionHash: toHex(transactionHash) } };
  },
  roots: ({ contentDigest }) => ({ transactionsRoot: contentDigest }),
  unshownOfEvents: [],
  noReceipts: "a checkpoint of Sui has no tree of receipts: its contents name the digest of each transaction's effects, and " +
    "these the digest of its events",
};
