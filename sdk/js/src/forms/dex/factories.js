// @ts-check
// Which pools follow from a factory: docs/protocol/prices.md, "Factories".

import { concat, fromHex, keccak256, toHex, u64 } from "../../verify/hash.js";
import { NO_ADDRESS } from "./events.js";
import { FACTORIES } from "./lists.js";

/** @typedef {import("./lists.js").Factory} Factory */
/** @typedef {import("./events.js").Pool} Pool */
/** @typedef {import("./events.js").Created} Created */
/** @typedef {{ fee: number, spacing: number, isStable: boolean }} Kind */
/** @typedef {{ dex: string, fee: number, feeMayChange: boolean, spacing: number, isStable: boolean }} Bound */
/** @typedef {[string, string]} Pair */

/** @type {[number, number][]} */
const USUAL_V4 = [[100, 1], [500, 10], [3000, 60], [10000, 200]];
/** @type {Record<number, number>} */
const SPACINGS = { 200: 4, 300: 6, 400: 8, 500: 10, 2500: 50, 3000: 60, 10000: 200 };
const CHANGING = ["solidly", "slipstream", "algebra"];
const FEE_MAX = 1000000;
const [CLONE_BEFORE, CLONE_AFTER] = ["3d602d80600a3d3981f3363d3d373d3d3d363d73", "5af43d82803e903d91602b57fd5bf3"].map(fromHex);

/** @param {number} fee */
const spacingOf = (fee) => SPACINGS[fee] ?? 1;

/** A number as a word, sign-extended. @param {number} value */
function word(value) {
  const filler = new Uint8Array(24).fill(value < 0 ? 0xff : 0);
  return concat(filler, u64(BigInt.asUintN(64, BigInt(value))));
}
/** @param {string} address */
const addressWord = (address) => concat(new Uint8Array(12), fromHex(address));

/** @param {Factory} row @returns {Kind[]} */
function kindsOf({ form, fees = [], spacings = [] }) {
  return fees.map((fee, at) => ({ fee, isStable: form === "solidly" && at === 1,
    spacing: spacings[at] ?? (form === "v3" || form === "event" ? spacingOf(fee) : 1) }));
}

/** @param {Factory} row */
const mayChange = (row) => row.feesChange === true || CHANGING.includes(row.form);

/** @param {Factory} row @param {Kind} kind @returns {Bound} */
const bound = (row, { fee, spacing, isStable }) => ({ dex: row.dex, fee, feeMayChange: mayChange(row), spacing, isStable });

/** What distinguishes a contract pool among those of two tokens; null for a form without addresses. @param {Factory} row
 * @param {Pair} pair @param {Kind} kind */
function saltOf({ form }, [token0, token1], { fee, spacing, isStable }) {
  const packed = [fromHex(token0), fromHex(token1)];
  const words = [addressWord(token0), addressWord(token1)];
  switch (form) {
    case "v2": return keccak256(...packed);
    case "v3": return keccak256(...words, word(fee));
    case "solidly": return keccak256(...packed, [isStable ? 1 : 0]);
    case "slipstream": return keccak256(...words, word(spacing));
    case "algebra": return keccak256(...words);
    default: return null;
  }
}

/** The address at which a factory makes a pool (EIP-1014). @param {Factory} row @param {Pair} pair @param {Kind} kind */
function addressOf(row, pair, kind) {
  const salt = saltOf(row, pair, kind);
  const { code, implementation } = row;
  if (!salt || (!code && !implementation)) return null;
  const hash = code ? fromHex(code) : keccak256(CLONE_BEFORE, fromHex(implementation ?? ""), CLONE_AFTER);
  return toHex(keccak256([0xff], fromHex(row.deployer ?? row.address), salt, hash).subarray(12));
}

/** The id of a pool within a contract, without hooks; null for other forms. @param {Factory} row @param {Pair} pair
 * @param {number} fee @param {number} spacing */
function idOf(row, [token0, token1], fee, spacing) {
  const words = [addressWord(token0), addressWord(token1)];
  if (row.form === "v4") return toHex(keccak256(...words, word(fee), word(spacing), word(0)));
  if (row.form !== "infinity" || spacing < 0) return null;
  return toHex(keccak256(...words, word(0), addressWord(row.address), word(fee), word(spacing * 2 ** 16)));
}

/** @param {string} chain @returns {Factory[]} */
const rowsOn = (chain) => FACTORIES.filter((row) => row.chains.includes(chain));

/** The pool among those that follow from tokens and usual fees. @param {Factory} row @param {Pool} pool @param {Pair} pair */
function usual(row, pool, pair) {
  if (row.form === "v4") {
    const found = pool.id !== null && pool.address === row.address &&
      USUAL_V4.find(([fee, spacing]) => idOf(row, pair, fee, spacing) === pool.id);
    return found ? bound(row, { fee: found[0], spacing: found[1], isStable: false }) : null;
  }
  const kind = pool.id === null ? kindsOf(row).find((one) => addressOf(row, pair, one) === pool.address) : undefined;
  return kind ? bound(row, kind) : null;
}

/** The factory's pool of two tokens, if they and the named fee show that it is one.
 * @param {string} chain @param {Pool} pool @param {Pair} pair @param {number} fee @param {number} spacing
 * @returns {Bound | null} */
export function bindPool(chain, pool, pair, fee, spacing) {
  for (const row of rowsOn(chain)) {
    const found = usual(row, pool, pair);
    if (found) return found;
  }
  const kind = { fee, spacing: pool.id === null ? spacingOf(fee) : spacing, isStable: false };
  const follows = rowsOn(chain).find((row) => (pool.id === null
    ? row.form === "v3" && addressOf(row, pair, kind) === pool.address
    : (row.form === "v4" || row.form === "infinity") && row.address === pool.address && idOf(row, pair, fee, spacing) === pool.id));
  return follows && fee < FEE_MAX ? bound(follows, kind) : null;
}

/** The pool of a creation by a factory on the chain, with whatever hooks; null where none is known.
 * @param {string} chain @param {string} by @param {Created} made @returns {Bound | null} */
export function madeBy(chain, by, made) {
  const row = rowsOn(chain).find((one) => one.address === by);
  if (!row) return null;
  const kinds = kindsOf(row);
  const known = kinds.find((kind) => {
    if (row.form === "solidly") return kind.isStable === made.isStable;
    if (row.form === "slipstream") return kind.spacing === made.spacing;
    return made.fee === null || made.fee === kind.fee;
  });
  const guess = mayChange(row) ? kinds[0] : undefined;
  const fee = made.fee ?? (known ?? guess)?.fee;
  if (fee === undefined || (fee >= FEE_MAX && made.hooks === NO_ADDRESS)) return null;
  return bound(row, { fee, spacing: made.spacing ?? known?.spacing ?? 1, isStable: made.isStable });
}
