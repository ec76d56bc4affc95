//! Stored state of challenges: the marking secret, and used challenges.
//!
//! | key in the table of challenges | row |
//! |---|---|
//! | `0` | `1 ‖ secret:32`, made once per store |
//! | `environment:u8 ‖ expiry:u64 ‖ nonce:16` | `1`: the challenge is used up |

use rand::TryRng;
use rand::rngs::SysRng;
use superroot_store::{ScanOrder, Store, StoreError, Table, WriteBatch};
use superroot_types::UnixSeconds;

use crate::row::{self, Contended};
use crate::{AccountError, Environment};

const TABLE: Table = Table::Challenge;
const SECRET: [u8; 1] = [0];
const VERSION: u8 = 1;

/// Most rows removed per commit.
const DROPPED_MAX: usize = 256;
/// Largest clock difference between nodes of one store, in seconds.
const CLOCKS_DIFFER_MAX: u64 = 60;

/// Secret that marks this service's challenges.
pub(super) type Secret = [u8; 32];
/// Nonce: 8 random bytes, and 8 that require the secret.
pub(super) type Nonce = [u8; 16];

/// Loads the store's secret; the first node in need makes one.
pub(super) fn load_or_make_secret(store: &dyn Store) -> Result<Secret, AccountError> {
    if let Some(secret) = load_secret(store)? {
        return Ok(secret);
    }
    let mut secret = Secret::default();
    SysRng.try_fill_bytes(&mut secret).map_err(|_| AccountError::Randomness)?;
    let mut batch = WriteBatch::new();
    batch.expect(TABLE, SECRET, None).put(TABLE, SECRET, [&[VERSION][..], &secret].concat());
    match store.commit(batch) {
        Ok(()) => Ok(secret),
        Err(StoreError::Conflict { .. }) => {
            let made = load_secret(store)?; // by another node, just now
            made.ok_or(AccountError::from(Contended { table: TABLE, attempts: 1 }))
        }
        Err(error) => Err(error.into()),
    }
}

fn load_secret(store: &dyn Store) -> Result<Option<Secret>, AccountError> {
    let Some(row) = store.get(TABLE, &SECRET)? else { return Ok(None) };
    let secret = row.strip_prefix(&[VERSION]).and_then(|secret| secret.try_into().ok());
    let key = SECRET.to_vec();
    let why = "not a secret";
    secret.map(Some).ok_or_else(|| StoreError::Corrupt { table: TABLE, key, why }.into())
}

/// A used challenge's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UsedChallenges {
    pub(super) environment: Environment,
    pub(super) expires_at: UnixSeconds,
    pub(super) nonce: Nonce,
}

impl UsedChallenges {
    fn encode(&self) -> Vec<u8> {
        let expiry = self.expires_at.0.to_be_bytes();
        [&[self.environment.byte()][..], &expiry, &self.nonce].concat()
    }

    /// Refuses a used challenge.
    pub(super) fn check_unused(&self, store: &dyn Store) -> Result<(), AccountError> {
        match store.get(TABLE, &self.encode())? {
            Some(_) => Err(AccountError::UnknownChallenge),
            None => Ok(()),
        }
    }

    /// Puts the used challenge into `batch`, which fails if another commit used it first.
    pub(super) fn stage(
        &self,
        store: &dyn Store,
        batch: &mut WriteBatch,
    ) -> Result<(), AccountError> {
        self.check_unused(store)?;
        batch.expect(TABLE, self.encode(), None).put(TABLE, self.encode(), [VERSION]);
        Ok(())
    }
}

/// Removes some challenges that are over on every node, bounded per commit. Returns their number.
pub(super) fn prune(
    store: &dyn Store,
    environment: Environment,
    now: UnixSeconds,
) -> Result<usize, AccountError> {
    let over = UnixSeconds(now.0.saturating_sub(CLOCKS_DIFFER_MAX));
    let end = UsedChallenges { environment, expires_at: over, nonce: Nonce::default() }.encode();
    row::commit(store, TABLE, || {
        let mut batch = WriteBatch::new();
        let start = [environment.byte()];
        let rows = store.scan(TABLE, &start, Some(&end), DROPPED_MAX, ScanOrder::Rising)?;
        for (key, _) in &rows {
            batch.delete(TABLE, key.clone());
        }
        Ok((batch, rows.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use superroot_store::MemoryStore;

    #[test]
    fn a_store_has_one_secret_whichever_node_comes_first() {
        let store = MemoryStore::new();
        let secret = load_or_make_secret(&store).unwrap();
        assert_eq!(load_or_make_secret(&store).unwrap(), secret);
        assert_ne!(load_or_make_secret(&MemoryStore::new()).unwrap(), secret);
        let mut batch = WriteBatch::new();
        batch.put(TABLE, SECRET, b"short");
        store.commit(batch).unwrap();
        assert!(load_or_make_secret(&store).is_err());
    }

    #[test]
    fn what_is_used_stays_until_no_node_takes_it_any_more() {
        let store = MemoryStore::new();
        let at = |seconds| UsedChallenges {
            environment: Environment::Live,
            expires_at: UnixSeconds(seconds),
            nonce: [9; 16],
        };
        assert_eq!(
            const_hex::encode(at(258).encode()),
            format!("01{:016x}{}", 258, "09".repeat(16))
        );
        for second in 1_000..1_600 {
            let mut batch = WriteBatch::new();
            at(second).stage(&store, &mut batch).unwrap();
            store.commit(batch).unwrap();
        }
        let mut dropped = 0;
        let prune = || prune(&store, Environment::Live, UnixSeconds(1_560)).unwrap();
        while let gone @ 1.. = prune() {
            dropped += gone;
        }
        assert_eq!(dropped, 500);
        assert!(at(1_500).check_unused(&store).is_err() && at(1_499).check_unused(&store).is_ok());
    }
}
