//! `POST /bloom/query`.

use std::collections::BTreeSet;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use serde_json::{Map, Value};
use superroot_chain::ChainSpec;
use superroot_index::bloom::{BloomEvidence, BloomQuestion};
use superroot_proof::scan::check_bloom;
use superroot_store::read;
use superroot_types::{Address, BlockNumber, Hash, SAFE_INTEGER_MAX, TWIG_BLOCKS};
use superroot_wire::bloom::{BloomAnswer, BloomQuery, BloomResult, WithoutBloom};
use superroot_wire::logs::Searched;
use superroot_wire::{Hex, paths};

use super::ask::{check_range, parse_topic};
use super::index_gaps::refuse_search;
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::input::{Caller, describe, find_chain, only_members, parse_integer, read_json, text_of};
use crate::service::{Api, CancelFlag, Shared};

/// Most blocks per chain in an answer.
const BLOCKS_MAX: u64 = 1 << 20;
/// Most blocks in an answer over all chains, shared equally in whole twigs.
const ALL_BLOCKS_MAX: u64 = 4 << 20;
/// Most candidates listed per chain.
const LISTED_MAX: usize = 1000;
pub(crate) const TOPICS_MAX: usize = 5;
pub(crate) const CHAINS_MAX: usize = 64;
const MEMBERS: [&str; 6] = ["address", "topic", "topics", "chain_ids", "from_block", "to_block"];

pub(crate) struct BloomAsk {
    pub(crate) address: Option<Address>,
    pub(crate) topics: Vec<Hash>,
    /// `None`: every chain; chains without blooms are left out, with the reason.
    pub(crate) chains: Option<Vec<ChainSpec>>,
    pub(crate) from: Option<BlockNumber>,
    pub(crate) to: Option<BlockNumber>,
}

