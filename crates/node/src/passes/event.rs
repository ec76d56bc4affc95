//! Transfer and its authorization (EIP-20, EIP-3009), read from proven logs.

use superroot_proof::hash::keccak256;
use superroot_types::{Address, Hash};
use superroot_watch::WatchTarget;

use crate::payments::number;

/// A transfer's first topic.
pub(super) fn transfer_topic() -> Hash {
    keccak256(b"Transfer(address,address,uint256)")
}

fn authorization_topic() -> Hash {
    keccak256(b"AuthorizationUsed(address,bytes32)")
}

/// Events with a payee in a topic.
pub(super) fn target(pay_to: Address) -> WatchTarget {
    WatchTarget::Topic(word(pay_to))
}

/// Address as a topic.
pub(super) fn word(address: Address) -> Hash {
    let mut word = [0; 32];
    word[12..].copy_from_slice(&address.0);
    Hash(word)
}

/// Transfer to one payee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TokenTransfer {
    pub(super) from: Address,
    pub(super) value: u128,
}

impl TokenTransfer {
    /// Transfer to `to` in a log of the token; `None` for any other event, and for 2^128 or more.
    pub(super) fn parse(topics: &[Hash], data: &[u8], to: Address) -> Option<Self> {
        let [first, from, payee] = topics else { return None };
        let ([value], []) = data.as_chunks::<32>() else { return None };
        if *first != transfer_topic() || *payee != word(to) {
            return None;
        }
        let from: [u8; 20] = from.0.strip_prefix(&[0; 12])?.try_into().ok()?;
        Some(Self { from: Address(from), value: number(value)? })
    }
}

/// Nonce of an authorization by `from`, in a log of the token; `None` for any other event.
pub(super) fn used_nonce(topics: &[Hash], from: Address) -> Option<Hash> {
    let [first, authorizer, nonce] = topics else { return None };
    (*first == authorization_topic() && *authorizer == word(from)).then_some(*nonce)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transfer_and_its_authorization_are_read_and_nothing_else_is() {
        let (from, to) = (Address([1; 20]), Address([2; 20]));
        let topics = [transfer_topic(), word(from), word(to)];
        let mut data = [0; 32];
        data[31] = 9;
        assert_eq!(
            TokenTransfer::parse(&topics, &data, to),
            Some(TokenTransfer { from, value: 9 })
        );
        assert_eq!(TokenTransfer::parse(&topics, &data, from), None, "another payee");
        assert_eq!(TokenTransfer::parse(&topics[..2], &data, to), None);
        assert_eq!(TokenTransfer::parse(&topics, &data[..31], to), None);
        let mut wide = data;
        wide[0] = 1;
        assert_eq!(TokenTransfer::parse(&topics, &wide, to), None);
        assert_eq!(TokenTransfer::parse(&[Hash([1; 32]), topics[1], topics[2]], &data, to), None);
        let used = [authorization_topic(), word(from), Hash([7; 32])];
        assert_eq!(used_nonce(&used, from), Some(Hash([7; 32])));
        assert_eq!(used_nonce(&used, to), None, "another payer");
        assert_eq!(used_nonce(&topics, from), None);
        assert_eq!(used_nonce(&used[..2], from), None);
        // a nonce that its signer took back was not paid with
        let canceled = keccak256(b"AuthorizationCanceled(address,bytes32)");
        assert_eq!(used_nonce(&[canceled, used[1], used[2]], from), None);
    }
}
