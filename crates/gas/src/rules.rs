//! Fee rules of each chain: `fees.toml`.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use alloy_eips::eip7840::{BLOB_BASE_COST, BlobParams};
use serde::Deserialize;
use superroot_chain::ChainSpec;
use superroot_chain::Encoding;
use superroot_chain::ledger::Ledger;
use superroot_types::{BlockNumber, ChainId};

use crate::NoFigure;
use crate::base_fee::{BaseFeeRule, BaseFeeStep, GasTarget};
use crate::blob::BlobRule;

const ROWS: &str = include_str!("../fees.toml");

const SIMULATED: NoFigure = NoFigure::of("blocks of simulated chains carry no such data");
const NO_BLOBS: NoFigure = NoFigure::of("the chain takes no blobs");
const NO_L1: NoFigure = NoFigure::of("the chain is no rollup: there is no L1 that data is put on");
const NO_RULE: NoFigure = NoFigure::of("the rule of its base fee is not known here");

#[derive(Clone, Debug, PartialEq)]
pub struct FeeRules {
    eras: Vec<Era>,
    /// Blob rules by start time, ascending, never empty.
    pub blobs: Result<Vec<BlobRule>, NoFigure>,
    /// Fjord time of an OP-stack chain (weighing by compressed bytes), or the reason for an unknown L1 data fee.
    pub fjord: Result<u64, NoFigure>,
    /// Whether the first entry of a block is the producer's.
    pub skips_first: bool,
    /// Whether entries without payment are the producer's.
    pub skips_free: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct Era {
    from_number: u64,
    from_time: u64,
    rule: BaseFeeRule,
}

impl FeeRules {
    /// Rules of an EVM chain. A simulated chain follows Ethereum's base fee, whatever the name.
    #[must_use]
    pub fn of(row: &ChainSpec, is_simulated: bool) -> Self {
        if is_simulated {
            let always = Self::always(BaseFeeRule::EIP_1559);
            return Self { blobs: Err(SIMULATED), fjord: Err(SIMULATED), ..always };
        }
        let rules = builtin().get(&row.id).cloned();
        rules.unwrap_or_else(|| Self::unlisted(row))
    }

    /// Rules of an operator's own chain: OP-stack headers have the parameters.
    fn unlisted(row: &ChainSpec) -> Self {
        let Ledger::Evm(params) = &row.ledger else {
            return Self::always(BaseFeeRule::Elsewhere(NO_RULE));
        };
        let newest = params.encoding_at(BlockNumber(u64::MAX));
        if !matches!(newest, Some(Encoding::OpStack | Encoding::CeloL2)) {
            return Self::always(BaseFeeRule::Elsewhere(NO_RULE));
        }
        let moves =
            BaseFeeStep { target: GasTarget::Elasticity(0), denominator: 0, floor: 0, overhead: 0 };
        Self { fjord: Ok(0), ..Self::always(BaseFeeRule::OpStack(moves)) }
    }

    /// One rule for all blocks, without blobs or L1: for newly started chains.
    #[must_use]
    pub fn always(rule: BaseFeeRule) -> Self {
        Self {
            eras: vec![Era { from_number: 0, from_time: 0, rule }],
            blobs: Err(NO_BLOBS),
            fjord: Err(NO_L1),
            skips_first: false,
            skips_free: false,
        }
    }

    /// Base fee rule after a block with this number and time.
    #[must_use]
    pub fn base_fee(&self, number: BlockNumber, time: u64) -> &BaseFeeRule {
        const NONE: &BaseFeeRule = &BaseFeeRule::Elsewhere(NO_RULE);
        let mut eras = self.eras.iter().rev();
        let era = eras.find(|era| era.from_number <= number.0 && era.from_time <= time);
        era.map_or(NONE, |era| &era.rule)
    }
}

fn builtin() -> &'static BTreeMap<ChainId, FeeRules> {
    static RULES: OnceLock<BTreeMap<ChainId, FeeRules>> = OnceLock::new();
    RULES.get_or_init(|| parse(ROWS).expect("fees.toml is read by the tests of every build"))
}

