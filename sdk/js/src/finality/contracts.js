// @ts-check
// Contracts on Ethereum that hold rollups' blocks: registries of the OP stack, the outbox of Arbitrum. Sources:
// ethereum-optimism/optimism `AnchorStateRegistry.sol`, `FaultDisputeGame.sol`; specs.optimism.io, output root version 0,
// Isthmus; OffchainLabs/nitro-contracts `Outbox.sol`.
//
// registry   nodes ‖ nodes ‖ nodes ‖ length:u32 ‖ code      of the registry, its slot 2, the game; the game's code
// outbox     nodes ‖ nodes                                  of the outbox, its slot

import { concat, need, Reader, same, wordOf } from "./bytes.js";
import { keccak256 } from "./hash.js";
import { accountOf, readNodes, wordIn } from "./ledger/state.js";
import { branch, encoding, order, otherBlock } from "./verdict.js";

/** @typedef {import("./ledger/evm.js").EvmHeader} EvmHeader */
/** @typedef {import("./ledger/state.js").StateNodes} StateNodes */
/** @typedef {{ registry: StateNodes, word: StateNodes, game: StateNodes, code: Uint8Array }} RegistryProof */
/** @typedef {{ outbox: StateNodes, word: StateNodes }} OutboxProof */
/** A final state of Ethereum, and the contract in it.
 * @typedef {{ stateRoot: Uint8Array, contract: Uint8Array }} ContractState */

/** Slot of `anchorGame` in registries since version 3. */
const ANCHOR_GAME_SLOT = wordOf(2n);
/** The outbox's mapping `roots`. */
const ROOTS_SLOT = wordOf(3n);
/** Root claim in a game's code. */
const CLAIM_AT = 0x76;
/** Place of a super root's preimage, behind creator, claim, head of Ethereum and type. */
const SUPER_ROOT_AT = 0xba;
/** Version and time of a super root. */
const SUPER_ROOT_HEAD = 9;
const SUPER_ROOT_VERSION = 1;
/** Chain id and output root. */
const SUPER_ROOT_CHAIN = 64;
/** Longest game code. */
const GAME_BYTES_MAX = 4 << 10;
const HASH_BYTES = 32;
const ADDRESS_BYTES = 20;

/** @param {Reader} reader @returns {RegistryProof} */
export function readRegistryProof(reader) {
  const [registry, word, game] = [readNodes(reader), readNodes(reader), readNodes(reader)];
  const code = reader.long();
  need(code.length <= GAME_BYTES_MAX);
  return { registry, word, game, code };
}

/** @param {Reader} reader @returns {OutboxProof} */
export const readOutboxProof = (reader) => ({ outbox: readNodes(reader), word: readNodes(reader) });

/** Checks that the code is that of the registry's game. @param {RegistryProof} proof @param {ContractState} state */
function checkGame({ registry, word, game, code }, { stateRoot, contract }) {
  const account = accountOf(registry, stateRoot, contract);
  if (!account) throw branch("registry");
  const slot = wordIn(word, account.storageRoot, ANCHOR_GAME_SLOT);
  if (!slot) throw branch("game in the registry");
  const [high, address] = [slot.subarray(0, HASH_BYTES - ADDRESS_BYTES), slot.subarray(HASH_BYTES - ADDRESS_BYTES)];
  if (high.some((byte) => byte !== 0)) throw order("the registry's slot holds more than an address");
  const own = accountOf(game, stateRoot, address);
  if (!own) throw branch("game");
  if (!same(own.codeHash, keccak256(code))) throw branch("code of the game");
}

/** The claimed super root's chains with their output roots, 64 bytes each:
 * `01 ‖ time:u64 ‖ (chain:32 ‖ output root:32)*`, of unstated length. None where no length hashes to the claim. @param {Uint8Array} code @param {Uint8Array} claim */
function superRootChains(code, claim) {
  const preimage = code.subarray(SUPER_ROOT_AT);
  if (preimage[0] !== SUPER_ROOT_VERSION) return [];
  const longest = Math.floor((preimage.length - SUPER_ROOT_HEAD) / SUPER_ROOT_CHAIN);
  for (let count = 1; count <= longest; count++) {
    const end = SUPER_ROOT_HEAD + count * SUPER_ROOT_CHAIN;
    if (!same(keccak256(preimage.subarray(0, end)), claim)) continue;
    return Array.from({ length: count }, (_, index) => {
      const at = SUPER_ROOT_HEAD + index * SUPER_ROOT_CHAIN;
      return preimage.subarray(at, at + SUPER_ROOT_CHAIN);
    });
  }
  return [];
}

/** Whether a game claims a chain's output root: as the claim itself, or in the preimage of a claimed super root.
 * @param {Uint8Array} code @param {bigint} chain @param {Uint8Array} outputRoot */
function holdsRoot(code, chain, outputRoot) {
  const claim = code.subarray(CLAIM_AT, CLAIM_AT + HASH_BYTES);
  if (claim.length !== HASH_BYTES) return false;
  const own = concat(wordOf(chain), outputRoot);
  return same(claim, outputRoot) || superRootChains(code, claim).some((one) => same(one, own));
}

/** Compares a rollup's block with the registry's game. @param {RegistryProof} proof @param {ContractState} state
 * @param {bigint} chain @param {EvmHeader} header @param {Uint8Array} hash of the header */
export function checkRegistry(proof, state, chain, header, hash) {
  checkGame(proof, state);
  // output root, version 0, since Isthmus: the withdrawals root is the message passer's
  const { stateRoot, withdrawalsRoot } = header;
  const isClaimed = withdrawalsRoot !== null
    && holdsRoot(proof.code, chain, keccak256(new Uint8Array(HASH_BYTES), stateRoot, withdrawalsRoot, hash));
  if (!isClaimed) throw branch("output root");
}

/** Compares a rollup's block with the outbox's hash under the header's send root. @param {OutboxProof} proof
 * @param {ContractState} state @param {EvmHeader} header @param {Uint8Array} hash of the header */
export function checkOutbox({ outbox, word }, { stateRoot, contract }, header, hash) {
  const sendRoot = header.extraData;
  if (sendRoot.length !== HASH_BYTES) throw encoding("send root");
  const account = accountOf(outbox, stateRoot, contract);
  if (!account) throw branch("outbox");
  const got = wordIn(word, account.storageRoot, keccak256(sendRoot, ROOTS_SLOT));
  if (!got) throw branch("send root");
  if (!same(got, hash)) throw otherBlock(got, hash);
}
