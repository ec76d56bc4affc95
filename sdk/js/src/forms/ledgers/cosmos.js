// @ts-check
// The Cosmos family in JSON. Hashes are 0x hex and, as explorers show them, in upper case without 0x.

import { sha256, toHex } from "../../verify/hash.js";
import { bech32, plain } from "./spelling.js";

/** @typedef {import("../compare.js").Member} Member */
/** @typedef {import("../../verify/ledger/cosmos.js").Entry} Entry */
/** @typedef {import("../../verify/ledger/cosmos.js").Header} Header */

const BRANCH_MAX = 20;
/** @param {Uint8Array} hash */
const explorerHash = (hash) => plain(hash).toUpperCase();

/** @param {Member} members */
const readBranch = (members) =>
  ({ raw: members.get("rawTransaction").bytes(), siblings: members.get("siblings").hashes(BRANCH_MAX) });

/** @type {import("./index.js").LedgerForm<Entry, Header>} */
export const cosmos = {
  parse(root, { kind }) {
    const txCount = root.get("transactionCount").position();
    const last = kind === "absence" ? root.optional("lastTransaction") : root;
    const peaks = root.optional("peaks")?.items(BRANCH_MAX).map((peak) => ({
      transactionHash: peak.get("transactionHash").hash(), siblings: peak.get("siblings").hashes(BRANCH_MAX) })) ?? [];
    return { txCount, transaction: last ? readBranch(last) : null, peaks };
  },
  header({ hash, parentHash, lastBlockId, chainId, number, timestamp, nanos, version, fields }) {
    const { proposerAddress, ...hashes } = fields;
    const named = Object.entries(hashes).map(([name, bytes]) => [name, toHex(bytes)]);
    return {
      ...Object.fromEntries(named), hash: toHex(hash), explorerHash: explorerHash(hash), parentHash: toHex(parentHash),
      parentPartsHash: lastBlockId ? toHex(lastBlockId.partsHash) : null, parentPartCount: lastBlockId?.partCount ?? null, chainId,
      number, timestamp, timestampNanos: nanos, versionBlock: version.block, versionApp: version.app,
      proposer: { hex: toHex(proposerAddress),
        bech32: chainId.startsWith("cosmoshub-") ? bech32("cosmosvalcons", proposerAddress) : null },
    };
  },
  entry({ txCount, transaction: own, peaks }, { subject, entry }) {
    const proven = entry?.transaction;
    return {
      transactionsRoot: entry?.transactionsRoot ? toHex(entry.transactionsRoot) : undefined, transactionCount: txCount,
      peaks: peaks.length === 0 ? undefined : peaks.map(({ transactionHash, siblings }) =>
        ({ transactionHash: toHex(transactionHash), siblings: siblings.map(toHex) })),
      ...(proven && own ? { siblings: own.siblings.map(toHex), rawTransaction: toHex(proven.raw),
        transactionHash: toHex(proven.hash), explorerTransactionHash: explorerHash(proven.hash),
        transaction: { hash: toHex(proven.hash), explorerHash: explorerHash(proven.hash), transactionIndex: subject.txIndex,
          byteCount: proven.raw.length } }
        : { lastTransaction: own ? { transactionHash: toHex(sha256(own.raw)), rawTransaction: toHex(own.raw),
          siblings: own.siblings.map(toHex) } : undefined }),
    };
  },
  event: () => ({}),
  roots: ({ dataHash }) => ({ transactionsRoot: dataHash }),
  unshownOfEvents: [],
  noReceipts: "no header of a CometBFT chain commits to events: last_results_hash of the next block covers each " +
    "transaction's code, data and gas alone",
};
