// @ts-check
// Transactions of the EVM family, from their leaves. A leaf that is not wholly of a layout shows no fields: hash and type.

import { concat, keccak256, toHex } from "../../verify/hash.js";
import { recoverAddress } from "../secp256k1.js";
import { Fault } from "../fault.js";
import { bytesOf, digitsOf, itemsOf, numberOf, readList, writeBytes, writeList } from "../rlp.js";

/** @typedef {import("../rlp.js").Item} Item */
/** @typedef {Record<string, any>} Members */

const SONIC = 0x0006;
/** @param {number | bigint} value */
const quantity = (value) => `0x${value.toString(16)}`;

// Kinds by name: how many bytes a number has at most; all others are told below.
/** @type {Record<string, number>} */
const SMALL = { chainId: 8, nonce: 8, gas: 8, gasPrice: 16, maxFeePerGas: 16, maxPriorityFeePerGas: 16, maxFeePerBlobGas: 16 };
const HASHES = ["requestId", "sourceHash", "ticketId"];
const ADDRESSES = ["beneficiary", "from", "refundTo", "sender"];
const RECEIVERS = ["feeCurrency", "gatewayFeeRecipient", "retryTo", "to"];
const BYTES = ["input", "retryData"];

/** Ethereum's own types: 1 to 4 end with yParity, r and s. @type {Record<number, string>} */
const TYPED = {
  1: "chainId nonce gasPrice gas to value input accessList",
  2: "chainId nonce maxPriorityFeePerGas maxFeePerGas gas to value input accessList",
  3: "chainId nonce maxPriorityFeePerGas maxFeePerGas gas to value input accessList maxFeePerBlobGas blobVersionedHashes",
  4: "chainId nonce maxPriorityFeePerGas maxFeePerGas gas to value input accessList authorizationList",
};
const LEGACY = "nonce gasPrice gas to value input";

/** Other types, and unsigned ones: their fields in order. With yParity the last three are a signature over those before.
 * @type {[number, string][]} */
const OTHERS = [
  [0, "nonce gasPrice gas to value input v r s"],
  [0, "nonce gasPrice gas feeCurrency gatewayFeeRecipient gatewayFee to value input v r s"],
  [0x64, "chainId requestId from to value"],
  [0x65, "chainId from nonce maxFeePerGas gas to value input"],
  [0x66, "chainId requestId from maxFeePerGas gas to value input"],
  [0x68, "chainId nonce from maxFeePerGas gas to value input ticketId refundTo maxRefund submissionFeeRefund"],
  [0x69, "chainId requestId from l1BaseFee depositValue maxFeePerGas gas retryTo retryValue beneficiary " +
    "maxSubmissionFee refundTo retryData"],
  [0x6a, "chainId input"],
  [0x7b, "chainId nonce maxPriorityFeePerGas maxFeePerGas gas to value input accessList feeCurrency yParity r s"],
  [0x7c, "chainId nonce maxPriorityFeePerGas maxFeePerGas gas feeCurrency gatewayFeeRecipient gatewayFee to value input " +
    "accessList yParity r s"],
  [0x7e, "sourceHash from to mint value gas isSystemTx input"],
  [0x7e, "queueIndex gas to value input sender"],
];

/** @param {Item} field */
function accessList(field) {
  return itemsOf(field).map((one) => {
    const parts = itemsOf(one);
    if (parts.length !== 2) throw new Fault("malformed access list");
    return { address: toHex(bytesOf(parts[0], 20)), storageKeys: itemsOf(parts[1]).map((key) => toHex(bytesOf(key, 32))) };
  });
}

/** @param {Item} field */
function authorizationList(field) {
  return itemsOf(field).map((one) => {
    const parts = itemsOf(one);
    if (parts.length !== 6) throw new Fault("malformed authorization");
    const [chainId, nonce, yParity, r, s] = [[0, 32], [2, 8], [3, 1], [4, 32], [5, 32]].map(([at, max]) =>
      quantity(numberOf(parts[at], max)));
    return { chainId, address: toHex(bytesOf(parts[1], 20)), nonce, yParity, r, s };
  });
}

