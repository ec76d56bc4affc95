// Unmodified facilitator of x402, over a chain's JSON-RPC: prints its port.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { x402Facilitator } from "@x402/core/facilitator";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme } from "@x402/evm/exact/facilitator";
import { createWalletClient, defineChain, http, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";

const [rpc, keyFile] = process.argv.slice(2);
const account = privateKeyToAccount(`0x${readFileSync(keyFile, "utf8").trim().replace(/^0x/, "")}`);
const nativeCurrency = { name: "Ether", symbol: "ETH", decimals: 18 };
const chain = defineChain({ id: 84532, name: "demo", nativeCurrency, rpcUrls: { default: { http: [rpc] } } });
const client = createWalletClient({ account, chain, transport: http(rpc), pollingInterval: 200 }).extend(publicActions);
const signer = toFacilitatorEvmSigner({
  address: account.address,
  readContract: (args) => client.readContract({ ...args, args: args.args ?? [] }),
  verifyTypedData: (args) => client.verifyTypedData(args),
  writeContract: (args) => client.writeContract({ ...args, args: args.args ?? [] }),
  sendTransaction: (args) => client.sendTransaction(args),
  waitForTransactionReceipt: (args) => client.waitForTransactionReceipt(args),
  getCode: (args) => client.getCode(args),
});
const facilitator = new x402Facilitator().register("eip155:84532", new ExactEvmScheme(signer));

const server = createServer(async (request, response) => {
  let body = "";
  for await (const piece of request) body += piece;
  const { paymentPayload, paymentRequirements } = JSON.parse(body);
  let answer;
  try {
    const act = request.url === "/settle" ? "settle" : "verify";
    answer = await facilitator[act](paymentPayload, paymentRequirements);
  } catch (error) {
    answer = { isValid: false, success: false, invalidReason: `${error}`, errorReason: `${error}` };
  }
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(answer));
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
