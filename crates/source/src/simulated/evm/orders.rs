//! Orders across simulated chains: Across deposits and fills. The chains do not communicate: an order follows from the
//! order number alone, and the number from the deposit time.

use alloy_primitives::U256;
use superroot_chain::ledger::evm::raw::RawLog;
use superroot_proof::hash::keccak256;
use superroot_types::{Address, Hash};

use super::contract::{self, AbiWord, log};

/// Seconds between deposits.
const EVERY_SECONDS: u64 = 20;
/// Fill deadline, in seconds after the deposit.
const DEADLINE_SECONDS: u64 = 120;

macro_rules! address {
    ($text:literal) => {
        Address(alloy_primitives::address!($text).0.0)
    };
}

/// Chain with Across: contract (*spoke pool*) and USD Coin, at mainnet addresses.
struct SpokePool {
    chain_id: u64,
    pool: Address,
    usdc: Address,
}

const SPOKES: [SpokePool; 3] = [
    SpokePool {
        chain_id: 1,
        pool: address!("5c7BCd6E7De5423a257D81B442095A1a6ced35C5"),
        usdc: super::USDC,
    },
    SpokePool {
        chain_id: 8_453,
        pool: address!("09aea4b2242abC8bb4BB78D537A67a245A7bEC64"),
        usdc: address!("833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
    },
    SpokePool {
        chain_id: 130,
        pool: address!("09aea4b2242abC8bb4BB78D537A67a245A7bEC64"),
        usdc: address!("078D782b760474a361dDA0AF3839290b0EF57AD6"),
    },
];

/// Order derived from a number.
struct SimulatedOrder {
    number: u64,
    from: &'static SpokePool,
    to: &'static SpokePool,
    /// A dollar's millionths.
    amount: u64,
    fee: u64,
    depositor: Address,
    relayer: Address,
    /// Fill time; `None`: never filled.
    filled_at: Option<u64>,
}

impl SimulatedOrder {
    fn of(number: u64) -> Self {
        let seed = keccak256(&[b"simulated order".as_slice(), &number.to_be_bytes()].concat()).0;
        let byte = |at: usize| u64::from(seed[at]);
        let origin = usize::from(seed[0]) % SPOKES.len();
        let other = origin + 1 + usize::from(seed[1]) % (SPOKES.len() - 1);
        let party = |purpose: u8| contract::low_20(&keccak256(&[&seed[..], &[purpose]].concat()));
        let amount = (1 + byte(2) * 40 + byte(3)) * 1_000_000;
        let is_filled = !seed[4].is_multiple_of(8);
        Self {
            number,
            from: &SPOKES[origin],
            to: &SPOKES[other % SPOKES.len()],
            amount,
            fee: amount / 2_000 + byte(5),
            depositor: party(0),
            relayer: party(1),
            filled_at: is_filled.then(|| number * EVERY_SECONDS + 4 + byte(6) % 40),
        }
    }

    /// Tokens and amounts, shared by both events.
    fn terms(&self) -> [[u8; 32]; 4] {
        let paid = self.amount;
        let got = self.amount - self.fee;
        [self.from.usdc.word(), self.to.usdc.word(), paid.word(), got.word()]
    }

    fn deadline(&self) -> u64 {
        self.number * EVERY_SECONDS + DEADLINE_SECONDS
    }

    /// `FundsDeposited`, after the transfer.
    fn deposit(&self) -> OrderAct {
        let event = "FundsDeposited(bytes32,bytes32,uint256,uint256,uint256,uint256,uint32,uint32,uint32,bytes32,\
             bytes32,bytes32,bytes)";
        let pool = self.from.pool;
        let amount = U256::from(self.amount);
        let [input, output, paid, got] = self.terms();
        let opened = self.number * EVERY_SECONDS;
        let nobody = Address::ZERO;
        let message_at = 10 * 32_u64;
        let message_length = 0_u64;
        let topics: [&dyn AbiWord; 3] = [&self.to.chain_id, &self.number, &self.depositor];
        let data: [&dyn AbiWord; 11] = [
            &input,
            &output,
            &paid,
            &got,
            &opened,
            &self.deadline(),
            &0_u64,
            &self.depositor,
            &nobody,
            &message_at,
            &message_length,
        ];
        let deposited = log(pool, event, &topics, &data);
        let paid_in = contract::transfer(self.from.usdc, self.depositor, pool, amount);
        OrderAct { contract: pool, number: self.number, logs: vec![paid_in, deposited] }
    }

    /// `FilledRelay`, after the transfer.
    fn fill(&self) -> OrderAct {
        let event = "FilledRelay(bytes32,bytes32,uint256,uint256,uint256,uint256,uint256,uint32,uint32,bytes32,bytes32,\
             bytes32,bytes32,bytes32,(bytes32,bytes32,uint256,uint8))";
        let pool = self.to.pool;
        let amount = U256::from(self.amount - self.fee);
        let [input, output, paid, got] = self.terms();
        let no_message = Hash::ZERO.0;
        let topics: [&dyn AbiWord; 3] = [&self.from.chain_id, &self.number, &self.relayer];
        let data: [&dyn AbiWord; 15] = [
            &input,
            &output,
            &paid,
            &got,
            &self.to.chain_id,
            &self.deadline(),
            &0_u64,
            &Address::ZERO,
            &self.depositor,
            &self.depositor,
            &no_message,
            &self.depositor,
            &no_message,
            &got,
            &0_u64,
        ];
        let filled = log(pool, event, &topics, &data);
        let paid_out = contract::transfer(self.to.usdc, self.relayer, self.depositor, amount);
        OrderAct { contract: pool, number: self.number, logs: vec![paid_out, filled] }
    }
}

pub(super) struct OrderAct {
    pub(super) contract: Address,
    pub(super) number: u64,
    pub(super) logs: Vec<RawLog>,
}

/// Order transactions on a chain after `after` and up to `until`, in Unix seconds.
pub(super) fn between(chain_id: u64, after: u64, until: u64) -> Vec<OrderAct> {
    let oldest = after.saturating_sub(DEADLINE_SECONDS) / EVERY_SECONDS;
    let is_now = |at: u64| after < at && at <= until;
    let mut happening = Vec::new();
    for order in (oldest..=until / EVERY_SECONDS).map(SimulatedOrder::of) {
        if order.from.chain_id == chain_id && is_now(order.number * EVERY_SECONDS) {
            happening.push(order.deposit());
        }
        if order.to.chain_id == chain_id && order.filled_at.is_some_and(is_now) {
            happening.push(order.fill());
        }
    }
    happening
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_deposit_is_made_once_and_most_are_filled_once_elsewhere() {
        let (start, end) = (1_700_000_000, 1_700_004_000);
        let of = |event: &str| {
            let topic = keccak256(event.as_bytes());
            let spokes = SPOKES.iter().flat_map(|spoke| {
                (start..end).step_by(12).flat_map(|at| between(spoke.chain_id, at, at + 12))
            });
            spokes.filter(|one| one.logs[1].topics[0] == topic).map(|one| one.number).collect()
        };
        let deposited: Vec<u64> = of(
            "FundsDeposited(bytes32,bytes32,uint256,uint256,uint256,uint256,uint32,uint32,uint32,bytes32,bytes32,bytes32,bytes)",
        );
        let filled: Vec<u64> = of(
            "FilledRelay(bytes32,bytes32,uint256,uint256,uint256,uint256,uint256,uint32,uint32,bytes32,bytes32,bytes32,bytes32,bytes32,(bytes32,bytes32,uint256,uint8))",
        );
        let once = |numbers: &[u64]| {
            let mut sorted = numbers.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            sorted.len() == numbers.len()
        };
        assert_eq!(deposited.len(), 200);
        assert!(once(&deposited) && once(&filled));
        assert!((150..200).contains(&filled.len()), "{}", filled.len());
    }
}
