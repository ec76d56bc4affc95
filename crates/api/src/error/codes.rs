//! Error codes: status, title and retry hint. A new code is a row here.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RetryHint {
    Never,
    /// After a while; [`RETRY_SECONDS`] by default.
    Later,
    Depends,
}

/// Default retry time in seconds.
pub(crate) const RETRY_SECONDS: u64 = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ErrorCode {
    pub(crate) status: u16,
    pub(crate) name: &'static str,
    /// Short text, the same for all errors with this code.
    pub(crate) title: &'static str,
    pub(crate) again: RetryHint,
}

macro_rules! codes {
    ($($constant:ident = $status:literal, $name:literal, $title:literal, $again:ident;)*) => {
        $(pub(crate) const $constant: ErrorCode =
            ErrorCode { status: $status, name: $name, title: $title, again: RetryHint::$again };)*

        /// Every code, for `/docs`.
        pub(crate) const CODES: &[ErrorCode] = &[$($constant),*];
    };
}

codes! {
    INVALID_PARAMETER = 400, "invalid_parameter", "Invalid request parameter", Never;
    TWO_KEYS = 400, "two_keys", "Two different keys", Never;
    INVALID_API_KEY = 401, "invalid_api_key", "Missing or invalid API key", Never;
    API_KEY_REQUIRED = 401, "api_key_required", "API key required", Never;
    TIER_REQUIRED = 403, "tier_required", "Higher tier required", Never;
    GRID_NOT_AGREED = 403, "grid_not_agreed", "Not in the account's agreement", Never;
    OUT_OF_SCOPE = 403, "out_of_scope", "Outside what the key is confined to", Never;
    BEYOND_KEY = 403, "beyond_key", "Beyond what the key may do", Never;
    INTEGRATOR_REQUIRED = 403, "integrator_required", "Integrator agreement required", Never;
    UNKNOWN_KEY = 404, "unknown_key", "Unknown key", Never;
    UNKNOWN_ACCOUNT = 404, "unknown_account", "Unknown account", Never;
    UNKNOWN_INVOICE = 404, "unknown_invoice", "Unknown invoice", Never;
    UNKNOWN_CHECKPOINT = 404, "unknown_checkpoint", "Unknown usage checkpoint", Never;
    UNKNOWN_WATCH = 404, "unknown_watch", "Unknown watch", Never;
    UNKNOWN_WEBHOOK = 404, "unknown_webhook", "Unknown webhook", Never;
    NOTHING_TO_REPLAY = 409, "nothing_to_replay", "No dead letters", Never;
    KEY_NOT_ACTIVE = 409, "key_not_active", "Key not active", Never;
    LIMIT_REACHED = 409, "limit_reached", "As many as there may be", Never;
    REGISTRATIONS_LIMITED = 429, "registrations_limited", "Too many registrations", Later;
    INVALID_SIGNATURE = 400, "invalid_signature", "Not a signature of that wallet", Never;
    UNKNOWN_CHALLENGE = 404, "unknown_challenge", "Unknown challenge", Never;
    CHALLENGE_EXPIRED = 410, "challenge_expired", "Challenge expired", Never;
    CONTRACT_WALLET_UNAVAILABLE =
        503, "contract_wallet_unavailable", "Contract wallet cannot be asked now", Later;
    CONTRACT_WALLET_UNSUPPORTED =
        400, "contract_wallet_unsupported", "Contract wallets are not checked here", Never;
    PAYMENT_REQUIRED = 402, "payment_required", "Payment required", Never;
    AUTHORIZATION_PRESENTED =
        409, "authorization_presented", "Authorization presented before", Never;
    PASSES_UNAVAILABLE = 501, "passes_unavailable", "No passes are sold here", Never;
    PAYMENT_DUE = 403, "payment_due", "Payment due", Never;
    ACCOUNTS_UNAVAILABLE = 503, "accounts_unavailable", "Accounts unavailable", Later;
    UNKNOWN_PATH = 404, "unknown_path", "Unknown path", Never;
    UNKNOWN_CHAIN = 404, "unknown_chain", "Unknown chain", Never;
    NOT_FOUND = 404, "not_found", "Not on the chain", Never;
    NOT_INDEXED = 404, "not_indexed", "Not indexed", Never;
    NOT_PROVABLE = 404, "not_provable", "Not provable", Never;
    NO_PRICE = 404, "no_price", "No price to be trusted", Never;
    UNKNOWN_SUPERROOT = 404, "unknown_superroot", "Unknown SuperRoot", Never;
    METHOD_NOT_ALLOWED = 405, "method_not_allowed", "Method not allowed", Never;
    NOT_ACCEPTABLE = 406, "not_acceptable", "No coding is acceptable", Never;
    NOT_YET_ANCHORED = 409, "not_yet_anchored", "Not anchored yet", Depends;
    NOT_FINAL = 409, "not_final", "Not final yet", Later;
    CURSOR_UNDONE = 409, "cursor_undone", "The block of the cursor is undone", Never;
    WITHDRAWN = 410, "withdrawn", "Withdrawn", Never;
    BODY_TOO_LARGE = 413, "body_too_large", "Body too large", Never;
    URI_TOO_LONG = 414, "uri_too_long", "Path or query too long", Never;
    UNSUPPORTED_MEDIA_TYPE = 415, "unsupported_media_type", "Unsupported media type", Never;
    TOO_MANY_STREAMS = 429, "too_many_streams", "As many streams as the tier has", Later;
    RATE_LIMITED = 429, "rate_limited", "Rate limit exceeded", Later;
    HEADERS_TOO_LARGE = 431, "headers_too_large", "Header fields too large", Never;
    INTERNAL = 500, "internal", "Internal server error", Later;
    CHAIN_UNAVAILABLE = 503, "chain_unavailable", "Chain unavailable", Depends;
    STARTING = 503, "starting", "Starting", Later;
    STOPPING = 503, "stopping", "Stopping", Later;
    NOTHING_RECORDED = 503, "nothing_recorded", "Nothing recorded counts", Never;
    TIMEOUT = 503, "timeout", "Took too long", Later;
}
