// A small HTTP server in this process, that says what a test tells it to.
import { createServer } from "node:http";
import { test } from "node:test";

/** Starts a server; `answer(url, request)` gives `{ status, headers, body }`, or a function that takes the response. */
export async function serve(answer) {
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, "http://localhost");
    const said = await Promise.resolve().then(() => answer(url, request)).catch((error) => ({ status: 500, body: `the test's server fails: ${error.stack}` }));
    if (typeof said === "function") return void said(response);
    const { status = 200, headers = {}, body = "" } = said;
    const isBytes = body instanceof Uint8Array || typeof body === "string";
    response.writeHead(status, { "content-type": isBytes ? "application/octet-stream" : "application/json", ...headers });
    response.end(isBytes ? body : JSON.stringify(body));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  return { url, close: () => new Promise((resolve) => { server.closeAllConnections(); server.close(resolve); }) };
}

/** What a running service says, recorded: the same question gets the same answer for the whole test. */
export function recorder(upstream, apiKey) {
  const record = new Map();
  return async (url, request) => {
    const key = `${request.headers.accept} ${url.pathname}${url.search}`;
    if (!record.has(key)) {
      const asked = await fetch(`${upstream}${url.pathname}${url.search}`, { headers: { accept: request.headers.accept, "x-api-key": apiKey } });
      record.set(key, { status: asked.status, headers: { "content-type": asked.headers.get("content-type") ?? "" }, body: new Uint8Array(await asked.arrayBuffer()) });
    }
    return record.get(key);
  };
}

export const json = (answer) => JSON.parse(Buffer.from(answer.body).toString());

const { SUPERROOT_URL: url, SUPERROOT_API_KEY: apiKey, SUPERROOT_TX: tx, SUPERROOT_CHAIN: chain = "ethereum" } = process.env;
/** The running demo; null where the environment names none. */
export const live = url && apiKey && tx ? { url: url.replace(/\/$/, ""), apiKey, tx, chain } : null;

/** A test that needs a running demo. Without one it says so. */
export function liveTest(name, run) {
  if (live) return test(name, run);
  console.log(`SKIPPED ${name}: set SUPERROOT_URL, SUPERROOT_API_KEY and SUPERROOT_TX to those of a running \`superroot demo\``);
  return test(name, { skip: "SKIPPED: no SUPERROOT_URL, SUPERROOT_API_KEY, SUPERROOT_TX" }, () => {});
}
