//! `audit`: replays a log from the first SuperRoot, and checks that all views agree.
//!
//! ```text
//! newest note of each --url  ──► replay from the one that is farthest ──► at each size: one root?
//! and of each witness        ──► --against: sampled blocks, proven, beside the auditor's own nodes
//!                            ──► --finality: their evidence, from the auditor's own pins
//! ```

mod against;
mod args;
mod files;
mod finality;
mod gauges;
mod round;
mod samples;
mod verdict;
mod views;

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use superroot_client::audit::{Audit, AuditError};

use self::against::{AuditNode, Compared};
pub(crate) use self::args::AuditArgs;
use self::views::Views;
use super::output::{print, words};
use super::report::CommandVerdict;
use super::style::{WARNING, plain, styled};

pub(crate) async fn run(args: AuditArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let err = &mut anstream::stderr();
    let out = words(Some(&args.evidence), out, err);
    let nodes = args.against.iter().map(|one| AuditNode::of(one));
    let nodes = nodes.collect::<anyhow::Result<Vec<_>>>()?;
    if let Some(address) = args.metrics_listen {
        gauges::serve(address).await?;
    }
    let views = Views::of(&args).await?;
    let new = || Audit::new(&views.origin, views.key.clone());
    let mut audit = match files::load(args.state.as_deref())? {
        Some(text) => {
            let audit = Audit::resume(&text, (&views.origin, views.key.clone()), args.from)?;
            let last = audit.size().saturating_sub(1);
            let origin = plain(&views.origin);
            writeln!(out, "going on after SuperRoot {last} of {origin}")?;
            audit
        }
        None => match round::begin(&views, args.from).await {
            Ok(audit) => audit,
            Err(error) => return end(&args, &views, &new(), error, out).await,
        },
    };
    let mut compared = Compared::default();
    let mut said = String::new();
    loop {
        match look(&args, &views, &nodes, &mut audit, &mut compared).await {
            Ok((verdict, text)) => {
                if text != said {
                    print(out, &text, verdict.into())?;
                    said = text;
                }
                if !args.follow || verdict == CommandVerdict::False {
                    return Ok(verdict.into());
                }
            }
            Err(error) if args.follow && !is_false(&error) => {
                say!("{}", plain(&format!("{error:#}")));
            }
            Err(error) => return end(&args, &views, &audit, error, out).await,
        }
        tokio::time::sleep(Duration::from_secs(args.every.max(1))).await;
    }
}

/// Looks once at every view and returns the verdict. Blocks are compared if the log has grown.
async fn look(
    args: &AuditArgs,
    views: &Views,
    nodes: &[AuditNode],
    audit: &mut Audit,
    compared: &mut Compared,
) -> anyhow::Result<(CommandVerdict, String)> {
    let seen = round::round(views, audit, args.state.as_deref()).await?;
    if compared.size < audit.size() {
        let client = views.services[seen.farthest].client.clone().patient();
        *compared = against::compare(nodes, &client, audit, args.samples).await?;
        compared.finality = finality::check(&args.finality, &client, audit, args.samples).await?;
    }
    Ok(verdict::report(views, audit, &seen, compared))
}

fn is_false(error: &anyhow::Error) -> bool {
    error.downcast_ref().is_some_and(AuditError::is_false)
}

/// Ends an audit that cannot go on, with a wrong log or without result.
async fn end(
    args: &AuditArgs,
    views: &Views,
    audit: &Audit,
    error: anyhow::Error,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let (verdict, text) = match error.downcast_ref() {
        Some(found) if is_false(&error) => {
            gauges::set(audit, 1);
            (CommandVerdict::False, verdict::accuse(args, views, audit, found).await?)
        }
        Some(_) | None => {
            let words = styled(WARNING, "NOT JUDGED");
            (CommandVerdict::Unusable, format!("{words}: {}\n", plain(&format!("{error:#}"))))
        }
    };
    print(out, &text, verdict.into())
}
