//! How a user or operator has more of a chain indexed, in words with the commands to give.

use superroot_chain::ChainRow;
use superroot_types::{BlockNumber, ChainKey, Network};

use super::Api;
use crate::status::{ChainStage, ChainView, WatchView};

impl Api {
    /// What to do to have an entry of that chain indexed, for the end of a sentence.
    pub(crate) fn how_to_index(&self, chain: ChainKey) -> String {
        let Some((_, row)) = self.registry.by_key(chain) else { return String::new() };
        let view = self.view(row);
        let mut how = self.how_to_widen(row, &view).join("; ");
        if view.state.is_stopped()
            && let Some(why) = view.why_in_short(self.clock.now(), row.block_time_ms)
        {
            let begin = if how.is_empty() { "" } else { "; " };
            how = format!("{how}{begin}nothing newer is taken at the moment: {why}");
        }
        how
    }

    /// How a block below the start of what is held is had, for the end of a sentence.
    pub(crate) fn how_to_reach(&self, chain: ChainKey, number: BlockNumber) -> String {
        let Some((_, row)) = self.registry.by_key(chain) else { return String::new() };
        let view = self.view(row);
        match (self.prover.network(), view.backfill) {
            (network, _) if view.withdrawn_from.is_some() => {
                how_to_widen(network, row, &view, Lacks::default()).join("; ")
            }
            (Network::Live, Some(backfill)) if backfill.to <= number => format!(
                "older blocks are being fetched, {} of {} are done",
                backfill.done_blocks, backfill.total_blocks
            ),
            (Network::Live, _) => {
                format!("`superroot backfill --chain {} --to {number}` fetches it", row.slug)
            }
            (network, _) => how_to_widen(network, row, &view, Lacks::default()).join("; "),
        }
    }

    /// Ways to have more of a chain, one a line: those that bring something.
    pub(crate) fn how_to_widen(&self, row: &ChainRow, view: &ChainView) -> Vec<String> {
        let lacks = Lacks { older: !self.begins_at_first(row), entries: !self.lacks_nothing(row) };
        how_to_widen(self.prover.network(), row, view, lacks)
    }
}

/// What there is to be had of a chain.
#[derive(Clone, Copy, Debug)]
struct Lacks {
    /// Blocks before the first one held.
    older: bool,
    /// Entries of blocks that are held.
    entries: bool,
}

impl Default for Lacks {
    fn default() -> Self {
        Self { older: true, entries: true }
    }
}

fn how_to_widen(network: Network, row: &ChainRow, view: &ChainView, lacks: Lacks) -> Vec<String> {
    let slug = &row.slug;
    if let Some(from) = view.withdrawn_from {
        return vec![format!("the chain is withdrawn from block {from} on, nothing widens it")];
    }
    match network {
        Network::Recorded => {
            let more = "a recording of it has to be added to the folder that is served";
            return left_out(view).into_iter().chain([more.to_owned()]).collect();
        }
        Network::Simulated => {
            return vec!["a simulated chain has nothing but what it made since it began".into()];
        }
        Network::Live => {}
    }
    match view.state {
        ChainStage::Planned => return vec!["this build does not read the chain".into()],
        ChainStage::NotFollowed => {
            return vec![format!(
                "an endpoint of {slug} has to be configured, then it is followed"
            )];
        }
        ChainStage::Halted => {
            return vec![format!(
                "an operator has to look into it, then `superroot resume {slug}` lets it go on"
            )];
        }
        ChainStage::Starting
        | ChainStage::CatchingUp
        | ChainStage::Backfilling
        | ChainStage::Following
        | ChainStage::Stalled
        | ChainStage::Recorded
        | ChainStage::Withdrawn => {}
    }
    let older = format!("older blocks come with `superroot backfill --chain {slug} --to NUMBER`");
    let entries = match view.watch {
        None | Some(WatchView::All) => lacks.entries.then(|| {
            format!("entries that are missing come with `superroot repair --chain {slug}`")
        }),
        Some(WatchView::Some { .. }) => Some(format!(
            "an address or topic is indexed once it is in the watch list of [chain.{slug}], and in \
             blocks held already with `superroot repair --chain {slug}`"
        )),
    };
    entries.into_iter().chain(lacks.older.then_some(older)).collect()
}

