//! Keys of account, key and wallet rows. Every key begins with its environment, so a scan of one environment cannot
//! reach the other.
//!
//! | place | table | key | row |
//! |---|---|---|---|
//! | `Account` | `account` | `environment:u8 ‖ account:16` | [`Account`](crate::Account) |
//! | `Key` | `account_key` | `environment:u8 ‖ account:16 ‖ key:16` | [`Key`](crate::Key) |
//! | `Link` | `wallet` | `environment:u8 ‖ 1 ‖ account:16 ‖ wallet:20` | [`WalletLink`](crate::WalletLink) |
//! | `Holder` | `wallet` | `environment:u8 ‖ 2 ‖ wallet:20` | the account that has proven it |
//! | `PaidTier` | `subscription` | `environment:u8 ‖ 1 ‖ payer` | [`PaidTier`](crate::PaidTier) |
//! | `Agreed` | `subscription` | `environment:u8 ‖ 2 ‖ account:16 ‖ year:u16 ‖ month:u8` | [`Agreed`](crate::Agreed) |
//! | `Tie` | `subscription` | `environment:u8 ‖ 3 ‖ integrator:16 ‖ sub-account:16` | `1` |
//!
//! A payer is `1 ‖ wallet:20` or `2 ‖ account:16`. Further tables: `key_hash` (SHA-256 of a key to its account), and
//! usage, challenges, changes and audit, described in their modules.

use superroot_store::Table;
use superroot_types::Address;

use crate::{AccountId, Environment, KeyId, Month, Payer};

const LINK: u8 = 1;
const HOLDER: u8 = 2;

const LIFT: u8 = 1;
const AGREED: u8 = 2;
const TIE: u8 = 3;

/// Row key within an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum AccountKey {
    Account(AccountId),
    Key(AccountId, KeyId),
    Link(AccountId, Address),
    Holder(Address),
    PaidTier(Payer),
    Agreed(AccountId, Month),
    Tie { integrator: AccountId, sub_account: AccountId },
}

impl AccountKey {
    pub(crate) const fn table(self) -> Table {
        match self {
            Self::Account(_) => Table::Account,
            Self::Key(..) => Table::AccountKey,
            Self::Link(..) | Self::Holder(_) => Table::Wallet,
            Self::PaidTier(_) | Self::Agreed(..) | Self::Tie { .. } => Table::Subscription,
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
            Self::PaidTier(payer) => [world, &[LIFT], &payer.encode()].concat(),
            Self::Agreed(account, month) => {
                [world, &[AGREED], account.0.as_bytes(), &month.key()].concat()
            }
            Self::Tie { integrator, sub_account } => {
                [world, &[TIE], integrator.0.as_bytes(), sub_account.0.as_bytes()].concat()
            }
        }
    }
}

/// Key prefix of an account's keys.
pub(crate) fn keys(environment: Environment, account: AccountId) -> Vec<u8> {
    AccountKey::Account(account).encode(environment)
}

/// Key prefix of an account's links.
pub(crate) fn links(environment: Environment, account: AccountId) -> Vec<u8> {
    [&[environment.byte(), LINK][..], account.0.as_bytes()].concat()
}

/// Key prefix of all lifts.
pub(crate) fn lifts(environment: Environment) -> Vec<u8> {
    vec![environment.byte(), LIFT]
}

/// Key prefix of an account's agreements.
pub(crate) fn agreed(environment: Environment, account: AccountId) -> Vec<u8> {
    [&[environment.byte(), AGREED][..], account.0.as_bytes()].concat()
}

/// Key prefix of an integrator's ties.
pub(crate) fn ties(environment: Environment, integrator: AccountId) -> Vec<u8> {
    [&[environment.byte(), TIE][..], integrator.0.as_bytes()].concat()
}

/// First key after all keys with `prefix`; `None` if there is no such key.
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

/// First key after `key`.
#[must_use]
pub fn next(key: &[u8]) -> Vec<u8> {
    [key, &[0]].concat()
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn keys_of_every_kind_stand_as_they_are_pinned_and_worlds_never_share_one() {
        let id = |byte| AccountId(Uuid::from_bytes([byte; 16]));
        let (wallet, key) = (Address([7; 20]), KeyId(Uuid::from_bytes([3; 16])));
        let month = "2026-02".parse().unwrap();
        let (a, b, w) = ("01".repeat(16), "02".repeat(16), "07".repeat(20));
        for (place, pinned) in [
            (AccountKey::Account(id(1)), a.clone()),
            (AccountKey::Key(id(1), key), format!("{a}{}", "03".repeat(16))),
            (AccountKey::Link(id(1), wallet), format!("01{a}{w}")),
            (AccountKey::Holder(wallet), format!("02{w}")),
            (AccountKey::PaidTier(Payer::Wallet(wallet)), format!("0101{w}")),
            (AccountKey::PaidTier(Payer::Account(id(1))), format!("0102{a}")),
            (AccountKey::Agreed(id(1), month), format!("02{a}07ea02")),
            (AccountKey::Tie { integrator: id(1), sub_account: id(2) }, format!("03{a}{b}")),
        ] {
            for (environment, world) in [(Environment::Live, "01"), (Environment::Test, "02")] {
                let encoded = const_hex::encode(place.encode(environment));
                assert_eq!(encoded, format!("{world}{pinned}"), "{place:?}");
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
