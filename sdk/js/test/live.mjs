// The first use of the README against a running service: prove an event, check it, save it. From the environment:
// SUPERROOT_URL, SUPERROOT_API_KEY, SUPERROOT_TX, SUPERROOT_CHAIN (ethereum if left out), SUPERROOT_LOG_KEY (the log's key;
// if left out, what the service names, which is right for a demo alone), SUPERROOT_OUT (file; event.srproof if left out),
// SUPERROOT_CLIENT (package to import; this folder's source if left out).
const { SUPERROOT_URL: url, SUPERROOT_API_KEY: apiKey, SUPERROOT_TX: tx, SUPERROOT_CHAIN: chain = "ethereum" } = process.env;
if (!url || !tx) {
  console.log("SKIPPED: set SUPERROOT_URL and SUPERROOT_TX, and SUPERROOT_API_KEY, to those of a running `superroot demo`");
  process.exit(0);
}
const { SuperRoot, TrustStore, verify } = await import(process.env.SUPERROOT_CLIENT ?? new URL("../src/index.js", import.meta.url).href);
const vkey = process.env.SUPERROOT_LOG_KEY ?? (await (await fetch(`${url}/v5/superroot`)).json()).publication.keys[0];

const trust = TrustStore.pin(vkey);
const log = new SuperRoot({ url, apiKey, trust });
const proof = await log.proveEvent({ chain, tx, logIndex: 0 }, { wait: 15 });
proof.save(process.env.SUPERROOT_OUT ?? "event.srproof");

const again = await verify(proof.bytes, { trust });
const pinned = await log.advancePin(proof.origin);
console.log(JSON.stringify({ log: again.log, block: again.block, trust: again.trust.by, network: again.network,
  superRoot: again.superRoot.sequence, pinned: pinned?.to.sequence, notShown: again.notShown }, null, 2));
