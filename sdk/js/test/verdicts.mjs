// Verdicts on proofs, one a line, for a test that compares two verifiers:
//   node verdicts.mjs [--chains FILE.json] < LINES
// In: `{"proof": base64, "trusted": "0x.. 32 bytes"}`. Out: `{"step": null}` where it holds, `{"step": "twig"}` where
// that step fails, `{"step": "panic: .."}` where anything but a refusal was thrown. FILE: the array that
// /web/chains.js exports, as JSON; without it, the package's own chains.
import fs from "node:fs";
import readline from "node:readline";
import { CHAINS, ProofError, verify } from "../src/verify/index.js";
import { fromHex } from "../src/verify/hash.js";
import { Fault } from "../src/verify/reader.js";

const at = process.argv.indexOf("--chains");
const chains = at < 0 ? CHAINS : JSON.parse(fs.readFileSync(process.argv[at + 1], "utf8"));

/** @param {Uint8Array} bytes @param {Uint8Array} trustedHash */
function stepOf(bytes, trustedHash) {
  try {
    return verify(bytes, { chains, trustedHash }).isWhole ? null : "panic: not whole";
  } catch (error) {
    if (error instanceof ProofError && error.cause instanceof Fault) return error.step;
    const cause = error instanceof ProofError ? error.cause : error;
    return `panic: ${cause instanceof Error ? cause.stack : cause}`;
  }
}

for await (const line of readline.createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  if (line.trim() === "") continue;
  const { proof, trusted } = JSON.parse(line);
  console.log(JSON.stringify({ step: stepOf(new Uint8Array(Buffer.from(proof, "base64")), fromHex(trusted)) }));
}
