//! Commands suggested by a demo.

use std::path::Path;

use superroot_account::Tier;
use superroot_accumulate::prove::Prover;
use superroot_store::read;
use superroot_types::{BlockNumber, ChainId, ChainKey, Family, Hash, SuperRootRef};
use superroot_wire::paths;

use crate::accounts::demo_keys::DemoKey;
use crate::cli::output::quoted;
use crate::cli::style::{FAINT, HEADING};
use crate::run::RunningStages;

/// Prints commands about an existing event.
pub(super) async fn print_commands(
    service: &RunningStages,
    keys: &[DemoKey],
) -> anyhow::Result<()> {
    let prover = service.prover.clone();
    let found = tokio::task::spawn_blocking(move || newest_event(&prover)).await?;
    let url = &service.url;
    let Some((number, tx_index, transaction)) = found else {
        put!("try:  curl {url}{}", paths::NEWEST_SUPERROOT);
        return Ok(());
    };
    // as it was called: a binary that cargo has built is on nobody's path
    let program = std::env::args_os().next().unwrap_or_else(|| "superroot".into());
    let program = quoted(Path::new(&program));
    put!("{HEADING}try{HEADING:#}, in another terminal:");
    // pinned before it proves: a note that is older than the pin was never compared with it
    for key in service.prover.keys() {
        put!("  {program} trust pin --key {key} --url {url}");
    }
    put!("  {program} prove --url {url} event ethereum {number} {tx_index} 0 -o event.srproof");
    put!("  {program} verify event.srproof");
    put!("  curl -s {url}{}", paths::transaction_proof("ethereum", &transaction));
    if let Some(key) = keys.iter().find(|key| key.tier == Tier::Builder) {
        let header = format!("'X-API-Key: {}'", key.api_key);
        put!("  curl -s -H {header} {url}/api/v1/usage");
        put!("  {program} watch superroot finality --url {url} --api-key {}", key.api_key);
        put!("  {program} watch orders launches --url {url} --api-key {}", key.api_key);
    }
    put!("{FAINT}Ctrl-C ends the demo.{FAINT:#}");
    Ok(())
}

/// Newest anchored event on the demo's Ethereum: block, transaction position and hash.
fn newest_event(prover: &Prover) -> Option<(BlockNumber, u32, Hash)> {
    let chain = ChainKey { family: Family::Evm, id: ChainId(1) };
    let published = prover.published(SuperRootRef::Latest).ok()?;
    let last = published.reference(chain)?.1.number;
    for number in (0..=last.0).rev().take(512).map(BlockNumber) {
        let Some(body) = read::load_body(prover.store(), chain, number).ok()? else { continue };
        let offsets = body.event_offsets();
        let has_event =
            |tx_index: &u32| offsets.before(tx_index + 1).is_some_and(|count| count > 0);
        if let Some(tx_index) = (0..64).find(has_event) {
            let transaction = body.transaction_hash(tx_index).ok()??;
            return Some((number, tx_index, transaction));
        }
    }
    None
}