/// That recordings which are there were not taken, and why the newest was not.
fn left_out(view: &ChainView) -> Option<String> {
    let newest = view.left_out.last()?;
    let others = match view.left_out.len() {
        1 => "a recording was",
        _ => "recordings were",
    };
    Some(format!(
        "{others} left out, that of block {} because {}: one that recomputes has to take its place",
        newest.number, newest.reason
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use superroot_chain::Registry;

    fn widen(network: Network, state: ChainStage, watch: Option<WatchView>) -> String {
        let row = Registry::builtin().find("base").unwrap();
        let view = ChainView { state, watch, ..ChainView::default() };
        how_to_widen(network, row, &view, Lacks::default()).join("; ")
    }

    /// What can bring nothing is not advised.
    #[test]
    fn nobody_is_sent_for_what_is_held() {
        let row = Registry::builtin().find("base").unwrap();
        let how = |watch, older, entries| {
            let view = ChainView { state: ChainStage::Following, watch, ..ChainView::default() };
            let how = how_to_widen(Network::Live, row, &view, Lacks { older, entries }).join("; ");
            (how.contains("superroot backfill"), how.contains("superroot repair"))
        };
        let list = Some(WatchView::Some { address_count: 1, topic_count: 0 });
        for (watch, older, entries, expected) in [
            (Some(WatchView::All), true, true, (true, true)),
            (Some(WatchView::All), true, false, (true, false)),
            (Some(WatchView::All), false, true, (false, true)),
            (Some(WatchView::All), false, false, (false, false)),
            (list, true, true, (true, true)),
            (list, false, true, (false, true)),
        ] {
            assert_eq!(how(watch, older, entries), expected, "{watch:?} {older} {entries}");
        }
    }

    #[test]
    fn a_recording_that_was_left_out_is_not_asked_for_without_the_reason() {
        let row = Registry::builtin().find("base").unwrap();
        let number = superroot_types::BlockNumber(7);
        let left = crate::status::LeftOut { number, reason: "hash is missing".to_owned() };
        let view = ChainView { left_out: vec![left], ..ChainView::default() };
        let how = how_to_widen(Network::Recorded, row, &view, Lacks::default());
        assert_eq!(how.len(), 2);
        assert!(how[0].contains("block 7 because hash is missing"), "{how:?}");
    }

    #[test]
    fn what_is_to_be_done_depends_on_what_is_collected() {
        let none_watched = Some(WatchView::Some { address_count: 0, topic_count: 0 });
        for (state, watch, said) in [
            (ChainStage::Following, none_watched, "watch list of [chain.base]"),
            (ChainStage::Following, Some(WatchView::All), "superroot backfill --chain base"),
            (ChainStage::Stalled, none_watched, "superroot repair --chain base"),
            (ChainStage::NotFollowed, None, "an endpoint of base"),
            (ChainStage::Halted, None, "superroot resume base"),
            (ChainStage::Planned, None, "this build does not read"),
        ] {
            let how = widen(Network::Live, state, watch);
            assert!(how.contains(said), "{state:?}: {how}");
        }
    }

    #[test]
    fn a_withdrawn_chain_is_not_widened_by_an_endpoint() {
        let row = Registry::builtin().find("base").unwrap();
        let withdrawn_from = Some(superroot_types::BlockNumber(1_500));
        let view = ChainView { withdrawn_from, ..ChainView::default() };
        for network in [Network::Live, Network::Recorded, Network::Simulated] {
            let how = how_to_widen(network, row, &view, Lacks::default()).join("; ");
            assert!(how.contains("withdrawn from block 1500 on"), "{how}");
            assert!(!how.contains("endpoint") && !how.contains("backfill"), "{how}");
        }
    }

    #[test]
    fn recordings_are_not_widened_by_a_watch_list() {
        let watch = Some(WatchView::All);
        let how = widen(Network::Recorded, ChainStage::Recorded, watch);
        assert!(how.contains("recording") && !how.contains("watch"), "{how}");
        assert!(widen(Network::Simulated, ChainStage::Following, watch).contains("simulated"));
    }
}
