// The page in headless Chromium, on a running demo. Run by service/page.rs:
//   node browser.mjs PLAYWRIGHT CHROMIUM URL TRANSACTION-HASH BUILDER-KEY FOLDER-FOR-SCREENSHOTS
import assert from "node:assert/strict";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [playwright, executablePath, url, transaction, key, folder] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(path.join(playwright, "index.mjs")).href);
const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});
const WAIT = { timeout: 60_000 };
const shot = (page, name) => page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });

/** A page of its own browser profile; what goes wrong in it is noted. */
async function open(options = {}, prepare = () => {}) {
  const context = await browser.newContext({ viewport: { width: 1180, height: 900 }, ...options });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: url });
  const page = await context.newPage();
  await page.addInitScript(prepare);
  const errors = [];
  page.on("console", (message) => {
    // the browser itself reports answers such as 404; what the page does with them is looked at below
    const isAnswer = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isAnswer) errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.goto(url);
  await page.locator("#newest code").waitFor(WAIT);
  await page.locator("#chain-rows tr").nth(26).waitFor(WAIT);
  return { page, context, errors };
}

/** Pastes a text as people do. */
async function paste(page, text) {
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await page.locator("#hash").fill("");
  await page.locator("#hash").press("Control+V");
}

/** What the steps of the proof say, once there is a verdict. */
async function verdict(page) {
  await page.locator("#verdict .verdict:is(.good, .bad, .warn)").waitFor(WAIT);
  const levels = await page.locator("#levels li").evaluateAll((items) =>
    Object.fromEntries(items.map((item) => [item.dataset.step, item.className])));
  return { text: await page.locator("#verdict").innerText(), levels };
}

/** No line is wider than the window. */
async function fits(page, name) {
  const width = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  assert.ok(width[0] <= width[1], `${name}: ${width[0]} px in a window of ${width[1]}`);
}