pub(super) async fn query(
    State(service): State<Shared>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Result<ApiAnswer, ApiError> {
    let body = read_json(&service, &headers, body).await?;
    let ask = BloomAsk::read(&service.api, &body)?;
    Ok(ApiAnswer::of(&answer(&service, caller, ask).await?))
}

/// Answer from the blooms, without chains outside the key's scope.
pub(crate) async fn answer(
    service: &Shared,
    caller: Caller,
    ask: BloomAsk,
) -> Result<BloomAnswer, ApiError> {
    let mut named = ask.chains.iter().flatten();
    named.try_for_each(|row| caller.check_chain(row.key()))?;
    let in_scope = move |row: &ChainSpec| caller.check_chain(row.key()).is_ok();
    service.blocking_while_wanted(move |api, wanted| ask.answer(api, in_scope, wanted)).await
}

impl BloomAsk {
    fn read(api: &Api, body: &Value) -> Result<Self, ApiError> {
        let none = Map::new();
        let members = body.as_object().unwrap_or(&none);
        only_members(members, "", &MEMBERS)?;
        let given = |name: &str| members.get(name).filter(|value| !value.is_null());
        let address = given("address").map(|value| {
            let parsed = value.as_str().and_then(|text| text.parse().ok());
            let expected = "0x and 40 hex digits (an address of 20 bytes)";
            parsed.ok_or_else(|| ApiError::parameter("address", &describe(value), expected))
        });
        let topic = |name: &'static str, value: &Value| -> Result<Hash, ApiError> {
            let expected =
                "0x and 64 hex digits, or a signature such as Transfer(address,address,uint256)";
            let wrong = || ApiError::parameter(name, &describe(value), expected);
            parse_topic(name, value.as_str().ok_or_else(wrong)?)
        };
        let mut topics = Vec::new();
        topics.extend(given("topic").map(|value| topic("topic", value)).transpose()?);
        for value in list(given("topics"), "topics", TOPICS_MAX - 1)? {
            topics.push(topic("topics", value)?);
        }
        let address = address.transpose()?;
        let chains = given("chain_ids").map(|_| list(given("chain_ids"), "chain_ids", CHAINS_MAX));
        let chains = chains.transpose()?.map(|named| {
            named
                .iter()
                .map(|one| find_chain(api, "chain_ids", &text_of(one)).cloned())
                .collect::<Result<Vec<_>, _>>()
        });
        let from = number(members, "from_block")?;
        let to = number(members, "to_block")?;
        let chains = chains.transpose()?;
        Self { address, topics, chains, from, to }.checked()
    }

    /// Refuses an empty query, and a range that ends before its start. Repeated chains are merged.
    pub(crate) fn checked(mut self) -> Result<Self, ApiError> {
        if self.address.is_none() && self.topics.is_empty() {
            return Err(ApiError::missing("address", "an address, a topic, or both"));
        }
        check_range((self.from, self.to), ("from_block", "to_block"))?;
        let mut seen = BTreeSet::new();
        self.chains.iter_mut().for_each(|chains| chains.retain(|row| seen.insert(row.key())));
        Ok(self)
    }

    fn answer(
        &self,
        api: &Api,
        in_scope: impl Fn(&ChainSpec) -> bool,
        wanted: &CancelFlag,
    ) -> Result<BloomAnswer, ApiError> {
        let mut results = Vec::new();
        let mut left_out = Vec::new();
        let every: Vec<ChainSpec>;
        let rows = match &self.chains {
            Some(named) => named,
            None => {
                let rows = api.registry.rows().iter();
                every = rows.filter(|row| in_scope(row)).cloned().collect();
                &every
            }
        };
        let with_blooms = rows.iter().filter(|row| row.ledger.check_bloom().is_ok()).count();
        let blocks_max = blocks_of_each(with_blooms as u64);
        let mut refused = None;
        for row in rows {
            wanted.check()?;
            if let Err(without) = row.ledger.check_bloom() {
                let why = format!("on {}, {without}", row.name);
                refused.get_or_insert_with(|| ApiError::not_provable(row.key(), &why));
                left_out.push(WithoutBloom { chain_id: row.id, why });
                continue;
            }
            match self.of_chain(api, row, blocks_max)? {
                Ok(result) => results.push(result),
                Err(why) => left_out.push(WithoutBloom { chain_id: row.id, why }),
            }
        }
        // where nothing that was named can ever be answered, the request is refused
        let is_named = self.chains.is_some();
        if let Some(refused) = refused.filter(|_| is_named && results.is_empty()) {
            return Err(refused);
        }
        let address = self.address.map(|address| Hex(address.0.to_vec()));
        let query = BloomQuery { address, topics: self.topics.clone() };
        Ok(BloomAnswer { query, results, left_out })
    }

    /// URL for the first page of a scan that proves absence.
    fn scan_url(&self, row: &ChainSpec, from: BlockNumber, to: BlockNumber) -> String {
        let mut url = format!("{}?fromBlock={from}&toBlock={to}", paths::scan(row.id));
        if let Some(address) = &self.address {
            url += &format!("&address={address}");
        }
        if !self.topics.is_empty() {
            let mut topics: Vec<String> = self.topics.iter().map(ToString::to_string).collect();
            topics.sort_unstable();
            topics.dedup();
            url += &format!("&topic={}", topics.join(","));
        }
        url
    }

    /// Result for one chain, or the reason for none.
    fn of_chain(
        &self,
        api: &Api,
        row: &ChainSpec,
        blocks_max: u64,
    ) -> Result<Result<BloomResult, String>, ApiError> {
        let SearchRange { begin, last, end } = match self.range_of(api, row, blocks_max)? {
            Ok(range) => range,
            Err(why) => return Ok(Err(why)),
        };
        let items: Vec<Vec<u8>> = self
            .address
            .iter()
            .map(|address| address.0.to_vec())
            .chain(self.topics.iter().map(|topic| topic.0.to_vec()))
            .collect();
        let question = BloomQuestion { items, from: begin, to: last, listed_max: LISTED_MAX };
        let found = api.blooms.search(api.prover.store(), row, &question);
        let found = found.map_err(refuse_search)?;
        let outside_bloom = outside_bloom(row, begin, last);
        let is_scanned = found.scanned > 0;
        let by_headers = found.evidence == BloomEvidence::HeaderBlooms && outside_bloom.is_none();
        // of a block that is not held nothing is said, so it is no absence from the range
        let is_whole = is_scanned && found.missing == 0;
        let is_absent = is_whole && found.count == 0 && outside_bloom.is_none();
        let is_shown = is_absent && by_headers;
        Ok(Ok(BloomResult {
            chain_id: row.id,
            scanned: is_scanned.then_some(Searched { from: begin, to: last }),
            answer: if is_absent { "absent" } else { "possible" },
            evidence: if by_headers { "header_blooms" } else { "own_filter" },
            candidate_blocks: found.listed,
            candidate_count: found.count,
            header_candidate_count: found.by_headers,
            missing_count: found.missing,
            false_positive_rate: is_scanned.then_some(found.false_positive_rate),
            outside_bloom,
            next_from_block: (last < end).then(|| BlockNumber(last.0.saturating_add(1))),
            scan_proof: is_shown.then(|| self.scan_url(row, begin, last)),
            proof: outside_bloom
                .is_none()
                .then(|| paths::BLOCK_PROOF.replace("{chain}", &row.id.to_string())),
        }))
    }

    /// Final blocks of a chain to search, or the reason for none.
    fn range_of(
        &self,
        api: &Api,
        row: &ChainSpec,
        blocks_max: u64,
    ) -> Result<Result<SearchRange, String>, ApiError> {
        let chain = row.key();
        let state = read::load_chain_state(api.prover.store(), chain);
        let state = state.map_err(ApiError::of_store)?;
        let Some((state, indexed)) = state.and_then(|state| Some((state.clone(), state.indexed?)))
        else {
            return Ok(Err("no final block of it is held".to_owned()));
        };
        let contested = api.not_final_from(chain)?;
        let newest = contested.map_or(indexed.number, |from| {
            BlockNumber(from.0.saturating_sub(1)).min(indexed.number)
        });
        // where no end is named: the newest block of which a proof can be shown now
        let latest = api.prover.latest();
        let anchored = latest.and_then(|latest| Some(api.anchored(&latest, chain)?.number));
        let end = self.to.or(anchored).map_or(newest, |to| to.min(newest));
        let begin = self.from.unwrap_or(BlockNumber((end.0 + 1).saturating_sub(blocks_max)));
        let begin = begin.max(state.start);
        let last = BlockNumber(begin.0.saturating_add(blocks_max - 1)).min(end);
        if begin > last {
            let start = state.start;
            return Ok(Err(format!(
                "no block of the range is final here: it is held from {start} to {newest}"
            )));
        }
        Ok(Ok(SearchRange { begin, last, end }))
    }
}