/** @param {string} name @param {Item} field @param {boolean} isWide whether every number may have 32 bytes */
function value(name, field, isWide) {
  if (HASHES.includes(name)) return toHex(bytesOf(field, 32));
  if (ADDRESSES.includes(name)) return toHex(bytesOf(field, 20));
  if (RECEIVERS.includes(name)) return bytesOf(field).length === 0 ? null : toHex(bytesOf(field, 20));
  if (BYTES.includes(name)) return toHex(bytesOf(field));
  if (name === "accessList") return accessList(field);
  if (name === "authorizationList") return authorizationList(field);
  if (name === "blobVersionedHashes") return itemsOf(field).map((hash) => toHex(bytesOf(hash, 32)));
  if (name === "isSystemTx") return flag(field);
  return quantity(numberOf(field, isWide ? 32 : SMALL[name] ?? 32));
}

/** @param {Item} field */
function flag(field) {
  const bytes = bytesOf(field);
  if (bytes.length > 1 || (bytes.length === 1 && bytes[0] !== 1)) throw new Fault("malformed flag");
  return bytes.length === 1;
}

/** @param {string[]} names @param {Item[]} fields @param {boolean} isWide @returns {Members} */
function read(names, fields, isWide) {
  /** @type {Members} */
  const members = {};
  names.forEach((name, at) => {
    members[name] = value(name, fields[at], isWide);
  });
  return members;
}

/** The signer of the fields, as the type's bytes are signed. @param {number[]} type @param {Item[]} fields
 * @param {Uint8Array[]} more @param {bigint} r @param {bigint} s @param {boolean} isOdd @returns {Members} */
function from(type, fields, more, r, s, isOdd) {
  const hash = keccak256(concat(type, writeList(...fields.map((field) => field.whole), ...more)));
  const signer = recoverAddress(hash, r, s, isOdd);
  return signer ? { from: toHex(signer) } : {};
}

/** Ethereum's types 0 to 4; null for any other leaf. @param {number} type @param {Item[]} fields @returns {Members | null} */
function ethereum(type, fields) {
  const layout = type === 0 ? LEGACY : TYPED[type];
  const names = layout?.split(" ");
  if (!names || fields.length !== names.length + 3) return null;
  const signed = fields.slice(0, names.length);
  const [v, r, s] = [numberOf(fields[names.length], 16), numberOf(fields[names.length + 1], 32),
    numberOf(fields[names.length + 2], 32)];
  const members = read(names, signed, false);
  if ((type === 3 || type === 4) && members.to === null) return null;
  const signature = { r: quantity(r), s: quantity(s), v: quantity(v) };
  if (type !== 0) {
    if (v > 1n) return null;
    return { ...members, ...signature, yParity: quantity(v), ...from([type], signed, [], r, s, v === 1n) };
  }
  if (v === 27n || v === 28n) return { ...members, ...signature, ...from([], signed, [], r, s, v === 28n) };
  const chainId = (v - 35n) / 2n;
  if (v < 35n || chainId >= 2n ** 64n) return null;
  const more = [writeBytes(digitsOf(chainId)), writeBytes(new Uint8Array()), writeBytes(new Uint8Array())];
  return { ...members, ...signature, chainId: quantity(chainId), ...from([], signed, more, r, s, (v - 35n) % 2n === 1n) };
}

/** Any other type that is known here; null for none. @param {number} type @param {Item[]} fields @param {number} rule
 * @returns {Members | null} */
function other(type, fields, rule) {
  const layout = OTHERS.find(([own, list]) => own === type && list.split(" ").length === fields.length);
  if (!layout) return null;
  const names = layout[1].split(" ");
  const members = read(names, fields, true);
  if (names.includes("yParity")) {
    const parity = BigInt(members.yParity);
    if (parity <= 1n) {
      Object.assign(members, from([type], fields.slice(0, -3), [], BigInt(members.r), BigInt(members.s), parity === 1n));
    }
  }
  if (members.sender !== undefined) members.from = members.sender;
  if (["v", "r", "s"].every((part) => members[part] === "0x0")) {
    members.signed = false;
    if (rule === SONIC) members.from = `0x${"00".repeat(20)}`;
  }
  return members;
}

/** The members of a transaction, with hash and type. @param {Uint8Array} raw @param {number} rule @returns {Members} */
export function transactionFields(raw, rule) {
  const type = raw[0] < 0x80 ? raw[0] : 0;
  const named = { hash: toHex(keccak256(raw)), type: quantity(type) };
  for (const reader of [ethereum, other]) {
    try {
      const members = reader(type, readList(type === 0 ? raw : raw.subarray(1)), rule);
      if (members) return { ...members, ...named };
    } catch {
      // not wholly of this layout
    }
  }
  return named;
}
