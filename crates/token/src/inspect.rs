//! Inspection of a new token contract by a simulated trade.
//!
//! One `eth_call` does everything. Its code is placed, for this call only, at a funded address by state overrides
//! (third parameter). The code reads the holders of pool shares, buys the token with a thousandth of the pool's
//! reserve, sells the tokens back, and measures the received amounts:
//!
//! ```text
//! input       transfer(pair, 0) ‖ swap(0, 0, self, "") ‖ balanceOf(self) ‖ balanceOf(pair) ‖ getReserves() ‖ owner() ‖ deposit()
//!             ‖ totalSupply()
//! answer      [`WORDS`] words, then the code of the token
//! ```
//! Only Uniswap v2 style pools with the chain's wrapped coin are traded: no other base can be bought with coins.

use alloy_primitives::{Address, U256, address, hex};
use alloy_sol_types::{SolCall, sol};

sol! {
    function transfer(address to, uint256 amount) external returns (bool);
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes data) external;
    function balanceOf(address owner) external view returns (uint256);
    function getReserves() external view returns (uint112, uint112, uint32);
    function owner() external view returns (address);
    function deposit() external payable;
    function totalSupply() external view returns (uint256);
}

/// Address of the code during the call; nobody owns this address.
pub const TRADER: Address = address!("7a4de50000000000000000000000000000000001");
/// Total gas.
pub(crate) const GAS: u64 = 15_000_000;
const CALL_GAS: u32 = 2_000_000;
/// Words before the token's code.
const WORDS: usize = 15;
/// Largest inspected contract, in bytes: twice the limit of EIP-170.
const CODE_BYTES_MAX: usize = 49_152;
/// Traded part of the pool's reserve, as a divisor.
const PART: u16 = 1_000;
/// Amount left after the pool fee, in thousandths: less than any known exchange leaves.
const LEFT: u16 = 990;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TradePool {
    pub token: Address,
    pub base: Address,
    pub pair: Address,
    /// Contracts that lock pool shares until a date.
    pub lockers: &'static [Address],
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    /// Contract owner; zero if nobody, `None` if the contract does not report an owner.
    pub owner: Option<Address>,
    /// Whether the code has a mint function; `None` if the code is elsewhere (a proxy).
    pub is_mintable: Option<bool>,
    /// Loss when buying, in ten-thousandths; `None` if the purchase failed.
    pub buy_tax: Option<u16>,
    /// Loss when selling, in ten-thousandths; 10,000 if selling fails, `None` if buying failed.
    pub sell_tax: Option<u16>,
    /// Pool shares at the zero address and 0x..dead, in ten-thousandths; `None` if the pool has no shares.
    pub burned: Option<u16>,
    /// Pool shares in the lockers, in ten-thousandths; `None` if the pool has no shares.
    pub locked: Option<u16>,
}

// where things stand in memory
const TRANSFER: u16 = 0x00; // 68 bytes
const SWAP: u16 = 0x60; // 164 bytes
const OF_SELF: u16 = 0x120; // 36 bytes
const OF_PAIR: u16 = 0x160; // 36 bytes
const RESERVES: u16 = 0x1a0; // 4 bytes
const OWNER: u16 = 0x1c0; // 4 bytes
const DEPOSIT: u16 = 0x1e0; // 4 bytes
const SUPPLY: u16 = 0x1f0; // 4 bytes
const INPUT_BYTES: u16 = 0x200;
const HELD: u16 = 0x200;
const ANSWER: u16 = 0x280;

#[derive(Clone, Copy)]
enum AnswerWord {
    OwnerFound,
    Owner,
    Paid,
    Out,
    Bought,
    Got,
    Before,
    Sent,
    After,
    Sold,
    Balance,
    Supply,
    Burned,
    Locked,
    CodeBytes,
}

const fn place(word: AnswerWord) -> u16 {
    ANSWER + 32 * word as u16
}

impl TradePool {
    fn token_is_first(&self) -> bool {
        self.token < self.base
    }

    #[must_use]
    pub fn input(&self) -> Vec<u8> {
        let to = self.pair;
        let owner = self.pair;
        let swap = swapCall {
            amount0Out: U256::ZERO,
            amount1Out: U256::ZERO,
            to: TRADER,
            data: Default::default(),
        };
        let parts = [
            (TRANSFER, transferCall { to, amount: U256::ZERO }.abi_encode()),
            (SWAP, swap.abi_encode()),
            (OF_SELF, balanceOfCall { owner: TRADER }.abi_encode()),
            (OF_PAIR, balanceOfCall { owner }.abi_encode()),
            (RESERVES, getReservesCall {}.abi_encode()),
            (OWNER, ownerCall {}.abi_encode()),
            (DEPOSIT, depositCall {}.abi_encode()),
            (SUPPLY, totalSupplyCall {}.abi_encode()),
        ];
        let mut input = vec![0; usize::from(INPUT_BYTES)];
        for (at, part) in parts {
            let at = usize::from(at);
            input[at..at + part.len()].copy_from_slice(&part);
        }
        input
    }

