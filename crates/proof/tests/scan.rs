//! Laws of scans: what is shown is all there is, and every way to leave something out is refused.

use crate::world;

use proptest::prelude::*;
use superroot_proof::bundle::{Policy, ProofFault, ProofStep};
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::evm::Log;
use superroot_proof::registry::{HashRuleFrom, LogRegistry, Profile};
use superroot_proof::scan::*;
use superroot_types::*;
use world::scan::{Event, bloom_of, may_have};
use world::*;

/// The newest SuperRoot of the sample.
const LAST: usize = 3;

fn address(byte: u8) -> Address {
    Address([byte; 20])
}

fn topic(byte: u8) -> Hash {
    Hash([byte; 32])
}

fn of_address(byte: u8) -> ScanFilter {
    ScanFilter::new(vec![address(byte)], Default::default(), Vec::new()).unwrap()
}

fn found(facts: &ScanFacts) -> Vec<Event> {
    let event = |one: &ScanEvent| (one.number.0, one.tx_index, one.log_index, one.log.clone());
    facts.events.iter().map(event).collect()
}

/// Whether a log is meant.
type Passes = fn(&Log) -> bool;

/// Filters of every kind, and what they mean, said another way.
fn filters() -> Vec<(ScanFilter, Passes)> {
    let filter = |addresses: &[u8], topics: [&[u8]; 4], anywhere: &[u8]| {
        let topics = topics.map(|list| list.iter().copied().map(topic).collect());
        let anywhere = anywhere.iter().copied().map(topic).collect();
        ScanFilter::new(addresses.iter().copied().map(address).collect(), topics, anywhere).unwrap()
    };
    let none: [&[u8]; 4] = [&[]; 4];
    vec![
        (of_address(0xee), |_| false),
        (of_address(3), |log| log.address.0[0] == 3),
        (filter(&[2, 4, 3], none, &[]), |log| (2..=4).contains(&log.address.0[0])),
        (filter(&[3], [&[1], &[], &[], &[]], &[]), |log| {
            log.address.0[0] == 3 && !log.topics.is_empty()
        }),
        (filter(&[], [&[2], &[], &[], &[]], &[]), |_| false),
        (filter(&[], [&[], &[2, 9], &[3], &[]], &[]), |log| log.topics.len() >= 3),
        (filter(&[], [&[], &[], &[], &[4]], &[]), |log| log.topics.len() == 4),
        (filter(&[], none, &[2]), |log| log.topics.len() >= 2),
        (filter(&[], none, &[3, 1]), |log| log.topics.len() >= 3),
        (filter(&[], none, &[7]), |_| false),
        (ScanFilter::default(), |_| true),
    ]
}

#[test]
fn the_events_shown_are_all_that_pass() {
    let world = sample();
    let policy = Policy::strict(&world.registry);
    let ranges =
        [(ETHEREUM, 4096, 4200), (ETHEREUM, 6100, 6160), (ETHEREUM, 6143, 6144), (OPTIMISM, 0, 70)];
    let (mut absent, mut present) = (0, 0);
    for (chain, from, to) in ranges {
        for (filter, passes) in filters() {
            let scan = world.scan(chain, (from, to), &filter, false, LAST);
            let facts = verify_anchored(&scan, &policy, &world.root(LAST)).unwrap();
            let events = world.events(chain, (from, to), passes);
            assert_eq!(found(&facts), events, "{filter:?} in {from} to {to}");
            assert_eq!(facts.by_bloom + facts.by_receipts, to - from + 1);
            assert_eq!(facts.by_receipts, scan.receipts.len() as u64);
            assert_eq!(facts.statement, scan.statement);
            assert_eq!((facts.blooms_not_binding, facts.outside_receipts), (None, None));
            for event in &facts.events {
                let block = &world.blocks[&(chain, event.number.0)];
                assert_eq!(event.block_hash, block.hash());
                assert_eq!(event.timestamp, 1_700_000_000 + event.number.0);
            }
            assert_eq!(Scan::decode(&scan.encode()), Ok(scan));
            absent += usize::from(events.is_empty());
            present += usize::from(!events.is_empty());
        }
    }
    assert!(absent > 10 && present > 10, "{absent} without events, {present} with some");
}

