// @ts-check
// Trust: whom a client trusts, and whether a valid proof leads there.

export { DistrustError, TrustError } from "./error.js";
export { TrustStore } from "./store.js";
