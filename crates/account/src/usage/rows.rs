//! Rows of the usage table.
//!
//! | kind | key after the kind's byte | value |
//! |---|---|---|
//! | 1 hour | `environment ‖ subject ‖ hour:u32 ‖ key:16 ‖ route:u16 ‖ chain:9 ‖ status:u8` | sum |
//! | 2 day | `environment ‖ subject ‖ day:u32` | sum |
//! | 3 month | `environment ‖ subject ‖ month:u32` | sum |
//! | 4 route | `environment ‖ subject ‖ month:u32 ‖ route:u16 ‖ chain:9` | sum |
//! | 5 flush | `node:16` | `sequence:u64 ‖ at:u64` |
//! | 6 checkpoint | `environment ‖ day:u32` | root of the day ([`super::checkpoint_rows`], as kinds 7 and 8) |
//! | 7 leaf | `environment ‖ subject ‖ day:u32` | usage of an account in the root |
//! | 8 leaves | `environment ‖ day:u32 ‖ chunk:u32` | leaf hashes |
//!
//! A subject is a byte (0 account, 2 callers without a key) and 16 bytes; a chain is the family byte and the id, or
//! `ff` and zeros; a sum is `requests:u64 ‖ tokens:u64`. Integers are big-endian; every value begins with the version
//! byte 1.

use superroot_proof::usage::UsageRow;
use superroot_store::{StoreError, Table};
use superroot_types::{ChainId, ChainKey, Family};
use uuid::Uuid;

use crate::Month;
use crate::calendar::{Day, Hour};
use crate::meter::{RouteNumber, StatusClass, UsageSum};
use crate::{AccountError, AccountId, Environment, KeyId};

pub(crate) const HOUR: u8 = 1;
pub(crate) const DAY: u8 = 2;
pub(crate) const MONTH: u8 = 3;
pub(crate) const ROUTE: u8 = 4;
pub(crate) const FLUSH: u8 = 5;
pub(crate) const CHECKPOINT: u8 = 6;
pub(crate) const LEAF: u8 = 7;
pub(crate) const LEAVES: u8 = 8;

const VERSION: u8 = 1;
const NO_CHAIN: u8 = 0xff;

/// Bytes of a key before the time: kind, environment, subject.
pub(crate) const SUBJECT_END: usize = 1 + 1 + 17;
/// Bytes of a key up to the end of the time.
pub(crate) const TIME_END: usize = SUBJECT_END + 4;

/// A usage row's subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UsageSubject {
    Account(AccountId),
    /// All callers without a key.
    Keyless,
}

impl From<AccountId> for UsageSubject {
    fn from(account: AccountId) -> Self {
        Self::Account(account)
    }
}

/// An hourly row's decoded key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HourKey {
    pub(crate) hour: Hour,
    pub(crate) key: Option<KeyId>,
    pub(crate) route: RouteNumber,
    pub(crate) chain: Option<ChainKey>,
    pub(crate) status: StatusClass,
}

/// Bytes of an hourly key after the subject.
pub(crate) const HOUR_SUFFIX: usize = 4 + 16 + 2 + 9 + 1;

/// `kind ‖ environment ‖ subject`: prefix of a subject's rows of one kind.
pub(crate) fn subject_prefix(kind: u8, environment: Environment, subject: UsageSubject) -> Vec<u8> {
    let (tag, id) = match subject {
        UsageSubject::Account(account) => (0, account.0.into_bytes()),
        UsageSubject::Keyless => (2, [0; 16]),
    };
    let mut key = Vec::with_capacity(SUBJECT_END + HOUR_SUFFIX);
    key.extend([kind, environment.byte(), tag]);
    key.extend(id);
    key
}

pub(crate) fn hour_key(environment: Environment, subject: UsageSubject, row: &HourKey) -> Vec<u8> {
    let mut key = subject_prefix(HOUR, environment, subject);
    key.extend(hour_suffix(row));
    key
}

pub(crate) fn hour_suffix(row: &HourKey) -> Vec<u8> {
    let mut key = row.hour.to_be_bytes().to_vec();
    key.extend(row.key.map_or([0; 16], |key| key.0.into_bytes()));
    key.extend(row.route.0.to_be_bytes());
    key.extend(chain_bytes(row.chain));
    key.push(row.status.byte());
    key
}

pub(crate) fn day_key(environment: Environment, subject: UsageSubject, day: Day) -> Vec<u8> {
    let mut key = subject_prefix(DAY, environment, subject);
    key.extend(day.to_be_bytes());
    key
}

