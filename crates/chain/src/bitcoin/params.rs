//! What differs between chains of the family, and how a row says it.

use superroot_types::SAFE_INTEGER_MAX;

use super::checkpoint::Checkpoint;
use super::target::target;
use crate::finality::FinalityRule;
use crate::ledger::{LedgerParams, NO_TRANSACTION_AT, Proves, Traits};
use crate::registry::RegistryError;
use crate::registry::fields::Fields;
use crate::unprovable::{Unprovable, UnprovablePart};

/// The easiest target that there is, in its compact form: every second hash is below it.
pub const EASY_BITS: u32 = 0x207f_ffff;

/// Constants of a chain; a row of the registry holds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// Easiest target allowed, in its compact form.
    pub target_limit_bits: u32,
    /// First number whose coinbase must begin with the height (BIP 34).
    pub coinbase_height_from: u64,
    /// Blocks that follow one from which on it counts as final: with 6, the head less 6. At least 1.
    pub confirmations: u64,
    /// How its target changes.
    pub retarget: Retarget,
    /// Headers that are known, rising: targets follow from them also where nothing before is held.
    pub checkpoints: Vec<Checkpoint>,
    /// Which blocks have parts that cannot be recomputed.
    pub unprovable: Vec<Unprovable>,
}

/// How a chain's target changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Retarget {
    /// Every 2016 blocks.
    Main,
    /// So too, but a block that comes more than 20 minutes after the one before may have the easiest
    /// target (the third test network).
    Test3,
    /// As the third test network, and what is adjusted is the target of the first block of the 2016,
    /// which is never an exception (BIP 94, the fourth test network).
    Test4,
    /// Never (regression tests).
    Never,
}

impl Retarget {
    /// The rule of that name: `main`, `test3`, `test4`, `never`.
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

impl LedgerParams for Params {
    fn read(fields: &mut Fields, _: u64) -> Result<Self, RegistryError> {
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
        let checkpoints = Checkpoint::read_all(fields)?;
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

    /// Of a chain whose work anybody can do, and whose target stays.
    fn simulated(&self) -> Self {
        Self {
            target_limit_bits: EASY_BITS,
            retarget: Retarget::Never,
            checkpoints: Vec::new(),
            ..self.clone()
        }
    }

    fn unprovable(&self) -> &[Unprovable] {
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
            proves: Proves {
                transaction: "its place, and its bytes but for the witnesses",
                event: Ok("an output of a transaction"),
                absence: Ok(NO_TRANSACTION_AT),
            },
        }
    }
}
