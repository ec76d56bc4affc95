//! What the store keeps of challenges: the secret that marks them as ours, and which are used up.
//!
//! | key in the table of challenges | row |
//! |---|---|
//! | `0` | `1 ‖ secret:32`, made once per store |
//! | `environment:u8 ‖ expiry:u64 ‖ nonce:16` | `1`: the challenge is used up |

use rand::TryRng;
use rand::rngs::SysRng;
use superroot_store::{Batch, Direction, Store, StoreError, Table};
use superroot_types::UnixSeconds;

use crate::row::{self, Contended};
use crate::{AccountError, Environment};

const TABLE: Table = Table::Challenge;
const SECRET: [u8; 1] = [0];
const VERSION: u8 = 1;

/// Rows dropped in one commit at most.
const DROPPED_MAX: usize = 256;
/// Seconds that clocks of nodes on one store may differ by.
const CLOCKS_DIFFER_MAX: u64 = 60;

/// What marks challenges as ours.
pub(super) type Secret = [u8; 32];
/// A number used once: 8 random bytes, and 8 that only who has the secret can know.
pub(super) type Nonce = [u8; 16];

/// The secret of this store; the first node that needs it makes it.
///
/// # Errors
/// [`AccountError::Store`], [`AccountError::Randomness`].
pub(super) fn load_or_make_secret(store: &dyn Store) -> Result<Secret, AccountError> {
    if let Some(secret) = load_secret(store)? {
        return Ok(secret);
    }
    let mut secret = Secret::default();
    SysRng.try_fill_bytes(&mut secret).map_err(|_| AccountError::Randomness)?;
    let mut batch = Batch::new();
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
    let (key, why) = (SECRET.to_vec(), "not a secret");
    secret.map(Some).ok_or_else(|| StoreError::Corrupt { table: TABLE, key, why }.into())
}

/// Where it stands that a challenge is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) environment: Environment,
    pub(super) expires_at: UnixSeconds,
    pub(super) nonce: Nonce,
}

impl Place {
    fn encode(&self) -> Vec<u8> {
        let expiry = self.expires_at.0.to_be_bytes();
        [&[self.environment.byte()][..], &expiry, &self.nonce].concat()
    }

    /// Refuses a challenge that was used.
    ///
    /// # Errors
    /// [`AccountError::UnknownChallenge`], [`AccountError::Store`].
    pub(super) fn check_unused(&self, store: &dyn Store) -> Result<(), AccountError> {
        match store.get(TABLE, &self.encode())? {
            Some(_) => Err(AccountError::UnknownChallenge),
            None => Ok(()),
        }
    }

    /// Puts into `batch` that it is used up, if nobody else was faster when that is committed.
    ///
    /// # Errors
    /// As [`Place::check_unused`].
    pub(super) fn stage(&self, store: &dyn Store, batch: &mut Batch) -> Result<(), AccountError> {
        self.check_unused(store)?;
        batch.expect(TABLE, self.encode(), None).put(TABLE, self.encode(), [VERSION]);
        Ok(())
    }
}

/// Drops what is over on every node, a bounded number in one commit; how many.
///
/// # Errors
/// [`AccountError::Contended`], [`AccountError::Store`].
pub(super) fn prune(
    store: &dyn Store,
    environment: Environment,
    now: UnixSeconds,
) -> Result<usize, AccountError> {
    let over = UnixSeconds(now.0.saturating_sub(CLOCKS_DIFFER_MAX));
    let end = Place { environment, expires_at: over, nonce: Nonce::default() }.encode();
    row::commit(store, TABLE, || {
        let mut batch = Batch::new();
        let start = [environment.byte()];
        let rows = store.scan(TABLE, &start, Some(&end), DROPPED_MAX, Direction::Rising)?;
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
        let mut batch = Batch::new();
        batch.put(TABLE, SECRET, b"short");
        store.commit(batch).unwrap();
        assert!(load_or_make_secret(&store).is_err());
    }

    #[test]
    fn what_is_used_stays_until_no_node_takes_it_any_more() {
        let store = MemoryStore::new();
        let at = |seconds| Place {
            environment: Environment::Live,
            expires_at: UnixSeconds(seconds),
            nonce: [9; 16],
        };
        assert_eq!(
            const_hex::encode(at(258).encode()),
            format!("01{:016x}{}", 258, "09".repeat(16))
        );
        for second in 1_000..1_600 {
            let mut batch = Batch::new();
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
