// @ts-check
// Ticks of Uniswap v3 and roots of prices, bit for bit as its contracts compute them (v3-core, `TickMath`).

const TICK_MAX = 887272;
const FACTORS = [0xfffcb933bd6fad37aa2d162d1a594001n, 0xfff97272373d413259a46990580e213an, 0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n, 0xffcb9843d60f6159c9db58835c926644n, 0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n, 0xfe5dee046a99a2a811c461f1969c3053n, 0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n, 0xf3392b0822b70005940c7a398e4b70f3n, 0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n, 0xa9f746462d870fdf8a65dc1f90e061e5n, 0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n, 0x09aa508b5b7a84e1c677de54f3e99bc9n, 0x005d6af8dedb81196699c329225ee604n,
  0x00002216e584f5fa1ea926041bedfe98n, 0x00000000048a170391f7dc42444e8fa2n];

/** The root of the price at a tick, in 1 / 2^96; null for no tick. @param {number} tick @returns {bigint | null} */
export function rootAt(tick) {
  if (Math.abs(tick) > TICK_MAX) return null;
  let ratio = 2n ** 128n;
  FACTORS.forEach((factor, bit) => {
    if (Math.abs(tick) & (1 << bit)) ratio = (ratio * factor) >> 128n;
  });
  if (tick > 0) ratio = (2n ** 256n - 1n) / ratio;
  return (ratio >> 32n) + (ratio & 0xffffffffn ? 1n : 0n);
}

/** The highest tick whose root is not above this one; null where all are or none is. @param {bigint} root */
function tickOf(root) {
  const isBelow = (/** @type {number} */ tick) => /** @type {bigint} */ (rootAt(tick)) <= root;
  let [low, high] = [-TICK_MAX, TICK_MAX];
  if (!isBelow(low) || isBelow(high)) return null;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isBelow(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** @param {bigint} square @returns {bigint} rounded down */
function squareRoot(square) {
  if (square < 2n) return square;
  let root = 1n << BigInt((square.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + square / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** The tick of reserves as of a v2 pool; null for none. @param {[bigint, bigint]} reserves */
export function tickOfReserves([reserve0, reserve1]) {
  if (reserve0 === 0n || reserve1 === 0n) return null;
  const root = squareRoot((reserve1 << 192n) / reserve0);
  return root < 2n ** 256n ? tickOf(root) : null;
}
