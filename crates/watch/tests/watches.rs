//! Laws of watches: one of each target, within what the tier has, and nothing that was answered is lost.

use std::collections::BTreeSet;
use std::sync::Arc;

use superroot_account::{AccountId, AccountService, Grant, Operator, Tier};
use superroot_store::coverage::{CoverageRun, put_coverage};
use superroot_store::layout::{BlockTip, ChainState, HeaderWhy, HeldRun, WatchFilter};
use superroot_store::{MemoryStore, Store, WriteBatch, write};
use superroot_types::{
    Address, BlockNumber, ChainId, ChainKey, Family, Hash, ManualClock, UnixSeconds,
};
use superroot_watch::{
    KeyWatch, NewWatch, WantedWatch, WatchChange, WatchConfig, WatchError, WatchId, WatchTarget,
    Watches, lacking,
};

const CHAIN: ChainKey = ChainKey { family: Family::Evm, id: ChainId(1) };
const OTHER: ChainKey = ChainKey { family: Family::Evm, id: ChainId(8453) };
const NEWEST: Option<BlockNumber> = Some(BlockNumber(1_000_000));

struct World {
    store: Arc<dyn Store>,
    clock: Arc<ManualClock>,
    accounts: Arc<AccountService>,
    watches: Arc<Watches>,
}

impl World {
    fn new(config: WatchConfig) -> Self {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        Self::on(store, config)
    }

    fn on(store: Arc<dyn Store>, config: WatchConfig) -> Self {
        let clock = Arc::new(ManualClock::at(UnixSeconds(1_700_000_000)));
        let of_accounts = superroot_account::AccountConfig::default();
        let accounts = AccountService::open(store.clone(), clock.clone(), &of_accounts).unwrap();
        let watches = Watches::open(accounts.clone(), config).unwrap();
        Self { store, clock, accounts, watches }
    }

    fn account(&self, tier: Tier) -> AccountId {
        let (account, _) = self.accounts.accounts().register(Address([7; 20])).unwrap();
        self.grant(account.id, Some(tier));
        account.id
    }

    fn grant(&self, account: AccountId, tier: Option<Tier>) {
        let operator = Operator { who: "test".into(), why: "a tier".into() };
        let grant = tier.map(Grant::of);
        self.accounts.accounts().grant(&operator, account, grant.as_ref()).unwrap();
    }

    /// One that begins `back` blocks below the newest.
    fn watch(
        &self,
        account: AccountId,
        chain: ChainKey,
        target: WatchTarget,
        from_block: Option<u64>,
    ) -> Result<(KeyWatch, bool), WatchError> {
        self.clock.advance(1);
        let from_block = from_block.map(BlockNumber);
        let new = NewWatch { chain, target, from_block, label: None };
        self.watches.create(account, Tier::Builder, new, NEWEST)
    }

    /// What all watches come to on a chain, as one who opens them reads it.
    fn wanted(&self, chain: ChainKey) -> WantedWatch {
        let again = Watches::open(self.accounts.clone(), WatchConfig::default()).unwrap();
        let wanted = again.wanted().borrow().get(&chain).cloned();
        wanted.map(|wanted| (*wanted).clone()).unwrap_or_default()
    }
}

fn address(byte: u8) -> WatchTarget {
    WatchTarget::Address(Address([byte; 20]))
}

fn list(addresses: &[u8], topics: &[u8]) -> WatchFilter {
    WatchFilter::Some {
        addresses: addresses.iter().map(|byte| Address([*byte; 20])).collect(),
        topics: topics.iter().map(|byte| Hash([*byte; 32])).collect(),
    }
}

