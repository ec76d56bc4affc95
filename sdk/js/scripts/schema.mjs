// Writes src/client/schema.ts from the service's OpenAPI document; `tsc` makes types/client/schema.d.ts of it. Needs openapi-typescript, which is no dependency of
// this package: `npm install --no-save openapi-typescript@7`, then `node scripts/schema.mjs`; `--check` only compares.
import { readFile, writeFile } from "node:fs/promises";

const document = new URL("../../../interface/openapi.json", import.meta.url);
const target = new URL("../src/client/schema.ts", import.meta.url);

const { default: openapiTS, astToString } = await import("openapi-typescript");
const text = "// Written by scripts/schema.mjs from interface/openapi.json. Do not edit.\n" +
  astToString(await openapiTS(document));
if (!process.argv.includes("--check")) await writeFile(target, text);
else if ((await readFile(target, "utf8")) !== text) {
  console.error("src/client/schema.ts is not that of interface/openapi.json: run node scripts/schema.mjs");
  process.exitCode = 1;
}
