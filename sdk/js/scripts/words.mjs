// Writes `src/client/words.js` of `crates/chain/chains.toml`: the words and further ids that name a chain. `--check` only
// compares.
import { readFile, writeFile } from "node:fs/promises";
import { CHAINS } from "../src/verify/chains.js";

const source = await readFile(new URL("../../../crates/chain/chains.toml", import.meta.url), "utf8");
const target = new URL("../src/client/words.js", import.meta.url);

const rows = source.split(/^\[\[chain\]\]$/m).slice(1).map((row, at) => {
  const slug = /^slug = ("[^"]+")/m.exec(row)?.[1];
  const aliases = /^aliases = \[(.*)\]/m.exec(row)?.[1] ?? "";
  const words = [...aliases.matchAll(/"([^"]+)"|(\d+)/g)].map(([, word, id]) => word ?? id);
  const { family, id, caip2 } = CHAINS[at];
  if (!slug || !row.includes(JSON.stringify(caip2))) throw new Error("src/verify/chains.js is not of this table: run scripts/chains.mjs");
  return `  [${family}, ${id}, ${JSON.stringify([JSON.parse(slug), ...words])}],`;
});
const text = `// @ts-check
// The words and further ids that name a chain, of crates/chain/chains.toml by scripts/words.mjs.

/** Family, id, and words. @type {[number, number, string[]][]} */
export const WORDS = [
${rows.join("\n")}
];
`;
if (!process.argv.includes("--check")) await writeFile(target, text);
else if ((await readFile(target, "utf8")) !== text) {
  console.error("src/client/words.js is not that of crates/chain/chains.toml: run node scripts/words.mjs");
  process.exitCode = 1;
}
