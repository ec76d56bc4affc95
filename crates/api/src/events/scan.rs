//! `GET /v5/scan/{chain}`, and the completeness proof for a search.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use superroot_accumulate::Published;
use superroot_accumulate::prove::ProveError;
use superroot_chain::ChainSpec;
use superroot_index::EventFilter;
use superroot_proof::bundle::{Policy, Verified};
use superroot_proof::scan::{
    self, ANYWHERE_MAX, SCAN_BLOCKS_MAX, SCAN_BYTES_MAX, Scan, ScanFacts, ScanFault, ScanFilter,
    ScanStatement,
};
use superroot_types::{Address, BlockNumber, Family, SuperRootRef};
use superroot_wire::Case;
use superroot_wire::scan::{Completeness, ScanAnswer, ScanShown};

use super::ask;
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::error::codes::NOT_FINAL;
use crate::input::{Caller, RequestInput};
use crate::seen::Conditional;
use crate::service::{Api, CancelFlag, ProverQuestion, Shared, fitted};

/// Largest page in bytes, except for a single larger block.
const PAGE_BYTES_MAX: usize = 4 << 20;
/// Memory units for a page, in hex, and its events.
const PAGE_ROOMS: u32 = 8;
/// Most blocks in a complete search.
const COMPLETE_BLOCKS_MAX: u64 = 64;

#[derive(Clone)]
pub(crate) struct ScanAsk {
    pub(crate) row: ChainSpec,
    pub(crate) filter: ScanFilter,
    pub(crate) from: BlockNumber,
    pub(crate) to: Option<BlockNumber>,
    pub(crate) fixed: Option<SuperRootRef>,
    pub(crate) has_note: bool,
    /// Whether the request wants the file instead of JSON.
    pub(crate) is_file: bool,
}

pub(super) async fn page(
    State(service): State<Shared>,
    caller: Caller,
    ask: RequestInput,
) -> Result<Response, ApiError> {
    let seen = ask.seen();
    let ask = ScanAsk::read(&service.api, &ask)?;
    caller.check_chain(ask.row.key())?;
    if seen.may_need_none() {
        let asked = ask.clone();
        let known = seen.clone();
        if let Some(head) = service.blocking(move |api| asked.head(api, &known)).await? {
            return Ok(head.into_response());
        }
    }
    Ok(answer(&service, ask, seen).await?.into_response())
}

async fn answer(service: &Shared, ask: ScanAsk, seen: Conditional) -> Result<ApiAnswer, ApiError> {
    let rooms = service.rooms(PAGE_ROOMS).await?;
    service
        .blocking_while_wanted(move |api, wanted| {
            let page = ask.page(api, wanted)?;
            wanted.check()?;
            let chain = ask.row.key();
            let next = ask.next_from(&page);
            let bytes = page.byte_count();
            let (answer, bytes) = if ask.is_file {
                (ApiAnswer::of_file(page.scan.encode()), bytes)
            } else {
                let shown = ScanShown::new(&page.scan, &page.facts);
                let not_proven = vec!["nextFromBlock"];
                let body = ScanAnswer { shown, next_from_block: next, not_proven };
                // the blob in hex, and of the events no more than as much again
                (ApiAnswer::spelled(&body, Case::Camel), bytes.saturating_mul(4))
            };
            let answer = answer.about(chain).under(page.published, ask.is_fixed()).tagged(&seen);
            Ok(answer.taking(fitted(rooms, bytes)))
        })
        .await
}

/// Proves that the events in a search are complete; `left_out` is the missing range end.
///
/// # Errors
/// Errors as in the route; 400 if the range is too long, or needs more receipts than a scan may have.
pub(super) fn complete(
    api: &Api,
    row: &ChainSpec,
    filter: &EventFilter,
    (from, to): (BlockNumber, BlockNumber),
    left_out: Option<&'static str>,
    wanted: &CancelFlag,
) -> Result<ProvenScan, ApiError> {
    let statement = statement_of(row, filter, (from, to), left_out)?;
    let which = api.prover.noted().map_err(|error| refuse_scan(api, error))?;
    let page = prove(api, row, statement, (which, true), (SCAN_BYTES_MAX, wanted))?;
    let last = page.facts.statement.to;
    if last < to {
        let expected = format!("a block whose receipts fit with those before it: up to {last}");
        return Err(ApiError::parameter("toBlock", &to.to_string(), expected));
    }
    Ok(page)
}

/// Checks for [`complete`] without reading blocks.
pub(super) fn check_complete(
    api: &Api,
    row: &ChainSpec,
    filter: &EventFilter,
    range: (BlockNumber, BlockNumber),
    left_out: Option<&'static str>,
) -> Result<(), ApiError> {
    let statement = statement_of(row, filter, range, left_out)?;
    let which = api.prover.noted().map_err(|error| refuse_scan(api, error))?;
    check(api, row, &statement, which)
}

