// @ts-check
// Headers under rule 0301 in SCALE, GRANDPA's changes and BABE's slot in their digests: docs/protocol/polkadot.md.
// Sources: paritytech/polkadot-sdk `sp-runtime` `generic/{header,digest}.rs`, `sp-consensus-grandpa` `lib.rs`
// (`ConsensusLog`), `sp-consensus-babe` `digests.rs` (`PreDigest`).

import { need, Reader, same, toNumberLE, utf8 } from "../bytes.js";
import { blake2b256 } from "../hash.js";

const HEADER_BYTES_MAX = 1 << 20;
const GRANDPA = utf8("FRNK");
const BABE = utf8("BABE");
/** Kinds of digest items. */
const [OTHER, CHANGES_TRIE, CONSENSUS, PRE_RUNTIME, RUNTIME_CHANGED] = [0, 2, 4, 6, 8];
/** `ConsensusLog`: others than these two, from 3 to 5, change nothing. */
const [SCHEDULED, FORCED] = [1, 2];

/** @typedef {{ kind: number, engine: Uint8Array | null, content: Uint8Array }} DigestItem */
/** @typedef {{ bytes: Uint8Array, hash: Uint8Array, parent: Uint8Array, number: bigint, digest: DigestItem[] }}
 *   PolkadotHeader */
/** @typedef {{ key: Uint8Array, weight: bigint }} Authority */
/** @typedef {{ kind: "scheduled", next: Authority[], delay: number } | { kind: "forced" }} AuthorityChange */

/** A number below 2^64 in its shortest compact form. @param {Reader} reader @returns {bigint} */
function readCompact(reader) {
  const first = reader.u8();
  const form = first & 3;
  if (form === 3) {
    const length = (first >> 2) + 4;
    need(length <= 8);
    const bytes = reader.bytes(length);
    const value = toNumberLE(bytes);
    need(bytes[length - 1] !== 0 && value >= 1n << 30n);
    return value;
  }
  const rest = reader.bytes([0, 1, 3][form]);
  const value = ((toNumberLE(rest) << 8n) | BigInt(first)) >> 2n;
  need(value >= [0n, 0x40n, 0x4000n][form]);
  return value;
}

/** Bytes behind a compact length. @param {Reader} reader */
const readCounted = (reader) => reader.bytes(readCompact(reader));

/** @param {Reader} reader @returns {DigestItem} */
function readDigestItem(reader) {
  const kind = reader.u8();
  if (kind === OTHER) return { kind, engine: null, content: readCounted(reader) };
  if (kind === CHANGES_TRIE) return { kind, engine: null, content: reader.hash() };
  if (kind === RUNTIME_CHANGED) return { kind, engine: null, content: new Uint8Array() };
  need(kind >= CONSENSUS && kind <= PRE_RUNTIME);
  return { kind, engine: reader.bytes(4), content: readCounted(reader) };
}

/** Reads a whole header. @param {Uint8Array} bytes @returns {PolkadotHeader} */
export function readPolkadotHeader(bytes) {
  need(bytes.length <= HEADER_BYTES_MAX);
  const reader = new Reader(bytes);
  const parent = reader.hash();
  const number = readCompact(reader);
  reader.bytes(64);
  const digest = [];
  for (let left = readCompact(reader); left > 0n; left--) digest.push(readDigestItem(reader));
  reader.end();
  return { bytes, hash: blake2b256(bytes), parent, number, digest };
}

/** Slot in BABE's first pre-runtime item; null without one. @param {PolkadotHeader} header @returns {bigint | null} */
export function babeSlot({ digest }) {
  const item = digest.find(({ kind, engine }) => kind === PRE_RUNTIME && engine && same(engine, BABE));
  if (!item || item.content.length < 13 || item.content[0] < 1 || item.content[0] > 3) return null;
  return toNumberLE(item.content.subarray(5, 13));
}

/** @param {Uint8Array} bytes @returns {AuthorityChange} */
function readScheduled(bytes) {
  const reader = new Reader(bytes);
  const next = [];
  for (let left = readCompact(reader); left > 0n; left--) {
    next.push({ key: reader.bytes(32), weight: reader.u64le() });
  }
  const delay = reader.u32le();
  reader.end();
  return { kind: "scheduled", next, delay };
}

/** Change of GRANDPA's authorities, if any; two are malformed. @param {PolkadotHeader} header
 * @returns {AuthorityChange | null} */
export function authorityChange({ digest }) {
  const changes = [];
  for (const { kind, engine, content } of digest) {
    if (kind !== CONSENSUS || !engine || !same(engine, GRANDPA)) continue;
    const log = content[0];
    if (log === SCHEDULED) changes.push(readScheduled(content.subarray(1)));
    else if (log === FORCED) changes.push(/** @type {AuthorityChange} */ ({ kind: "forced" }));
    else need(log >= 3 && log <= 5);
  }
  need(changes.length <= 1);
  return changes[0] ?? null;
}
