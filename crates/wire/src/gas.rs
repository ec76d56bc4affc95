//! What a transaction costs on each chain (`GET /search-api/v5/gas`).

use serde::Serialize;
use superroot_types::{BlockNumber, ChainId, Family, Hash};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

/// An amount in wei, with the same in gwei.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Amount {
    /// Wei, as a decimal number.
    pub wei: String,
    /// The same in gwei, exactly.
    pub gwei: String,
}

impl Amount {
    /// An amount of wei.
    #[must_use]
    pub fn of(wei: impl ToString) -> Self {
        let wei = wei.to_string();
        let padded = format!("{wei:0>10}");
        let (whole, part) = padded.split_at(padded.len() - 9);
        let part = part.trim_end_matches('0');
        let gwei = if part.is_empty() { whole.to_owned() } else { format!("{whole}.{part}") };
        Self { wei, gwei }
    }
}

/// The block that figures are taken from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct GasBlock {
    /// Its number.
    pub number: BlockNumber,
    /// Its hash.
    pub hash: Hash,
    /// Its time, in Unix seconds.
    pub timestamp: u64,
    /// How far it has come: `head` (it may be undone), `finalized` or `anchored` (its proof leads to a SuperRoot).
    pub finality: &'static str,
    /// Seconds since its time.
    pub age_seconds: u64,
    /// Where its proof is; it can be had once the block is anchored, with `?level=1` or `2` before.
    pub proof_url: String,
}

/// The base fee of the next block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct NextBaseFee {
    /// Per gas.
    #[serde(flatten)]
    pub amount: Amount,
    /// By which rule.
    pub rule: String,
    /// Steps between the newest headers that went by that rule: all that were looked at. Where one did not, there
    /// is no figure.
    pub confirmed_steps: usize,
}

/// What was paid above the base fee in the newest blocks, by percentile of their gas.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct PriorityFee {
    /// One tenth of the gas paid at most this.
    pub slow: Amount,
    /// Half of it.
    pub standard: Amount,
    /// Nine tenths.
    pub fast: Amount,
    /// Blocks that the figures are of, at most 20.
    pub block_count: usize,
    /// Transactions of those.
    pub tx_count: usize,
}

/// What a rollup takes for its L1, beside gas; prices are those that its newest block tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct L1DataFee {
    /// How transactions are weighed: `bedrock`, `ecotone` or `fjord`.
    pub rule: &'static str,
    /// Block of the L1 that the prices are of.
    pub l1_block_number: u64,
    /// Base fee of the L1, per gas.
    pub l1_base_fee: Amount,
    /// Blob base fee of the L1, per blob gas; null before Ecotone.
    pub l1_blob_base_fee: Option<Amount>,
    /// Scalar of the base fee, in millionths.
    pub base_fee_scalar: String,
    /// Scalar of the blob base fee, in millionths; null before Ecotone.
    pub blob_base_fee_scalar: Option<u32>,
    /// Gas added to every transaction; null since Ecotone.
    pub overhead: Option<String>,
    /// The operator fee of a gas: in millionths of a wei, since Jovian in hundreds of wei; null before Isthmus.
    pub operator_fee_scalar: Option<u32>,
    /// The operator fee of every transaction, in wei.
    pub operator_fee_constant: Option<String>,
    /// Gas that a byte of data counts as in a block; null before Jovian.
    pub da_footprint_gas_scalar: Option<u16>,
    /// The least that any transaction pays; null before Fjord.
    pub least: Option<Amount>,
    /// What half of the block's transactions paid at most; null where it has none.
    pub median: Option<Amount>,
    /// Transactions that those are.
    pub tx_count: usize,
}

/// The price that Linea's headers name in their extraData.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ExtraDataPrice {
    /// Of every gas.
    pub fixed_cost: Amount,
    /// Of every byte that goes to the L1.
    pub variable_cost: Amount,
    /// What nodes answer to `eth_gasPrice`.
    pub eth_gas_price: Amount,
}

