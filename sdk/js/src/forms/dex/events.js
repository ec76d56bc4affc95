// @ts-check
// Events of pools by their forms: docs/protocol/prices.md, "Events". What is not wholly of a form is no pool event.

import { keccak256, toHex, utf8 } from "../../verify/hash.js";

/** A pool: its contract, or one of many within a contract, by an id. @typedef {{ address: string, id: string | null }} Pool */
/** @typedef {{ root: bigint, tick: number, liquidity: bigint | null }} Spot */
/** @typedef {{ kind: "created", token0: string, token1: string, fee: number | null, spacing: number | null, isStable: boolean,
 *   hooks: string, spot: Spot | null }} Created `spacing` negative: of a pool with bins in the other order of tokens */
/** @typedef {Created | { kind: "initialized", spot: Spot } | { kind: "reserves", reserves: [bigint, bigint] }
 *   | { kind: "swapped", spot: Spot | null } | { kind: "bin" }
 *   | { kind: "liquidity", ticks: [number, number] | null, delta: bigint | null, adds: boolean }} PoolEvent */
/** @typedef {{ pool: Pool, event: PoolEvent }} Decoded */
/** @typedef {(contract: string, topics: Uint8Array[], words: any[]) => Decoded | null} Build */

export const NO_ADDRESS = `0x${"00".repeat(20)}`;

/** @param {Uint8Array} word */
const toInteger = (word) => BigInt(toHex(word));

/** A word within its type: a for an address, b a bool, u and i integers with their bits; null for another.
 * @param {string} type @param {Uint8Array} word @returns {string | boolean | bigint | null} */
function read(type, word) {
  const value = toInteger(word);
  if (type === "a") return value < 2n ** 160n ? toHex(word.subarray(12)) : null;
  if (type === "b") return value < 2n ? value === 1n : null;
  const bits = Number(type.slice(1));
  if (type[0] === "u") return value < 2n ** BigInt(bits) ? value : null;
  const signed = BigInt.asIntN(256, value);
  return BigInt.asIntN(bits, signed) === signed ? signed : null;
}

/** @param {string} types @param {Uint8Array} data @returns {any[] | null} */
function readWords(types, data) {
  const names = types.split(" ");
  if (data.length !== 32 * names.length) return null;
  const words = names.map((type, at) => read(type, data.subarray(32 * at, 32 * at + 32)));
  return words.includes(null) ? null : words;
}

/** @param {string} address @returns {Pool} */
const contractPool = (address) => ({ address, id: null });

/** @param {Pool} pool @param {Uint8Array[]} tokens two topics @param {Partial<Created>} [more] @returns {Decoded | null} */
function created(pool, tokens, more = {}) {
  const [token0, token1] = tokens.map((topic) => read("a", topic));
  if (typeof token0 !== "string" || typeof token1 !== "string") return null;
  return { pool, event: { kind: "created", token0, token1, fee: null, spacing: null, isStable: false, hooks: NO_ADDRESS,
    spot: null, ...more } };
}

/** @param {bigint} root @param {bigint} tick @param {bigint | null} liquidity @returns {Spot} */
const spotOf = (root, tick, liquidity) => ({ root, tick: Number(tick), liquidity });

/** @type {Build} */
const reserves = (contract, _, words) =>
  ({ pool: contractPool(contract), event: { kind: "reserves", reserves: [words[0], words[1]] } });

/** @type {Build} */
function swappedInAndOut(contract, _, [in0, in1, out0, out1]) {
  // amounts are signed words of 256 bits
  const isWithin = [in0, in1, out0, out1].every((amount) => amount < 2n ** 255n);
  return isWithin ? { pool: contractPool(contract), event: { kind: "swapped", spot: null } } : null;
}

/** Liquidity without ranges. @param {boolean} adds @returns {Build} */
const amounts = (adds) => (contract) =>
  ({ pool: contractPool(contract), event: { kind: "liquidity", ticks: null, delta: null, adds } });

