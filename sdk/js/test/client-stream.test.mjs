// Streams: what an honest service sends, in pieces, over breaks; and what it never sends.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ClientError, StreamError, SuperRoot, TrustStore } from "../src/index.js";
import { live, liveTest, serve } from "./client-support.mjs";

const LOG = "00c0ffee00c0ffee";
const at = (row, block = 0, ordinal = 1) => `${LOG}-${row}-${block}-${ordinal}`;
const frame = (id, event, data) => `${id ? `id: ${id}\n` : ""}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const ready = (cursor = `${LOG}-1`) => `retry: 3000\n\n${frame(cursor, "ready", { cursor, topics: ["superroot"], chainIds: null, notIndexed: [] })}`;
const root = (row, sequence) => frame(at(row), "superroot", { sequence, superRootHash: "0x00", timestamp: 1, proofUrl: "/v5/superroot/1" });

/** Reads a stream of a service whose connections send these texts; returns the events, and the error that ends it. */
async function read(connections, { filter = { topics: "superroot" }, options = {}, piece = Infinity, type = "text/event-stream", count = 99 } = {}) {
  const asked = [];
  const server = await serve((url) => {
    asked.push(url.searchParams.get("since"));
    const text = connections[asked.length - 1];
    if (typeof text !== "string") return text ?? { status: 404, body: { code: "gone", detail: "gone", retryable: false } };
    return async (response) => {
      response.writeHead(200, { "content-type": type });
      const bytes = Buffer.from(text);
      for (let begin = 0; begin < bytes.length; begin += piece) {
        response.write(bytes.subarray(begin, begin + Math.min(piece, bytes.length)));
        if (piece < bytes.length) await new Promise((resolve) => setTimeout(resolve, 1));
      }
      response.end();
    };
  });
  const events = [];
  let error = null;
  try {
    const stream = new SuperRoot({ url: server.url, trust: TrustStore.memory(), sleep: async () => {} }).stream(filter, options);
    for await (const event of stream) {
      events.push(event.event === "superroot" ? event.data.sequence : event.event);
      if (events.length >= count) break;
    }
  } catch (caught) {
    error = caught;
  } finally {
    await server.close();
  }
  return { events, error, asked, code: error?.code };
}

test("events_come_in_order_whole_from_pieces_of_any_length", async () => {
  const text = ready() + ":\n\n" + root(2, 7) + frame(at(2, 1), "gap", { chainId: 1, fromBlock: null, toBlock: null, why: "é" }) + root(3, 9).replaceAll("\n", "\r\n");
  for (const piece of [Infinity, 1, 7]) {
    const { events } = await read([text], { piece, count: 4 });
    assert.deepEqual(events, ["ready", 7, "gap", 9], "after a gap the next sequence is another");
  }
});

test("a_break_goes_on_after_the_last_event", async () => {
  const { events, asked } = await read([ready() + root(2, 7) + root(3, 8).slice(0, -9), ready(at(2)) + root(3, 8), ready(at(3)) + frame("", "ended", { cursor: at(9), why: "stop" }), ready(at(3)) + root(4, 9)], { count: 7 });
  assert.deepEqual(events, ["ready", 7, "ready", 8, "ready", "ended", "ready"]);
  assert.deepEqual(asked, [null, at(2), at(3), at(3)], "half an event does not count, and `ended` moves nothing");
});

test("a_busy_or_absent_service_is_asked_again_and_in_the_end_is_lost", async () => {
  const busy = { status: 503, body: { code: "busy", detail: "later", retryable: true, retry_after: 1 } };
  const { events } = await read([busy, ready() + root(2, 7)], { count: 2 });
  assert.deepEqual(events, ["ready", 7]);
  const lost = await read([busy, busy], { options: { retries: 1 } });
  assert.ok(lost.error instanceof StreamError && lost.code === "lost");
  const refusedNow = await read([]);
  assert.ok(refusedNow.error instanceof ClientError && refusedNow.code === "refused");
});

test("repeats_are_refused", async () => {
  for (const [name, ...texts] of [
    ["the same event", ready() + root(2, 7) + root(2, 7)], ["an earlier row", ready() + root(3, 7) + root(2, 8)],
    ["a row before ready", ready(at(5)) + root(5, 7)], ["an earlier ordinal", ready() + frame(at(2, 0, 2), "finality", {}) + frame(at(2, 0, 1), "finality", {})],
    ["ready twice", ready() + ready()], ["the same SuperRoot", ready() + root(2, 7) + root(3, 7)],
    ["over a break", ready() + root(2, 7), ready(at(2)) + root(2, 7)], ["an old SuperRoot over a break", ready() + root(2, 7), ready(at(2)) + root(3, 6)],
  ]) assert.equal((await read(texts)).code, "repeated", name);
});

test("skips_are_refused", async () => {
  for (const [name, ...texts] of [
    ["a SuperRoot", ready() + root(2, 7) + root(3, 9)], ["a SuperRoot over a break", ready() + root(2, 7), ready(at(2)) + root(4, 9)],
    ["another place over a break", ready() + root(2, 7), ready(at(4)) + root(5, 8)],
    ["another log over a break", ready() + root(2, 7), ready("00c0ffee00c0ffff-1") + root(2, 7).replace(LOG, "00c0ffee00c0ffff")],
    ["another log", ready() + root(2, 7) + root(3, 8).replace(LOG, "00c0ffee00c0ffff")],
  ]) assert.equal((await read(texts)).code, "skipped", name);
  // what is gone is said: the caller sees it
  const stale = frame(`${LOG}-9`, "stale", { since: at(2), oldest: `${LOG}-9`, why: "not kept" });
  const { events } = await read([ready() + root(2, 7), ready(`${LOG}-9`) + stale + root(10, 30)], { count: 5 });
  assert.deepEqual(events, ["ready", 7, "ready", "stale", 30]);
  const other = await read([ready() + root(2, 7), ready(`${LOG}-9`) + stale.replace(at(2), at(1))]);
  assert.equal(other.code, "malformed", "stale of another place");
});

test("markup_and_everything_else_that_is_no_event_is_refused", async () => {
  for (const [name, text] of Object.entries({
    "markup": "<html>\n<body>Sign in</body>\n\n", "markup after ready": `${ready()}<script>alert(1)</script>\n\n`,
    "an unknown event": ready() + frame(at(2), "<b>", {}), "no event": ready() + `id: ${at(2)}\ndata: {}\n\n`,
    "no JSON": `${ready()}id: ${at(2)}\nevent: logs\ndata: <p>\n\n`, "no object": ready() + frame(at(2), "logs", [1]),
    "no cursor": ready() + frame("", "logs", {}), "a false cursor": ready() + frame(`${LOG}-02`, "logs", {}), "two cursors": `${ready()}id: ${at(2)}\n${frame(at(3), "logs", {})}`,
    "before ready": root(2, 7), "ready without cursor": frame("", "ready", {}), "a field": `${ready()}colour: red\n\n`,
    "no sequence": ready() + frame(at(2), "superroot", { sequence: "7" }), "stale without since": ready() + frame("", "stale", { since: at(1), oldest: at(2) }),
  })) {
    const { code, error } = await read([text]);
    assert.equal(code, "malformed", `${name}: ${error}`);
    assert.ok(error instanceof StreamError && !error.message.includes("\n"));
  }
  assert.equal((await read([ready()], { type: "text/html" })).code, "malformed");
  assert.equal((await read([`${ready()}data: ${"x".repeat(5 << 20)}\n`])).code, "too_large");
});

test("silence_ends_a_connection_and_leaving_the_loop_closes_it", async () => {
  let closed = 0;
  const server = await serve(() => (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(ready());
    response.on("close", () => closed++);
  });
  try {
    const client = new SuperRoot({ url: server.url, trust: TrustStore.memory(), sleep: async () => {} });
    let count = 0;
    for await (const event of client.stream({ topics: ["superroot"] }, { silenceMs: 60 })) {
      assert.equal(event.event, "ready");
      if (++count === 2) break;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(closed, 2);
    const error = await (async () => { for await (const _ of client.stream({ topics: "superroot" }, { signal: AbortSignal.timeout(80) })); })().catch((one) => one);
    assert.equal(error.name, "TimeoutError");
  } finally {
    await server.close();
  }
});

liveTest("a_running_service_keeps_the_rules_of_a_stream", async () => {
  const client = new SuperRoot({ url: live.url, apiKey: live.apiKey, trust: TrustStore.memory() });
  const first = [];
  for await (const event of client.stream({ topics: ["finality", "superroot"] })) if (first.push(event) >= 4) break;
  assert.equal(first[0].event, "ready");
  const again = [];
  for await (const event of client.stream({ topics: ["finality", "superroot"] }, { since: first[1].cursor })) if (again.push(event) >= 3) break;
  assert.deepEqual(again.slice(1).map((one) => one.cursor), first.slice(2, 4).map((one) => one.cursor), "none twice, none left out");
});
