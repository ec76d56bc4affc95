// Requests: addresses, keys, tries, waits, limits.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ClientError, SuperRoot, TrustStore } from "../src/index.js";
import { serve } from "./client-support.mjs";

const problem = (status, more = {}) => ({ status, headers: { "content-type": "application/problem+json" },
  body: { type: "urn:superroot:problem:x", title: "X", status, code: "not_yet_anchored", detail: "block 7 is not anchored", error: "", request_id: "r-1", retryable: true, ...more } });

/** A client whose pauses are noted instead of made. */
function clientOf(url, more = {}) {
  const pauses = [];
  const sleep = async (ms, signal) => { signal?.throwIfAborted(); pauses.push(ms / 1000); };
  return { client: new SuperRoot({ url, trust: TrustStore.memory(), apiKey: "svc_x", sleep, ...more }), pauses };
}

async function withServer(answer, run) {
  const server = await serve(answer);
  try {
    return await run(server);
  } finally {
    await server.close();
  }
}
const codeOf = (promise) => promise.then(() => "none", (error) => {
  assert.ok(error instanceof ClientError, error.stack);
  return error.code;
});

test("addresses_and_keys_that_are_none_are_refused_at_once", () => {
  const trust = TrustStore.memory();
  for (const url of ["", "localhost", "ftp://host", "file:///etc/passwd", "http://a:b@host"]) {
    assert.throws(() => new SuperRoot({ url, trust }), { code: "address" });
  }
  for (const apiKey of ["a\nb", "", "é", "a b"]) assert.throws(() => new SuperRoot({ url: "http://host", trust, apiKey }), { code: "api_key" });
  assert.throws(() => new SuperRoot({ url: "http://host" }), { code: "argument" });
  assert.equal(new SuperRoot({ url: "http://host/a/?b#c", trust }).url, "http://host/a/");
});

test("a_route_is_below_the_path_of_the_address_and_its_parts_are_escaped", async () => {
  const asked = [];
  await withServer((url, request) => { asked.push([url.pathname + url.search, request.headers["x-api-key"]]); return { body: {} }; }, async ({ url }) => {
    const { client } = clientOf(`${url}/service/`);
    await client.order("../../admin?x=1#y");
    await client.price({ chain: "base", token: "a/b", window: 60 });
  });
  assert.deepEqual(asked, [["/service/events/..%2F..%2Fadmin%3Fx%3D1%23y", "svc_x"], ["/service/price/8453/a%2Fb?window=60", "svc_x"]]);
});

test("what_may_succeed_later_is_tried_again_as_long_as_the_service_says", async () => {
  const answers = [problem(409, { retry_after: 12 }), problem(503, { retry_after: 9999 }), problem(429), { body: { ok: 1 } }];
  await withServer(() => answers.shift(), async ({ url }) => {
    const { client, pauses } = clientOf(url);
    assert.deepEqual(await client.status(), { claimed: { ok: 1 } });
    assert.deepEqual(pauses, [12, 60, 4], "as long as it says, at most a minute");
  });
  let count = 0;
  await withServer(() => (count++, problem(503)), async ({ url }) => {
    const { client } = clientOf(url);
    const error = await client.status().catch((one) => one);
    assert.deepEqual([error.code, error.problem.code, error.problem.requestId, count], ["refused", "not_yet_anchored", "r-1", 4]);
  });
  count = 0;
  await withServer(() => (count++, problem(404, { retryable: false, detail: "no\u001b[2J" })), async ({ url }) => {
    const error = await clientOf(url).client.status().catch((one) => one);
    assert.deepEqual([error.isRetryable, count, error.message.includes("\u001b")], [false, 1, false]);
  });
  await withServer(() => ({ status: 500, body: "<html>" }), async ({ url }) => assert.equal(await codeOf(clientOf(url).client.status()), "status"));
});

