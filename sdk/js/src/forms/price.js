// @ts-check
// A price with its proofs: recomputed from proven events, to the same digits. docs/protocol/prices.md.

import { toHex } from "../verify/hash.js";
import { checkAnchor, verifyLevels } from "../verify/srproof.js";
import { Member, bytesOfHex } from "./compare.js";
import * as decimal from "./dex/decimal.js";
import { decodeEvent, isSamePool, NO_ADDRESS } from "./dex/events.js";
import { bindPool, madeBy } from "./dex/factories.js";
import { SLUGS, TOKENS } from "./dex/lists.js";
import { priceBy } from "./dex/quote.js";
import { tickOfReserves } from "./dex/tick.js";
import { Fault, allWithin, fault, need, needAt, within } from "./fault.js";
import { addressOf, readPrice } from "./price-body.js";
import { checkFigures, checkKind, checkState } from "./price-shown.js";
import { checkSaidAnchor } from "./said.js";

/** @typedef {import("./json.js").Json} Json */
/** @typedef {import("../verify/proof.js").ShownProof} ShownProof */
/** @typedef {import("./price-body.js").Price} Price */
/** @typedef {import("./price-body.js").PricePool} PricePool */
/** @typedef {import("./price-body.js").PricedToken} PricedToken */
/** @typedef {import("./price-body.js").Place} Place */
/** @typedef {import("./dex/decimal.js").Decimal} Decimal */
/** @typedef {import("./dex/events.js").Pool} Pool */
/** @typedef {import("./dex/state.js").State} State */
/** Bases by address: decimals and dollars. @typedef {Map<string, { decimals: number, usd: Decimal }>} Bases */
/** `pools`: judged, base pools included; `said`: what the service claims without proof; `admitted`: tokens that count as
 * a dollar by `stables` alone. @typedef {{ token: string, chainId: number, block: number, priceUsd: string, pools: number,
 *   events: number, superRootHash: Uint8Array, said: string[], admitted: string[], anchor: string, last: ShownProof }} ShownPrice */

const DIGITS = 18;
const [STABLE, NATIVE] = [1, 2];

/** The name of a chain in the lists; a simulated chain has Ethereum's. @param {ShownProof} shown @returns {string | undefined} */
export const slugOf = ({ chain, network }) => (network === "simulated" ? "ethereum" : chain.family === 0 ? SLUGS[chain.id] : undefined);

/** @param {Place} place */
const keyOf = ({ block, txIndex, logIndex }) => `${block}:${txIndex}:${logIndex}`;
/** Below 0 where the one comes first. @param {Place} one @param {Place} other */
const comparePlaces = (one, other) => one.block - other.block || one.txIndex - other.txIndex || one.logIndex - other.logIndex;

/** Proven events by their places, all under one SuperRoot. @param {Price} price @param {import("./index.js").Brought} brought
 * @returns {Map<string, ShownProof>} */
function proveEvents(price, brought) {
  needAt(price.proofs && price.proofs.length > 0, "no_proof", "the price carries no proofs: ask for it with proof=1");
  /** @type {Map<string, ShownProof>} */
  const events = new Map();
  let root = "";
  for (const { blob } of price.proofs) {
    const shown = allWithin("proof", () => {
      const proven = verifyLevels(bytesOfHex(blob), brought);
      need(proven.subject.kind === "event", "a proof is not of an event");
      need(proven.chain.id === price.chainId && proven.isNumberBound, "a proof is of another chain");
      return proven;
    });
    const hash = shown.superRoot ? toHex(shown.superRoot.hash) : "";
    needAt(hash !== "" && (root === "" || root === hash), "super_roots", "the proofs lead to more than one SuperRoot, or to none");
    root = hash;
    events.set(keyOf({ block: shown.number, ...shown.subject }), shown);
  }
  return events;
}

/** A running check of a price. */
class PriceCheck {
  /** @param {Price} price @param {Map<string, ShownProof>} events @param {ShownProof} first @param {string[]} stables */
  constructor(price, events, first, stables) {
    this.price = price;
    this.events = events;
    this.slug = slugOf(first);
    this.stables = stables.map((address) => address.toLowerCase());
    this.pools = 0;
    /** @type {string[]} */
    this.said = [];
    /** @type {string[]} */
    this.admitted = [];
  }

  /** @returns {string} */
  chain() {
    if (this.slug === undefined) throw fault("no_price", "its chain is not known here");
    return this.slug;
  }

  /** @param {string} address */
  listed(address) {
    return (TOKENS[this.chain()] ?? []).find(([one]) => one === address);
  }

