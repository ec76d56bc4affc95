// @ts-check
// A token's price from the states of its pools: docs/protocol/prices.md, "The price".

import * as decimal from "./decimal.js";
import { depthOf, heldBy, priceOf, wholePrice } from "./state.js";

/** @typedef {import("./decimal.js").Decimal} Decimal */
/** @typedef {import("./state.js").State} State */
/** @typedef {import("./factories.js").Bound} Bound */
/** A pool at a block, seen from one token: its side, the decimals of both, and the dollars of its base.
 * @typedef {{ bound: Bound, side: 0 | 1, decimals: [number, number], state: State, age: number, baseUsd: Decimal,
 *   near: bigint | null }} Seen */
/** Tokens in whole units, bases in dollars. @typedef {{ tokens: Decimal, base: Decimal }} Stock */
/** What a pool says; zeros where it says nothing. @typedef {{ inBase: Decimal, usd: Decimal, liquidityUsd: Decimal,
 *   depthUsd: Decimal, left: string | null, held: Stock, depth: Stock }} Said */
/** @typedef {{ depthUsdMin: number, staleAfterSeconds: number, outlierPercentMax: number }} Rules */
/** @typedef {{ price: Decimal, weight: Decimal }} Voice */

const FEE_MAX = 20000;
const UNITS_MIN = 1000n;
const { ZERO, compareDecimals, isZero, plus, times } = decimal;

/** @param {string} left @returns {Said} */
function nothing(left) {
  const none = { tokens: ZERO, base: ZERO };
  return { inBase: ZERO, usd: ZERO, liquidityUsd: ZERO, depthUsd: ZERO, left, held: none, depth: none };
}

/** @param {import("./state.js").Amounts | null} amounts @param {Seen} seen @returns {Stock | null} */
function stockOf(amounts, { side, decimals, baseUsd }) {
  if (!amounts) return null;
  const tokens = decimal.ofFraction(amounts[side], 1n, -decimals[side]);
  const bases = decimal.ofFraction(amounts[1 - side], 1n, -decimals[1 - side]);
  const base = bases && times(bases, baseUsd);
  return tokens && base ? { tokens, base } : null;
}

/** @param {State} state */
function isDrained(state) {
  if (state.kind === "reserves") return state.reserves.some((held) => held < UNITS_MIN);
  return state.kind === "spot" && state.liquidity === 0n;
}

/** @param {Seen} seen @param {Rules} rules */
function reasonToLeaveOut({ state, bound, age }, rules) {
  if (isDrained(state)) return "drained";
  if (bound.fee > FEE_MAX) return "fee";
  return age > rules.staleAfterSeconds ? "stale" : null;
}

/** What one pool says; null where it cannot be computed. @param {Seen} seen @param {Rules} rules @returns {Said | null} */
function saidBy(seen, rules) {
  const { bound, side, decimals, state, baseUsd, near } = seen;
  if (state.kind === "bin") return nothing("bins");
  const price = priceOf(state, bound.isStable, decimals);
  if (!price) return nothing("drained");
  const inBase = wholePrice(price, side, decimals);
  const usd = inBase && times(inBase, baseUsd);
  const held = stockOf(heldBy(state, bound.spacing), seen);
  const depth = stockOf(depthOf(state, bound.spacing, near), seen);
  if (!inBase || !usd || !held || !depth) return null;
  return { inBase, usd, held, depth, liquidityUsd: ZERO, depthUsd: ZERO, left: reasonToLeaveOut(seen, rules) };
}

/** @param {Voice[]} voices @returns {Decimal | null} */
function weightedMedian(voices) {
  const heavy = voices.filter(({ weight }) => !isZero(weight))
    .sort((a, b) => compareDecimals(a.price, b.price) || compareDecimals(a.weight, b.weight));
  const total = heavy.reduce((sum, { weight }) => plus(sum, weight), ZERO);
  let sum = ZERO;
  for (const { price, weight } of heavy) {
    sum = plus(sum, weight);
    if (compareDecimals(plus(sum, sum), total) >= 0) return price;
  }
  return null;
}

/** @param {(Said | null)[]} said @param {(one: Said) => Decimal} weightOf @returns {Voice[]} */
const voicesOf = (said, weightOf) => said.map((one) =>
  (one && one.left === null ? { price: one.usd, weight: weightOf(one) } : { price: ZERO, weight: ZERO }));

/** Values tokens at the median price by all pools' bases. @param {(Said | null)[]} said */
function weigh(said) {
  const fair = weightedMedian(voicesOf(said, (one) => one.depth.base));
  for (const one of said) {
    if (!one) continue;
    const worth = (/** @type {Stock} */ { tokens, base }) => {
      const dollars = times(tokens, fair ?? one.usd);
      return dollars ? plus(dollars, base) : base;
    };
    [one.liquidityUsd, one.depthUsd] = [worth(one.held), worth(one.depth)];
  }
}

/** The price over all pools, and what each says. @param {Seen[]} seen @param {Rules} rules
 * @returns {{ said: (Said | null)[], usd: Decimal | null, why: string }} `usd` null: there is no price, and why */
export function priceBy(seen, rules) {
  const said = seen.map((one) => saidBy(one, rules));
  weigh(said);
  const voices = voicesOf(said, (one) => one.depthUsd);
  const middle = weightedMedian(voices);
  const most = decimal.over(decimal.ofInteger(rules.outlierPercentMax), decimal.ofInteger(100)) ?? ZERO;
  const isFar = voices.map(({ price }) => {
    const far = middle && decimal.apart(price, middle);
    return !far || compareDecimals(far, most) > 0;
  });
  const usd = middle && weightedMedian(voices.filter((_, at) => !isFar[at]));
  if (!usd) return { said, usd: null, why: "nothing: no pool counts" };
  said.forEach((one, at) => {
    if (one && one.left === null && isFar[at]) one.left = "outlier";
  });
  const depth = totalDepth(said);
  if (compareDecimals(depth, decimal.ofInteger(rules.depthUsdMin)) < 0) {
    return { said, usd: null, why: `nothing: only ${decimal.toText(depth, 3)} US dollars stand behind it` };
  }
  return { said, usd, why: "" };
}

/** Dollars behind the pools that count. @param {(Said | null)[]} said */
export const totalDepth = (said) =>
  said.reduce((sum, one) => (one && one.left === null ? plus(sum, one.depthUsd) : sum), ZERO);
