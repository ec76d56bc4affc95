// The newest SuperRoot, the proofs of a block and of a transaction, and what gas costs.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

// proofs come as bytes too, to whoever asks for them
type Media = "application/json" | "application/problem+json" | "text/plain";

/** The answer, where it is no refusal. */
function good<T>({ data, error }: { data?: T; error?: components["schemas"]["Problem"] }): T {
  if (data === undefined) throw new Error(`${error?.code}: ${error?.detail}`);
  return data;
}

const [baseUrl, hash = ""] = process.argv.slice(2);
const headers = { "X-API-Key": process.env["SUPERROOT_API_KEY"] };
const { GET, POST } = createClient<paths, Media>({ baseUrl, headers });

const root = good(await GET("/v5/superroot"));
const newest = root.blockReferences.find((one) => one.chainId === 1)?.number;
console.log(`SuperRoot ${root.sequence}: ${root.superRootHash}, Ethereum up to block ${newest}`);
const checkpoint = good(await GET("/v5/checkpoint", { parseAs: "text" }));
console.log(`checkpoint of ${checkpoint.split("\n")[0]}`);

const ofBlock = { chain: "ethereum", block: String(newest) };
const block = good(await GET("/v5/proof/{chain}/{block}", { params: { path: ofBlock } }));
console.log(`block ${block.blockHash}: ${block.anchorStatus}, level ${block.proofLevel}`);

// a header is that of one of nine ledgers; a member that only one has tells which
const { header } = block;
if (header && "miner" in header) console.log(`mined by ${header.miner}, gas ${header.gasUsed}`);

// the service checks it as any client can: by hashing
const { valid } = good(await POST("/kv/verify", { body: block }));
if (!valid) throw new Error(`block ${block.blockNumber} is not proven`);

// so many seconds it may take until the block is anchored
const ofTransaction = { path: { chain: "ethereum", hash }, query: { wait: 15 } };
const proof = good(await GET("/v5/tx/{chain}/{hash}", { params: ofTransaction }));
const { transactionIndex, blockNumber, siblings = [] } = proof;
console.log(`transaction ${transactionIndex} of block ${blockNumber}: ${siblings.length} trie nodes`);

const gas = good(await GET("/search-api/v5/gas", { params: { query: { chain_id: "ethereum" } } }));
for (const { name, next_base_fee, unit } of gas.chains) {
  console.log(`${name}: next base fee ${next_base_fee?.wei ?? "not known"} ${unit}`);
}