  /** A token that is well known has its symbol and digits, and no other token has the symbol of one.
   * @param {PricedToken} token @returns {string} its address */
  known(token) {
    const address = within("no_price", () => addressOf(token.address));
    const { symbol, decimals } = token;
    const listed = this.listed(address);
    if (listed) {
      needAt(listed[2] === decimals && (symbol === null || symbol === listed[1]), "no_price",
        `${address} is ${listed[1]} and has ${listed[2]} digits behind the point`);
      return address;
    }
    const isImpostor = symbol !== null && (TOKENS[this.chain()] ?? []).some(([, one]) => lower(one) === lower(symbol));
    needAt(!isImpostor, "no_price", `${address} has the symbol of another token that is well known on its chain`);
    this.said.push(`that ${address} is ${symbol ?? "without a symbol"} and has ${decimals} digits behind the point`);
    return address;
  }

  /** @param {PricedToken} token @returns {string} */
  dollar(token) {
    const address = this.known(token);
    if (((this.listed(address)?.[3] ?? 0) & STABLE) === 0) {
      needAt(this.stables.includes(address), "no_price",
        `${address} is taken for a dollar, and is no stablecoin that is known here on its chain`);
      if (!this.admitted.includes(address)) this.admitted.push(address);
    }
    this.said.push(`that one ${token.symbol ?? "token"} (${address}) is worth one US dollar`);
    return address;
  }

  /** @param {Decimal} usd @param {string} said @param {string} address */
  compare(usd, said, address) {
    const text = decimal.toText(usd, DIGITS);
    needAt(text === said, "price", `the price of ${address} follows as ${text}, and another is said`);
  }

  /** @returns {Bases} */
  bases() {
    /** @type {Bases} */
    const bases = new Map();
    for (const { token, priceUsd } of this.price.bases.filter((base) => base.isConfigured)) {
      const address = this.dollar(token);
      this.compare(decimal.ONE, priceUsd, address);
      bases.set(address, { decimals: token.decimals, usd: decimal.ONE });
    }
    for (const base of this.price.bases.filter((one) => !one.isConfigured)) {
      const own = new Map(bases);
      for (const stable of base.stables) own.set(this.dollar(stable), { decimals: stable.decimals, usd: decimal.ONE });
      const usd = this.token(base.token, base.pools, own);
      this.compare(usd, base.priceUsd, base.token.address);
      bases.set(addressOf(base.token.address), { decimals: base.token.decimals, usd });
    }
    return bases;
  }

  /** @param {PricedToken} token @param {PricePool[]} pools @param {Bases} bases @returns {Decimal} */
  token(token, pools, bases) {
    const address = this.known(token);
    const judged = pools.filter(({ leftOut }) => leftOut === null || leftOut === "outlier");
    const met = new Set();
    const seen = judged.map((pool) => {
      const key = `${within("no_price", () => addressOf(pool.address))}:${pool.poolId}`;
      needAt(!met.has(key), "pool", `pool ${pool.address} is listed twice`);
      met.add(key);
      this.pools += 1;
      return this.see(pool, address, token.decimals, bases);
    });
    const { said, usd, why } = priceBy(seen, this.price.rules);
    within("shown", () => checkFigures(judged, said));
    if (!usd) throw fault("price", `the price of ${address} follows as ${why}`);
    return usd;
  }

  /** A pool from its proven events. @param {PricePool} pool @param {string} token @param {number} decimals
   * @param {Bases} bases @returns {import("./dex/quote.js").Seen} */
  see(pool, token, decimals, bases) {
    const [token0, token1, address, baseAddress] = within("no_price", () =>
      [pool.pair[0], pool.pair[1], pool.address, pool.base].map(addressOf));
    const own = { address, id: pool.poolId };
    const base = bases.get(baseAddress);
    needAt(base, "pool", `pool ${address}: its base is not among the bases`);
    const side = this.sideOf(own, [token0, token1], token, baseAddress);
    needAt(side !== null, "pool", `pool ${address} is of other tokens`);
    const bound = within("pool", () => this.bind(pool, own, [token0, token1]));
    within("shown", () => checkKind(pool, bound));
    const { state, at } = within("pool", () => this.stateOf(pool, own));
    within("shown", () => checkState(pool, state, bound.isStable));
    const near = within("pool", () => this.nearOf(pool, state));
    return { bound, side, decimals: side === 0 ? [decimals, base.decimals] : [base.decimals, decimals], state,
      age: Math.max(0, this.price.block.timestamp - at), baseUsd: base.usd, near };
  }

  /** @param {Pool} pool @param {[string, string]} pair @param {string} token @param {string} base @returns {0 | 1 | null} */
  sideOf(pool, [token0, token1], token, base) {
    const native = (TOKENS[this.chain()] ?? []).find(([, , , roles]) => roles & NATIVE)?.[0];
    /** @param {string} one @param {string} meant */
    const is = (one, meant) => one === meant || (pool.id !== null && one === NO_ADDRESS && native === meant);
    if (is(token0, token) && is(token1, base) && token0 !== base) return 0;
    return is(token1, token) && is(token0, base) ? 1 : null;
  }

