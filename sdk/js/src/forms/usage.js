// @ts-check
// A usage bill (`.srusage`): hourly rows lead to the account's leaf, the leaf to the root of the day, and an event of the
// registry contract has that root. docs/protocol/usage.md.

import { concat, fromHex, keccak256, same, toHex, u64, utf8 } from "../verify/hash.js";
import { FAMILIES } from "../verify/ledger/index.js";
import { checkAnchor, verifyLevels } from "../verify/srproof.js";
import { EMPTY, node } from "../verify/trees.js";
import { Member, bytesOfHex } from "./compare.js";
import { allWithin, fault, need, needAt, within } from "./fault.js";
import { checkInclusion, rangeRoot } from "./ranges.js";
import { checkSaidAnchor } from "./said.js";

/** @typedef {import("./json.js").Json} Json */
/** @typedef {import("../verify/proof.js").ShownProof} ShownProof */
/** @typedef {{ rowCount: number, requests: bigint, tokens: bigint, blind: Uint8Array, rangeRoot: Uint8Array, index: bigint,
 *   path: Uint8Array[] }} Leaf */
/** `hasRows`: whether the hourly rows are there; the contract, and the SuperRoot, come from elsewhere.
 * @typedef {{ userId: string, day: string, environment: string, requests: bigint, billingTokens: bigint, rowCount: number,
 *   hasRows: boolean, accounts: bigint, contract: Uint8Array, chainId: number, sequence: bigint, root: Uint8Array,
 *   event: ShownProof, anchor: string }} ShownUsage */

const [DAY, HOUR] = [86400, 3600];
const ROWS_MAX = 16384;
const TOPIC = keccak256(utf8("UsageCheckpoint(uint64,uint64,uint64,bytes32)"));
const STATUSES = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/** @param {number} value */
const u32 = (value) => u64(value).subarray(4);
/** @param {Member} member */
const u16 = (member) => u64(member.integer(0xffff)).subarray(6);

/** The bytes of a UUID in the usual form. @param {Member} member */
function uuid(member) {
  const text = member.text();
  if (!/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/.test(text)) throw member.wrong("an id");
  return fromHex(text.replaceAll("-", ""));
}

/** @param {Member} root */
function readBill(root) {
  const checkpoint = root.get("usage_checkpoint");
  const [start, end] = [checkpoint.get("start").wide(), checkpoint.get("end").wide()];
  const environment = checkpoint.get("environment").text();
  const day = checkpoint.get("day").text();
  const [sequence, chainId, accounts] = ["sequence", "chain_id", "accounts"].map((name) => checkpoint.get(name).wide());
  const [dayRoot, dayRange] = [checkpoint.get("root").hash(), checkpoint.get("range_root").hash()];
  const contract = checkpoint.get("contract").text();
  checkpoint.get("state").text();
  const account = { text: root.get("user_id").text(), bytes: uuid(root.get("user_id")) };
  const isDay = start % BigInt(DAY) === 0n && end === start + BigInt(DAY) && start < 2n ** 43n &&
    new Date(Number(start) * 1000).toISOString().slice(0, 10) === day;
  need(isDay, "its times are those of no day");
  const leaf = root.optional("leaf");
  const rows = root.optional("rows");
  const blob = root.optional("proof_blob");
  return { environment, day, dayNumber: Number(start) / DAY, start, end, sequence, chainId, accounts, dayRoot, dayRange, contract,
    account, leaf: leaf ? readLeaf(leaf) : null, rows: rows ? rows.items(ROWS_MAX * 2) : null, blob: blob ? blob.text() : null };
}

/** @param {Member} leaf @returns {Leaf} */
const readLeaf = (leaf) => ({
  rowCount: leaf.get("row_count").position(), requests: leaf.get("requests").wide(), tokens: leaf.get("billing_tokens").wide(),
  blind: leaf.get("blind").hash(), rangeRoot: leaf.get("range_root").hash(), index: leaf.get("index").wide(),
  path: leaf.get("path").hashes(64) });

/** A row as it is typed: what is no row of the day is refused later, as `rows`. @param {Member} row */
function typedRow(row) {
  const keyId = row.optional("key_id");
  const family = row.optional("family");
  const chainId = row.optional("chain_id");
  keyId?.text();
  row.get("endpoint").text();
  return { hour: row.get("hour").wide(), keyId, route: u16(row.get("route")), family: family?.text(), chainId: chainId?.wide(),
    status: row.get("status").text(), requests: row.get("requests").wide(), tokens: row.get("billing_tokens").wide() };
}

