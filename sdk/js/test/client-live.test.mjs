// Honest answers of a running demo, recorded, and then changed in every way: each lie is refused by name, or is handed out as
// the service's word alone.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { ClientError, DistrustError, ProofError, SuperRoot, TrustError, TrustStore, verify } from "../src/index.js";
import { json, live, liveTest, recorder, serve } from "./client-support.mjs";
import { newKey } from "./trust-support.mjs";

/** Changes the next answers: gets the URL and the honest answer, returns the one to send. */
let lie = null;
let server = null;
let honest = null;
let key = null;
let origin = null;
const event = () => ({ chain: live.chain, tx: live.tx, logIndex: 0 });

before(async () => {
  if (!live) return;
  honest = recorder(live.url, live.apiKey);
  server = await serve(async (url, request) => {
    // a stream has no end that could be recorded
    const answer = url.pathname === "/v5/stream" ? { status: 404, headers: {}, body: "" } : await honest(url, request);
    return lie ? lie(url, answer, request) : answer;
  });
  const page = json(await honest(new URL("http://x/v5/superroot"), { headers: { accept: "application/json" } }));
  [key, origin] = [page.publication.keys[0], page.origin];
});
after(() => server?.close());

/** A client of the recorded service. */
const clientOf = (trust = TrustStore.pin(key)) => new SuperRoot({ url: server.url, apiKey: live.apiKey, trust, tries: 1 });

/** What a question ends with, while the service lies: the error's name and code or step. */
async function under(change, ask) {
  lie = change;
  try {
    return { value: await ask(), name: "none" };
  } catch (error) {
    const isNamed = [ClientError, ProofError, DistrustError, TrustError].some((kind) => error instanceof kind);
    assert.ok(isNamed, `an unnamed error: ${error.stack}`);
    return { error, name: error.code ?? error.step };
  } finally {
    lie = null;
  }
}
const changed = (answer, change) => (answer.headers["content-type"].startsWith("application/json") ? { ...answer, body: change(json(answer)) } : answer);

liveTest("honest_answers_are_proven", async () => {
  const client = clientOf();
  const fact = await client.proveEvent(event());
  assert.equal(fact.log.transactionHash, live.tx);
  assert.deepEqual([fact.trust.by, fact.chain.name, fact.kind], ["not_joined", "Ethereum", "event"]);
  assert.ok(fact.notShown.some((one) => one.startsWith("finality")));
  const { block, transactionIndex: index } = fact;
  const byPlace = await client.proveEvent({ chain: live.chain, block: block.number, index, logIndex: 0 });
  assert.deepEqual({ ...byPlace.log, transactionHash: live.tx }, fact.log);
  const whole = await client.proveTransaction({ chain: live.chain, tx: live.tx });
  assert.deepEqual(whole.receipt.logs[0], fact.log);
  assert.equal((await client.proveBlock({ chain: live.chain, block: block.number })).block.hash, block.hash);
  assert.equal((await client.proveAbsence({ chain: live.chain, block: block.number, index: 5000 })).transactionIndex, 5000);
  assert.equal((await verify(fact.bytes, { trust: TrustStore.pin(key) })).block.hash, block.hash);
  const answers = await client.batch([{ kind: "event", ...event() }, { kind: "block", chain: live.chain, block: 2 ** 40 }, { kind: "transaction", chain: live.chain, tx: live.tx }]);
  assert.deepEqual(answers.map(({ proof, error }) => proof?.kind ?? error.code), ["event", "refused", "transaction"]);
});

liveTest("a_proof_of_every_ledger_is_checked", async () => {
  const chains = ["bitcoin", "solana", "polkadot", "tron", "aptos", "sui", "icp", "cosmoshub", "base"];
  const answers = await clientOf().batch(chains.map((chain) => ({ kind: "block", chain, block: "latest" })));
  answers.forEach(({ error, proof }, at) => assert.ok(proof, `${chains[at]}: ${error}`));
});

liveTest("every_changed_byte_of_a_proof_is_refused", async () => {
  const client = clientOf();
  const { bytes } = await client.proveEvent(event());
  for (let at = 0; at < bytes.length; at += at < 120 ? 1 : 13) {
    const flipped = Uint8Array.from(bytes);
    flipped[at] ^= 1 << at % 8;
    const { name } = await under((_, answer) => ({ ...answer, body: flipped }), () => client.proveEvent(event()));
    assert.notEqual(name, "none", `byte ${at}`);
    const cut = await under((_, answer) => ({ ...answer, body: bytes.subarray(0, at) }), () => client.proveEvent(event()));
    assert.equal(cut.name, "encoding", `cut at ${at}`);
  }
});