/// A page of absence is headers alone, over the end of a twig as well.
#[test]
fn a_page_has_as_many_blocks_as_a_twig_and_no_more() {
    let world = sample();
    let policy = Policy::strict(&world.registry);
    let scan = world.scan(ETHEREUM, (4_110, 6_157), &of_address(0xee), false, LAST);
    assert!(scan.receipts.iter().all(|block| block.leaves.len() > 1), "false positives alone");
    let facts = verify_anchored(&scan, &policy, &world.root(LAST)).unwrap();
    assert_eq!((facts.by_bloom + facts.by_receipts, facts.events.len()), (2_048, 0));
    assert!(facts.by_bloom > 2_000, "{} by bloom", facts.by_bloom);
    let longer = world.scan(ETHEREUM, (4_109, 6_157), &of_address(0xee), false, LAST);
    let (from, to) = (BlockNumber(4_109), BlockNumber(6_157));
    let refused = verify(&longer, &policy).unwrap_err();
    assert_eq!(refused, ScanError::Statement(ScanFault::Range { from, to }));
    assert!(matches!(Scan::decode(&longer.encode()), Err(ScanDecodeError::Part { .. })));
    let one = world.scan(ETHEREUM, (4_110, 4_110), &of_address(0xee), false, LAST);
    assert_eq!(verify(&one, &policy).unwrap().by_bloom, 1);
}

#[test]
fn a_filter_has_one_form_and_bounds() {
    let lists = |order: [u8; 3]| {
        let addresses = order.iter().copied().map(address).collect();
        let topics = [order.iter().copied().map(topic).collect(), vec![], vec![], vec![]];
        ScanFilter::new(addresses, topics, order.iter().copied().map(topic).collect()).unwrap()
    };
    assert_eq!(lists([3, 1, 2]), lists([1, 2, 3]));
    assert_eq!(lists([2, 1, 1]).addresses(), [address(1), address(2)]);
    let many = |count: u8| (0..count).map(address).collect::<Vec<_>>();
    let topics = |count: u8| (0..count).map(topic).collect::<Vec<_>>();
    let none = || Default::default();
    assert!(ScanFilter::new(many(100), none(), vec![]).is_ok());
    assert!(ScanFilter::new(many(101), none(), vec![]).is_err());
    assert!(ScanFilter::new(vec![], [vec![], vec![], topics(100), vec![]], vec![]).is_ok());
    assert!(ScanFilter::new(vec![], [vec![], vec![], topics(101), vec![]], vec![]).is_err());
    assert!(ScanFilter::new(vec![], none(), topics(4)).is_ok());
    assert!(ScanFilter::new(vec![], none(), topics(5)).is_err());
}

/// A good scan with events, and its log.
fn good() -> (&'static World, Scan) {
    let world = sample();
    let scan = world.scan(ETHEREUM, (4_096, 4_104), &of_address(3), false, LAST);
    (world, scan)
}