  /** @param {PricePool} pool @param {Pool} own @param {[string, string]} pair */
  bind(pool, own, pair) {
    if (!pool.creation) {
      const bound = bindPool(this.chain(), own, pair, pool.fee, pool.spacing);
      need(bound, `pool ${own.address} follows from no factory known here`);
      return bound;
    }
    const { by, event } = this.eventOf(pool.creation, own);
    if (event.kind !== "created") throw new Fault(`what is said to have made pool ${own.address} is no creation`);
    need(event.token0 === pair[0] && event.token1 === pair[1], `pool ${own.address} was made of other tokens`);
    const bound = event.hooks === NO_ADDRESS ? madeBy(this.chain(), by, event) : null;
    need(bound, `pool ${own.address} was made by no factory known here`);
    return bound;
  }

  /** @param {Place} place @param {Pool} own */
  eventOf(place, own) {
    const shown = this.events.get(keyOf(place));
    need(shown, `an event of pool ${own.address} has no proof`);
    need(place.block <= this.price.block.number, `an event of pool ${own.address} is after the block`);
    const log = shown.entry?.event?.kind === "log" ? shown.entry.event.log : null;
    const decoded = log && decodeEvent(log);
    if (!log || !decoded || !isSamePool(decoded.pool, own)) throw new Fault(`an event is not of pool ${own.address}`);
    return { by: toHex(log.address), event: decoded.event, shown };
  }

  /** The last event, and the changes of liquidity after it. @param {PricePool} pool @param {Pool} own
   * @returns {{ state: State, at: number }} */
  stateOf(pool, own) {
    const { event, shown } = this.eventOf(pool.last, own);
    const at = shown.timestamp ?? pool.lastTimestamp;
    if (event.kind === "reserves") {
      return { state: { kind: "reserves", reserves: event.reserves, tick: tickOfReserves(event.reserves) }, at };
    }
    if (event.kind === "bin") return { state: { kind: "bin" }, at };
    const spot = event.kind === "liquidity" ? null : event.spot;
    if (!spot) throw new Fault(`the last event of pool ${own.address} says no price`);
    let [liquidity, before] = [spot.liquidity ?? 0n, pool.last];
    for (const later of pool.later) {
      need(comparePlaces(later, before) > 0, `later events of pool ${own.address} do not follow each other`);
      before = later;
      const { event: change } = this.eventOf(later, own);
      if (change.kind !== "liquidity") throw new Fault(`a later event of pool ${own.address} changes no liquidity`);
      const { ticks, delta } = change;
      const isMet = ticks !== null && ticks[0] <= spot.tick && spot.tick < ticks[1];
      need(isMet && delta !== null && BigInt.asIntN(128, delta) === delta, `changes of pool ${own.address} do not add up`);
      liquidity += delta;
      need(liquidity >= 0n && liquidity < 2n ** 128n, `changes of pool ${own.address} do not add up`);
    }
    return { state: { kind: "spot", root: spot.root, tick: spot.tick, liquidity }, at };
  }

  /** The service's word on the liquidity next to the price: no more than is in force. @param {PricePool} pool
   * @param {State} state @returns {bigint | null} */
  nearOf({ near, address }, state) {
    if (near === null) return null;
    const most = state.kind === "spot" ? state.liquidity : -1n;
    need(/^[0-9]{1,39}$/.test(near) && BigInt(near) <= most, `near_liquidity of pool ${address} is none`);
    this.said.push(`that pool ${address} has a mean liquidity of ${near} within a hundredth of its price, which is its weight`);
    return BigInt(near);
  }
}

/** @param {string} text letters of ASCII alone */
const lower = (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Whether a body is a price. @param {Json} body */
export const isPrice = (body) => body instanceof Map && body.has("price_usd") && body.has("pools") && body.has("bases");

/** Checks a price with its proofs.
 * @param {Json} body @param {import("./index.js").Brought} brought
 * @returns {ShownPrice} throws a ProofError: `no_price`, `no_proof`, `proof`, `super_roots`, `said`, `pool`, `shown`,
 *   `price`, `anchor` */
export function verifyPrice(body, brought) {
  const price = within("no_price", () => readPrice(new Member(body, "snake")));
  const events = proveEvents(price, brought);
  const [first] = [...events.values()].sort((a, b) =>
    comparePlaces({ block: a.number, ...a.subject }, { block: b.number, ...b.subject }));
  within("said", () => checkSaidAnchor(body, first));
  const check = new PriceCheck(price, events, first, brought.stables ?? []);
  const usd = check.token(price.token, price.pools, check.bases());
  check.compare(usd, price.priceUsd, price.token.address);
  const anchor = checkAnchor(first, brought);
  const { number } = price.block;
  return { token: addressOf(price.token.address), chainId: price.chainId, block: number, priceUsd: price.priceUsd,
    pools: check.pools, events: events.size, superRootHash: first.superRoot?.hash ?? new Uint8Array(), admitted: check.admitted,
    said: [...new Set([...check.said, `that no later event of these pools came up to block ${number}, and that no pool was ` +
      "left out which should count", `that block ${number} is the one of its hash, its time and finality, and the rules`])].sort(),
    anchor, last: first };
}