#[test]
fn the_same_target_is_one_watch_that_reaches_as_far_as_was_asked() {
    let world = World::new(WatchConfig::default());
    let [one, two] = [world.account(Tier::Builder), world.account(Tier::Builder)];
    let (made, is_new) = world.watch(one, CHAIN, address(1), Some(999_000)).unwrap();
    assert!(is_new && made.from_block == Some(BlockNumber(999_000)));
    for (asked, reaches) in
        [(None, 999_000), (Some(999_500), 999_000), (Some(998_000), 998_000), (None, 998_000)]
    {
        let (again, is_new) = world.watch(one, CHAIN, address(1), asked).unwrap();
        assert_eq!((again.id, is_new), (made.id, false));
        assert_eq!(again.from_block, Some(BlockNumber(reaches)), "{asked:?}");
    }
    // the same of another account, on another chain, or another target, is another watch
    assert!(world.watch(two, CHAIN, address(1), Some(997_000)).unwrap().1);
    assert!(world.watch(one, OTHER, address(1), None).unwrap().1);
    assert!(world.watch(one, CHAIN, WatchTarget::Topic(Hash([1; 32])), None).unwrap().1);
    assert_eq!(world.watches.of(one, Tier::Builder).unwrap().len(), 3);
    let wanted = world.wanted(CHAIN);
    assert_eq!(wanted.list, list(&[1], &[1]), "what two watch is collected once");
    let from: Vec<_> = wanted.from.iter().map(|(from, list)| (from.0, list.clone())).collect();
    assert_eq!(from, [(997_000, list(&[1], &[])), (998_000, list(&[1], &[]))]);
    assert_eq!(
        world.wanted(OTHER),
        WantedWatch { list: list(&[1], &[]), ..WantedWatch::default() }
    );
    // one account ends it: the other goes on
    world.watches.delete(one, made.id).unwrap();
    assert_eq!(world.wanted(CHAIN).list, list(&[1], &[1]));
    let unknown = world.watches.delete(one, made.id).unwrap_err();
    assert!(matches!(unknown, WatchError::Unknown { .. }), "{unknown}");
    assert_eq!(world.watches.get(two, Tier::Builder, made.id).unwrap().0.account, two);
}

#[test]
fn tiers_and_chains_have_limits_and_a_tier_that_ends_suspends() {
    let world = World::new(WatchConfig { per_chain_max: 60, ..WatchConfig::default() });
    let account = world.account(Tier::Builder);
    let max = u8::try_from(world.accounts.plans().tier(Tier::Builder).watches_max).unwrap();
    for byte in 0..max {
        world.watch(account, CHAIN, address(byte), None).unwrap();
    }
    let full = world.watch(account, OTHER, address(1), None).unwrap_err();
    assert!(matches!(full, WatchError::Full { .. }), "{full}");
    assert!(
        !world.watch(account, CHAIN, address(1), None).unwrap().1,
        "one that stands is no more"
    );
    let other = world.account(Tier::Builder);
    for byte in 0..60 - max {
        world.watch(other, CHAIN, address(byte), None).unwrap();
    }
    let full = world.watch(other, CHAIN, address(200), None).unwrap_err();
    assert!(matches!(full, WatchError::ChainFull { expected: 60, .. }), "{full}");
    let reach = world.accounts.plans().tier(Tier::Builder).watch_blocks_max;
    let first = 1_000_001 - reach;
    let far = world.watch(other, OTHER, address(1), Some(first - 1)).unwrap_err();
    assert!(matches!(far, WatchError::TooFarBack { first: BlockNumber(at), .. } if at == first));
    assert!(world.watch(other, OTHER, address(1), Some(first)).unwrap().1);
    let id = WatchId::of(OTHER, address(1));
    let further = WatchChange { from_block: Some(Some(BlockNumber(0))), label: None };
    let far = world.watches.change(other, Tier::Builder, id, &further, NEWEST).unwrap_err();
    assert!(matches!(far, WatchError::TooFarBack { .. }), "{far}");
    // who pays no more is not collected for, and has it all again
    world.grant(other, None);
    assert_eq!(world.wanted(OTHER), WantedWatch::default());
    let standing = world.watches.of(other, Tier::Explorer).unwrap();
    assert!(standing.iter().all(|(_, is_served)| !is_served) && standing.len() == 11);
    world.grant(other, Some(Tier::Builder));
    assert_eq!(world.wanted(OTHER).list, list(&[1], &[]));
}

#[tokio::test]
async fn who_listens_is_told_of_each_change_and_of_nothing_else() {
    let world = World::new(WatchConfig::default());
    let account = world.account(Tier::Builder);
    let mut wanted = world.watches.wanted();
    let refresh = async || {
        world.watches.changed().await;
        world.watches.refresh().unwrap();
    };
    for byte in 1..=5 {
        world.watch(account, CHAIN, address(byte), None).unwrap();
        refresh().await;
        assert!(wanted.has_changed().unwrap());
        let expected = list(&(1..=byte).collect::<Vec<_>>(), &[]);
        assert_eq!(wanted.borrow_and_update()[&CHAIN].list, expected);
    }
    // another label is no other list
    let id = WatchId::of(CHAIN, address(1));
    let label = Some(Some("mine".to_owned().try_into().unwrap()));
    let change = WatchChange { from_block: None, label };
    world.watches.change(account, Tier::Builder, id, &change, NEWEST).unwrap();
    refresh().await;
    assert!(!wanted.has_changed().unwrap());
    world.watches.delete(account, WatchId::of(CHAIN, address(5))).unwrap();
    refresh().await;
    assert!(wanted.has_changed().unwrap());
    assert_eq!(wanted.borrow_and_update()[&CHAIN].list, list(&[1, 2, 3, 4], &[]));
}