/// One change to a good scan, and the block and the step it must be refused at.
#[test]
fn each_lie_is_refused_where_it_is() {
    let (world, good) = good();
    let policy = Policy::strict(&world.registry);
    let refused = |bend: &dyn Fn(&mut Scan)| {
        let mut lie = good.clone();
        bend(&mut lie);
        assert_ne!(lie, good);
        let error = verify_anchored(&lie, &policy, &world.root(LAST)).unwrap_err();
        // whoever reads the file hears the same, or cannot read it at all
        if let Ok(read) = Scan::decode(&lie.encode()) {
            assert_eq!(verify_anchored(&read, &policy, &world.root(LAST)), Err(error.clone()));
        }
        let number = match error {
            ScanError::Block { number, .. } => number.0,
            _ => 0,
        };
        (number, error.step())
    };
    verify_anchored(&good, &policy, &world.root(LAST)).unwrap();
    let with_events = good.receipts.iter().position(|block| block.number.0 == 4_099).unwrap();
    // a block is left out, moved, or another one
    assert_eq!(refused(&|lie| drop(lie.headers.remove(4))), (0, "statement"));
    assert_eq!(refused(&|lie| lie.headers.push(lie.headers[0].clone())), (0, "statement"));
    assert_eq!(refused(&|lie| lie.headers.swap(4, 5)), (4_101, "headers"));
    assert_eq!(refused(&|lie| lie.headers[4] = lie.headers[3].clone()), (4_100, "headers"));
    // a bloom is changed
    let at = good.headers[2].windows(256).position(|window| window == bloom_of(&good.headers[2]));
    assert_eq!(refused(&|lie| lie.headers[2][at.unwrap() + 7] ^= 8), (4_098, "headers"));
    // receipts are left out: all of a block, one, the last; or changed, or moved
    assert_eq!(refused(&|lie| drop(lie.receipts.remove(with_events))), (4_099, "receipts"));
    assert_eq!(refused(&|lie| lie.receipts.clear()).1, "receipts");
    for index in 0..4 {
        let leave_out = |lie: &mut Scan| drop(lie.receipts[with_events].leaves.remove(index));
        assert_eq!(refused(&leave_out), (4_099, "receipts"));
    }
    assert_eq!(refused(&|lie| lie.receipts[with_events].leaves.swap(1, 2)), (4_099, "receipts"));
    assert_eq!(
        refused(&|lie| *lie.receipts[with_events].leaves[3].last_mut().unwrap() ^= 1),
        (4_099, "receipts")
    );
    let another = world.blocks[&(ETHEREUM, 4_098)].receipts.clone();
    assert_eq!(
        refused(&|lie| lie.receipts[with_events].leaves = another.clone()),
        (4_099, "receipts")
    );
    // receipts of a block that needs none, of one outside, twice
    let number = (4_096..4_104)
        .map(BlockNumber)
        .find(|number| good.receipts.iter().all(|block| block.number != *number));
    let number = number.unwrap();
    let more = |number: BlockNumber| BlockReceipts {
        number,
        leaves: world.blocks[&(ETHEREUM, number.0)].receipts.clone(),
    };
    let insert = |lie: &mut Scan| {
        lie.receipts.push(more(number));
        lie.receipts.sort_by_key(|block| block.number);
    };
    assert_eq!(refused(&insert), (number.0, "receipts"));
    assert_eq!(refused(&|lie| lie.receipts.push(more(BlockNumber(4_105)))), (0, "statement"));
    assert_eq!(refused(&|lie| lie.receipts.push(lie.receipts[0].clone())), (0, "statement"));
    // the range is another one
    let (from, to) = (good.statement.from, good.statement.to);
    assert_eq!(refused(&|lie| lie.statement.from = BlockNumber(from.0 - 1)), (0, "statement"));
    assert_eq!(refused(&|lie| lie.statement.from = BlockNumber(from.0 + 1)), (0, "statement"));
    assert_eq!(refused(&|lie| lie.statement.to = BlockNumber(to.0 - 1)), (0, "statement"));
    assert_eq!(refused(&|lie| lie.statement.to = BlockNumber(u64::MAX)), (0, "statement"));
    let shift = |lie: &mut Scan| {
        lie.statement.from = BlockNumber(from.0 + 1);
        lie.statement.to = BlockNumber(to.0 + 1);
    };
    assert_eq!(refused(&shift), (0, "statement"));
    // another filter: its receipts are not those that are there
    assert_eq!(refused(&|lie| lie.statement.filter = of_address(2)).1, "receipts");
    // another chain, another end, another SuperRoot
    assert_eq!(refused(&|lie| lie.statement.chain = OPTIMISM), (0, "statement"));
    let bitcoin = ChainKey { family: Family::Bitcoin, id: ChainId(21_000_000) };
    assert_eq!(refused(&|lie| lie.statement.chain = bitcoin), (0, "statement"));
    let elsewhere = |lie: &mut Scan| {
        lie.statement.chain = OPTIMISM;
        lie.last.statement.chain = OPTIMISM;
    };
    assert_eq!(refused(&elsewhere).1, "statement");
    let before = world.scan(ETHEREUM, (4_096, 4_103), &of_address(3), false, LAST).last;
    assert_eq!(refused(&|lie| lie.last = before.clone()), (0, "statement"));
    assert_eq!(refused(&|lie| lie.last = lie.last.clone().up_to(ProofLevel::Twig)), (0, "anchor"));
    let other = verify_anchored(&good, &policy, &world.root(1)).unwrap_err();
    assert!(matches!(other, ScanError::Last(error) if error.step == ProofStep::Anchor));
}