    #[must_use]
    pub fn code(&self) -> Vec<u8> {
        let mut code = TradeProgram::default();
        let (of_token, of_base) =
            if self.token_is_first() { (HELD, HELD + 32) } else { (HELD + 32, HELD) };
        // SWAP's two amounts: what is bought, and what is got back for it
        let (bought, back) = if self.token_is_first() { (4, 36) } else { (36, 4) };
        code.push(INPUT_BYTES).push(0).push(0).op(0x37); // CALLDATACOPY
        // before any code of the token runs, which could move what lies there for this call alone
        code.call(self.pair, (SUPPLY, 4), Some((place(AnswerWord::Supply), 32))).op(0x50); // POP
        code.sum(self.pair, &NOBODY, AnswerWord::Burned).sum(
            self.pair,
            self.lockers,
            AnswerWord::Locked,
        );
        code.address(TRADER).save(OF_SELF + 4);
        code.push(0).save(HELD);
        code.call(self.token, (OWNER, 4), Some((place(AnswerWord::Owner), 32)));
        // a fallback that takes every call returns nothing: RETURNDATASIZE, EQ, AND
        code.op(0x3d).push(32).op(0x14).op(0x16).store(AnswerWord::OwnerFound);
        code.call(self.pair, (RESERVES, 4), Some((HELD, 64))).op(0x50);
        // paid = base / PART
        code.push(PART).load(of_base).op(0x04).store(AnswerWord::Paid);
        // out = (token * paid * LEFT) / (base * 1000 + paid * LEFT)
        code.load(place(AnswerWord::Paid)).push(LEFT).op(0x02); // paid * LEFT
        code.op(0x80).load(of_base).push(1_000).op(0x02).op(0x01); // DUP1; + base * 1000
        code.op(0x90).load(of_token).op(0x02).op(0x04).store(AnswerWord::Out); // SWAP1; * token; DIV
        code.pay(self.base, place(AnswerWord::Paid), (DEPOSIT, 4)).op(0x50);
        code.load(place(AnswerWord::Paid)).save(TRANSFER + 36);
        code.call(self.base, (TRANSFER, 68), None).op(0x50);
        code.load(place(AnswerWord::Out)).save(SWAP + bought);
        code.call(self.pair, (SWAP, 164), None).store(AnswerWord::Bought);
        code.call(self.token, (OF_SELF, 36), Some((place(AnswerWord::Got), 32))).op(0x50);
        code.call(self.token, (OF_PAIR, 36), Some((place(AnswerWord::Before), 32))).op(0x50);
        code.load(place(AnswerWord::Got)).save(TRANSFER + 36);
        code.call(self.token, (TRANSFER, 68), None).store(AnswerWord::Sent);
        code.call(self.token, (OF_PAIR, 36), Some((place(AnswerWord::After), 32))).op(0x50);
        // for the smallest unit back: whether it can be sold, not for how much
        code.push(0).save(SWAP + bought);
        code.push(1).save(SWAP + back);
        code.call(self.pair, (SWAP, 164), None).store(AnswerWord::Sold);
        code.call(self.base, (OF_SELF, 36), Some((place(AnswerWord::Balance), 32))).op(0x50);
        // the token's code behind
        code.address(self.token).op(0x3b).store(AnswerWord::CodeBytes); // EXTCODESIZE
        let end = ANSWER + 32 * WORDS as u16;
        code.load(place(AnswerWord::CodeBytes)).push(0).push(end).address(self.token).op(0x3c); // EXTCODECOPY
        code.push(32 * WORDS as u16).load(place(AnswerWord::CodeBytes)).op(0x01); // ADD
        code.push(ANSWER).op(0xf3); // RETURN
        code.0
    }
}

#[derive(Default)]
struct TradeProgram(Vec<u8>);

impl TradeProgram {
    fn op(&mut self, op: u8) -> &mut Self {
        self.0.push(op);
        self
    }

    fn push(&mut self, value: u16) -> &mut Self {
        self.op(0x61).0.extend(value.to_be_bytes()); // PUSH2
        self
    }

    fn address(&mut self, address: Address) -> &mut Self {
        self.op(0x73).0.extend(address.as_slice()); // PUSH20
        self
    }

    fn load(&mut self, at: u16) -> &mut Self {
        self.push(at).op(0x51) // MLOAD
    }

