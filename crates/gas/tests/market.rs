//! Figures against facts of real blocks: `SUPERROOT_DATA/market`, whose README says how they were found.

use crate::real;

use alloy_primitives::U256;
use real::{Judge, rules_of, text, wei};
use serde_json::Value;
use superroot_chain::ChainRegistry;
use superroot_gas::base_fee::{OpParameters, Parent, next_base_fee};
use superroot_gas::blob::{BlobParent, blob_base_fee, next_excess};
use superroot_gas::l1_fee::{L1Attributes, L1Prices, calldata_gas};
use superroot_gas::tips::{PaidTip, percentiles};
use superroot_gas::{FeeRules, Figures, Sample};
use superroot_types::{BlockNumber, ChainId, ChainKey, Family};

/// A header as `gas.json` has it.
struct Told {
    number: BlockNumber,
    time: u64,
    base_fee: Option<u64>,
    gas_limit: u64,
    gas_used: u64,
    blob_gas_used: Option<u64>,
    excess_blob_gas: Option<u64>,
    extra_data: Vec<u8>,
}

impl Told {
    fn of(header: &Value) -> Self {
        Self {
            number: BlockNumber(header["number"].as_u64().unwrap()),
            time: header["timestamp"].as_u64().unwrap(),
            base_fee: wei(&header["baseFee"]),
            gas_limit: wei(&header["gasLimit"]).unwrap(),
            gas_used: wei(&header["gasUsed"]).unwrap(),
            blob_gas_used: wei(&header["blobGasUsed"]),
            excess_blob_gas: wei(&header["excessBlobGas"]),
            extra_data: const_hex::decode(text(&header["extraData"])).unwrap(),
        }
    }

    fn parent(&self) -> Parent<'_> {
        Parent {
            base_fee: self.base_fee,
            gas_limit: self.gas_limit,
            gas_used: self.gas_used,
            blob_gas_used: self.blob_gas_used,
            extra_data: &self.extra_data,
        }
    }
}

/// Each rule that real headers confirmed, exactly; and no number where no header decides it.
#[test]
fn every_step_between_real_headers_is_that_of_the_rule() {
    let Some(judge) = Judge::open() else { return };
    let (mut exact, mut none) = (0, 0);
    for row in judge.rows("gas.json") {
        let chain = row["chain"].as_u64().unwrap();
        let parent = Told::of(&row["parent"]);
        let rules = rules_of(chain);
        let says = next_base_fee(rules.base_fee(parent.number, parent.time), &parent.parent());
        let at = format!("{} {}", text(&row["network"]), parent.number);
        match wei(&row["expected_child_base_fee"]) {
            Some(expected) => {
                assert_eq!(says, Ok(expected), "{at}");
                assert_eq!(wei(&row["child"]["baseFee"]), Some(expected), "{at}");
                exact += 1;
            }
            None => {
                assert!(says.is_err(), "{at}: {says:?}");
                none += 1;
            }
        }
    }
    assert_eq!((exact, none), (134, 57), "every row was judged");
}

/// A header with another base fee than the rule gives takes the figure away. What rests on state is told only where
/// a step shows it.
#[test]
fn a_step_that_the_rule_does_not_give_leaves_no_figure() {
    let Some(judge) = Judge::open() else { return };
    let mut judged = std::collections::BTreeMap::new();
    for row in judge.rows("gas.json") {
        let id = ChainId(row["chain"].as_u64().unwrap());
        let (parent, child) = (Told::of(&row["parent"]), Told::of(&row["child"]));
        if wei(&row["expected_child_base_fee"]).is_none()
            || ChainRegistry::builtin().by_id(id).is_none()
        {
            continue;
        }
        let (rules, chain) = (rules_of(id.0), ChainKey { family: Family::Evm, id });
        let figures = |child: &Told| {
            let samples = [real::sample(child), real::sample(&parent)];
            Figures::of(chain, 12_000, &rules, &samples).next_base_fee
        };
        assert_eq!(figures(&child).unwrap().confirmed_steps, 1);
        let mut bent = Told::of(&row["child"]);
        bent.base_fee = bent.base_fee.map(|fee| fee + 1);
        assert!(figures(&bent).unwrap_err().0.contains("changed its rule"));
        let alone = Figures::of(chain, 12_000, &rules, &[real::sample(&child)]).next_base_fee;
        assert_eq!(alone.is_err(), id.0 == 534_352, "{alone:?}");
        *judged.entry(id.0).or_insert(0) += 1;
    }
    assert_eq!(judged, [(1, 35), (10, 49), (59_144, 5), (534_352, 18)].into());
}

