//! One audit round: replay of new SuperRoots, comparison of all notes.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::bail;
use superroot_client::audit::{Audit, AuditBase, AuditError};

use super::views::{CommonView, Views};
use super::{files, gauges};
use crate::cli::progress::bar;

const SAVE_INTERVAL: Duration = Duration::from_secs(2);

/// Begins an audit at SuperRoot `from`.
///
/// # Errors
/// [`AuditError`] if the earlier state is unavailable or inconsistent; another error if the log is too short.
pub(super) async fn begin(views: &Views, from: u64) -> anyhow::Result<Audit> {
    let of = (views.origin.as_str(), views.key.clone());
    if from == 0 {
        return Ok(Audit::new(of.0, of.1));
    }
    let CommonView { farthest, size, .. } = views.look().await?;
    match size.checked_sub(1) {
        Some(newest) if from <= newest => {}
        Some(newest) => bail!("--from {from}: the newest SuperRoot is {newest}"),
        None => bail!("--from {from}: the log has no SuperRoot yet"),
    }
    let client = views.services[farthest].client.clone().patient();
    let given = AuditBase::fetch(&client, from).await?;
    let bar = bar(0, "{bar:40} {pos}/{len} twigs before, {per_sec}, {eta} left");
    let told = |come, all| {
        bar.set_length(all);
        bar.set_position(come);
    };
    let audit = Audit::after(of, &client, given, told).await;
    bar.finish_and_clear();
    Ok(audit?)
}

/// Replays new SuperRoots, and compares all views on the way.
pub(super) async fn round(
    views: &Views,
    audit: &mut Audit,
    state: Option<&Path>,
) -> Result<CommonView, AuditError> {
    let seen = views.look().await?;
    let client = &views.services[seen.farthest].client.clone().patient();
    let goal = seen.size;
    let bar = bar(goal, "{bar:40} {pos}/{len} SuperRoots, {per_sec}, {eta} left");
    bar.set_position(audit.size());
    let mut saved = Instant::now();
    let went_on = audit.go_on(client, goal, &seen.notes, |audit| {
        bar.inc(1);
        if saved.elapsed() >= SAVE_INTERVAL {
            files::save(state, audit)?;
            gauges::set(audit, 0);
            saved = Instant::now();
        }
        Ok(())
    });
    let went_on = went_on.await;
    bar.finish_and_clear();
    // what was replayed stays, and the notes that prove a shorter fork
    files::save(state, audit)?;
    went_on?;
    gauges::set(audit, 0);
    Ok(seen)
}