/// Whatever bit of a file is changed, nothing else is shown under the same SuperRoot.
#[test]
fn no_flipped_bit_verifies() {
    let world = sample();
    let policy = Policy::strict(&world.registry);
    let scan = world.scan(ETHEREUM, (4_096, 4_098), &of_address(2), false, LAST);
    assert!(!verify(&scan, &policy).unwrap().events.is_empty());
    let encoded = scan.encode();
    // every bit of the proof at its end is flipped where that is tested for itself
    let end = encoded.len() - scan.last.encode().len();
    let bits = (0..end * 8).chain((end..encoded.len()).map(|byte| byte * 8 + byte % 8));
    let (mut refused, mut malformed) = (0, 0);
    for bit in bits {
        let mut flipped = encoded.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        match Scan::decode(&flipped) {
            Err(_) => malformed += 1,
            Ok(flipped) => {
                let result = verify_anchored(&flipped, &policy, &world.root(LAST));
                assert!(result.is_err(), "bit {bit} is not bound");
                refused += 1;
            }
        }
    }
    assert!(refused > 10_000 && malformed > 500, "{refused} refused, {malformed} malformed");
    for length in 0..encoded.len() {
        assert!(Scan::decode(&encoded[..length]).is_err(), "{length}");
    }
    let longer = [encoded.as_slice(), &[0]].concat();
    assert_eq!(Scan::decode(&longer), Err(ScanDecodeError::Trailing { count: 1 }));
    let huge = vec![0; SCAN_BYTES_MAX + 1];
    assert!(matches!(Scan::decode(&huge), Err(ScanDecodeError::TooLarge { .. })));
}

/// Counts of receipts cost what is there, not what is claimed, and small leaves are no receipts.
#[test]
fn a_receipt_is_no_smaller_than_its_bloom() {
    let (_, mut scan) = good();
    scan.receipts[0].leaves = vec![vec![0xc0; RECEIPT_BYTES_MIN - 1]];
    let part = ScanDecodeError::Part { part: "receipts" };
    assert_eq!(Scan::decode(&scan.encode()), Err(part));
    scan.receipts[0].leaves = vec![vec![0xc0; RECEIPT_BYTES_MIN]];
    assert_eq!(Scan::decode(&scan.encode()), Ok(scan));
}

/// A log of one chain that is not in the sample.
fn world_of(id: u64, code: u16) -> (World, ChainKey) {
    let chain = ChainKey { family: Family::Evm, id: ChainId(id) };
    let mut rows = registry().rows().to_vec();
    let rules = vec![HashRuleFrom { from_number: 0, code }];
    rows.push(Profile { chain, caip2: format!("eip155:{id}"), rules });
    (World::of(LogRegistry::new(rows).unwrap()), chain)
}

