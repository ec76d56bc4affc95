// @ts-check
// The proofs behind a launch: a factory made a pool, and it got liquidity. docs/protocol/prices.md, "A launch".

import { concat, keccak256, same, toHex, u64 } from "../verify/hash.js";
import { checkAnchor, verifyLevels } from "../verify/srproof.js";
import { Member, bytesOfHex } from "./compare.js";
import { decodeEvent, isSamePool, NO_ADDRESS } from "./dex/events.js";
import { madeBy } from "./dex/factories.js";
import { Fault, allWithin, need, needAt, within } from "./fault.js";
import { slugOf } from "./price.js";
import { checkSaid, checkSaidAnchor } from "./said.js";

/** @typedef {import("./json.js").Json} Json */
/** @typedef {import("../verify/proof.js").ShownProof} ShownProof */
/** `poolId`: within a contract, else null; `addsLiquidity`: false where the second event ended the launch; `hooks`: the
 * contract that is called at each trade, or null. @typedef {{ proofHash: Uint8Array, chainId: number, protocol: string,
 *   pool: string, poolId: string | null, pair: [string, string], addsLiquidity: boolean, hooks: string | null,
 *   events: [ShownProof, ShownProof], anchor: string }} ShownLaunch */

/** @param {number} value */
const u32 = (value) => u64(value).subarray(4);

/** @param {ShownProof[]} events */
const hashOf = (events) => keccak256(...events.map(({ chain, blockHash, subject }) => concat([chain.family], u64(chain.id),
  blockHash ?? [], subject.kind === "event" ? concat(u32(subject.txIndex), u32(subject.logIndex)) : [])));

/** @param {Json} body @param {ShownProof[]} events */
function checkMembers(body, events) {
  checkSaidAnchor(body, events[0]);
  const chainId = events[0].chain.id;
  checkSaid(body, "", { chainId });
  const listed = body instanceof Map ? body.get("events") : undefined;
  events.forEach(({ number, blockHash, subject }, at) => {
    if (subject.kind !== "event" || !Array.isArray(listed)) return;
    const { txIndex, logIndex } = subject;
    checkSaid(listed[at], `events[${at}].`, { role: ["creation", "liquidity"][at], blockNumber: number,
      blockHash: blockHash ? toHex(blockHash) : null, txIndex, logIndex,
      proofUrl: `/v5/proof/event/${chainId}/${number}/${txIndex}/${logIndex}` });
  });
}

/** @param {ShownProof} shown */
function decoded({ entry }) {
  if (entry?.event?.kind !== "log") throw new Fault("an event is no log");
  const { log } = entry.event;
  const found = decodeEvent(log);
  if (!found) throw new Fault("an event is none of a pool");
  return { by: toHex(log.address), ...found };
}

/** @param {ShownProof} creation @param {ShownProof} liquidity */
function poolOf(creation, liquidity) {
  const { by, pool, event } = decoded(creation);
  if (event.kind !== "created") throw new Fault("the first event makes no pool");
  const slug = slugOf(creation);
  const bound = slug === undefined ? null : madeBy(slug, by, event);
  need(bound, "no factory known here made the pool");
  const filled = decoded(liquidity);
  need(isSamePool(filled.pool, pool), "the second event is of another pool");
  const second = filled.event;
  const addsLiquidity = second.kind === "liquidity" ? second.adds
    : second.kind === "reserves" && second.reserves.every((held) => held > 0n);
  return { protocol: bound.dex, pool: pool.address, poolId: pool.id, addsLiquidity,
    pair: /** @type {[string, string]} */ ([event.token0, event.token1]), hooks: event.hooks === NO_ADDRESS ? null : event.hooks };
}

/** Whether a body has the proofs behind a launch. @param {Json} body */
export const isLaunch = (body) => body instanceof Map && body.has("proofHash") && body.has("events");

/** Checks the proofs behind a launch.
 * @param {Json} body @param {import("./index.js").Brought} brought
 * @returns {ShownLaunch} throws a ProofError: `no_signal`, `proof`, `super_roots`, `hash`, `said`, `pool`, `anchor` */
export function verifyLaunch(body, brought) {
  const { proofHash, blobs } = within("no_signal", () => {
    const root = new Member(body, "camel");
    const list = root.get("events").items(2).map((event) => event.get("proofBlob").text());
    need(list.length === 2, "two events were expected");
    return { proofHash: root.get("proofHash").hash(), blobs: list };
  });
  const [creation, liquidity] = blobs.map((blob) => allWithin("proof", () => verifyLevels(bytesOfHex(blob), brought)));
  const [one, other] = [creation, liquidity].map(({ superRoot }) => superRoot?.hash);
  needAt(one && other && same(one, other), "super_roots", "the proofs lead to more than one SuperRoot, or to none");
  needAt(same(hashOf([creation, liquidity]), proofHash), "hash", "these events have another proof hash");
  within("said", () => checkMembers(body, [creation, liquidity]));
  const pool = within("pool", () => poolOf(creation, liquidity));
  const anchor = checkAnchor(creation, brought);
  return { proofHash, chainId: creation.chain.id, ...pool, events: [creation, liquidity], anchor };
}
