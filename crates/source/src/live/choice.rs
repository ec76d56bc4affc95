//! Choice of the next node.

use superroot_types::BlockNumber;
use tokio::time::Instant;

use super::LiveSource;
use super::node::operator_count;

/// Share of choices independent of the score, to notice recovered nodes.
const EXPLORED: f64 = 0.05;

impl LiveSource {
    /// Best untried node for a block with this number; now and then another. Paused nodes are never chosen; nodes not
    /// known to have reached the number, and nodes slow for blocks, come last.
    pub(super) fn choose(&self, tried: &[bool], number: BlockNumber) -> Option<usize> {
        let now = Instant::now();
        let lag = self.lag();
        self.call_back(now);
        let mut candidates = Vec::<(usize, f64)>::new();
        let mut slow = Vec::new();
        for (index, node) in self.nodes.iter().enumerate() {
            if tried.get(index).copied().unwrap_or(true) {
                continue;
            }
            let health = node.health();
            if !health.is_usable(now) {
                continue;
            }
            if health.lets_blocks_wait(now) {
                slow.push(index);
                continue;
            }
            let is_behind = health.head().is_some_and(|head| head < number);
            let weight = health.weight(now, lag) * if is_behind { 0.01 } else { 1.0 };
            candidates.push((index, weight));
        }
        if candidates.is_empty() {
            return slow.first().copied();
        }
        if candidates.len() > 1 && self.chance() < EXPLORED {
            let place = (self.chance() * candidates.len() as f64) as usize;
            return candidates.get(place).map(|(index, _)| *index);
        }
        // equal ones take turns, or all load would be the first one's
        let turn = self.chance();
        let spread = |(index, weight): &(usize, f64)| {
            let place = (*index as f64 / self.nodes.len() as f64 + turn).fract();
            weight * (1.0 + 0.2 * place)
        };
        let best = candidates.iter().max_by(|a, b| spread(a).total_cmp(&spread(b)));
        best.map(|(index, _)| *index)
    }

    /// Shortens the pauses of down nodes while fewer nodes than the quorum are usable: the chain stalls without these
    /// nodes.
    pub(super) fn call_back(&self, now: Instant) {
        let usable = self.nodes.iter().filter(|node| node.health().is_usable(now));
        if operator_count(usable) < self.quorum() {
            self.nodes.iter().for_each(|node| node.health().is_needed());
        }
    }
}