/// Every block whose kept list lacks what is wanted of it, and no other, whatever the lists.
#[test]
fn lacking_blocks_are_those_by_the_plain_definition() {
    let store = MemoryStore::new();
    let mut batch = WriteBatch::new();
    let (start, last) = (BlockNumber(2_048), BlockNumber(4_000));
    let tip = Some(BlockTip { number: last, hash: Hash([9; 32]) });
    let state = ChainState { indexed: tip, head: tip, ..ChainState::empty(start) };
    write::put_chain_state(&mut batch, CHAIN, &state);
    let lists = [list(&[1], &[]), list(&[1, 2], &[]), list(&[2], &[7]), WatchFilter::All];
    let watched = |at: usize| HeldRun::Watched { watch_hash: lists[at].hash() };
    let nothing = HeldRun::HeaderOnly { why: HeaderWhy::NothingWatched };
    let no_body = HeldRun::HeaderOnly { why: HeaderWhy::NoBody };
    let runs = [
        (2_048, nothing, Some(WatchFilter::nothing())),
        (2_200, watched(0), Some(lists[0].clone())),
        (2_300, watched(1), Some(lists[1].clone())),
        (2_500, no_body, None),
        (2_510, watched(2), Some(lists[2].clone())),
        (2_600, HeldRun::Whole, None),
        (3_000, watched(1), Some(lists[1].clone())),
        (3_100, watched(3), Some(lists[3].clone())),
        (3_500, nothing, Some(WatchFilter::nothing())),
        (4_001, nothing, None),
    ];
    let coverage: Vec<_> = runs
        .windows(2)
        .map(|pair| CoverageRun {
            from: BlockNumber(pair[0].0),
            to: BlockNumber(pair[1].0 - 1),
            held: pair[0].1,
        })
        .collect();
    put_coverage(&mut batch, &store, CHAIN, &coverage).unwrap();
    store.commit(batch).unwrap();
    for watch in &lists {
        // a list is known once a chain was collected under it
        let mut batch = WriteBatch::new();
        write::put_watch(&mut batch, CHAIN, watch);
        store.commit(batch).unwrap();
    }
    for wishes in [
        vec![],
        vec![(0, list(&[1], &[]))],
        vec![(2_250, list(&[2], &[]))],
        vec![(3_050, list(&[1], &[])), (2_100, list(&[2], &[])), (2_550, list(&[], &[7]))],
        vec![(3_999, list(&[5], &[])), (9_000, list(&[6], &[]))],
    ] {
        let wanted = WantedWatch {
            list: WatchFilter::nothing(),
            from: wishes.iter().map(|(from, list)| (BlockNumber(*from), list.clone())).collect(),
        };
        let lacks = |number: u64| {
            let (.., had) = runs.iter().rev().find(|(from, ..)| *from <= number).unwrap();
            had.as_ref().is_some_and(|had| {
                wishes.iter().any(|(from, list)| *from <= number && !list.without(had).is_nothing())
            })
        };
        let expected: BTreeSet<u64> = (2_048..=4_000).filter(|number| lacks(*number)).collect();
        let ranges = lacking(&store, CHAIN, &wanted).unwrap();
        assert!(ranges.is_sorted() && ranges.iter().all(|(from, to)| from <= to), "{ranges:?}");
        let found: BTreeSet<u64> = ranges.iter().flat_map(|(from, to)| from.0..=to.0).collect();
        assert_eq!(found, expected, "{wishes:?}");
    }
}

#[test]
fn what_was_answered_is_there_when_it_is_opened_again() {
    let world = World::new(WatchConfig::default());
    let account = world.account(Tier::Builder);
    let (made, _) = world.watch(account, CHAIN, address(1), Some(999_999)).unwrap();
    let again = World::on(world.store.clone(), WatchConfig::default());
    assert_eq!(again.watches.of(account, Tier::Builder).unwrap(), [(made, true)]);
    assert_eq!(again.wanted(CHAIN), world.wanted(CHAIN));
    assert_eq!(again.wanted(CHAIN).from.len(), 1);
}
