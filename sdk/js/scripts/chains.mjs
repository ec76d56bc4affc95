// Writes src/client/chains.js from the service's table of chains. Needs smol-toml, which is no dependency of this
// package: `npm install --no-save smol-toml@1`, then `node scripts/chains.mjs`; `--check` only compares.
import { readFile, writeFile } from "node:fs/promises";

const table = new URL("../../../crates/chain/chains.toml", import.meta.url);
const target = new URL("../src/client/chains.js", import.meta.url);
const FAMILIES = ["evm", "bitcoin", "solana", "polkadot", "tron", "aptos", "sui", "icp", "cosmos"];

const { parse } = await import("smol-toml");
const number = (value) => (value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value));
const aliasesOf = (row) => (row.aliases ?? []).map((alias) => (typeof alias === "bigint" ? number(alias) : alias));
const rows = parse(await readFile(table, "utf8"), { integersAsBigInt: true }).chain.map((row) => {
  const rules = row.rules.map(({ from, code }) => [number(from), number(code)]);
  const [id, name, slug, caip2, aliases] = [number(row.id), row.name, row.slug, row.caip2, aliasesOf(row)];
  return `  ${JSON.stringify({ family: FAMILIES.indexOf(row.family), id, name, slug, caip2, aliases, rules })},`;
});
const text = `// @ts-check
// Written by scripts/chains.mjs from crates/chain/chains.toml. Do not edit.

/** A chain with the words that name it. \`aliases\`: further ids and words.
 * @typedef {import("../verify/srproof.js").Chain & { slug: string, aliases: (string | number)[] }} NamedChain */

/** The chains that this library knows, in the order of a log's rows. @type {NamedChain[]} */
export const CHAINS = [
${rows.join("\n")}
];
`;
if (!process.argv.includes("--check")) await writeFile(target, text);
else if ((await readFile(target, "utf8")) !== text) {
  console.error("src/client/chains.js is not that of crates/chain/chains.toml: run node scripts/chains.mjs");
  process.exitCode = 1;
}
