// Vectors for the tests of forms.

import { readFileSync } from "node:fs";
import { ProofError } from "../src/verify/index.js";
import { Fault } from "../src/verify/reader.js";
import { Fraction, parseJson } from "../src/forms/json.js";
import { fromHex } from "../src/verify/hash.js";

const root = new URL("../../../", import.meta.url);

/** @param {string} path within the repository */
export const readJson = (path) => JSON.parse(readFileSync(new URL(path, root), "utf8"));

/** Answers of a demo of the service, each as text, under one key. */
export const answers = () => JSON.parse(readFileSync(new URL("answers.json", import.meta.url), "utf8"));

/** The same with integers past 2^53 exact, as BigInt; `textOf` writes them again. */
export const readExact = (path) => plainOf(parseJson(readFileSync(new URL(path, root))));

const plainOf = (value) => {
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, inner]) => [name, plainOf(inner)]));
  if (value instanceof Fraction) return value.value;
  return Array.isArray(value) ? value.map(plainOf) : value;
};

export function textOf(value) {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return `[${value.map(textOf).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${textOf(inner)}`).join(",")}}`;
}

export const hash = (text) => fromHex(text);

/** What a check says: the step at which it fails, or null with its result. Any other exception is passed on. */
export function judge(run) {
  try {
    return { step: null, result: run() };
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    // a defect of the verifier itself must not pass for a refusal
    if (!(error.cause instanceof Fault)) throw error.cause;
    return { step: error.step, message: error.message };
  }
}

/** The step as vectors name it: `level 2 (block)` is `block`. */
export const plainStep = (name) => (name === null ? null : /\((\w+)\)/.exec(name)?.[1] ?? name);

/** The body of a row: whole, or another row's with a JSON Patch. */
export function bodiesOf(rows) {
  return rows.map((row) => (row.body ? row.body : patched(rows.find((one) => one.name === row.from).body, row.patch)));
}

function patched(whole, patch) {
  const body = structuredClone(whole);
  for (const { op, path, value } of patch) {
    const names = path.split("/").slice(1);
    const last = names.pop();
    const parent = names.reduce((part, name) => part[name], body);
    if (op === "remove") Array.isArray(parent) ? parent.splice(Number(last), 1) : delete parent[last];
    else if (op === "add" && Array.isArray(parent)) parent.splice(last === "-" ? parent.length : Number(last), 0, value);
    else parent[last] = value;
  }
  return body;
}

/** A generator of numbers that is the same in every run. */
export function random(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Every way to one leaf of JSON, as lists of names. */
export function leavesOf(value, path = []) {
  if (value === null || typeof value !== "object") return [path];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...path, name]));
}

/** A copy in which the member at that path is another. */
export function mutated(body, path, next) {
  const copy = structuredClone(body);
  const parent = path.slice(0, -1).reduce((part, name) => part[name], copy);
  const last = path[path.length - 1];
  parent[last] = mutate(parent[last], next);
  return copy;
}

function mutate(value, next) {
  if (typeof value === "number") return [value + 1, -1, 2 ** 53, 1.5, String(value), null][next(6)];
  if (typeof value === "boolean") return !value;
  if (typeof value === "string" && value.length > 2) {
    const at = 2 + next(value.length - 2);
    const letter = value[at] === "0" ? "1" : "0";
    return [value.slice(0, at) + letter + value.slice(at + 1), value.slice(0, -1), `${value}00`, 7, null, {}, []][next(7)];
  }
  return ["0x01", 7, [], {}, "x"][next(5)];
}
