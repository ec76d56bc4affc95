//! Where rows of accounts, keys and wallets stand. Every key begins with its environment, so that a
//! scan of one world cannot reach the other.
//!
//! | place | table | key | row |
//! |---|---|---|---|
//! | `Account` | `account` | `environment:u8 ‖ account:16` | [`Account`](crate::Account) |
//! | `Key` | `account_key` | `environment:u8 ‖ account:16 ‖ key:16` | [`Key`](crate::Key) |
//! | `Link` | `wallet` | `environment:u8 ‖ 1 ‖ account:16 ‖ wallet:20` | [`WalletLink`](crate::WalletLink) |
//! | `Holder` | `wallet` | `environment:u8 ‖ 2 ‖ wallet:20` | the account that has proven it |
//! | `Lift` | `subscription` | `environment:u8 ‖ 1 ‖ payer` | [`Lift`](crate::Lift) |
//! | `Agreed` | `subscription` | `environment:u8 ‖ 2 ‖ account:16 ‖ year:u16 ‖ month:u8` | [`Agreed`](crate::Agreed) |
//! | `Tie` | `subscription` | `environment:u8 ‖ 3 ‖ integrator:16 ‖ sub-account:16` | `1` |
//!
//! A payer is `1 ‖ wallet:20` or `2 ‖ account:16`. Beside these stand `key_hash` (SHA-256 of a key to
//! its account), and the tables of usage, challenges, changes and audit, which their modules describe.

use superroot_store::Table;
use superroot_types::Address;
use uuid::Uuid;

use crate::{AccountId, Environment, KeyId, Month, Payer};

const LINK: u8 = 1;
const HOLDER: u8 = 2;

const LIFT: u8 = 1;
const AGREED: u8 = 2;
const TIE: u8 = 3;

/// A row's place within an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Place {
    Account(AccountId),
    Key(AccountId, KeyId),
    Link(AccountId, Address),
    Holder(Address),
    Lift(Payer),
    Agreed(AccountId, Month),
    Tie { integrator: AccountId, sub_account: AccountId },
}

impl Place {
    pub(crate) const fn table(self) -> Table {
        match self {
            Self::Account(_) => Table::Account,
            Self::Key(..) => Table::AccountKey,
            Self::Link(..) | Self::Holder(_) => Table::Wallet,
            Self::Lift(_) | Self::Agreed(..) | Self::Tie { .. } => Table::Subscription,
        }
    }

    pub(crate) fn encode(self, environment: Environment) -> Vec<u8> {
        let world = &[environment.byte()][..];
        match self {
            Self::Account(account) => [world, account.0.as_bytes()].concat(),
            Self::Key(account, key) => [world, account.0.as_bytes(), key.0.as_bytes()].concat(),
            Self::Link(account, wallet) => {
                [world, &[LINK], account.0.as_bytes(), &wallet.0].concat()
            }
            Self::Holder(wallet) => [world, &[HOLDER], &wallet.0].concat(),
            Self::Lift(payer) => [world, &[LIFT], &payer.encode()].concat(),
            Self::Agreed(account, month) => {
                [world, &[AGREED], account.0.as_bytes(), &month.key()].concat()
            }
            Self::Tie { integrator, sub_account } => {
                [world, &[TIE], integrator.0.as_bytes(), sub_account.0.as_bytes()].concat()
            }
        }
    }

    /// The place that a key of a table is; none where it is none of these.
    pub(crate) fn decode(table: Table, key: &[u8]) -> Option<(Environment, Self)> {
        let (world, rest) = key.split_first()?;
        let place = match (table, rest) {
            (Table::Account, id) => Self::Account(account(id)?),
            (Table::AccountKey, ids) => {
                let (id, key) = ids.split_at_checked(16)?;
                Self::Key(account(id)?, KeyId(Uuid::from_slice(key).ok()?))
            }
            (Table::Wallet, [LINK, rest @ ..]) => {
                let (id, wallet) = rest.split_at_checked(16)?;
                Self::Link(account(id)?, Address(wallet.try_into().ok()?))
            }
            (Table::Wallet, [HOLDER, wallet @ ..]) => {
                Self::Holder(Address(wallet.try_into().ok()?))
            }
            (Table::Subscription, [LIFT, payer @ ..]) => Self::Lift(Payer::decode(payer)?),
            (Table::Subscription, [AGREED, rest @ ..]) => {
                let (id, month) = rest.split_at_checked(16)?;
                Self::Agreed(account(id)?, Month::from_key(month.try_into().ok()?)?)
            }
            (Table::Subscription, [TIE, rest @ ..]) => {
                let (integrator, below) = rest.split_at_checked(16)?;
                Self::Tie { integrator: account(integrator)?, sub_account: account(below)? }
            }
            (_, _) => return None,
        };
        Some((Environment::from_byte(*world)?, place))
    }
}

