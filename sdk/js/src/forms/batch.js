// @ts-check
// Many proofs in one answer, with each trie node and hash of a path written once: `{ nodes, items }`.

import { Member } from "./compare.js";
import { Fault } from "./fault.js";

/** @typedef {import("./json.js").Json} Json */
/** @typedef {import("./json.js").JsonMap} JsonMap */

const ITEMS_MAX = 256;
const NODES_MAX = 1 << 17;
const TEXT_MAX = 64 << 20;
const SHARED = ["siblings", "eventSiblings", "receiptSiblings"];
const PARTS = ["block", "twig", "miniMmr", "superRoot", "registry", "note", "coinbase", "lastTransaction"];

/** Whether a body is a batch. @param {Json} body @returns {body is JsonMap} */
export const isBatch = (body) => body instanceof Map && body.has("items") && body.has("nodes");

/** Writes the nodes into every item.
 * @param {JsonMap} body @returns {{ items: Json[], unproven: string[] }} answers as other routes give them, and the other
 *   members of the batch; throws a Fault */
export function expandBatch(body) {
  const root = new Member(body, "camel");
  const nodes = root.get("nodes").items(NODES_MAX).map((node) => node.text());
  let written = 0;
  /** @param {Json} index @returns {string} */
  const nodeAt = (index) => {
    const node = typeof index === "number" ? nodes[index] : undefined;
    if (node === undefined) throw new Fault("an item names a node that is not there");
    written += node.length;
    if (written > TEXT_MAX) throw new Fault(`the batch is longer than ${TEXT_MAX} bytes`);
    return node;
  };
  /** @param {Json} part @returns {Json} */
  const expand = (part) => (part instanceof Map ? new Map([...part].map(([name, value]) => {
    if (Array.isArray(value) && SHARED.includes(name)) return [name, value.map(nodeAt)];
    return [name, value instanceof Map && PARTS.includes(name) ? expand(value) : value];
  })) : part);
  const items = root.get("items").items(ITEMS_MAX).map(({ value }) => expand(value));
  if (items.length === 0) throw new Fault("it is a batch without items");
  return { items, unproven: [...body.keys()].filter((name) => name !== "items" && name !== "nodes") };
}