/// What nodes say that gas costs (`eth_gasPrice`), where no header decides the next base fee. Nothing proves it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct NodePrice {
    /// Base fee and a tip, per gas: what half of the nodes say at most.
    pub gas_price: Amount,
    /// The lowest that was said.
    pub lowest: Amount,
    /// The highest.
    pub highest: Amount,
    /// `node_quorum`, or `one_node` where the service follows the chain through one alone.
    pub evidence: &'static str,
    /// Who said so, one node of each operator.
    pub nodes: Vec<String>,
    /// Seconds since they were asked.
    pub age_seconds: u64,
}

/// Bounds from above.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct FeeRateBounds {
    /// Of `slow`.
    pub slow: f64,
    /// Of `standard`.
    pub standard: f64,
    /// Of `fast`.
    pub fast: f64,
}

/// Fees of a ledger without gas, in its unit, by percentile of what was paid in the newest blocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct FeeRate {
    /// One tenth paid at most this.
    pub slow: f64,
    /// Half.
    pub standard: f64,
    /// Nine tenths.
    pub fast: f64,
    /// Of Bitcoin figures are means of blocks, bounded from below; these are bounded from above.
    pub at_most: Option<FeeRateBounds>,
    /// Blocks that the figures are of, at most 20.
    pub block_count: usize,
    /// Transactions that they are of; of Bitcoin blocks.
    pub count: usize,
}

/// How full blocks are, in parts of one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Utilisation {
    /// The newest: gas used of the gas limit.
    pub newest: f64,
    /// All of them together.
    pub mean: f64,
    /// How many, at most 20.
    pub block_count: usize,
}

/// How the base fee, or the mean fee rate of blocks, moved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct GasTrend {
    /// `rising` or `falling` by one percent or more, or `steady`.
    pub direction: &'static str,
    /// From the oldest of the blocks to the newest, in percent of the oldest.
    pub change_percent: f64,
    /// Over how many blocks, at most 20.
    pub block_count: usize,
}

/// A figure that is null, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct MissingFigure {
    /// Its name in the answer.
    pub figure: &'static str,
    /// Why there is none.
    pub why: String,
}

/// What a transaction costs on one chain. A figure that is not known is null, and `missing` says why.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ChainGas {
    /// Chain id.
    pub chain_id: ChainId,
    /// Name.
    pub name: String,
    /// Ledger family.
    pub family: Family,
    /// What fees are counted in, such as `wei per gas` or `sat/vB`.
    pub unit: &'static str,
    /// The newest verified block, which every figure but `node_price` is taken from, or from it and those before it.
    pub block: Option<GasBlock>,
    /// Base fee of that block, per gas.
    pub base_fee: Option<Amount>,
    /// Base fee of the next block, per gas.
    pub next_base_fee: Option<NextBaseFee>,
    /// What was paid above it.
    pub priority_fee: Option<PriorityFee>,
    /// Blob base fee of the next block, per blob gas.
    pub blob_base_fee: Option<Amount>,
    /// What is taken for the L1.
    pub l1_data_fee: Option<L1DataFee>,
    /// Price in the extraData of the header (Linea).
    pub extra_data_price: Option<ExtraDataPrice>,
    /// What nodes say that gas costs, where `next_base_fee` is null: their word, and no proof.
    pub node_price: Option<NodePrice>,
    /// Fees of a ledger without gas, in `unit`.
    pub fee_rate: Option<FeeRate>,
    /// How full blocks are.
    pub utilisation: Option<Utilisation>,
    /// How the price moved.
    pub trend: Option<GasTrend>,
    /// Figures that are null, and why.
    pub missing: Vec<MissingFigure>,
}

/// What a transaction costs on each chain.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Gas {
    /// In the order of the registry.
    pub chains: Vec<ChainGas>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gwei_are_exact() {
        for (wei, gwei) in [
            ("0", "0"),
            ("7", "0.000000007"),
            ("1000000000", "1"),
            ("1500000000", "1.5"),
            ("123456789012345678901", "123456789012.345678901"),
        ] {
            assert_eq!(Amount::of(wei).gwei, gwei);
        }
        assert_eq!(Amount::of(u128::MAX).gwei, "340282366920938463463374607431.768211455");
    }
}
