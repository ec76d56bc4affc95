// @ts-check
// Numbers of prices: zero, or 30 digits times a power of ten, rounded down. docs/protocol/prices.md, "Numbers".

const DIGITS = 30;
const EXPONENT_MAX = 1000;
const WIDE = 2n ** 512n;

/** `mantissa` has exactly 30 digits, or is 0. @typedef {{ mantissa: bigint, exponent: number }} Decimal */

/** @type {Decimal} */
export const ZERO = { mantissa: 0n, exponent: 0 };
/** @type {Decimal} */
export const ONE = { mantissa: 10n ** 29n, exponent: -29 };

/** @param {bigint} number */
const digitCount = (number) => number.toString().length;
/** @param {number} power */
const tenTo = (power) => 10n ** BigInt(power);

/** @param {bigint} whole @param {number} exponent @returns {Decimal | null} null out of bounds */
function of(whole, exponent) {
  if (whole === 0n) return ZERO;
  const over = digitCount(whole) - DIGITS;
  const mantissa = over > 0 ? whole / tenTo(over) : whole * tenTo(-over);
  return Math.abs(exponent + over) <= EXPONENT_MAX ? { mantissa, exponent: exponent + over } : null;
}

/** `numerator / denominator × 10^shift`. @param {bigint} numerator @param {bigint} denominator @param {number} shift
 * @returns {Decimal | null} null for no number */
export function ofFraction(numerator, denominator, shift) {
  if (denominator === 0n) return null;
  if (numerator === 0n) return ZERO;
  const more = digitCount(denominator) + DIGITS - digitCount(numerator);
  const power = tenTo(Math.abs(more));
  const [over, under] = more >= 0 ? [numerator * power, denominator] : [numerator, denominator * power];
  return power < WIDE && over < WIDE && under < WIDE ? of(over / under, shift - more) : null;
}

/** @param {number | bigint} number */
export const ofInteger = (number) => of(BigInt(number), 0) ?? ZERO;
/** @param {Decimal} one @param {Decimal} other */
export const times = (one, other) => of(one.mantissa * other.mantissa, one.exponent + other.exponent);
/** @param {Decimal} one @param {Decimal} other */
export const over = (one, other) => ofFraction(one.mantissa, other.mantissa, one.exponent - other.exponent);
/** @param {Decimal} number */
export const isZero = ({ mantissa }) => mantissa === 0n;

/** Below 0 where the one is less. @param {Decimal} one @param {Decimal} other @returns {number} */
export function compareDecimals(one, other) {
  if (isZero(one) || isZero(other)) return Number(!isZero(one)) - Number(!isZero(other));
  if (one.exponent !== other.exponent) return one.exponent - other.exponent;
  return one.mantissa < other.mantissa ? -1 : one.mantissa > other.mantissa ? 1 : 0;
}

/** @param {Decimal} one @param {Decimal} other @returns {Decimal} */
export function plus(one, other) {
  const [high, low] = compareDecimals(one, other) >= 0 ? [one, other] : [other, one];
  const apart = high.exponent - low.exponent;
  if (isZero(low) || Math.abs(apart) > DIGITS) return high;
  return of(high.mantissa + low.mantissa / tenTo(Math.abs(apart)), high.exponent) ?? high;
}

/** Zero where the other is larger. @param {Decimal} one @param {Decimal} other @returns {Decimal} */
export function minus(one, other) {
  if (compareDecimals(other, one) >= 0) return ZERO;
  const apart = Math.abs(one.exponent - other.exponent);
  if (isZero(other) || apart > DIGITS) return one;
  return of(one.mantissa - other.mantissa / tenTo(apart), one.exponent) ?? ZERO;
}

/** How far two numbers are, in parts of the second. @param {Decimal} one @param {Decimal} other */
export const apart = (one, other) =>
  over(compareDecimals(one, other) >= 0 ? minus(one, other) : minus(other, one), other);

/** @param {Decimal} number @returns {number} the nearest double */
export const toDouble = ({ mantissa, exponent }) => Number(`${mantissa}e${exponent}`);

/** Plain digits, at most so many significant ones, rounded down. @param {Decimal} number @param {number} significant */
export function toText({ mantissa, exponent }, significant) {
  const digits = mantissa.toString();
  const kept = digits.slice(0, Math.min(Math.max(significant, 1), digits.length)).replace(/0+$/, "");
  if (kept === "") return "0";
  const whole = exponent + digits.length;
  if (whole <= 0) return `0.${"0".repeat(-whole)}${kept}`;
  return whole >= kept.length ? kept + "0".repeat(whole - kept.length) : `${kept.slice(0, whole)}.${kept.slice(whole)}`;
}
