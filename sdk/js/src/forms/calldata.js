// @ts-check
// A proof in the form for contracts: docs/calldata.md. What can be computed is left out of it; here it is put back, and
// the whole is checked as any proof.

import { concat, fromUtf8, keccak256, same, sha256d, u64, utf8 } from "../verify/hash.js";
import { siblingCount } from "../verify/ledger/bitcoin.js";
import { readHeader } from "../verify/ledger/evm.js";
import { verifyProof } from "../verify/proof.js";
import { Reader, need } from "../verify/reader.js";
import { checkAnchor } from "../verify/srproof.js";
import { EMPTY, node, pathLength, rootOfPath, rootOfRange } from "../verify/trees.js";
import { bytesOfHex } from "./compare.js";
import { Fault, within } from "./fault.js";
import { bytesFrom } from "./json.js";
import { digitsOf, writeBytes, writeList } from "./rlp.js";

/** @typedef {import("../verify/file.js").Proof} Proof */
/** @typedef {import("../verify/file.js").Profile} Profile */
/** @typedef {import("../verify/ledger/index.js").Subject} Subject */

const BYTES_MAX = 16 << 20;
const LEAF_BYTES_MIN = 56;
const LEVELS_MAX = 18;
const ROWS_MAX = 45;
const [OPEN, REGISTRY_SLOT] = [4, 55];
const BITCOIN = { id: 21000000, caip2: "bip122:000000000019d6689c085ae165831e93" };
const NOTHING = Uint8Array.of(0x80);

/** The bytes of the form, from bytes or from hex as `superroot prove --calldata` writes it; null for anything else.
 * @param {unknown} input @returns {Uint8Array | null} throws a Fault for hex that is none */
export function calldataOf(input) {
  const bytes = bytesFrom(input);
  if (bytes && (bytes[0] === 1 || bytes[0] === 2)) return bytes;
  const text = typeof input === "string" ? input : bytes && bytes[0] <= 0x30 ? fromUtf8(bytes) : null;
  const digits = text?.trim();
  return digits && /^0x0[12]/.test(digits) ? bytesOfHex(digits) : null;
}

// --- parts ---------------------------------------------------------------------------------------

/** @param {Reader} reader @param {number} family @returns {Profile & { bytes: Uint8Array }} */
function readProfile(reader, family) {
  const id = reader.u64();
  need(id < 2n ** 53n && (family === 0 || id === BigInt(BITCOIN.id)), "the chain has no form for contracts");
  const caip2 = family === 0 ? `eip155:${id}` : BITCOIN.caip2;
  const count = reader.u8();
  const begin = reader.at;
  const rules = Array.from({ length: count }, () => {
    const from = reader.u64();
    need(from < 2n ** 53n, "malformed profile");
    return /** @type {[number, number]} */ ([Number(from), reader.number(2)]);
  });
  const read = rules.filter(([, code]) => code !== 0);
  need(count > 0 && rules[0][1] !== 0 && read.every(([from], at) => at === 0 || read[at - 1][0] < from), "malformed profile");
  const name = utf8(caip2);
  const bytes = concat([8, family], u64(id), [name.length], name, [count], reader.all.subarray(begin, reader.at));
  return { family, id: Number(id), caip2, rules, bytes };
}

/** @param {Reader} reader @param {number} code @returns {Subject} */
function readSubject(reader, code) {
  if (code === 0) return { kind: "block", txIndex: 0, logIndex: 0 };
  need(code === 1 || code === 2, "there is no such subject");
  const txIndex = reader.number(4);
  return { kind: code === 1 ? "transaction" : "event", txIndex, logIndex: code === 2 ? reader.number(4) : 0 };
}

/** A path in hex-prefix form. @param {number[]} nibbles @param {boolean} isLeaf */
function packed(nibbles, isLeaf) {
  const isOdd = nibbles.length % 2 === 1;
  const whole = [(isLeaf ? 2 : 0) + (isOdd ? 1 : 0), ...(isOdd ? [] : [0]), ...nibbles];
  return Uint8Array.from({ length: whole.length / 2 }, (_, at) => whole[2 * at] * 16 + whole[2 * at + 1]);
}

/** A branch above a node that hangs at the key's nibble. @param {Reader} reader @param {number} mask @param {number} own
 * @param {Uint8Array} below */
function branch(reader, mask, own, below) {
  need(((mask >> own) & 1) === 0, "a mask names the key's own child");
  const children = Array.from({ length: 16 }, (_, at) => {
    if (at === own) return writeBytes(below);
    return (mask >> at) & 1 ? writeBytes(reader.hash()) : NOTHING;
  });
  return writeList(...children, NOTHING);
}

