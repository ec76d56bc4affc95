//! Activity on a simulated chain: nonces, pools, and transactions per block. There is no state trie: balances are not
//! kept.

use alloy_primitives::{Bytes, U256};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use superroot_chain::ledger::evm::raw::RawLog;
use superroot_types::Address;

use super::super::Size;
use super::contract::{self, DAI, ROUTER, USDC, WBTC, WETH};
use super::orders;
use super::wallet::TransactionRequest;

pub(super) const ACCOUNTS: usize = 24;

pub(super) const GAS_LIMIT: u64 = 30_000_000;

/// Last blocks of the quiet period, with gas used to raise fees from zero to the usual level.
const WARM_UP: u64 = 256;

/// Base fee for half-full blocks, in wei.
const USUAL_BASE_FEE: u64 = 10_000_000_000;

/// Most pools; beyond, the oldest launched pools are no longer traded.
const POOLS_MAX: usize = 32;

/// Pools at the start.
const FOUNDING_POOLS: usize = 5;

/// Most gas for a background call.
const BACKGROUND_GAS_MAX: u64 = 14_000_000;

/// Liquidity locked by a pair's first mint.
const LOCKED_LIQUIDITY: u64 = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SimulatedPair {
    address: Address,
    /// Two tokens, lower address first.
    tokens: [Address; 2],
    reserves: [U256; 2],
    /// Initial reserves; the price varies around the initial ratio.
    start: [U256; 2],
}

#[derive(Clone, Debug)]
pub(super) struct Planned {
    pub(super) sender: usize,
    pub(super) nonce: u64,
    pub(super) order: TransactionRequest,
    pub(super) gas_used: u64,
    pub(super) succeeds: bool,
    pub(super) logs: Vec<RawLog>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct BlockContext {
    pub(super) chain_id: u64,
    pub(super) number: u64,
    pub(super) timestamp: u64,
    /// Seconds since the parent block.
    pub(super) elapsed: u64,
    /// Wei per gas.
    pub(super) base_fee: u64,
    pub(super) size: Size,
}

/// State passed from a block to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct World {
    nonces: [u64; ACCOUNTS],
    pools: Vec<SimulatedPair>,
}

impl World {
    pub(super) const fn new() -> Self {
        Self { nonces: [0; ACCOUNTS], pools: Vec::new() }
    }

    /// The next block's transactions; updates the world.
    pub(super) fn advance(
        &mut self,
        addresses: &[Address],
        moment: BlockContext,
        mut rng: ChaCha8Rng,
    ) -> Vec<Planned> {
        let mut block =
            BlockDraft { world: self, addresses, moment, rng: &mut rng, planned: Vec::new() };
        match moment.number {
            0 => {}
            1 => block.open_markets(),
            number if number < moment.size.quiet_until => {
                if block.rng.random_range(0..32_u64) == 0 {
                    block.anything();
                }
                if number.saturating_add(WARM_UP) >= moment.size.quiet_until {
                    block.background();
                }
            }
            _ => block.busy(),
        }
        block.planned
    }
}

struct BlockDraft<'a> {
    world: &'a mut World,
    addresses: &'a [Address],
    moment: BlockContext,
    rng: &'a mut ChaCha8Rng,
    planned: Vec<Planned>,
}

