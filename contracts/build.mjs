// Builds the contracts and writes what the Rust side needs: `artifacts/<Name>.json` with ABI and bytecode, and
// `artifacts/SOURCES`, the hashes of all that they follow from. `--check` compares instead, byte by byte.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

const root = path.dirname(new URL(import.meta.url).pathname);
const at = (...parts) => path.join(root, ...parts);
const names = [
  ...["SuperRootAnchor", "SuperRootLens", "SuperRootReader", "Release", "SubscriptionRegistry", "TestUsdc"],
  ...["AnchorDouble", "VerifierDouble", "PeerDouble"],
];
const forge = at("node_modules/@foundry-rs/forge-linux-amd64/bin/forge");

execFileSync(forge, ["build", "--root", root], { stdio: ["ignore", "inherit", "inherit"] });

const sources = fs
  .readdirSync(at("src"), { recursive: true })
  .filter((name) => name.endsWith(".sol"))
  .map((name) => `src/${name}`)
  .concat("test/AnchorDouble.sol", "test/VerifierDouble.sol", "test/PeerDouble.sol", "foundry.toml", "package.json", "solc.mjs")
  .sort();
const hash = (name) => createHash("sha256").update(fs.readFileSync(at(name))).digest("hex");
const files = { SOURCES: sources.map((name) => `${hash(name)}  ${name}\n`).join("") };
for (const name of names) {
  const built = JSON.parse(fs.readFileSync(at("out", `${name}.sol`, `${name}.json`), "utf8"));
  const kept = { abi: built.abi, bytecode: built.bytecode.object, deployedBytecode: built.deployedBytecode.object };
  files[`${name}.json`] = `${JSON.stringify(kept, null, 1)}\n`;
}
let differs = 0;
for (const [name, text] of Object.entries(files)) {
  const file = at("artifacts", name);
  if (!process.argv.includes("--check")) {
    fs.writeFileSync(file, text);
  } else if (!fs.existsSync(file) || fs.readFileSync(file, "utf8") !== text) {
    console.error(`artifacts/${name} is not what the sources give: run make contracts-write`);
    differs += 1;
  }
}
process.exit(differs ? 1 : 0);
