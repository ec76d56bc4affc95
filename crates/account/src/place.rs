//! Where rows of accounts, keys and wallets stand. Every key begins with its environment, so that a
//! scan of one world cannot reach the other.
//!
//! | table | key | row |
//! |---|---|---|
//! | `account` | `environment:u8 ‖ account:16` | [`Account`](crate::Account) |
//! | `account_key` | `environment:u8 ‖ account:16 ‖ key:16` | [`Key`](crate::Key) |
//! | `key_hash` | `SHA-256 of the key:32` | which key of which account |
//! | `wallet` | `environment:u8 ‖ 1 ‖ account:16 ‖ wallet:20` | [`WalletLink`](crate::WalletLink) |
//! | `wallet` | `environment:u8 ‖ 2 ‖ wallet:20` | the account that has proven it |

use superroot_types::Address;

use crate::{AccountId, Environment, KeyId};

const LINK: u8 = 1;
const HOLDER: u8 = 2;

/// The byte that rows of an environment begin with.
pub(crate) const fn world(environment: Environment) -> u8 {
    match environment {
        Environment::Live => 1,
        Environment::Test => 2,
    }
}

pub(crate) fn account(environment: Environment, account: AccountId) -> Vec<u8> {
    [&[world(environment)][..], account.0.as_bytes()].concat()
}

pub(crate) fn key(environment: Environment, account: AccountId, key: KeyId) -> Vec<u8> {
    [&[world(environment)][..], account.0.as_bytes(), key.0.as_bytes()].concat()
}

pub(crate) fn link(environment: Environment, account: AccountId, wallet: Address) -> Vec<u8> {
    [&[world(environment), LINK][..], account.0.as_bytes(), &wallet.0].concat()
}

/// What all links of an account begin with.
pub(crate) fn links(environment: Environment, account: AccountId) -> Vec<u8> {
    [&[world(environment), LINK][..], account.0.as_bytes()].concat()
}

pub(crate) fn holder(environment: Environment, wallet: Address) -> Vec<u8> {
    [&[world(environment), HOLDER][..], &wallet.0].concat()
}

/// The first key behind all that begin with `prefix`; `None` where there is none.
pub(crate) fn after(prefix: &[u8]) -> Option<Vec<u8>> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if let Some(next) = last.checked_add(1) {
            end.push(next);
            return Some(end);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worlds_and_kinds_of_rows_never_share_a_key() {
        let (id, wallet) = (AccountId::random(), Address([7; 20]));
        let mut keys = std::collections::BTreeSet::new();
        for environment in [Environment::Live, Environment::Test] {
            assert!(keys.insert(link(environment, id, wallet)));
            assert!(keys.insert(holder(environment, wallet)));
            assert!(keys.insert(account(environment, id)));
            assert!(link(environment, id, wallet).starts_with(&links(environment, id)));
        }
    }

    #[test]
    fn the_end_of_a_prefix_lies_behind_all_that_begins_with_it() {
        assert_eq!(after(&[1, 2]), Some(vec![1, 3]));
        assert_eq!(after(&[1, 255, 255]), Some(vec![2]));
        assert_eq!(after(&[255]), None);
    }
}