    fn save(&mut self, at: u16) -> &mut Self {
        self.push(at).op(0x52) // MSTORE
    }

    fn store(&mut self, word: AnswerWord) -> &mut Self {
        self.save(place(word))
    }

    /// Calls a contract and leaves the success flag on the stack. Returned bytes go to `answer`, cut to its length.
    fn call(
        &mut self,
        to: Address,
        (at, length): (u16, u16),
        answer: Option<(u16, u16)>,
    ) -> &mut Self {
        let (answer_at, answer_length) = answer.unwrap_or((0, 0));
        self.push(answer_length).push(answer_at);
        self.push(length).push(at).push(0);
        self.finish_call(to)
    }

    /// Sums the token balances of some accounts.
    fn sum(&mut self, token: Address, accounts: &[Address], sum: AnswerWord) -> &mut Self {
        for account in accounts {
            self.push(0).save(HELD); // what is not answered is nothing
            self.address(*account).save(OF_SELF + 4);
            self.call(token, (OF_SELF, 36), Some((HELD, 32))).op(0x50);
            self.load(HELD).load(place(sum)).op(0x01).store(sum); // ADD
        }
        self
    }

    /// Calls a contract with coins; the memory word at `amount` holds the amount.
    fn pay(&mut self, to: Address, amount: u16, (at, length): (u16, u16)) -> &mut Self {
        self.push(0).push(0).push(length).push(at).load(amount);
        self.finish_call(to)
    }

    fn finish_call(&mut self, to: Address) -> &mut Self {
        self.address(to).op(0x63).0.extend(CALL_GAS.to_be_bytes()); // PUSH4
        self.op(0xf1) // CALL
    }
}

/// Addresses without a private key: their tokens are burned.
const NOBODY: [Address; 2] = [Address::ZERO, address!("000000000000000000000000000000000000dead")];

/// Selectors of mint functions: `mint(address,uint256)`, `mint(uint256)`, `mint()`, `mint(address)`.
const MINTS: [[u8; 4]; 4] =
    [hex!("40c10f19"), hex!("a0712d68"), hex!("1249c58b"), hex!("6a627842")];
/// Size in bytes below which delegating code is a proxy.
const PROXY_BYTES_MAX: usize = 2_048;

impl Inspection {
    /// Decodes an answer; `None` if the answer has another form.
    #[must_use]
    pub fn decode(answer: &[u8]) -> Option<Self> {
        let (words, code) = answer.split_at_checked(32 * WORDS)?;
        let word = |word: AnswerWord| {
            let at = 32 * word as usize;
            U256::from_be_slice(&words[at..at + 32])
        };
        if code.len() > CODE_BYTES_MAX || word(AnswerWord::CodeBytes) != U256::from(code.len()) {
            return None;
        }
        if code.is_empty() {
            return Some(Self::default()); // a call of nothing succeeds
        }
        let part = |of: AnswerWord| {
            let parts = word(of).min(word(AnswerWord::Supply)).checked_mul(U256::from(10_000));
            parts?.checked_div(word(AnswerWord::Supply)).and_then(|part| u16::try_from(part).ok())
        };
        let is = |which: AnswerWord| word(which) == U256::ONE;
        let lost = |whole: U256, left: U256| {
            let lost = whole.saturating_sub(left).saturating_mul(U256::from(10_000));
            let to_nearest = lost.saturating_add(whole >> 1_usize);
            to_nearest.checked_div(whole).and_then(|lost| u16::try_from(lost).ok())
        };
        let owner = word(AnswerWord::Owner).to_be_bytes::<32>();
        let is_address = owner[..12] == [0; 12];
        let mut found = Self {
            owner: (is(AnswerWord::OwnerFound) && is_address)
                .then(|| Address::from_slice(&owner[12..])),
            is_mintable: is_mintable(code),
            burned: part(AnswerWord::Burned),
            locked: part(AnswerWord::Locked),
            ..Self::default()
        };
        if is(AnswerWord::Bought) {
            found.buy_tax = lost(word(AnswerWord::Out), word(AnswerWord::Got));
            let arrived = word(AnswerWord::After).saturating_sub(word(AnswerWord::Before));
            let is_sold = is(AnswerWord::Sent) && is(AnswerWord::Sold);
            found.sell_tax =
                if is_sold { lost(word(AnswerWord::Got), arrived) } else { Some(10_000) };
        }
        Some(found)
    }
}

