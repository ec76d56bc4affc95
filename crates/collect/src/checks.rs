//! Names of the checks that are made here.

/// Checks that are made here, beside those of a block itself
/// ([`Check`](superroot_chain::Check)): that the block is the one asked for, the one agreed on, and
/// that somebody has its body. Labels of `superroot_collect_failed_checks_total`.
pub const OWN_CHECKS: [&str; 3] = [BLOCK_ASKED_FOR, AGREEMENT, BODY_MISSING];

pub(crate) const BLOCK_ASKED_FOR: &str = "block_asked_for";
pub(crate) const AGREEMENT: &str = "agreement";
pub(crate) const BODY_MISSING: &str = "body_missing";

/// Label of [`superroot_chain::Check::ParentLink`].
pub(crate) const PARENT_LINK: &str = superroot_chain::Check::ParentLink.name();