/// Blocks of one chain to search.
struct SearchRange {
    begin: BlockNumber,
    last: BlockNumber,
    /// Last block of the whole range; above `last` if it needs more answers.
    end: BlockNumber,
}

/// Most blocks per chain for a number of chains.
fn blocks_of_each(chains: u64) -> u64 {
    let share = ALL_BLOCKS_MAX / chains.max(1);
    BLOCKS_MAX.min(share / TWIG_BLOCKS * TWIG_BLOCKS)
}

/// Reason why headers in the range prove no absence. Anything that a scan verifier cannot bind does not count.
fn outside_bloom(row: &ChainSpec, from: BlockNumber, to: BlockNumber) -> Option<&'static str> {
    let unbound = || check_bloom(row.key(), from, row.rule_at(from)?).err();
    row.ledger.logs_outside_bloom(from, to).or_else(unbound)
}

fn list<'a>(
    value: Option<&'a Value>,
    name: &'static str,
    most: usize,
) -> Result<&'a [Value], ApiError> {
    let Some(value) = value else { return Ok(&[]) };
    let items = value.as_array().filter(|items| (1..=most).contains(&items.len()));
    let expected = format!("a list of 1 to {most}");
    items.map(Vec::as_slice).ok_or_else(|| ApiError::parameter(name, &describe(value), expected))
}

fn number(
    members: &Map<String, Value>,
    name: &'static str,
) -> Result<Option<BlockNumber>, ApiError> {
    let Some(value) = members.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
    let expected = "a block number below 2^53";
    let number = parse_integer(name, &text_of(value), SAFE_INTEGER_MAX, expected)?;
    Ok(Some(BlockNumber(number)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_bounded_however_many_chains_it_is_about() {
        for chains in 0..=CHAINS_MAX as u64 {
            let each = blocks_of_each(chains);
            assert!(each >= TWIG_BLOCKS && each.is_multiple_of(TWIG_BLOCKS), "{chains}: {each}");
            assert!(each <= BLOCKS_MAX && each * chains <= ALL_BLOCKS_MAX, "{chains}: {each}");
        }
        assert_eq!((blocks_of_each(1), blocks_of_each(18)), (1_048_576, 231_424));
    }
}