/// Whether code has a mint function; `None` for empty code, and for a proxy, whose functions are elsewhere.
fn is_mintable(code: &[u8]) -> Option<bool> {
    let mut at = 0;
    let mut delegates = false;
    let mut mints = false;
    while let Some(op) = code.get(at) {
        at += 1;
        match op {
            0xf4 => delegates = true, // DELEGATECALL
            // PUSH1 to PUSH32
            0x60..=0x7f => {
                let length = usize::from(op - 0x5f);
                mints |= code.get(at..at + length).is_some_and(|pushed| {
                    MINTS.iter().any(|selector| pushed == selector.as_slice())
                });
                at += length;
            }
            _ => {}
        }
    }
    let is_elsewhere = code.is_empty() || (delegates && code.len() < PROXY_BYTES_MAX);
    (!is_elsewhere || mints).then_some(mints)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn answer(words: &[(AnswerWord, u64)], code: &[u8]) -> Vec<u8> {
        let mut answer = vec![0; 32 * WORDS];
        for (word, value) in words.iter().chain(&[(AnswerWord::CodeBytes, code.len() as u64)]) {
            let at = 32 * *word as usize;
            answer[at + 24..at + 32].copy_from_slice(&value.to_be_bytes());
        }
        [&answer, code].concat()
    }

    #[test]
    fn taxes_are_what_did_not_arrive() {
        let bought = [
            (AnswerWord::Bought, 1),
            (AnswerWord::Out, 1_000),
            (AnswerWord::Got, 950),
            (AnswerWord::Before, 7),
        ];
        let sold = [(AnswerWord::Sent, 1), (AnswerWord::Sold, 1), (AnswerWord::After, 7 + 855)];
        let code = hex!("6340c10f1900");
        let found = Inspection::decode(&answer(&[&bought[..], &sold].concat(), &code)).unwrap();
        assert_eq!((found.buy_tax, found.sell_tax), (Some(500), Some(1_000)));
        assert_eq!((found.owner, found.is_mintable), (None, Some(true)));
        let stuck = Inspection::decode(&answer(&bought, &[0])).unwrap();
        assert_eq!((stuck.sell_tax, stuck.is_mintable), (Some(10_000), Some(false)));
        let none = Inspection::decode(&answer(&[(AnswerWord::OwnerFound, 1)], &[0])).unwrap();
        let (owner, is_mintable) = (Some(Address::ZERO), Some(false));
        let nobody = Inspection { owner, is_mintable, ..Inspection::default() };
        assert_eq!(none, nobody, "nothing was bought");
        let absent = Inspection::decode(&answer(&[(AnswerWord::OwnerFound, 1)], &[])).unwrap();
        assert_eq!(absent, Inspection::default(), "there is no contract");
    }

    /// What the token does in a call must not bear on what is told of the pool's own tokens.
    #[test]
    fn the_pools_own_tokens_are_asked_for_before_any_code_of_the_token_runs() {
        let [token, base, pair] = [1, 2, 3].map(Address::repeat_byte);
        let code = TradePool { token, base, pair, lockers: &[TRADER] }.code();
        let last_sum = code.windows(20).rposition(|part| part == NOBODY[1].as_slice()).unwrap();
        let first_call = code.windows(20).position(|part| part == token.as_slice()).unwrap();
        assert!(last_sum < first_call);
        assert!(code[last_sum..first_call].windows(20).any(|part| part == TRADER.as_slice()));
    }

    #[test]
    fn selectors_within_data_and_proxies_are_told_apart() {
        assert_eq!(
            is_mintable(&hex!("6540c10f19000000")),
            Some(false),
            "six bytes of something else"
        );
        assert_eq!(is_mintable(&hex!("363d3d373d3d3d363d73f4")), Some(false));
        assert_eq!(is_mintable(&hex!("5af4")), None, "it calls code elsewhere");
        assert_eq!(is_mintable(&hex!("7f40")), Some(false), "cut short");
    }

    #[test]
    fn an_answer_of_another_form_is_none() {
        let good = answer(&[], &[1, 2, 3]);
        assert!(Inspection::decode(&good).is_some());
        assert_eq!(Inspection::decode(&good[..good.len() - 1]), None);
        assert_eq!(Inspection::decode(&[]), None);
        assert_eq!(Inspection::decode(&answer(&[], &vec![0; CODE_BYTES_MAX + 1])), None);
    }

    proptest! {
        #[test]
        fn no_answer_makes_it_panic(
            words in proptest::collection::vec((any::<[u8; 32]>(), 0_usize..33), WORDS), code: Vec<u8>,
        ) {
            let narrow = |(mut word, keep): ([u8; 32], usize)| {
                word[..32 - keep].fill(0);
                word
            };
            let mut answer: Vec<u8> = words.into_iter().flat_map(narrow).collect();
            let at = 32 * AnswerWord::CodeBytes as usize;
            answer[at..at + 32].copy_from_slice(&U256::from(code.len()).to_be_bytes::<32>());
            answer.extend(code);
            prop_assert!(Inspection::decode(&answer).is_some());
        }
    }
}
