#!/usr/bin/env node
// The compiler as forge calls it: the WebAssembly build from npm, by its standard JSON.
import fs from "node:fs";
import solc from "solc";

if (process.argv.includes("--version")) {
  console.log(`solc, the solidity compiler commandline interface\nVersion: ${solc.version()}`);
} else {
  const read = (path) => ({ contents: fs.readFileSync(path, "utf8") });
  console.log(solc.compile(fs.readFileSync(0, "utf8"), { import: read }));
}
