//! What a demo says to try.

use superroot_account::Tier;
use superroot_accumulate::prove::{Prover, Which};
use superroot_store::read;
use superroot_types::{BlockNumber, ChainId, ChainKey, Family, Hash};

use crate::accounts::demo_keys::DemoKey;
use crate::cli::style::{FAINT, HEADING};
use crate::run::Service;

/// Four commands to try, about an event that is really there.
pub(super) async fn print_commands(service: &Service, keys: &[DemoKey]) -> anyhow::Result<()> {
    let prover = service.prover.clone();
    let found = tokio::task::spawn_blocking(move || newest_event(&prover)).await?;
    let url = &service.url;
    let Some(event) = found else {
        put!("try:  curl {url}/v5/superroot");
        return Ok(());
    };
    let Event { number, tx_index, log_index, transaction, sequence, super_root } = event;
    // as it was called: a binary that cargo has built is on nobody's path
    let program = std::env::args().next().unwrap_or_else(|| "superroot".to_owned());
    put!("{HEADING}try{HEADING:#}, in another terminal:");
    put!(
        "  {program} prove --url {url} event ethereum {number} {tx_index} {log_index} \
         --sequence {sequence} -o event.srproof"
    );
    put!("  {program} verify event.srproof --superroot {super_root}");
    put!("  curl -s {url}/v5/proof/tx/ethereum/{transaction}");
    if let Some(key) = keys.iter().find(|key| key.tier == Tier::Builder) {
        let header = format!("'X-API-Key: {}'", key.api_key);
        put!("  curl -s -H {header} {url}/api/v1/usage");
    }
    put!("{FAINT}Ctrl-C ends the demo.{FAINT:#}");
    Ok(())
}

/// An event of a simulated chain.
struct Event {
    number: BlockNumber,
    tx_index: u32,
    log_index: u32,
    transaction: Hash,
    /// The SuperRoot that has it.
    sequence: u64,
    super_root: Hash,
}

/// The newest anchored event of the demo's Ethereum.
fn newest_event(prover: &Prover) -> Option<Event> {
    let chain = ChainKey { family: Family::Evm, id: ChainId(1) };
    let published = prover.published(Which::Latest).ok()?;
    let last = published.reference(chain)?.1.number;
    for number in (0..=last.0).rev().take(512).map(BlockNumber) {
        let Some(body) = read::load_body(prover.store(), chain, number).ok()? else { continue };
        for tx_index in 0..64_u32 {
            let Some(events) = body.events_before(tx_index + 1) else { break };
            if events > 0 {
                let transaction = body.transaction_hash(tx_index).ok()??;
                let (sequence, super_root) = (published.super_root.sequence, published.hash);
                let log_index = 0;
                return Some(Event {
                    number,
                    tx_index,
                    log_index,
                    transaction,
                    sequence,
                    super_root,
                });
            }
        }
    }
    None
}
