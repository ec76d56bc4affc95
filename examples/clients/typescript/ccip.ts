// An event of another chain, read through a contract by ethers and by viem: both fetch its proof on their own (EIP-3668).
// Deploys the reader to the chain of a demo with contracts. GATEWAY names another gateway than the service.
import { readFileSync } from "node:fs";
import { Contract, ContractFactory, JsonRpcProvider, Wallet } from "ethers";
import { createPublicClient, http, parseAbi, type Address } from "viem";

const [url, data, artifact = "", ...place] = process.argv.slice(2);
const [chainId, block, txIndex, logIndex] = place.map(Number);
if (!url || !data || logIndex === undefined) {
  throw new Error("node ccip.js URL DATA SuperRootReader.json CHAIN_ID BLOCK TX_INDEX LOG_INDEX");
}
const rpc = `${url}/rpc/84532`;
const json = (file: string) => JSON.parse(readFileSync(file, "utf8"));

const provider = new JsonRpcProvider(rpc, undefined, { cacheTimeout: -1 });
provider.pollingInterval = 250;
const wallet = new Wallet(readFileSync(`${data}/demo-customer.key`, "utf8").trim(), provider);
const { abi, bytecode } = json(artifact);
const template = `${process.env["GATEWAY"] ?? url}/ccip/{sender}/{data}`;
const factory = new ContractFactory(abi, bytecode, wallet);
const deployed = await factory.deploy(json(`${data}/demo-contracts.json`).lens, [template]);
await deployed.waitForDeployment();
const reader = await deployed.getAddress();

const asked = [chainId!, BigInt(block!), txIndex!, logIndex] as const;
try {
  const contract = new Contract(reader, abi, provider);
  const event = await contract.getFunction("eventAt")(...asked, { enableCcipRead: true });
  console.log(`ethers: ${event[0]} ${event[1].join(" ")} ${event[2]}`);
} catch (error) {
  console.log(`ethers refused: ${error}`);
}
try {
  const client = createPublicClient({ transport: http(rpc) });
  const event = await client.readContract({
    address: reader as Address,
    abi: parseAbi([
      "function eventAt(uint64, uint64, uint32, uint32) view returns (address, bytes32[], bytes)",
    ]),
    functionName: "eventAt",
    args: [BigInt(asked[0]), asked[1], asked[2], asked[3]],
  });
  console.log(`viem: ${event[0]} ${event[1].join(" ")} ${event[2]}`);
} catch (error) {
  console.log(`viem refused: ${error}`);
}
provider.destroy();
