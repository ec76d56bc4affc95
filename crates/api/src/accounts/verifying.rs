//! Authorizations under verification by a facilitator, the first reader of their signatures.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use superroot_billing::AuthorizationId;

/// Each authorization once, until the pass is written down.
#[derive(Debug, Default)]
pub(crate) struct VerifyingAuthorizations(Mutex<BTreeSet<AuthorizationId>>);

impl VerifyingAuthorizations {
    /// Begins a verification; `None` during another.
    pub(super) fn begin(&self, id: AuthorizationId) -> Option<VerifyingGuard<'_>> {
        let is_new = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
        is_new.then_some(VerifyingGuard { all: self, id })
    }
}

/// Ends the verification when dropped.
pub(super) struct VerifyingGuard<'a> {
    all: &'a VerifyingAuthorizations,
    id: AuthorizationId,
}

impl Drop for VerifyingGuard<'_> {
    fn drop(&mut self) {
        self.all.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}
