// @ts-check
// Levels 1 and 2 of the ICP ledger: encoded blocks of one transaction. docs/protocol/icp.md.

import { concat, same, sha256, toHex, u64, utf8 } from "../hash.js";
import { Fault, Reader, match, need, needValue } from "../reader.js";
import { bindsAll, shownEntry } from "./shown.js";

const BLOCK_BYTES_MAX = 1024;
const MEMO_BYTES_MAX = 32;
const DEFAULT_FEE = 10000n;
const SECOND = 1000000000n;

/** @typedef {import("./index.js").Subject} Subject */
/** @typedef {import("./index.js").Header & { timestamp: bigint, timestampNanos: bigint, parentHash: Uint8Array,
 *   transaction: Transaction, rawTransaction: Uint8Array }} Header */
/** Accounts are 32 bytes, with their check in front; amounts in e8s.
 * @typedef {{ kind: "burn", from: Uint8Array, amount: bigint, spender: Uint8Array | null }
 *   | { kind: "mint", to: Uint8Array, amount: bigint }
 *   | { kind: "transfer", from: Uint8Array, to: Uint8Array, amount: bigint, fee: bigint, spender: Uint8Array | null }
 *   | { kind: "approve", from: Uint8Array, spender: Uint8Array, allowance: bigint, expectedAllowance: bigint | null,
 *       expiresAt: bigint | null, fee: bigint }} Operation */
/** @typedef {{ operation: Operation, memo: bigint, createdAt: bigint | null, icrc1Memo: Uint8Array | null }} Transaction */
/** @typedef {{ block: Uint8Array }} Entry */
/** @typedef {bigint | Uint8Array | null} Value a field's value; null where it is left out */

/** Fields 1 to `count`, in their one form. @param {string} what @param {Uint8Array} bytes @param {number} count
 * @returns {Value[]} */
function readFields(what, bytes, count) {
  const [reader, values] = [new Reader(bytes, what), Array.from({ length: count }, () => /** @type {Value} */ (null))];
  let before = 0n;
  while (reader.left > 0) {
    const key = reader.varint();
    const [number, type] = [key >> 3n, key & 7n];
    need(number > before && number <= BigInt(count), `fields of the ${what} are not in their one form`);
    before = number;
    need(type === 0n || type === 2n, `a field of the ${what} is of an unknown kind`);
    const value = type === 0n ? reader.varint() : reader.counted();
    need(value !== 0n, `a number of 0 is written in the ${what}`);
    values[Number(number) - 1] = value;
  }
  return values;
}

/** The bytes of a message, where it is there. @param {Value} value @param {string} what */
function optional(value, what) {
  if (typeof value === "bigint") throw new Fault(`${what} is a number`);
  return value;
}

/** @param {Value} value @param {string} what @returns {Uint8Array} */
const required = (value, what) => needValue(optional(value, what), `${what} is missing`);

/** The number in a message of one. @param {Uint8Array} bytes @param {string} what @returns {bigint} */
function wrappedNumber(bytes, what) {
  const value = readFields(what, bytes, 1)[0] ?? 0n;
  if (typeof value !== "bigint") throw new Fault(`${what} is no number`);
  return value;
}

/** @param {Uint8Array} bytes @param {string} what @returns {Uint8Array} */
function wrappedBytes(bytes, what) {
  const value = optional(readFields(what, bytes, 1)[0], what);
  need(value === null || value.length > 0, `${what} has bytes that are none`);
  return value ?? new Uint8Array(0);
}

/** @param {Value} value @param {string} what @returns {bigint | null} */
function optionalNumber(value, what) {
  const bytes = optional(value, what);
  return bytes && wrappedNumber(bytes, what);
}

/** @param {Value} value @param {string} what @returns {bigint} */
const readTokens = (value, what) => wrappedNumber(required(value, what), what);

/** CRC-32 of IEEE 802.3, as 4 bytes. @param {Uint8Array} bytes */
function crc32(bytes) {
  let sum = -1;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return u64((~sum) >>> 0).subarray(4);
}

