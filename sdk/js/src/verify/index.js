// @ts-check
// `@superroot/client/verify`: checks `.srproof` files by hashing, without a service.

export { ProofError, verify } from "./srproof.js";
export { FAMILIES, decode } from "./file.js";
export { parseKey, parseNote } from "./note.js";
