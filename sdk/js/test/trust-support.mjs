// Logs of tests: keys, notes and SuperRoots, signed here.
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { concat, keccak256, toHex, u64, utf8 } from "../src/verify/hash.js";
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

const EMPTY_LOG = sha256();
const node = (left, right) => keccak256([1], left, right);

/** The path of slot 54, and the root, of a tree over 64 slots. */
function treeOf(slots) {
  const siblings = [];
  let level = slots;
  for (let at = 54; level.length > 1; at >>= 1) {
    siblings.push(toHex(level[at ^ 1]));
    level = level.flatMap((one, place) => (place % 2 ? [] : [node(one, level[place + 1])]));
  }
  return { root: toHex(level[0]), siblings };
}

/** A log of `count` SuperRoots, each with its history in slot 54; from the third on `salt` makes another history. Nothing
 * else is in its trees: it has no block. */
export function newLog(key, count, salt = 0) {
  const roots = [];
  for (let sequence = 0; sequence < count; sequence++) {
    const logRoot = sequence === 0 ? EMPTY_LOG : rangeOf(roots.map((one) => leafOf(one.preimage))).root;
    const slots = Array.from({ length: 64 }, () => new Uint8Array(32));
    slots[0] = keccak256(utf8("mini-mmr"), [sequence < 2 ? 0 : salt]);
    slots[54] = keccak256([5], u64(sequence), logRoot);
    const { root: treeRoot, siblings } = treeOf(slots);
    const timestamp = 1_700_000_000 + sequence;
    const preimage = preimageOf(key.name, sequence, timestamp, treeRoot);
    const history = { leafCount: sequence, logRoot: toHex(logRoot), siblings };
    roots.push({ sequence, timestamp, treeRoot, preimage, hash: toHex(keccak256(preimage)), history, slots: slots.map(toHex) });
  }
  const logId = toHex(keccak256([9], utf8(key.name)));
  const noteOf = (sequence, signers = [[key]]) => {
    const { root } = rangeOf(roots.slice(0, sequence + 1).map((one) => leafOf(one.preimage)));
    const text = `${key.name}\n${sequence + 1}\n${base64(root)}\n`;
    return `${text}\n${signers.map(([signer, time]) => signer.line(text, time)).join("")}`;
  };
  const rowOf = (sequence) => {
    const { treeRoot, timestamp, hash } = roots[sequence];
    return { version: 5, logId, sequence, timestamp, treeRoot, superRootHash: hash };
  };
  const pageOf = (sequence) => {
    const { path } = rangeOf(roots.slice(0, sequence + 1).map((one) => leafOf(one.preimage)));
    return { ...rowOf(sequence), origin: key.name, network: "live", publication: { note: noteOf(sequence), siblings: path.map(toHex), keys: [key.vkey] } };
  };
  /** Path of entry `index` among the first `count`. */
  const pathOf = (index, count) => {
    const walk = (from, to) => {
      if (to - from === 1) return [];
      let split = 1;
      while (split * 2 < to - from) split *= 2;
      const [left, right] = [[from, from + split], [from + split, to]];
      const rootOf = ([begin, end]) => rangeOf(roots.slice(begin, end).map((one) => leafOf(one.preimage))).root;
      return index < from + split ? [...walk(...left), rootOf(right)] : [...walk(...right), rootOf(left)];
    };
    return walk(0, count).map(toHex);
  };
  /** Consistency of strength history, without the path that shows it. */
  const consistencyOf = (from, to) => ({ strength: "history", from: rowOf(from), to: rowOf(to), inclusionPath: pathOf(from, to),
    toHistory: roots[to].history, fromHistory: roots[from].history, consistencyPath: [] });
  return { roots, noteOf, pageOf, consistencyOf };
}


/** The file of a pinned set, as `superroot trust light-client` writes it. `of`: family and id of the chain. */
export function setFile({ of: [family, id], byte, set, setId, pin = setId, pinnedAt = 1_700_000_000 }) {
  const head = Buffer.alloc(94);
  head.write("SRTRUST\u0001", "latin1");
  head[8] = family;
  head.writeBigUInt64BE(BigInt(id), 9);
  head[17] = byte;
  head.writeBigUInt64BE(BigInt(pinnedAt), 18);
  head.set(pin, 26);
  head.set(setId, 58);
  head.writeUInt32BE(set.length, 90);
  return new Uint8Array(Buffer.concat([head, set]));
}