liveTest("a_valid_proof_of_something_else_is_no_answer", async () => {
  const client = clientOf();
  const fact = await client.proveEvent(event());
  const { number } = fact.block;
  const { receipt } = await client.proveTransaction({ chain: live.chain, tx: live.tx });
  const others = [
    ...receipt.logs.slice(1, 2).map(() => () => client.proveEvent({ ...event(), logIndex: 1 })),
    () => client.proveTransaction({ chain: live.chain, tx: live.tx }),
    () => client.proveBlock({ chain: live.chain, block: number }), () => client.proveBlock({ chain: live.chain, block: number - 1 }),
    () => client.proveAbsence({ chain: live.chain, block: number, index: 5000 }), () => client.proveBlock({ chain: "base", block: "latest" }),
  ];
  for (const other of others) {
    const { bytes } = await other();
    const { name } = await under((_, answer) => ({ ...answer, body: bytes }), () => client.proveEvent(event()));
    assert.equal(name, "another_answer", String(other));
  }
  const hash = `0x${"ab".repeat(32)}`;
  assert.equal((await under((_, answer) => ({ ...answer, status: 200, headers: { "content-type": "application/octet-stream" }, body: fact.bytes }), () => client.proveEvent({ ...event(), tx: hash }))).name, "another_answer");
});

liveTest("only_the_pinned_key_and_pinned_hashes_count", async () => {
  const other = newKey(origin).vkey;
  const ask = (trust) => under(null, () => clientOf(trust).proveEvent(event()));
  const { value: fact } = await ask(TrustStore.pin(key));
  assert.equal((await ask(TrustStore.pin(other))).name, "signature");
  assert.equal((await ask(TrustStore.pin(newKey("log.example.org").vkey))).name, "unknown_log");
  assert.equal((await ask(TrustStore.memory())).name, "unknown_log");
  const { sequence, hash } = fact.superRoot;
  const pinned = await ask(TrustStore.pinSuperRoot({ origin, sequence, superRootHash: hash }));
  assert.equal(pinned.value.trust.by, "pin");
  const forked = TrustStore.pin(key);
  await forked.pinSuperRoot({ origin, sequence, superRootHash: `0x${"00".repeat(32)}` });
  const contradiction = await ask(forked);
  assert.ok(contradiction.name === "fork" && contradiction.error.isContradiction);
  const w = newKey("w.example.org", 4);
  assert.equal((await ask(TrustStore.pin(key, { policy: `witness w ${w.vkey}\nquorum w\n` }))).name, "quorum");
  // a proof without its note
  const without = await honest(new URL(`http://x/v5/event/1/${live.tx}/0`), { headers: { accept: "application/octet-stream" } });
  assert.equal((await under(() => without, () => clientOf().proveEvent(event()))).name, "no_note");
});

liveTest("members_of_a_super_root_page_are_proven_or_claimed", async () => {
  const client = clientOf();
  const good = await client.superRoot();
  assert.equal(good.by, "key");
  const page = json(await honest(new URL("http://x/v5/superroot"), { headers: { accept: "application/json" } }));
  const change = (value) => (typeof value === "number" ? value + 1 : typeof value === "string" ? value.replace(/[0-9a-f](?=[^0-9a-f]*$)/, (digit) => (digit === "0" ? "1" : "0")) : value === null ? 1 : Array.isArray(value) ? value.slice(1) : {});
  for (const name of Object.keys(page)) {
    const result = await under((_, answer) => changed(answer, (body) => ({ ...body, [name]: change(body[name]) })), () => client.superRoot());
    if (["origin", "logId", "sequence", "timestamp", "treeRoot", "superRootHash", "version"].includes(name)) assert.notEqual(result.name, "none", name);
    else if (result.value) assert.deepEqual({ ...result.value, claimed: 0 }, { ...good, claimed: 0 }, `${name} is claimed alone`);
  }
  const note = (change) => under((_, answer) => changed(answer, (body) => ({ ...body, publication: { ...body.publication, ...change(body.publication) } })), () => client.superRoot());
  assert.equal((await note(({ note: text }) => ({ note: text.replace(/.(?==\n)/, (letter) => (letter === "A" ? "B" : "A")) }))).name !== "none", true);
  assert.equal((await note(({ siblings }) => ({ siblings: siblings.slice(1) }))).name !== "none" || page.publication.siblings.length === 0, true);
  assert.equal((await note(() => ({ keys: [newKey(origin).vkey] }))).name, "none", "its keys are never taken");
  assert.equal((await under((_, answer) => ({ ...answer, status: 404, body: { code: "not_found", detail: "none", retryable: false } }), () => client.superRoot())).name, "refused");
  if (page.sequence > 0) assert.equal((await under((url, answer) => (/superroot\/0$/.test(url.pathname) ? { ...answer, body: page } : answer), () => client.superRoot(0))).name, "another_answer");
});

