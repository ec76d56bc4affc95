// The page's own verifier, as it is served, over `vectors/`: what holds, what must be refused and at which
// step, every byte altered, every length off by one. Run by service/page.rs:
//   node verify.mjs FOLDER-OF-MODULES FOLDER-OF-VECTORS [FOLDER-OF-PROOFS-WITH-NOTES KEY]
import assert from "node:assert/strict";
import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [modules, vectors, noted, keyText] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(path.join(modules, name)).href);
const [hash, ed25519, notes, trees, srproof, { CHAINS: chains }] = await Promise.all(
  ["verify/hash.js", "verify/ed25519.js", "verify/note.js", "verify/trees.js", "verify/srproof.js", "chains.js"]
    .map(load));
const { fromHex, toHex, keccak256, sha256, sha512 } = hash;
const read = (name) => JSON.parse(fs.readFileSync(path.join(vectors, name), "utf8"));
const counts = {};
const count = (name) => (counts[name] = (counts[name] ?? 0) + 1);

/** `null` where it holds, else the step that fails, by the name that vectors have for it. */
function failure(bytes, brought) {
  const names = { entry: "level 1 (entry)", block: "level 2 (block)", twig: "level 3 (twig)",
    mini_mmr: "level 4 (mini_mmr)", super_root: "level 5 (super_root)" };
  try {
    return srproof.verify(bytes, { chains, ...brought }).isWhole ? null : "not looked at whole";
  } catch (error) {
    assert.ok(error instanceof srproof.ProofError, `${error.stack}`);
    return names[error.step] ?? error.step;
  }
}

function hashes() {
  const keccak = {
    "": "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
    abc: "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45",
  };
  for (const [text, digest] of Object.entries(keccak)) {
    assert.equal(toHex(keccak256(Buffer.from(text))), `0x${digest}`);
  }
  for (let length = 0; length < 300; length++) {
    const bytes = crypto.createHash("sha512").update(String(length)).digest();
    const message = Buffer.alloc(length, bytes);
    for (const [name, own] of [["sha256", sha256], ["sha512", sha512]]) {
      const theirs = crypto.createHash(name).update(message).digest("hex");
      assert.equal(toHex(own(message)), `0x${theirs}`, `${name} of ${length} bytes`);
      count("hashes");
    }
  }
  // the lengths at which Keccak's padding changes: no two messages have one hash
  const all = new Set(Array.from({ length: 280 }, (_, length) => toHex(keccak256(new Uint8Array(length)))));
  assert.equal(all.size, 280);
}

function signatures() {
  for (let round = 0; round < 6; round++) {
    const { publicKey, privateKey } = crypto.generateKeyPairSync("ed25519");
    const key = Uint8Array.from(publicKey.export({ type: "spki", format: "der" }).subarray(-32));
    const message = crypto.randomBytes(round * 37);
    const signature = Uint8Array.from(crypto.sign(null, message, privateKey));
    assert.ok(ed25519.verify(key, message, signature));
    for (let at = round; at < 64; at += 7) {
      const other = Uint8Array.from(signature);
      other[at] ^= 1 << (at % 8);
      assert.ok(!ed25519.verify(key, message, other), `bit of byte ${at}`);
      count("signatures");
    }
    // S + L is the same number to a careless check
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    let s = signature.slice(32).reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n) + order;
    const more = Uint8Array.from(signature);
    for (let at = 32; at < 64; at++, s >>= 8n) more[at] = Number(s & 255n);
    assert.ok(!ed25519.verify(key, message, more));
    assert.ok(!ed25519.verify(key, Buffer.concat([message, Buffer.from([0])]), signature));
  }
  // points of small order sign everything
  for (const point of [[1], [0], Array(31).fill(0).concat(128), [236, ...Array(30).fill(255), 127]]) {
    const key = Uint8Array.from({ length: 32 }, (_, at) => point[at] ?? 0);
    const signature = new Uint8Array(64);
    signature.set(key);
    assert.ok(!ed25519.verify(key, new Uint8Array(3), signature));
  }
}

function hostile() {
  for (const name of fs.readdirSync(path.join(vectors, "hostile"))) {
    for (const vector of read(`hostile/${name}`)) {
      if (!("proof" in vector)) continue; // of other forms than a proof file
      const got = failure(fromHex(vector.proof), { trustedHash: fromHex(vector.trusted) });
      assert.equal(got, vector.refused_at, `${name}: ${vector.name}: ${vector.reason}`);
      count(name);
    }
  }
}

