//! What is billed, as both documents say it beside `x-billing-weight`; the rules in full: docs/billing.md.

/// Of operations whose answers are billed.
pub(super) const OF_ANSWERS: &str = "each 2xx answer to a key, also one that finds nothing; without a key, HEAD, \
    304 and errors: nothing";
/// Of operations that deliver signal events, and of these events.
pub(super) const OF_EVENTS: &str = "each token_launch, updated or arb event delivered, on each stream and webhook of \
    a key; the request itself nothing";

/// Operations that deliver signal events.
const DELIVER: [(&str, &str); 5] = [
    ("GET", "/v5/stream"),
    ("GET", "/v5/ws"),
    ("GET", "/signals/launches"),
    ("GET", "/signals/arb/stream"),
    ("POST", "/api/v1/webhooks"),
];

/// Whether that operation delivers signal events.
pub(super) fn delivers_signals(method: &str, path: &str) -> bool {
    DELIVER.contains(&(method, path))
}
