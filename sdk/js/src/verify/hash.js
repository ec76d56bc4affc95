// @ts-check
// Hash functions and bytes. Everything is synchronous and its own: a page served over plain HTTP has no
// WebCrypto, and a check that runs in one place only is tested in one place only.

/** Joins bytes.
 * @param {...ArrayLike<number>} parts
 * @returns {Uint8Array} */
export function concat(...parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** @param {Uint8Array} bytes @returns {string} lower-case digits after 0x */
export function toHex(bytes) {
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** @param {string} text digits, with or without 0x @returns {Uint8Array} */
export function fromHex(text) {
  const digits = text.startsWith("0x") ? text.slice(2) : text;
  if (digits.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(digits)) throw new Error("not hex");
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) =>
    parseInt(digits.slice(2 * at, 2 * at + 2), 16));
}

/** Standard base64 with padding, in its one form; null for anything else.
 * @param {string} text @returns {Uint8Array | null} */
export function fromBase64(text) {
  let binary;
  try {
    binary = atob(text);
  } catch {
    return null;
  }
  if (btoa(binary) !== text) return null;
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}

/** @param {ArrayLike<number>} one @param {ArrayLike<number>} other @returns {boolean} */
export function same(one, other) {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}

/** A number below 2^53 as 8 bytes, the highest first.
 * @param {number | bigint} value @returns {Uint8Array} */
export function u64(value) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  return bytes;
}

/** @param {string} text @returns {Uint8Array} UTF-8 */
export function utf8(text) {
  return new TextEncoder().encode(text);
}

const MASK = 0xffffffffffffffffn;

/** Round constants of Keccak-f[1600], by the shift register of FIPS 202, 3.2.5. */
const ROUNDS = (() => {
  let register = 1;
  return Array.from({ length: 24 }, () => {
    let constant = 0n;
    for (let j = 0; j < 7; j++) {
      if (register & 1) constant |= 1n << BigInt((1 << j) - 1);
      register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1;
    }
    return [Number(constant & 0xffffffffn) | 0, Number(constant >> 32n) | 0];
  });
})();

/** Where each lane goes, and by how many bits it is turned: FIPS 202, 3.2.2 and 3.2.3. */
const LANES = (() => {
  const lanes = [];
  let [x, y] = [1, 0];
  for (let t = 0; t < 24; t++) {
    const turned = ((t + 1) * (t + 2) / 2) % 64;
    const from = x + 5 * y;
    [x, y] = [y, (2 * x + 3 * y) % 5];
    lanes.push([from, x + 5 * y, turned]);
  }
  return lanes;
})();

/** The permutation, over 25 lanes as pairs of low and high words. @param {Int32Array} s */
function keccakF(s) {
  const c = new Int32Array(10);
  const b = new Int32Array(50);
  for (const [low, high] of ROUNDS) {
    for (let x = 0; x < 10; x++) c[x] = s[x] ^ s[x + 10] ^ s[x + 20] ^ s[x + 30] ^ s[x + 40];
    for (let x = 0; x < 5; x++) {
      const [before, after] = [2 * ((x + 4) % 5), 2 * ((x + 1) % 5)];
      const dLow = c[before] ^ ((c[after] << 1) | (c[after + 1] >>> 31));
      const dHigh = c[before + 1] ^ ((c[after + 1] << 1) | (c[after] >>> 31));
      for (let y = 0; y < 50; y += 10) {
        s[2 * x + y] ^= dLow;
        s[2 * x + y + 1] ^= dHigh;
      }
    }
    [b[0], b[1]] = [s[0], s[1]];
    for (const [from, to, turned] of LANES) {
      const [l, h] = turned < 32 ? [s[2 * from], s[2 * from + 1]] : [s[2 * from + 1], s[2 * from]];
      const by = turned % 32;
      b[2 * to] = by ? (l << by) | (h >>> (32 - by)) : l;
      b[2 * to + 1] = by ? (h << by) | (l >>> (32 - by)) : h;
    }
    for (let y = 0; y < 50; y += 10) {
      for (let x = 0; x < 10; x++) {
        s[y + x] = b[y + x] ^ (~b[y + ((x + 2) % 10)] & b[y + ((x + 4) % 10)]);
      }
    }
    s[0] ^= low;
    s[1] ^= high;
  }
}

/** Keccak-256 as Ethereum uses it: padding 01, rate 136. The `H` of docs/protocol.md.
 * @param {...ArrayLike<number>} parts joined @returns {Uint8Array} */
export function keccak256(...parts) {
  const bytes = concat(...parts);
  const rate = 136;
  const padded = new Uint8Array((Math.floor(bytes.length / rate) + 1) * rate);
  padded.set(bytes);
  padded[bytes.length] ^= 0x01;
  padded[padded.length - 1] ^= 0x80;
  const state = new Int32Array(50);
  const view = new DataView(padded.buffer);
  for (let at = 0; at < padded.length; at += rate) {
    for (let word = 0; word < rate / 4; word++) state[word] ^= view.getInt32(at + 4 * word, true);
    keccakF(state);
  }
  const hash = new Uint8Array(32);
  const out = new DataView(hash.buffer);
  for (let word = 0; word < 8; word++) out.setInt32(4 * word, state[word], true);
  return hash;
}