/// Where the bloom does not bind, every block has to show its receipts, be its bloom as empty as it
/// may.
#[test]
fn no_block_is_skipped_by_a_bloom_that_does_not_bind() {
    for (id, has_others) in [(137, true), (999, true), (4_242, false)] {
        let (mut world, chain) = world_of(id, 1);
        world.extend(chain, 0..=9, |number| number % 3);
        let root = world.publish(1_700_000_000);
        let policy = Policy::strict(&world.registry);
        let skipping = world.scan(chain, (2, 8), &of_address(0xee), false, 0);
        let error = verify_anchored(&skipping, &policy, &root).unwrap_err();
        let missing = matches!(
            error,
            ScanError::Block { number: BlockNumber(8), fault: ScanFault::ReceiptsMissing { .. } }
        );
        assert!(missing, "{error}");
        for (filter, passes) in filters() {
            let whole = world.scan(chain, (2, 8), &filter, true, 0);
            let facts = verify_anchored(&whole, &policy, &root).unwrap();
            assert_eq!(found(&facts), world.events(chain, (2, 8), passes));
            assert_eq!((facts.by_bloom, facts.by_receipts), (0, 7));
            assert!(facts.blooms_not_binding.is_some());
            assert_eq!(facts.outside_receipts.is_some(), has_others);
            assert_eq!(Scan::decode(&whole.encode()), Ok(whole));
        }
    }
}

/// What the log says of a chain does not make its blooms bind.
#[test]
fn blooms_of_an_opened_row_do_not_bind() {
    let (mut world, chain) = world_of(4_242, 1);
    world.extend(chain, 0..=3, |_| 0);
    world.publish(1_700_000_000);
    let known = registry();
    let policy = Policy { registry: &known, accept_opened_rows: true };
    let scan = world.scan(chain, (0, 3), &of_address(1), false, 0);
    assert_eq!(verify(&scan, &policy).unwrap_err().step(), "receipts");
    let scan = world.scan(chain, (0, 3), &of_address(1), true, 0);
    assert!(verify(&scan, &policy).unwrap().events.is_empty());
    let error = verify(&scan, &Policy::strict(&known)).unwrap_err();
    assert!(
        matches!(&error, ScanError::Last(error) if error.fault == ProofFault::UnknownChain { chain }),
        "{error}"
    );
}

/// Celo before it was an L2: the receipt of the block itself is not in the bloom.
#[test]
fn a_chains_bloom_binds_from_a_number_on() {
    use superroot_proof::ledger::evm::Layout;
    use superroot_proof::registry::HashRule;
    let chain = |id| ChainKey { family: Family::Evm, id: ChainId(id) };
    let binds = |id, number, layout| {
        check_bloom(chain(id), BlockNumber(number), HashRule::Evm(layout)).is_ok()
    };
    assert!(binds(42_220, 31_056_500, Layout::Ethereum));
    assert!(!binds(42_220, 31_056_499, Layout::Ethereum));
    assert!(!binds(42_220, 40_000_000, Layout::CeloGingerbread));
    assert!(!binds(42_161, 22_207_817, Layout::Ethereum));
    assert!(binds(42_161, 22_207_818, Layout::Ethereum));
    assert!(!binds(137, 80_000_000, Layout::Ethereum));
    assert!(!binds(5_000_000, 1, Layout::Ethereum));
    let bitcoin = ChainKey { family: Family::Bitcoin, id: ChainId(1) };
    assert!(check_bloom(bitcoin, BlockNumber(1), HashRule::Bitcoin).is_err());
    assert!(BLOOMS_BIND.windows(2).all(|pair| pair[0].0 < pair[1].0));
}

