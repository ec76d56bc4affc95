//! Celo headers before the L2, and transactions with a fee currency. Sources: `celo-blockchain` `core/types`
//! (`block.go`, `istanbul.go`, `legacy_celo_tx.go`, `celo_dynamic_fee_tx.go`), CIP-42, CIP-64.

use alloy_rlp::Header;
use superroot_types::Hash;

use super::items::Items;
use super::needed;
use super::transaction::{accesses, fees, parity, prelude, signature};
use crate::error::ChainError;
use crate::ledger::evm::raw::{RawBlock, RawEvmTransaction};

/// CIP-64 transaction type: Ethereum type 2 with a fee currency.
pub(super) const FEE_CURRENCY: u8 = 0x7b;
/// CIP-42 transaction type: CIP-64 with a gateway fee, in another order.
pub(super) const GATEWAY_FEE: u8 = 0x7c;

/// Extra data bytes before the RLP.
const VANITY: usize = 32;
/// Index of the aggregated seal in the six extra data items.
const AGGREGATED_SEAL: usize = 4;
/// Empty aggregated seal: no bitmap, no signature, no round.
const NO_SEAL: [u8; 4] = [0xc3, 0x80, 0x80, 0x80];

/// Ten header fields before Gingerbread.
pub(super) fn l1_fields(block: &RawBlock) -> Items {
    Items::default()
        .bytes(&block.parent_hash.0)
        .bytes(&block.miner.0)
        .bytes(&block.state_root.0)
        .bytes(&block.transactions_root.0)
        .bytes(&block.receipts_root.0)
        .bytes(block.logs_bloom.as_slice())
        .number(block.number)
        .number(block.gas_used)
        .number(block.timestamp)
        .bytes(&without_aggregated_seal(&block.extra_data))
}

/// Extra data as hashed: without the aggregated seal of the block's validators, who sign the hash. Other forms are
/// hashed unchanged.
pub(super) fn without_aggregated_seal(extra_data: &[u8]) -> Vec<u8> {
    emptied(extra_data).unwrap_or_else(|| extra_data.to_vec())
}

fn emptied(extra_data: &[u8]) -> Option<Vec<u8>> {
    let (vanity, mut rest) = extra_data.split_at_checked(VANITY)?;
    let mut list = Header::decode_bytes(&mut rest, true).ok()?;
    let mut items = Items::default();
    let mut count = 0_usize;
    while !list.is_empty() {
        let before = list;
        let item = Header::decode(&mut list).ok()?;
        list = list.get(item.payload_length..)?;
        let whole = before.get(..before.len().checked_sub(list.len())?)?;
        let replaced = count == AGGREGATED_SEAL && item.list;
        items = items.raw(if replaced { &NO_SEAL } else { whole });
        count = count.checked_add(1)?;
    }
    let is_istanbul = rest.is_empty() && count == 6;
    is_istanbul.then(|| [vanity, &items.finish(0)].concat())
}

/// Celo type 0: Ethereum fields, with or without three fields before the receiver. `ethCompatible` decides; if missing,
/// the claimed hash decides.
pub(super) fn legacy(raw: &RawEvmTransaction) -> Result<Vec<u8>, ChainError> {
    let ethereum = || super::transaction::transaction(raw);
    match raw.eth_compatible {
        Some(true) => ethereum(),
        Some(false) => with_three_more(raw),
        None => {
            let leaf = ethereum()?;
            let hash: Hash = superroot_proof::ledger::evm::transaction_hash(&leaf);
            if hash == raw.hash { Ok(leaf) } else { with_three_more(raw) }
        }
    }
}

fn with_three_more(raw: &RawEvmTransaction) -> Result<Vec<u8>, ChainError> {
    let items = Items::default()
        .number(needed("nonce", raw.nonce)?)
        .word(needed("gasPrice", raw.gas_price)?)
        .number(needed("gas", raw.gas)?);
    let items = gateway(items, raw).receiver(raw.to.as_ref()).word(raw.value).bytes(&raw.input);
    let items = items.word(needed("v", raw.v)?);
    Ok(signature(items, raw)?.finish(0))
}

fn gateway(items: Items, raw: &RawEvmTransaction) -> Items {
    items
        .receiver(raw.fee_currency.as_ref())
        .receiver(raw.gateway_fee_recipient.as_ref())
        .word(raw.gateway_fee.unwrap_or_default())
}

/// Types [`FEE_CURRENCY`] and [`GATEWAY_FEE`].
pub(super) fn typed(raw: &RawEvmTransaction, tx_type: u8) -> Result<Vec<u8>, ChainError> {
    let items = fees(prelude(raw)?, raw)?.number(needed("gas", raw.gas)?);
    let items = if tx_type == GATEWAY_FEE { gateway(items, raw) } else { items };
    let items = items.receiver(raw.to.as_ref()).word(raw.value).bytes(&raw.input);
    let items = accesses(items, raw);
    let items =
        if tx_type == FEE_CURRENCY { items.receiver(raw.fee_currency.as_ref()) } else { items };
    Ok(signature(items.number(parity(raw)?), raw)?.finish(tx_type))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extra(items: &[&[u8]]) -> Vec<u8> {
        let list = items.iter().fold(Items::default(), |list, item| list.raw(item));
        [&[7; VANITY][..], &list.finish(0)].concat()
    }

    #[test]
    fn the_aggregated_seal_alone_is_emptied() {
        let seal = [0xc3, 0x05, 0x06, 0x07];
        let parent = [0xc3, 0x08, 0x09, 0x0a];
        let full = extra(&[&[0xc0], &[0xc0], &[0x80], &[0x01], &seal, &parent]);
        let hashed = extra(&[&[0xc0], &[0xc0], &[0x80], &[0x01], &NO_SEAL, &parent]);
        assert_ne!(full, hashed);
        assert_eq!(without_aggregated_seal(&full), hashed);
        assert_eq!(without_aggregated_seal(&hashed), hashed);
    }

    #[test]
    fn extra_data_of_another_form_stays() {
        let five = extra(&[&[0xc0][..]; 5]);
        let seven = extra(&[&[0xc0][..]; 7]);
        let longer = [extra(&[&[0xc0][..]; 6]), vec![0]].concat();
        let promise = [&[7; VANITY][..], &[0xfb, 0xff, 0xff, 0xff, 0xff]].concat();
        for other in [&[][..], &[1; 31], &[1; 33], &five, &seven, &longer, &promise] {
            assert_eq!(without_aggregated_seal(other), other);
        }
    }
}
