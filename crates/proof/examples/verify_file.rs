//! Checks a proof file against a SuperRoot hash that you trust:
//! `cargo run -p superroot-proof --example verify_file -- FILE SUPERROOT`

use superroot_proof::bundle::{Bundle, Policy, verify_anchored};
use superroot_proof::registry::LogRegistry;
use superroot_types::Hash;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("expected FILE SUPERROOT")?;
    let trusted: Hash = arguments.next().ok_or("expected FILE SUPERROOT")?.parse()?;
    let bundle = Bundle::decode(&std::fs::read(file)?)?;
    // no chain is built in here: each is read as its profile under the SuperRoot defines it
    let registry = LogRegistry::new(Vec::new())?;
    let policy = Policy { registry: &registry, accept_opened_rows: true };
    let facts = verify_anchored(&bundle, &policy, &trusted)?;
    let statement = facts.statement;
    println!(
        "true: {} in block {} of chain {}, as the log defines this chain",
        statement.subject.name(),
        statement.number,
        statement.chain
    );
    Ok(())
}
