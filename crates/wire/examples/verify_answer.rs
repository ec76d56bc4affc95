//! Checks an answer of a service (JSON of any shape, or a proof file) against a SuperRoot hash that you trust, and lists the
//! members that the proof says nothing about:
//! `cargo run -p superroot-wire --example verify_answer -- FILE SUPERROOT`

use superroot_chain::ChainRegistry;
use superroot_proof::bundle::Policy;
use superroot_types::Hash;
use superroot_wire::check_body;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("expected FILE SUPERROOT")?;
    let trusted: Hash = arguments.next().ok_or("expected FILE SUPERROOT")?.parse()?;
    let policy = Policy::strict(ChainRegistry::builtin().proof_registry());
    let checked = check_body(&std::fs::read(file)?, &policy, Some(&trusted))?;
    let statement = checked.facts.statement;
    println!("true: {} in block {}", statement.subject.name(), statement.number);
    println!("not proven: {}", checked.unproven.join(", "));
    Ok(())
}