function real() {
  const proofs = read("real/ethereum.json").map((one) => ({ bytes: fromHex(one.proof), ...one }));
  const [first] = proofs;
  const event = new Uint8Array(fs.readFileSync(path.join(vectors, "real/ethereum-13998626-event.srproof")));
  proofs.push({ bytes: event, shows: "event", trusted: first.trusted, source: "the event's file" });
  for (const { bytes, shows, trusted, source } of proofs) {
    const shown = srproof.verify(bytes, { chains, trustedHash: fromHex(trusted) });
    assert.ok(shown.isWhole, source);
    assert.equal(shown.subject.kind, shows.split(" ")[0], source);
    assert.equal(failure(bytes, { trustedHash: new Uint8Array(32) }), "anchor", source);
    for (const other of [bytes.subarray(0, -1), Uint8Array.from([...bytes, 0]), bytes.subarray(1)]) {
      assert.equal(failure(other, { trustedHash: fromHex(trusted) }), "encoding", source);
    }
    count("real");
  }
  for (let at = 0; at < event.length; at++) {
    const other = Uint8Array.from(event);
    other[at] ^= 1 << (at % 8);
    assert.notEqual(failure(other, { trustedHash: fromHex(first.trusted) }), null, `byte ${at}`);
    count("altered bytes");
  }
}

/** A field of the records of vectors/protocol/commitment.json under its own computation. */
function commitment() {
  const file = read("protocol/commitment.json");
  assert.equal(toHex(keccak256([9], Buffer.from(file.origin))), `0x${file.log_id}`);
  assert.equal(toHex(trees.EMPTY[11]), `0x${file.zero_twig_root}`);
  assert.equal(toHex(trees.EMPTY[3]), `0x${file.empty_slots_8}`);
  for (const one of file.super_roots) {
    assert.equal(toHex(keccak256(fromHex(one.super_root_preimage))), `0x${one.super_root_hash}`);
    count("commitment.json");
  }
  const hashes = (list) => list.map(fromHex);
  const roots = new Set(file.super_roots.map((one) => one.tree_root));
  /** The roots of tree that a proof leads to: over the block, and over the registry. */
  const lead = (proof) => {
    const chain = hash.concat([proof.family], hash.u64(proof.chain_id));
    const block = keccak256([0], chain, hash.u64(proof.number), fromHex(proof.block_hash));
    const twig = trees.rootOfPath(block, proof.number % 2048, hashes(proof.twig_siblings), 11);
    let [value, slot] = [null, 9 + proof.row];
    if (proof.leaf_count === undefined) {
      value = keccak256(fromHex(proof.reference_preimage).subarray(0, 58), twig);
    } else {
      const leaf = keccak256([2], chain, hash.u64(Math.floor(proof.number / 2048)), twig);
      const range = trees.rootOfRange(leaf, BigInt(proof.leaf_index), BigInt(proof.leaf_count),
        hashes(proof.mmr_siblings), (left, right) => keccak256([1], left, right));
      [value, slot] = [keccak256([3, proof.family], hash.u64(proof.leaf_count), range), proof.family];
    }
    const rows = trees.rootOfPath(keccak256(fromHex(proof.profile)), proof.row, hashes(proof.registry_siblings), 6);
    const registry = keccak256([6, 0, proof.registry_count], rows);
    return [
      toHex(trees.rootOfPath(value, slot, hashes(proof.super_root_siblings), 6)),
      toHex(trees.rootOfPath(registry, 55, hashes(proof.registry_super_root_siblings), 6)),
    ];
  };
  for (const proof of Object.values(file.proofs)) {
    const [tree, registry] = lead(proof);
    assert.ok(roots.has(tree.slice(2)) && tree === registry, `${tree} ${registry}`);
    count("commitment.json");
  }
}

function signed() {
  if (!noted) return;
  const key = notes.parseKey(keyText);
  for (const name of fs.readdirSync(noted)) {
    const shown = srproof.verify(new Uint8Array(fs.readFileSync(path.join(noted, name))), { chains, key });
    const [kind] = name.split("-");
    assert.equal(shown.subject.kind, kind, name);
    assert.ok(shown.isWhole, name);
    if (kind !== "block") assert.ok(shown.levels.some((level) => level.step === "entry"), name);
    count(`live ${kind}`);
  }
  const bytes = new Uint8Array(fs.readFileSync(path.join(noted, "transaction-1")));
  const { publicKey } = crypto.generateKeyPairSync("ed25519");
  const other = { ...key, key: Uint8Array.from(publicKey.export({ type: "spki", format: "der" }).subarray(-32)) };
  assert.equal(failure(bytes, { key: other }), "anchor");
  assert.equal(failure(bytes, { key: { ...key, name: "another" } }), "anchor");
  assert.equal(failure(bytes, {}), "anchor");
  // the note is at the end: every byte of it and of its path
  for (let at = bytes.length - 400; at < bytes.length; at++) {
    const altered = Uint8Array.from(bytes);
    altered[at] ^= 1 << (at % 8);
    assert.notEqual(failure(altered, { key }), null, `byte ${at}`);
    count("altered notes");
  }
  for (const text of [keyText.slice(1), keyText.slice(0, -1), keyText.replace("+", "-"), "", `${keyText}=`]) {
    assert.throws(() => notes.parseKey(text), undefined, text);
  }
}

for (const test of [hashes, signatures, hostile, real, commitment, signed]) test();
console.log(JSON.stringify(counts));
