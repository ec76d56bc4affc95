//! Watch bodies.

use superroot_index::{EventFilter, gaps, is_followed};
use superroot_store::read;
use superroot_types::BlockNumber;
use superroot_watch::{KeyWatch, WatchTarget};
use superroot_wire::logs::LogGap;
use superroot_wire::paths;
use superroot_wire::watch as wire;

use crate::ApiError;
use crate::service::Api;

/// Gaps in an answer.
const GAPS_MAX: usize = 100;

/// Watch body; `is_served` says whether the account's tier covers the watch.
pub(super) fn watch(api: &Api, watch: &KeyWatch, is_served: bool) -> Result<wire::Watch, ApiError> {
    let (address, topic) = match watch.target {
        WatchTarget::Address(address) => (Some(address), None),
        WatchTarget::Topic(topic) => (None, Some(topic)),
    };
    let (progress, lacks) = progress(api, watch)?.unzip();
    let of_filter = filter(watch.target);
    let is_followed = is_followed(api.prover.store(), watch.chain(), &of_filter);
    let is_followed = is_followed.map_err(ApiError::of_store)?;
    let state = match (is_served, is_followed) {
        (false, _) => "suspended",
        (true, false) => "pending",
        (true, true) if lacks == Some(true) => "backfilling",
        (true, true) => "active",
    };
    let chain = watch.chain_id;
    let what = match watch.target {
        WatchTarget::Address(address) => format!("address={address}"),
        WatchTarget::Topic(topic) => format!("topic0={topic}"),
    };
    let from = progress.as_ref().map(|progress| format!("&fromBlock={}", progress.from_block));
    Ok(wire::Watch {
        id: watch.id.to_string(),
        chain_id: chain,
        address,
        topic,
        from_block: watch.from_block,
        label: watch.label.as_ref().map(ToString::to_string),
        created_at: watch.created_at,
        state: state.to_owned(),
        progress,
        logs_url: format!("{}?chain={chain}&{what}{}", paths::LOGS, from.unwrap_or_default()),
    })
}

fn filter(target: WatchTarget) -> EventFilter {
    match target {
        WatchTarget::Address(address) => {
            EventFilter { addresses: vec![address.0.to_vec()], ..EventFilter::default() }
        }
        WatchTarget::Topic(topic) => {
            EventFilter { topics: [vec![topic], vec![], vec![], vec![]], ..EventFilter::default() }
        }
    }
}

/// Watch progress, and whether blocks remain to be downloaded; without a first block, over the blocks with all events.
fn progress(api: &Api, watch: &KeyWatch) -> Result<Option<(wire::WatchProgress, bool)>, ApiError> {
    let store = api.prover.store();
    let chain = watch.chain();
    let Some(state) = read::load_chain_state(store, chain).map_err(ApiError::of_store)? else {
        return Ok(None);
    };
    let Some(head) = state.head.map(|head| head.number) else { return Ok(None) };
    let first = watch.from_block.unwrap_or(state.start).max(state.start).min(head);
    let mut found =
        gaps(store, chain, &filter(watch.target), first, head).map_err(ApiError::of_store)?;
    let from_block = match watch.from_block {
        Some(_) => first,
        None => match found.pop() {
            // not even the newest: what is to come counts
            Some(last) if last.to == head => return Ok(None),
            Some(last) => BlockNumber(last.to.0 + 1),
            None => first,
        },
    };
    found.retain(|gap| gap.from >= from_block);
    let total_blocks = head.0 - from_block.0 + 1;
    let lacking: u64 = found.iter().map(|gap| gap.to.0 - gap.from.0 + 1).sum();
    let lacks = found.iter().any(|gap| gap.why == "not_watched");
    let progress = wire::WatchProgress {
        from_block,
        to_block: head,
        held_blocks: total_blocks.saturating_sub(lacking),
        total_blocks,
        gaps: found
            .iter()
            .take(GAPS_MAX)
            .map(|gap| LogGap { from: gap.from, to: gap.to, reason: gap.why })
            .collect(),
    };
    Ok(Some((progress, lacks)))
}
