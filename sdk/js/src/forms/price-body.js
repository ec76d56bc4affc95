// @ts-check
// Members of a price, with their types.

import { need } from "./fault.js";
import { toDouble } from "./compare.js";

/** @typedef {import("./compare.js").Member} Member */
/** @typedef {{ block: number, txIndex: number, logIndex: number }} Place */
/** @typedef {{ address: string, symbol: string | null, decimals: number }} PricedToken */
/** Texts as they are said; `poolId` null for a contract. @typedef {{ address: string, poolId: string | null, protocol: string,
 *   pair: string[], fee: number, spacing: number, base: string, reserves: string[] | null, root: string | null,
 *   tick: number | null, liquidity: string | null, priceBase: string | null, priceUsd: string | null, liquidityUsd: string | null,
 *   depthUsd: string | null, near: string | null, weight: number, leftOut: string | null, creation: Place | null, last: Place,
 *   lastTimestamp: number, later: Place[] }} PricePool */
/** @typedef {{ token: PricedToken, priceUsd: string, isConfigured: boolean, pools: PricePool[], stables: PricedToken[] }} PriceBase */
/** @typedef {{ chainId: number, token: PricedToken, block: { number: number, timestamp: number }, priceUsd: string,
 *   rules: import("./dex/quote.js").Rules, pools: PricePool[], bases: PriceBase[], proofs: { blob: string }[] | null }} Price */

const POOLS_MAX = 1 << 16;
const PROOFS_MAX = 4096;

/** An address in lower case. @param {string} text */
export function addressOf(text) {
  need(/^(0x)?[0-9a-fA-F]{40}$/.test(text), "a text is no address");
  return `0x${text.replace(/^0x/, "").toLowerCase()}`;
}

/** @param {Member} member @param {string} name @returns {string | null} */
const textOrNull = (member, name) => member.optional(name)?.text() ?? null;

/** @param {Member} member */
function double(member) {
  const value = toDouble(member.value);
  if (value === undefined) throw member.wrong("a number");
  return value;
}

/** An integer of 32 bits with its sign. @param {Member} member */
function signed(member) {
  const { value } = member;
  if (typeof value !== "number" || value < -(2 ** 31) || value >= 2 ** 31) throw member.wrong("an integer of 32 bits");
  return value;
}

/** Members that are typed and not read further. @param {Member} member @param {string[]} texts @param {string[]} integers */
function checkTypes(member, texts, integers) {
  for (const name of texts) member.get(name).text();
  for (const name of integers) member.get(name).integer();
}

/** @param {Member} member @returns {PricedToken} */
function readToken(member) {
  checkTypes(member, ["metadata_evidence"], []);
  member.optional("metadata_nodes")?.items(POOLS_MAX).forEach((node) => node.text());
  member.optional("metadata_block")?.integer();
  return { address: member.get("address").text(), symbol: textOrNull(member, "symbol"),
    decimals: member.get("decimals").integer(255) };
}

/** @param {Member} member @returns {Place} */
function readPlace(member) {
  checkTypes(member, ["proof_url"], []);
  return { block: member.get("block_number").integer(), txIndex: member.get("tx_index").position(),
    logIndex: member.get("log_index").position() };
}

/** @param {Member} list */
function pairOf(list) {
  const pair = list.items(2).map((one) => one.text());
  if (pair.length !== 2) throw list.wrong("a list of two");
  return pair;
}

/** @param {Member} member @returns {PricePool} */
function readPool(member) {
  checkTypes(member, [], ["covered_seconds"]);
  member.optional("fee_may_change")?.bool();
  const [reserves, tick, creation, mean] = ["reserves", "tick", "creation_event", "mean_tick"].map((name) => member.optional(name));
  if (mean) signed(mean);
  for (const name of ["cost_to_move_2_percent_usd", "cost_reason"]) textOrNull(member, name);
  const id = member.optional("pool_id")?.bytes(32);
  return {
    address: member.get("address").text(), poolId: id ? String(member.get("pool_id").value).toLowerCase() : null,
    protocol: member.get("protocol").text(), pair: pairOf(member.get("pair")), fee: member.get("fee_millionths").position(),
    spacing: signed(member.get("tick_spacing")), base: member.get("base").text(),
    reserves: reserves ? pairOf(reserves) : null, root: textOrNull(member, "sqrt_price_x96"), tick: tick ? signed(tick) : null,
    liquidity: textOrNull(member, "liquidity"), priceBase: textOrNull(member, "price_base"),
    priceUsd: textOrNull(member, "price_usd"), liquidityUsd: textOrNull(member, "liquidity_usd"),
    depthUsd: textOrNull(member, "depth_usd"), near: textOrNull(member, "near_liquidity"), weight: double(member.get("weight")),
    leftOut: textOrNull(member, "left_out"), creation: creation ? readPlace(creation) : null,
    last: readPlace(member.get("last_event")), lastTimestamp: member.get("last_event_timestamp").integer(),
    later: member.get("later_events").items(POOLS_MAX).map(readPlace),
  };
}

/** @param {Member} member @returns {PriceBase} */
function readBase(member) {
  textOrNull(member, "twap_usd");
  member.optional("disputed_by")?.items(POOLS_MAX).forEach((one) => one.text());
  return { token: readToken(member.get("token")), priceUsd: member.get("price_usd").text(),
    isConfigured: member.get("evidence").text() === "configured", pools: member.get("pools").items(POOLS_MAX).map(readPool),
    stables: member.get("stables").items(POOLS_MAX).map(readToken) };
}

/** Members of the whole that no check rests on. @param {Member} root */
function checkRest(root) {
  const confidence = root.get("confidence");
  double(confidence.get("value"));
  const parts = confidence.get("parts");
  for (const name of ["depth", "freshness", "agreement", "calm", "coverage"]) double(parts.get(name));
  const twap = root.optional("twap");
  if (twap) checkTypes(twap, ["price_usd"], ["window_seconds", "covered_seconds"]);
  for (const name of ["price_native", "cost_to_move_2_percent_usd"]) textOrNull(root, name);
  const block = root.get("block");
  checkTypes(block, ["finality", "proof_url"], ["events_from"]);
  block.get("hash").hash();
  block.optional("age_seconds")?.integer();
  checkTypes(root.get("rules"), [], ["drift_percent_max"]);
}

/** @param {Member} root @returns {Price} throws a Fault */
export function readPrice(root) {
  checkRest(root);
  const [block, rules] = [root.get("block"), root.get("rules")];
  const proofs = root.optional("proof")?.items(PROOFS_MAX).map((proof) => {
    readPlace(proof.get("event"));
    return { blob: proof.get("proof_blob").text() };
  });
  return {
    chainId: root.get("chain_id").integer(), token: readToken(root.get("token")),
    block: { number: block.get("number").integer(), timestamp: block.get("timestamp").integer() },
    priceUsd: root.get("price_usd").text(),
    rules: { depthUsdMin: rules.get("depth_usd_min").integer(), staleAfterSeconds: rules.get("stale_after_seconds").integer(),
      outlierPercentMax: rules.get("outlier_percent_max").integer() },
    pools: root.get("pools").items(POOLS_MAX).map(readPool), bases: root.get("bases").items(POOLS_MAX).map(readBase),
    proofs: proofs ?? null,
  };
}
