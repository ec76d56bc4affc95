//! Reason for a halted chain in words.

use std::fmt;

use superroot_source::OverdueBlock;
use superroot_types::BlockNumber;

use super::LEFT_OUT_MAX;
use super::reason::{FailingNode, NODES_SAID_MAX, StallReason};
use super::view::{Backfill, CatchUp, Differing, LeftOut, cut};

impl fmt::Display for StallReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Waits(waiting) => f.write_str(&cut(&describe_wait(waiting))),
            Self::Searches(Differing { newest, lowest }) => write!(
                f,
                "its nodes agree on another block than the final one held at {newest}: the first \
                 that differs is looked for, {lowest} does"
            ),
            Self::NobodyAsked(nodes) => f.write_str(&cut(&describe_nobody_asked(nodes))),
            Self::Failed { cause, nodes } => f.write_str(&cut(&describe_failure(cause, nodes))),
            Self::NoBlock { seconds, limit_seconds } => {
                write!(f, "no new block for {seconds} s, the limit is {limit_seconds} s")
            }
            Self::NothingFinal(seconds) => {
                write!(f, "its head moves, but no block became final for {seconds} s")
            }
            Self::NothingNew => f.write_str("no new block from any source"),
            Self::NotConfigured => f.write_str("no source of it is configured here"),
            Self::Withdrawn(None) => f.write_str("it is withdrawn"),
            Self::Withdrawn(Some(from)) => write!(f, "it is withdrawn from block {from} on"),
            Self::NothingTaken => f.write_str("no block of it was taken since the start"),
            Self::Halted(None) => f.write_str("it is halted until an operator lets it go on"),
            Self::Halted(Some((number, reason))) => {
                write!(f, "it is halted at block {number}: {reason}")
            }
            Self::Behind { pace, newest, backfill } => write_behind(f, *pace, *newest, *backfill),
            Self::NothingRecomputed(None) => {
                f.write_str("none of its recorded blocks could be recomputed")
            }
            Self::NothingRecomputed(Some(LeftOut { number, reason })) => {
                let text = format!(
                    "none of its recorded blocks could be recomputed: block {number}: {reason}"
                );
                f.write_str(&cut(&text))
            }
            Self::LeftOut { count, newest: LeftOut { number, reason } } => {
                let at_least = if *count < LEFT_OUT_MAX { "" } else { "at least " };
                let blocks = if *count == 1 { "block is" } else { "blocks are" };
                let text =
                    format!("{at_least}{count} {blocks} left out, the newest {number}: {reason}");
                f.write_str(&cut(&text))
            }
            Self::NodeFails(FailingNode { name, state, error }) => {
                let error = error.as_ref().map(|error| format!(": {error}")).unwrap_or_default();
                write!(f, "{name} {}{error}", state.name())
            }
            Self::OneNodeBelieved => f.write_str("one node is believed"),
            Self::Nodes { healthy, count } => write!(f, "{healthy} of {count} endpoints healthy"),
        }
    }
}

fn describe_nobody_asked(nodes: &[FailingNode]) -> String {
    let said = nodes.iter().map(|node| {
        let error = node.error.as_ref();
        let error = error.map_or_else(String::new, |error| format!(" ({error})"));
        format!("{} is {}{error}", node.name, node.state.name())
    });
    let said = said.collect::<Vec<_>>().join(", ");
    let colon = if said.is_empty() { "" } else { ": " };
    format!("no node can be asked{colon}{said}")
}

fn describe_failure(cause: &str, nodes: &[FailingNode]) -> String {
    let said = nodes
        .iter()
        .map(|node| format!("; {}: {}", node.name, node.error.as_deref().unwrap_or_default()));
    format!("{cause}{}", said.collect::<String>())
}

fn describe_wait(waiting: &OverdueBlock) -> String {
    let OverdueBlock { number, is_whole, nodes, seconds } = waiting;
    let receipts = if *is_whole { " with its receipts" } else { "" };
    let nodes = nodes.iter().take(NODES_SAID_MAX).cloned().collect::<Vec<_>>().join(", ");
    format!("waiting for block {number}{receipts} from {nodes} for {seconds} s")
}

fn write_behind(
    f: &mut fmt::Formatter<'_>,
    pace: Option<CatchUp>,
    newest: BlockNumber,
    backfill: Option<Backfill>,
) -> fmt::Result {
    let Some(CatchUp { behind_blocks, blocks_per_second, seconds_left }) = pace else {
        return f.write_str("its nodes have later blocks");
    };
    write!(f, "{behind_blocks} final blocks behind its nodes, which are at {newest}")?;
    match (blocks_per_second, seconds_left) {
        (Some(speed), Some(left)) => write!(f, "; {speed:.1} blocks/s, {left} s left")?,
        (Some(_), None) => f.write_str("; none was taken since")?,
        (None, _) => {}
    }
    match backfill {
        Some(Backfill { done_blocks, total_blocks, .. }) => {
            write!(f, "; older blocks in turn with them, {done_blocks} of {total_blocks}")
        }
        None => Ok(()),
    }
}
