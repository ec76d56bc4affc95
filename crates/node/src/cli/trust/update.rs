//! `superroot trust update`: advance to the newest SuperRoot signed by the pinned key.

use std::path::Path;

use anyhow::{Context, bail};
use indicatif::ProgressBar;
use superroot_client::{Client, FetchedPage, PinAdvance, TrustStore, UpdateError, fetch_step};
use superroot_proof::registry::Profile;
use superroot_types::{SuperRootRef, shown_origin};
use superroot_wire::evidence::render_evidence;

use super::open_existing;
use crate::cli::output;
use crate::cli::report::withdrawals;
use crate::cli::style::{GOOD, plain, styled};

/// Advances the pin with the service's log.
pub(super) async fn run(client: &Client, path: &Path, evidence: &Path) -> anyhow::Result<String> {
    let page = FetchedPage::read(&client.fetch_superroot(SuperRootRef::Latest).await?)?;
    of_log(client, &page.origin, path, evidence).await
}

/// Like [`run`], for a log known by name.
pub(super) async fn of_log(
    client: &Client,
    origin: &str,
    path: &Path,
    evidence: &Path,
) -> anyhow::Result<String> {
    let store = open_existing(Some(path)).ok().flatten().map(|(_, store)| store);
    let store = store.unwrap_or_default();
    let (log, key) = store.key_of(origin)?;
    let bar = ProgressBar::new(0);
    let told = |done: u64, all: u64| {
        bar.set_length(all);
        bar.set_position(done);
    };
    let fetched = fetch_step(client, log, key, told).await;
    bar.finish_and_clear();
    let step = match fetched {
        Err(UpdateError::TwoHistories(found)) => {
            let text = format!("{:#}\n", render_evidence(&found));
            output::write(evidence, text.as_bytes())?;
            let shown = plain(&evidence.display().to_string());
            return Err(anyhow::Error::new(UpdateError::TwoHistories(found)))
                .with_context(|| format!("evidence that anyone can check is in {shown}"));
        }
        step => step?,
    };
    let shown = shown_origin(origin);
    let Some(step) = step else {
        let newest = log.pins().last().map(|pin| pin.sequence).unwrap_or_default();
        let said = format!("SuperRoot {newest} of {shown} is the newest already");
        return Ok(with_withdrawals(said, log.registry()));
    };
    let said = with_withdrawals(in_words(&step, &shown), step.registry());
    match TrustStore::change(path, |store| store.advance(step)) {
        Ok(()) => Ok(said),
        Err(error) => bail!(error),
    }
}

/// Text, and a line per chain withdrawn by the registry.
fn with_withdrawals(said: String, registry: &[Profile]) -> String {
    let lines = [vec![said], withdrawals(registry)].concat();
    lines.join("\n")
}

fn in_words(step: &PinAdvance, shown: &str) -> String {
    let to = step.pin().sequence;
    match step.from().map(|pin| pin.sequence) {
        None => format!("{} SuperRoot {to} of {shown}, signed by the key", styled(GOOD, "pinned")),
        Some(from) => format!(
            "{} from SuperRoot {from} to {to} of {shown}: signed by the key, and no SuperRoot and no \
             block before was rewritten (consistency full)",
            styled(GOOD, "moved")
        ),
    }
}