impl real::ToSample for Told {
    fn to_sample(&self) -> Sample {
        let mut sample = real::blank(self.number, self.time);
        sample.header = Some(superroot_gas::SampleHeader {
            base_fee: self.base_fee,
            gas_limit: Some(self.gas_limit),
            gas_used: self.gas_used,
            blob_gas_used: self.blob_gas_used,
            excess_blob_gas: self.excess_blob_gas,
            extra_data: self.extra_data.clone(),
            settles_others: false,
        });
        sample
    }
}

#[test]
fn the_excess_of_blob_gas_is_that_of_real_headers() {
    let Some(judge) = Judge::open() else { return };
    let rows = judge.rows("gas.json");
    let rows: Vec<&Value> = rows.iter().filter(|row| row.get("blob").is_some()).collect();
    let mut decided = 0;
    for row in &rows {
        let (parent, child) = (Told::of(&row["parent"]), Told::of(&row["child"]));
        let mut blobs = rules_of(1).blobs.unwrap();
        if child.time < blobs[0].from_time {
            blobs[0].from_time = 0; // a test network, Cancun from its first block on
        }
        let before = BlobParent {
            blob_gas_used: parent.blob_gas_used.unwrap(),
            excess_blob_gas: parent.excess_blob_gas.unwrap(),
            base_fee: parent.base_fee.unwrap(),
        };
        let expected = wei(&row["blob"]["actual_excess"]).unwrap();
        assert_eq!(next_excess(&blobs, &before, child.time), Ok(expected), "{}", parent.number);
        decided += u32::from(row["blob"]["targets_that_match"].as_array().unwrap().len() == 1);
    }
    assert_eq!((rows.len(), decided), (14, 3));
}

/// 92 of 92: each fee is what the node of that chain says the transaction paid.
#[test]
fn l1_data_fees_are_those_that_real_transactions_paid() {
    let Some(judge) = Judge::open() else { return };
    let rows = judge.rows("gas-l1-data-fee.json");
    let mut blocks = real::Blocks::default();
    for row in &rows {
        let chain = row["chain"].as_u64().unwrap();
        let block = blocks.get(&judge, text(&row["block_file"]));
        let leaves = block.transactions().unwrap();
        let attributes = L1Attributes::read(&leaves[0]).unwrap();
        let told = &row["l1_attributes"];
        assert_eq!(Some(attributes.number), wei(&told["number"]));
        assert_eq!(Some(attributes.timestamp), wei(&told["time"]));
        assert_eq!(attributes.base_fee.to_string(), text(&told["base"]));
        match &attributes.prices {
            L1Prices::Bedrock { overhead, scalar } => {
                assert_eq!(overhead.to_string(), text(&told["overhead"]));
                assert_eq!(scalar.to_string(), text(&told["scalar"]));
            }
            L1Prices::Ecotone {
                base_fee_scalar,
                blob_base_fee_scalar,
                blob_base_fee,
                operator,
                da_footprint_gas_scalar,
            } => {
                assert_eq!(base_fee_scalar.to_string(), text(&told["base_scalar"]));
                assert_eq!(blob_base_fee_scalar.to_string(), text(&told["blob_scalar"]));
                assert_eq!(blob_base_fee.to_string(), text(&told["blob"]));
                assert_eq!(
                    operator.map(|operator| u64::from(operator.scalar)),
                    wei(&told["op_scalar"])
                );
                assert_eq!(operator.map(|operator| operator.constant), wei(&told["op_const"]));
                assert_eq!(
                    da_footprint_gas_scalar.map(u64::from),
                    wei(&told["da_footprint_gas_scalar"])
                );
            }
        }
        let hash = text(&row["tx"]).parse().unwrap();
        let index =
            block.transaction_hashes().unwrap().iter().position(|one| *one == hash).unwrap();
        let leaf = &leaves[index];
        assert_eq!(leaf.len() as u64, row["raw_len"].as_u64().unwrap());
        assert_eq!(calldata_gas(leaf), row["calldata_gas"].as_u64().unwrap());
        let weighing = attributes.weighing(block.timestamp().0, rules_of(chain).fjord.unwrap());
        assert!(text(&row["rule"]).contains(weighing.name()), "{row}");
        let fee = attributes.fee(weighing, leaf).unwrap();
        assert_eq!(fee.to_string(), text(&row["rpc_l1_fee_wei"]), "{}", text(&row["tx"]));
        let least = attributes.least(weighing).unwrap();
        assert!(least.is_none_or(|least| least <= fee && least > U256::ZERO));
    }
    assert_eq!(rows.len(), 92);
}