/** @param {Value} value @param {string} what @returns {Uint8Array | null} */
function optionalAccount(value, what) {
  const message = optional(value, what);
  if (message === null) return null;
  const bytes = wrappedBytes(message, what);
  if (bytes.length === 28) return concat(crc32(bytes), bytes);
  need(bytes.length === 32 && same(crc32(bytes.subarray(4)), bytes.subarray(0, 4)), `${what} is no account`);
  return bytes;
}

/** @param {Value} value @param {string} what @returns {Uint8Array} */
const readAccount = (value, what) => needValue(optionalAccount(value, what), `${what} is missing`);

/** @param {Uint8Array} bytes @returns {Operation} */
function readBurn(bytes) {
  const [from, none, amount, spender] = readFields("burn", bytes, 4);
  need(none === null, "a burn has a field 2");
  return { kind: "burn", from: readAccount(from, "from"), amount: readTokens(amount, "amount"),
    spender: optionalAccount(spender, "spender") };
}

/** @param {Uint8Array} bytes @returns {Operation} */
function readMint(bytes) {
  const [none, to, amount] = readFields("mint", bytes, 3);
  need(none === null, "a mint has a field 1");
  return { kind: "mint", to: readAccount(to, "to"), amount: readTokens(amount, "amount") };
}

/** @param {Uint8Array} bytes @returns {Operation} */
function readSend(bytes) {
  const parts = readFields("send", bytes, 6);
  const [from, to, amount] = [readAccount(parts[0], "from"), readAccount(parts[1], "to"), readTokens(parts[2], "amount")];
  const fee = optionalNumber(parts[3], "max_fee") ?? DEFAULT_FEE;
  const [approve, transferFrom] = [optional(parts[4], "approve"), optional(parts[5], "transfer_from")];
  need(approve === null || transferFrom === null, "a send is an approval and a transfer by a spender");
  if (approve === null) {
    const spender = transferFrom && readAccount(readFields("transfer_from", transferFrom, 1)[0], "spender");
    return { kind: "transfer", from, to, amount, fee, spender };
  }
  need(amount === 0n, "an approval has an amount");
  const [allowance, expiresAt, expected] = readFields("approve", approve, 3);
  return { kind: "approve", from, spender: to, allowance: readTokens(allowance, "allowance"),
    expectedAllowance: optionalNumber(expected, "expected_allowance"),
    expiresAt: optionalNumber(expiresAt, "expires_at"), fee };
}

/** @param {Uint8Array} bytes @returns {Transaction} */
export function readTransaction(bytes) {
  const [burn, mint, send, memo, createdAt, createdAtTime, icrc1] = readFields("transaction", bytes, 7);
  optionalNumber(createdAt, "created_at");
  need([burn, mint, send].filter((one) => one !== null).length === 1, "a transaction has one operation");
  const operation = burn !== null ? readBurn(required(burn, "burn"))
    : mint !== null ? readMint(required(mint, "mint")) : readSend(required(send, "send"));
  const wrapped = optional(icrc1, "icrc1_memo");
  const icrc1Memo = wrapped && wrappedBytes(wrapped, "icrc1_memo");
  need((icrc1Memo?.length ?? 0) <= MEMO_BYTES_MAX, "icrc1_memo is too long");
  return { operation, memo: optionalNumber(memo, "memo") ?? 0n,
    createdAt: optionalNumber(createdAtTime, "created_at_time"), icrc1Memo };
}

/** Reads a block whole. @param {number} _ @param {Uint8Array} bytes @returns {Header} */
export function readHeader(_, bytes) {
  need(bytes.length <= BLOCK_BYTES_MAX, "the block is too long");
  const [parent, time, transaction] = readFields("block", bytes, 3);
  const wrapped = optional(parent, "parent_hash");
  const parentHash = wrapped ? wrappedBytes(wrapped, "parent_hash") : new Uint8Array(32);
  need(parentHash.length === 32, "parent_hash has another length");
  const timestampNanos = wrappedNumber(required(time, "timestamp"), "timestamp");
  const rawTransaction = required(transaction, "transaction");
  return { hash: sha256(bytes), number: null, timestamp: timestampNanos / SECOND, timestampNanos, parentHash,
    transaction: readTransaction(rawTransaction), rawTransaction };
}

