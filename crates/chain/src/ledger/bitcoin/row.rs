//! The ledger in a chain's row: parameters and abilities.

use superroot_proof::finality::work::target;
use superroot_proof::ledger::Header;
use superroot_types::{BlockNumber, SAFE_INTEGER_MAX};

use super::checkpoint::DifficultyCheckpoint;
use super::due::check_due;
use super::params::{BitcoinParams, EASY_BITS, Retarget};
use crate::error::ChainError;
use crate::finality::FinalityRule;
use crate::ledger::{LedgerParams, NO_TRANSACTION_AT, ProofScope, Traits};
use crate::registry::ChainRegistryError;
use crate::registry::fields::TableFields;
use crate::unprovable::{UnprovablePart, UnprovableRange};

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

    fn check_due(
        &self,
        number: BlockNumber,
        header: &Header,
        before: &dyn Fn(BlockNumber) -> Option<Header>,
    ) -> Result<(), ChainError> {
        let Header::Bitcoin(header) = header else {
            return Ok(()); // of another ledger: nothing here is due for it
        };
        check_due(self, number, header, |number| match before(number)? {
            Header::Bitcoin(header) => Some(header),
            _ => None,
        })
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
