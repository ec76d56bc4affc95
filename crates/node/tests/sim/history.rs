//! What really happens on a chain, all of it known before a run begins: which line is shown when,
//! and how far it is final.

use std::collections::BTreeMap;
use std::sync::Arc;

use superroot_types::Hash;

use crate::blocks::{Block, Mason};
use crate::dice::Dice;

/// A chain as an honest node shows it at one time.
#[derive(Clone)]
pub(crate) struct View {
    /// From the ledger's first block to the head.
    pub(crate) line: Vec<Arc<Block>>,
    /// Number of the newest final block.
    pub(crate) finalized: u64,
}

impl View {
    pub(crate) fn first(&self) -> u64 {
        self.line[0].number
    }

    pub(crate) fn head(&self) -> &Arc<Block> {
        &self.line[self.line.len() - 1]
    }

    pub(crate) fn at(&self, number: u64) -> Option<&Arc<Block>> {
        self.line.get(usize::try_from(number.checked_sub(self.first())?).ok()?)
    }

    fn above_final(&self) -> u64 {
        self.head().number - self.finalized
    }

    /// Replaces the newest blocks and puts some on top.
    fn rebuilt(&self, mason: &mut Mason, replaced: u64, added: u64) -> Vec<Arc<Block>> {
        let keep = self.line.len() - replaced as usize;
        let mut line = self.line[..keep].to_vec();
        for _ in 0..replaced + added {
            let parent = line[line.len() - 1].clone();
            line.push(mason.child(&parent));
        }
        line
    }
}

/// How a chain grows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Growth {
    /// Number of the ledger's first block.
    pub(crate) first: u64,
    /// Blocks there at the beginning.
    pub(crate) before: u64,
    /// Times that the chain grows.
    pub(crate) times: u64,
    /// Blocks between head and finalized.
    pub(crate) depth: u64,
    /// Likelihood, in percent, that blocks above the finalized one are replaced.
    pub(crate) reorgs: u64,
    /// Whether what is final always follows at once.
    pub(crate) strict: bool,
    pub(crate) block_ms: u64,
}

/// Views by the time from which they are shown, in milliseconds.
pub(crate) struct History {
    views: Vec<(u64, Arc<View>)>,
}

impl History {
    /// A history without a block taken back that was final.
    pub(crate) fn sound(growth: Growth, mason: &mut Mason, dice: &mut Dice) -> Self {
        let mut line = vec![mason.first(growth.first)];
        while (line.len() as u64) < growth.before.max(growth.depth + 2) {
            let parent = line[line.len() - 1].clone();
            line.push(mason.child(&parent));
        }
        let finalized = line[line.len() - 1].number - growth.depth;
        let mut history = Self { views: vec![(0, Arc::new(View { line, finalized }))] };
        history.grow(growth, growth.times, mason, dice);
        history
    }

    fn grow(&mut self, growth: Growth, times: u64, mason: &mut Mason, dice: &mut Dice) {
        for _ in 0..times {
            let (at, last) = self.views[self.views.len() - 1].clone();
            let at = at + growth.block_ms * dice.between(30, 170) / 100;
            let room = last.above_final().min(6);
            let line = if room > 0 && dice.percent(growth.reorgs) {
                let replaced = dice.between(1, room);
                let added = dice.between(u64::from(replaced < 2), 2);
                last.rebuilt(mason, replaced, added)
            } else {
                last.rebuilt(mason, 0, dice.between(1, 2))
            };
            let deepest = line[line.len() - 1].number - growth.depth;
            let follows = growth.strict || dice.percent(60);
            let finalized = if follows { last.finalized.max(deepest) } else { last.finalized };
            self.views.push((at, Arc::new(View { line, finalized })));
        }
    }

    /// The same until some time, then another line that leaves it at any depth above the first
    /// block, and is all the same called final.
    pub(crate) fn other(&self, growth: Growth, mason: &mut Mason, dice: &mut Dice) -> Self {
        let shared = dice.between(1, self.views.len() as u64 * 3 / 4) as usize;
        let mut views = self.views[..shared].to_vec();
        let (at, last) = views[shared - 1].clone();
        let final_blocks = last.finalized - last.first();
        let below = dice.below(final_blocks.min(8)); // leaves at least the first block
        let replaced = (last.above_final() + below + 1).min(last.line.len() as u64 - 1);
        let line = last.rebuilt(mason, replaced, dice.between(1, 3));
        let finalized = last.finalized.max(line[line.len() - 1].number - growth.depth);
        views.push((at + growth.block_ms / 2, Arc::new(View { line, finalized })));
        let mut history = Self { views };
        let times = (self.views.len() - shared) as u64;
        history.grow(growth, times, mason, dice);
        history
    }

    /// When the last view is shown.
    pub(crate) fn end_ms(&self) -> u64 {
        self.views[self.views.len() - 1].0
    }

    pub(crate) fn last(&self) -> &Arc<View> {
        &self.views[self.views.len() - 1].1
    }

    pub(crate) fn at(&self, ms: u64) -> &Arc<View> {
        let shown = self.views.partition_point(|(from, _)| *from <= ms);
        &self.views[shown.max(1) - 1].1
    }

    /// Every block that was ever shown, with the time from which it was.
    pub(crate) fn blocks(&self) -> BTreeMap<Hash, (u64, Arc<Block>)> {
        let mut blocks = BTreeMap::new();
        for (at, view) in &self.views {
            for block in &view.line {
                blocks.entry(block.hash).or_insert_with(|| (*at, block.clone()));
            }
        }
        blocks
    }

    /// Hashes that were ever final under that number.
    pub(crate) fn finals(&self, number: u64) -> Vec<Hash> {
        let views = self.views.iter().filter(|(_, view)| view.finalized >= number);
        let mut hashes: Vec<Hash> =
            views.filter_map(|(_, view)| Some(view.at(number)?.hash)).collect();
        hashes.dedup();
        hashes
    }
}
