// @ts-check
// Figures of pools as a price shows them, compared with what follows from the events.

import { over, isZero, toDouble, toText, ZERO } from "./dex/decimal.js";
import { totalDepth } from "./dex/quote.js";
import { Fault } from "./fault.js";
import { shorten } from "./json.js";

/** @typedef {import("./price-body.js").PricePool} PricePool */
/** @typedef {import("./dex/quote.js").Said} Said */

const DIGITS = 18;

/** @param {PricePool} pool @param {string} member @param {unknown} computed @param {unknown} said */
function same(pool, member, computed, said) {
  const isSame = Array.isArray(computed) && Array.isArray(said)
    ? computed.length === said.length && computed.every((one, at) => one === said[at]) : computed === said;
  if (!isSame) throw new Fault(`pool ${shorten(pool.address)}: its ${member} follows as ${computed}, and ${shorten(said)} is said`);
}

/** @param {PricePool} pool @param {import("./dex/factories.js").Bound} bound */
export function checkKind(pool, bound) {
  same(pool, "protocol", bound.dex, pool.protocol);
  if (!bound.feeMayChange) same(pool, "fee_millionths", bound.fee, pool.fee);
  same(pool, "tick_spacing", bound.spacing, pool.spacing);
}

/** @param {PricePool} pool @param {import("./dex/state.js").State} state @param {boolean} isStable */
export function checkState(pool, state, isStable) {
  const isSpot = state.kind === "spot";
  same(pool, "reserves", state.kind === "reserves" ? state.reserves.map(String) : null, pool.reserves);
  same(pool, "sqrt_price_x96", isSpot ? String(state.root) : null, pool.root);
  same(pool, "liquidity", isSpot ? String(state.liquidity) : null, pool.liquidity);
  same(pool, "tick", state.kind === "bin" || isStable ? null : state.tick, pool.tick);
}

/** @param {PricePool[]} pools @param {(Said | null)[]} said */
export function checkFigures(pools, said) {
  const all = totalDepth(said);
  pools.forEach((pool, at) => {
    const own = said[at];
    const leftOut = own ? own.left : "beyond";
    same(pool, "left_out", leftOut, pool.leftOut);
    const says = own && !isZero(own.usd) ? own : null;
    same(pool, "price_base", says && toText(says.inBase, DIGITS), pool.priceBase);
    same(pool, "price_usd", says && toText(says.usd, DIGITS), pool.priceUsd);
    same(pool, "liquidity_usd", says && toText(says.liquidityUsd, DIGITS), pool.liquidityUsd);
    same(pool, "depth_usd", says && toText(says.depthUsd, DIGITS), pool.depthUsd);
    const weight = says && leftOut === null ? over(says.depthUsd, all) ?? ZERO : ZERO;
    same(pool, "weight", Math.round(toDouble(weight) * 10000) / 10000, pool.weight);
  });
}
