//! Audit log of operators' acts with reasons: written once, in the commit of the act, never changed.
//!
//! ```text
//! audit  0 -> { who, why, what, subject, at, previous: 0 }
//!        1 -> { ...,                         previous: SHA-256 of row 0 }
//! meta   accounts/audit -> { count: 2, head: SHA-256 of row 1 }
//! ```
//! A changed, removed or inserted row breaks the hash chain, and a cut end differs from the head. A writer of the whole
//! store can write another log from the start: store the head elsewhere too. The service log has the head after each
//! act.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use superroot_store::{ScanOrder, Store, Table, WriteBatch};
use superroot_types::{Hash, UnixSeconds};

use crate::label::check_text;
use crate::{AccountError, row};

const HEAD: &[u8] = b"accounts/audit";

/// Most acts per listing.
pub const ACTS_LISTED_MAX: usize = 1_000;

/// Most characters of an operator's name, a reason, an act, and its subject.
const WHO_CHARS_MAX: usize = 64;
const WHY_CHARS_MAX: usize = 512;
const WHAT_CHARS_MAX: usize = 64;
const SUBJECT_CHARS_MAX: usize = 512;

/// Operator and reason. Both are printable, `who` up to 64 characters, `why` up to 512.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operator {
    pub who: String,
    pub why: String,
}

impl Operator {
    /// Checks name and reason.
    pub fn check(&self) -> Result<(), AccountError> {
        check_text("who", &self.who, WHO_CHARS_MAX)?;
        check_text("why", &self.why, WHY_CHARS_MAX)
    }
}

/// An operator's recorded act.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperatorAction {
    /// Position in the log, from 0.
    pub sequence: u64,
    pub at: UnixSeconds,
    pub who: String,
    pub why: String,
    /// Act: a word such as `revoke_key`.
    pub what: String,
    /// Subject, with the relevant figures.
    pub subject: String,
    /// SHA-256 of the previous row; zero for the first.
    pub previous: Hash,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AuditHead {
    count: u64,
    head: Hash,
}

/// Appends an act to `batch`, along with the writes of the act. Once per batch.
///
/// # Errors
/// [`AccountError::Text`] for an empty, too long or unprintable text; [`AccountError::Store`].
pub fn append_act(
    store: &dyn Store,
    batch: &mut WriteBatch,
    operator: &Operator,
    what: &str,
    subject: &str,
    at: UnixSeconds,
) -> Result<(), AccountError> {
    operator.check()?;
    check_text("what", what, WHAT_CHARS_MAX)?;
    check_text("subject", subject, SUBJECT_CHARS_MAX)?;
    let held = row::load::<AuditHead>(store, Table::Meta, HEAD)?;
    let before = held.as_ref().map(|held| held.value).unwrap_or_default();
    let act = OperatorAction {
        sequence: before.count,
        at,
        who: operator.who.clone(),
        why: operator.why.clone(),
        what: what.to_owned(),
        subject: subject.to_owned(),
        previous: before.head,
    };
    let bytes = row::encode(&act);
    let head = AuditHead { count: before.count.saturating_add(1), head: digest(&bytes) };
    batch.expect(Table::Meta, HEAD, held.as_ref().map(|held| &held.bytes[..]));
    batch.put(Table::Meta, HEAD, row::encode(&head));
    batch.expect(Table::Audit, place(act.sequence), None);
    batch.put(Table::Audit, place(act.sequence), bytes);
    Ok(())
}

/// Acts from a position on, oldest first, at most [`ACTS_LISTED_MAX`].
pub(crate) fn list(
    store: &dyn Store,
    from: u64,
    limit: usize,
) -> Result<Vec<OperatorAction>, AccountError> {
    let limit = limit.min(ACTS_LISTED_MAX);
    let rows = store.scan(Table::Audit, &place(from), None, limit, ScanOrder::Rising)?;
    let acts = rows.iter().map(|(key, bytes)| row::decode(Table::Audit, key, bytes));
    Ok(acts.collect::<Result<_, _>>()?)
}

/// Number of acts, and hash of the last.
pub fn acts_head(store: &dyn Store) -> Result<(u64, Hash), AccountError> {
    let held = row::load::<AuditHead>(store, Table::Meta, HEAD)?.map(|held| held.value);
    let AuditHead { count, head } = held.unwrap_or_default();
    Ok((count, head))
}

/// Hash of an act by position, from 0; `None` if the act does not exist.
pub fn act_hash(store: &dyn Store, sequence: u64) -> Result<Option<Hash>, AccountError> {
    Ok(store.get(Table::Audit, &place(sequence))?.map(|bytes| digest(&bytes)))
}

