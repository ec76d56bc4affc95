//! Address prefixes as they are stored: by a keyed hash, and only so many an hour.

use std::collections::{BTreeMap, HashMap, HashSet};

use rand::TryRng;
use rand::rngs::SysRng;
use sha2::{Digest, Sha256};
use superroot_store::{Batch, Direction, Store, StoreError, Table};

use crate::calendar::Hour;
use crate::limit::AddressPrefix;
use crate::place::after;
use crate::row::Contended;
use crate::usage::rows::{self, Subject};
use crate::{AccountError, Environment};

/// Hours whose prefixes are remembered; those of others are looked up.
const HOURS_MAX: usize = 4;

type World = (Hour, Environment);
type Hash = [u8; 16];

/// The key of the hash: random, made once per store.
pub(crate) type Salt = [u8; 32];

/// The hash that stands for an address prefix: SHA-256 of the salt and the prefix, cut to 16 bytes.
/// Both have one length, so that nothing can be appended.
pub(crate) fn prefix_hash(salt: &Salt, prefix: AddressPrefix) -> Hash {
    let digest = Sha256::new().chain_update(salt).chain_update(prefix.octets()).finalize();
    let mut hash = [0; 16];
    hash.copy_from_slice(&digest[..16]);
    hash
}

/// The salt of this store, if one was made.
///
/// # Errors
/// That of the store; `Corrupt` where it is none.
pub(crate) fn load_salt(store: &dyn Store) -> Result<Option<Salt>, AccountError> {
    let key = [rows::SALT];
    let Some(value) = store.get(Table::Usage, &key)? else { return Ok(None) };
    let salt = value.strip_prefix(&[1]).and_then(|salt| salt.try_into().ok());
    salt.map(Some).ok_or_else(|| rows::corrupt(&key, "not a salt"))
}

fn load_or_make_salt(store: &dyn Store) -> Result<Salt, AccountError> {
    if let Some(salt) = load_salt(store)? {
        return Ok(salt);
    }
    let mut salt = Salt::default();
    SysRng.try_fill_bytes(&mut salt).map_err(|_| AccountError::Randomness)?;
    let mut batch = Batch::new();
    let value = [&[1][..], &salt].concat();
    batch.expect(Table::Usage, [rows::SALT], None).put(Table::Usage, [rows::SALT], value);
    match store.commit(batch) {
        Ok(()) => Ok(salt),
        Err(StoreError::Conflict { .. }) => {
            let made = load_salt(store)?; // by another node, just now
            made.ok_or(AccountError::from(Contended { table: Table::Usage, attempts: 1 }))
        }
        Err(error) => Err(error.into()),
    }
}

/// Which prefixes have rows of their own.
#[derive(Debug, Default)]
pub(crate) struct Prefixes {
    salt: Option<Salt>,
    /// Those that have rows, by hour: at most [`HOURS_MAX`] hours.
    known: BTreeMap<World, HashSet<Hash>>,
}

/// What one commit changes of it.
#[derive(Debug, Default)]
pub(crate) struct Admission {
    hours: HashMap<World, Admitted>,
}

#[derive(Debug)]
struct Admitted {
    before: Option<Vec<u8>>,
    count: u64,
    fresh: HashSet<Hash>,
}

