//! Sale by a registry contract (`contracts/src/SubscriptionRegistry.sol`), read from a proven log.

use superroot_account::Tier;
use superroot_proof::hash::keccak256;
use superroot_types::{Address, Hash, UnixSeconds};

const SIGNATURE: &str = "Activated(address,uint8,address,uint64,uint64,uint256,uint256)";

/// A sale's first topic.
pub(super) fn topic() -> Hash {
    keccak256(SIGNATURE.as_bytes())
}

/// One period of one tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sale {
    /// Whose tier it is.
    pub(super) account: Address,
    pub(super) tier: Tier,
    /// First second after the period, by the contract.
    pub(super) end: UnixSeconds,
    /// Price in millionths of a USDC, also of a sale for ETH.
    pub(super) usdc_e6: u64,
    /// Paid wei; 0 for USDC.
    pub(super) wei: u128,
}

impl Sale {
    /// Sale in a log of the contract; `None` for any other event.
    pub(super) fn parse(topics: &[Hash], data: &[u8]) -> Option<Self> {
        let [first, account, tier, _payer] = topics else { return None };
        let (words, []) = data.as_chunks::<32>() else { return None };
        let [_start, end, usdc, wei] = words else { return None };
        if *first != topic() {
            return None;
        }
        let tier = match number(&tier.0)? {
            1 => Tier::Builder,
            2 => Tier::Protocol,
            _ => return None, // not for sale
        };
        let account: [u8; 20] = account.0.strip_prefix(&[0; 12])?.try_into().ok()?;
        let usdc_e6 = u64::try_from(number(usdc)?).ok()?;
        let end = UnixSeconds(u64::try_from(number(end)?).ok()?);
        Some(Self { account: Address(account), tier, end, usdc_e6, wei: number(wei)? })
    }
}

/// Word of at most 128 bits.
pub(crate) fn number(word: &[u8; 32]) -> Option<u128> {
    let (high, low) = word.split_at(16);
    let is_small = high.iter().all(|byte| *byte == 0);
    low.try_into().ok().map(u128::from_be_bytes).filter(|_| is_small)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(number: u128) -> [u8; 32] {
        let mut word = [0; 32];
        word[16..].copy_from_slice(&number.to_be_bytes());
        word
    }

    #[test]
    fn a_sale_is_read_and_nothing_else_is() {
        let topics = [topic(), Hash(word(7)), Hash(word(2)), Hash(word(9))];
        let data = [word(100), word(200), word(500_000_000), word(0)].concat();
        let account = Address(word(7)[12..].try_into().unwrap());
        let sale = Sale::parse(&topics, &data).unwrap();
        assert_eq!((sale.account, sale.tier), (account, Tier::Protocol));
        assert_eq!((sale.end, sale.usdc_e6, sale.wei), (UnixSeconds(200), 500_000_000, 0));
        for length in 0..data.len() {
            assert_eq!(Sale::parse(&topics, &data[..length]), None, "{length} bytes");
        }
        assert_eq!(Sale::parse(&topics[..3], &data), None);
        let (free, agreed, none) = (Hash(word(0)), Hash(word(3)), Hash(word(4)));
        let others = [(0, Hash(word(1))), (1, Hash([0xff; 32])), (2, free), (2, agreed), (2, none)];
        for (place, other) in others {
            let mut topics = topics;
            topics[place] = other;
            assert_eq!(Sale::parse(&topics, &data), None, "topic {place}");
        }
        for place in 1..4 {
            let mut data = data.clone();
            data[place * 32] = 1;
            assert_eq!(Sale::parse(&topics, &data), None, "word {place}");
        }
    }
}
