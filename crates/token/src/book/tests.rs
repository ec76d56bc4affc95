use std::sync::atomic::{AtomicUsize, Ordering};

use superroot_account::wallet::{CallUnavailable, Called, NoNodes};
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

    fn call(&self, _: ChainId, call: &ContractCall) -> Result<Called, CallUnavailable> {
        assert_eq!((call.to, call.gas), (None, GAS));
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
        Ok(Called { returned, block: BlockNumber(7), nodes })
    }
}

struct Bench {
    book: Book,
    nodes: Arc<Nodes>,
    clock: Arc<ManualClock>,
    store: Arc<MemoryStore>,
}

fn bench(symbol: Option<&'static str>) -> Bench {
    let (store, nodes) = (Arc::new(MemoryStore::new()), Nodes::saying(symbol));
    let clock = Arc::new(ManualClock::at(UnixSeconds(1_000)));
    let book = Book::new(store.clone(), nodes.clone(), clock.clone());
    Bench { book, nodes, clock, store }
}

fn token(number: u8) -> Address {
    Address::repeat_byte(number)
}

#[test]
fn a_token_is_asked_once_and_kept_over_a_restart() {
    let Bench { book, nodes, clock, store } = bench(Some("USDC"));
    let said = book.get(CHAIN, token(1), LONG).unwrap();
    assert_eq!((said.symbol.as_deref(), said.decimals, said.name), (Some("USDC"), Some(6), None));
    assert_eq!(book.get(CHAIN, token(1), Duration::ZERO).unwrap().decimals, Some(6));
    assert_eq!(nodes.asked(), 1);
    let (by, block) = book.evidence(CHAIN, token(1)).unwrap().unwrap();
    assert_eq!((by.len(), block), (2, BlockNumber(7)));
    let again = Book::new(store, Arc::new(NoNodes), clock);
    assert_eq!(again.get(CHAIN, token(1), Duration::ZERO).unwrap().decimals, Some(6));
    assert_eq!(again.get(CHAIN, token(2), LONG), Err(Unknown::NoNodes));
    assert_eq!(again.evidence(CHAIN, token(2)), Ok(None));
}

#[test]
fn a_token_that_says_nothing_is_asked_again_after_an_hour() {
    let Bench { book, nodes, clock, .. } = bench(None);
    assert_eq!(book.get(CHAIN, token(1), LONG), Err(Unknown::Nothing));
    clock.advance(NOTHING_SECONDS - 1);
    assert_eq!(book.get(CHAIN, token(1), LONG), Err(Unknown::Nothing));
    assert_eq!(nodes.asked(), 1);
    clock.advance(1);
    *nodes.symbol.lock().unwrap() = Some("NEW");
    assert_eq!(book.get(CHAIN, token(1), LONG).unwrap().symbol.as_deref(), Some("NEW"));
}

#[test]
fn nodes_that_could_not_be_asked_are_asked_again_soon() {
    let Bench { book, nodes, clock, .. } = bench(Some("A"));
    *nodes.is_silent.lock().unwrap() = true;
    assert_eq!(book.get(CHAIN, token(1), LONG), Err(Unknown::NotAgreed));
    *nodes.is_silent.lock().unwrap() = false;
    assert_eq!(book.get(CHAIN, token(1), LONG), Err(Unknown::NotAgreed));
    clock.advance(FAILED_SECONDS);
    assert!(book.get(CHAIN, token(1), LONG).is_ok());
}

#[test]
fn a_reader_waits_no_longer_than_it_wants_and_a_few_are_asked_at_once() {
    let Bench { book, nodes, .. } = bench(Some("A"));
    nodes.hold(true);
    for number in 1..=50 {
        assert_eq!(book.get(CHAIN, token(number), Duration::ZERO), Err(Unknown::Asking));
        assert_eq!(book.get(CHAIN, token(number), Duration::ZERO), Err(Unknown::Asking));
    }
    nodes.hold(false);
    for number in 1..=50 {
        assert!(book.get(CHAIN, token(number), LONG).is_ok());
    }
    assert_eq!(nodes.asked(), 50, "each once");
    assert!(nodes.most_at_once.load(Ordering::SeqCst) <= UNDER_WAY_MAX);
}

#[test]
fn past_so_many_questions_nothing_more_is_asked() {
    let Bench { book, nodes, .. } = bench(Some("A"));
    nodes.hold(true);
    let many = |number: usize| Address::left_padding_from(&number.to_be_bytes());
    for number in 0..WAITING_MAX {
        assert_eq!(book.get(CHAIN, many(number), Duration::ZERO), Err(Unknown::Asking));
    }
    assert_eq!(book.get(CHAIN, many(WAITING_MAX), Duration::ZERO), Err(Unknown::Busy));
    nodes.hold(false);
    assert!(book.get(CHAIN, many(0), LONG).is_ok());
}

#[test]
fn a_search_by_symbol_finds_all_of_that_chain_and_no_look_alike() {
    let Bench { book, nodes, .. } = bench(Some("USDC"));
    for (number, symbol) in [(1, "USDC"), (2, "usdc"), (3, "USDC2"), (4, "U\u{405}DC"), (5, "USD")]
    {
        *nodes.symbol.lock().unwrap() = Some(symbol);
        book.get(CHAIN, token(number), LONG).unwrap();
    }
    let other = ChainKey { id: ChainId(2), ..CHAIN };
    *nodes.symbol.lock().unwrap() = Some("USDC");
    book.get(other, token(6), LONG).unwrap();
    assert_eq!(book.find_symbol(CHAIN, "UsdC").unwrap(), [token(1), token(2)]);
    assert_eq!(book.find_symbol(other, "USDC").unwrap(), [token(6)]);
    for none in ["", "US", "USDC\0", &"A".repeat(1_000)] {
        assert_eq!(book.find_symbol(CHAIN, none).unwrap(), Vec::<Address>::new(), "{none}");
    }
}

#[test]
fn a_row_that_is_no_token_is_an_error_and_no_answer() {
    let Bench { book, store, .. } = bench(Some("A"));
    let mut batch = Batch::new();
    batch.put(Table::Token, row::key(CHAIN, token(1)), [9]);
    store.commit(batch).unwrap();
    assert_eq!(book.get(CHAIN, token(1), LONG), Err(Unknown::NotRead));
}
