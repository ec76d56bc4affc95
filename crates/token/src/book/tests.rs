use std::sync::atomic::{AtomicUsize, Ordering};

use superroot_account::wallet::{CallResult, CallUnavailable, NoNodes};
use superroot_store::MemoryStore;
use superroot_types::{ChainId, Family, ManualClock};

use super::*;

const LONG: Duration = Duration::from_secs(60);
const CHAIN: ChainKey = ChainKey { family: Family::Evm, id: ChainId(1) };

/// Nodes whose answers wait until they are let go.
#[derive(Default)]
struct Nodes {
    /// Symbol of every token; none: it has no contract.
    symbol: Mutex<Option<&'static str>>,
    is_silent: Mutex<bool>,
    held: Mutex<bool>,
    freed: Condvar,
    asked: AtomicUsize,
    at_once: AtomicUsize,
    most_at_once: AtomicUsize,
}

impl Nodes {
    fn saying(symbol: Option<&'static str>) -> Arc<Self> {
        Arc::new(Self { symbol: Mutex::new(symbol), ..Self::default() })
    }

    fn hold(&self, held: bool) {
        *self.held.lock().unwrap() = held;
        self.freed.notify_all();
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl ContractCaller for Nodes {
    fn asks(&self, _: ChainId) -> bool {
        true
    }

    fn call(&self, _: ChainId, call: &WalletCall) -> Result<CallResult, CallUnavailable> {
        let is_trade = call.code.is_some();
        let gas = if is_trade { inspect::GAS } else { answer::GAS };
        assert_eq!((call.to.is_some(), call.gas), (is_trade, gas));
        self.asked.fetch_add(1, Ordering::SeqCst);
        let at_once = self.at_once.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_at_once.fetch_max(at_once, Ordering::SeqCst);
        let mut held = self.held.lock().unwrap();
        while *held {
            held = self.freed.wait(held).unwrap();
        }
        self.at_once.fetch_sub(1, Ordering::SeqCst);
        if *self.is_silent.lock().unwrap() {
            return Err(CallUnavailable { why: "nobody answers".to_owned() });
        }
        if is_trade {
            // no owner, nothing bought, and a byte of code where there is any
            let has_code = self.symbol.lock().unwrap().is_some();
            let mut returned = vec![0; 15 * 32];
            if has_code {
                returned[15 * 32 - 1] = 1;
                returned.push(0);
            }
            return Ok(CallResult { returned, block: BlockNumber(9), nodes: Vec::new() });
        }
        let mut returned = vec![0; 3 * 352];
        if let Some(symbol) = *self.symbol.lock().unwrap() {
            returned[31] = 1;
            returned[63] = 32;
            returned[95] = 6;
            returned[352 + 31] = 1;
            returned[352 + 63] = 32;
            returned[352 + 64..][..symbol.len()].copy_from_slice(symbol.as_bytes());
        }
        let nodes = vec!["a.example".to_owned(), "b.example".to_owned()];
        Ok(CallResult { returned, block: BlockNumber(7), nodes })
    }
}

struct Bench {
    book: TokenDirectory,
    nodes: Arc<Nodes>,
    clock: Arc<ManualClock>,
    store: Arc<MemoryStore>,
}

fn bench(symbol: Option<&'static str>) -> Bench {
    let (store, nodes) = (Arc::new(MemoryStore::new()), Nodes::saying(symbol));
    let clock = Arc::new(ManualClock::at(UnixSeconds(1_000)));
    let book = TokenDirectory::new(store.clone(), nodes.clone(), clock.clone());
    Bench { book, nodes, clock, store }
}

fn token(number: u8) -> Address {
    Address::repeat_byte(number)
}

#[test]
fn a_token_is_asked_once_and_kept_over_a_restart() {
    let Bench { book, nodes, clock, store } = bench(Some("USDC"));
    let TokenRecord { metadata: said, nodes: by, block } = book.get(CHAIN, token(1), LONG).unwrap();
    assert_eq!((by.len(), block), (2, BlockNumber(7)));
    assert_eq!((said.symbol.as_deref(), said.decimals, said.name), (Some("USDC"), Some(6), None));
    assert_eq!(book.get(CHAIN, token(1), Duration::ZERO).unwrap().metadata.decimals, Some(6));
    assert_eq!(nodes.asked(), 1);
    let again = TokenDirectory::new(store, Arc::new(NoNodes), clock);
    assert_eq!(again.get(CHAIN, token(1), Duration::ZERO).unwrap().metadata.decimals, Some(6));
    assert_eq!(again.get(CHAIN, token(2), LONG), Err(NoTokenAnswer::NoNodes));
    assert_eq!(again.known(CHAIN, token(2)), Ok(None));
}

#[test]
fn a_token_that_says_nothing_is_asked_again_soon() {
    let Bench { book, nodes, clock, .. } = bench(None);
    assert_eq!(book.get(CHAIN, token(1), LONG), Err(NoTokenAnswer::NoDecimals));
    clock.advance(NOTHING_SECONDS - 1);
    assert_eq!(book.get(CHAIN, token(1), LONG), Err(NoTokenAnswer::NoDecimals));
    assert_eq!(nodes.asked(), 1);
    clock.advance(1);
    *nodes.symbol.lock().unwrap() = Some("NEW");
    assert_eq!(book.get(CHAIN, token(1), LONG).unwrap().metadata.symbol.as_deref(), Some("NEW"));
}

#[test]
fn nodes_that_could_not_be_asked_are_asked_again_soon() {
    let Bench { book, nodes, clock, .. } = bench(Some("A"));
    *nodes.is_silent.lock().unwrap() = true;
    assert_eq!(book.get(CHAIN, token(1), LONG), Err(NoTokenAnswer::NotAgreed));
    *nodes.is_silent.lock().unwrap() = false;
    assert_eq!(book.get(CHAIN, token(1), LONG), Err(NoTokenAnswer::NotAgreed));
    clock.advance(NOTHING_SECONDS);
    assert!(book.get(CHAIN, token(1), LONG).is_ok());
}

#[test]
fn a_reader_waits_no_longer_than_it_wants_and_each_chain_has_its_places() {
    let Bench { book, nodes, .. } = bench(Some("A"));
    let places = u8::try_from(UNDER_WAY_MAX).unwrap();
    nodes.hold(true);
    for number in 1..=places {
        assert_eq!(book.get(CHAIN, token(number), Duration::ZERO), Err(NoTokenAnswer::Asking));
        assert_eq!(book.get(CHAIN, token(number), Duration::ZERO), Err(NoTokenAnswer::Asking));
    }
    assert_eq!(book.get(CHAIN, token(places + 1), LONG), Err(NoTokenAnswer::Busy));
    let other = ChainKey { id: ChainId(2), ..CHAIN };
    assert_eq!(
        book.get(other, token(1), Duration::ZERO),
        Err(NoTokenAnswer::Asking),
        "no other chain waits"
    );
    nodes.hold(false);
    for number in 1..=places {
        assert!(book.get(CHAIN, token(number), LONG).is_ok());
    }
    // what was said is there a moment before its place is free
    let begun = Instant::now();
    while book.get(CHAIN, token(places + 1), LONG) == Err(NoTokenAnswer::Busy) {
        assert!(begun.elapsed() < LONG);
    }
    assert!(book.get(CHAIN, token(places + 1), LONG).is_ok());
    assert!(book.get(other, token(1), LONG).is_ok());
    assert_eq!(nodes.asked(), UNDER_WAY_MAX + 2, "each once");
    assert!(nodes.most_at_once.load(Ordering::SeqCst) <= UNDER_WAY_MAX + 1);
}

#[test]
fn what_is_old_is_asked_again_while_it_is_served() {
    let Bench { book, nodes, clock, .. } = bench(Some("OLD"));
    let symbol = || book.known(CHAIN, token(1)).unwrap().unwrap().metadata.symbol.unwrap();
    book.get(CHAIN, token(1), LONG).unwrap();
    *nodes.symbol.lock().unwrap() = Some("NEW");
    clock.advance(OLD_SECONDS);
    assert_eq!((symbol(), nodes.asked()), ("OLD".to_owned(), 1));
    clock.advance(1);
    let mut served = symbol();
    for _ in 0..1_000 {
        if served == "NEW" {
            break;
        }
        assert_eq!(served, "OLD");
        thread::sleep(Duration::from_millis(10));
        served = symbol();
    }
    assert_eq!(served, "NEW");
}

#[test]
fn a_new_token_is_inspected_once_it_is_there_and_kept() {
    let Bench { book, nodes, clock, store } = bench(None);
    let trade = TradePool { token: token(1), base: token(2), pair: token(3), lockers: &[] };
    let launched = UnixSeconds(1_000);
    let until = |wanted: Result<InspectionRow, NoTokenAnswer>| {
        for _ in 0..1_000 {
            let said = book.inspected(CHAIN, &trade, launched);
            if said == wanted {
                return;
            }
            assert_eq!(said, Err(NoTokenAnswer::Asking));
            thread::sleep(Duration::from_millis(5));
        }
        panic!("{wanted:?} never came");
    };
    until(Err(NoTokenAnswer::NotYet));
    *nodes.symbol.lock().unwrap() = Some("NEW");
    clock.advance(NOTHING_SECONDS);
    let found = Inspection { is_mintable: Some(false), ..Inspection::default() };
    let inspected =
        InspectionRow { found, block: BlockNumber(9), at: UnixSeconds(1_000 + NOTHING_SECONDS) };
    until(Ok(inspected.clone()));
    assert_eq!(nodes.asked(), 2);
    // what is old is shown, and asked again
    clock.advance(TRADE_OLD_SECONDS);
    until(Ok(inspected.clone()));
    assert_eq!(nodes.asked(), 2);
    clock.advance(1);
    until(Ok(inspected.clone()));
    let renewed = InspectionRow { at: clock.now(), ..inspected };
    for _ in 0..1_000 {
        if book.inspected(CHAIN, &trade, launched) == Ok(renewed.clone()) {
            break;
        }
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!((book.inspected(CHAIN, &trade, launched), nodes.asked()), (Ok(renewed.clone()), 3));
    // the token was some 330 seconds old then: the next look is as long after
    clock.advance(330);
    assert_eq!((book.inspected(CHAIN, &trade, launched), nodes.asked()), (Ok(renewed.clone()), 3));
    let again = TokenDirectory::new(store, Arc::new(NoNodes), clock);
    assert_eq!(again.inspected(CHAIN, &trade, launched), Ok(renewed));
    let other = TradePool { pair: token(4), ..trade };
    assert_eq!(again.inspected(CHAIN, &other, launched), Err(NoTokenAnswer::NoNodes));
}

/// Nodes that panic.
struct Broken;

impl ContractCaller for Broken {
    fn asks(&self, _: ChainId) -> bool {
        true
    }

    fn call(&self, _: ChainId, _: &WalletCall) -> Result<CallResult, CallUnavailable> {
        panic!("a test breaks it")
    }
}

#[test]
fn a_question_that_breaks_leaves_no_place_taken() {
    let clock = Arc::new(ManualClock::at(UnixSeconds(1_000)));
    let book = TokenDirectory::new(Arc::new(MemoryStore::new()), Arc::new(Broken), clock);
    for number in 1..=UNDER_WAY_MAX + 1 {
        let number = u8::try_from(number).unwrap();
        assert_eq!(book.get(CHAIN, token(number), LONG), Err(NoTokenAnswer::NotAgreed));
    }
}

#[test]
fn a_row_that_is_no_token_is_an_error_and_no_answer() {
    let Bench { book, store, .. } = bench(Some("A"));
    let mut batch = WriteBatch::new();
    batch.put(Table::Token, row::key(CHAIN, token(1)), [9]);
    store.commit(batch).unwrap();
    assert_eq!(book.get(CHAIN, token(1), LONG), Err(NoTokenAnswer::NotRead));
}
