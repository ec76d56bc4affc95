use superroot_proof::finality::anchor::{AnchorContract, AnchorForm};
use superroot_types::BlockNumber;

use super::encoding::{Encoding, EncodingFrom};
use crate::finality::FinalityRule;
use crate::ledger::{LedgerParams, NO_TRANSACTION_AT, ProofScope, Traits};
use crate::registry::ChainRegistryError;
use crate::registry::fields::TableFields;
use crate::unprovable::{UnprovablePart, UnprovableRange};

const ANCHORS_MAX: usize = 32;
const ENCODINGS_MAX: usize = 32;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvmParams {
    /// Encodings by start number, ascending, from the first rule on.
    pub encodings: Vec<EncodingFrom>,
    pub unprovable: Vec<UnprovableRange>,
    /// Whether nodes show final blocks only, so that the newest block is final.
    pub final_when_seen: bool,
    /// Contracts on Ethereum with the chain's blocks; empty for chains without.
    pub anchors: Vec<AnchorRow>,
}

/// A contract on Ethereum, from a block there on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnchorRow {
    pub kind: AnchorForm,
    pub contract: AnchorContract,
}

impl EvmParams {
    /// Parameters of a chain with one encoding and no unprovable blocks.
    #[must_use]
    pub fn of(encoding: Encoding, from_number: u64) -> Self {
        let encodings = vec![EncodingFrom { from_number, encoding }];
        Self { encodings, unprovable: Vec::new(), final_when_seen: false, anchors: Vec::new() }
    }

    /// Encoding in force at a number; `None` before the first.
    #[must_use]
    pub fn encoding_at(&self, number: BlockNumber) -> Option<Encoding> {
        let from = self.encodings.iter().rev().find(|from| from.from_number <= number.0)?;
        Some(from.encoding)
    }
}

impl LedgerParams for EvmParams {
    fn read(fields: &mut TableFields, first_number: u64) -> Result<Self, ChainRegistryError> {
        let encodings = encodings(fields, first_number)?;
        let is_of_evm = |part: &UnprovablePart| *part != UnprovablePart::BodyWithNodeSized;
        let unprovable = fields.unprovable(is_of_evm)?;
        let final_when_seen = fields.flag("final_when_seen")?;
        Ok(Self { encodings, unprovable, final_when_seen, anchors: anchors(fields)? })
    }

    fn simulated(&self) -> Self {
        let first = self.encodings.first().map_or(0, |first| first.from_number);
        Self { anchors: self.anchors.clone(), ..Self::of(Encoding::Ethereum, first) }
    }

    fn unprovable(&self) -> &[UnprovableRange] {
        &self.unprovable
    }

    fn logs_outside_bloom(&self, from: BlockNumber, to: BlockNumber) -> Option<&'static str> {
        let last = self.encodings.partition_point(|one| one.from_number <= to.0);
        let first = self.encodings.partition_point(|one| one.from_number <= from.0);
        let in_force = self.encodings.get(first.saturating_sub(1)..last)?;
        in_force.iter().find_map(|one| one.encoding.logs_outside_bloom())
    }

    fn traits(&self) -> Traits {
        Traits {
            default_finality: match self.final_when_seen {
                true => FinalityRule::Latest,
                false => FinalityRule::Tag,
            },
            has_finality_tag: true,
            has_websocket: true,
            body_may_come_later: true,
            has_watchable_events: true,
            has_due_headers: false,
            binds_parent: true,
            bloom: Ok(()),
            proves: ProofScope {
                transaction: "its place, its bytes, and its receipt",
                event: Ok("a log: its place in the receipt, and all of it"),
                absence: Ok(NO_TRANSACTION_AT),
            },
        }
    }
}

/// Reads the encodings; the first starts with the first rule.
fn encodings(
    fields: &mut TableFields,
    first_number: u64,
) -> Result<Vec<EncodingFrom>, ChainRegistryError> {
    let expected = "a list of 1 to 32 encodings, as the chain is collected";
    let encodings = fields.tables("encodings", expected, ENCODINGS_MAX, |fields, before| {
        let before = before.map(|before: &EncodingFrom| before.from_number);
        let from_number = fields.rising("from", before)?;
        let expected = "the name of an encoding of the chain's family";
        let encoding = fields.choice("name", expected, Encoding::from_name)?;
        Ok(EncodingFrom { from_number, encoding })
    })?;
    match encodings.first().map(|first| first.from_number) {
        Some(first) if first == first_number => Ok(encodings),
        first => {
            let got = first.map_or_else(String::new, |first| first.to_string());
            Err(fields.wrong("encodings[0].from", got, "the number of the first rule"))
        }
    }
}

/// Reads the contracts on Ethereum, by rising block there, all in the same form.
fn anchors(fields: &mut TableFields) -> Result<Vec<AnchorRow>, ChainRegistryError> {
    if !fields.has("anchors") {
        return Ok(Vec::new());
    }
    let expected = "a list of 1 to 32 contracts on Ethereum";
    fields.tables("anchors", expected, ANCHORS_MAX, |fields, before: Option<&AnchorRow>| {
        let from = fields.rising("from", before.map(|before| before.contract.from.0))?;
        let expected = "registry or outbox, one for all";
        let kind = fields.choice("kind", expected, |name| {
            let kind = match name {
                "registry" => AnchorForm::Registry,
                "outbox" => AnchorForm::Outbox,
                _ => return None,
            };
            Some(kind).filter(|kind| before.is_none_or(|before| before.kind == *kind))
        })?;
        let address = fields.choice("address", "an address", |text| text.parse().ok())?;
        Ok(AnchorRow { kind, contract: AnchorContract { from: BlockNumber(from), address } })
    })
}
