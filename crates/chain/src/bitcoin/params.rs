use superroot_types::SAFE_INTEGER_MAX;

use super::checkpoint::DifficultyCheckpoint;
use super::target::target;
use crate::finality::FinalityRule;
use crate::ledger::{LedgerParams, NO_TRANSACTION_AT, ProofScope, Traits};
use crate::registry::ChainRegistryError;
use crate::registry::fields::TableFields;
use crate::unprovable::{UnprovablePart, UnprovableRange};

/// Easiest possible target in compact form: every second hash is below the target.
pub const EASY_BITS: u32 = 0x207f_ffff;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitcoinParams {
    /// Easiest allowed target, in compact form.
    pub target_limit_bits: u32,
    /// First number with a mandatory height at the start of the coinbase (BIP 34).
    pub coinbase_height_from: u64,
    /// Following blocks required for finality: with 6, the head minus 6. At least 1.
    pub confirmations: u64,
    pub retarget: Retarget,
    /// Known headers, ascending: a base for targets even without stored previous headers.
    pub checkpoints: Vec<DifficultyCheckpoint>,
    pub unprovable: Vec<UnprovableRange>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Retarget {
    /// Every 2016 blocks.
    Main,
    /// As `Main`, but a block more than 20 minutes after the previous block may have the easiest target (third test
    /// network).
    Test3,
    /// As `Test3`, but adjusted from the target of the first of 2016 blocks, never an exception (BIP 94, fourth test
    /// network).
    Test4,
    /// Never (regression tests).
    Never,
}

impl Retarget {
    /// Reads a rule name: `main`, `test3`, `test4`, `never`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "main" => Some(Self::Main),
            "test3" => Some(Self::Test3),
            "test4" => Some(Self::Test4),
            "never" => Some(Self::Never),
            _ => None,
        }
    }
}

impl LedgerParams for BitcoinParams {
    fn read(fields: &mut TableFields, _: u64) -> Result<Self, ChainRegistryError> {
        let expected = "the compact form of the easiest target";
        let bits = fields.integer("target_limit_bits", expected, u64::from(u32::MAX))?;
        let canonical = u32::try_from(bits).ok().filter(|bits| target(*bits).is_some());
        let target_limit_bits = canonical
            .ok_or_else(|| fields.wrong("target_limit_bits", format!("{bits:#010x}"), expected))?;
        let expected = "a block number below 2^53";
        let coinbase_height_from =
            fields.integer("coinbase_height_from", expected, SAFE_INTEGER_MAX)?;
        let expected = "an integer from 1 to 10,000";
        let confirmations = fields.integer("confirmations", expected, 10_000)?;
        if confirmations == 0 {
            return Err(fields.wrong("confirmations", "0", expected));
        }
        let expected = "main, test3, test4 or never";
        let retarget = fields.choice("retarget", expected, Retarget::from_name)?;
        let checkpoints = DifficultyCheckpoint::read_all(fields)?;
        let is_of_bitcoin = |part: &UnprovablePart| *part == UnprovablePart::BodyWithNodeSized;
        let unprovable = fields.unprovable(is_of_bitcoin)?;
        Ok(Self {
            target_limit_bits,
            coinbase_height_from,
            confirmations,
            retarget,
            checkpoints,
            unprovable,
        })
    }

    /// Simulated chain: trivial work and a constant target.
    fn simulated(&self) -> Self {
        Self {
            target_limit_bits: EASY_BITS,
            retarget: Retarget::Never,
            checkpoints: Vec::new(),
            ..self.clone()
        }
    }

    fn unprovable(&self) -> &[UnprovableRange] {
        &self.unprovable
    }

    fn traits(&self) -> Traits {
        Traits {
            default_finality: FinalityRule::Confirmations(self.confirmations),
            has_finality_tag: false,
            has_websocket: false,
            body_may_come_later: false,
            has_watchable_events: false,
            has_due_headers: true,
            binds_parent: true,
            bloom: Err(super::NO_BLOOM),
            proves: ProofScope {
                transaction: "its place, and its bytes but for the witnesses",
                event: Ok("an output of a transaction"),
                absence: Ok(NO_TRANSACTION_AT),
            },
        }
    }
}