async function verifies() {
  const { page, errors, context } = await open({ colorScheme: "light" });
  assert.equal(await page.locator("#chain-rows tr").count(), 27);
  assert.match(await page.locator("#network").innerText(), /simulated/);
  const took = [];
  for (let round = 0; round < 5; round++) {
    const begun = Date.now();
    await paste(page, transaction);
    const { text, levels } = await verdict(page);
    took.push(Date.now() - begun);
    assert.match(text, /Verified in your browser/, text);
    const fine = { entry: "shown", block: "shown", twig: "shown", mini_mmr: levels.mini_mmr, super_root: "shown", anchor: "shown" };
    assert.deepEqual(levels, fine);
    assert.ok(["shown", "passed"].includes(levels.mini_mmr));
  }
  const own = await page.locator("#verdict p").last().innerText();
  console.log(JSON.stringify({ pasteToVerdictMs: took, page: own }));
  assert.match(await page.locator("#facts").innerText(), new RegExp(transaction));
  await page.locator("#limits li", { hasText: "node_quorum" }).waitFor(WAIT);
  // a new block of other ledgers
  for (const chain of [21000000, 200]) {
    await page.locator(`#check-${chain}`).click();
    const { text, levels } = await verdict(page);
    assert.match(text, /Verified in your browser/, `${chain}: ${text}`);
    assert.deepEqual([levels.entry, levels.block, levels.anchor], ["missing", "shown", "shown"], `${chain}`);
  }
  // a transaction of Bitcoin, in both orders of bytes
  const txid = await page.evaluate(async () => {
    const { anchored } = await (await fetch("/finality/bitcoin")).json();
    // the newest block may have no transaction but its miner's
    let answer;
    for (let { number } = anchored; !answer?.ok; number--) {
      const path = `/v5/proof/event/bitcoin/${number}/1/0`;
      answer = await fetch(path, { headers: { accept: "application/octet-stream" } });
      if (anchored.number - number > 50) throw new Error(`${path}: ${answer.status}`);
    }
    const [{ decode }, { hashOf }, { toHex }] = await Promise.all(
      ["file", "ledger/bitcoin", "hash"].map((name) => import(`/web/verify/${name}.js`)));
    const hash = hashOf(decode(new Uint8Array(await answer.arrayBuffer())).entry.own.leaf);
    return [toHex(hash), toHex(hash.reverse()).slice(2)];
  });
  for (const form of txid) {
    await paste(page, form);
    const { text, levels } = await verdict(page);
    assert.match(text, /Verified in your browser/, text);
    assert.equal(levels.entry, "shown");
    assert.match(await page.locator("#facts").innerText(), /satoshi/);
  }
  await paste(page, transaction);
  await verdict(page);
  await shot(page, "light");
  await fits(page, "wide");
  // by keyboard alone
  await page.locator("#hash").fill(transaction.toUpperCase().replace("0X", "0x"));
  await page.locator("#hash").press("Enter");
  assert.match((await verdict(page)).text, /Verified/);
  // an address that names the hash, in another window
  assert.match(page.url(), /#0x[0-9a-f]{64}$/i);
  const again = await context.newPage();
  await again.goto(`${url}/#${transaction}`);
  assert.match((await verdict(again)).text, /Verified/);
  // another one is put into its address
  await again.evaluate(() => { location.hash = `0x${"34".repeat(32)}`; });
  await again.locator("#verdict", { hasText: "Not found here" }).waitFor(WAIT);
  await again.close();
  // what is nowhere
  await paste(page, `0x${"12".repeat(32)}`);
  assert.match((await verdict(page)).text, /Not found here[\s\S]*Ethereum 0 to/);
  assert.deepEqual(errors, []);
  await context.close();
}

/** One bit of each part of the file; another true proof; a found place that is another. */
async function refuses() {
  const { page, errors, context } = await open();
  for (const [at, name] of [[60, "level 1"], [0.3, "the middle"], [0.6, "behind it"], [-1, "the note"]]) {
    await page.route("**/v5/proof/tx/**", async (route) => {
      const answer = await route.fetch();
      const body = await answer.body();
      const place = at < 0 ? body.length + at : at < 1 ? Math.floor(body.length * at) : at;
      body[place] ^= 1;
      await route.fulfill({ response: answer, body });
    });
    await paste(page, transaction);
    const { text, levels } = await verdict(page);
    assert.match(text, /This proof (is false|does not lead)/, name);
    assert.equal(Object.values(levels).filter((state) => state === "failed").length, 1, name);
    if (at === 60) await shot(page, "false");
    await page.unroute("**/v5/proof/tx/**");
  }
  await page.route("**/v5/find/**", async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    body.matches[0].kind = "block";
    body.matches[0].proofUrl = "/v5/proof/1/2050";
    await route.fulfill({ response: answer, json: body });
  });
  await paste(page, transaction);
  assert.match((await verdict(page)).text, /another hash than the one asked for/);
  await page.unroute("**/v5/find/**");
  // markup in an answer stays text
  await page.route("**/v5/find/**", (route) => route.fulfill({
    status: 404, json: { detail: "<img src=x onerror=alert(1)>" } }));
  await paste(page, transaction);
  assert.match((await verdict(page)).text, /<img src=x/);
  assert.equal(await page.locator("#verdict img").count(), 0);
  assert.deepEqual(errors, []);
  await context.close();
}

