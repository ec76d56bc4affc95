//! Words beside a proof in calldata.

use std::path::Path;

use superroot_chain::ChainRegistry;
use superroot_proof::bundle::{Facts, ProofSubject};
use superroot_types::Family;

use super::super::output::{is_stdout, quoted};
use super::super::style::{HEADING, styled};
use super::{is_stream, wrote};

/// Written proof, and the call of a `SuperRootLens` that reads it.
pub(super) fn next_steps(path: &Path, hex: &[u8], facts: &Facts, is_chosen: bool) -> String {
    let gas = floor_gas(hex);
    let size = hex.len().saturating_sub(3) / 2;
    let text = format!(
        "\n{}: {size} bytes for a contract, {gas} gas and more in a transaction\n",
        wrote(path, hex.len())
    );
    if is_stream(path) || is_stdout(path) {
        return text;
    }
    let heading = styled(HEADING, "Give it to a contract that reads SuperRoots, as one argument:");
    let function = lens_function(facts);
    let call = format!("  cast call LENS \"{function}\" $(cat {})", quoted(path));
    let sequence = facts.super_root.map_or(0, |root| root.sequence.0);
    let newest = match is_chosen {
        true => "",
        false => "; --sequence N proves under one that is",
    };
    let known = format!(
        "It holds where SuperRoot {sequence} is at the contract's anchor (anchors[].sequence at /api/v1/status){newest}."
    );
    let chain = facts.statement.chain;
    let refused = match ChainRegistry::builtin().by_key(chain) {
        Some(_) => String::new(),
        None => {
            format!("The lens knows the built-in chains alone and refuses chain {chain} (rule).\n")
        }
    };
    format!("{text}\n{heading}\n{call}\n{known}\n{refused}")
}

/// Written entry, and the call that reads one of a kept block.
pub(super) fn next_steps_of_entry(path: &Path, hex: &[u8], facts: &Facts) -> String {
    let (chain, number) = (facts.statement.chain.id, facts.statement.number);
    let text = format!("\n{}\n", wrote(path, hex.len()));
    if is_stream(path) || is_stdout(path) {
        return text;
    }
    let heading = styled(HEADING, "Once keepBlock has the block, an event of it is read by:");
    let results = "(uint256,uint256,address,bytes32[],bytes)";
    let file = quoted(path);
    format!(
        "{text}\n{heading}\n  cast call LENS \"verifyKeptEvent(uint256,uint256,bytes){results}\" {chain} {number} $(cat {file})\n"
    )
}

/// Least gas of a transaction with this argument: 21,000, and of each byte 40, or 10 if zero (EIP-7623).
fn floor_gas(hex: &[u8]) -> u64 {
    let digits = hex.get(2..).unwrap_or_default();
    digits
        .chunks_exact(2)
        .fold(21_000, |gas: u64, byte| gas.saturating_add(if byte == b"00" { 10 } else { 40 }))
}

/// Function of `contracts/src/SuperRootLens.sol` for a proven subject, with its results for `cast`.
fn lens_function(facts: &Facts) -> &'static str {
    let is_bitcoin = facts.statement.chain.family == Family::Bitcoin;
    match (is_bitcoin, facts.statement.subject) {
        (false, ProofSubject::Log { .. }) => {
            "verifyEvent(bytes)(uint256,uint256,uint256,uint256,address,bytes32[],bytes)"
        }
        (false, ProofSubject::Transaction { .. }) => {
            "verifyTransaction(bytes)(uint256,uint256,uint256,bytes32)"
        }
        (false, _) => "verifyBlock(bytes)(uint256,uint256,bytes32,bytes32,bytes32)",
        (true, ProofSubject::Log { .. }) => {
            "verifyOutput(bytes)(uint256,uint256,bytes32,uint256,uint256,bytes)"
        }
        (true, ProofSubject::Transaction { .. }) => {
            "verifyBitcoinTransaction(bytes)(uint256,uint256,bytes32)"
        }
        (true, _) => "verifyBitcoinBlock(bytes)(uint256,bytes32,bytes32)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Source: EIP-7623, 10 gas a token, a byte is four tokens unless it is zero.
    #[test]
    fn the_floor_counts_bytes_and_zeros() {
        assert_eq!(floor_gas(b"0x\n"), 21_000);
        assert_eq!(floor_gas(b"0x00ff0001\n"), 21_000 + 2 * 10 + 2 * 40);
    }
}