#[test]
fn tips_of_real_blocks_are_cut_where_eth_fee_history_cuts_them() {
    // `eth_feeHistory` counts the gas of deposits, which pay nothing and are left out here
    let by_hand = |paid: &[PaidTip], percent: u128| {
        let gas = |entries: &[PaidTip]| entries.iter().map(|one| u128::from(one.gas)).sum::<u128>();
        let reaches = |count: &usize| gas(&paid[..*count]) >= gas(paid) * percent / 100;
        let count = (1..=paid.len()).find(reaches).unwrap();
        paid[count - 1].tip.to_string()
    };
    let Some(judge) = Judge::open() else { return };
    let rows = judge.rows("gas-priority-percentiles.json");
    let mut blocks = real::Blocks::default();
    for row in &rows {
        let block = blocks.get(&judge, text(&row["block_file"]));
        let sample = real::read(block);
        let mut paid = sample.paid.unwrap();
        let at = text(&row["block_file"]);
        assert_eq!(paid.len() as u64, row["txs"].as_u64().unwrap(), "{at}");
        let cut = percentiles(&mut paid, [10, 25, 50, 75, 90]).unwrap();
        let expected = ["10", "25", "50", "75", "90"];
        let paid_gas: u64 = paid.iter().map(|one| one.gas).sum();
        let is_whole = paid_gas == sample.header.unwrap().gas_used;
        let expected = expected.map(|percent| match is_whole {
            true => text(&row["reward_percentiles_wei"][percent]).to_owned(),
            false => by_hand(&paid, percent.parse().unwrap()),
        });
        if at.ends_with("optimism-10/109860869.json.gz") {
            assert_eq!((is_whole, cut[2]), (false, 606_251));
        }
        assert_eq!(cut.map(|tip| tip.to_string()), expected, "{at}");
        let (least, most) = (paid.first().unwrap().tip, paid.last().unwrap().tip);
        assert_eq!(
            (least.to_string().as_str(), most.to_string().as_str()),
            (text(&row["min_tip"]), text(&row["max_tip"])),
            "{at}"
        );
        let free = paid.iter().filter(|one| one.tip == 0).count();
        assert_eq!(free as u64, row["zero_tip_txs"].as_u64().unwrap(), "{at}");
    }
    assert_eq!(rows.len(), 48);
}