/** Price, liquidity and tick after two amounts. @type {Build} */
const swapped = (contract, _, [, , root, liquidity, tick]) =>
  ({ pool: contractPool(contract), event: { kind: "swapped", spot: spotOf(root, tick, liquidity) } });

/** The same within a contract. @type {Build} */
const swappedWithin = (contract, [id], [, , root, liquidity, tick]) =>
  ({ pool: { address: contract, id: toHex(id) }, event: { kind: "swapped", spot: spotOf(root, tick, liquidity) } });

/** A range's liquidity: owner and ticks are topics. @param {number} place of the amount @param {boolean} isTaken
 * @returns {Build} */
const ranged = (place, isTaken) => (contract, [, lower, upper], words) => {
  const [low, high] = [read("i24", lower), read("i24", upper)];
  if (typeof low !== "bigint" || typeof high !== "bigint") return null;
  const delta = isTaken ? -words[place] : words[place];
  return { pool: contractPool(contract),
    event: { kind: "liquidity", ticks: [Number(low), Number(high)], delta, adds: !isTaken && delta > 0n } };
};

/** The spacing in the parameters of a PancakeSwap Infinity pool; null for none. @param {bigint} parameters
 * @param {string} hooks */
function spacingWithin(parameters, hooks) {
  const [calls, steps] = [parameters & 0xffffn, parameters >> 16n];
  return (calls === 0n || hooks !== NO_ADDRESS) && steps >= 1n && steps < 2n ** 23n ? Number(steps) : null;
}

/** @type {Build} */
function infinity(contract, [id, ...tokens], [hooks, fee, parameters, root, tick]) {
  const spacing = spacingWithin(parameters, hooks);
  const spot = tick === undefined ? null : spotOf(root, tick, null);
  return spacing === null ? null : created({ address: contract, id: toHex(id) }, tokens, { fee: Number(fee), spacing, hooks, spot });
}

/** @type {Build} */
function liquidityBook(_, [one, other, step], [pool]) {
  const binStep = read("u16", step);
  const made = typeof binStep === "bigint" ? created(contractPool(pool), [one, other]) : null;
  if (made?.event.kind !== "created") return null;
  const { token0: first, token1: second } = made.event;
  const [token0, token1] = first < second ? [first, second] : [second, first];
  const spacing = first === token0 ? Number(binStep) : -Number(binStep);
  return { pool: made.pool, event: { ...made.event, token0, token1, spacing } };
}