fn statement_of(
    row: &ChainSpec,
    filter: &EventFilter,
    (from, to): (BlockNumber, BlockNumber),
    left_out: Option<&'static str>,
) -> Result<ScanStatement, ApiError> {
    check_ledger(row)?;
    let count = to.0.saturating_sub(from.0).saturating_add(1);
    if let Some(name) = left_out.filter(|_| count > COMPLETE_BLOCKS_MAX) {
        let expected = format!(
            "both fromBlock and toBlock with complete=1, of a range of at most {COMPLETE_BLOCKS_MAX} blocks"
        );
        return Err(ApiError::missing(name, expected));
    }
    if count > COMPLETE_BLOCKS_MAX {
        let last = from.0.saturating_add(COMPLETE_BLOCKS_MAX - 1);
        let expected =
            format!("at most {COMPLETE_BLOCKS_MAX} blocks with complete=1: up to {last}");
        return Err(ApiError::parameter("toBlock", &to.to_string(), expected));
    }
    let filter = scan_filter(filter, Vec::new())?;
    Ok(ScanStatement { chain: row.key(), from, to, filter })
}

/// Filter for a chain whose headers commit to its events.
pub(crate) fn filter_of(
    row: &ChainSpec,
    filter: &EventFilter,
    anywhere: Vec<superroot_types::Hash>,
) -> Result<ScanFilter, ApiError> {
    check_ledger(row)?;
    if anywhere.len() > ANYWHERE_MAX {
        let expected = format!("at most {ANYWHERE_MAX} topics, as many as an event has");
        return Err(ApiError::parameter("topic", &anywhere.len().to_string(), expected));
    }
    scan_filter(filter, anywhere)
}

/// Generates a page on a blocking thread, with its memory permit.
pub(crate) async fn make(
    service: &Shared,
    ask: ScanAsk,
) -> Result<(ScanAsk, ProvenScan), ApiError> {
    let _room = service.rooms(PAGE_ROOMS).await?;
    let make = move |api: &Api, wanted: &CancelFlag| ask.page(api, wanted).map(|page| (ask, page));
    service.blocking_while_wanted(make).await
}

impl ScanAsk {
    /// The next page's start, if this one ends before the range.
    pub(crate) fn next_from(&self, page: &ProvenScan) -> Option<BlockNumber> {
        let next = self.to.filter(|to| *to > page.facts.statement.to);
        next.map(|_| BlockNumber(page.facts.statement.to.0.saturating_add(1)))
    }

    fn read(api: &Api, ask: &RequestInput) -> Result<Self, ApiError> {
        let row = ask.chain(api, "chain")?.clone();
        check_ledger(&row)?;
        let anywhere = ask::topics_named(ask, "topic")?;
        let filter = filter_of(&row, &ask::filter(ask, row.family())?, anywhere)?;
        let (from, to) = ask::range(ask)?;
        let from = from.ok_or_else(|| ApiError::missing("fromBlock", "a block number"))?;
        let fixed = ask.fixed()?;
        let has_note = ask.is_set("note")?;
        Ok(Self { row, filter, from, to, fixed, has_note, is_file: ask.wants_file() })
    }

    fn page(&self, api: &Api, wanted: &CancelFlag) -> Result<ProvenScan, ApiError> {
        let (statement, at) = self.statement(api)?;
        prove(api, &self.row, statement, (at, self.has_note), (PAGE_BYTES_MAX, wanted))
    }

    /// Whether the address determines the whole answer; a note may still be cosigned.
    const fn is_fixed(&self) -> bool {
        self.fixed.is_some() && !self.has_note
    }

    /// Answer without a body, if the caller has it or sent HEAD. The check for a page reads no blocks.
    fn head(&self, api: &Api, seen: &Conditional) -> Result<Option<ApiAnswer>, ApiError> {
        let (statement, at) = self.statement(api)?;
        let published = api.prover.published(at);
        let published = published.map_err(|error| refuse_scan(api, error))?;
        let tag = self.is_fixed().then(|| seen.tag(&published, self.is_file));
        if seen.needs_body(tag.as_deref()) {
            return Ok(None);
        }
        check(api, &self.row, &statement, at)?;
        let answer = ApiAnswer::head(self.is_file).about(self.row.key());
        Ok(Some(answer.under(published, self.is_fixed()).tagged(seen)))
    }

    fn statement(&self, api: &Api) -> Result<(ScanStatement, SuperRootRef), ApiError> {
        let row = &self.row;
        let from = self.from;
        let which = match self.fixed {
            Some(fixed) => fixed,
            None if self.has_note => api.prover.noted().map_err(|error| refuse_scan(api, error))?,
            None => SuperRootRef::Latest,
        };
        let published = api.prover.published(which).map_err(|error| refuse_scan(api, error))?;
        let anchored = published.reference(row.key()).map(|(_, reference)| reference.number);
        let page_end = BlockNumber(from.0.saturating_add(SCAN_BLOCKS_MAX - 1));
        let to = self.to.unwrap_or_else(|| anchored.unwrap_or(from).min(page_end).max(from));
        let statement = ScanStatement { chain: row.key(), from, to, filter: self.filter.clone() };
        Ok((statement, SuperRootRef::Sequence(published.super_root.sequence)))
    }
}

