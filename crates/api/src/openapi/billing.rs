//! Billing notes for both documents, next to `x-billing-weight`; full rules: docs/billing.md.
use superroot_wire::paths;

/// For operations with billed answers.
pub(super) const OF_ANSWERS: &str = "each 2xx to a key, empty ones too";
/// For operations that deliver signal events, and for these events.
pub(super) const OF_EVENTS: &str = "each signal event delivered";

/// Operations that deliver signal events.
const DELIVER: [(&str, &str); 5] = [
    ("GET", paths::STREAM),
    ("GET", paths::WEB_SOCKET),
    ("GET", paths::LAUNCHES),
    ("GET", paths::ARB_STREAM),
    ("POST", superroot_webhook::PATH),
];

pub(super) fn delivers_signals(method: &str, path: &str) -> bool {
    DELIVER.contains(&(method, path))
}
