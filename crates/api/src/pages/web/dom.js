// @ts-check
// Elements, questions and words that the parts of the page share. Texts of answers are set as text, never as
// markup.

const SVG = "http://www.w3.org/2000/svg";

/** @param {string} id @returns {HTMLElement} */
export function element(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element ${id}`);
  return found;
}

/** An element with a text or elements in it. @param {string} name @param {string} [className]
 * @param {...(string | Node)} inner @returns {HTMLElement} */
export function make(name, className = "", ...inner) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...inner);
  return made;
}

/** A drawing that says in words what it shows. @param {string} viewBox @param {string} about
 * @param {[string, Record<string, string | number>][]} shapes */
export function draw(viewBox, about, shapes) {
  const svg = document.createElementNS(SVG, "svg");
  const all = { viewBox, role: "img", "aria-label": about, preserveAspectRatio: "none" };
  for (const [name, value] of Object.entries(all)) svg.setAttribute(name, value);
  for (const [shape, attributes] of shapes) {
    const drawn = document.createElementNS(SVG, shape);
    for (const [name, value] of Object.entries(attributes)) drawn.setAttribute(name, String(value));
    svg.append(drawn);
  }
  return svg;
}

/** A button within a text. @param {string} text @param {() => void} act */
export function button(text, act) {
  const made = make("button", "inline", text);
  made.setAttribute("type", "button");
  made.addEventListener("click", act);
  return made;
}

/** An answer of the service, good or bad. @typedef {{ ok: boolean, status: number, body: any }} Answer */

/** Asks the service. A failure to reach it is an answer of status 0.
 * @param {string} path @param {{ key?: string, file?: boolean, method?: string }} [how] @returns {Promise<Answer>} */
export async function ask(path, { key, file, method } = {}) {
  /** @type {Record<string, string>} */
  const headers = { accept: file ? "application/octet-stream" : "application/json" };
  if (key) headers["x-api-key"] = key;
  try {
    const answer = await fetch(path, { headers, method: method ?? "GET" });
    const { ok, status } = answer;
    const isFile = file && ok;
    return { ok, status, body: isFile ? new Uint8Array(await answer.arrayBuffer()) : await answer.json() };
  } catch (error) {
    return { ok: false, status: 0, body: { detail: `the service does not answer: ${error}` } };
  }
}

/** What a bad answer says. @param {Answer} answer @returns {string} */
export function problem({ status, body }) {
  const detail = typeof body?.detail === "string" ? body.detail : `status ${status}`;
  const after = body?.retry_after;
  return typeof after === "number" ? `${detail} (ask again in ${after} s)` : detail;
}

/** A span of seconds as people read it. @param {number} seconds @returns {string} */
export function duration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 100) return `${whole} s`;
  if (whole < 6000) return `${Math.round(whole / 60)} min`;
  if (whole < 172800) return `${Math.round(whole / 3600)} h`;
  return `${Math.round(whole / 86400)} days`;
}

/** @param {number} seconds since 1970 @returns {string} */
export const time = (seconds) => new Date(seconds * 1000).toISOString().replace(/\.000Z$/, "Z").replace("T", " ");

/** @param {number} number @returns {string} with its thousands apart */
export const grouped = (number) => number.toLocaleString("en");