/// Verifies the whole log. Returns the number of acts, and the hash to store elsewhere.
///
/// # Errors
/// [`AccountError::Audit`] with the first invalid act; [`AccountError::Store`].
pub(crate) fn check(store: &dyn Store) -> Result<(u64, Hash), AccountError> {
    let head = row::load::<AuditHead>(store, Table::Meta, HEAD)?;
    let head = head.map(|held| held.value).unwrap_or_default();
    let mut next = 0_u64;
    let mut previous = Hash::ZERO;
    loop {
        let start = place(next);
        let rows = store.scan(Table::Audit, &start, None, ACTS_LISTED_MAX, ScanOrder::Rising)?;
        if rows.is_empty() {
            break;
        }
        for (key, bytes) in rows {
            let broken = |why| AccountError::Audit { sequence: next, why };
            if next >= head.count {
                return Err(broken("there are more acts than the head counts"));
            }
            if key != place(next) {
                return Err(broken("it is missing"));
            }
            let act: OperatorAction =
                row::decode(Table::Audit, &key, &bytes).map_err(|_| broken("it is no act"))?;
            if act.sequence != next || act.previous != previous {
                return Err(broken("it does not follow the one before"));
            }
            previous = digest(&bytes);
            next = next.saturating_add(1);
        }
    }
    if next != head.count || previous != head.head {
        return Err(AccountError::Audit { sequence: next, why: "the end differs from the head" });
    }
    Ok((next, previous))
}

fn digest(bytes: &[u8]) -> Hash {
    Hash(Sha256::digest(bytes).into())
}

fn place(sequence: u64) -> [u8; 8] {
    sequence.to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use superroot_store::MemoryStore;

    fn operator() -> Operator {
        Operator { who: "ana".into(), why: "asked by the customer".into() }
    }

    fn log_of(count: u64) -> MemoryStore {
        let store = MemoryStore::new();
        for number in 0..count {
            let mut batch = WriteBatch::new();
            let (what, subject) = ("revoke_key", format!("key {number}"));
            append_act(&store, &mut batch, &operator(), what, &subject, UnixSeconds(number))
                .unwrap();
            store.commit(batch).unwrap();
        }
        store
    }

    fn bend(store: &MemoryStore, bend: impl FnOnce(&mut WriteBatch)) -> Result<u64, u64> {
        let mut batch = WriteBatch::new();
        bend(&mut batch);
        store.commit(batch).unwrap();
        match check(store) {
            Ok((count, _)) => Ok(count),
            Err(AccountError::Audit { sequence, .. }) => Err(sequence),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn acts_are_listed_as_they_were_done() {
        let store = log_of(5);
        assert_eq!(check(&store).unwrap().0, 5);
        assert_eq!(acts_head(&store).unwrap(), check(&store).unwrap());
        let acts = list(&store, 3, 10).unwrap();
        assert_eq!(acts.len(), 2);
        assert_eq!((acts[0].sequence, &acts[0].subject[..], &acts[0].who[..]), (3, "key 3", "ana"));
        assert_eq!(check(&log_of(0)).unwrap(), (0, Hash::ZERO));
    }

    #[test]
    fn a_log_longer_than_a_page_is_checked_whole() {
        let store = log_of(2_100);
        assert_eq!(check(&store).unwrap().0, 2_100);
        let removed = bend(&store, |batch| _ = batch.delete(Table::Audit, place(2_050)));
        assert_eq!(removed, Err(2_050));
    }

    #[test]
    fn a_cut_end_and_a_row_too_many_are_noticed() {
        let cut = bend(&log_of(4), |batch| _ = batch.delete(Table::Audit, place(3)));
        assert_eq!(cut, Err(3));
        let no_head = bend(&log_of(4), |batch| _ = batch.delete(Table::Meta, HEAD));
        assert_eq!(no_head, Err(0));
        let store = log_of(4);
        let last = store.get(Table::Audit, &place(3)).unwrap().unwrap();
        let more = bend(&store, |batch| _ = batch.put(Table::Audit, place(4), last));
        assert_eq!(more, Err(4));
    }

    #[test]
    fn an_act_without_a_person_or_a_reason_is_refused() {
        let store = MemoryStore::new();
        for (who, why) in [("", "why"), ("ana", ""), ("ana", "a\nb"), ("a\u{1b}[0m", "why")] {
            let operator = Operator { who: who.into(), why: why.into() };
            let mut batch = WriteBatch::new();
            let done =
                append_act(&store, &mut batch, &operator, "grant", "account 1", UnixSeconds(1));
            assert!(matches!(done, Err(AccountError::Text { .. })), "{who:?} {why:?}");
            assert!(batch.is_empty());
        }
    }

    proptest! {
        /// Whichever row is removed, or bit of it flipped, the log is broken from there on.
        #[test]
        fn no_row_is_removed_or_changed_unnoticed(
            count in 1_u64..12,
            pick in any::<prop::sample::Index>(),
            bit in any::<prop::sample::Index>(),
            is_removed in any::<bool>(),
        ) {
            let store = log_of(count);
            let sequence = pick.index(usize::try_from(count).unwrap()) as u64;
            let mut bytes = store.get(Table::Audit, &place(sequence)).unwrap().unwrap();
            let bit = bit.index(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
            let broken = bend(&store, |batch| {
                if is_removed {
                    batch.delete(Table::Audit, place(sequence));
                } else {
                    batch.put(Table::Audit, place(sequence), bytes);
                }
            });
            prop_assert!(broken.is_err());
        }
    }
}
