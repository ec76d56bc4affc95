// @ts-check
// Kind 13, certificate: a subnet of the Internet Computer signs the hash of a ledger's newest block. There is no set to pin:
// the root key is the client's own, and never changes. Evidence does not expire, and binds the hash alone. Source: the
// interface specification, "Certification" and "Canister ranges".

import { isSignedByStake, STAKE_KEY_BYTES, validStakeKey } from "./bls.js";
import { compare, concat, fromHex, need, reading, same, u64, utf8 } from "./bytes.js";
import { bytesOf, readCbor } from "./cbor.js";
import { digestOf, pathsIn, readTree, valueAt } from "./hash_tree.js";
import { sha256 } from "./hash.js";
import { badSignature, branch, early, encoding, order, otherBlock } from "./verdict.js";

/** `canister`: the ledger's, as text. @typedef {{ canister: string }} CertificateParams */
/** @typedef {{ rootKey: Uint8Array }} CertificateSet */
/** @typedef {import("./hash_tree.js").HashTree} HashTree */
/** @typedef {{ tree: HashTree, signature: Uint8Array, delegation: { subnet: Uint8Array, certificate: Uint8Array } | null }}
 *   Certificate */
/** First and last canister. @typedef {{ first: Uint8Array, last: Uint8Array }} CanisterRange */

const CERTIFICATE_BYTES_MAX = 65_536;
const SECOND = 1_000_000_000n;
const SIGNED_PREFIX = utf8("\x0dic-state-root");
/** DER of a subnet key before the key: algorithm and curve. */
const KEY_PREFIX = fromHex("0x308182301d060d2b0601040182dc7c0503010201060c2b0601040182dc7c05030201036100");
const DIGITS = "abcdefghijklmnopqrstuvwxyz234567";
const CHECKSUM_BYTES = 4;

/** CRC-32. @param {Uint8Array} bytes @returns {number} */
function crc32(bytes) {
  let sum = 0xffff_ffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb8_8320 : 0);
  }
  return ~sum >>> 0;
}

/** Bytes of a canister's text: base 32 of a CRC-32 and the bytes, with dashes. @param {string} text */
function canisterOf(text) {
  const bytes = [];
  let [held, bits] = [0, 0];
  for (const letter of text.replaceAll("-", "")) {
    const digit = DIGITS.indexOf(letter);
    if (digit < 0) throw new TypeError(`${text} is not a canister`);
    held = ((held << 5) | digit) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 0xff);
  }
  const id = Uint8Array.from(bytes.slice(CHECKSUM_BYTES));
  const sum = u64(BigInt(crc32(id))).subarray(4);
  if (!same(sum, Uint8Array.from(bytes.slice(0, CHECKSUM_BYTES)))) throw new TypeError(`${text} is not a canister`);
  return id;
}

/** @param {string} field @param {Uint8Array} bytes @returns {Certificate} */
const readCertificate = (field, bytes) => reading(field, () => {
  need(bytes.length <= CERTIFICATE_BYTES_MAX);
  const map = readCbor(bytes);
  need(map instanceof Map);
  const given = map.get("delegation");
  need(map.size === (given === undefined ? 2 : 3));
  need(given === undefined || given instanceof Map);
  const delegation = given
    ? { subnet: bytesOf(given.get("subnet_id")), certificate: bytesOf(given.get("certificate")) }
    : null;
  return { tree: readTree(map.get("tree")), signature: bytesOf(map.get("signature")), delegation };
});

/** @param {Certificate} certificate @param {Uint8Array} key */
function checkSignature({ tree, signature }, key) {
  const point = validStakeKey(key);
  const message = concat(SIGNED_PREFIX, digestOf(tree));
  if (!point || !isSignedByStake([point], message, signature)) throw badSignature();
}

/** @param {HashTree} tree @param {(string | Uint8Array)[]} path @param {string} what */
function shownAt(tree, path, what) {
  const value = valueAt(tree, path.map((label) => (typeof label === "string" ? utf8(label) : label)));
  if (!value) throw branch(what);
  return value;
}

