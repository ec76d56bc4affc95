// @ts-check
// Headers under rule 0801, validators and votes of CometBFT: docs/protocol/cosmos.md. Sources: CometBFT
// `types/validator.go` (`Bytes`), `types/validator_set.go` (`Hash`), `types/canonical.go`.

import { concat, need, textOf, U64_MAX, u64le, utf8 } from "../bytes.js";
import { rfc6962Root } from "../hash.js";
import { bytesField, Fields, messageField, numberField, varint } from "./protobuf.js";

const HEADER_BYTES_MAX = 1_024;
const CHAIN_ID_BYTES_MAX = 50;
const PROPOSER_BYTES = 20;
/** Last second in the year 9999. */
const SECONDS_MAX = 253_402_300_799n;
const NANOS = 1_000_000_000n;
const HEIGHT_MAX = U64_MAX >> 1n;
const U32_MAX = 0xffff_ffffn;
/** `SIGNED_MSG_TYPE_PRECOMMIT`. */
const PRECOMMIT = 2n;

/** @typedef {{ bytes: Uint8Array, hash: Uint8Array, chainId: string, height: bigint, seconds: bigint, nanos: bigint,
 *   parent: Uint8Array | null, validatorsHash: Uint8Array, nextValidatorsHash: Uint8Array, appHash: Uint8Array }}
 *   CosmosHeader */
/** @typedef {{ hash: Uint8Array, partCount: bigint, partsHash: Uint8Array }} CosmosBlockId */

/** @param {Uint8Array} bytes two numbers @returns {[bigint, bigint]} */
function readPair(bytes) {
  const fields = new Fields(bytes);
  /** @type {[bigint, bigint]} */
  const pair = [fields.number(1), fields.number(2)];
  fields.end();
  return pair;
}

/** The parent's hash; null in a chain's first block. @param {Uint8Array} bytes a block id */
function readParent(bytes) {
  const fields = new Fields(bytes);
  const hash = fields.bytes(1);
  const parts = fields.message(2);
  fields.end();
  if (hash.length === 0 && parts.length === 0) return null;
  const partFields = new Fields(parts);
  const count = partFields.number(1);
  partFields.hash(2);
  partFields.end();
  need(hash.length === 32 && count > 0n && count <= U32_MAX);
  return hash;
}

/** Reads a whole header in its one form. Its hash is the root over its fields, each a message of its own.
 * @param {Uint8Array} bytes @returns {CosmosHeader} */
export function readCosmosHeader(bytes) {
  need(bytes.length <= HEADER_BYTES_MAX);
  const fields = new Fields(bytes);
  const version = fields.message(1);
  readPair(version);
  const chainIdBytes = fields.bytes(2);
  const height = fields.number(3);
  const time = fields.message(4);
  const [seconds, nanos] = readPair(time);
  const parentId = fields.message(5);
  const parent = readParent(parentId);
  const hashes = [6, 7, 8, 9, 10].map((field) => fields.hash(field));
  const appHash = fields.bytes(11);
  const rest = [fields.hash(12), fields.hash(13), fields.bytes(14)];
  fields.end();
  const chainId = textOf(chainIdBytes) ?? "";
  need(chainId.length > 0 && chainIdBytes.length <= CHAIN_ID_BYTES_MAX);
  need(height > 0n && height <= HEIGHT_MAX);
  need(seconds <= SECONDS_MAX && nanos < NANOS);
  need(rest[2].length === PROPOSER_BYTES);
  const leaves = [version, bytesField(1, chainIdBytes), numberField(1, height), time, parentId];
  for (const field of [...hashes, appHash, ...rest]) leaves.push(bytesField(1, field));
  const [, , validatorsHash, nextValidatorsHash] = hashes;
  const hash = rfc6962Root(leaves);
  return { bytes, hash, chainId, height, seconds, nanos, parent, validatorsHash, nextValidatorsHash, appHash };
}

/** `validators_hash` over validators in their order. @param {{ key: Uint8Array, power: bigint }[]} validators
 * @param {number} keyField field of the key in message `PublicKey` */
export const validatorsHash = (validators, keyField) =>
  rfc6962Root(validators.map(({ key, power }) =>
    concat(messageField(1, bytesField(keyField, key)), numberField(2, power))));

/** Eight bytes, the lowest first; left out for 0. @param {number} field @param {bigint} value */
const fixedField = (field, value) =>
  value === 0n ? new Uint8Array() : concat(Uint8Array.of((field << 3) | 1), u64le(value));

/** Signed bytes of a precommit: `CanonicalVote` behind its length.
 * @param {string} chainId @param {bigint} height @param {bigint} round @param {CosmosBlockId} id
 * @param {bigint} time nanoseconds since 1970 @returns {Uint8Array} */
export function precommitBytes(chainId, height, round, id, time) {
  const parts = concat(numberField(1, id.partCount), bytesField(2, id.partsHash));
  const block = concat(bytesField(1, id.hash), messageField(2, parts));
  const at = concat(numberField(1, time / NANOS), numberField(2, time % NANOS));
  const vote = concat(
    numberField(1, PRECOMMIT), fixedField(2, height), fixedField(3, round), messageField(4, block),
    messageField(5, at), bytesField(6, utf8(chainId)),
  );
  return concat(varint(BigInt(vote.length)), vote);
}
