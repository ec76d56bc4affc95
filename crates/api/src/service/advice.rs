//! Advice to users and operators on extending a chain's index, with commands.

use superroot_chain::ChainSpec;
use superroot_types::{BlockNumber, ChainKey, Network};

use super::Api;
use crate::status::{ChainStage, ChainView, WatchView};

impl Api {
    /// How to have an entry on this chain indexed; a sentence ending.
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

    /// How to get a block below the first stored one; a sentence ending.
    pub(crate) fn how_to_reach(&self, chain: ChainKey, number: BlockNumber) -> String {
        let Some((_, row)) = self.registry.by_key(chain) else { return String::new() };
        let view = self.view(row);
        match (self.prover.network(), view.backfill) {
            (Network::Live, Some(backfill)) if backfill.to <= number => format!(
                "older blocks are being fetched, {} of {} are done",
                backfill.done_blocks, backfill.total_blocks
            ),
            (Network::Live, _) if view.withdrawn_from.is_none() => {
                format!("`superroot backfill --chain {} --to {number}` fetches it", row.slug)
            }
            (network, _) => how_to_widen(network, row, &view).join("; "),
        }
    }

    /// Ways to extend a chain's coverage, one per line.
    pub(crate) fn how_to_widen(&self, row: &ChainSpec, view: &ChainView) -> Vec<String> {
        how_to_widen(self.prover.network(), row, view)
    }
}

fn how_to_widen(network: Network, row: &ChainSpec, view: &ChainView) -> Vec<String> {
    let slug = &row.slug;
    if let Some(from) = view.withdrawn_from {
        return vec![format!("the chain is withdrawn from block {from} on, nothing widens it")];
    }
    match network {
        Network::Recorded => {
            return vec!["a recording of it has to be added to the folder that is served".into()];
        }
        Network::Simulated if matches!(view.watch, Some(WatchView::Some { .. })) => {
            return vec![format!(
                "an address or topic is indexed once it is watched: POST /api/v1/watches with chain {slug}"
            )];
        }
        Network::Simulated => {
            return vec!["a simulated chain has nothing but what it made since it began".into()];
        }
        Network::Live => {}
    }
    match view.state {
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
        None | Some(WatchView::All) => {
            format!("entries that are missing come with `superroot repair --chain {slug}`")
        }
        Some(WatchView::Some { .. }) => format!(
            "an address or topic is indexed once it is watched: POST /api/v1/watches with chain {slug} and \
             from_block for blocks held already (tier Builder), or the operator's watch list of \
             [chain.{slug}] and `superroot repair --chain {slug}`"
        ),
    };
    vec![entries, older]
}

#[cfg(test)]
mod tests {
    use super::*;
    use superroot_chain::ChainRegistry;

    fn widen(network: Network, state: ChainStage, watch: Option<WatchView>) -> String {
        let row = ChainRegistry::builtin().find("base").unwrap();
        let view = ChainView { state, watch, ..ChainView::default() };
        how_to_widen(network, row, &view).join("; ")
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
        ] {
            let how = widen(Network::Live, state, watch);
            assert!(how.contains(said), "{state:?}: {how}");
        }
    }

    #[test]
    fn a_withdrawn_chain_is_not_widened_by_an_endpoint() {
        let row = ChainRegistry::builtin().find("base").unwrap();
        let withdrawn_from = Some(superroot_types::BlockNumber(1_500));
        let view = ChainView { withdrawn_from, ..ChainView::default() };
        for network in [Network::Live, Network::Recorded, Network::Simulated] {
            let how = how_to_widen(network, row, &view).join("; ");
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