/** @param {ReturnType<typeof typedRow>} row @param {number} day @returns {Uint8Array} */
function rowHash({ hour, keyId, route, family, chainId, status, requests, tokens }, day) {
  const isHour = hour % BigInt(HOUR) === 0n && hour / BigInt(HOUR) < 2n ** 32n && hour / BigInt(DAY) === BigInt(day);
  need(isHour && STATUSES.includes(status), "a row is none of this day");
  need((family === undefined) === (chainId === undefined), "a row has half a chain");
  const chain = family === undefined || chainId === undefined ? concat([0xff], new Uint8Array(8))
    : concat([FAMILIES.indexOf(family)], u64(chainId));
  need(family === undefined || FAMILIES.includes(family), "a row is of no family");
  const key = keyId ? uuid(keyId) : new Uint8Array(16);
  return keccak256([0x0b], u32(Number(hour / BigInt(HOUR))), key, route, chain, [STATUSES.indexOf(status) + 1], u64(requests),
    u64(tokens));
}

/** @param {ReturnType<typeof typedRow>[]} rows @param {Leaf} leaf @param {number} day */
function checkRows(rows, leaf, day) {
  need(rows.length <= ROWS_MAX && rows.length === leaf.rowCount, `${rows.length} rows are there, the leaf has ${leaf.rowCount}`);
  const hashes = rows.map((row) => rowHash(row, day));
  need(same(rangeRoot(hashes, node, EMPTY[0]), leaf.rangeRoot), "these are not the rows of the leaf: they have another root");
  const [requests, tokens] = rows.reduce(([a, b], row) => [a + row.requests, b + row.tokens], [0n, 0n]);
  need(requests === leaf.requests && tokens === leaf.tokens, "the rows add up to other sums than the leaf's");
}

/** @param {ReturnType<typeof readBill>} bill @param {Leaf} leaf @param {number} environment */
function checkLeaf({ account, dayNumber, accounts, dayRange, dayRoot }, leaf, environment) {
  const hash = keccak256([0x0c], account.bytes, u32(dayNumber), leaf.blind, u32(leaf.rowCount), u64(leaf.requests),
    u64(leaf.tokens), leaf.rangeRoot);
  need(leaf.index < accounts && accounts < 2n ** 53n, "there is no such leaf in the day");
  checkInclusion(hash, Number(leaf.index), Number(accounts), leaf.path, dayRange, node, "the leaf in the day");
  const root = keccak256([0x0d, environment], u32(dayNumber), u64(accounts), dayRange);
  need(same(root, dayRoot), `the day has the root ${toHex(root)}`);
}

/** @param {bigint} value */
const word = (value) => concat(new Uint8Array(24), u64(value));

/** That the event is the checkpoint's, of its contract. @param {ReturnType<typeof readBill>} bill @param {ShownProof} shown */
function checkEvent({ sequence, start, end, dayRoot, chainId, contract }, { entry, chain }) {
  const event = entry?.event;
  if (event?.kind !== "log") throw fault("event", "the proof shows no log");
  const { address, topics, data } = event.log;
  const isIt = topics.length === 2 && same(topics[0], TOPIC) && same(topics[1], word(sequence)) &&
    same(data, concat(word(start), word(end), dayRoot));
  need(isIt, "the proven event is not the checkpoint of this sequence, day and root");
  need(chain.family === 0 && BigInt(chain.id) === chainId, `the event is of chain ${chain.id}`);
  const said = /^(0x)?[0-9a-fA-F]{40}$/.test(contract) ? fromHex(contract) : new Uint8Array();
  need(same(said, address), "the event is not of the contract that is named");
  return address;
}

/** Whether a body is a usage bill. @param {Json} body */
export const isUsage = (body) => body instanceof Map && body.has("usage_checkpoint");

/** Checks a usage bill.
 * @param {Json} body @param {import("./index.js").Brought} brought
 * @returns {ShownUsage} throws a ProofError: `no_usage`, `no_leaf`, `rows`, `leaf`, `not_proven`, `proof`, `event`, `anchor` */
export function verifyUsage(body, brought) {
  const { bill, rows } = within("no_usage", () => {
    const read = readBill(new Member(body, "snake"));
    return { bill: read, rows: read.rows?.map(typedRow) ?? null };
  });
  const { leaf, blob } = bill;
  needAt(leaf, "no_leaf", "the account has no usage in this checkpoint: there is nothing to prove");
  if (rows) within("rows", () => checkRows(rows, leaf, bill.dayNumber));
  const environment = ["live", "test"].indexOf(bill.environment) + 1;
  needAt(environment > 0, "no_usage", "environment is neither live nor test");
  within("leaf", () => checkLeaf(bill, leaf, environment));
  needAt(blob !== null, "not_proven", "the checkpoint is not proven at the registry contract yet: ask again later");
  const event = allWithin("proof", () => verifyLevels(bytesOfHex(blob), brought));
  const contract = within("event", () => {
    checkSaidAnchor(body, event);
    return checkEvent(bill, event);
  });
  const anchor = checkAnchor(event, brought);
  return { userId: bill.account.text, day: bill.day, environment: bill.environment, requests: leaf.requests,
    billingTokens: leaf.tokens, rowCount: leaf.rowCount, hasRows: rows !== null, accounts: bill.accounts, contract,
    chainId: event.chain.id, sequence: bill.sequence, root: bill.dayRoot, event, anchor };
}
