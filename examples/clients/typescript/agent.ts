// What an agent does with the tools of a service, over HTTP or over a program on this machine that verifies:
//   node agent.js http://127.0.0.1:8080/mcp CHAIN TRANSACTION
//   node agent.js "superroot mcp --url http://127.0.0.1:8080" CHAIN TRANSACTION
// Prints one JSON object: the tools' names, the proof of the transaction, its verdict and a refusal.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [server, chain, hash] = process.argv.slice(2);
if (!server || !chain || !hash) throw new Error("usage: node agent.js SERVER CHAIN TRANSACTION");

const key = process.env.SUPERROOT_API_KEY;
const [command = "", ...args] = server.split(" ");
const transport = server.startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(server), {
      requestInit: { headers: key ? { "x-api-key": key } : {} },
    })
  : new StdioClientTransport({ command, args, env: { ...process.env } as Record<string, string> });
const client = new Client({ name: "example", version: "1.0.0" });
await client.connect(transport);

const { tools } = await client.listTools();
const call = (name: string, given: Record<string, unknown>) =>
  client.callTool({ name, arguments: given }).catch((error: unknown) => ({ refused: String(error) }));

const proven = await call("prove_transaction", { chain, hash });
const absent = await call("prove_transaction", { chain, hash: `0x${"7".repeat(64)}` });
const misspelt = await call("prove_transaction", { chain, hsh: hash });
const status = await call("status", {});
console.log(JSON.stringify({ tools: tools.map((tool) => tool.name), proven, absent, misspelt, status }));
await client.close();
