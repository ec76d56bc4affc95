// Billing tokens or a tier, bought by an unmodified x402 client: no account, no browser, no ether. API_KEY names the key of
// an account that exists, TEST_USDC the token of a demo.
import { readFileSync } from "node:fs";
import { ExactEvmScheme } from "@x402/evm";
import { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";

const [url, keyFile, goods] = process.argv.slice(2);
if (!url || !keyFile || !goods) {
  throw new Error(`node pass.js URL KEY_FILE '{"tokens":100000}'`);
}
const secret = readFileSync(keyFile, "utf8").trim().replace(/^0x/, "");
const account = privateKeyToAccount(`0x${secret}`);
const asset = process.env["TEST_USDC"];
let signed = "";
const watched: typeof fetch = (input, init) => {
  const request = new Request(input, init);
  signed = request.headers.get("payment-signature") ?? signed;
  return fetch(request);
};
const pay = wrapFetchWithPaymentFromConfig(watched, {
  schemes: [{ network: "eip155:*", client: new ExactEvmScheme(account) }],
  // clients pay a dollar at most, and in well-known dollars, unless told otherwise
  spendControls: {
    maxAmountPerPayment: "$50",
    allowedAssets: asset ? [{ network: "eip155:84532", asset }] : [],
  },
});

const headers: Record<string, string> = { "content-type": "application/json" };
const apiKey = process.env["API_KEY"];
if (apiKey) {
  headers["x-api-key"] = apiKey;
}
const answer = await pay(`${url}/api/v1/pass`, { method: "POST", headers, body: goods });
const settled = answer.headers.get("payment-response");
console.log(
  JSON.stringify({
    status: answer.status,
    answer: await answer.json(),
    settled: settled && decodePaymentResponseHeader(settled),
    signed,
  }),
);
