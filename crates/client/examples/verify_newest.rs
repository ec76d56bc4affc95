//! Fetches the proof of a chain's newest block, and checks it by the trust store that `superroot trust pin` writes:
//! `cargo run -p superroot-client --example verify_newest -- URL CHAIN TRUST_STORE`

use std::path::Path;

use superroot_chain::ChainRegistry;
use superroot_client::{Client, TrustStore, Verifier, answers_proof};
use superroot_types::BlockRef;
use superroot_wire::proof::{ProofQuery, ProofTarget};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, chain, store] = arguments.as_slice() else {
        return Err("expected URL CHAIN TRUST_STORE".into());
    };
    let chain = ChainRegistry::builtin().find(chain).ok_or("no such chain")?.key();
    let query = ProofQuery { chain, target: ProofTarget::Block(BlockRef::Latest) };
    let answer = Client::new(url)?.with_notes().fetch_proof(&query).await?;
    let store = TrustStore::load(Path::new(store))?;
    let (checked, trusted) = Verifier::builtin().check_trusted(&answer, &store)?;
    answers_proof(&query, &checked.facts)?;
    println!("true: block {}, by {:?}", checked.facts.statement.number, trusted.by);
    Ok(())
}