/** Another key than the first one seen: a loud warning, and no tick at the anchor. */
async function warnsOfAnotherKey() {
  const { page, context } = await open();
  const own = await page.evaluate(() => localStorage.getItem("superroot.log-key"));
  const other = await page.evaluate(async (name) => {
    const { sha256, toHex, utf8 } = await import("/web/verify/hash.js");
    // a point of the curve that is nobody's key
    const bytes = new Uint8Array(33);
    bytes.set([1, 0x58, ...Array(31).fill(0x66)]);
    const id = toHex(sha256(utf8(`${name}\n`), bytes)).slice(2, 10);
    return `${name}+${id}+${btoa(String.fromCharCode(...bytes))}`;
  }, own.split("+")[0]);
  await page.evaluate((text) => localStorage.setItem("superroot.log-key", text), other);
  await page.reload();
  await page.locator("#alarm strong").waitFor(WAIT);
  assert.match(await page.locator("#alarm").innerText(), /key has changed/);
  await paste(page, transaction);
  const { levels } = await verdict(page);
  assert.equal(levels.anchor, "failed");
  await shot(page, "alarm");
  await page.locator("#alarm button").click();
  await paste(page, transaction);
  assert.match((await verdict(page)).text, /Verified/);
  assert.equal(await page.evaluate(() => localStorage.getItem("superroot.log-key")), own);
  await context.close();
}

async function otherWindows() {
  for (const [name, options] of [
    ["dark", { colorScheme: "dark" }],
    ["phone", { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 }],
    ["narrow", { viewport: { width: 320, height: 640 }, colorScheme: "dark", reducedMotion: "reduce" }],
  ]) {
    const { page, errors, context } = await open(options);
    await paste(page, transaction);
    assert.match((await verdict(page)).text, /Verified/);
    await page.locator("#api-key").fill(key);
    await page.locator("#api-key").press("Enter");
    await page.locator("#key-state", { hasText: "in use" }).waitFor(WAIT);
    await page.locator("details summary").first().click();
    await page.locator("details summary").last().click();
    await fits(page, name);
    await shot(page, name);
    assert.deepEqual(errors, [], name);
    await context.close();
  }
}

/** Panels on answers of the form that the routes have, and without some of their members. */
async function panels() {
  const { page, errors, context } = await open({}, () => {
    // prices come each 15 s: here faster
    const later = window.setTimeout;
    window.setTimeout = (work, ms) => later(work, ms === 15000 ? 150 : ms);
  });
  assert.match(await page.locator("#launch-state").innerText(), /Needs a key/);
  let asked = 0;
  await page.route("**/price/**", (route) => route.fulfill({ json: { price_usd: String(3000 + 40 * Math.sin(asked++)), confidence: { value: 0.87 },
    pools: [{ left_out: null, last_event: { proof_url: "/v5/proof/event/1/2115/0/0" } }, { left_out: "stale" }],
    twap: { window_seconds: 3600, covered_seconds: 1800, price_usd: "2999.5" }, block: { number: 2115, finality: "anchored", proof_url: "/v5/proof/1/2115" } } }));
  await page.route("**/signals/launches?format=json", (route) => route.fulfill({ json: { chainIds: [1, 8453], launches: [
    { symbol: "<b>NEW</b>", chainId: 8453, liquidityUSD: 52000.5, protocol: "uniswap_v2", block: 2110, txHash: transaction,
      proofUrl: "https://example.org/" }, { symbol: "BARE", chainId: 1 }] } }));
  await page.route("**/signals/launches?token=*", (route) => route.fulfill({ status: 200, contentType: "text/event-stream",
    body: 'id: 1\nevent: token_launch\ndata: {"symbol":"LIVE","chainId":1,"proofHash":"0x01"}\n\n'
      + 'event: token_launch\ndata: {"symbol":"GONE","chainId":1,"proofHash":"0x02","blockHash":"0x03"}\n\n'
      + 'event: retracted\ndata: {"blockHashes":["0x03"]}\n\n' }));
  await page.route("**/events/**", (route) => route.fulfill({ json: { protocol: "across", state: "filled", terminal: false,
    origin: { chain: 1, tx: transaction, block: 2115, finality: "finalized", proof_url: "/v5/proof/1/2115" },
    legs: [
      { kind: "opened", event: "FundsDeposited", chain_id: 1, tx_hash: transaction, block_number: 2115, finality: "finalized",
        anchor_status: "pending", proof_url: "/v5/proof/event/1/2115/0/0", mismatch: null,
        amounts: [{ name: "input_amount", amount: "1500000", symbol: "USDC", decimals: 6 }] },
      { kind: "filled", event: "FilledRelay", chain_id: 8453, tx_hash: transaction, block_number: 9, finality: "head",
        anchor_status: "pending", proof_url: "/v5/proof/event/8453/9/0/0", mismatch: null, amounts: [] },
    ],
    next_expected: { event: "ExecutedRelayerRefundRoot", chain_id: 10, before: 1795510600, proof: "provable", why: null },
    transitions: [{ state: "opened", at: 1795510000, chain_id: 1, anchor_status: "anchored" }] } }));
  await page.locator("#api-key").fill(key);
  await page.locator("#api-key").press("Enter");
  await page.locator("#launches li", { hasText: "LIVE" }).waitFor(WAIT);
  // what came by the stream may stand there before the list does
  await page.waitForFunction(() => document.querySelectorAll("#launches li").length === 3, null, WAIT);
  assert.equal(await page.locator("#launches b, #launches a").count(), 0);
  await page.locator("#price-form button").click();
  await page.locator("#price .figure").waitFor(WAIT);
  await page.locator("#spark", { hasText: /^1[0-9] prices/ }).waitFor(WAIT);
  assert.match(await page.locator("#spark svg").getAttribute("aria-label"), /prices in .* from \$2,9/);
  await page.locator("#order-id").fill(transaction);
  await page.locator("#order-id").press("Enter");
  await page.locator(".legs li.awaited", { hasText: "before 2026-" }).waitFor(WAIT);
  assert.equal(await page.locator(".legs li").count(), 3);
  assert.match(await page.locator(".legs li").first().innerText(), /input amount 1\.5 USDC/);
  await shot(page, "panels");
  assert.equal(await page.evaluate(() => localStorage.getItem("superroot.api-key")), null);
  await page.locator("#forget").click();
  assert.match(await page.locator("#launch-state").innerText(), /Needs a key/);
  assert.deepEqual(errors, []);
  await context.close();
}

