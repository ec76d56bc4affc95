// @ts-check
// Tron in JSON. Hashes are 0x hex and, as explorers show them, without 0x; addresses in Base58Check and hex.

import { sha256, toHex } from "../../verify/hash.js";
import { readFields, readTransaction } from "../../verify/ledger/tron.js";
import { base58Check, orNull, plain } from "./spelling.js";

/** @typedef {import("../compare.js").Member} Member */
/** @typedef {import("../../verify/ledger/tron.js").Entry} Entry */
/** @typedef {import("../../verify/ledger/tron.js").Header} Header */
/** @typedef {import("../../verify/ledger/tron.js").Branch} Branch */
/** @typedef {ReturnType<typeof readFields>} Fields */

const BRANCH_MAX = 15;
const RESULTS = ("DEFAULT SUCCESS REVERT BAD_JUMP_DESTINATION OUT_OF_MEMORY PRECOMPILED_CONTRACT STACK_TOO_SMALL " +
  "STACK_TOO_LARGE ILLEGAL_OPERATION STACK_OVERFLOW OUT_OF_ENERGY OUT_OF_TIME JVM_STACK_OVER_FLOW UNKNOWN TRANSFER_FAILED " +
  "INVALID_CODE").split(" ");
/** Contract calls whose fields are shown: name, and the numbers of the fields.
 * @type {Record<string, { name: string, owner: number, to: number, amount: number, token?: number, data?: number }>} */
const CALLS = {
  1: { name: "TransferContract", owner: 1, to: 2, amount: 3 },
  2: { name: "TransferAssetContract", owner: 2, to: 3, amount: 4, token: 1 },
  31: { name: "TriggerSmartContract", owner: 1, to: 2, amount: 3, data: 4 },
};

/** @param {Uint8Array | null} bytes */
const address = (bytes) => (bytes?.length === 21 && bytes[0] === 0x41 ? { base58: base58Check(bytes), hex: toHex(bytes) } : null);

/** @param {Member} members @returns {Branch} */
const readBranch = (members) =>
  ({ leaf: members.get("rawTransaction").bytes(), siblings: members.get("siblings").hashes(BRANCH_MAX + 1) });

/** @param {Branch} branch */
const branchRow = ({ leaf, siblings }) =>
  ({ leafHash: toHex(sha256(leaf)), rawTransaction: toHex(leaf), siblings: siblings.map(toHex) });

/** The one field of bytes with that number; null without. @param {Uint8Array} message @param {number} wanted */
function only(message, wanted) {
  const found = readFields(message, "contract").filter(({ number }) => number === wanted);
  const [first] = found;
  return found.length === 1 && first.value instanceof Uint8Array ? first.value : null;
}

/** @param {Uint8Array} rawData */
function contractRow(rawData) {
  const contract = only(rawData, 11);
  const any = contract && only(contract, 2);
  const parameter = any && only(any, 2);
  if (!contract || !parameter) return null;
  const kinds = readFields(contract, "contract").filter(({ number, value }) => number === 1 && typeof value === "bigint");
  const fields = readFields(parameter, "parameter");
  const kind = /** @type {bigint} */ (kinds.at(-1)?.value ?? 0n);
  const call = CALLS[String(kind)];
  /** @param {number | undefined} wanted */
  const bytes = (wanted) => {
    const found = fields.filter(({ number }) => number === wanted);
    return found.length === 1 && found[0].value instanceof Uint8Array ? found[0].value : null;
  };
  /** @param {number} wanted */
  const number = (wanted) => {
    const found = fields.filter((field) => field.number === wanted);
    if (found.length === 0) return "0";
    return found.length === 1 && typeof found[0].value === "bigint" ? String(found[0].value) : null;
  };
  /** @param {Uint8Array | null} found */
  const hexOrNull = (found) => (found ? toHex(found) : null);
  return { contractType: kind, name: call?.name ?? null, owner: call ? address(bytes(call.owner)) : null,
    to: call ? address(bytes(call.to)) : null, amount: call ? number(call.amount) : null,
    token: hexOrNull(bytes(call?.token)), data: hexOrNull(bytes(call?.data)) };
}

/** @param {Uint8Array} raw @param {Uint8Array} hash @param {number} txIndex */
function transactionRow(raw, hash, txIndex) {
  const { rawData, contractRet } = readTransaction(raw);
  return { hash: toHex(hash), txid: plain(hash), transactionIndex: txIndex,
    contractRet: contractRet === null ? null : RESULTS[Number(contractRet)] ?? String(contractRet),
    contract: orNull(() => contractRow(rawData)) };
}

/** @type {import("./index.js").LedgerForm<Entry, Header>} */
export const tron = {
  parse(root, { kind }) {
    const txCount = root.get("transactionCount").position();
    const last = kind === "absence" ? root.optional("lastTransaction") : root;
    const peaks = root.optional("peaks")?.items(BRANCH_MAX).map(readBranch) ?? [];
    return { txCount, transaction: last ? readBranch(last) : null, peaks };
  },
  header: ({ hash, parentHash, number, timestampMs, txTrieRoot, witnessAddress, version }) => ({
    hash: toHex(hash), explorerHash: plain(hash), parentHash: toHex(parentHash), number, timestampMs,
    txTrieRoot: toHex(txTrieRoot), witness: address(witnessAddress), version }),
  entry({ txCount, transaction: own, peaks }, { subject, entry }) {
    const proven = entry?.transaction;
    return {
      transactionsRoot: entry?.transactionsRoot ? toHex(entry.transactionsRoot) : undefined, transactionCount: txCount,
      peaks: peaks.length > 0 ? peaks.map(branchRow) : undefined,
      ...(proven && own ? { siblings: own.siblings.map(toHex), rawTransaction: toHex(proven.raw),
        transactionHash: toHex(proven.hash), txid: plain(proven.hash),
        transaction: transactionRow(proven.raw, proven.hash, subject.txIndex) }
        : { lastTransaction: own ? branchRow(own) : undefined }),
    };
  },
  event: () => ({}),
  roots: ({ txTrieRoot }) => ({ transactionsRoot: txTrieRoot }),
  unshownOfEvents: [],
  noReceipts: "no header of Tron commits to receipts or logs; contractRet, which is inside the transaction's leaf, says " +
    "what came of it",
};
