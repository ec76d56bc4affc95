//! Registry, with each chain's collection settings.

use axum::extract::State;
use superroot_chain::{ChainSpec, ProofScope, RulesReview, UnprovableRange};
use superroot_proof::ledger::NotProvable;
use superroot_proof::registry::HashRuleFrom;
use superroot_proof::superroot::reference_slot;
use superroot_types::{ChainKey, RowIndex};
use superroot_wire::chain as body;
use superroot_wire::chain::{ChainList, LeftOut};
use superroot_wire::paths;

use super::parts;
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::service::evidence::kind_of;
use crate::service::{Api, Shared};
use crate::status::{LEFT_OUT_MAX, stalled_after_ms};

pub(crate) async fn chains(State(service): State<Shared>) -> Result<ApiAnswer, ApiError> {
    let make = |api: &Api| {
        let rows = api.registry.rows().iter().enumerate();
        let chains = rows.map(|(position, row)| load_row(api, position, row));
        Ok(ApiAnswer::of(&ChainList { chains: chains.collect::<Result<_, _>>()? }))
    };
    service.page_of_state(paths::CHAINS, make).await
}

/// Registry row and collection settings of a chain.
fn load_row(api: &Api, position: usize, row: &ChainSpec) -> Result<body::ChainRow, ApiError> {
    let chain = row.key();
    let view = api.view(row);
    let latest = api.prover.latest();
    let anchored = latest.as_ref().and_then(|latest| api.anchored(latest, chain));
    let block = anchored.map(|anchored| api.prover.block(chain, anchored.number)).transpose();
    let block = block.map_err(|error| api.refuse_unproven(error))?;
    let evidence = block.as_ref().map(|block| api.prover.evidence(chain, block)).transpose();
    let evidence = evidence.map_err(|error| api.refuse_unproven(error))?.flatten();
    let evidence = evidence.as_ref();
    Ok(body::ChainRow {
        row: position,
        slot: RowIndex::at(position).map_or(u64::MAX, reference_slot),
        chain_id: row.id,
        name: row.name.clone(),
        slug: row.slug.clone(),
        family: row.family(),
        caip2: row.caip2.clone(),
        alias_ids: row.alias_ids.iter().map(u64::to_string).collect(),
        alias_words: row.alias_words.clone(),
        status: "collected",
        state: view.state.name().to_owned(),
        why: api.why(row, &view),
        rules: row.rules.iter().map(rule_from).collect(),
        rules_checked: row.rules_checked.as_ref().map(rules_checked),
        proves: proves(&row.ledger.proves()),
        proven_on: row.proven_on.clone(),
        unproven_rules: row.unproven_rules.clone(),
        unprovable: row.ledger.unprovable().iter().map(unprovable).collect(),
        block_time_ms: row.block_time_ms,
        stalled_after_ms: view
            .stalled_after_ms
            .unwrap_or_else(|| stalled_after_ms(row.block_time_ms)),
        strongest_evidence: row.evidence.name().to_owned(),
        evidence_in_use: evidence.map(|evidence| kind_of(evidence).to_owned()),
        finality_rule: evidence.map(|evidence| evidence.rule().to_owned()),
        watch: parts::watch(&view),
        anchored: anchored.as_ref().map(parts::reference),
        sources: view.sources.clone(),
        last_error: parts::last_error(&view),
        left_out: view.left_out.clone(),
        bodies_withheld: bodies_withheld(api, chain)?,
    })
}

/// Newest blocks stored without a body part, oldest first, at most [`LEFT_OUT_MAX`].
fn bodies_withheld(api: &Api, chain: ChainKey) -> Result<Vec<LeftOut>, ApiError> {
    let mut withheld = api.withheld_bodies(chain, LEFT_OUT_MAX)?;
    withheld.reverse();
    Ok(withheld.into_iter().map(|(number, reason)| LeftOut { number, reason }).collect())
}

fn rule_from(rule: &HashRuleFrom) -> body::RuleFrom {
    body::RuleFrom { from: rule.from_number, code: format!("0x{:04x}", rule.code) }
}

fn rules_checked(checked: &RulesReview) -> body::RulesChecked {
    let RulesReview { fork, source, date } = checked.clone();
    body::RulesChecked { fork, source, date }
}

fn proves(all: &ProofScope) -> body::Proves {
    let provable = |shown: Result<&'static str, NotProvable>| match shown {
        Ok(what) => body::Provable { is_provable: true, what, nearest: None },
        Err(refused) => {
            body::Provable { is_provable: false, what: refused.why, nearest: Some(refused.nearest) }
        }
    };
    body::Proves {
        transaction: provable(Ok(all.transaction)),
        event: provable(all.event),
        absence: provable(all.absence),
    }
}

fn unprovable(one: &UnprovableRange) -> body::Unprovable {
    let from = one.from_number;
    let to = one.to_number;
    body::Unprovable { from, to, what: one.what.to_string(), why: one.why.clone() }
}
