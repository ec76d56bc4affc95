//! Fee figures: wei amounts with gwei equivalents, and a reason for each `null`.

use superroot_chain::ChainSpec;
use superroot_gas::l1_fee::L1Prices;
use superroot_gas::ledgers::unit_of;
use superroot_gas::tips::Tips;
use superroot_gas::{Figure, Figures, L1FeeFigure, LedgerFeeRate, LineaPrice, PriceDirection};
use superroot_wire::gas as body;
use superroot_wire::gas::{Amount, ChainGas, GasBlock, MissingFigure};

pub(super) fn chain_gas(row: &ChainSpec, block: Option<GasBlock>, figures: &Figures) -> ChainGas {
    let mut missing = MissingFigures(Vec::new());
    let next = missing.or_why("next_base_fee", &figures.next_base_fee);
    let used = missing.or_why("utilisation", &figures.used);
    let trend = missing.or_why("trend", &figures.trend);
    let linea = missing.or_why("extra_data_price", &figures.linea_price);
    let gas = ChainGas {
        chain_id: row.id,
        name: row.name.clone(),
        family: row.family(),
        unit: unit_of(row.family()),
        block,
        base_fee: missing.or_why("base_fee", &figures.base_fee).map(Amount::of),
        next_base_fee: next.map(|next| body::NextBaseFee {
            amount: Amount::of(next.wei),
            rule: next.rule.clone(),
            confirmed_steps: next.confirmed_steps,
        }),
        priority_fee: missing.or_why("priority_fee", &figures.tips).map(priority_fee),
        blob_base_fee: missing.or_why("blob_base_fee", &figures.blob_base_fee).map(Amount::of),
        l1_data_fee: missing.or_why("l1_data_fee", &figures.l1_data_fee).map(l1_data_fee),
        extra_data_price: linea.map(extra_data_price),
        node_price: None,
        fee_rate: missing.or_why("fee_rate", &figures.rate).map(fee_rate),
        utilisation: used.map(|used| body::Utilisation {
            newest: used.newest,
            mean: used.mean,
            block_count: used.block_count,
        }),
        trend: trend.map(|trend| body::GasTrend {
            direction: match trend.direction {
                PriceDirection::Rising => "rising",
                PriceDirection::Falling => "falling",
                PriceDirection::Steady => "steady",
            },
            change_percent: trend.change_percent,
            block_count: trend.block_count,
        }),
        missing: Vec::new(),
    };
    ChainGas { missing: missing.0, ..gas }
}

/// Reasons for `null` figures.
struct MissingFigures(Vec<MissingFigure>);

impl MissingFigures {
    /// Returns the figure, or notes the reason under its name.
    fn or_why<'a, T>(&mut self, figure: &'static str, known: &'a Figure<T>) -> Option<&'a T> {
        match known {
            Ok(known) => Some(known),
            Err(why) => {
                self.0.push(MissingFigure { figure, why: why.to_string() });
                None
            }
        }
    }
}

fn priority_fee(tips: &Tips) -> body::PriorityFee {
    body::PriorityFee {
        slow: Amount::of(tips.slow),
        standard: Amount::of(tips.standard),
        fast: Amount::of(tips.fast),
        block_count: tips.block_count,
        tx_count: tips.tx_count,
    }
}

fn l1_data_fee(fee: &L1FeeFigure) -> body::L1DataFee {
    let attributes = &fee.attributes;
    let mut shown = body::L1DataFee {
        rule: fee.weighing.name(),
        l1_block_number: attributes.number,
        l1_base_fee: Amount::of(attributes.base_fee),
        l1_blob_base_fee: None,
        base_fee_scalar: String::new(),
        blob_base_fee_scalar: None,
        overhead: None,
        operator_fee_scalar: None,
        operator_fee_constant: None,
        da_footprint_gas_scalar: None,
        least: fee.least.map(Amount::of),
        median: fee.median.map(Amount::of),
        tx_count: fee.tx_count,
    };
    match &attributes.prices {
        L1Prices::Bedrock { overhead, scalar } => {
            shown.base_fee_scalar = scalar.to_string();
            shown.overhead = Some(overhead.to_string());
        }
        L1Prices::Ecotone {
            base_fee_scalar,
            blob_base_fee_scalar,
            blob_base_fee,
            operator,
            da_footprint_gas_scalar,
        } => {
            shown.da_footprint_gas_scalar = *da_footprint_gas_scalar;
            shown.base_fee_scalar = base_fee_scalar.to_string();
            shown.blob_base_fee_scalar = Some(*blob_base_fee_scalar);
            shown.l1_blob_base_fee = Some(Amount::of(blob_base_fee));
            shown.operator_fee_scalar = operator.map(|operator| operator.scalar);
            shown.operator_fee_constant = operator.map(|operator| operator.constant.to_string());
        }
    }
    shown
}

fn extra_data_price(price: &LineaPrice) -> body::ExtraDataPrice {
    body::ExtraDataPrice {
        fixed_cost: Amount::of(price.fixed_cost),
        variable_cost: Amount::of(price.variable_cost),
        eth_gas_price: Amount::of(price.eth_gas_price),
    }
}

fn fee_rate(rate: &LedgerFeeRate) -> body::FeeRate {
    let at_most =
        rate.at_most.map(|[slow, standard, fast]| body::FeeRateBounds { slow, standard, fast });
    body::FeeRate {
        slow: rate.slow,
        standard: rate.standard,
        fast: rate.fast,
        at_most,
        block_count: rate.block_count,
        count: rate.count,
    }
}
