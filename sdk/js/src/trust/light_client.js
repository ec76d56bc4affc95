// @ts-check
// Sets of signers that `superroot trust light-client pin` keeps beside `trust.toml`, one file a chain. They are read here, and
// written by the command line alone.
//
//     "SRTRUST" ‖ 01 ‖ family:u8 ‖ chain_id:u64 ‖ kind:u8 ‖ pinned_at:u64 ‖ pin:32 ‖ id:32 ‖ length:u32 ‖ set

import { WORDS } from "../client/words.js";
import { TrustError } from "./error.js";

/** Largest file, in bytes. */
export const SET_FILE_BYTES_MAX = 1 << 20;
export const FOLDER = "light-clients";
const MAGIC = [...new TextEncoder().encode("SRTRUST"), 1];
/** Bytes before the set. */
const HEAD_BYTES = 94;

/** A set as it is in a file: nothing of it is checked before `readSet`. `kind`: its byte in evidence. `pin`: id that somebody
 * pinned, at `pinnedAt` in seconds since 1970; checked steps led from there to the set with `id`.
 * @typedef {{ kind: number, pinnedAt: bigint, pin: Uint8Array, id: Uint8Array, set: Uint8Array }} PinnedSet */
/** @typedef {{ family: number, id: number }} ChainKey */

/** Name of a chain's file; null for a chain without one. Recorded blocks are those of the live chain.
 * @param {ChainKey} chain @param {string} network @returns {string | null} */
export function setFileName({ family, id }, network) {
  const slug = WORDS.find(([of, chain]) => of === family && chain === id)?.[2][0];
  return slug === undefined ? null : `${network === "simulated" ? network : "live"}-${slug}.set`;
}

/** Reads a file. Throws `malformed` for anything else than a set of this chain.
 * @param {Uint8Array} bytes @param {ChainKey} chain @param {string} name of the file @returns {PinnedSet} */
export function readPinnedSet(bytes, chain, name) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isOne = bytes.length >= HEAD_BYTES && bytes.length <= SET_FILE_BYTES_MAX &&
    MAGIC.every((byte, at) => bytes[at] === byte) && bytes[8] === chain.family &&
    view.getBigUint64(9) === BigInt(chain.id) && view.getUint32(HEAD_BYTES - 4) === bytes.length - HEAD_BYTES;
  if (!isOne) throw new TrustError("malformed", `${name} holds no trusted set of signers`);
  return {
    kind: bytes[17], pinnedAt: view.getBigUint64(18), pin: bytes.slice(26, 58), id: bytes.slice(58, 90),
    set: bytes.slice(HEAD_BYTES),
  };
}
