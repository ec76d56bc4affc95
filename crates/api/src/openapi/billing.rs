//! Billing notes for both documents, next to `x-billing-weight`; full rules: docs/billing.md.

/// For operations with billed answers.
pub(super) const OF_ANSWERS: &str = "each 2xx to a key, empty ones too";
/// For operations that deliver signal events, and for these events.
pub(super) const OF_EVENTS: &str = "each signal event delivered";

/// Operations that deliver signal events.
const DELIVER: [(&str, &str); 5] = [
    ("GET", "/v5/stream"),
    ("GET", "/v5/ws"),
    ("GET", "/signals/launches"),
    ("GET", "/signals/arb/stream"),
    ("POST", "/api/v1/webhooks"),
];

pub(super) fn delivers_signals(method: &str, path: &str) -> bool {
    DELIVER.contains(&(method, path))
}
