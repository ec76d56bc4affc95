//! What is billed, as both documents say it beside `x-billing-weight`; the rules in full: docs/billing.md.

/// Of operations whose answers are billed.
pub(super) const OF_ANSWERS: &str = "each 2xx to a key, empty ones too";
/// Of operations that deliver signal events, and of these events.
pub(super) const OF_EVENTS: &str = "each signal event delivered";

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