/// Avalanche since Helicon: bloom and receipts of a header are those of other blocks.
#[test]
fn a_header_that_settles_other_blocks_shows_nothing_of_its_own() {
    let (mut world, chain) = world_of(43_114, 5);
    let plain = block(0, Hash::ZERO, 0);
    let fields = |parent: Hash, number: u64, settles: bool| {
        let mut items = vec![
            string(&parent.0),
            string(&[1; 32]),
            string(&[2; 20]),
            string(&[3; 32]),
            plain.header[3 + 33 + 33 + 21 + 33..][..33].to_vec(),
            plain.header[3 + 33 + 33 + 21 + 66..][..33].to_vec(),
            string(&[0; 256]),
            integer(0),
            integer(number),
            integer(30_000_000),
            integer(0),
            integer(1_700_000_000 + number),
            string(b"world"),
            string(&[4; 32]),
            string(&[0; 8]),
            string(&[5; 32]),
        ];
        if settles {
            items.extend([integer(7), integer(0), integer(0), integer(0), integer(0)]);
            items.push(string(&[6; 32]));
            items.extend((0..8).map(integer));
        }
        let header = list(&items);
        Block { header, transactions: Vec::new(), receipts: Vec::new() }
    };
    let mut parent = Hash::ZERO;
    for number in 0..4 {
        let block = fields(parent, number, number == 2);
        parent = keccak256(&block.header);
        world.add(chain, number, block);
    }
    world.publish(1_700_000_000);
    let policy = Policy::strict(&world.registry);
    let scan = world.scan(chain, (0, 1), &of_address(1), false, 0);
    assert_eq!(verify(&scan, &policy).unwrap().by_bloom, 2);
    for all in [false, true] {
        let scan = world.scan(chain, (0, 3), &of_address(1), all, 0);
        // with all receipts the last block has some that it does not need
        let refused = if all { (3, ScanFault::ReceiptsUnneeded) } else { (2, ScanFault::Settles) };
        let (number, fault) = refused;
        let expected = ScanError::Block { number: BlockNumber(number), fault };
        assert_eq!(verify(&scan, &policy), Err(expected));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any filter over any range: what is shown is what reading every block finds.
    #[test]
    fn any_scan_shows_what_every_block_holds(
        from in 4_096_u64..4_180,
        length in 0_u64..40,
        addresses in proptest::collection::vec(0_u8..8, 0..3),
        topics in proptest::collection::vec((0_usize..4, 0_u8..6), 0..3),
        anywhere in proptest::collection::vec(0_u8..6, 0..3),
    ) {
        let world = sample();
        let policy = Policy::strict(&world.registry);
        let mut lists: [Vec<Hash>; 4] = Default::default();
        topics.iter().for_each(|(at, byte)| lists[*at].push(topic(*byte)));
        let all_of = anywhere.iter().copied().map(topic).collect();
        let any_of = addresses.iter().copied().map(address).collect();
        let filter = ScanFilter::new(any_of, lists.clone(), all_of).unwrap();
        let range = (from, from + length);
        let scan = world.scan(ETHEREUM, range, &filter, false, LAST);
        let facts = verify_anchored(&scan, &policy, &world.root(LAST)).unwrap();
        let events = world.events(ETHEREUM, range, |log| {
            let at = |place: usize| log.topics.get(place).map(|topic| topic.0[0]);
            (addresses.is_empty() || addresses.contains(&log.address.0[0]))
                && (0..4).all(|place| {
                    let wanted: Vec<u8> =
                        topics.iter().filter(|one| one.0 == place).map(|one| one.1).collect();
                    wanted.is_empty() || at(place).is_some_and(|byte| wanted.contains(&byte))
                })
                && anywhere.iter().all(|byte| (0..4).any(|place| at(place) == Some(*byte)))
        });
        prop_assert_eq!(found(&facts), events);
        for header in &scan.headers {
            let sieve = Sieve::new(ETHEREUM, &filter);
            let bloom = superroot_proof::ledger::evm::Bloom(bloom_of(header).try_into().unwrap());
            prop_assert_eq!(sieve.allows(&bloom), may_have(&bloom.0, &filter));
        }
        prop_assert_eq!(Scan::decode(&scan.encode()), Ok(scan));
    }

    /// Bytes of any kind: no panic, and what decodes is canonical.
    #[test]
    fn bytes_from_anywhere_are_read_or_refused(
        cut in 0_usize..9_000,
        bytes in proptest::collection::vec(any::<u8>(), 0..40),
    ) {
        let scan = sample().scan(ETHEREUM, (4_096, 4_104), &of_address(3), false, LAST);
        let mut file = scan.encode();
        let cut = cut.min(file.len());
        let end = (cut + bytes.len()).min(file.len());
        file.splice(cut..end, bytes);
        if let Ok(read) = Scan::decode(&file) {
            prop_assert_eq!(read.encode(), file);
        }
    }
}

/// Made once: making it takes longer than a case.
fn sample() -> &'static World {
    static SAMPLE: std::sync::OnceLock<World> = std::sync::OnceLock::new();
    SAMPLE.get_or_init(World::sample)
}
