//! Transaction cost on each chain (`GET /search-api/v5/gas`).

use serde::Serialize;
use superroot_types::{BlockNumber, ChainId, Family, Hash};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

/// Amount in wei and gwei.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Amount {
    /// Wei, as a decimal number.
    pub wei: String,
    /// Exact amount in gwei.
    pub gwei: String,
}

impl Amount {
    /// Creates an amount from wei.
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

/// Block behind the figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct GasBlock {
    /// Block number.
    pub number: BlockNumber,
    /// Block hash.
    pub hash: Hash,
    /// Unix seconds.
    pub timestamp: u64,
    /// `head` (may be undone), `finalized` or `anchored`.
    pub finality: &'static str,
    /// Block age in seconds.
    pub age_seconds: u64,
    /// Proof URL; available once the block is anchored, with `?level=1` or `2` before.
    pub proof_url: String,
}

/// The next block's base fee.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct NextBaseFee {
    /// Amount per gas.
    #[serde(flatten)]
    pub amount: Amount,
    /// Fee rule.
    pub rule: String,
    /// Steps between the newest headers that match the rule. If any breaks it, there is no figure.
    pub confirmed_steps: usize,
}

/// Priority fee above the base fee in the newest blocks, by gas percentile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct PriorityFee {
    /// One tenth of the gas paid at most this amount.
    pub slow: Amount,
    /// Half of the gas paid at most this amount.
    pub standard: Amount,
    /// Nine tenths of the gas paid at most this amount.
    pub fast: Amount,
    /// Number of blocks behind the figures, at most 20.
    pub block_count: usize,
    /// Number of transactions in the blocks.
    pub tx_count: usize,
}

/// L1 fee of a rollup, charged in addition to gas; prices are from the newest rollup block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct L1DataFee {
    /// Rule to weigh transactions: `bedrock`, `ecotone` or `fjord`.
    pub rule: &'static str,
    /// L1 block number behind the prices.
    pub l1_block_number: u64,
    /// L1 base fee per gas.
    pub l1_base_fee: Amount,
    /// L1 blob base fee per blob gas; null before Ecotone.
    pub l1_blob_base_fee: Option<Amount>,
    /// Base fee scalar, in millionths.
    pub base_fee_scalar: String,
    /// Blob base fee scalar, in millionths; null before Ecotone.
    pub blob_base_fee_scalar: Option<u32>,
    /// Gas added to every transaction; null since Ecotone.
    pub overhead: Option<String>,
    /// Operator fee per gas: in millionths of a wei, since Jovian in hundreds of wei; null before Isthmus.
    pub operator_fee_scalar: Option<u32>,
    /// Operator fee per transaction, in wei.
    pub operator_fee_constant: Option<String>,
    /// Block gas counted per data byte; null before Jovian.
    pub da_footprint_gas_scalar: Option<u16>,
    /// Minimum fee per transaction; null before Fjord.
    pub least: Option<Amount>,
    /// Median fee in the block; null without transactions.
    pub median: Option<Amount>,
    /// Number of transactions behind the median.
    pub tx_count: usize,
}

/// Price from the extraData field in Linea headers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ExtraDataPrice {
    /// Fixed cost per gas.
    pub fixed_cost: Amount,
    /// Variable cost per byte sent to the L1.
    pub variable_cost: Amount,
    /// Node answer to `eth_gasPrice`.
    pub eth_gas_price: Amount,
}

/// Gas price by node answers (`eth_gasPrice`), for chains without a next base fee in the headers. Not proven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct NodePrice {
    /// Base fee plus tip, per gas: median of the node answers.
    pub gas_price: Amount,
    /// Lowest answer.
    pub lowest: Amount,
    /// Highest answer.
    pub highest: Amount,
    /// `node_quorum`, or `one_node` if the service follows the chain through a single node.
    pub evidence: &'static str,
    /// Answering nodes, one per operator.
    pub nodes: Vec<String>,
    /// Seconds since the nodes were asked.
    pub age_seconds: u64,
}

/// Upper bounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct FeeRateBounds {
    /// Upper bound for `slow`.
    pub slow: f64,
    /// Upper bound for `standard`.
    pub standard: f64,
    /// Upper bound for `fast`.
    pub fast: f64,
}

/// Fees of a ledger without gas, in the ledger's unit, by percentile of fees paid in the newest blocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct FeeRate {
    /// One tenth paid at most this fee.
    pub slow: f64,
    /// Half paid at most this fee.
    pub standard: f64,
    /// Nine tenths paid at most this fee.
    pub fast: f64,
    /// Upper bounds. For Bitcoin, `slow`, `standard` and `fast` are block means and lower bounds.
    pub at_most: Option<FeeRateBounds>,
    /// Number of blocks behind the figures, at most 20.
    pub block_count: usize,
    /// Number of transactions behind the figures; for Bitcoin, blocks.
    pub count: usize,
}

/// Block utilisation, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Utilisation {
    /// Newest block: gas used divided by gas limit.
    pub newest: f64,
    /// All blocks together.
    pub mean: f64,
    /// Number of blocks, at most 20.
    pub block_count: usize,
}

/// Trend of the base fee, or of the mean fee rate per block.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct GasTrend {
    /// `rising` or `falling` by one percent or more, or `steady`.
    pub direction: &'static str,
    /// Change from the oldest to the newest block, in percent of the oldest.
    pub change_percent: f64,
    /// Number of blocks, at most 20.
    pub block_count: usize,
}

/// Null figure and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct MissingFigure {
    /// Member name.
    pub figure: &'static str,
    /// Reason.
    pub why: String,
}

/// Transaction cost on one chain. An unknown figure is null, and `missing` gives the reason.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ChainGas {
    /// Chain id.
    pub chain_id: ChainId,
    /// Chain name.
    pub name: String,
    /// Ledger family.
    pub family: Family,
    /// Fee unit, such as `wei per gas` or `sat/vB`.
    pub unit: &'static str,
    /// Newest verified block: source of every figure except `node_price`, some with the blocks before.
    pub block: Option<GasBlock>,
    /// Base fee of the newest verified block, per gas.
    pub base_fee: Option<Amount>,
    /// The next block's base fee, per gas.
    pub next_base_fee: Option<NextBaseFee>,
    /// Priority fee above the base fee.
    pub priority_fee: Option<PriorityFee>,
    /// Blob base fee of the next block, per blob gas.
    pub blob_base_fee: Option<Amount>,
    /// L1 fee of a rollup.
    pub l1_data_fee: Option<L1DataFee>,
    /// Price from the extraData field of the header (Linea).
    pub extra_data_price: Option<ExtraDataPrice>,
    /// Gas price by node answers, if `next_base_fee` is null; not proven.
    pub node_price: Option<NodePrice>,
    /// Fees of a ledger without gas, in `unit`.
    pub fee_rate: Option<FeeRate>,
    /// Block utilisation.
    pub utilisation: Option<Utilisation>,
    /// Price trend.
    pub trend: Option<GasTrend>,
    /// Null figures, with reasons.
    pub missing: Vec<MissingFigure>,
}

/// Transaction cost on each chain.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Gas {
    /// Chains in registry order.
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
