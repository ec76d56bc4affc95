//! `record`: verified blocks from a node, for `serve --replay` or `replay`.

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;
use superroot_chain::ChainSpec;
use superroot_source::{Budget, EndpointConfig, LiveConfig, LiveSource, RecordStep, Recorder};
use superroot_types::BlockNumber;

use super::node_wait::NodeWait;
use super::output::refuse_stdout;
use super::progress::bar;
use super::style::{GOOD, plain};
use crate::chains;
use crate::config::{ServiceConfig, environment};

const SHOWN_MAX: u64 = 20;
const BLOCKS_MAX: u64 = 10_000_000;

/// Arguments of `record`.
#[derive(Debug, Args)]
pub(crate) struct RecordArgs {
    /// Node address, http, https, ws or wss; may be repeated.
    #[arg(long, value_name = "URL", required = true)]
    url: Vec<String>,
    /// Chain, by id or name.
    #[arg(long, value_name = "ID")]
    chain: String,
    /// First block.
    #[arg(long, value_name = "NUMBER", requires = "to", conflicts_with = "numbers")]
    from: Option<u64>,
    /// Last block.
    #[arg(long, value_name = "NUMBER", requires = "from")]
    to: Option<u64>,
    /// Single blocks.
    #[arg(long, value_name = "NUMBER", num_args = 1.., value_delimiter = ',', required_unless_present = "from")]
    numbers: Vec<u64>,
    /// Recording folder: created if missing, extended if present.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Configuration file, for [source].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

pub(crate) async fn run(args: RecordArgs) -> anyhow::Result<()> {
    refuse_stdout(&args.output)?;
    let row = chains::find(&args.chain)?;
    let config = ServiceConfig::load(args.config.as_deref(), environment(), &[])?;
    let source = source(&args.url, row, config.source)?;
    let numbers = numbers(&args)?;
    let mut wait = NodeWait::of(&row.name);
    let expected = wait.with(Some(&source), source.expect_chain()).await?;
    expected.with_context(|| format!("no node is of {}", row.name))?;
    let folder = args.output.clone();
    let of_row = row.clone();
    let opened = tokio::task::spawn_blocking(move || Recorder::open(&folder, &of_row)).await?;
    let shown = args.output.display();
    let mut recorder = opened.with_context(|| format!("cannot record into {shown}"))?;
    chains::write_beside(&args.output, row)?;
    let template = "{bar:40} {pos}/{len} blocks, {per_sec}, {eta} left";
    let bar = bar(numbers.len() as u64, template);
    let mut written = 0_u64;
    let mut held = 0_u64;
    let mut left = 0_u64;
    let mut bytes = 0_u64;
    let done = recorder.record(&source, numbers, |step| {
        bar.inc(1);
        let (number, why) = match step {
            RecordStep::Written { bytes: more, .. } => {
                written += 1;
                bytes += more;
                return;
            }
            RecordStep::Held { .. } => {
                held += 1;
                return;
            }
            RecordStep::Absent { number } => (number, "the node has no such block".to_owned()),
            RecordStep::Refused { number, why } => (number, why),
        };
        left += 1;
        if left <= SHOWN_MAX {
            bar.suspend(|| say!("not written  block {number}: {}", plain(&why)));
        }
    });
    let done = wait.with(Some(&source), done).await;
    bar.finish_and_clear();
    done?.context("it does not go on; what was written stays")?;
    put!(
        "{GOOD}recorded{GOOD:#}  {written} blocks of {} into {shown}, {bytes} bytes; {held} were \
         there; {left} not written",
        row.name
    );
    if left > 0 {
        bail!("{left} blocks were not written");
    }
    Ok(())
}

/// Source over the nodes. No quorum is asked, because a recording only vouches for recomputed blocks.
fn source(urls: &[String], row: &ChainSpec, config: LiveConfig) -> anyhow::Result<LiveSource> {
    let endpoints = urls.iter().map(|url| EndpointConfig::at(url)).collect();
    let config = LiveConfig { quorum: 1, replay_servers: true, ..config };
    let budget = Budget::of(config.in_hand_bytes_max);
    LiveSource::new(&budget, row, endpoints, config).context("--url")
}

fn numbers(args: &RecordArgs) -> anyhow::Result<Vec<BlockNumber>> {
    let (Some(from), Some(to)) = (args.from, args.to) else {
        let mut numbers: Vec<_> = args.numbers.iter().copied().map(BlockNumber).collect();
        numbers.sort_unstable();
        numbers.dedup();
        return Ok(numbers);
    };
    if from > to {
        bail!("--from {from} is above --to {to}");
    }
    if to - from >= BLOCKS_MAX {
        bail!("{from} to {to} are more than {BLOCKS_MAX} blocks");
    }
    Ok((from..=to).map(BlockNumber).collect())
}
