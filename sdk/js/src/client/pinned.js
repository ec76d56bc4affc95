// @ts-check
// Sets of signers: given by a caller, pinned beside the trust store, or built in. Loaded with the checks of finality.

import { builtInSet, paramsOf, readSet, signingChain } from "../finality/index.js";
import { KINDS } from "../finality/kinds.js";
import { TrustError } from "../trust/error.js";
import { CHAINS } from "../verify/chains.js";
import { ClientError } from "./error.js";

/** @typedef {import("../verify/proof.js").Chain} Chain */
/** @typedef {import("../finality/chains.js").Network} Network */
/** @typedef {import("../finality/index.js").FinalityParams} FinalityParams */
/** @typedef {import("../finality/index.js").FinalitySet} FinalitySet */
/** @typedef {import("../trust/store.js").TrustStore} TrustStore */

/** A set that somebody pinned, read and checked. `pin`: the id that was pinned, at `pinnedAt` in seconds since 1970; checked
 * steps led from there to this set, with `id` and `number`. `trustedUntil`: last second of trust, null for ever.
 * @typedef {{ set: Uint8Array, id: Uint8Array, number: bigint, pin: Uint8Array, pinnedAt: bigint,
 *   trustedUntil: bigint | null }} PinnedSigners */

/** @param {AskedChain} chain @param {Network} network @returns {FinalityParams} */
export function paramsFor({ caip2, name }, network) {
  const params = paramsOf(caip2, network);
  if (!params) throw new ClientError("not_whole", `finality of ${name} (${network}) is not checked here`);
  return params;
}

/** A chain whose set is asked for. @typedef {Pick<Chain, "caip2" | "name">} AskedChain */

/** The file of the pinned signers, and the set in it read with `params`; null where nobody pinned any. Throws a TrustError
 * for a damaged file. @param {TrustStore} store @param {AskedChain} chain @param {Network} network
 * @param {FinalityParams} params */
async function heldSet(store, { caip2, name }, network, params) {
  const signer = CHAINS.find((one) => one.caip2 === signingChain(caip2));
  const held = signer ? await store.pinnedSet(signer, network) : null;
  if (!signer || !held) return null;
  const damaged = (/** @type {string} */ why) =>
    new TrustError("malformed", `the pinned set of signers of ${name} (${network}) cannot be read: ${why}`);
  const kind = paramsOf(signer.caip2, network)?.kind;
  if (!kind || KINDS.get(kind)?.byte !== held.kind) throw damaged("it is of another kind");
  const read = readSet(params, held.set, held.id);
  if (read.verdict !== "shown") throw damaged(read.reason);
  return { held, read };
}

/** The pinned signers of a chain; null where nobody pinned any. Throws a TrustError for a damaged file.
 * @param {TrustStore} store @param {AskedChain} chain @param {Network} network @returns {Promise<PinnedSigners | null>} */
export async function pinnedSigners(store, chain, network) {
  const params = paramsFor(chain, network);
  const found = await heldSet(store, chain, network, params);
  if (!found) return null;
  const { held: { set, id, pin, pinnedAt }, read } = found;
  return { set, id, number: read.set.number, pin, pinnedAt, trustedUntil: read.set.trustedUntil(params) };
}

/** The set to begin with: what the caller gives, else the pinned one, else a built-in one. Throws a ClientError without any.
 * @param {{ store: TrustStore, chain: AskedChain, network: Network, params: FinalityParams, set?: Uint8Array,
 *   setId?: Uint8Array }} from
 * @returns {Promise<ReturnType<typeof readSet>>} */
export async function firstSet({ store, chain, network, params, set, setId }) {
  if (!set !== !setId) {
    throw new ClientError("argument", "set and setId come together: a set that nobody pinned proves nothing");
  }
  if (set && setId) return readSet(params, set, setId);
  const pinned = await heldSet(store, chain, network, params);
  if (pinned) return pinned.read;
  const own = builtInSet(chain.caip2, network);
  if (own) return readSet(params, own);
  throw new ClientError("argument", `no set of signers of ${chain.name} (${network}) is pinned: give set and setId, or pin ` +
    "one with superroot trust light-client and use TrustStore.file()");
}