/** Answers for the newest SuperRoot and note, as they were with SuperRoot `sequence`. */
async function asOf(sequence) {
  const get = (path) => honest(new URL(`http://x${path}`), { headers: { accept: path.includes("checkpoint") ? "text/plain" : "application/json" } });
  const [note, page] = [await get(`/v5/checkpoint?sequence=${sequence}`), await get(`/v5/superroot/${sequence}`)];
  return (url, answer) => (url.pathname === "/v5/checkpoint" && !url.search ? note : url.pathname === "/v5/superroot" ? page : answer);
}

liveTest("a_pin_advances_by_full_consistency_and_never_back", async () => {
  const client = clientOf();
  const newest = (await client.superRoot()).sequence;
  assert.ok(newest >= 2, `the demo has to have three SuperRoots, it has ${newest + 1}: wait a little`);
  const first = await under(await asOf(1), () => client.advancePin(origin));
  assert.deepEqual([first.value.from, first.value.to.sequence], [null, 1]);
  assert.equal(await client.superRoot(0).then((root) => root.by), "history");
  // every hash and number of a consistency proof
  const paths = [];
  const walk = (value, path) => { if (value && typeof value === "object") for (const [name, one] of Object.entries(value)) walk(one, [...path, name]); else paths.push(path); };
  let honestBody = null;
  await under((url, answer) => { if (url.pathname.endsWith("consistency") && url.search.includes("full")) { honestBody = json(answer); return { ...answer, status: 500, body: "" }; } return answer; }, () => client.advancePin(origin));
  walk(honestBody, []);
  const every = Math.ceil(paths.length / 60);
  for (const path of paths.filter((_, at) => at % every === 0)) {
    const body = structuredClone(honestBody);
    const last = path.at(-1);
    const parent = path.slice(0, -1).reduce((value, name) => value[name], body);
    if (path.includes("name") || path[0] === "v5Anchor") continue; // no part of the proof, and not handed out
    parent[last] = typeof parent[last] === "number" ? parent[last] + 1 : typeof parent[last] === "string" ? `${parent[last].slice(0, -1)}${parent[last].endsWith("0") ? "1" : "0"}` : 1;
    const result = await under((url, answer) => (url.pathname.endsWith("consistency") ? { ...answer, body } : answer), () => client.advancePin(origin));
    assert.ok(["malformed", "inconsistent"].includes(result.name), `${path.join(".")}: ${result.name}`);
  }
  assert.equal((await under((url, answer) => (url.pathname.endsWith("consistency") ? { ...answer, status: 404, body: { code: "x", detail: "x", retryable: false } } : answer), () => client.advancePin(origin))).name, "refused");
  assert.equal((await client.trust.log(origin)).pins.length, 1, "no lie moved the pin");
  const second = await client.advancePin(origin);
  assert.ok(second.from.sequence === 1 && second.to.sequence >= newest, "the log grows meanwhile");
  assert.equal(await client.advancePin(origin), null);
  assert.equal((await under(await asOf(1), () => client.advancePin(origin))).name, "behind");
  assert.equal((await client.trust.log(origin)).pins.length, 2);
  // a stale note in a proof: no newer than the pin, and never compared with it
  const stale = await under(null, () => client.proveEvent(event()));
  assert.ok(["none", "older_note"].includes(stale.name), stale.name);
  const before = await clientOf().proveEvent(event());
  const isNewer = before.trust.size > second.to.sequence + 1 || [2, second.to.sequence + 1].includes(before.trust.size);
  assert.equal(stale.name, isNewer ? "none" : "older_note");
});

