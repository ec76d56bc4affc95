use std::sync::Arc;

use alloy_primitives::U256;
use superroot_chain::fee::FeeRates;
use superroot_chain::ledger::Ledger;
use superroot_chain::{ChainSpec, Encoding};
use superroot_proof::ledger::evm::{Tries, leaf_type};
use superroot_proof::ledger::{Body, Header, LedgerError};
use superroot_proof::mpt::OrderedTrie;
use superroot_store::layout::{BlockRow, BlockTip, KeptEntries};
use superroot_store::{Store, read};
use superroot_types::{BlockNumber, Hash, UnixSeconds};

use crate::base_fee::Parent;
use crate::blob::BlobParent;
use crate::l1_fee::L1Attributes;
use crate::ledgers;
use crate::tips::{Offer, PaidTip, cumulative_gas};
use crate::{FeeRules, Figure, GasError, NoFigure};

/// Most blocks in a figure.
pub const BLOCKS_MAX: usize = 20;
/// Block numbers searched for samples: some ledgers skip numbers.
const NUMBERS_MAX: u64 = 64;

#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    pub number: BlockNumber,
    pub hash: Hash,
    pub timestamp: UnixSeconds,
    /// Fee fields of an EVM header; `None` for other ledgers.
    pub header: Option<SampleHeader>,
    /// Tip of each transaction; `None` unless all transactions are stored.
    pub paid: Option<Vec<PaidTip>>,
    /// L1 attributes of an OP-stack block, and the L1 fees of transactions in wei, ascending.
    pub l1: Figure<(L1Attributes, Vec<U256>)>,
    /// Fee rates of a block on another ledger.
    pub rates: Figure<FeeRates>,
}

/// Fee fields of an EVM header.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SampleHeader {
    /// Wei per gas.
    pub base_fee: Option<u64>,
    /// Gas limit; `None` for the first Celo headers.
    pub gas_limit: Option<u64>,
    pub gas_used: u64,
    pub blob_gas_used: Option<u64>,
    /// Blob gas above target.
    pub excess_blob_gas: Option<u64>,
    pub extra_data: Vec<u8>,
    /// Whether gas used refers to other blocks (Avalanche since Helicon).
    pub settles_others: bool,
}

impl SampleHeader {
    #[must_use]
    pub fn parent(&self) -> Parent<'_> {
        Parent {
            base_fee: self.base_fee,
            gas_limit: self.gas_limit.unwrap_or(0),
            gas_used: self.gas_used,
            blob_gas_used: self.blob_gas_used,
            extra_data: &self.extra_data,
        }
    }

    #[must_use]
    pub fn blob_parent(&self) -> Option<BlobParent> {
        Some(BlobParent {
            blob_gas_used: self.blob_gas_used?,
            excess_blob_gas: self.excess_blob_gas?,
            base_fee: self.base_fee?,
        })
    }
}

const NOT_OF_EVM: NoFigure = NoFigure::of("only blocks of the EVM family tell of an L1");
const NOT_HELD: NoFigure = NoFigure::of("not every transaction of the newest block is held");
const OF_EVM: NoFigure = NoFigure::of("chains of the EVM family have a base fee and tips");

/// Loads at most [`BLOCKS_MAX`] blocks from `head` down, newest first, each the parent of the previous one. Blocks in
/// `known` are not read again. Empty if `head` is no longer stored.
///
/// # Errors
/// Store errors, and [`GasError::Block`].
pub fn load_samples(
    store: &dyn Store,
    row: &ChainSpec,
    rules: &FeeRules,
    head: BlockTip,
    known: &[Arc<Sample>],
) -> Result<Vec<Arc<Sample>>, GasError> {
    let first = BlockNumber(head.number.0.saturating_sub(NUMBERS_MAX - 1));
    let end = BlockNumber(head.number.0.saturating_add(1));
    let limit = usize::try_from(NUMBERS_MAX).unwrap_or(usize::MAX);
    let blocks = read::load_blocks(store, row.key(), first..end, limit)?;
    let mut samples = Vec::new();
    let mut expected = head.hash;
    for (number, block) in blocks.iter().rev() {
        if block.hash != expected || samples.len() == BLOCKS_MAX {
            break;
        }
        let known = known.iter().find(|known| known.hash == block.hash && known.is_whole());
        samples.push(match known {
            Some(known) => Arc::clone(known),
            None => Arc::new(load_sample(store, row, rules, *number, block)?),
        });
        expected = block.parent_hash;
    }
    Ok(samples)
}

fn load_sample(
    store: &dyn Store,
    row: &ChainSpec,
    rules: &FeeRules,
    number: BlockNumber,
    block: &BlockRow,
) -> Result<Sample, GasError> {
    let is_whole = block.kept == KeptEntries::All && block.extent.transactions;
    let body = match is_whole {
        true => read::load_body(store, row.key(), number)?,
        false => None,
    };
    Sample::read(row, rules, number, block, body.as_ref()).map_err(|why| GasError::Block {
        chain: row.key(),
        number,
        why,
    })
}