/** Nodes of a trie from the root down, put together from the leaf up. @param {Reader} reader @param {number} index
 * @returns {Uint8Array[]} */
function readTrie(reader, index) {
  const leaf = reader.bytes(reader.number(3));
  need(leaf.length >= LEAF_BYTES_MIN, "a leaf is too short");
  const key = index === 0 ? NOTHING : writeBytes(digitsOf(index));
  const nibbles = [...key].flatMap((byte) => [byte >> 4, byte & 15]);
  const [own, levels] = [reader.u8(), reader.u8()];
  need(own <= nibbles.length && levels <= LEVELS_MAX, "a path is too long");
  let rest = nibbles.length - own;
  const nodes = [writeList(writeBytes(packed(nibbles.slice(rest), true)), writeBytes(leaf))];
  for (let level = 0; level < levels; level++) {
    const below = keccak256(nodes[0]);
    const mask = reader.number(2);
    const count = mask === 0 ? reader.u8() : 1;
    need(count > 0 && count <= rest, "a path is too long");
    rest -= count;
    nodes.unshift(mask === 0 ? writeList(writeBytes(packed(nibbles.slice(rest, rest + count), false)), writeBytes(below))
      : branch(reader, mask, nibbles[rest], below));
  }
  need(rest === 0, "a path is too short");
  return nodes;
}

/** The number in a header, by the profile's rule that then is in force. @param {Profile} profile @param {Uint8Array} header */
function numberIn({ rules }, header) {
  for (const [, code] of rules.filter(([, one]) => one >> 8 === 0 && one !== 0)) {
    let number;
    try {
      number = readHeader(code, header).number;
    } catch {
      continue; // not of this layout
    }
    const covers = rules.filter(([from]) => BigInt(from) <= /** @type {bigint} */ (number)).map(([, one]) => one);
    const inForce = covers.slice(0, -1).includes(0) ? 0 : covers[covers.length - 1];
    if (inForce === code) return number;
  }
  throw new Fault("the header is of no rule of the profile");
}

/** @param {Reader} reader @param {number} txIndex */
function readBranches(reader, txIndex) {
  const count = reader.number(4);
  /** @param {number} index */
  const one = (index) => {
    const siblings = siblingCount(index, count);
    return { leaf: reader.bytes(reader.number(3)), siblings: reader.hashes(siblings) };
  };
  const own = one(txIndex);
  return { count, own, coinbase: txIndex === 0 ? null : one(0) };
}

/** Levels 1 and 2. @param {Reader} reader @param {number} code @param {Profile} profile */
function readBlock(reader, code, profile) {
  if (profile.family === 1) {
    const number = reader.u64();
    const subject = readSubject(reader, code);
    const entry = subject.kind === "block" ? null : readBranches(reader, subject.txIndex);
    const bytes = reader.bytes(80);
    return { number, subject, entry, header: { bytes, hash: sha256d(bytes) } };
  }
  const subject = readSubject(reader, code);
  const nodes = subject.kind === "block" ? null : readTrie(reader, subject.txIndex);
  const isEvent = subject.kind === "event";
  const bytes = reader.bytes(reader.number(2));
  return { number: numberIn(profile, bytes), subject, header: { bytes, hash: keccak256(bytes) },
    entry: nodes && { transaction: isEvent ? null : nodes, receipt: isEvent ? nodes : null } };
}

/** Siblings, those of empty trees left out. @param {Reader} reader @param {number[]} heights @returns {Uint8Array[]} */
function readMasked(reader, heights) {
  const mask = reader.number(2);
  need(mask < 2 ** heights.length, "a mask names a sibling that is not there");
  return heights.map((height, bit) => {
    if ((mask >> bit) & 1) return EMPTY[height];
    const sibling = reader.hash();
    need(!same(sibling, EMPTY[height]), "an empty sibling is written");
    return sibling;
  });
}

// --- level 5 -------------------------------------------------------------------------------------

/** The paths of a slot and of slot 55 up to where they meet and above, and the root. @param {Reader} reader
 * @param {number} slot @param {Uint8Array} value @param {Uint8Array} registry */
