//! Messages for fees.

use super::parts::{all, hash};
use super::{
    ChainGas, ExtraDataPrice, FeeAmount, FeeRate, FeeRateBounds, GasBlock, GasTrend,
    GetGasResponse, L1DataFee, MissingFigure, NextBaseFee, NodePrice, PriorityFee, Utilisation,
};
use crate::gas;

impl From<gas::Amount> for FeeAmount {
    fn from(body: gas::Amount) -> Self {
        Self { wei: body.wei, gwei: body.gwei }
    }
}

impl From<gas::GasBlock> for GasBlock {
    fn from(body: gas::GasBlock) -> Self {
        Self {
            number: body.number.0,
            hash: hash(body.hash),
            timestamp: body.timestamp,
            finality: body.finality.to_owned(),
            age_seconds: body.age_seconds,
            proof_url: body.proof_url,
        }
    }
}

impl From<gas::NextBaseFee> for NextBaseFee {
    fn from(body: gas::NextBaseFee) -> Self {
        Self {
            amount: Some(body.amount.into()),
            rule: body.rule,
            confirmed_steps: body.confirmed_steps as u64,
        }
    }
}

impl From<gas::PriorityFee> for PriorityFee {
    fn from(body: gas::PriorityFee) -> Self {
        Self {
            slow: Some(body.slow.into()),
            standard: Some(body.standard.into()),
            fast: Some(body.fast.into()),
            block_count: body.block_count as u64,
            tx_count: body.tx_count as u64,
        }
    }
}

impl From<gas::L1DataFee> for L1DataFee {
    fn from(body: gas::L1DataFee) -> Self {
        Self {
            rule: body.rule.to_owned(),
            l1_block_number: body.l1_block_number,
            l1_base_fee: Some(body.l1_base_fee.into()),
            l1_blob_base_fee: body.l1_blob_base_fee.map(Into::into),
            base_fee_scalar: body.base_fee_scalar,
            blob_base_fee_scalar: body.blob_base_fee_scalar,
            overhead: body.overhead,
            operator_fee_scalar: body.operator_fee_scalar,
            operator_fee_constant: body.operator_fee_constant,
            da_footprint_gas_scalar: body.da_footprint_gas_scalar.map(u32::from),
            least: body.least.map(Into::into),
            median: body.median.map(Into::into),
            tx_count: body.tx_count as u64,
        }
    }
}

impl From<gas::ExtraDataPrice> for ExtraDataPrice {
    fn from(body: gas::ExtraDataPrice) -> Self {
        Self {
            fixed_cost: Some(body.fixed_cost.into()),
            variable_cost: Some(body.variable_cost.into()),
            eth_gas_price: Some(body.eth_gas_price.into()),
        }
    }
}

impl From<gas::NodePrice> for NodePrice {
    fn from(body: gas::NodePrice) -> Self {
        Self {
            gas_price: Some(body.gas_price.into()),
            lowest: Some(body.lowest.into()),
            highest: Some(body.highest.into()),
            evidence: body.evidence.to_owned(),
            nodes: body.nodes,
            age_seconds: body.age_seconds,
        }
    }
}

impl From<gas::FeeRateBounds> for FeeRateBounds {
    fn from(body: gas::FeeRateBounds) -> Self {
        Self { slow: body.slow, standard: body.standard, fast: body.fast }
    }
}

impl From<gas::FeeRate> for FeeRate {
    fn from(body: gas::FeeRate) -> Self {
        Self {
            slow: body.slow,
            standard: body.standard,
            fast: body.fast,
            at_most: body.at_most.map(Into::into),
            block_count: body.block_count as u64,
            count: body.count as u64,
        }
    }
}

impl From<gas::Utilisation> for Utilisation {
    fn from(body: gas::Utilisation) -> Self {
        Self { newest: body.newest, mean: body.mean, block_count: body.block_count as u64 }
    }
}

impl From<gas::GasTrend> for GasTrend {
    fn from(body: gas::GasTrend) -> Self {
        Self {
            direction: body.direction.to_owned(),
            change_percent: body.change_percent,
            block_count: body.block_count as u64,
        }
    }
}

impl From<gas::MissingFigure> for MissingFigure {
    fn from(body: gas::MissingFigure) -> Self {
        Self { figure: body.figure.to_owned(), why: body.why }
    }
}

impl From<gas::ChainGas> for ChainGas {
    fn from(body: gas::ChainGas) -> Self {
        Self {
            chain_id: body.chain_id.0,
            name: body.name,
            family: body.family.name().to_owned(),
            unit: body.unit.to_owned(),
            block: body.block.map(Into::into),
            base_fee: body.base_fee.map(Into::into),
            next_base_fee: body.next_base_fee.map(Into::into),
            priority_fee: body.priority_fee.map(Into::into),
            blob_base_fee: body.blob_base_fee.map(Into::into),
            l1_data_fee: body.l1_data_fee.map(Into::into),
            extra_data_price: body.extra_data_price.map(Into::into),
            fee_rate: body.fee_rate.map(Into::into),
            utilisation: body.utilisation.map(Into::into),
            trend: body.trend.map(Into::into),
            missing: all(body.missing),
            node_price: body.node_price.map(Into::into),
        }
    }
}

impl From<gas::Gas> for GetGasResponse {
    fn from(body: gas::Gas) -> Self {
        Self { chains: all(body.chains), v5_anchor: None }
    }
}