/// What nodes answered to `eth_feeHistory`: each base fee follows from the one before it, and each blob base fee.
#[test]
fn answers_of_nodes_follow_the_rule() {
    let Some(judge) = Judge::open() else { return };
    let (mut steps, mut blob_steps) = (0, 0);
    for row in judge.rows("gas-feehistory-answers.json").iter().filter(|row| row["chain"] == 1) {
        let rules = rules_of(1);
        let answer = &row["result"];
        let oldest = row["oldest"].as_u64().unwrap();
        let fees = real::hexes(&answer["baseFeePerGas"]);
        let ratios = answer["gasUsedRatio"].as_array().unwrap();
        for (index, (pair, ratio)) in fees.windows(2).zip(ratios).enumerate() {
            if pair[0] == 0 {
                continue;
            }
            let number = BlockNumber(oldest + index as u64);
            // not told, and the same in all these blocks
            let gas_limit = 30_000_000;
            let gas_used = (ratio.as_f64().unwrap() * 30e6).round() as u64;
            let parent =
                Parent { base_fee: Some(pair[0]), gas_limit, gas_used, ..Parent::default() };
            let says = next_base_fee(rules.base_fee(number, 0), &parent).unwrap();
            assert_eq!(says, pair[1], "{number}");
            steps += 1;
        }
        let blob_fees = real::hexes(&answer["baseFeePerBlobGas"]);
        let Some(ratios) = answer["blobGasUsedRatio"].as_array() else { continue };
        for (pair, ratio) in blob_fees.windows(2).zip(ratios) {
            if pair[0] == 0 {
                continue;
            }
            let time = 1_710_338_135;
            let blobs = rules_of(1).blobs.unwrap();
            let fee = |excess| blob_base_fee(&blobs, excess, time).unwrap();
            let blob_gas_used = (ratio.as_f64().unwrap() * 786_432.0).round() as u64;
            let next = |excess_blob_gas| {
                let parent = BlobParent { blob_gas_used, excess_blob_gas, base_fee: 0 };
                fee(next_excess(&blobs, &parent, time).unwrap())
            };
            // excess is a whole number of blobs that is not told: the lowest and the highest that give the fee
            let (low, high) = (
                real::first_with(u128::from(pair[0]), fee),
                real::first_with(u128::from(pair[0]) + 1, fee) - 1,
            );
            let (least, most) = (next(low), next(high));
            assert!((least..=most).contains(&u128::from(pair[1])), "{pair:?}: {least} to {most}");
            blob_steps += 1;
        }
    }
    assert_eq!((steps, blob_steps), (30, 16));
}

#[test]
fn numbers_in_extra_data_are_read() {
    let Some(judge) = Judge::open() else { return };
    let rows = judge.rows("gas-op-parameters.json");
    for row in &rows {
        let read =
            OpParameters::read(&const_hex::decode(text(&row["extraData"])).unwrap()).unwrap();
        assert_eq!(Some(u64::from(read.version)), row["version"].as_u64());
        assert_eq!(Some(u64::from(read.denominator)), row["denominator"].as_u64());
        assert_eq!(Some(u64::from(read.elasticity)), row["elasticity"].as_u64());
        assert_eq!(read.min_base_fee, wei(&row["min_base_fee"]));
    }
    let linea = judge.rows("gas-linea-extradata.json");
    for row in &linea {
        let mut told = Told::of(&serde_json::json!({
            "number": 1, "timestamp": 1, "baseFee": row["base_fee"], "gasLimit": "2", "gasUsed": "1",
            "blobGasUsed": null, "excessBlobGas": null, "extraData": row["extraData_first13"],
        }));
        told.extra_data.resize(97, 0);
        let chain = ChainKey { family: Family::Evm, id: ChainId(59_144) };
        let figures = Figures::of(chain, 2_000, &rules_of(59_144), &[real::sample(&told)]);
        let price = figures.linea_price.unwrap();
        let kwei = |name: &str| row[name].as_u64().unwrap() * 1_000;
        assert_eq!(price.fixed_cost, kwei("fixed_cost_kwei"));
        assert_eq!(price.variable_cost, kwei("variable_cost_kwei"));
        assert_eq!(price.eth_gas_price, kwei("eth_gas_price_kwei"));
        assert_eq!(figures.next_base_fee.unwrap().wei, 7);
    }
    assert_eq!((rows.len(), linea.len()), (32, 28));
}

/// Chains whose base fee is said to be constant never had another in all headers at hand.
#[test]
fn constant_base_fees_are_constant_in_every_real_header() {
    let Some(judge) = Judge::open() else { return };
    let mut constant = 0;
    for row in judge.rows("gas-header-facts.json") {
        let chain = row["chain"].as_u64().unwrap();
        if row["with_base_fee"] == 0 || ![56, 59_144, 59_141].contains(&chain) {
            continue;
        }
        let rules: FeeRules = rules_of(chain);
        let says = next_base_fee(rules.base_fee(BlockNumber(1 << 40), 1 << 40), &Parent::default());
        let (least, most) = (wei(&row["min_base_fee"]), wei(&row["max_base_fee"]));
        assert_eq!((says.ok(), most), (least, least), "{row}");
        constant += 1;
    }
    assert_eq!(constant, 3);
}