/** Every control has a name, and focus goes through all of them and is seen. */
async function accessible() {
  const { page, context } = await open();
  const nameless = await page.locator("input, select, button, a, svg").evaluateAll((all) => all.filter((one) =>
    !(one.labels?.length || one.getAttribute("aria-label") || one.textContent.trim())).map((one) => one.outerHTML));
  assert.deepEqual(nameless, []);
  for (const landmark of ["header", "nav", "main", "footer"]) assert.ok(await page.locator(landmark).count(), landmark);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  for (let at = 0; at < 8; at++) {
    await page.keyboard.press("Tab");
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.notEqual(outline, "none");
  }
  await context.close();
}

/** Routes are tried out: each has its request and answer, and is asked from the page. */
async function triesOut() {
  const { page, context, errors } = await open();
  await page.goto(`${url}/docs/try`);
  const route = page.locator(".opblock").filter({ hasText: "/health" }).first();
  await route.waitFor(WAIT);
  assert.ok(await page.locator(".opblock").count() > 80);
  await route.click();
  await route.getByRole("button", { name: "Try it out" }).click();
  await route.getByRole("button", { name: "Execute" }).click();
  await route.locator(".live-responses-table").waitFor(WAIT);
  assert.equal(await route.locator(".live-responses-table .response-col_status").last().innerText(), "200");
  assert.deepEqual(errors, []);
  await shot(page, "try");
  await context.close();
}

try {
  for (const test of [verifies, refuses, warnsOfAnotherKey, otherWindows, panels, accessible, triesOut]) {
    try {
      await test();
    } catch (error) {
      throw new Error(`${test.name}: ${error.stack}`);
    }
  }
  console.log("all as it must be");
} finally {
  await browser.close();
}
