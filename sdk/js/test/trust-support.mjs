// Logs of tests: keys, notes and SuperRoots, signed here.
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { concat, fromHex, keccak256, toHex, u64, utf8 } from "../src/verify/hash.js";
import { preimageOf } from "../src/client/superroot.js";

const sha256 = (...parts) => new Uint8Array(createHash("sha256").update(concat(...parts)).digest());
const base64 = (bytes) => Buffer.from(bytes).toString("base64");

/** A signing key: 1 a log's, 4 a witness's. */
export function newKey(name, kind = 1) {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const bytes = concat([kind], publicKey.export({ type: "spki", format: "der" }).subarray(-32));
  const id = sha256(utf8(`${name}\n`), bytes).subarray(0, 4);
  const vkey = `${name}+${toHex(id).slice(2)}+${base64(bytes)}`;
  const signText = (text) => new Uint8Array(sign(null, Buffer.from(text), privateKey));
  return { name, vkey, line: (text, time) => {
    const stamp = time === undefined ? new Uint8Array(0) : u64(time);
    const signed = time === undefined ? signText(text) : signText(`cosignature/v1\ntime ${time}\n${text}`);
    return `\u2014 ${name} ${base64(concat(id, stamp, signed))}\n`;
  } };
}

const leafOf = (entry) => sha256([0], entry);
const nodeOf = (left, right) => sha256([1], left, right);

/** The root over leaves and the path of the last one (RFC 6962). */
function rangeOf(leaves) {
  if (leaves.length === 1) return { root: leaves[0], path: [] };
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  const [left, right] = [rangeOf(leaves.slice(0, split)), rangeOf(leaves.slice(split))];
  return { root: nodeOf(left.root, right.root), path: [...right.path, left.root] };
}

/** A log of `count` SuperRoots; `salt` makes another history. Its trees are empty words: nothing below level 5 is proven. */
export function newLog(key, count, salt = 0) {
  const roots = Array.from({ length: count }, (_, sequence) => {
    const treeRoot = toHex(keccak256(utf8("tree"), [sequence, sequence < 2 ? 0 : salt]));
    const preimage = preimageOf(key.name, sequence, 1_700_000_000 + sequence, treeRoot);
    return { sequence, timestamp: 1_700_000_000 + sequence, treeRoot, preimage, hash: toHex(keccak256(preimage)) };
  });
  const noteOf = (sequence, signers = [[key]]) => {
    const { root } = rangeOf(roots.slice(0, sequence + 1).map((one) => leafOf(one.preimage)));
    const text = `${key.name}\n${sequence + 1}\n${base64(root)}\n`;
    return `${text}\n${signers.map(([signer, time]) => signer.line(text, time)).join("")}`;
  };
  const pageOf = (sequence) => {
    const { treeRoot, timestamp, hash } = roots[sequence];
    const { path } = rangeOf(roots.slice(0, sequence + 1).map((one) => leafOf(one.preimage)));
    return { version: 5, origin: key.name, logId: toHex(keccak256([9], utf8(key.name))), sequence, timestamp, treeRoot,
      superRootHash: hash, network: "live", publication: { note: noteOf(sequence), siblings: path.map(toHex), keys: [key.vkey] } };
  };
  return { roots, noteOf, pageOf };
}

export { fromHex };
