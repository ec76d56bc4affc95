// The transfers in a proven receipt, as viem and ethers read its logs.
import { Interface } from "ethers";
import { formatLog, parseAbi, parseEventLogs, type RpcLog } from "viem";

const [url, hash = ""] = process.argv.slice(2);
const answer = await fetch(`${url}/v5/tx/ethereum/${hash}?wait=15`);
const proof = await answer.json();
if (!answer.ok) throw new Error(`${proof.code}: ${proof.detail}`);
const logs: RpcLog[] = proof.receipt.logs;
const transfer = "event Transfer(address indexed from, address indexed to, uint256 value)";

const abi = parseAbi([transfer]);
for (const log of parseEventLogs({ abi, logs: logs.map((one) => formatLog(one)) })) {
  const { from, to, value } = log.args;
  const place = `block ${log.blockNumber}, log ${log.logIndex} of ${log.transactionHash}`;
  console.log(`viem: ${from} -> ${to}: ${value} in ${place}`);
}

const ethers = new Interface([transfer]);
for (const log of logs) {
  const read = ethers.parseLog(log);
  if (read) console.log(`ethers: ${read.args["from"]} -> ${read.args["to"]}: ${read.args["value"]}`);
}
