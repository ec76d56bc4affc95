// Writes `src/verify/chains.js` of `crates/chain/chains.toml`, its rows as the service renders them in /web/chains.js.
// `--check` only compares.
import fs from "node:fs";

const FAMILIES = ["evm", "bitcoin", "solana", "polkadot", "tron", "aptos", "sui", "icp", "cosmos"];
const read = (name) => new URL(`../../../${name}`, import.meta.url);
const source = fs.readFileSync(read("crates/chain/chains.toml"), "utf8");

/** The value of a key in a row. */
function value(row, key) {
  const found = new RegExp(`^${key} = (.*)$`, "m").exec(row);
  if (!found) throw new Error(`a row without ${key}`);
  return found[1].replace(/ *#.*$/, "");
}

const rows = source.split(/^\[\[chain\]\]$/m).slice(1).map((row) => {
  const family = FAMILIES.indexOf(JSON.parse(value(row, "family")));
  if (family < 0) throw new Error("a row of an unknown family");
  const rules = [...value(row, "rules").matchAll(/from = (\d+), code = (0x[0-9a-f]{4})/g)];
  return JSON.stringify({
    caip2: JSON.parse(value(row, "caip2")), family, id: Number(value(row, "id")), name: JSON.parse(value(row, "name")),
    rules: rules.map(([, from, code]) => [Number(from), Number(code)]),
  });
});
const text = `// @ts-check
// The chains of crates/chain/chains.toml, by scripts/chains.mjs.
/** @type {import("./proof.js").Chain[]} */
export const CHAINS = [
${rows.join(",\n")}
];
`;
const target = new URL("../src/verify/chains.js", import.meta.url);
if (!process.argv.includes("--check")) fs.writeFileSync(target, text);
else if (fs.readFileSync(target, "utf8") !== text) {
  console.error("src/verify/chains.js is not that of crates/chain/chains.toml: run node scripts/chains.mjs");
  process.exitCode = 1;
}