pub(crate) struct ProvenScan {
    pub(crate) scan: Scan,
    pub(crate) facts: Verified<ScanFacts>,
    /// SuperRoot of the scan.
    pub(crate) published: Arc<Published>,
}

impl ProvenScan {
    pub(super) fn completeness(&self) -> Completeness {
        Completeness::new(&self.scan, &self.facts)
    }

    pub(super) fn byte_count(&self) -> usize {
        let headers = self.scan.headers.iter().map(Vec::len);
        let leaves = self.scan.receipts.iter().flat_map(|block| &block.leaves).map(Vec::len);
        headers.chain(leaves).sum()
    }
}

/// Generates a page and verifies it as a client would.
fn prove(
    api: &Api,
    row: &ChainSpec,
    statement: ScanStatement,
    (which, has_note): (SuperRootRef, bool),
    (bytes_max, wanted): (usize, &CancelFlag),
) -> Result<ProvenScan, ApiError> {
    let chain = row.key();
    let published = super_root_of(api, row, &statement, which)?;
    // one SuperRoot for the whole answer, even if the next is published meanwhile
    let at = SuperRootRef::Sequence(published.super_root.sequence);
    let scan = api.prover.prove_scan(statement, at, bytes_max);
    let mut scan = scan.map_err(|error| refuse_scan(api, error))?;
    wanted.check()?; // to check it takes as long again
    if has_note {
        let noted = api.prover.with_note(scan.last);
        scan.last = noted.map_err(|error| refuse_scan(api, error))?;
    }
    let policy = Policy::strict(api.registry.proof_registry());
    let facts = scan::verify_anchored(&scan, &policy, &published.hash).map_err(|error| {
        tracing::error!(chain.id = %chain, %error, "generated scan failed verification");
        ApiError::internal()
    })?;
    Ok(ProvenScan { scan, facts, published })
}

/// Checks that both ends are in the SuperRoot, and that nothing was withdrawn.
fn check(
    api: &Api,
    row: &ChainSpec,
    statement: &ScanStatement,
    which: SuperRootRef,
) -> Result<(), ApiError> {
    let published = super_root_of(api, row, statement, which)?;
    let at = SuperRootRef::Sequence(published.super_root.sequence);
    let checked = api.prover.check_scan(statement, at);
    checked.map(drop).map_err(|error| refuse_scan(api, error))
}

/// SuperRoot for a scan without withdrawn blocks.
fn super_root_of(
    api: &Api,
    row: &ChainSpec,
    statement: &ScanStatement,
    which: SuperRootRef,
) -> Result<Arc<Published>, ApiError> {
    let chain = row.key();
    api.still_stands(chain, statement.from)?;
    if let Some(from) = api.contested(chain)?.filter(|from| *from <= statement.to) {
        let detail = format!(
            "blocks of chain {chain} from {from} on are taken back at the moment, and nothing is shown of \
             them"
        );
        return Err(ApiError::new(NOT_FINAL, detail).about(chain));
    }
    api.prover.published(which).map_err(|error| refuse_scan(api, error))
}

/// Checks that the chain's headers commit to its events.
fn check_ledger(row: &ChainSpec) -> Result<(), ApiError> {
    match row.ledger.check_bloom() {
        Ok(()) if row.family() == Family::Evm => Ok(()),
        Ok(()) => Err(ApiError::not_provable(row.key(), "its headers commit to no receipts")),
        Err(why) => Err(ApiError::not_provable(row.key(), &why.to_string())),
    }
}

/// Converts a search filter to a scan filter.
fn scan_filter(
    filter: &EventFilter,
    anywhere: Vec<superroot_types::Hash>,
) -> Result<ScanFilter, ApiError> {
    let address = |bytes: &Vec<u8>| bytes.as_slice().try_into().map(Address);
    let addresses: Result<Vec<_>, _> = filter.addresses.iter().map(address).collect();
    // addresses of the family were read as 20 bytes
    let addresses = addresses.map_err(|_| ApiError::internal())?;
    ScanFilter::new(addresses, filter.topics.clone(), anywhere).map_err(|fault| match fault {
        ScanFault::Filter { what, got, max } => {
            ApiError::parameter("address", &format!("{got} {what}"), format!("at most {max}"))
        }
        _ => ApiError::internal(),
    })
}

fn refuse_scan(api: &Api, error: ProveError) -> ApiError {
    api.refuse_question(ProverQuestion::Scan, error)
}
