//! Fees stay below the limits, and what waits for that says so.

use std::sync::Arc;

use proptest::prelude::*;
use superroot_outbox::{AccountState, FeeLimits, Fees, Step};
use superroot_store::MemoryStore;
use superroot_types::UnixSeconds;

use crate::chain::{GAS, task};
use crate::laws::{LIMITS, outbox};

const STATE: AccountState = AccountState { next_sequence: 0, transaction_count: 0 };

#[test]
fn a_fee_above_the_limit_is_waited_for() {
    let store = Arc::new(MemoryStore::new());
    let step = |now, fees: Result<Fees, String>| {
        outbox(&store, LIMITS).step(UnixSeconds(now), &STATE, &fees, || Some(task(0))).unwrap()
    };
    let held = step(1, Ok(Fees::for_base_fee(5_000, 1)));
    let Step::Held { sequence: 0, why } = held else { panic!("{held:?}") };
    assert_eq!(why, "the fee is 10001 wei per gas, above the limit of 1000");
    let held = step(2, Err("no block is held".to_owned()));
    assert_eq!(held, Step::Held { sequence: 0, why: "no block is held".to_owned() });
    // twice the base fee is above the limit, the base fee is not
    let sent = step(3, Ok(Fees::for_base_fee(800, 1)));
    let Step::Send { transaction, .. } = sent else { panic!("{sent:?}") };
    assert_eq!(transaction.fees, Fees { max_fee: 1_000, tip: 1 });
    let again = step(100, Ok(Fees::for_base_fee(5_000, 1)));
    let Step::Send { transaction: same, held: Some(why), .. } = again else { panic!("{again:?}") };
    assert_eq!(same, transaction, "it stays in the pools");
    assert!(why.contains("above the limit of 1000"), "{why}");
}

#[test]
fn a_day_costs_no_more_than_its_limit() {
    let store = Arc::new(MemoryStore::new());
    let limits = FeeLimits { wei_per_day_max: u128::from(GAS) * 250, ..LIMITS };
    let mut sent = 0;
    let mut held = None;
    for sequence in 0..5 {
        let state = AccountState { next_sequence: sequence, transaction_count: sequence };
        let step = |now| {
            let fees = Ok(Fees { max_fee: 100, tip: 1 });
            let of = || Some(task(sequence));
            outbox(&store, limits).step(UnixSeconds(now), &state, &fees, of).unwrap()
        };
        match step(1_000 + sequence) {
            Step::Send { .. } => sent += 1,
            Step::Held { why, .. } => held = Some(why),
            Step::Done { .. } => {
                // the task before; now the next one
                match step(1_000 + sequence) {
                    Step::Send { .. } => sent += 1,
                    Step::Held { why, .. } => held = Some(why),
                    other => panic!("{other:?}"),
                }
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(sent, 2);
    let why = held.unwrap();
    assert!(why.starts_with("the day's transactions would cost up to 30000000 wei"), "{why}");
    let state = AccountState { next_sequence: 4, transaction_count: 4 };
    let fees = Ok(Fees { max_fee: 100, tip: 1 });
    let tomorrow = UnixSeconds(1_000 + 86_400);
    let step = outbox(&store, limits).step(tomorrow, &state, &fees, || Some(task(4))).unwrap();
    assert!(matches!(step, Step::Send { .. }), "{step:?}");
}

proptest! {
    /// No fee passes the limit, and every raise is one that nodes take.
    #[test]
    fn no_numbers_pass_the_limits(
        limit in 1..u128::MAX,
        day: u128,
        quoted in proptest::collection::vec((any::<u128>(), any::<u128>()), 1..20),
    ) {
        let store = Arc::new(MemoryStore::new());
        let limits =
            FeeLimits { fee_per_gas_max: limit, wei_per_day_max: day, raise_after_seconds: 1 };
        let mut last: Option<Fees> = None;
        for (now, (max_fee, tip)) in (1_000..).zip(quoted) {
            let fees = Ok(Fees { max_fee, tip });
            let step = outbox(&store, limits).step(UnixSeconds(now), &STATE, &fees, || Some(task(0)));
            let Step::Send { transaction, .. } = step.unwrap() else { continue };
            let fees = transaction.fees;
            prop_assert!(fees.max_fee <= limit && fees.tip <= fees.max_fee);
            prop_assert!(fees.max_fee.saturating_mul(GAS.into()) <= day);
            if let Some(last) = last.filter(|last| *last != fees) {
                let is_taken = |new: u128, old: u128| new - old >= old.div_ceil(10);
                prop_assert!(is_taken(fees.max_fee, last.max_fee) && is_taken(fees.tip, last.tip));
            }
            last = Some(fees);
        }
    }
}
