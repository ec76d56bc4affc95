// @ts-check
// `@superroot/client`: asks a SuperRoot service for proofs, and checks them against whom the caller trusts.

export { SuperRoot } from "./client/client.js";
export { ClientError } from "./client/error.js";
export { CHAINS } from "./verify/chains.js";
export { ProvenFact, verifyFile as verify } from "./client/proof.js";
export { Stream, StreamError } from "./client/stream.js";
export { DistrustError, TrustError, TrustStore } from "./trust/index.js";
export { ProofError } from "./verify/srproof.js";