/** The first primes, of whose roots SHA-2 takes its constants. @param {number} count */
function primes(count) {
  /** @type {bigint[]} */
  const found = [];
  for (let next = 2n; found.length < count; next++) {
    if (found.every((prime) => next % prime !== 0n)) found.push(next);
  }
  return found;
}

/** The largest whole number whose power is at most `value`. @param {bigint} value @param {bigint} power */
function root(value, power) {
  let [low, high] = [0n, 1n << 80n];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (middle ** power <= value) low = middle;
    else high = middle;
  }
  return low;
}

/** First 64 bits behind the point of a root of each prime: FIPS 180-4, 4.2.3 and 5.3.5.
 * @param {number} count @param {bigint} power */
const fractions = (count, power) =>
  primes(count).map((prime) => root(prime << (64n * power), power) & MASK);
const CUBES = fractions(80, 3n);
const SQUARES = fractions(8, 2n);
const K256 = Int32Array.from(CUBES.slice(0, 64), (word) => Number(word >> 32n));

/** Message with its padding: a one bit, zeros, its length in bits.
 * @param {Uint8Array} bytes @param {number} block bytes of a block @param {number} tail of the length */
function padded(bytes, block, tail) {
  const blocks = Math.floor((bytes.length + tail) / block) + 1;
  const whole = new Uint8Array(blocks * block);
  whole.set(bytes);
  whole[bytes.length] = 0x80;
  new DataView(whole.buffer).setBigUint64(whole.length - 8, BigInt(bytes.length) * 8n);
  return new DataView(whole.buffer);
}

/** SHA-256. @param {...ArrayLike<number>} parts joined @returns {Uint8Array} */
export function sha256(...parts) {
  const view = padded(concat(...parts), 64, 8);
  const hash = Int32Array.from(SQUARES, (word) => Number(word >> 32n));
  const w = new Int32Array(64);
  /** @param {number} x @param {number} by */
  const turn = (x, by) => (x >>> by) | (x << (32 - by));
  for (let at = 0; at < view.byteLength; at += 64) {
    for (let t = 0; t < 16; t++) w[t] = view.getInt32(at + 4 * t);
    for (let t = 16; t < 64; t++) {
      const [x, y] = [w[t - 15], w[t - 2]];
      const s0 = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
      const s1 = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
      w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    let [a, b, c, d, e, f, g, h] = hash;
    for (let t = 0; t < 64; t++) {
      const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
      const one = (h + s1 + ((e & f) ^ (~e & g)) + K256[t] + w[t]) | 0;
      const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
      const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, place) => (hash[place] += word));
  }
  const bytes = new Uint8Array(32);
  hash.forEach((word, place) => new DataView(bytes.buffer).setInt32(4 * place, word));
  return bytes;
}

/** SHA-256 of SHA-256: Bitcoin's hash. @param {...ArrayLike<number>} parts @returns {Uint8Array} */
export function sha256d(...parts) {
  return sha256(sha256(...parts));
}

/** SHA-512, of short messages. @param {...ArrayLike<number>} parts joined @returns {Uint8Array} */
export function sha512(...parts) {
  const view = padded(concat(...parts), 128, 16);
  const hash = [...SQUARES];
  /** @param {bigint} x @param {bigint} by */
  const turn = (x, by) => ((x >> by) | (x << (64n - by))) & MASK;
  for (let at = 0; at < view.byteLength; at += 128) {
    const w = Array.from({ length: 16 }, (_, t) => view.getBigUint64(at + 8 * t));
    for (let t = 16; t < 80; t++) {
      const [x, y] = [w[t - 15], w[t - 2]];
      const s0 = turn(x, 1n) ^ turn(x, 8n) ^ (x >> 7n);
      const s1 = turn(y, 19n) ^ turn(y, 61n) ^ (y >> 6n);
      w.push((w[t - 16] + s0 + w[t - 7] + s1) & MASK);
    }
    let [a, b, c, d, e, f, g, h] = hash;
    for (let t = 0; t < 80; t++) {
      const s1 = turn(e, 14n) ^ turn(e, 18n) ^ turn(e, 41n);
      const one = h + s1 + ((e & f) ^ (~e & MASK & g)) + CUBES[t] + w[t];
      const s0 = turn(a, 28n) ^ turn(a, 34n) ^ turn(a, 39n);
      const two = s0 + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) & MASK, c, b, a, (one + two) & MASK];
    }
    [a, b, c, d, e, f, g, h].forEach((word, place) => (hash[place] = (hash[place] + word) & MASK));
  }
  return concat(...hash.map((word) => u64(word)));
}
