//! Check names.

/// Collector checks, in addition to the block checks ([`BlockCheck`](superroot_chain::BlockCheck)): the block is the
/// requested one, the agreed one, and its body is available. Labels for `superroot_collect_failed_checks_total`.
pub const OWN_CHECKS: [&str; 3] = [BLOCK_ASKED_FOR, AGREEMENT, BODY_MISSING];

pub(crate) const BLOCK_ASKED_FOR: &str = "block_asked_for";
pub(crate) const AGREEMENT: &str = "agreement";
pub(crate) const BODY_MISSING: &str = "body_missing";

pub(crate) const PARENT_LINK: &str = superroot_chain::BlockCheck::ParentLink.name();