function readPair(reader, slot, value, registry) {
  const places = [0, 1, 2, 3, 4, 5].flatMap((height) => {
    const [one, other] = [slot >> height, REGISTRY_SLOT >> height];
    if (one === other) return [height];
    return (one ^ 1) === other ? [] : [height, height];
  });
  const given = readMasked(reader, places);
  /** @type {[Uint8Array[], Uint8Array[]]} */
  const [ofSlot, ofRegistry] = [[], []];
  let [one, other] = [value, registry];
  /** @param {Uint8Array} own @param {Uint8Array} sibling @param {number} at */
  const join = (own, sibling, at) => (at & 1 ? node(sibling, own) : node(own, sibling));
  for (let height = 0; height < 6; height++) {
    const [at, registryAt] = [slot >> height, REGISTRY_SLOT >> height];
    const hasMet = at === registryAt;
    const isPair = (at ^ 1) === registryAt;
    const [first, second] = isPair ? [other, one] : hasMet ? Array(2).fill(given.shift()) : [given.shift(), given.shift()];
    ofSlot.push(/** @type {Uint8Array} */ (first));
    ofRegistry.push(/** @type {Uint8Array} */ (second));
    [one, other] = [join(one, first, at), join(other, second, registryAt)];
  }
  return { ofSlot, ofRegistry, treeRoot: one };
}

/** Whether the subtree next to a row has rows. @param {number} row @param {number} count @param {number} height */
const hasRows = (row, count, height) => ((row >> height) ^ 1) * 2 ** height < count;

/** @param {Reader} reader @param {Profile & { bytes: Uint8Array }} profile @param {string} origin
 * @param {(row: number) => [number, Uint8Array]} place the slot, and its value */
function readSuperRoot(reader, profile, origin, place) {
  const [sequence, timestamp] = [reader.bytes(8), reader.bytes(8)];
  const [row, count] = [reader.u8(), reader.u8()];
  need(row < count && count <= ROWS_MAX, "no registry has such a row");
  const rowSiblings = [0, 1, 2, 3, 4, 5].map((height) => (hasRows(row, count, height) ? reader.hash() : EMPTY[height]));
  const registry = keccak256([6, 0, count], rootOfPath(keccak256(profile.bytes), row, rowSiblings, 6));
  const [slot, value] = place(row);
  const { ofSlot, ofRegistry, treeRoot } = readPair(reader, slot, value, registry);
  const preimage = concat([7, 5], keccak256([9], utf8(origin)), sequence, timestamp, treeRoot);
  return { siblings: ofSlot, preimage, profile: profile.bytes, row, count, rowSiblings, registrySiblings: ofRegistry };
}

/** Reads the form. @param {Uint8Array} bytes @param {string} origin the log, which the form does not name
 * @returns {Proof} throws a Fault */
export function decodeCalldata(bytes, origin) {
  need(bytes.length <= BYTES_MAX, "the proof is too large");
  const reader = new Reader(bytes);
  const form = reader.u8();
  need(form === 1 || form === 2, "there is no such form");
  const flags = reader.u8();
  const profile = readProfile(reader, form - 1);
  const { number, subject, entry, header } = readBlock(reader, flags & ~OPEN, profile);
  const { family, id } = profile;
  const chain = concat([family], u64(id));
  const siblings = readMasked(reader, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  const twigRoot = rootOfPath(keccak256([0], chain, u64(number), header.hash), Number(number % 2048n), siblings, 11);
  const proof = { origin, family, chainId: BigInt(id), number, subject, entry, header, twig: { siblings, root: twigRoot },
    sealed: null, open: null, note: null, finality: null };
  if (flags & OPEN) {
    const open = { start: reader.u64(), number: reader.u64(), blockHash: reader.hash() };
    const value = keccak256([4], chain, u64(open.start), u64(open.number), open.blockHash, twigRoot);
    const superRoot = readSuperRoot(reader, profile, origin, (row) => [9 + row, value]);
    reader.end();
    return { ...proof, open, superRoot };
  }
  const [index, count] = [reader.u64(), reader.u64()];
  const path = reader.hashes(pathLength(index, count));
  const leaf = keccak256([2], chain, u64(number / 2048n), twigRoot);
  const root = keccak256([3, family], u64(count), rootOfRange(leaf, index, count, path, node));
  const superRoot = readSuperRoot(reader, profile, origin, () => [family, root]);
  reader.end();
  return { ...proof, sealed: { index, count, siblings: path, root }, superRoot };
}

/** Checks a proof in the form for contracts.
 * @param {Uint8Array} bytes @param {import("./index.js").Brought} brought `origin` names the log; else it is the key's name
 * @returns {{ shown: import("../verify/proof.js").ShownProof, anchor: string }} throws a ProofError: `form`, or a step of
 *   the proof */
export function verifyCalldata(bytes, brought) {
  const proof = within("form", () => {
    const { origin, key } = brought;
    const named = origin ?? (typeof key === "string" ? key.split("+")[0] : key?.name);
    if (named === undefined) throw new Fault("a proof for contracts does not name its log: name its origin");
    need(/^[^\p{White_Space}+]+$/u.test(named) && utf8(named).length <= 255, "malformed origin");
    return decodeCalldata(bytes, named);
  });
  const shown = verifyProof(proof, brought);
  return { shown, anchor: checkAnchor(shown, brought) };
}
