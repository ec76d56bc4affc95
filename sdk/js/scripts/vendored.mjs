// Compares `src/noble/` with what npm ships in the pinned versions, byte for byte. Needs npm, its registry and tar.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGES = { hashes: "@noble/hashes@2.4.0", ed25519: "@noble/ed25519@3.2.0" };
const noble = fileURLToPath(new URL("../src/noble/", import.meta.url));

const work = fs.mkdtempSync(path.join(os.tmpdir(), "vendored-"));
let [count, others] = [0, 0];
try {
  const folders = fs.readdirSync(noble, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of folders) {
    const wanted = PACKAGES[name];
    if (!wanted) throw new Error(`${name}: no package is named for this folder`);
    const packed = execFileSync("npm", ["pack", wanted, "--silent", "--pack-destination", work], { encoding: "utf8" });
    const whole = path.join(work, name);
    fs.mkdirSync(whole);
    execFileSync("tar", ["-xzf", path.join(work, packed.trim().split("\n").at(-1)), "-C", whole]);
    for (const file of fs.readdirSync(path.join(noble, name))) {
      const theirs = path.join(whole, "package", file);
      const isSame = fs.existsSync(theirs) && fs.readFileSync(theirs).equals(fs.readFileSync(path.join(noble, name, file)));
      count += 1;
      if (!isSame) others += 1;
      if (!isSame) console.error(`${name}/${file} is not as in ${wanted}`);
    }
  }
} finally {
  fs.rmSync(work, { recursive: true });
}
console.log(`${count} files compared, ${others} differ`);
process.exitCode = others === 0 && count > 0 ? 0 : 1;