impl Prefixes {
    /// Whom a prefix counts as in this hour: itself where it has rows or there is room for it, one
    /// of the others else.
    ///
    /// # Errors
    /// That of the store.
    pub(crate) fn subject(
        &mut self,
        store: &dyn Store,
        admission: &mut Admission,
        (environment, hour): (Environment, Hour),
        prefix: AddressPrefix,
        per_hour_max: u64,
    ) -> Result<Subject, AccountError> {
        let salt = match self.salt {
            Some(salt) => salt,
            None => *self.salt.insert(load_or_make_salt(store)?),
        };
        let hash = prefix_hash(&salt, prefix);
        let (subject, world) = (Subject::Prefix(hash), (hour, environment));
        if self.known.get(&world).is_some_and(|known| known.contains(&hash)) {
            return Ok(subject);
        }
        let admitted = match admission.hours.entry(world) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => {
                let key = rows::prefixes_key(environment, hour);
                let before = store.get(Table::Usage, &key)?;
                let count = before.as_deref().map(|value| rows::decode_numbers(&key, value));
                let [count] = count.transpose()?.unwrap_or([0]);
                entry.insert(Admitted { before, count, fresh: HashSet::new() })
            }
        };
        if admitted.fresh.contains(&hash) {
            return Ok(subject);
        }
        if has_rows(store, environment, subject, hour)? {
            remember(&mut self.known, world, [hash]);
            return Ok(subject);
        }
        if admitted.count >= per_hour_max {
            return Ok(Subject::OtherPrefixes);
        }
        admitted.count += 1;
        admitted.fresh.insert(hash);
        Ok(subject)
    }

    /// Takes note of what a commit has written.
    pub(crate) fn committed(&mut self, admission: Admission) {
        for (world, admitted) in admission.hours {
            remember(&mut self.known, world, admitted.fresh);
        }
    }
}

impl Admission {
    /// Adds the counts of prefixes to the batch.
    pub(crate) fn write(&self, batch: &mut Batch) {
        for ((hour, environment), admitted) in &self.hours {
            if !admitted.fresh.is_empty() {
                let key = rows::prefixes_key(*environment, *hour);
                batch.expect(Table::Usage, key.clone(), admitted.before.as_deref());
                batch.put(Table::Usage, key, rows::encode_numbers([admitted.count]));
            }
        }
    }
}

fn remember(
    known: &mut BTreeMap<World, HashSet<Hash>>,
    world: World,
    hashes: impl IntoIterator<Item = Hash>,
) {
    known.entry(world).or_default().extend(hashes);
    while known.len() > HOURS_MAX {
        known.pop_first();
    }
}

/// Whether the prefix has a row in this hour.
fn has_rows(
    store: &dyn Store,
    environment: Environment,
    subject: Subject,
    hour: Hour,
) -> Result<bool, AccountError> {
    let mut start = rows::subject_prefix(rows::HOUR, environment, subject);
    start.extend(hour.to_be_bytes());
    let end = after(&start);
    let found = store.scan(Table::Usage, &start, end.as_deref(), 1, Direction::Rising)?;
    Ok(!found.is_empty())
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;
    use superroot_store::MemoryStore;

    fn prefix(text: &str) -> AddressPrefix {
        text.parse::<IpAddr>().unwrap().into()
    }

    #[test]
    fn a_prefix_has_another_hash_under_another_salt_and_never_shows_itself() {
        let here = prefix("192.0.2.1");
        assert_eq!(prefix_hash(&[1; 32], here), prefix_hash(&[1; 32], prefix("::ffff:192.0.2.1")));
        assert_ne!(prefix_hash(&[1; 32], here), prefix_hash(&[2; 32], here));
        assert_ne!(prefix_hash(&[1; 32], here), prefix_hash(&[1; 32], prefix("192.0.2.2")));
        assert!(!prefix_hash(&[1; 32], here).windows(4).any(|bytes| bytes == [192, 0, 2, 1]));
    }

    #[test]
    fn a_store_has_one_salt_whichever_node_comes_first() {
        let store = MemoryStore::new();
        assert_eq!(load_salt(&store).unwrap(), None);
        let salt = load_or_make_salt(&store).unwrap();
        assert_eq!(load_or_make_salt(&store).unwrap(), salt);
        assert_ne!(load_or_make_salt(&MemoryStore::new()).unwrap(), salt);
        let mut batch = Batch::new();
        batch.put(Table::Usage, [rows::SALT], b"short");
        store.commit(batch).unwrap();
        assert!(load_or_make_salt(&store).is_err());
    }
}
