//! The table: status, code, title, and whether to ask again.

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// HTTP status.
    pub status: u16,
    /// Stable code: programs go by it.
    pub code: &'static str,
    /// Short text, the same for every error of the code.
    pub title: &'static str,
    /// Whether the same request may work later.
    pub retryable: bool,
}

const fn row(status: u16, code: &'static str, title: &'static str, retryable: bool) -> Row {
    Row { status, code, title, retryable }
}

pub(super) const PARAMETER: Row = row(400, "invalid_parameter", "Invalid request parameter", false);
pub(super) const TWO_KEYS: Row = row(400, "two_keys", "Two different keys", false);
pub(super) const INVALID_KEY: Row =
    row(401, "invalid_api_key", "Missing or invalid API key", false);
pub(super) const KEY_REQUIRED: Row = row(401, "api_key_required", "API key required", false);
pub(super) const TIER_REQUIRED: Row = row(403, "tier_required", "Higher tier required", false);
pub(super) const NOT_AGREED: Row =
    row(403, "grid_not_agreed", "Not in the account's agreement", false);
pub(super) const OUT_OF_SCOPE: Row =
    row(403, "out_of_scope", "Outside what the key is confined to", false);
pub(super) const BEYOND_KEY: Row = row(403, "beyond_key", "Beyond what the key may do", false);
pub(super) const INTEGRATOR_REQUIRED: Row =
    row(403, "integrator_required", "Integrator agreement required", false);
pub(super) const UNKNOWN_KEY_ID: Row = row(404, "unknown_key", "Unknown key", false);
pub(super) const UNKNOWN_ACCOUNT: Row = row(404, "unknown_account", "Unknown account", false);
pub(super) const UNKNOWN_INVOICE: Row = row(404, "unknown_invoice", "Unknown invoice", false);
pub(super) const KEY_STATE: Row = row(409, "key_not_active", "Key not active", false);
pub(super) const FULL: Row = row(409, "limit_reached", "As many as there may be", false);
pub(super) const REGISTRATIONS: Row =
    row(429, "registrations_limited", "Too many registrations", true);
pub(super) const SIGNATURE: Row =
    row(400, "invalid_signature", "The wallet did not sign this", false);
pub(super) const UNKNOWN_CHALLENGE: Row = row(404, "unknown_challenge", "Unknown challenge", false);
pub(super) const EXPIRED_CHALLENGE: Row = row(410, "challenge_expired", "Challenge expired", false);
pub(super) const SPENT_CHALLENGE: Row =
    row(409, "challenge_spent", "Challenge tried too often", false);
pub(super) const CHALLENGES: Row = row(429, "challenges_limited", "Too many open challenges", true);
pub(super) const CONTRACT_WALLET: Row =
    row(503, "contract_wallet_unavailable", "Contract wallet cannot be asked now", true);
pub(super) const NO_CONTRACT_NODES: Row =
    row(400, "contract_wallet_unsupported", "Contract wallets are not checked here", false);
pub(super) const ACCOUNTS_UNAVAILABLE: Row =
    row(503, "accounts_unavailable", "Accounts unavailable", true);
pub(super) const UNKNOWN_PATH: Row = row(404, "unknown_path", "Unknown path", false);
pub(super) const UNKNOWN_CHAIN: Row = row(404, "unknown_chain", "Unknown chain", false);
pub(super) const NOT_FOUND: Row = row(404, "not_found", "Not on the chain", false);
pub(super) const NOT_INDEXED: Row = row(404, "not_indexed", "Not indexed", false);
pub(super) const NOT_PROVABLE: Row = row(404, "not_provable", "Not provable", false);
pub(super) const UNKNOWN_SUPER_ROOT: Row =
    row(404, "unknown_superroot", "Unknown SuperRoot", false);
pub(super) const METHOD: Row = row(405, "method_not_allowed", "Method not allowed", false);
pub(super) const NOT_ANCHORED: Row = row(409, "not_yet_anchored", "Not anchored yet", true);
pub(super) const NOT_UNDER: Row = row(409, "not_yet_anchored", "Not anchored yet", false);
pub(super) const NOT_FINAL: Row = row(409, "not_final", "Not final yet", true);
pub(super) const WITHDRAWN: Row = row(410, "withdrawn", "Withdrawn", false);
pub(super) const BODY_TOO_LARGE: Row = row(413, "body_too_large", "Body too large", false);
pub(super) const URI_TOO_LONG: Row = row(414, "uri_too_long", "Path or query too long", false);
pub(super) const MEDIA_TYPE: Row =
    row(415, "unsupported_media_type", "Unsupported media type", false);
pub(super) const RATE_LIMITED: Row = row(429, "rate_limited", "Rate limit exceeded", true);
pub(super) const HEADERS_TOO_LARGE: Row =
    row(431, "headers_too_large", "Header fields too large", false);
pub(super) const INTERNAL: Row = row(500, "internal", "Internal server error", true);
pub(super) const NOT_BUILT: Row = row(503, "not_built", "Not built yet", false);
pub(super) const PLANNED: Row = row(503, "chain_unavailable", "Chain unavailable", false);
pub(super) const UNAVAILABLE: Row = row(503, "chain_unavailable", "Chain unavailable", true);
pub(super) const STARTING: Row = row(503, "starting", "Starting", true);
pub(super) const NOTHING_RECORDED: Row =
    row(503, "nothing_recorded", "Nothing recorded counts", false);
pub(super) const TIMEOUT: Row = row(503, "timeout", "Took too long", true);

/// Every row, as `/docs` shows it.
pub const TABLE: [Row; 46] = [
    PARAMETER,
    TWO_KEYS,
    INVALID_KEY,
    KEY_REQUIRED,
    TIER_REQUIRED,
    NOT_AGREED,
    OUT_OF_SCOPE,
    BEYOND_KEY,
    INTEGRATOR_REQUIRED,
    UNKNOWN_KEY_ID,
    UNKNOWN_ACCOUNT,
    UNKNOWN_INVOICE,
    KEY_STATE,
    FULL,
    REGISTRATIONS,
    SIGNATURE,
    UNKNOWN_CHALLENGE,
    EXPIRED_CHALLENGE,
    SPENT_CHALLENGE,
    CHALLENGES,
    CONTRACT_WALLET,
    NO_CONTRACT_NODES,
    ACCOUNTS_UNAVAILABLE,
    UNKNOWN_PATH,
    UNKNOWN_CHAIN,
    NOT_FOUND,
    NOT_INDEXED,
    NOT_PROVABLE,
    UNKNOWN_SUPER_ROOT,
    METHOD,
    NOT_ANCHORED,
    NOT_UNDER,
    NOT_FINAL,
    WITHDRAWN,
    BODY_TOO_LARGE,
    URI_TOO_LONG,
    MEDIA_TYPE,
    RATE_LIMITED,
    HEADERS_TOO_LARGE,
    INTERNAL,
    NOT_BUILT,
    PLANNED,
    UNAVAILABLE,
    STARTING,
    NOTHING_RECORDED,
    TIMEOUT,
];
