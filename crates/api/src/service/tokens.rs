//! Tokens that open one stream where no header can be set: in browsers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rand::RngExt;
use superroot_account::Entitlement;
use superroot_types::UnixSeconds;

/// Seconds that a token can be used.
pub(crate) const TOKEN_SECONDS: u64 = 60;
/// Tokens that are kept at one time; past them the oldest go.
const TOKENS_MAX: usize = 65_536;
/// What every token begins with.
const PREFIX: &str = "srt_";

/// Tokens that were given and not used. They are kept in memory alone: whoever loses one asks for another.
#[derive(Default)]
pub(crate) struct Tokens(Mutex<HashMap<String, (UnixSeconds, Arc<Entitlement>)>>);

impl Tokens {
    /// A token for one stream of whoever has that key.
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

    /// Whose token it is; it is used up by that.
    pub(crate) fn take(&self, token: &str, now: UnixSeconds) -> Option<Arc<Entitlement>> {
        let mut tokens = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (until, entitlement) = tokens.remove(token)?;
        (now < until).then_some(entitlement)
    }
}
