import assert from "node:assert/strict";
import { test } from "node:test";
import { toText } from "../src/forms/dex/decimal.js";
import { depthOf, heldBy, priceOf, wholePrice } from "../src/forms/dex/state.js";
import { tickOfReserves } from "../src/forms/dex/tick.js";
import { verifyAny } from "../src/forms/index.js";
import { parseJson } from "../src/forms/json.js";
import { isLaunch, verifyLaunch } from "../src/forms/launch.js";
import { isPrice, verifyPrice } from "../src/forms/price.js";
import { CHAINS } from "../src/verify/index.js";
import { bodiesOf, hash, judge, readExact, readJson, textOf } from "./forms-support.mjs";

test("reserves and spots have the figures of the vectors", () => {
  const rows = readJson("vectors/prices/arithmetic.json");
  assert.ok(rows.length >= 80);
  for (const { name, pool, price_base, tick, held, depth } of rows) {
    const reserves = pool.reserves?.map(BigInt);
    const state = reserves ? { kind: "reserves", reserves, tick: tickOfReserves(reserves) }
      : { kind: "spot", root: BigInt(pool.sqrt_price_x96), tick: pool.tick, liquidity: BigInt(pool.liquidity) };
    const price = priceOf(state, pool.is_stable, pool.decimals);
    const whole = price && wholePrice(price, pool.side, pool.decimals);
    assert.equal(whole ? toText(whole, 30) : null, price_base, name);
    assert.equal(state.tick, tick, name);
    assert.deepEqual(heldBy(state, pool.tick_spacing)?.map(String) ?? null, held, name);
    assert.deepEqual(depthOf(state, pool.tick_spacing, null)?.map(String) ?? null, depth, name);
  }
});

for (const [file, least, verify, isIt] of [["prices", 60, verifyPrice, isPrice], ["launches", 23, verifyLaunch, isLaunch]]) {
  test(`every answer of ${file}.json is judged at its step`, () => {
    const rows = readExact(`vectors/prices/${file}.json`);
    assert.ok(rows.length >= least);
    bodiesOf(rows).forEach((body, at) => {
      const { name, refused_at, trusted, pools } = rows[at];
      const [text, trust] = [textOf(body), { trustedHash: hash(trusted) }];
      const found = judge(() => verify(parseJson(text), { chains: CHAINS, ...trust }));
      assert.equal(found.step, refused_at, `${name}: ${found.message}`);
      if (refused_at === null && pools !== undefined) assert.equal(found.result.pools, pools, name);
      if (isIt(parseJson(text))) assert.equal(judge(() => verifyAny(text, trust)).step, refused_at, name);
    });
  });
}