impl BlockDraft<'_> {
    /// Opens the founding pools; two routes connect every token pair.
    fn open_markets(&mut self) {
        let units = |whole: u64, decimals: u64| {
            U256::from(whole) * U256::from(10).pow(U256::from(decimals))
        };
        self.launch([(WETH, units(10_000, 18)), (USDC, units(30_000_000, 6))], None);
        self.launch([(WETH, units(5_000, 18)), (WBTC, units(250, 8))], None);
        self.launch([(WBTC, units(200, 8)), (USDC, units(12_000_000, 6))], None);
        self.launch([(WETH, units(4_000, 18)), (DAI, units(12_000_000, 18))], None);
        self.launch([(DAI, units(5_000_000, 18)), (USDC, units(5_000_000, 6))], None);
    }

    fn busy(&mut self) {
        let usual = self.rng.random_range(2..10_u64);
        for _ in 0..self.moment.size.transactions.map_or(usual, u64::from) {
            self.anything();
        }
        if self.rng.random_range(0..40_u64) == 0 {
            if self.world.pools.len() >= POOLS_MAX {
                self.world.pools.remove(FOUNDING_POOLS);
            }
            let mut token = [0; 20];
            self.rng.fill(&mut token);
            let supply = U256::from(10).pow(U256::from(27));
            let paid = U256::from(self.rng.random_range(1..20_u64) * 1_000_000_000);
            let other = (WETH, paid * U256::from(1_000_000_000));
            self.launch([(Address(token), supply), other], Some(Address(token)));
        }
        self.background();
        self.carry_orders();
    }

    /// Deposits for other chains, and fills for orders from other chains.
    fn carry_orders(&mut self) {
        let BlockContext { chain_id, timestamp, elapsed, .. } = self.moment;
        for one in orders::between(chain_id, timestamp.saturating_sub(elapsed), timestamp) {
            let sender = self.sender();
            let input = contract::call("carry(uint256)", &[&one.number]).into();
            let gas_used = self.rng.random_range(90_000..130_000);
            self.add(sender, one.contract, U256::ZERO, input, gas_used, Some(one.logs));
        }
    }

    fn anything(&mut self) {
        match self.rng.random_range(0..20_u64) {
            0..6 => self.send_ether(),
            6..11 => self.send_token(),
            11..19 => self.swap(true),
            _ => self.swap(false),
        }
    }

    fn send_ether(&mut self) {
        let to = self.someone();
        let gwei = self.rng.random_range(1_000..5_000_000_000_u64);
        let value = U256::from(gwei) * U256::from(1_000_000_000);
        let sender = self.sender();
        self.add(sender, to, value, Bytes::new(), 21_000, Some(Vec::new()));
    }

    fn send_token(&mut self) {
        let to = self.someone();
        let sender = self.sender();
        let token = [USDC, DAI, WETH, WBTC][self.rng.random_range(0..4_u64) as usize];
        let amount = U256::from(self.rng.random_range(1..1_000_000_000_u64));
        let log = contract::transfer(token, self.addresses[sender], to, amount);
        let gas_used = self.rng.random_range(34_000..65_000);
        let input = contract::transfer_call(to, amount);
        self.add(sender, token, U256::ZERO, input, gas_used, Some(vec![log]));
    }

    /// Trades up to 1.2 % of a pool, usually back towards the initial price; or fails.
    fn swap(&mut self, succeeds: bool) {
        if self.world.pools.is_empty() {
            return self.send_ether();
        }
        let index = self.rng.random_range(0..self.world.pools.len() as u64) as usize;
        let pool = self.world.pools[index];
        let first_is_cheap = pool.reserves[0] * pool.start[1] > pool.reserves[1] * pool.start[0];
        let back = self.rng.random_range(0..10_u64) < 6;
        let paid = usize::from(first_is_cheap == back);
        let got = 1 - paid;
        let part = U256::from(self.rng.random_range(1..=120_u64));
        let amount = pool.reserves[paid] * part / U256::from(10_000) + U256::ONE;
        let after_fee = amount * U256::from(997);
        let bought =
            after_fee * pool.reserves[got] / (pool.reserves[paid] * U256::from(1_000) + after_fee);

        let sender = self.sender();
        let who = self.addresses[sender];
        let path = [pool.tokens[paid], pool.tokens[got]];
        let input = contract::swap_call(amount, path, who, self.moment.timestamp + 600);
        if !succeeds {
            let gas_used = self.rng.random_range(26_000..60_000);
            return self.add(sender, ROUTER, U256::ZERO, input, gas_used, None);
        }
        let reserves = &mut self.world.pools[index].reserves;
        reserves[paid] += amount;
        reserves[got] -= bought;
        let mut amounts_in = [U256::ZERO; 2];
        let mut amounts_out = [U256::ZERO; 2];
        (amounts_in[paid], amounts_out[got]) = (amount, bought);
        let logs = vec![
            contract::transfer(path[0], who, pool.address, amount),
            contract::transfer(path[1], pool.address, who, bought),
            contract::sync(pool.address, *reserves),
            contract::swap(pool.address, who, amounts_in, amounts_out),
        ];
        let gas_used = self.rng.random_range(98_000..140_000);
        self.add(sender, ROUTER, U256::ZERO, input, gas_used, Some(logs));
    }

    /// Creates and fills a pair. For a new token, the supply is a quarter higher, for other accounts.
    fn launch(&mut self, mut sides: [(Address, U256); 2], new: Option<Address>) {
        sides.sort_unstable();
        let tokens = sides.map(|side| side.0);
        let amounts = sides.map(|side| side.1);
        let address = contract::pair_address(tokens[0], tokens[1]);
        self.world.pools.push(SimulatedPair { address, tokens, reserves: amounts, start: amounts });

        let sender = self.sender();
        let who = self.addresses[sender];
        let locked = U256::from(LOCKED_LIQUIDITY);
        let liquidity = (amounts[0] * amounts[1]).root(2) - locked;
        let made = sides.iter().find(|(token, _)| Some(*token) == new);
        let mut logs = made.map_or_else(Vec::new, |(token, amount)| {
            let part = *amount / U256::from(8);
            let out = |from, to, amount| contract::transfer(*token, from, to, amount);
            let friends = [self.someone(), self.someone()];
            vec![
                out(Address::ZERO, who, *amount + part + part),
                out(who, friends[0], part),
                out(who, friends[1], part),
            ]
        });
        logs.extend([
            contract::pair_created(tokens, address, self.world.pools.len() as u64),
            contract::transfer(tokens[0], who, address, amounts[0]),
            contract::transfer(tokens[1], who, address, amounts[1]),
            contract::transfer(address, Address::ZERO, Address::ZERO, locked),
            contract::transfer(address, Address::ZERO, who, liquidity),
            contract::sync(address, amounts),
            contract::mint(address, amounts),
        ]);
        let deadline = self.moment.timestamp + 600;
        let input = contract::add_liquidity_call(tokens, amounts, who, deadline);
        self.add(sender, ROUTER, U256::ZERO, input, 2_600_000, Some(logs));
    }

    /// Calls without logs that use gas, more at a lower base fee, to keep fees near the usual level.
    fn background(&mut self) {
        let room = (2 * USUAL_BASE_FEE).saturating_sub(self.moment.base_fee);
        let wanted = u128::from(GAS_LIMIT) * u128::from(room) / u128::from(2 * USUAL_BASE_FEE);
        let used: u64 = self.planned.iter().map(|planned| planned.gas_used).sum();
        let wanted = u64::try_from(wanted).unwrap_or(GAS_LIMIT).min(GAS_LIMIT * 4 / 5);
        let noise = self.rng.random_range(0..GAS_LIMIT / 10);
        let mut left = wanted.saturating_add(noise).saturating_sub(used);
        while left > 200_000 {
            let gas_used = left.min(BACKGROUND_GAS_MAX);
            let to = ROUTER;
            let sender = self.sender();
            let input = contract::call("settle(uint256)", &[&self.moment.number]).into();
            self.add(sender, to, U256::ZERO, input, gas_used, Some(Vec::new()));
            left -= gas_used;
        }
    }

    fn sender(&mut self) -> usize {
        self.rng.random_range(0..ACCOUNTS as u64) as usize
    }

    fn someone(&mut self) -> Address {
        let index = self.sender();
        self.addresses[index]
    }

    /// Adds a transaction; a transaction without logs fails.
    fn add(
        &mut self,
        sender: usize,
        to: Address,
        value: U256,
        input: Bytes,
        gas_used: u64,
        logs: Option<Vec<RawLog>>,
    ) {
        let gas = if input.is_empty() { gas_used } else { gas_used + gas_used / 8 };
        let tip = self.rng.random_range(50..3_000_u64) * 1_000_000;
        let legacy = self.rng.random_range(0..4_u64) == 0;
        let nonce = self.world.nonces[sender];
        self.world.nonces[sender] += 1;
        let order = TransactionRequest { to, value, input, gas, tip, legacy };
        let succeeds = logs.is_some();
        let logs = logs.unwrap_or_default();
        self.planned.push(Planned { sender, nonce, order, gas_used, succeeds, logs });
    }
}