liveTest("a_checkpoint_that_is_missing_or_of_another_key_moves_no_pin", async () => {
  const other = newKey(origin);
  const client = clientOf();
  const checkpoint = (answer) => (url, honestAnswer) => (url.pathname === "/v5/checkpoint" ? answer(honestAnswer) : honestAnswer);
  for (const [expected, answer] of [
    ["refused", (one) => ({ ...one, status: 404, body: { code: "no_signer", detail: "nobody signs", retryable: false } })],
    ["note", (one) => ({ ...one, body: "<html>" })],
    ["note", (one) => ({ ...one, body: "" })],
    ["signature", (one) => {
      const text = Buffer.from(one.body).toString().split("\n\n")[0] + "\n";
      return { ...one, body: `${text}\n${other.line(text)}` };
    }],
  ]) assert.equal((await under(checkpoint(answer), () => client.advancePin(origin))).name, expected);
  assert.equal((await under(null, () => client.advancePin("log.example.org"))).name, "unknown_log");
  assert.deepEqual((await client.trust.log(origin)).pins, []);
});

liveTest("logs_are_proven_one_by_one_and_all_of_them_by_a_scan", async () => {
  const client = clientOf();
  const { log, block } = await client.proveEvent(event());
  const filter = { chain: live.chain, topics: [log.topics[0]], fromBlock: block.number, toBlock: block.number };
  const proven = await client.provenLogs(filter);
  assert.ok(proven.some((one) => one.log.transactionHash === live.tx && one.log.logIndex === 0));
  const scan = await client.scan(filter);
  assert.deepEqual(scan.logs.map((one) => [one.transactionIndex, one.logIndex]), proven.map((one) => [one.log.transactionIndex, one.log.logIndex]));
  assert.equal((await client.provenLogs({ ...filter, complete: true })).length, proven.length);
  const onLogs = (change) => (url, answer) => (url.pathname === "/v5/logs" ? changed(answer, (body) => ({ ...body, ...change(body) })) : answer);
  const first = (change) => onLogs(({ logs }) => ({ logs: [{ ...logs[0], ...change(logs[0]) }, ...logs.slice(1)] }));
  for (const [name, value] of Object.entries({ address: `0x${"11".repeat(20)}`, data: "0x", blockHash: `0x${"11".repeat(32)}`, blockTimestamp: 1, topics: [] })) {
    assert.equal((await under(first(() => ({ [name]: value })), () => client.provenLogs(filter))).name, "contradiction", name);
  }
  const moved = [
    (one) => ({ logIndex: Number(one.logIndex) + 1 }), (one) => ({ transactionIndex: Number(one.transactionIndex) + 1 }),
    () => ({ transactionHash: `0x${"11".repeat(32)}` }), () => ({ blockNumber: block.number - 1 }),
  ];
  for (const move of moved) {
    assert.notEqual((await under(first(move), () => client.provenLogs(filter))).name, "none", `${move}`);
  }
  assert.equal((await under(onLogs(({ logs }) => ({ logs: logs.slice(1) })), () => client.provenLogs({ ...filter, complete: true }))).name, "contradiction", "left out");
  const absent = { ...filter, topics: [`0x${"22".repeat(32)}`] };
  assert.equal((await under((url, answer) => (url.pathname === "/v5/logs" ? server.logs : answer), async () => {
    server.logs = await honest(new URL(`http://x/v5/logs?chain=1&finality=anchored&limit=100&topic0=${log.topics[0]}&fromBlock=${block.number}&toBlock=${block.number}`), { headers: { accept: "application/json" } });
    return client.provenLogs(absent);
  })).name, "contradiction", "logs that do not pass the filter");
  assert.equal((await under(onLogs(() => ({ nextCursor: "1-0x00-1" })), () => client.provenLogs({ ...filter, max: 20 }))).name !== "none", true, "pages without end");
  // a scan: another range, another filter, a changed byte
  const [page] = scan.files;
  const onScan = (body) => (url, answer) => (url.pathname.startsWith("/v5/scan") ? { ...answer, body } : answer);
  assert.equal((await under(onScan(page), () => client.scan(absent))).name, "another_answer");
  assert.equal((await under(onScan(page), () => client.scan({ ...filter, fromBlock: block.number - 1 }))).name, "another_answer");
  for (let at = 0; at < page.length; at += 97) {
    const flipped = Uint8Array.from(page);
    flipped[at] ^= 4;
    assert.notEqual((await under(onScan(flipped), () => client.scan(filter))).name, "none", `byte ${at}`);
  }
});

