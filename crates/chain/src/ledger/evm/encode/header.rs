use alloy_primitives::{Bytes, U256};
use alloy_rlp::Header as RlpHeader;
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::evm::Layout;
use superroot_proof::mpt::EMPTY_ROOT;
use superroot_types::Hash;

use super::items::Items;
use super::{celo, needed};
use crate::error::ChainError;
use crate::ledger::evm::raw::RawBlock;

/// SHA-256 of nothing: the hash of no execution requests (EIP-7685).
const NO_REQUESTS: Hash = Hash([
    0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4, 0xc8, 0x99, 0x6f, 0xb9, 0x24,
    0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b, 0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55,
]);

/// Header field appended by a later fork.
#[derive(Clone, Copy)]
enum ForkField {
    Number(u64),
    Hash(Hash),
}

struct AppendedField {
    name: &'static str,
    value: Option<ForkField>,
    /// Field value for a block with nothing to store there.
    empty: ForkField,
}

fn number(name: &'static str, value: Option<u64>) -> AppendedField {
    AppendedField { name, value: value.map(ForkField::Number), empty: ForkField::Number(0) }
}

fn hash(name: &'static str, value: Option<Hash>, empty: Hash) -> AppendedField {
    AppendedField { name, value: value.map(ForkField::Hash), empty: ForkField::Hash(empty) }
}

/// Header layout: fixed fields, fields appended by forks, and the possible numbers of appended fields.
struct HeaderFields {
    first: Items,
    appended: Vec<AppendedField>,
    counts: &'static [usize],
}

impl HeaderFields {
    fn of(block: &RawBlock, layout: Layout) -> Result<Self, ChainError> {
        match layout {
            Layout::Ethereum => Ok(Self {
                first: ethereum_seal(first_fields(block, &block.extra_data)?, block)?,
                appended: ethereum_appended(block),
                counts: &[0, 1, 2, 5, 6, 7, 8],
            }),
            Layout::Aura => Ok(Self {
                first: aura_seal(first_fields(block, &block.extra_data)?, block)?,
                appended: vec![number("baseFeePerGas", block.base_fee_per_gas)],
                counts: &[0, 1],
            }),
            Layout::CeloL1 => {
                Ok(Self { first: celo::l1_fields(block), appended: Vec::new(), counts: &[0] })
            }
            Layout::CeloGingerbread => {
                let extra = celo::without_aggregated_seal(&block.extra_data);
                Ok(Self {
                    first: ethereum_seal(first_fields(block, &extra)?, block)?,
                    appended: vec![number("baseFeePerGas", block.base_fee_per_gas)],
                    counts: &[0, 1],
                })
            }
            Layout::Avalanche => Ok(Self {
                first: ethereum_seal(first_fields(block, &block.extra_data)?, block)?
                    .bytes(&needed("extDataHash", block.ext_data_hash)?.0),
                appended: avalanche_appended(block),
                counts: &[0, 1, 3, 6, 8, 10, 14],
            }),
            Layout::Sonic => {
                let mut appended = ethereum_appended(block);
                appended.truncate(4);
                Ok(Self {
                    first: ethereum_seal(first_fields(block, &block.extra_data)?, block)?,
                    appended,
                    counts: &[4],
                })
            }
        }
    }

    /// Appended fields up to the last present one.
    fn given(&self) -> usize {
        let present = |field: &AppendedField| field.value.is_some();
        self.appended.iter().rposition(present).map_or(0, |last| last.saturating_add(1))
    }

    /// Header with the first `count` appended fields; missing fields are empty.
    fn with(&self, count: usize) -> Vec<u8> {
        let items = Items::default().raw(self.first.encoded());
        let items = self.appended.iter().take(count).fold(items, |items, field| {
            match field.value.unwrap_or(field.empty) {
                ForkField::Number(number) => items.number(number),
                ForkField::Hash(hash) => items.bytes(&hash.0),
            }
        });
        items.finish(0)
    }

    fn as_given(&self) -> Result<Vec<u8>, ChainError> {
        let mut hole = false;
        for field in &self.appended {
            if hole && field.value.is_some() {
                let expected = "a field that comes before it is missing";
                return Err(ChainError::Unexpected { field: field.name.into(), expected });
            }
            hole |= field.value.is_none();
        }
        Ok(self.with(self.given()))
    }
}

/// RLP header from the given fields; the Keccak-256 is the block hash.
///
/// # Errors
/// [`ChainError::Missing`] without a field of the layout's first headers, [`ChainError::Unexpected`] for an appended
/// field after a missing one.
pub fn header(block: &RawBlock, layout: Layout) -> Result<Vec<u8>, ChainError> {
    HeaderFields::of(block, layout)?.as_given()
}

/// RLP header with the hash `claimed`: from the given fields or, since some nodes drop empty fields, with further
/// appended fields as empty. The hash decides.
///
/// # Errors
/// As [`header`], and [`ChainError::Mismatch`] if no such header has the hash.
pub fn header_of_hash(
    block: &RawBlock,
    layout: Layout,
    claimed: &Hash,
) -> Result<Vec<u8>, ChainError> {
    let fields = HeaderFields::of(block, layout)?;
    let given = fields.given();
    for count in fields.counts.iter().filter(|count| **count >= given) {
        let bytes = fields.with(*count);
        if keccak256(&bytes) == *claimed {
            return Ok(bytes);
        }
    }
    let as_given = keccak256(&fields.as_given()?);
    Err(ChainError::mismatch("hash", claimed, as_given))
}

