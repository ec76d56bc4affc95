//! `GET /v5/scan/{chain}`, and what shows that a search is complete.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use superroot_accumulate::Published;
use superroot_accumulate::prove::{ProveError, Which};
use superroot_chain::ChainRow;
use superroot_index::Filter;
use superroot_proof::bundle::{Policy, Verified};
use superroot_proof::scan::{
    self, ANYWHERE_MAX, SCAN_BLOCKS_MAX, SCAN_BYTES_MAX, Scan, ScanFacts, ScanFault, ScanFilter,
    ScanStatement,
};
use superroot_types::{Address, BlockNumber, Family, Network};
use superroot_wire::Case;
use superroot_wire::scan::{Completeness, ScanAnswer, ScanShown};

use super::ask;
use crate::ApiError;
use crate::answer::Answer;
use crate::error::codes::NOT_FINAL;
use crate::input::{Ask, Caller};
use crate::seen::Seen;
use crate::service::{Api, Shared, Wanted, fitted};

/// Bytes of a page, but for one whose only block has more.
const PAGE_BYTES_MAX: usize = 4 << 20;
/// Room of a page, in hex, and its events.
const PAGE_ROOMS: u32 = 8;
/// Blocks of which one search is shown to be complete, at most.
const COMPLETE_BLOCKS_MAX: u64 = 64;

/// What is asked for.
#[derive(Clone)]
pub(crate) struct ScanAsk {
    pub(crate) row: ChainRow,
    pub(crate) filter: ScanFilter,
    pub(crate) from: BlockNumber,
    pub(crate) to: Option<BlockNumber>,
    pub(crate) fixed: Option<Which>,
    pub(crate) has_note: bool,
    /// Whether the file is wanted, and no JSON.
    pub(crate) is_file: bool,
}

/// `GET /v5/scan/{chain}`
pub(super) async fn page(
    State(service): State<Shared>,
    caller: Caller,
    ask: Ask,
) -> Result<Response, ApiError> {
    let seen = ask.seen();
    let ask = ScanAsk::read(&service.api, &ask)?;
    caller.check_chain(ask.row.key())?;
    if seen.may_need_none() {
        let (asked, known) = (ask.clone(), seen.clone());
        if let Some(head) = service.blocking(move |api| asked.head(api, &known)).await? {
            return Ok(head.into_response());
        }
    }
    Ok(answer(&service, ask, seen).await?.into_response())
}

async fn answer(service: &Shared, ask: ScanAsk, seen: Seen) -> Result<Answer, ApiError> {
    let rooms = service.rooms(PAGE_ROOMS).await?;
    service
        .blocking_while_wanted(move |api, wanted| {
            let page = ask.page(api, wanted)?;
            wanted.check()?;
            let chain = ask.row.key();
            let next = ask.next_from(&page);
            let bytes = page.byte_count();
            let (answer, bytes) = if ask.is_file {
                (Answer::of_file(page.scan.encode()), bytes)
            } else {
                let shown = ScanShown::new(&page.scan, &page.facts);
                let not_proven = vec!["nextFromBlock"];
                let body = ScanAnswer { shown, next_from_block: next, not_proven };
                // the blob in hex, and of the events no more than as much again
                (Answer::spelled(&body, Case::Camel), bytes.saturating_mul(4))
            };
            let answer = answer.about(chain).under(page.published, ask.is_fixed()).tagged(&seen);
            Ok(answer.taking(fitted(rooms, bytes)))
        })
        .await
}

/// That the events of a search are all of its range; `left_out` is the end of it that was not named.
///
/// # Errors
/// As of the route; 400 where the range is too long, or needs more receipts than a scan may have.
pub(super) fn complete(
    api: &Api,
    row: &ChainRow,
    filter: &Filter,
    (from, to): (BlockNumber, BlockNumber),
    left_out: Option<&'static str>,
    wanted: &Wanted,
) -> Result<Page, ApiError> {
    let statement = statement_of(row, filter, (from, to), left_out)?;
    let which = api.prover.noted().map_err(|error| refused(api, row, error))?;
    let page = prove(api, row, statement, (which, true), (SCAN_BYTES_MAX, wanted))?;
    let last = page.facts.statement.to;
    if last < to {
        let expected = format!("a block whose receipts fit with those before it: up to {last}");
        return Err(ApiError::parameter("toBlock", &to.to_string(), expected));
    }
    Ok(page)
}