test("a_signal_ends_a_request_and_a_pause", async () => {
  await withServer(() => () => {}, async ({ url }) => {
    const error = await clientOf(url).client.status({ signal: AbortSignal.timeout(50) }).catch((one) => one);
    assert.equal(error.name, "TimeoutError");
  });
  await withServer(() => problem(503, { retry_after: 60 }), async ({ url }) => {
    const client = new SuperRoot({ url, trust: TrustStore.memory() });
    const begun = Date.now();
    await assert.rejects(client.status({ signal: AbortSignal.timeout(100) }), { name: "TimeoutError" });
    assert.ok(Date.now() - begun < 5000);
  });
});

test("silence_and_a_break_have_their_names", async () => {
  await withServer(() => () => {}, async ({ url }) => assert.equal(await codeOf(clientOf(url, { timeoutMs: 60, tries: 2 }).client.status()), "timed_out"));
  await withServer(() => (response) => { response.writeHead(200, { "content-length": 100 }); response.write("{"); setTimeout(() => response.destroy(), 20); },
    async ({ url }) => assert.equal(await codeOf(clientOf(url, { tries: 1 }).client.status()), "unreachable"));
  assert.equal(await codeOf(clientOf("http://127.0.0.1:1", { tries: 2 }).client.status()), "unreachable");
});

test("an_answer_without_end_is_cut_at_the_limit", async () => {
  const endless = () => (response) => {
    response.writeHead(200, { "content-type": "application/octet-stream" });
    const piece = new Uint8Array(1 << 20);
    const push = () => { while (!response.destroyed && response.write(piece)); };
    response.on("drain", push);
    push();
  };
  await withServer(endless, async ({ url }) => assert.equal(await codeOf(clientOf(url).client.proveBlock({ chain: 1, block: 7 })), "too_large"));
});

test("a_key_follows_no_redirect", async () => {
  let isAsked = false;
  await withServer(() => { isAsked = true; return { body: {} }; }, (other) =>
    withServer(() => ({ status: 302, headers: { location: `${other.url}/x` } }), async ({ url }) => {
      assert.equal(await codeOf(clientOf(url, { tries: 1 }).client.status()), "unreachable");
    }));
  assert.equal(isAsked, false);
});

test("questions_that_are_none_are_not_sent", async () => {
  const { client } = clientOf("http://127.0.0.1:1");
  const tx = `0x${"ab".repeat(32)}`;
  for (const ask of [
    () => client.proveBlock({ chain: "atlantis", block: 1 }), () => client.proveBlock({ chain: 1, block: -1 }),
    () => client.proveBlock({ chain: 1, block: 2 ** 53 }), () => client.proveBlock({ chain: 1, block: "a/../b" }),
    () => client.proveTransaction({ chain: 1, tx: "0x12" }), () => client.proveEvent({ chain: 1, tx, logIndex: 1.5 }),
    () => client.proveEvent({ chain: 1, block: 1, index: 2 ** 32, logIndex: 0 }), () => client.proveAbsence({ chain: 1, block: 1, index: -1 }),
    () => client.proveBlock({ chain: 1, block: 1 }, { wait: 16 }), () => client.gas({ chain: "atlantis" }),
    () => client.batch(Array.from({ length: 65 }, () => ({ kind: "block", chain: 1, block: 1 }))),
    () => client.order(".."), () => client.order(""), () => client.price({ chain: 1, token: "." }),
    () => client.provenLogs({ chain: 1, topics: ["Transfer()"] }),
  ]) assert.equal(await codeOf(ask()), "argument", String(ask));
});

test("text_that_is_no_answer_is_malformed", async () => {
  for (const body of ["", "<html>", "[]", "null", "1", Uint8Array.of(0x7b, 0xff, 0x7d)]) {
    await withServer(() => ({ headers: { "content-type": "application/json" }, body }), async ({ url }) => assert.equal(await codeOf(clientOf(url).client.status()), "malformed"));
  }
});