/// `00 ‖ year:u16 ‖ month:u8`: ordered, with the length of an hour or day.
pub(crate) const fn month_bytes(month: Month) -> [u8; 4] {
    let [high, low, month] = month.key();
    [0, high, low, month]
}

pub(crate) fn month_key(environment: Environment, subject: UsageSubject, month: Month) -> Vec<u8> {
    let mut key = subject_prefix(MONTH, environment, subject);
    key.extend(month_bytes(month));
    key
}

/// Key prefix of a month's routes.
pub(crate) fn routes_prefix(
    environment: Environment,
    subject: UsageSubject,
    month: Month,
) -> Vec<u8> {
    let mut key = subject_prefix(ROUTE, environment, subject);
    key.extend(month_bytes(month));
    key
}

pub(crate) fn route_key(
    environment: Environment,
    subject: UsageSubject,
    month: Month,
    route: RouteNumber,
    chain: Option<ChainKey>,
) -> Vec<u8> {
    let mut key = routes_prefix(environment, subject, month);
    key.extend(route.0.to_be_bytes());
    key.extend(chain_bytes(chain));
    key
}

/// First and end key of all accounts' day sums.
pub(crate) fn accounts_with_days(environment: Environment) -> (Vec<u8>, Vec<u8>) {
    let prefix = |tag: u8| vec![DAY, environment.byte(), tag];
    (prefix(0), prefix(1))
}

pub(crate) fn checkpoints_prefix(environment: Environment) -> Vec<u8> {
    vec![CHECKPOINT, environment.byte()]
}

pub(crate) fn checkpoint_key(environment: Environment, day: Day) -> Vec<u8> {
    let mut key = checkpoints_prefix(environment);
    key.extend(day.to_be_bytes());
    key
}

pub(crate) fn flush_key(node: Uuid) -> Vec<u8> {
    let mut key = vec![FLUSH];
    key.extend(node.into_bytes());
    key
}

/// Decodes an hourly key after the subject.
pub(crate) fn decode_hour_suffix(suffix: &[u8]) -> Option<HourKey> {
    let (hour, rest) = suffix.split_first_chunk::<4>()?;
    let (key, rest) = rest.split_first_chunk::<16>()?;
    let (route, rest) = rest.split_first_chunk::<2>()?;
    let (chain, rest) = rest.split_first_chunk::<9>()?;
    let [status] = rest else { return None };
    Some(HourKey {
        hour: Hour::from_be_bytes(*hour)?,
        key: (*key != [0; 16]).then(|| KeyId(Uuid::from_bytes(*key))),
        route: RouteNumber(u16::from_be_bytes(*route)),
        chain: decode_chain(*chain)?,
        status: StatusClass::from_byte(*status)?,
    })
}

/// Row of a usage checkpoint from an hourly key after the subject, without sums.
pub(crate) fn decode_usage_row(suffix: &[u8]) -> Option<UsageRow> {
    let HourKey { hour, key, route, chain, status } = decode_hour_suffix(suffix)?;
    Some(UsageRow {
        hour: u32::from_be_bytes(hour.to_be_bytes()),
        key: key.map_or([0; 16], |key| key.0.into_bytes()),
        route: route.0,
        chain: chain_bytes(chain),
        status: status.byte(),
        requests: 0,
        tokens: 0,
    })
}

/// Decodes a route key after the month.
pub(crate) fn decode_route_suffix(suffix: &[u8]) -> Option<(RouteNumber, Option<ChainKey>)> {
    let (route, chain) = suffix.split_first_chunk::<2>()?;
    Some((RouteNumber(u16::from_be_bytes(*route)), decode_chain(chain.try_into().ok()?)?))
}

fn chain_bytes(chain: Option<ChainKey>) -> [u8; 9] {
    let mut bytes = [0; 9];
    let Some(chain) = chain else {
        bytes[0] = NO_CHAIN;
        return bytes;
    };
    bytes[0] = chain.family.byte();
    bytes[1..].copy_from_slice(&chain.id.0.to_be_bytes());
    bytes
}

fn decode_chain(bytes: [u8; 9]) -> Option<Option<ChainKey>> {
    let [family, id @ ..] = bytes;
    let id = u64::from_be_bytes(id);
    if family == NO_CHAIN {
        return (id == 0).then_some(None);
    }
    Some(Some(ChainKey { family: Family::try_from(family).ok()?, id: ChainId(id) }))
}

