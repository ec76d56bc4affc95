// @ts-check
// Headers of the EVM family by rule, docs/protocol/evm.md.

import { need } from "../bytes.js";
import { rlpBytes, rlpList, rlpNumber } from "./rlp.js";

/** @typedef {{ number: bigint, timestamp: bigint, parentHash: Uint8Array, stateRoot: Uint8Array, extraData: Uint8Array,
 *   withdrawalsRoot: Uint8Array | null }} EvmHeader */

// Fields of headers: h 32 bytes, a 20, B 256, n 8, s 65, b any bytes, q a number, Q a large one.
const FIRST = "parentHash:h ommers:h miner:a stateRoot:h transactionsRoot:h receiptsRoot:h bloom:B " +
  "difficulty:Q number:q gasLimit:q gasUsed:q timestamp:q extraData:b ";
const SEALED = `${FIRST}mixHash:h nonce:n `;
const CANCUN = "blobGasUsed:q excessBlobGas:q beaconRoot:h ";

/** By rule: the fields in order, and how many there may be. @type {Map<number, [string, number[]]>} */
const LAYOUTS = new Map([
  [0x0001, [`${SEALED}baseFee:q withdrawalsRoot:h ${CANCUN}requestsHash:h accessList:h slot:q`,
    [15, 16, 17, 20, 21, 22, 23]]],
  [0x0002, [`${FIRST}step:q signature:s baseFee:q`, [15, 16]]],
  [0x0003, ["parentHash:h miner:a stateRoot:h transactionsRoot:h receiptsRoot:h bloom:B number:q " +
    "gasUsed:q timestamp:q extraData:b", [10]]],
  [0x0004, [`${SEALED}baseFee:q`, [15, 16]]],
  [0x0005, [`${SEALED}extDataHash:h baseFee:q extDataGasUsed:q blockGasCost:q ${CANCUN}` +
    "milliseconds:q minDelayExcess:q targetExponent:q minPriceExponent:q settledHeight:q settledGasUnix:q " +
    "settledGasNumerator:q settledExcess:q", [16, 17, 19, 22, 24, 26, 30]]],
  [0x0006, [`${SEALED}baseFee:q withdrawalsRoot:h blobGasUsed:q excessBlobGas:q`, [19]]],
]);
/** @type {Record<string, number | undefined>} */
const LENGTHS = { h: 32, a: 20, B: 256, n: 8, s: 65 };

/** @param {number} rule */
export const isEvmRule = (rule) => LAYOUTS.has(rule);

/** Reads a whole header; its Keccak-256 is the block hash. @param {number} rule @param {Uint8Array} bytes
 * @returns {EvmHeader} */
export function readEvmHeader(rule, bytes) {
  const layout = LAYOUTS.get(rule);
  need(layout);
  const [names, counts] = layout;
  const fields = rlpList(bytes);
  need(counts.includes(fields.length));
  /** @type {Record<string, any>} */
  const read = { withdrawalsRoot: null };
  for (const [at, named] of names.split(" ").slice(0, fields.length).entries()) {
    const [name, kind] = named.split(":");
    const isNumber = kind === "q" || kind === "Q";
    read[name] = isNumber ? rlpNumber(fields[at], kind === "q" ? 8 : 32) : rlpBytes(fields[at], LENGTHS[kind]);
  }
  const { number, timestamp, parentHash, stateRoot, extraData, withdrawalsRoot } = read;
  return { number, timestamp, parentHash, stateRoot, extraData, withdrawalsRoot };
}