impl Sample {
    /// Reads a verified block; `body` only with every transaction. The error describes the fault in the bytes.
    pub fn read(
        row: &ChainSpec,
        rules: &FeeRules,
        number: BlockNumber,
        block: &BlockRow,
        body: Option<&Body>,
    ) -> Result<Self, String> {
        let mut sample = Self {
            number,
            hash: block.hash,
            timestamp: block.timestamp,
            header: None,
            paid: None,
            l1: Err(NOT_OF_EVM),
            rates: Err(OF_EVM),
        };
        let Ledger::Evm(params) = &row.ledger else {
            sample.rates = ledgers::rates(row, number, &block.header, body);
            return Ok(sample);
        };
        let rule = row.rule_at(number).ok_or("its rule is not known")?;
        let header = Header::decode(rule, &block.header).map_err(|error| error.to_string())?;
        let Header::Evm(header) = header else { return Err("it is of another family".to_owned()) };
        let header = sample.header.insert(SampleHeader {
            base_fee: header.base_fee_per_gas,
            gas_limit: header.gas_limit,
            gas_used: header.gas_used,
            blob_gas_used: header.blob_gas_used,
            excess_blob_gas: header.excess_blob_gas,
            settles_others: header.settles_other_blocks(),
            extra_data: header.extra_data,
        });
        sample.l1 = rules.fjord.clone().and(Err(NOT_HELD));
        let encoding = params.encoding_at(number).ok_or("its encoding is not known")?;
        let (Some(Body::Evm(tries)), Some(count)) = (body, block.tx_count) else {
            return Ok(sample);
        };
        let leaves = SampleLeaves::read(tries, count)?;
        if leaves.receipts.is_some() && !header.settles_others {
            let base_fee = header.base_fee.unwrap_or(0);
            let paid = leaves.paid(rules, encoding, base_fee);
            sample.paid = Some(paid.map_err(|error| error.to_string())?);
        }
        if let Ok(fjord) = rules.fjord {
            sample.l1 = leaves.l1_fees(encoding, block.timestamp.0, fjord);
        }
        Ok(sample)
    }

    /// Whether all possible parts were present; otherwise the block is read again, since a body may follow the header.
    fn is_whole(&self) -> bool {
        self.paid.is_some() || (self.header.is_none() && self.rates.is_ok())
    }
}

struct SampleLeaves<'a> {
    transactions: Vec<&'a [u8]>,
    receipts: Option<Vec<&'a [u8]>>,
}

impl<'a> SampleLeaves<'a> {
    fn read(tries: &'a Tries, count: u32) -> Result<Self, String> {
        let all = |trie: &'a OrderedTrie| {
            let leaves = (0..u64::from(count)).map(|index| {
                let leaf = trie.leaf(index).map_err(|error| error.to_string())?;
                leaf.ok_or_else(|| format!("entry {index} is gone"))
            });
            leaves.collect::<Result<Vec<_>, String>>()
        };
        let transactions = tries.transactions.as_ref().map(all).transpose()?.unwrap_or_default();
        Ok(Self { transactions, receipts: tries.receipts.as_ref().map(all).transpose()? })
    }

    /// Tips of transactions, without entries not sent by a user or paid in another currency.
    fn paid(
        &self,
        rules: &FeeRules,
        encoding: Encoding,
        base_fee: u64,
    ) -> Result<Vec<PaidTip>, LedgerError> {
        let mut paid = Vec::with_capacity(self.transactions.len());
        let mut before = 0_u64;
        let receipts = self.receipts.iter().flatten();
        for (index, (leaf, receipt)) in self.transactions.iter().zip(receipts).enumerate() {
            let cumulative = cumulative_gas(receipt)?;
            let gas = cumulative.saturating_sub(before);
            before = cumulative;
            if encoding.is_unsigned(leaf_type(leaf)) || (index == 0 && rules.skips_first) {
                continue;
            }
            let Some(offer) = Offer::read(leaf)? else { continue };
            if rules.skips_free && offer.price(base_fee) == 0 {
                continue;
            }
            // Arbitrum takes no tips, whatever is offered
            let is_taken = encoding != Encoding::Arbitrum;
            let tip = if is_taken { offer.tip(base_fee) } else { 0 };
            paid.push(PaidTip { tip, gas });
        }
        Ok(paid)
    }

    /// L1 attributes from the first entry, and L1 fees of user transactions, ascending.
    fn l1_fees(
        &self,
        encoding: Encoding,
        time: u64,
        fjord: u64,
    ) -> Figure<(L1Attributes, Vec<U256>)> {
        let attributes =
            L1Attributes::read(self.transactions.first().copied().unwrap_or_default())?;
        let weighing = attributes.weighing(time, fjord);
        let of_users =
            self.transactions.iter().filter(|leaf| !encoding.is_unsigned(leaf_type(leaf)));
        let fees = of_users.map(|leaf| attributes.fee(weighing, leaf));
        let mut fees = fees.collect::<Figure<Vec<_>>>()?;
        fees.sort_unstable();
        Ok((attributes, fees))
    }
}