/// Passes where [`complete`] may show that, as far as is known without looking at the blocks.
///
/// # Errors
/// As there.
pub(super) fn check_complete(
    api: &Api,
    row: &ChainRow,
    filter: &Filter,
    range: (BlockNumber, BlockNumber),
    left_out: Option<&'static str>,
) -> Result<(), ApiError> {
    let statement = statement_of(row, filter, range, left_out)?;
    let which = api.prover.noted().map_err(|error| refused(api, row, error))?;
    check(api, row, &statement, which)
}

/// What is to be shown of a search.
fn statement_of(
    row: &ChainRow,
    filter: &Filter,
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

/// What is looked for on a chain whose headers commit to it.
pub(crate) fn filter_of(
    row: &ChainRow,
    filter: &Filter,
    anywhere: Vec<superroot_types::Hash>,
) -> Result<ScanFilter, ApiError> {
    check_ledger(row)?;
    if anywhere.len() > ANYWHERE_MAX {
        let expected = format!("at most {ANYWHERE_MAX} topics, as many as an event has");
        return Err(ApiError::parameter("topic", &anywhere.len().to_string(), expected));
    }
    scan_filter(filter, anywhere)
}

/// A page off the async threads, with the room that it takes.
pub(crate) async fn make(service: &Shared, ask: ScanAsk) -> Result<(ScanAsk, Page), ApiError> {
    let _room = service.rooms(PAGE_ROOMS).await?;
    let make = move |api: &Api, wanted: &Wanted| ask.page(api, wanted).map(|page| (ask, page));
    service.blocking_while_wanted(make).await
}

impl ScanAsk {
    /// Where the next page begins, if this one ends before the range does.
    pub(crate) fn next_from(&self, page: &Page) -> Option<BlockNumber> {
        let next = self.to.filter(|to| *to > page.facts.statement.to);
        next.map(|_| BlockNumber(page.facts.statement.to.0.saturating_add(1)))
    }

    fn read(api: &Api, ask: &Ask) -> Result<Self, ApiError> {
        let row = ask.chain(api, "chain")?.clone();
        check_ledger(&row)?;
        let anywhere = ask::topics_named(ask, "topic")?;
        let filter = filter_of(&row, &ask::filter(ask, row.family())?, anywhere)?;
        let (from, to) = ask::range(ask)?;
        let from = from.ok_or_else(|| ApiError::missing("fromBlock", "a block number"))?;
        let (fixed, has_note) = (ask.fixed()?, ask.is_set("note")?);
        Ok(Self { row, filter, from, to, fixed, has_note, is_file: ask.wants_file() })
    }

    fn page(&self, api: &Api, wanted: &Wanted) -> Result<Page, ApiError> {
        let (statement, at) = self.statement(api)?;
        prove(api, &self.row, statement, (at, self.has_note), (PAGE_BYTES_MAX, wanted))
    }

    /// Whether its address says all of the answer; a note may still be cosigned.
    const fn is_fixed(&self) -> bool {
        self.fixed.is_some() && !self.has_note
    }

    /// The answer without its body, where the caller has that or asked for the head alone, and a page may be had, as far as
    /// is known without looking at the blocks.
    fn head(&self, api: &Api, seen: &Seen) -> Result<Option<Answer>, ApiError> {
        let (statement, at) = self.statement(api)?;
        let published = api.prover.published(at);
        let published = published.map_err(|error| refused(api, &self.row, error))?;
        let tag = self.is_fixed().then(|| seen.tag(&published, self.is_file));
        if seen.needs_body(tag.as_deref()) {
            return Ok(None);
        }
        check(api, &self.row, &statement, at)?;
        let answer = Answer::head(self.is_file).about(self.row.key());
        Ok(Some(answer.under(published, self.is_fixed()).tagged(seen)))
    }

    /// What is to be shown, and the SuperRoot that it ends in.
    fn statement(&self, api: &Api) -> Result<(ScanStatement, Which), ApiError> {
        let (row, from) = (&self.row, self.from);
        let which = match self.fixed {
            Some(fixed) => fixed,
            None if self.has_note => {
                api.prover.noted().map_err(|error| refused(api, row, error))?
            }
            None => Which::Latest,
        };
        let published = api.prover.published(which).map_err(|error| refused(api, row, error))?;
        let anchored = published.reference(row.key()).map(|(_, reference)| reference.number);
        let page_end = BlockNumber(from.0.saturating_add(SCAN_BLOCKS_MAX - 1));
        let to = self.to.unwrap_or_else(|| anchored.unwrap_or(from).min(page_end).max(from));
        let statement = ScanStatement { chain: row.key(), from, to, filter: self.filter.clone() };
        Ok((statement, Which::Sequence(published.super_root.sequence)))
    }
}

/// A scan that holds.
pub(crate) struct Page {
    pub(crate) scan: Scan,
    pub(crate) facts: Verified<ScanFacts>,
    /// SuperRoot that it ends in.
    pub(crate) published: Arc<Published>,
}

impl Page {
    pub(super) fn completeness(&self) -> Completeness {
        Completeness::new(&self.scan, &self.facts)
    }

    /// Bytes of what it consists of.
    pub(super) fn byte_count(&self) -> usize {
        let headers = self.scan.headers.iter().map(Vec::len);
        let leaves = self.scan.receipts.iter().flat_map(|block| &block.leaves).map(Vec::len);
        headers.chain(leaves).sum()
    }
}

/// Makes a page, and checks it as a client would.
fn prove(
    api: &Api,
    row: &ChainRow,
    statement: ScanStatement,
    (which, has_note): (Which, bool),
    (bytes_max, wanted): (usize, &Wanted),
) -> Result<Page, ApiError> {
    let chain = row.key();
    let published = super_root_of(api, row, &statement, which)?;
    // one SuperRoot for the whole answer, even if the next is published meanwhile
    let at = Which::Sequence(published.super_root.sequence);
    let scan = api.prover.prove_scan(statement, at, bytes_max);
    let mut scan = scan.map_err(|error| refused(api, row, error))?;
    wanted.check()?; // to check it takes as long again
    if has_note {
        let noted = api.prover.with_note(scan.last);
        scan.last = noted.map_err(|error| refused(api, row, error))?;
    }
    let policy = Policy::strict(api.registry.proof_registry());
    let facts = scan::verify_anchored(&scan, &policy, &published.hash).map_err(|error| {
        tracing::error!(chain.id = %chain, %error, "a scan made here does not hold");
        ApiError::internal()
    })?;
    Ok(Page { scan, facts, published })
}

/// Passes where both ends of a scan stand in that SuperRoot, and nothing of it is taken back.
fn check(
    api: &Api,
    row: &ChainRow,
    statement: &ScanStatement,
    which: Which,
) -> Result<(), ApiError> {
    let published = super_root_of(api, row, statement, which)?;
    let at = Which::Sequence(published.super_root.sequence);
    let checked = api.prover.check_scan(statement, at);
    checked.map(drop).map_err(|error| refused(api, row, error))
}

/// The SuperRoot that a scan ends in, of which nothing is taken back.
fn super_root_of(
    api: &Api,
    row: &ChainRow,
    statement: &ScanStatement,
    which: Which,
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
    api.prover.published(which).map_err(|error| refused(api, row, error))
}

/// A chain whose headers commit to its events.
fn check_ledger(row: &ChainRow) -> Result<(), ApiError> {
    match row.ledger.check_bloom() {
        Ok(()) if row.family() == Family::Evm => Ok(()),
        Ok(()) => Err(ApiError::not_provable(row.key(), "its headers commit to no receipts")),
        Err(why) => Err(ApiError::not_provable(row.key(), &why.to_string())),
    }
}

/// The filter of a scan, out of one of a search.
fn scan_filter(
    filter: &Filter,
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

fn refused(api: &Api, row: &ChainRow, error: ProveError) -> ApiError {
    let chain = row.key();
    match error {
        // a recorded log says nothing of what was not recorded
        ProveError::NotFound { what, .. } if api.prover.network() == Network::Recorded => {
            ApiError::not_indexed(chain, None, &format!("no recording of {what} was taken"))
        }
        other => api.refused(Some(chain), other),
    }
}
