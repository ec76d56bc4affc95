// Proven logs and transactions in the forms of viem and ethers, where they are installed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SuperRoot, TrustStore } from "../src/index.js";
import { live, liveTest } from "./client-support.mjs";

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** @param {string} name */
async function library(name) {
  try {
    return await import(name);
  } catch {
    console.log(`SKIPPED ${name}: it is not installed here (npm install --no-save viem@2 ethers@6)`);
    return null;
  }
}
const [viem, ethers] = live ? await Promise.all(["viem", "ethers"].map(library)) : [null, null];
const [viemTest, ethersTest] = [viem, ethers].map((one) => (!live || one ? liveTest : (name) => test(name, { skip: "SKIPPED: not installed" }, () => {})));

/** A client, and where the transaction of the environment is. */
async function clientOf() {
  const page = await (await fetch(`${live.url}/v5/superroot`)).json();
  const client = new SuperRoot({ url: live.url, apiKey: live.apiKey, trust: TrustStore.pin(page.publication.keys[0]) });
  const fact = await client.proveTransaction({ chain: live.chain, tx: live.tx });
  return { client, fact };
}

viemTest("viem_gets_proven_logs_and_transactions", async () => {
  const { client: log, fact } = await clientOf();
  const { superRootActions } = await import("../src/viem.js");
  const chain = { ...viem.defineChain({ id: fact.chain.id, name: "x", nativeCurrency: { name: "x", symbol: "x", decimals: 18 }, rpcUrls: { default: { http: ["http://127.0.0.1:1"] } } }) };
  const client = viem.createPublicClient({ chain, transport: viem.http() }).extend(superRootActions(log));
  const block = BigInt(fact.block.number);
  const event = viem.parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 value)");
  const logs = await client.getProvenLogs({ event, fromBlock: block, toBlock: block, complete: true });
  const own = logs.filter((one) => one.transactionHash === live.tx);
  const expected = fact.receipt.logs.filter((one) => one.topics[0] === TRANSFER && one.topics.length === 3);
  assert.deepEqual(own.map((one) => [one.logIndexInTransaction, one.logIndex, one.eventName]), expected.map((one) => [one.logIndex, null, "Transfer"]));
  assert.ok(own.every((one) => typeof one.args.value === "bigint" && one.proof.log));
  if (own.length > 0) {
    const same = await client.getProvenLogs({ event, args: { to: own[0].args.to }, fromBlock: block, toBlock: block });
    assert.ok(same.length > 0 && same.every((one) => one.args.to === own[0].args.to));
  }
  const tx = await client.getProvenTransaction({ hash: live.tx });
  assert.deepEqual([tx.hash, tx.blockNumber, tx.raw, tx.status], [live.tx, block, fact.transaction.raw, fact.receipt.succeeded ? "success" : "reverted"]);
  assert.equal(viem.keccak256(tx.raw), live.tx);
  assert.equal(tx.logs.length, fact.receipt.logs.length);
  await assert.rejects(viem.createPublicClient({ transport: viem.http("http://127.0.0.1:1") }).extend(superRootActions(log)).getProvenTransaction({ hash: live.tx }), { code: "argument" });
});

ethersTest("ethers_gets_proven_logs_and_transactions", async () => {
  const { client: log, fact } = await clientOf();
  const { superRootActions } = await import("../src/ethers.js");
  const provider = new ethers.JsonRpcProvider("http://127.0.0.1:1", fact.chain.id, { staticNetwork: ethers.Network.from(fact.chain.id) });
  try {
    const { getProvenLogs, getProvenTransaction } = superRootActions(log)(provider);
    const logs = await getProvenLogs({ topics: [TRANSFER], fromBlock: fact.block.number, toBlock: fact.block.number, complete: true });
    const own = logs.filter((one) => one.transactionHash === live.tx);
    assert.deepEqual(own.map((one) => one.logIndexInTransaction), fact.receipt.logs.filter((one) => one.topics[0] === TRANSFER).map((one) => one.logIndex));
    assert.ok(logs.every((one) => one instanceof ethers.Log && one.index === -1 && one.proof.log.data === one.data));
    const tx = await getProvenTransaction(live.tx);
    assert.deepEqual([tx.transaction?.hash ?? live.tx, tx.blockNumber, tx.status], [live.tx, fact.block.number, fact.receipt.succeeded ? 1 : 0]);
  } finally {
    provider.destroy();
  }
});