/** Nanoseconds since 1970: LEB128, seven bits a byte, the lowest first. @param {HashTree} tree @returns {bigint} */
function timeOf(tree) {
  const bytes = shownAt(tree, ["time"], "its time");
  const isWhole = bytes.length >= 1 && bytes.length <= 10 && bytes[bytes.length - 1] < 0x80;
  if (!isWhole) throw encoding("its time");
  const time = bytes.reduce((sum, byte, place) => sum | (BigInt(byte & 0x7f) << BigInt(7 * place)), 0n);
  return BigInt.asUintN(64, time);
}

/** @param {Uint8Array} list @returns {CanisterRange[]} */
function readRanges(list) {
  const ranges = readCbor(list);
  need(Array.isArray(ranges));
  return ranges.map((range) => {
    need(Array.isArray(range) && range.length === 2);
    return { first: bytesOf(range[0]), last: bytesOf(range[1]) };
  });
}

/** A subnet's canister ranges: one list, or lists by first canister. @param {HashTree} tree @param {Uint8Array} subnet */
function rangesOf(tree, subnet) {
  const [kind, label] = [utf8("subnet"), utf8("canister_ranges")];
  const lists = [valueAt(tree, [kind, subnet, label])];
  for (const path of pathsIn(tree)) {
    if (path.length === 3 && same(path[0], label) && same(path[1], subnet)) lists.push(valueAt(tree, path));
  }
  return reading("canister_ranges", () => lists.flatMap((list) => (list ? readRanges(list) : [])));
}

/** A tree with checked signatures, and the canisters of the subnet that signed; null for those of the root key.
 * @param {Uint8Array} bytes @param {Uint8Array} rootKey @returns {{ tree: HashTree, ranges: CanisterRange[] | null }} */
function checkedTree(bytes, rootKey) {
  const certificate = readCertificate("certificate", bytes);
  if (!certificate.delegation) {
    checkSignature(certificate, rootKey);
    return { tree: certificate.tree, ranges: null };
  }
  const { subnet } = certificate.delegation;
  const given = readCertificate("delegation", certificate.delegation.certificate);
  if (given.delegation) throw encoding("delegation of a delegation");
  checkSignature(given, rootKey);
  const key = shownAt(given.tree, ["subnet", subnet, "public_key"], "the subnet's public key");
  const isForm = same(key.subarray(0, KEY_PREFIX.length), KEY_PREFIX);
  if (!isForm || key.length !== KEY_PREFIX.length + STAKE_KEY_BYTES) throw encoding("the subnet's public key");
  checkSignature(certificate, key.subarray(KEY_PREFIX.length));
  return { tree: certificate.tree, ranges: rangesOf(given.tree, subnet) };
}

/** @type {import("./rules.js").SetRules<CertificateParams, CertificateSet>} */
export const certificate = {
  decode(_, bytes) {
    if (bytes.length !== STAKE_KEY_BYTES) throw encoding("root key");
    return { rootKey: bytes };
  },
  id: (set) => sha256(set.rootKey),
  number: () => 0n,
  begins: () => null,
  trustedUntil: () => null,

  check(params, set, { hash }, body, now) {
    const { tree, ranges } = checkedTree(body, set.rootKey);
    const at = timeOf(tree) / SECOND;
    if (at > now) throw early(at);
    const canister = canisterOf(params.canister);
    /** @param {CanisterRange} range */
    const isOwn = ({ first, last }) => compare(first, canister) <= 0 && compare(canister, last) <= 0;
    if (ranges && !ranges.some(isOwn)) throw branch("the canister");
    const data = shownAt(tree, ["canister", canister, "certified_data"], "the canister's certified data");
    if (data.length !== hash.length) throw encoding("certified data");
    if (!same(data, hash)) throw otherBlock(data, hash);
    return { at, by: "the subnet of the ledger" };
  },

  advance() {
    throw order("the root key never changes");
  },
};