fn parse(text: &str) -> Result<BTreeMap<ChainId, FeeRules>, toml::de::Error> {
    let table: FeesFile = toml::from_str(text)?;
    Ok(table.chain.into_iter().map(|row| (ChainId(row.id), row.rules())).collect())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FeesFile {
    chain: Vec<FeeRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FeeRow {
    id: u64,
    base_fee: Vec<BaseFee>,
    #[serde(default)]
    blobs: Vec<Blobs>,
    no_blobs: Option<String>,
    fjord: Option<u64>,
    no_l1_fee: Option<String>,
    #[serde(default)]
    tips: Vec<TipRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BaseFee {
    #[serde(default)]
    from_number: u64,
    #[serde(default)]
    from_time: u64,
    rule: RuleName,
    elasticity: Option<u32>,
    percent: Option<u32>,
    #[serde(default)]
    denominator: u32,
    #[serde(default)]
    floor: u64,
    #[serde(default)]
    overhead: u64,
    #[serde(default)]
    wei: u64,
    why: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RuleName {
    Eip1559,
    OpStack,
    Constant,
    Elsewhere,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Blobs {
    from_time: u64,
    target: u64,
    max: u64,
    fraction: u32,
    least: u64,
    #[serde(default)]
    reserve: bool,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum TipRule {
    SkipFirst,
    SkipFree,
}

impl FeeRow {
    fn rules(self) -> FeeRules {
        let blobs = match (self.blobs.is_empty(), self.no_blobs) {
            (false, _) => Ok(self.blobs.iter().map(Blobs::rule).collect()),
            (true, Some(why)) => Err(NoFigure::new(why)),
            (true, None) => Err(NO_BLOBS),
        };
        let fjord = self.fjord.ok_or_else(|| self.no_l1_fee.map_or(NO_L1, NoFigure::new));
        FeeRules {
            eras: self.base_fee.into_iter().map(BaseFee::era).collect(),
            blobs,
            fjord,
            skips_first: self.tips.contains(&TipRule::SkipFirst),
            skips_free: self.tips.contains(&TipRule::SkipFree),
        }
    }
}

impl BaseFee {
    fn era(self) -> Era {
        let target = match self.percent {
            Some(percent) => GasTarget::Percent(percent),
            None => GasTarget::Elasticity(self.elasticity.unwrap_or(0)),
        };
        let Self { denominator, floor, overhead, .. } = self;
        let moves = BaseFeeStep { target, denominator, floor, overhead };
        let rule = match self.rule {
            RuleName::Eip1559 => BaseFeeRule::Eip1559(moves),
            RuleName::OpStack => BaseFeeRule::OpStack(moves),
            RuleName::Constant => BaseFeeRule::Constant(self.wei),
            RuleName::Elsewhere => BaseFeeRule::Elsewhere(self.why.map_or(NO_RULE, NoFigure::new)),
        };
        Era { from_number: self.from_number, from_time: self.from_time, rule }
    }
}

impl Blobs {
    fn rule(&self) -> BlobRule {
        let params = BlobParams {
            target_blob_count: self.target,
            max_blob_count: self.max,
            update_fraction: self.fraction.into(),
            min_blob_fee: self.least.into(),
            max_blobs_per_tx: self.max,
            blob_base_cost: if self.reserve { BLOB_BASE_COST } else { 0 },
        };
        BlobRule { from_time: self.from_time, params }
    }
}

#[cfg(test)]
mod tests {
    use superroot_chain::ChainRegistry;
    use superroot_types::Family;

    use super::*;

    #[test]
    fn every_chain_of_the_family_has_rules_and_nothing_else_has() {
        let rules = parse(ROWS).unwrap();
        let rows = ChainRegistry::builtin().rows().iter().filter(|row| row.family() == Family::Evm);
        let ids: Vec<ChainId> = rows.map(|row| row.id).collect();
        assert!(ids.iter().all(|id| rules.contains_key(id)), "{ids:?}");
        assert_eq!(rules.len(), ids.len());
    }

    #[test]
    fn rules_are_in_force_from_the_number_or_time_on_that_they_name() {
        let optimism = ChainRegistry::builtin().find("optimism").unwrap();
        let rules = FeeRules::of(optimism, false);
        let denominator = |number, time| match rules.base_fee(BlockNumber(number), time) {
            BaseFeeRule::OpStack(moves) => Some(moves.denominator),
            _ => None,
        };
        assert_eq!(denominator(105_235_062, 0), None);
        assert_eq!(denominator(105_235_063, 1_704_992_400), Some(50));
        assert_eq!(denominator(114_696_812, 1_704_992_401), Some(250));
        for row in ChainRegistry::builtin().rows() {
            for rules in [FeeRules::of(row, false), FeeRules::of(row, true)] {
                assert!(
                    rules.eras.is_sorted_by_key(|era| (era.from_number, era.from_time))
                        || row.id.0 == 10
                );
                if let Ok(blobs) = &rules.blobs {
                    assert!(blobs.is_sorted_by_key(|one| one.from_time) && !blobs.is_empty());
                }
            }
        }
    }

    /// The schedule of Ethereum's blobs is that of the crate that clients use.
    #[test]
    fn the_blob_schedule_is_that_of_clients() {
        let rules = FeeRules::of(ChainRegistry::builtin().find("ethereum").unwrap(), false);
        let known = [
            BlobParams::cancun(),
            BlobParams::prague(),
            BlobParams::osaka(),
            BlobParams::bpo1(),
            BlobParams::bpo2(),
        ];
        for (rule, known) in rules.blobs.unwrap().iter().zip(known) {
            assert_eq!(
                BlobParams { max_blobs_per_tx: known.max_blobs_per_tx, ..rule.params },
                known
            );
        }
    }
}
