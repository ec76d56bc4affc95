// @ts-check
// Headers from the evidence's block down to an earlier block: (length:u32 ‖ header ‖ (0:u32 ‖ length:u32 ‖ ancestor)?)*.

import { Malformed, need, Reader, readOrNull, same } from "./bytes.js";
import { keccak256 } from "./hash.js";
import { readBitcoinHeader } from "./ledger/bitcoin.js";
import { readCosmosHeader } from "./ledger/cosmos.js";
import { isEvmRule, readEvmHeader } from "./ledger/evm.js";
import { readIcpHeader } from "./ledger/icp.js";
import { readPolkadotHeader } from "./ledger/polkadot.js";
import { ancestorHash, readHistorySlot } from "./ledger/state.js";
import { readSuiHeader } from "./ledger/sui.js";
import { readTronHeader } from "./ledger/tron.js";
import { badLink } from "./verdict.js";

export const LINK_BYTES_MAX = 96 << 10;
const ZERO = new Uint8Array(32);

/** @typedef {import("./ledger/state.js").HistorySlot} HistorySlot */
/** @typedef {{ header: Uint8Array, ancestor: HistorySlot | null }} LinkHeader */
/** @typedef {{ number: bigint, hash: Uint8Array }} Block */

/** Reads a link, newest header first. @param {Uint8Array} bytes @returns {LinkHeader[]} */
export function readLink(bytes) {
  need(bytes.length <= LINK_BYTES_MAX);
  const reader = new Reader(bytes);
  /** @type {LinkHeader[]} */
  const headers = [];
  while (reader.left > 0) {
    const header = reader.long();
    if (header.length > 0) {
      headers.push({ header, ancestor: null });
      continue;
    }
    const last = headers.at(-1);
    need(last && last.ancestor === null);
    last.ancestor = readHistorySlot(reader.long());
  }
  return headers;
}

/** Hash of a header and of its parent, by the rule. A rule without a reader here is malformed, and so is one whose
 * hashes name no parent (Aptos). @param {number} rule @param {Uint8Array} bytes */
function namesOf(rule, bytes) {
  if (isEvmRule(rule)) return { hash: keccak256(bytes), parent: readEvmHeader(rule, bytes).parentHash };
  switch (rule) {
    case 0x0101: return readBitcoinHeader(bytes);
    case 0x0301: return readPolkadotHeader(bytes);
    case 0x0401: {
      const { id, parent } = readTronHeader(bytes);
      return { hash: id, parent };
    }
    case 0x0601: return readSuiHeader(bytes);
    case 0x0701: return readIcpHeader(bytes);
    case 0x0801: return readCosmosHeader(bytes);
    default: throw new Malformed();
  }
}

/** The block under a header with this number and hash. @param {number} rule @param {bigint} ring
 * @param {LinkHeader} link @param {Block} block @returns {Block | null} */
function below(rule, ring, { header, ancestor }, { number, hash }) {
  const names = namesOf(rule, header);
  if (!same(names.hash, hash)) return null;
  if (!ancestor) return { number: number > 0n ? number - 1n : 0n, hash: names.parent ?? ZERO };
  need(isEvmRule(rule));
  const read = readEvmHeader(rule, header);
  // the ring is read by number, so the number has to be the header's own
  if (read.number !== number) return null;
  const found = ancestorHash(ancestor, ring, number, read.stateRoot);
  return found && { number: ancestor.number, hash: found };
}

/** Number and hash below the lowest header, or the block itself without headers.
 * @param {LinkHeader[]} link @param {number} rule of the chain's headers @param {bigint} ring slots of its history
 * contract, 0 for none @param {Block} block @returns {Block} */
export function follow(link, rule, ring, block) {
  return link.reduce((at, header, index) => {
    const next = readOrNull(() => below(rule, ring, header, at));
    if (!next) throw badLink(index);
    return next;
  }, block);
}
