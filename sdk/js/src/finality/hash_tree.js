// @ts-check
// Hash trees of the Internet Computer: interface specification, "Certification". Labels rise from left to right.

import { compare, concat, need, Reader, utf8 } from "./bytes.js";
import { bytesOf } from "./cbor.js";
import { sha256 } from "./hash.js";

/** @typedef {import("./cbor.js").CborValue} CborValue */
/** @typedef {{ kind: "empty" } | { kind: "fork", left: HashTree, right: HashTree } |
 *   { kind: "label", label: Uint8Array, below: HashTree } | { kind: "leaf", value: Uint8Array } |
 *   { kind: "pruned", hash: Uint8Array }} HashTree */

/** `[0]` empty, `[1, left, right]` a fork, `[2, label, tree]`, `[3, value]`, `[4, hash]` of what is hidden.
 * @param {CborValue | undefined} value @returns {HashTree} */
export function readTree(value) {
  need(Array.isArray(value));
  const [kind, one, two] = value;
  const lengths = [1, 3, 3, 2, 2];
  need(typeof kind === "bigint" && value.length === lengths[Number(kind)]);
  switch (Number(kind)) {
    case 0: return { kind: "empty" };
    case 1: return { kind: "fork", left: readTree(one), right: readTree(two) };
    case 2: return { kind: "label", label: bytesOf(one), below: readTree(two) };
    case 3: return { kind: "leaf", value: bytesOf(one) };
    default: return { kind: "pruned", hash: new Reader(bytesOf(one)).hash() };
  }
}

/** @param {string} name @param {...Uint8Array} parts */
const separated = (name, ...parts) => sha256(concat(Uint8Array.of(name.length), utf8(name), ...parts));

/** Root of a tree. @param {HashTree} tree @returns {Uint8Array} */
export function digestOf(tree) {
  switch (tree.kind) {
    case "empty": return separated("ic-hashtree-empty");
    case "fork": return separated("ic-hashtree-fork", digestOf(tree.left), digestOf(tree.right));
    case "label": return separated("ic-hashtree-labeled", tree.label, digestOf(tree.below));
    case "leaf": return separated("ic-hashtree-leaf", tree.value);
    default: return tree.hash;
  }
}

/** The tree under a label; else where the label must be: absent, in a hidden part, or before or behind this tree.
 * @param {HashTree} tree @param {Uint8Array} label @returns {HashTree | "absent" | "unknown" | "before" | "behind"} */
function find(tree, label) {
  if (tree.kind === "label") {
    const order = compare(label, tree.label);
    return order === 0 ? tree.below : order > 0 ? "behind" : "before";
  }
  if (tree.kind === "pruned") return "unknown";
  if (tree.kind !== "fork") return "absent";
  const left = find(tree.left, label);
  if (left !== "behind" && left !== "unknown") return left;
  const right = find(tree.right, label);
  return right === "before" ? (left === "behind" ? "absent" : "unknown") : right;
}

/** Value of the leaf under a path of labels; null where the tree does not show it.
 * @param {HashTree} tree @param {Uint8Array[]} path @returns {Uint8Array | null} */
export function valueAt(tree, path) {
  let at = tree;
  for (const label of path) {
    const found = find(at, label);
    if (typeof found === "string") return null;
    at = found;
  }
  return at.kind === "leaf" ? at.value : null;
}

/** Paths of all leaves. @param {HashTree} tree @param {Uint8Array[]} [above] @returns {Uint8Array[][]} */
export function pathsIn(tree, above = []) {
  switch (tree.kind) {
    case "fork": return [...pathsIn(tree.left, above), ...pathsIn(tree.right, above)];
    case "label": return pathsIn(tree.below, [...above, tree.label]);
    case "leaf": return [above];
    default: return [];
  }
}
