// @ts-check

/** Least weight above two thirds of a total. @param {bigint} total @returns {bigint} */
export const leastAboveTwoThirds = (total) => (total === 0n ? 0n : total - (total - 1n) / 3n);

/** The indices of the bits that are set, the lowest bit of the first byte first. Null where a bit past `count` is set.
 * @param {Uint8Array} bits @param {number} count @returns {number[] | null} */
export function setBits(bits, count) {
  const indices = [];
  for (let index = 0; index < bits.length * 8; index++) {
    if (((bits[index >> 3] >> (index & 7)) & 1) === 0) continue;
    if (index >= count) return null;
    indices.push(index);
  }
  return indices;
}
