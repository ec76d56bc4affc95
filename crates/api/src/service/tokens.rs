//! Single-use stream tokens for browsers, which cannot set headers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rand::RngExt;
use superroot_account::Entitlement;
use superroot_types::UnixSeconds;

/// Token lifetime in seconds.
pub(crate) const TOKEN_SECONDS: u64 = 60;
/// Most unused tokens; above this the oldest are dropped.
const TOKENS_MAX: usize = 65_536;
const PREFIX: &str = "srt_";

/// Unused tokens, in memory only: a client that loses one requests another.
#[derive(Default)]
pub(crate) struct StreamTokens(Mutex<HashMap<String, (UnixSeconds, Arc<Entitlement>)>>);

impl StreamTokens {
    /// Issues a token for one stream under this key.
    pub(crate) fn give(&self, entitlement: Arc<Entitlement>, now: UnixSeconds) -> String {
        let secret: [u8; 24] = rand::rng().random();
        let token = format!("{PREFIX}{}", const_hex::encode(secret));
        let until = UnixSeconds(now.0.saturating_add(TOKEN_SECONDS));
        let mut tokens = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if tokens.len() >= TOKENS_MAX {
            tokens.retain(|_, (until, _)| *until > now);
        }
        if tokens.len() >= TOKENS_MAX {
            let oldest = tokens.iter().min_by_key(|(_, (until, _))| *until);
            let oldest = oldest.map(|(token, _)| token.clone());
            oldest.map(|oldest| tokens.remove(&oldest));
        }
        tokens.insert(token.clone(), (until, entitlement));
        token
    }

    /// Redeems a token and returns its key's entitlement.
    pub(crate) fn take(&self, token: &str, now: UnixSeconds) -> Option<Arc<Entitlement>> {
        let mut tokens = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (until, entitlement) = tokens.remove(token)?;
        (now < until).then_some(entitlement)
    }
}