/// `version ‖ numbers`.
pub(crate) fn encode_numbers<const N: usize>(numbers: [u64; N]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(1 + 8 * N);
    bytes.push(VERSION);
    numbers.iter().for_each(|number| bytes.extend(number.to_be_bytes()));
    bytes
}

/// # Errors
/// [`StoreError::Corrupt`] for another version or length.
pub(crate) fn decode_numbers<const N: usize>(
    key: &[u8],
    value: &[u8],
) -> Result<[u64; N], AccountError> {
    let mut numbers = [0; N];
    let (chunks, rest) = match value.split_first() {
        Some((&VERSION, rest)) => rest.as_chunks::<8>(),
        _ => return Err(corrupt(key, "a row of another version")),
    };
    if chunks.len() != N || !rest.is_empty() {
        return Err(corrupt(key, "a row of another length"));
    }
    for (number, chunk) in numbers.iter_mut().zip(chunks) {
        *number = u64::from_be_bytes(*chunk);
    }
    Ok(numbers)
}

pub(crate) fn encode_sum(sum: UsageSum) -> Vec<u8> {
    encode_numbers([sum.requests, sum.tokens])
}

pub(crate) fn decode_sum(key: &[u8], value: &[u8]) -> Result<UsageSum, AccountError> {
    decode_numbers(key, value).map(|[requests, tokens]| UsageSum { requests, tokens })
}

pub(crate) fn corrupt(key: &[u8], why: &'static str) -> AccountError {
    StoreError::Corrupt { table: Table::Usage, key: key.to_vec(), why }.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use superroot_types::UnixSeconds;

    fn any_chain() -> impl Strategy<Value = Option<ChainKey>> {
        let chain = (0_u8..9, any::<u64>()).prop_map(|(family, id)| ChainKey {
            family: Family::try_from(family).unwrap(),
            id: ChainId(id),
        });
        proptest::option::of(chain)
    }

    fn any_hour_key() -> impl Strategy<Value = HourKey> {
        let status = (0_usize..5).prop_map(|place| StatusClass::ALL[place]);
        let key = proptest::option::of((1_u128..).prop_map(|id| KeyId(Uuid::from_u128(id))));
        (0_u64..253_402_300_800, key, any::<u16>(), any_chain(), status).prop_map(
            |(time, key, route, chain, status)| HourKey {
                hour: Hour::of(UnixSeconds(time)),
                key,
                route: RouteNumber(route),
                chain,
                status,
            },
        )
    }

    proptest! {
        #[test]
        fn an_hour_is_read_as_it_was_written_and_sorts_by_time(a in any_hour_key(), b in any_hour_key()) {
            let bytes = hour_suffix(&a);
            prop_assert_eq!(bytes.len(), HOUR_SUFFIX);
            prop_assert_eq!(decode_hour_suffix(&bytes), Some(a));
            prop_assert_eq!(decode_hour_suffix(&bytes[1..]), None);
            prop_assert_eq!(decode_hour_suffix(&[&bytes[..], &[0]].concat()), None);
            if a.hour < b.hour {
                prop_assert!(bytes < hour_suffix(&b));
            }
        }

        #[test]
        fn a_route_is_read_as_it_was_written(route: u16, chain in any_chain()) {
            let subject = UsageSubject::Keyless;
            let month = Month::new(2026, 2).unwrap();
            let key = route_key(Environment::Live, subject, month, RouteNumber(route), chain);
            prop_assert_eq!(decode_route_suffix(&key[TIME_END..]), Some((RouteNumber(route), chain)));
        }

        #[test]
        fn a_sum_of_another_version_or_length_is_corrupt(requests: u64, tokens: u64, cut in 0_usize..17) {
            let sum = UsageSum { requests, tokens };
            let bytes = encode_sum(sum);
            prop_assert_eq!(decode_sum(b"k", &bytes).unwrap(), sum);
            prop_assert!(decode_sum(b"k", &bytes[..cut]).is_err());
            prop_assert!(decode_sum(b"k", &[&bytes[..], &[0]].concat()).is_err());
            prop_assert!(decode_sum(b"k", &[&[2], &bytes[1..]].concat()).is_err());
        }
    }

    #[test]
    fn environments_and_subjects_never_share_a_row() {
        let month = Month::new(2026, 2).unwrap();
        let account = AccountId::random();
        let mut keys: Vec<_> = [Environment::Live, Environment::Test]
            .into_iter()
            .flat_map(|it| {
                [account.into(), UsageSubject::Keyless].map(|of| month_key(it, of, month))
            })
            .collect();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), 4);
        assert!(keys.iter().all(|key| key.len() == TIME_END));
    }
}
