//! Gas and bytes at the median and at nine of ten proofs: the limits that contracts may count on.

use crate::*;

fn at(mut all: Vec<u64>, percent: usize) -> u64 {
    all.sort_unstable();
    all[(all.len() - 1) * percent / 100]
}

#[test]
fn gas_and_bytes_stay_below_their_limits() {
    let vectors = vectors();
    let mut lens = Lens::new(vectors[0].log_id);
    println!(
        "| shows | twig | proofs | bytes p50 / p90 | execution p50 / p90 | transaction p50 / p90 |"
    );
    println!("|---|---|---|---|---|---|");
    for (shows, open, bytes_most, execution_most, transaction_most) in [
        ("event", false, 4_000, 38_000, 153_000),
        ("event", true, 3_320, 33_000, 128_000),
        ("block", false, 2_020, 22_000, 96_000),
        ("block", true, 1_410, 17_000, 72_000),
        ("transaction", false, 4_000, 38_000, 153_000),
        ("transaction", true, 4_000, 33_000, 153_000),
    ] {
        let (mut bytes, mut execution, mut whole) = (Vec::new(), Vec::new(), Vec::new());
        for vector in vectors.iter().filter(|one| one.shows == shows && one.open == open) {
            lens.anchor(vector.sequence, vector.trusted);
            let proof = proof(vector);
            bytes.push(proof.len() as u64);
            let outcome = match shows {
                "event" => lens.view(&verifyEventCall { proof }),
                "block" => lens.view(&verifyBlockCall { proof }),
                _ => lens.view(&verifyTransactionCall { proof }),
            };
            assert!(outcome.is_success, "{}: {}", vector.name, refusal(&outcome));
            execution.push(outcome.execution_gas);
            whole.push(outcome.gas);
        }
        let count = bytes.len();
        let both = |all: &Vec<u64>| (at(all.clone(), 50), at(all.clone(), 90));
        let (bytes, execution, whole) = (both(&bytes), both(&execution), both(&whole));
        let twig = if open { "open" } else { "sealed" };
        println!("| {shows} | {twig} | {count} | {bytes:?} | {execution:?} | {whole:?} |");
        if std::env::var_os("SUPERROOT_GAS_LIMITS").is_some() {
            assert!(
                bytes.0 <= bytes_most
                    && execution.0 <= execution_most
                    && whole.0 <= transaction_most
            );
        }
    }
}
