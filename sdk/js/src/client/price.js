// @ts-check
// A price with the proof of every event that it rests on: recomputed from them.

import { CHAINS } from "../verify/chains.js";
import { fromHex } from "../verify/hash.js";
import { parseJson } from "../forms/json.js";
import { verifyPrice } from "../forms/price.js";
import { ClientError, plain } from "./error.js";
import { findChain } from "./question.js";

/** @typedef {import("./schema.js").components["schemas"]} Schemas */
/** `stables`: addresses of tokens that you take for a dollar. `window`: seconds of the mean.
 * @typedef {{ chain: import("./question.js").ChainName, token: string, block?: number | "latest", window?: number,
 *   stables?: string[], signal?: AbortSignal }} PriceQuestion */
/** A price recomputed from proven events. `said`: what it takes of the service's word all the same. `claimed`: the whole
 * answer, of which only the members here are proven.
 * @typedef {{ chain: number, token: string, block: number, priceUsd: string | null, pools: number, events: number,
 *   said: string[], admitted: unknown, trust: import("../trust/judge.js").TrustReason,
 *   claimed: Schemas["TokenPrice"] & Schemas["WithAnchorSnake"] }} ProvenPrice */

/** @param {import("./transport.js").Transport} transport @param {import("../trust/store.js").TrustStore} trust
 * @param {PriceQuestion} asked @returns {Promise<ProvenPrice>} */
export async function fetchPrice(transport, trust, { chain: name, token, block, window, stables, signal }) {
  const chain = findChain(name);
  const bytes = await transport.bytes(["price", String(chain.id), token], { query: { block, window, proof: 1, note: 1 }, signal });
  let body;
  try {
    body = parseJson(bytes);
  } catch (cause) {
    throw new ClientError("malformed", plain(/** @type {Error} */ (cause).message), { cause });
  }
  const claimed = JSON.parse(new TextDecoder().decode(bytes));
  // the SuperRoot to which every proof leads, if this names it rightly: whether it is trusted is judged after
  const hash = claimed?.v5_anchor?.super_root_hash;
  if (typeof hash !== "string" || !/^0x[0-9a-f]{64}$/.test(hash)) {
    throw new ClientError("malformed", "the price names no SuperRoot");
  }
  const shown = verifyPrice(body, { chains: CHAINS, trustedHash: fromHex(hash), stables });
  const reason = await trust.judge(shown.last);
  const isToken = !/^0x/i.test(token) || String(shown.token).toLowerCase() === token.toLowerCase();
  if (Number(shown.chainId) !== chain.id || !isToken || (typeof block === "number" && Number(shown.block) !== block)) {
    throw new ClientError("another_answer", `the price is valid, and of ${plain(shown.token)} on chain ` +
      `${plain(shown.chainId)} at block ${plain(shown.block)}`);
  }
  const said = isToken && !/^0x/i.test(token) ? [`that ${plain(token)} is the token ${plain(shown.token)}`, ...shown.said] : shown.said;
  return { chain: chain.id, token: String(shown.token), block: Number(shown.block), priceUsd: shown.priceUsd, pools: Number(shown.pools),
    events: shown.events, said, admitted: shown.admitted, trust: reason, claimed };
}