// --- the transaction hash: packed CBOR -----------------------------------------------------------

const [UNSIGNED, BYTES, TEXT, MAP] = [0, 2, 3, 5];
const NULL = Uint8Array.of(0xf6);

/** @param {number} major @param {number | bigint} value @returns {Uint8Array} */
function packHead(major, value) {
  const [bytes, number] = [u64(value), BigInt(value)];
  if (number < 24n) return Uint8Array.of((major << 5) | Number(number));
  const length = [1, 2, 4].find((length) => number < 2n ** BigInt(8 * length)) ?? 8;
  return concat([(major << 5) | (24 + Math.log2(length))], bytes.subarray(8 - length));
}

/** A map by the numbers of its fields; what is undefined is left out. @param {(Uint8Array | undefined)[]} values */
function packMap(...values) {
  const written = values.flatMap((value, at) => (value ? [packHead(UNSIGNED, at), value] : []));
  return concat(packHead(MAP, written.length / 2), ...written);
}

/** @param {bigint} value */
const packWrapped = (value) => packMap(packHead(UNSIGNED, value));
/** @param {bigint | null} value */
const packOrNull = (value) => (value === null ? NULL : packWrapped(value));
/** @param {Uint8Array} account */
const packAccount = (account) => concat(packHead(TEXT, 64), utf8(toHex(account).slice(2)));
/** @param {Uint8Array | null} account */
const packOrNothing = (account) => (account === null ? undefined : packAccount(account));

/** @param {Operation} one @returns {Uint8Array} */
function packOperation(one) {
  if (one.kind === "burn") return packMap(packMap(packAccount(one.from), packWrapped(one.amount), packOrNothing(one.spender)));
  if (one.kind === "mint") return packMap(undefined, packMap(packAccount(one.to), packWrapped(one.amount)));
  if (one.kind === "transfer") {
    return packMap(undefined, undefined, packMap(packAccount(one.from), packAccount(one.to), packWrapped(one.amount),
      packWrapped(one.fee), packOrNothing(one.spender)));
  }
  return packMap(undefined, undefined, undefined, packMap(packAccount(one.from), packAccount(one.spender),
    packWrapped(one.allowance), packOrNull(one.expectedAllowance), packOrNull(one.expiresAt), packWrapped(one.fee)));
}

/** @param {Transaction} transaction @returns {Uint8Array} */
export function transactionHash({ operation, memo, createdAt, icrc1Memo }) {
  const note = icrc1Memo === null ? undefined : concat(packHead(BYTES, icrc1Memo.length), icrc1Memo);
  return sha256(packMap(packOperation(operation), packHead(UNSIGNED, memo), packOrNull(createdAt), note));
}

// --- level 1 -------------------------------------------------------------------------------------

/** @param {Entry} entry @param {Subject} subject @param {Header | null} header */
function checkEntry({ block }, { kind, txIndex, logIndex }, header) {
  need((kind === "absence") === (txIndex > 0), "a block has one transaction, at index 0");
  const read = readHeader(0, block);
  match(read.hash, header?.hash ?? read.hash, "hash of the block");
  const shown = shownEntry({ transactionsRoot: read.hash, txCount: 1 });
  if (kind === "absence") return shown;
  shown.transaction = { hash: transactionHash(read.transaction), raw: read.rawTransaction };
  if (kind === "event") {
    need(logIndex === 0, "a transaction has one operation");
    shown.event = { kind: "operation", operation: read.transaction.operation };
  }
  return shown;
}

/** @type {import("./index.js").Ledger<Entry, Header>} */
export const icp = {
  name: "icp",
  rules: [0x0701],
  bindsNumber: false,
  boundIndexes: bindsAll,
  showsBlock: () => true,
  readEntry(reader, _, parts) {
    need(!parts.receipt, "ICP has no receipts");
    return { block: reader.long(BLOCK_BYTES_MAX) };
  },
  checkParts() {},
  readHeader,
  checkChain() {},
  checkEntry,
};
