//! Which node is asked next.

use superroot_types::BlockNumber;
use tokio::time::Instant;

use super::LiveSource;
use super::node::operator_count;

/// Share of choices that do not go by score, so that a node that has recovered is noticed.
const EXPLORED: f64 = 0.05;

impl LiveSource {
    /// The node most worth asking for a block of that number, of those not tried; now and then
    /// another. Nodes that are left alone are never chosen; those that are not known to have come
    /// so far, and those that let blocks wait, are last.
    pub(super) fn choose(&self, tried: &[bool], number: BlockNumber) -> Option<usize> {
        let (now, lag) = (Instant::now(), self.lag());
        self.call_back(now);
        let (mut candidates, mut slow) = (Vec::<(usize, f64)>::new(), Vec::new());
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

    /// Where fewer nodes can be asked than must agree, those that do not answer are asked again
    /// soon: the chain stands still without them.
    pub(super) fn call_back(&self, now: Instant) {
        let usable = self.nodes.iter().filter(|node| node.health().is_usable(now));
        if operator_count(usable) < self.quorum() {
            self.nodes.iter().for_each(|node| node.health().is_needed());
        }
    }
}