/// First 15 Ethereum fields except the last two, the seal.
fn first_fields(block: &RawBlock, extra_data: &[u8]) -> Result<Items, ChainError> {
    Ok(Items::default()
        .bytes(&block.parent_hash.0)
        .bytes(&needed("sha3Uncles", block.sha3_uncles)?.0)
        .bytes(&block.miner.0)
        .bytes(&block.state_root.0)
        .bytes(&block.transactions_root.0)
        .bytes(&block.receipts_root.0)
        .bytes(block.logs_bloom.as_slice())
        .word(needed("difficulty", block.difficulty)?)
        .number(block.number)
        .number(needed("gasLimit", block.gas_limit)?)
        .number(block.gas_used)
        .number(block.timestamp)
        .bytes(extra_data))
}

fn ethereum_seal(items: Items, block: &RawBlock) -> Result<Items, ChainError> {
    let mix_hash = needed("mixHash", block.mix_hash)?;
    let nonce = needed("nonce", block.nonce)?;
    Ok(items.bytes(&mix_hash.0).bytes(nonce.as_slice()))
}

/// Step and signature from any node spelling; all present spellings must agree.
fn aura_seal(items: Items, block: &RawBlock) -> Result<Items, ChainError> {
    let listed = match block.seal_fields.as_deref() {
        Some([step, signature]) => Some((listed_step(step)?, listed_bytes(signature)?)),
        _ => None,
    };
    let steps = [listed.as_ref().map(|(step, _)| *step), block.step, block.aura_step];
    let seals = [block.signature.clone(), block.aura_seal.clone()];
    let seals = [listed.map(|(_, seal)| seal)].into_iter().chain(seals);
    let step = same("step", steps.into_iter())?;
    let signature = same("signature", seals)?;
    Ok(items.number(step).bytes(&signature))
}

/// Common value of all spellings.
fn same<T: PartialEq + core::fmt::Debug>(
    field: &'static str,
    values: impl Iterator<Item = Option<T>>,
) -> Result<T, ChainError> {
    let mut values = values.flatten();
    let first = values.next().ok_or_else(|| ChainError::missing(field))?;
    match values.find(|other| *other != first) {
        Some(other) => Err(ChainError::mismatch(field, format!("{other:?}"), format!("{first:?}"))),
        None => Ok(first),
    }
}

/// Bytes of one RLP string, without trailing bytes.
fn listed_bytes(item: &[u8]) -> Result<Bytes, ChainError> {
    let wrong = || ChainError::mismatch("sealFields", "other bytes", "one RLP string each");
    let mut rest = item;
    let bytes = RlpHeader::decode_bytes(&mut rest, false).map_err(|_| wrong())?;
    if rest.is_empty() { Ok(Bytes::copy_from_slice(bytes)) } else { Err(wrong()) }
}

fn listed_step(item: &[u8]) -> Result<u64, ChainError> {
    let bytes = listed_bytes(item)?;
    let word = U256::try_from_be_slice(&bytes).and_then(|word| u64::try_from(word).ok());
    word.ok_or_else(|| ChainError::OutOfRange {
        field: "sealFields".into(),
        got: format!("a step of {} bytes", bytes.len()),
        expected: u64::MAX,
    })
}

fn ethereum_appended(block: &RawBlock) -> Vec<AppendedField> {
    vec![
        number("baseFeePerGas", block.base_fee_per_gas),
        hash("withdrawalsRoot", block.withdrawals_root, EMPTY_ROOT),
        number("blobGasUsed", block.blob_gas_used),
        number("excessBlobGas", block.excess_blob_gas),
        hash("parentBeaconBlockRoot", block.parent_beacon_block_root, Hash::ZERO),
        hash("requestsHash", block.requests_hash, NO_REQUESTS),
        hash("blockAccessListHash", block.block_access_list_hash, Hash::ZERO),
        number("slotNumber", block.slot_number),
    ]
}

fn avalanche_appended(block: &RawBlock) -> Vec<AppendedField> {
    vec![
        number("baseFeePerGas", block.base_fee_per_gas),
        number("extDataGasUsed", block.ext_data_gas_used),
        number("blockGasCost", block.block_gas_cost),
        number("blobGasUsed", block.blob_gas_used),
        number("excessBlobGas", block.excess_blob_gas),
        hash("parentBeaconBlockRoot", block.parent_beacon_block_root, Hash::ZERO),
        number("timestampMilliseconds", block.timestamp_milliseconds),
        number("minDelayExcess", block.min_delay_excess),
        number("targetExponent", block.target_exponent),
        number("minPriceExponent", block.min_price_exponent),
        number("settledHeight", block.settled_height),
        number("settledGasUnix", block.settled_gas_unix),
        number("settledGasNumerator", block.settled_gas_numerator),
        number("settledExcess", block.settled_excess),
    ]
}
