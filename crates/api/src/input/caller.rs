//! Request caller, for handlers.

use std::sync::{Arc, OnceLock};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use superroot_account::limit::{AddressPrefix, Allowance, Counter, LimitSubject, Limiter};
use superroot_account::{Entitlement, GateExempt, Tier};
use superroot_types::{ChainId, ChainKey};

use super::RequestInput;
use crate::ApiError;
use crate::error::codes::{GRID_NOT_AGREED, OUT_OF_SCOPE, RATE_LIMITED};

/// Caller that passed the gate.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    prefix: AddressPrefix,
    entitlement: Option<Arc<Entitlement>>,
    left: RemainingAllowance,
}

/// Remaining quota under the binding limit, and its policy, after further counts in a handler.
pub(crate) type RemainingAllowance = Arc<OnceLock<(&'static str, Allowance)>>;

#[derive(Clone, Debug)]
pub(crate) struct Keyed(pub(crate) Arc<Entitlement>);

impl Caller {
    pub(crate) fn keyless(prefix: AddressPrefix) -> Self {
        Self { prefix, entitlement: None, left: RemainingAllowance::default() }
    }

    pub(crate) fn keyed(prefix: AddressPrefix, entitlement: Arc<Entitlement>) -> Self {
        Self { entitlement: Some(entitlement), ..Self::keyless(prefix) }
    }

    /// Result slot for [`Caller::count_items`].
    pub(crate) fn left(&self) -> RemainingAllowance {
        Arc::clone(&self.left)
    }

    pub(crate) const fn prefix(&self) -> AddressPrefix {
        self.prefix
    }

    pub(crate) fn entitlement(&self) -> Option<&Arc<Entitlement>> {
        self.entitlement.as_ref()
    }

    /// Counts each item as one request; the gate has counted the first. Without quota for all items: 429
    /// `rate_limited`.
    pub(crate) fn count_items(&self, limiter: &Limiter, items: usize) -> Result<(), ApiError> {
        let more = u32::try_from(items.saturating_sub(1)).unwrap_or(u32::MAX);
        let Some((counter, allowance)) = limiter.items(self.who(), more) else { return Ok(()) };
        match allowance {
            Allowance { limit, retry_after: Some(_), .. } if more >= limit => {
                let expected = format!("at most {limit} items, the requests of a minute");
                Err(ApiError::parameter("items", &items.to_string(), expected))
            }
            Allowance { limit, retry_after: Some(retry_after), remaining, .. } => {
                let detail = format!(
                    "{items} items count as {items} requests: of {limit} a minute {remaining} are left"
                );
                let error = ApiError::new(RATE_LIMITED, detail).again_after(retry_after);
                Err(error.with("limit", limit))
            }
            allowance => {
                let policy = match (counter, &self.entitlement) {
                    (Counter::Account(_), Some(entitlement)) => entitlement.tier().name(),
                    _ => "keyless",
                };
                let _ = self.left.set((policy, allowance)); // a request has one batch
                Ok(())
            }
        }
    }

    /// Counts a socket message as `requests` requests; 429 `rate_limited` without enough quota.
    pub(crate) fn count_message(&self, limiter: &Limiter, requests: u32) -> Result<(), ApiError> {
        match limiter.items(self.who(), requests) {
            Some((_, Allowance { limit, retry_after: Some(retry_after), .. })) => {
                Err(ApiError::rate_limited(limit, retry_after))
            }
            _ => Ok(()),
        }
    }

    fn who(&self) -> LimitSubject {
        let Some(entitlement) = &self.entitlement else {
            return LimitSubject::Keyless(self.prefix);
        };
        let account = entitlement.limited_as();
        let most = entitlement.rights.limit_per_minute;
        match entitlement.tier() {
            Tier::Explorer => LimitSubject::Free(account, most, self.prefix),
            _ => LimitSubject::Paying(account, most),
        }
    }

    /// Cache address for a response that depends on the key's chains: path, query and chains.
    pub(crate) fn address(&self, ask: &RequestInput) -> String {
        let mut address = ask.seen().address().to_owned();
        let chains = self.entitlement.as_ref().and_then(|key| key.scope.chains.as_ref());
        for ChainId(id) in chains.into_iter().flatten() {
            address.push_str(&format!(" {id}"));
        }
        address
    }

    /// Refuses a chain outside the key's scope (403 `out_of_scope`): for chains in a body.
    pub(crate) fn check_chain(&self, chain: ChainKey) -> Result<(), ApiError> {
        match &self.entitlement {
            Some(entitlement) if !entitlement.scope.has_chain(chain.id) => {
                Err(refuse_outside_scope(GateExempt::Chain(chain.id)))
            }
            _ => Ok(()),
        }
    }
}

/// Error for a request outside the key's scope or the account's agreement.
pub(crate) fn refuse_outside_scope(outside: GateExempt) -> ApiError {
    match outside {
        GateExempt::Chain(ChainId(id)) => out_of_scope(&format!("chain {id}")),
        GateExempt::Route => out_of_scope("this route"),
        GateExempt::Grid(grid) => {
            let grid = grid.name();
            let detail = format!(
                "grid {grid} is not in what was agreed for the account; its keys cannot have it"
            );
            ApiError::new(GRID_NOT_AGREED, detail).with("grid", grid)
        }
    }
}

fn out_of_scope(outside: &str) -> ApiError {
    let detail = format!("{outside} is outside what the key is confined to");
    ApiError::new(OUT_OF_SCOPE, detail).with("outside", outside)
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        parts.extensions.get::<Self>().cloned().ok_or_else(|| {
            tracing::error!("a handler stands outside the gate");
            ApiError::internal()
        })
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Keyed {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let caller = Caller::from_request_parts(parts, state).await?;
        caller.entitlement.map(Self).ok_or_else(ApiError::needs_key)
    }
}