/** Signature, further topics, types of the words, and what the event says. @type {[string, number, string, Build][]} */
const FORMS = [
  ["PairCreated(address,address,address,uint256)", 2, "a u256", (_, topics, [pool]) => created(contractPool(pool), topics)],
  ["Sync(uint112,uint112)", 0, "u112 u112", reserves],
  ["Swap(address,uint256,uint256,uint256,uint256,address)", 2, "u256 u256 u256 u256", swappedInAndOut],
  ["Mint(address,uint256,uint256)", 1, "u256 u256", amounts(true)],
  ["Burn(address,uint256,uint256,address)", 2, "u256 u256", amounts(false)],
  ["PairCreated(address,address,bool,address,uint256)", 2, "b a u256",
    (_, topics, [isStable, pool]) => created(contractPool(pool), topics, { isStable })],
  ["PoolCreated(address,address,bool,address,uint256)", 3, "a u256", (_, [one, other, stable], [pool]) => {
    const isStable = read("b", stable);
    return typeof isStable === "boolean" ? created(contractPool(pool), [one, other], { isStable }) : null;
  }],
  ["Sync(uint256,uint256)", 0, "u256 u256", reserves],
  ["Swap(address,address,uint256,uint256,uint256,uint256)", 2, "u256 u256 u256 u256", swappedInAndOut],
  ["Burn(address,address,uint256,uint256)", 2, "u256 u256", amounts(false)],
  ["PoolCreated(address,address,uint24,int24,address)", 3, "i24 a", (_, [one, other, topic], [spacing, pool]) => {
    const fee = read("u24", topic);
    return typeof fee === "bigint"
      ? created(contractPool(pool), [one, other], { fee: Number(fee), spacing: Number(spacing) }) : null;
  }],
  ["PoolCreated(address,address,int24,address)", 3, "a", (_, [one, other, topic], [pool]) => {
    const spacing = read("i24", topic);
    return typeof spacing === "bigint" ? created(contractPool(pool), [one, other], { spacing: Number(spacing) }) : null;
  }],
  ["Pool(address,address,address)", 2, "a", (_, topics, [pool]) => created(contractPool(pool), topics)],
  ["Initialize(uint160,int24)", 0, "u160 i24", (contract, _, [root, tick]) =>
    ({ pool: contractPool(contract), event: { kind: "initialized", spot: spotOf(root, tick, null) } })],
  ["Swap(address,address,int256,int256,uint160,uint128,int24)", 2, "i256 i256 u160 u128 i24", swapped],
  ["Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)", 2, "i256 i256 u160 u128 i24 u128 u128", swapped],
  ["Swap(address,address,int256,int256,uint160,uint128,int24,uint24,uint24)", 2, "i256 i256 u160 u128 i24 u24 u24", swapped],
  ["Mint(address,address,int24,int24,uint128,uint256,uint256)", 3, "a u128 u256 u256", ranged(1, false)],
  ["Mint(address,address,uint256,int24,int24,uint128,uint256,uint256)", 3, "a u256 u128 u256 u256", ranged(2, false)],
  ["Burn(address,int24,int24,uint128,uint256,uint256)", 3, "u128 u256 u256", ranged(0, true)],
  ["Burn(address,int24,int24,uint128,uint256,uint256,uint24)", 3, "u128 u256 u256 u24", ranged(0, true)],
  ["Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)", 3, "u24 i24 a u160 i24",
    (contract, [id, ...tokens], [fee, spacing, hooks, root, tick]) => created({ address: contract, id: toHex(id) }, tokens,
      { fee: Number(fee), spacing: Number(spacing), hooks, spot: spotOf(root, tick, null) })],
  ["Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)", 2, "i128 i128 u160 u128 i24 u24", swappedWithin],
  ["ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)", 2, "i24 i24 i256 u256",
    (contract, [id], [lower, upper, delta]) => ({ pool: { address: contract, id: toHex(id) },
      event: { kind: "liquidity", ticks: [Number(lower), Number(upper)], delta, adds: delta > 0n } })],
  ["Initialize(bytes32,address,address,address,uint24,bytes32,uint160,int24)", 3, "a u24 u256 u160 i24", infinity],
  ["Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24,uint16)", 2, "i128 i128 u160 u128 i24 u24 u16",
    swappedWithin],
  ["Initialize(bytes32,address,address,address,uint24,bytes32,uint24)", 3, "a u24 u256 u24", infinity],
  ["Swap(bytes32,address,int128,int128,uint24,uint24,uint16)", 2, "i128 i128 u24 u24 u16",
    (contract, [id]) => ({ pool: { address: contract, id: toHex(id) }, event: { kind: "bin" } })],
  ["LBPairCreated(address,address,uint256,address,uint256)", 3, "a u256", liquidityBook],
  ["Swap(address,address,uint24,bytes32,bytes32,uint24,bytes32,bytes32)", 2, "u24 u256 u256 u24 u256 u256",
    (contract) => ({ pool: contractPool(contract), event: { kind: "bin" } })],
];

const BY_TOPIC = new Map(FORMS.map((form) => [toHex(keccak256(utf8(form[0]))), form]));

/** What an event says of a pool; null unless it is wholly of a known form.
 * @param {import("../../verify/ledger/evm.js").Log} log @returns {Decoded | null} */
export function decodeEvent({ address, topics, data }) {
  const [first, ...others] = topics;
  const form = first && BY_TOPIC.get(toHex(first));
  if (!form || others.length !== form[1]) return null;
  const words = readWords(form[2], data);
  return words && form[3](toHex(address), others, words);
}

/** @param {Pool} one @param {Pool} other */
export const isSamePool = (one, other) => one.address === other.address && one.id === other.id;
