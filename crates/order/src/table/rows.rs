//! Rows of `protocols.toml`, as they are written there.

use std::collections::BTreeMap;

use alloy_primitives::Address;
use serde::Deserialize;

use crate::state::OrderState;

/// Event expected by a protocol in a state.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Awaited {
    pub(crate) event: String,
    pub(crate) at: OrderSide,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OrderSide {
    Origin,
    Destination,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContractRow {
    pub(super) chain: u64,
    #[serde(default)]
    pub(super) lane: String,
    pub(super) peer: Option<u64>,
    pub(super) asset: Option<u64>,
    pub(super) addresses: Vec<Address>,
}

/// Partial fill rule: `sum` (filled so far) is below `of`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FilledRule {
    pub(crate) sum: String,
    pub(crate) of: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EventRow {
    pub(super) form: String,
    pub(super) is: String,
    #[serde(flatten)]
    pub(super) rule: EventFields,
}

/// An event's possible cause, and thus its evidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Cause {
    /// The protocol's contracts compared the event with their own or their signers' data.
    #[default]
    Protocol,
    /// Anyone, with any terms: no evidence without a stored opening.
    Anyone,
}

/// Source of an id's uniqueness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum IdSource {
    /// Contract hash over the terms.
    Hash,
    /// Contract counter.
    Number,
    /// The caller's choice.
    Caller,
    /// No id: only equal terms join the sides.
    Terms,
}

/// Kind of an event if two of its words are equal.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Instead {
    pub(crate) equal: (String, String),
    pub(crate) is: String,
}

/// Amount computed from several events of an order.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PaidRule {
    pub(crate) event: String,
    pub(crate) name: String,
    /// Source amount in the event.
    pub(crate) from: String,
    /// Amount in the opening to subtract.
    pub(crate) less: Option<String>,
    /// Amount from an earlier step that replaces the source amount.
    pub(crate) now: Option<String>,
}

/// Event fields to read, as listed in `protocols.toml`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct EventFields {
    pub(crate) id: Option<String>,
    pub(crate) at: Option<OrderSide>,
    pub(crate) origin: Option<String>,
    pub(crate) origin_is: Option<u64>,
    pub(crate) origin_is_peer: bool,
    pub(crate) destination: Option<String>,
    pub(crate) destination_is_peer: bool,
    pub(crate) terms: Vec<String>,
    pub(crate) token_out: Option<String>,
    pub(crate) amounts: Vec<Vec<String>>,
    pub(crate) deadline: Option<String>,
    pub(crate) swap_deadline: Option<String>,
    pub(crate) filled: Option<FilledRule>,
    pub(crate) fails_unless: Option<(String, u64)>,
    pub(crate) awaits: Option<String>,
    pub(crate) awaits_at: Option<OrderSide>,
    pub(crate) stuck: Option<String>,
    pub(crate) by: Cause,
    pub(crate) needs_with: bool,
    pub(crate) equal: Vec<(String, String)>,
    pub(crate) nonzero: Option<String>,
    pub(crate) sent_by: Option<String>,
    pub(crate) instead: Option<Instead>,
    pub(crate) implies: Option<OrderState>,
    pub(crate) lifetime_s: Option<u64>,
    pub(crate) receipt: bool,
    pub(crate) bridge: Option<String>,
    pub(crate) each: Vec<String>,
    pub(crate) range: Option<(String, String)>,
    pub(crate) join: Option<String>,
    pub(crate) with: Option<String>,
    pub(crate) derive: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProtocolRow {
    pub(super) number: u8,
    pub(super) name: String,
    pub(super) id: String,
    pub(super) id_by: IdSource,
    pub(super) deposit: Option<String>,
    pub(super) numbering: Option<String>,
    pub(super) terminal: Vec<OrderState>,
    #[serde(default)]
    pub(super) is_replaceable: bool,
    #[serde(default)]
    pub(super) fails_for_good: bool,
    #[serde(default)]
    pub(super) joins_in_lane: bool,
    #[serde(default)]
    pub(super) paid: Vec<PaidRule>,
    #[serde(default)]
    pub(super) called: BTreeMap<String, Vec<String>>,
    pub(super) next: BTreeMap<OrderState, Awaited>,
    pub(super) not_provable: Option<String>,
    #[serde(default)]
    pub(super) is_wrapper: bool,
    #[serde(default)]
    pub(super) contracts: Vec<ContractRow>,
    pub(super) contracts_of: Option<String>,
    pub(super) event: Vec<EventRow>,
}

/// A protocol's chain numbers or names.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Numbering {
    #[serde(default)]
    pub(super) chains: Vec<(u64, u64)>,
    #[serde(default)]
    pub(super) names: Vec<(String, u64)>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TokenRow {
    pub(super) symbol: String,
    pub(super) decimals: u8,
    #[serde(default)]
    pub(super) at: Vec<(u64, Address)>,
    #[serde(default)]
    pub(super) native: Vec<u64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProtocolsFile {
    pub(super) protocol: Vec<ProtocolRow>,
    pub(super) numbering: BTreeMap<String, Numbering>,
    pub(super) token: Vec<TokenRow>,
}

impl ProtocolRow {
    pub(super) fn fault(&self, what: &str) -> String {
        format!("{}: {what}", self.name)
    }

    /// Contracts of this row, or of the row that this row names.
    pub(super) fn find_contracts<'a>(
        &'a self,
        rows: &'a [Self],
    ) -> Result<&'a [ContractRow], String> {
        let Some(of) = &self.contracts_of else { return Ok(&self.contracts) };
        let named = rows.iter().find(|one| one.name == *of);
        named.map(|one| one.contracts.as_slice()).ok_or_else(|| self.fault("contracts_of"))
    }

    pub(super) fn find_numbering(
        &self,
        numberings: &BTreeMap<String, Numbering>,
    ) -> Result<Option<Numbering>, String> {
        let Some(name) = &self.numbering else { return Ok(None) };
        let known = numberings.get(name).cloned();
        known.map(Some).ok_or_else(|| self.fault("numbering"))
    }
}
