// @ts-check
// What a pool's state says: its price, what it holds, and what of it weighs. docs/protocol/prices.md, "What a pool says".

import * as decimal from "./decimal.js";
import { rootAt } from "./tick.js";

/** `reserves` of both tokens; a spot; or a pool with bins, of which events do not show what it holds.
 * @typedef {{ kind: "reserves", reserves: [bigint, bigint], tick: number | null }
 *   | { kind: "spot", root: bigint, tick: number, liquidity: bigint } | { kind: "bin" }} State */
/** Token 0 in token 1, in smallest units, reduced. @typedef {[bigint, bigint]} Fraction */
/** @typedef {[bigint, bigint]} Amounts in smallest units */

const WIDE = 2n ** 512n;
const WORD = 2n ** 256n;
const NEAR_TICKS = 100;

/** @param {bigint} a @param {bigint} b @returns {bigint} */
function gcd(a, b) {
  while (b) [a, b] = [b, a % b];
  return a;
}

/** @param {bigint} over @param {bigint} under @returns {Fraction | null} */
function fraction(over, under) {
  if (over <= 0n || under <= 0n) return null;
  const common = gcd(over, under);
  return [over / common, under / common];
}

/** @param {...bigint} products @returns {boolean} */
const fit = (...products) => products.every((product) => product < WIDE);

/** The slope of `x³y + xy³`. @param {Amounts} reserves @param {[number, number]} decimals @returns {Fraction | null} */
function stablePrice([reserve0, reserve1], [decimals0, decimals1]) {
  const [unit0, unit1] = [10n ** BigInt(decimals0), 10n ** BigInt(decimals1)];
  if (!fit(unit0, unit1, reserve0 * unit1, reserve1 * unit0)) return null;
  const ratio = fraction(reserve1 * unit0, reserve0 * unit1);
  if (!ratio) return null;
  const [y, x] = ratio;
  /** @param {bigint} a @param {bigint} b */
  const side = (a, b) => {
    const squares = a * a + 3n * b * b;
    return fit(a * a, b * b, 3n * b * b, squares, squares * a) ? squares * a : null;
  };
  const [over, under] = [side(y, x), side(x, y)];
  const slope = over !== null && under !== null ? fraction(over, under) : null;
  const units = fraction(unit1, unit0);
  if (!slope || !units || !fit(slope[0] * units[0], slope[1] * units[1])) return null;
  return fraction(slope[0] * units[0], slope[1] * units[1]);
}

/** @param {State} state @param {boolean} isStable @param {[number, number]} decimals @returns {Fraction | null} */
export function priceOf(state, isStable, decimals) {
  if (state.kind === "bin") return null;
  if (state.kind === "spot") return fraction(state.root * state.root, 2n ** 192n);
  return isStable ? stablePrice(state.reserves, decimals) : fraction(state.reserves[1], state.reserves[0]);
}

/** The price of one whole token of a side in the other. @param {Fraction} price @param {0 | 1} side
 * @param {[number, number]} decimals */
export function wholePrice([over, under], side, decimals) {
  const shift = decimals[side] - decimals[1 - side];
  return side === 0 ? decimal.ofFraction(over, under, shift) : decimal.ofFraction(under, over, shift);
}

/** @param {Amounts} amounts @returns {Amounts | null} */
const narrow = (amounts) => (amounts.every((amount) => amount < WORD) ? amounts : null);

/** Next to the price: all reserves, or what lies between the two usable ticks around it. @param {State} state
 * @param {number} spacing @returns {Amounts | null} */
export function heldBy(state, spacing) {
  if (state.kind === "bin") return [0n, 0n];
  if (state.kind === "reserves") return state.reserves;
  const step = Math.max(spacing, 1);
  const low = Math.floor(state.tick / step) * step;
  const [lower, upper] = [rootAt(low), rootAt(low + step)];
  if (lower === null || upper === null || lower === 0n || lower >= upper) return null;
  const root = state.root < lower ? lower : state.root > upper ? upper : state.root;
  return narrow([((state.liquidity << 96n) * (upper - root)) / upper / root, (state.liquidity * (root - lower)) >> 96n]);
}

/** The mean liquidity within a hundredth of the price, of the usable ticks around it alone.
 * @param {{ tick: number, liquidity: bigint }} spot @param {number} spacing */
function nearLiquidity({ tick, liquidity }, spacing) {
  const step = Math.max(spacing, 1);
  const low = Math.floor(tick / step) * step;
  const length = Math.max(0, Math.min(low + step, tick + NEAR_TICKS) - Math.max(low, tick - NEAR_TICKS));
  const mean = (liquidity * BigInt(length)) / BigInt(2 * NEAR_TICKS);
  return mean < liquidity ? mean : liquidity;
}

/** A hundredth of what weighs. @param {State} state @param {number} spacing @param {bigint | null} near
 * @returns {Amounts | null} */
export function depthOf(state, spacing, near) {
  if (state.kind === "bin") return [0n, 0n];
  if (state.kind === "reserves") return [state.reserves[0] / 100n, state.reserves[1] / 100n];
  if (state.root === 0n) return null;
  const liquidity = near ?? nearLiquidity(state, spacing);
  const held = narrow([(liquidity << 96n) / state.root, (liquidity * state.root) >> 96n]);
  return held && [held[0] / 100n, held[1] / 100n];
}