fn account(bytes: &[u8]) -> Option<AccountId> {
    Uuid::from_slice(bytes).ok().map(AccountId)
}

/// What all keys of an account begin with.
pub(crate) fn keys(environment: Environment, account: AccountId) -> Vec<u8> {
    Place::Account(account).encode(environment)
}

/// What all links of an account begin with.
pub(crate) fn links(environment: Environment, account: AccountId) -> Vec<u8> {
    [&[environment.byte(), LINK][..], account.0.as_bytes()].concat()
}

/// What all lifts begin with.
pub(crate) fn lifts(environment: Environment) -> Vec<u8> {
    vec![environment.byte(), LIFT]
}

/// What all rows of agreements of an account begin with.
pub(crate) fn agreed(environment: Environment, account: AccountId) -> Vec<u8> {
    [&[environment.byte(), AGREED][..], account.0.as_bytes()].concat()
}

/// What all ties of an integrator begin with.
pub(crate) fn ties(environment: Environment, integrator: AccountId) -> Vec<u8> {
    [&[environment.byte(), TIE][..], integrator.0.as_bytes()].concat()
}

/// The first key behind all that begin with `prefix`; `None` where there is none.
#[must_use]
pub fn after(prefix: &[u8]) -> Option<Vec<u8>> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if let Some(next) = last.checked_add(1) {
            end.push(next);
            return Some(end);
        }
    }
    None
}

/// The first key behind this one.
#[must_use]
pub fn next(key: &[u8]) -> Vec<u8> {
    [key, &[0]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> [(Place, &'static str); 8] {
        let id = |byte| AccountId(Uuid::from_bytes([byte; 16]));
        let wallet = Address([7; 20]);
        let (key, month) = (KeyId(Uuid::from_bytes([3; 16])), "2026-02".parse().unwrap());
        [
            (Place::Account(id(1)), "0101010101010101010101010101010101"),
            (
                Place::Key(id(1), key),
                "010101010101010101010101010101010103030303030303030303030303030303",
            ),
            (
                Place::Link(id(1), wallet),
                "0101010101010101010101010101010101010707070707070707070707070707070707070707",
            ),
            (Place::Holder(wallet), "01020707070707070707070707070707070707070707"),
            (Place::Lift(Payer::Wallet(wallet)), "0101010707070707070707070707070707070707070707"),
            (Place::Lift(Payer::Account(id(1))), "01010201010101010101010101010101010101"),
            (Place::Agreed(id(1), month), "01020101010101010101010101010101010107ea02"),
            (
                Place::Tie { integrator: id(1), sub_account: id(2) },
                "01030101010101010101010101010101010102020202020202020202020202020202",
            ),
        ]
    }

    #[test]
    fn keys_of_every_kind_stand_as_they_are_pinned_and_read_back() {
        for (place, pinned) in places() {
            let key = place.encode(Environment::Live);
            assert_eq!(const_hex::encode(&key), pinned, "{place:?}");
            let read = Place::decode(place.table(), &key);
            assert_eq!(read, Some((Environment::Live, place)));
            assert_eq!(Place::decode(place.table(), &next(&key)), None);
            assert_eq!(Place::decode(place.table(), &key[..key.len() - 1]), None);
        }
    }

    #[test]
    fn worlds_and_kinds_of_rows_never_share_a_key() {
        let mut keys = std::collections::BTreeSet::new();
        for environment in [Environment::Live, Environment::Test] {
            for (place, _) in places() {
                assert!(keys.insert((place.table(), place.encode(environment))), "{place:?}");
            }
        }
    }

    #[test]
    fn the_end_of_a_prefix_lies_behind_all_that_begins_with_it() {
        assert_eq!(after(&[1, 2]), Some(vec![1, 3]));
        assert_eq!(after(&[1, 255, 255]), Some(vec![2]));
        assert_eq!(after(&[255]), None);
    }
}
