// @ts-check
// Kind 15, anchor: a contract on Ethereum holds a rollup's block, and a sync committee signed the Ethereum block with this
// state. The set is Ethereum's: a client pins no set of the rollup. Games claim an output root, or since Upgrade 20
// (2026-09) a super root. A created game or an open assertion is no evidence.
//
// body       number:u64 ‖ hash:32 ‖ length:u32 ‖ body of kind 10 ‖ length:u32 ‖ link ‖ length:u32 ‖ header ‖ proof

import { beacon } from "./beacon.js";
import { fromHex, Reader, reading, same, toHex } from "./bytes.js";
import { checkOutbox, checkRegistry, readOutboxProof, readRegistryProof } from "./contracts.js";
import { keccak256 } from "./hash.js";
import { readEvmHeader } from "./ledger/evm.js";
import { follow, readLink } from "./link.js";
import { encoding, order, otherBlock, otherNumber } from "./verdict.js";

/** Contracts rise by Ethereum's block; `history_blocks` are the slots of the rollup's history contract, 0 for none.
 * @typedef {{ chain: number, beacon: import("./beacon.js").BeaconParams, ethereum_rule: number, rule: number,
 *   contract: "registry" | "outbox", contracts: { from: number, address: string }[], history_blocks: number }}
 *   AnchorParams */
/** @typedef {import("./beacon.js").BeaconSet} BeaconSet */
/** @typedef {import("./contracts.js").RegistryProof} RegistryProof */
/** @typedef {import("./contracts.js").OutboxProof} OutboxProof */
/** Signed block of Ethereum, headers down to the one whose state holds the contract, the rollup's header, and the
 * contract's proof. @typedef {{ number: bigint, hash: Uint8Array, signed: Uint8Array,
 *   link: import("./link.js").LinkHeader[], header: Uint8Array, registry: RegistryProof | null,
 *   outbox: OutboxProof | null }} AnchorBody */

/** @param {AnchorParams} params @param {Uint8Array} body @returns {AnchorBody} */
const readBody = (params, body) => reading("anchor", () => {
  const reader = new Reader(body);
  const read = {
    number: reader.u64(), hash: reader.hash(), signed: reader.long(), link: readLink(reader.long()),
    header: reader.long(),
    registry: params.contract === "registry" ? readRegistryProof(reader) : null,
    outbox: params.contract === "outbox" ? readOutboxProof(reader) : null,
  };
  reader.end();
  return read;
});

/** The rollup's header, with the stated number and hash. @param {AnchorParams} params @param {Uint8Array} bytes
 * @param {import("./rules.js").Block} block */
function readHeader(params, bytes, { number, hash }) {
  const got = keccak256(bytes);
  if (!same(got, hash)) throw otherBlock(got, hash);
  const header = reading("header", () => readEvmHeader(params.rule, bytes));
  if (header.number !== number) throw otherNumber(header.number, number);
  return header;
}

/** A final state of Ethereum: of the header at which the link ends. @param {AnchorParams} params @param {BeaconSet} set
 * @param {AnchorBody} body @param {bigint} now */
function ethereumState(params, set, { number, hash, signed, link }, now) {
  const signature = beacon.check(params.beacon, set, { number, hash }, signed, now);
  const below = follow(link, params.ethereum_rule, 0n, { number, hash });
  const last = link.at(-1);
  if (!last) throw encoding("header of Ethereum");
  const header = reading("header of Ethereum", () => readEvmHeader(params.ethereum_rule, last.header));
  // the committee signs a hash; the number is the header's
  if (header.number - 1n !== below.number) throw otherNumber(header.number, below.number + 1n);
  return { number: header.number, stateRoot: header.stateRoot, signature };
}

/** The last contract that is not of a later block of Ethereum. @param {AnchorParams} params @param {bigint} number */
function contractAt(params, number) {
  const known = params.contracts.filter(({ from }) => BigInt(from) <= number).at(-1);
  if (!known) throw order("the contract is of a later block of Ethereum");
  return fromHex(known.address);
}

/** @type {import("./rules.js").SetRules<AnchorParams, BeaconSet>} */
export const anchor = {
  decode: (params, bytes) => beacon.decode(params.beacon, bytes),
  id: beacon.id,
  number: beacon.number,
  begins: (set, params) => beacon.begins(set, params.beacon),
  trustedUntil: (set, params) => beacon.trustedUntil(set, params.beacon),

  check(params, set, block, body, now) {
    const read = readBody(params, body);
    const header = readHeader(params, read.header, block);
    const { number, stateRoot, signature } = ethereumState(params, set, read, now);
    const contract = contractAt(params, number);
    const state = { stateRoot, contract };
    if (read.registry) checkRegistry(read.registry, state, BigInt(params.chain), header, block.hash);
    else if (read.outbox) checkOutbox(read.outbox, state, header, block.hash);
    else throw new TypeError("params name no form of contract");
    const by = `${signature.by} (Ethereum's block ${number}, whose contract ${toHex(contract)} holds the rollup's ` +
      `block ${block.number})`;
    return { at: signature.at, by };
  },

  advance: (params, set, step, now) => beacon.advance(params.beacon, set, step, now),
};