liveTest("logs_of_a_stream_are_proven_and_lies_in_them_are_refused", async () => {
  // the newest log of the chain, as an event of a stream
  const newest = json(await honest(new URL(`http://x/v5/logs?chain=1&finality=anchored&limit=1&order=desc`), { headers: { accept: "application/json" } })).logs[0];
  const [first, second] = ["00c0ffee00c0ffee-1", "00c0ffee00c0ffee-2-0-1"];
  const streaming = (data) => (url, answer) => (url.pathname === "/v5/stream" ? { status: 200, headers: { "content-type": "text/event-stream" },
    body: `id: ${first}\nevent: ready\ndata: {"cursor":"${first}"}\n\nid: ${second}\nevent: logs\ndata: ${JSON.stringify(data)}\n\n` } : answer);
  const firstOf = async (filter) => { for await (const one of clientOf().provenStream({ chain: live.chain, ...filter })) if (one.event === "logs") return one; };
  const good = await under(streaming(newest), () => firstOf({ address: newest.address }));
  assert.equal(good.value.proof.log.data, newest.data);
  assert.equal((await under(streaming({ ...newest, data: "0x" }), () => firstOf({}))).name, "contradiction");
  assert.equal((await under(streaming(newest), () => firstOf({ address: `0x${"11".repeat(20)}` }))).name, "contradiction");
  assert.equal((await under(streaming(newest), () => firstOf({ topic0: `0x${"11".repeat(32)}` }))).name, "contradiction");
});

liveTest("the_keys_that_a_service_names_are_claimed", async () => {
  assert.deepEqual(await clientOf(TrustStore.memory()).logKeys(), { claimed: { origin, keys: [key] } });
});

liveTest("a_price_is_recomputed_from_proven_events", async () => {
  const client = clientOf();
  const asked = { chain: live.chain, token: "WETH" };
  const { value: good, error } = await under(null, () => client.provenPrice(asked));
  assert.ok(good && Number(good.priceUsd) > 0 && good.events > 0 && good.said.length > 0, String(error));
  const changing = (change) => under((_, answer) => changed(answer, (body) => { change(body); return body; }), () => client.provenPrice(asked));
  for (const [name, change] of Object.entries({
    price_usd: (body) => { body.price_usd = `1${body.price_usd}`; }, chain: (body) => { body.chain_id = 10; },
    token: (body) => { body.token.address = body.pools[0].address; }, "a proof": (body) => { body.proofs.pop(); },
    "a pool": (body) => { body.pools[0].address = body.token.address; }, anchor: (body) => { body.v5_anchor.super_root_hash = `0x${"11".repeat(32)}`; },
  })) assert.notEqual((await changing(change)).name, "none", name);
  assert.equal((await under(null, () => clientOf(TrustStore.pin(newKey(origin).vkey)).provenPrice(asked))).name, "signature");
  const answer = await honest(new URL("http://x/price/1/WETH?proof=1&note=1"), { headers: { accept: "application/json" } });
  assert.equal((await under(() => answer, () => client.provenPrice({ ...asked, token: `0x${"11".repeat(20)}` }))).name, "another_answer");
});

liveTest("evidence_of_finality_is_never_taken_for_checked", async () => {
  const client = clientOf();
  const fact = await client.proveBlock({ chain: live.chain, block: "latest" });
  assert.equal((await under(null, () => fact.checkFinality({}))).name, "argument", "no evidence");
  const { block: { number: first } } = await client.proveEvent(event());
  const { value: with_ } = await under(null, () => client.proveBlock({ chain: live.chain, block: first }, { evidence: true, wait: 15 }));
  assert.ok(with_.finalityProof.evidence.length > 0 && with_.notShown.some((one) => one.startsWith("finality")));
  assert.equal((await under(null, () => with_.checkFinality())).name, "argument", "nobody pinned a set");
  const { value: verdict } = await under(null, () => with_.checkFinality({ set: new Uint8Array(8), setId: new Uint8Array(32) }));
  assert.equal(verdict.code, "encoding", "bytes that are no set");
});

liveTest("answers_without_a_proof_are_claimed", async () => {
  const client = clientOf();
  for (const ask of [() => client.status(), () => client.gas({ chain: live.chain }), () => client.price({ chain: live.chain, token: "WETH" }), () => client.logs({ chain: live.chain, limit: 1 })]) {
    const { value } = await under((_, answer) => changed(answer, (body) => ({ ...body, isChanged: true })), ask);
    assert.deepEqual(Object.keys(value), ["claimed"]);
    assert.equal(value.claimed.isChanged, true);
  }
});
