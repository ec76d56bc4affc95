//! Laws of whole proofs: what verifies, what must not, and that a proof has one binary form.

use crate::world;

use superroot_proof::bundle::*;
use superroot_proof::ledger::LedgerError;
use superroot_proof::registry::{HashRuleFrom, LogRegistry, LogRegistryError, Profile, ROWS_MAX};
use superroot_proof::superroot::ChainReference;
use superroot_types::*;
use world::*;

fn subjects() -> Vec<(ChainKey, u64, ProofSubject, bool)> {
    let log = ProofSubject::Log { tx_index: 3, log_index: 2 };
    vec![
        (ETHEREUM, 4098, ProofSubject::Block, false),
        (ETHEREUM, 6150, ProofSubject::Block, false),
        (OPTIMISM, 2047, ProofSubject::Block, false),
        (ETHEREUM, 4099, ProofSubject::Transaction { tx_index: 1 }, true),
        (ETHEREUM, 4099, ProofSubject::Transaction { tx_index: 3 }, false),
        (ETHEREUM, 4099, log, false),
        (ETHEREUM, 4099, log, true),
        (ETHEREUM, 6160, ProofSubject::Transaction { tx_index: 0 }, true),
        (ETHEREUM, 4099, ProofSubject::Absence { tx_index: 4 }, true),
        (ETHEREUM, 4099, ProofSubject::Absence { tx_index: 200 }, true),
        (ETHEREUM, 4100, ProofSubject::Absence { tx_index: 0 }, true),
    ]
}

fn bundles(world: &World) -> Vec<Bundle> {
    let last = world.published.len() - 1;
    let prove = |(chain, number, subject, both)| world.prove(chain, number, subject, both, last);
    subjects().into_iter().map(prove).collect()
}

#[test]
fn every_subject_is_proven_up_to_the_super_root() {
    let world = World::sample();
    let policy = Policy::strict(&world.registry);
    let root = world.root(3);
    for bundle in bundles(&world) {
        let facts = verify_anchored(&bundle, &policy, &root).unwrap();
        let block = &world.blocks[&(bundle.statement.chain, bundle.statement.number.0)];
        assert_eq!(facts.level, ProofLevel::SuperRoot);
        assert_eq!(facts.block_hash, Some(block.hash()));
        assert_eq!(facts.network, Network::Simulated);
        assert!(facts.number_bound);
        match bundle.statement.subject {
            ProofSubject::Transaction { tx_index } => {
                let proven = facts.transaction.as_ref().unwrap();
                assert_eq!(proven.raw, block.transactions[tx_index as usize]);
            }
            ProofSubject::Log { tx_index, log_index } => {
                let proven = facts.log().unwrap();
                assert_eq!(proven.log.topics.len(), log_index as usize % 5);
                assert_eq!(proven.log_count, tx_index as usize);
            }
            ProofSubject::Absence { .. } => assert!(facts.transaction.is_none()),
            ProofSubject::Block => assert!(facts.receipt.is_none()),
        }
    }
}

#[test]
fn a_block_is_proven_in_every_super_root_that_has_it() {
    let world = World::sample();
    let policy = Policy::strict(&world.registry);
    for sequence in 0..4 {
        let bundle = world.prove(ETHEREUM, 4097, ProofSubject::Block, false, sequence);
        let facts = verify_anchored(&bundle, &policy, &world.root(sequence)).unwrap();
        let sealed = matches!(facts.place, Some(ShownPlace::Sealed { .. }));
        assert_eq!(sealed, sequence > 0, "sequence {sequence}");
        let other = verify_anchored(&bundle, &policy, &world.root((sequence + 1) % 4));
        assert_eq!(other.unwrap_err().step, ProofStep::Anchor);
    }
}

/// ProofLevels 1 to n only: each is a proof of its own, and says how far it goes.
#[test]
fn a_shortened_proof_shows_less_and_still_holds() {
    let world = World::sample();
    let policy = Policy::strict(&world.registry);
    for bundle in bundles(&world) {
        for level in ProofLevel::ALL {
            let short = bundle.clone().up_to(level);
            let facts = verify(&short, &policy).unwrap();
            assert!(facts.level <= level.max(ProofLevel::Block), "{level}");
            assert_eq!(Bundle::decode(&short.encode()), Ok(short.clone()));
            if facts.level < ProofLevel::SuperRoot {
                let refused = verify_anchored(&short, &policy, &world.root(3)).unwrap_err();
                assert_eq!(refused.fault, ProofFault::NoSuperRoot);
            }
        }
    }
}

/// A root must bind every bit of a proof: flip any one and it is refused.
#[test]
fn no_flipped_bit_verifies() {
    let world = World::sample();
    let policy = Policy::strict(&world.registry);
    let root = world.root(3);
    let (mut refused, mut malformed) = (0, 0);
    for bundle in bundles(&world) {
        let encoded = bundle.encode();
        assert_eq!(Bundle::decode(&encoded).as_ref(), Ok(&bundle));
        for bit in 0..encoded.len() * 8 {
            let mut flipped = encoded.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            match Bundle::decode(&flipped) {
                Err(_) => malformed += 1,
                Ok(flipped) => {
                    let result = verify_anchored(&flipped, &policy, &root);
                    assert!(result.is_err(), "bit {bit} of {:?} is not bound", bundle.statement);
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 10_000 && malformed > 1_000, "{refused} refused, {malformed} malformed");
}

/// ProofLevels of a bundle, each verified by its own function.
struct CheckedLevels {
    statement: Verified<StatementFacts>,
    block: Verified<BlockFacts>,
    twig: Option<Verified<TwigFacts>>,
    place: Option<Verified<PlaceFacts>>,
    super_root: Option<Verified<SuperRootFacts>>,
}

impl CheckedLevels {
    fn of(bundle: &Bundle, policy: &Policy<'_>) -> Self {
        let statement = verify_statement(bundle, policy).unwrap();
        let block = verify_block(&statement, bundle).unwrap();
        let twig = bundle.twig().map(|twig| verify_twig(&block, twig).unwrap());
        let place = twig.as_ref().zip(bundle.place());
        let place = place.map(|(twig, place)| verify_place(twig, place).unwrap());
        let top = place.as_ref().zip(bundle.super_root());
        let super_root =
            top.map(|(place, proof)| verify_super_root(&statement, place, proof).unwrap());
        Self { statement, block, twig, place, super_root }
    }

    fn levels(&self) -> ProofLevels<'_> {
        ProofLevels {
            statement: &self.statement,
            block: &self.block,
            twig: self.twig.as_ref(),
            place: self.place.as_ref(),
            super_root: self.super_root.as_ref(),
            note: None,
        }
    }
}

/// Verified levels join to the facts of their proof, up to any level, and never with a level of another proof.
#[test]
fn verified_levels_join_with_those_of_their_own_proof_alone() {
    let world = World::sample();
    let policy = Policy::strict(&world.registry);
    let bundles = bundles(&world);
    let checked: Vec<_> = bundles.iter().map(|bundle| CheckedLevels::of(bundle, &policy)).collect();
    let facts: Vec<_> = bundles.iter().map(|bundle| verify(bundle, &policy).unwrap()).collect();
    let (mut joined, mut refused) = (0, 0);
    for ((bundle, own), own_facts) in bundles.iter().zip(&checked).zip(&facts) {
        assert_eq!(own.levels().join().as_ref(), Ok(own_facts));
        for level in [ProofLevel::Entry, ProofLevel::Block, ProofLevel::Twig, ProofLevel::MiniMmr] {
            let part = bundle.clone().up_to(level);
            let part_facts = CheckedLevels::of(&part, &policy).levels().join();
            assert_eq!(part_facts, verify(&part, &policy));
        }
        for (other, other_facts) in checked.iter().zip(&facts) {
            let own = own.levels();
            let other = other.levels();
            let mixes = [
                ProofLevels { statement: other.statement, ..own },
                ProofLevels { block: other.block, ..own },
                ProofLevels { twig: other.twig, ..own },
                ProofLevels { place: other.place, ..own },
                ProofLevels { super_root: other.super_root, ..own },
                ProofLevels { twig: other.twig, place: other.place, ..own },
                ProofLevels { place: other.place, super_root: other.super_root, ..own },
                ProofLevels { twig: None, ..own },
                ProofLevels { place: None, ..own },
            ];
            // what joins all the same says what one of the two proofs says
            for mix in mixes {
                match mix.join() {
                    Ok(got) => {
                        assert!(got == *own_facts || got == *other_facts);
                        joined += 1;
                    }
                    Err(error) => {
                        assert!(matches!(error.fault, ProofFault::Parts { .. }), "{error}");
                        refused += 1;
                    }
                }
            }
        }
    }
    assert!(joined > 50 && refused > 100, "{joined} joined, {refused} refused");
    // a block is the same under another SuperRoot, which is another one all the same
    let of = |at| world.prove(ETHEREUM, 4098, ProofSubject::Block, false, at);
    let (older, newer) = (CheckedLevels::of(&of(2), &policy), CheckedLevels::of(&of(3), &policy));
    let facts = ProofLevels { block: &older.block, ..newer.levels() }.join().unwrap();
    assert_eq!(facts.super_root_hash(), Some(world.root(3)));
    let mixed = ProofLevels { super_root: older.super_root.as_ref(), ..newer.levels() }.join();
    assert_eq!(mixed.is_ok(), older.place == newer.place);
}

#[test]
fn bytes_cut_short_or_too_long_are_no_proof() {
    let world = World::sample();
    for bundle in bundles(&world) {
        let encoded = bundle.encode();
        for length in 0..encoded.len() {
            assert!(Bundle::decode(&encoded[..length]).is_err(), "{length}");
        }
        let longer = [encoded.as_slice(), &[0]].concat();
        assert_eq!(Bundle::decode(&longer), Err(DecodeError::Trailing { count: 1 }));
    }
    let huge = vec![0; BUNDLE_BYTES_MAX + 1];
    assert!(matches!(Bundle::decode(&huge), Err(DecodeError::TooLarge { .. })));
}

/// One change to a good proof, and the step and the fault it must be refused with.
#[test]
fn each_lie_is_refused_at_its_level() {
    let world = World::sample();
    let policy = Policy::strict(&world.registry);
    let refused = |bundle: &Bundle| verify(bundle, &policy).unwrap_err();
    let sealed = world.prove(ETHEREUM, 4099, ProofSubject::Transaction { tx_index: 1 }, true, 3);
    let open = world.prove(ETHEREUM, 6160, ProofSubject::Block, false, 3);
    let at = |level| ProofStep::Level(level);

    let mut lie = sealed.clone();
    lie.statement.subject = ProofSubject::Transaction { tx_index: 2 };
    assert_eq!(refused(&lie).step, at(ProofLevel::Entry));
    lie.statement.subject = ProofSubject::Absence { tx_index: 1 };
    assert!(matches!(
        refused(&lie).fault,
        ProofFault::Ledger(LedgerError::SomethingThere { tx_index: 1, .. })
    ));
    lie.statement.subject = ProofSubject::Log { tx_index: 1, log_index: 1 };
    assert_eq!(
        refused(&lie).fault,
        ProofFault::Ledger(LedgerError::LogIndex { log_index: 1, count: 1 })
    );
    lie.statement.subject = ProofSubject::Block;
    assert_eq!(refused(&lie).step, ProofStep::Statement);

    let mut lie = sealed.clone();
    lie.statement.number = BlockNumber(4098);
    assert!(matches!(refused(&lie).fault, ProofFault::Number { got: 4099, .. }));
    lie.statement.number = BlockNumber(SAFE_INTEGER_MAX + 1);
    assert_eq!(refused(&lie).fault, ProofFault::TooLarge { what: "block number" });
    let mut lie = sealed.clone();
    lie.statement.chain.id = ChainId(2);
    assert!(matches!(refused(&lie).fault, ProofFault::UnknownChain { .. }));
    let mut lie = sealed.clone();
    lie.statement.chain = OPTIMISM;
    assert_eq!(refused(&lie).step, ProofStep::Statement, "the profile is of another chain");
    lie = lie.up_to(ProofLevel::MiniMmr);
    assert_eq!(refused(&lie).step, at(ProofLevel::Twig));

    let mut lie = sealed.clone();
    tries(&mut lie).transaction.as_mut().unwrap().push(vec![0x80]);
    assert_eq!(refused(&lie).step, at(ProofLevel::Entry));
    tries(&mut lie).transaction = Some(Vec::new());
    assert_eq!(refused(&lie).step, at(ProofLevel::Entry));
    tries(&mut lie).transaction = None;
    assert_eq!(refused(&lie).step, ProofStep::Statement);

    let mut lie = sealed.clone();
    lie.block.as_mut().unwrap().block_hash = Hash::ZERO;
    assert_eq!(refused(&lie).step, at(ProofLevel::Block));

    let mut lie = sealed.clone();
    let twig = lie.block.as_mut().unwrap().twig.as_mut().unwrap();
    twig.siblings[3] = Hash::ZERO;
    assert_eq!(refused(&lie).step, at(ProofLevel::Twig));

    let place = |bundle: &mut Bundle, change: &dyn Fn(&mut TwigPosition)| {
        change(bundle.block.as_mut().unwrap().twig.as_mut().unwrap().place.as_mut().unwrap());
    };
    let lie_about = |bundle: &Bundle, change: &dyn Fn(&mut SealedPlace)| {
        let mut lie = bundle.clone();
        place(&mut lie, &|place| {
            let TwigPosition::Sealed(sealed) = place else { panic!("sealed") };
            change(sealed);
        });
        refused(&lie).step
    };
    let mini_mmr = at(ProofLevel::MiniMmr);
    assert_eq!(lie_about(&sealed, &|place| place.leaf_index.0 += 1), mini_mmr);
    assert_eq!(lie_about(&sealed, &|place| place.leaf_index = place.leaf_count.end()), mini_mmr);
    assert_eq!(lie_about(&sealed, &|place| place.leaf_count.0 += 1), mini_mmr);
    assert_eq!(lie_about(&sealed, &|place| place.leaf_count = LeafCount(1 << 53)), mini_mmr);
    assert_eq!(lie_about(&sealed, &|place| place.siblings.push(Hash::ZERO)), mini_mmr);
    let cut = |place: &mut SealedPlace| {
        place.siblings.pop();
    };
    assert_eq!(lie_about(&sealed, &cut), mini_mmr);
    assert_eq!(lie_about(&sealed, &|place| place.root = Hash::ZERO), mini_mmr);
    let top = at(ProofLevel::SuperRoot);
    let version = |place: &mut SealedPlace| place.super_root.as_mut().unwrap().preimage[1] = 4;
    assert_eq!(lie_about(&sealed, &version), top);

    let lie_about = |change: &dyn Fn(&mut OpenPlace)| {
        let mut lie = open.clone();
        place(&mut lie, &|place| {
            let TwigPosition::Open(open) = place else { panic!("open") };
            change(open);
        });
        refused(&lie).fault
    };
    let outside = |fault| matches!(fault, ProofFault::NotInOpenTwig { .. });
    assert!(outside(lie_about(&|place| place.number = BlockNumber(6159))));
    assert!(outside(lie_about(&|place| place.start = BlockNumber(6161))));
    assert!(outside(lie_about(&|place| place.number = BlockNumber(8191))));
    assert!(matches!(
        lie_about(&|place| place.start = BlockNumber(0)),
        ProofFault::Mismatch { .. }
    ));

    let mut lie = sealed;
    lie.origin = "example.org/live".to_owned();
    assert!(matches!(
        refused(&lie).fault,
        ProofFault::Mismatch { what: "log id of the origin", .. }
    ));
    lie.origin = "with space".to_owned();
    assert_eq!(refused(&lie).fault, ProofFault::Origin);
}

/// A log that commits to such a reference breaks its own rules, whatever else holds.
#[test]
fn a_reference_that_breaks_the_rules_or_contradicts_its_own_block_is_refused() {
    let verified = |number, change: &dyn Fn(&mut ChainReference)| {
        let mut world = World::sample();
        let blob = &mut world.published[3].blob;
        let own = blob.references.iter_mut().find(|(_, one)| one.chain == ETHEREUM);
        change(&mut own.unwrap().1);
        blob.super_root.tree_root = blob.tree().root();
        let bundle = world.prove(ETHEREUM, number, ProofSubject::Block, false, 3);
        verify(&bundle, &Policy::strict(&world.registry)).map(drop).map_err(|error| {
            assert_eq!(error.step, ProofStep::Level(ProofLevel::SuperRoot));
            error.fault
        })
    };
    assert_eq!(verified(6160, &|_| ()), Ok(()));
    for start in [4097, 6143, 6159] {
        let refused = verified(6160, &|reference| reference.start = BlockNumber(start));
        let why = "its start is neither a multiple of 2,048 nor the ledger's first number";
        assert_eq!(refused, Err(ProofFault::Reference { why }), "{start}");
    }
    assert_eq!(verified(6160, &|reference| reference.start = BlockNumber(2048)), Ok(()));
    let other_hash = |reference: &mut ChainReference| reference.block_hash = Hash([9; 32]);
    let why = "its last block has another hash than the proof's block of that number";
    assert_eq!(verified(6160, &other_hash), Err(ProofFault::Reference { why }));
    assert_eq!(verified(6159, &other_hash), Ok(()), "the proof shows nothing of block 6160");
}

/// A verifier takes rows and rules from its own registry.
#[test]
fn unknown_and_withdrawn_rows_are_refused() {
    let world = World::sample();
    let bundle = world.prove(OPTIMISM, 2047, ProofSubject::Block, false, 3);
    let rows = world.registry.rows();
    let one_row = LogRegistry::new(rows[..1].to_vec()).unwrap();
    let strict = verify(&bundle, &Policy::strict(&one_row)).unwrap_err();
    assert_eq!(strict.fault, ProofFault::UnknownChain { chain: OPTIMISM });
    let open_minded = Policy { registry: &one_row, accept_opened_rows: true };
    assert!(verify(&bundle, &open_minded).is_ok());

    let withdrawn = |from_number| {
        let mut row: Profile = rows[1].clone();
        row.rules.push(HashRuleFrom { from_number, code: 0 });
        let rows = [rows[0].clone(), row].to_vec();
        verify(&bundle, &Policy::strict(&LogRegistry::new(rows).unwrap()))
    };
    assert!(matches!(withdrawn(2047).unwrap_err().fault, ProofFault::Withdrawn { .. }));
    assert!(withdrawn(2048).is_ok());

    let renamed = Profile { caip2: "eip155:11".to_owned(), ..rows[1].clone() };
    let mut other_rule = rows[1].clone();
    other_rule.rules[0].code = 2;
    for own in [renamed, other_rule] {
        let own = LogRegistry::new(vec![own]).unwrap();
        let refused = verify(&bundle, &Policy::strict(&own)).unwrap_err();
        assert!(matches!(refused.fault, ProofFault::Registry { .. }), "{refused}");
    }
    let swapped = LogRegistry::new(vec![rows[1].clone(), rows[0].clone()]).unwrap();
    assert!(verify(&bundle, &Policy::strict(&swapped)).is_ok(), "a row's number is the log's own");
}

/// What the log withdrew, its own profile says in every proof up to a SuperRoot that knows of it.
#[test]
fn a_withdrawal_by_the_log_cannot_be_hidden() {
    let honest = World::sample().registry;
    let mut world = World::of(honest.clone());
    world.extend(ETHEREUM, 0..=9, |_| 2);
    world.publish(1_700_000_000);
    let mut rows = honest.rows().to_vec();
    rows[0].rules.push(HashRuleFrom { from_number: 5, code: 0 });
    world.registry = LogRegistry::new(rows).unwrap();
    world.publish(1_700_000_010);
    let policy = Policy::strict(&honest);
    let prove = |number, at| world.prove(ETHEREUM, number, ProofSubject::Block, false, at);
    assert!(verify(&prove(7, 0), &policy).is_ok());
    assert!(verify(&prove(4, 1), &policy).is_ok());
    let told = prove(7, 1);
    assert!(matches!(verify(&told, &policy).unwrap_err().fault, ProofFault::Withdrawn { .. }));
    // the profile from before does not lie in the registry of now, whatever else is taken along
    let (mut hidden, mut before) = (told, prove(7, 0));
    let opening = |bundle: &mut Bundle| {
        let twig = bundle.block.as_mut().unwrap().twig.as_mut().unwrap();
        let Some(TwigPosition::Open(open)) = &mut twig.place else { panic!("open") };
        std::mem::replace(&mut open.super_root.registry, opening_of_nothing())
    };
    let old = opening(&mut before);
    let mut newer = opening(&mut hidden);
    newer.profile = old.profile.clone();
    for lie in [old, newer] {
        let mut hidden = hidden.clone();
        let twig = hidden.block.as_mut().unwrap().twig.as_mut().unwrap();
        let Some(TwigPosition::Open(open)) = &mut twig.place else { panic!("open") };
        open.super_root.registry = lie;
        let refused = verify(&hidden, &policy).unwrap_err();
        let what = "SuperRoot tree root over the registry";
        assert!(matches!(refused.fault, ProofFault::Mismatch { what: got, .. } if got == what));
    }
}

fn opening_of_nothing() -> RegistryOpening {
    let (row_siblings, siblings) = ([Hash::ZERO; 6], [Hash::ZERO; 6]);
    RegistryOpening { profile: Vec::new(), row: RowIndex(0), count: 0, row_siblings, siblings }
}

/// Where a log's own rows are believed, they are believed as far as its registry holds them, and a
/// chain of one family has no rule of another.
#[test]
fn opened_rows_are_held_against_the_registry_and_their_family() {
    let cosmos = ChainKey { family: Family::Cosmos, id: ChainId(1) };
    let row = |chain, code| Profile {
        chain,
        caip2: "some:chain".to_owned(),
        rules: vec![HashRuleFrom { from_number: 0, code }],
    };
    let empty = LogRegistry::new(Vec::new()).unwrap();
    let open_minded = Policy { registry: &empty, accept_opened_rows: true };
    for (chain, code, accepted) in [
        (ETHEREUM, 0x0001, true),
        (ETHEREUM, 0x0801, false),
        (ETHEREUM, 0x0002, false),
        (ETHEREUM, 0xffff, false),
        (cosmos, 0x0001, false),
        (cosmos, 0x0801, false),
    ] {
        let mut world = World::of(LogRegistry::new(vec![row(chain, code)]).unwrap());
        world.extend(chain, 0..=9, |_| 2);
        world.publish(1_700_000_000);
        let bundle = world.prove(chain, 7, ProofSubject::Block, false, 0);
        let verified = verify(&bundle, &open_minded);
        assert_eq!(verified.is_ok(), accepted, "{chain} {code:#06x}: {verified:?}");
        let strict = verify(&bundle, &Policy::strict(&empty)).unwrap_err();
        assert_eq!(strict.fault, ProofFault::UnknownChain { chain });
    }

    let world = World::sample();
    let bundle = world.prove(ETHEREUM, 6160, ProofSubject::Block, false, 3);
    assert!(verify(&bundle, &open_minded).is_ok());
    let bend = |change: &dyn Fn(&mut RegistryOpening)| {
        let mut lie = bundle.clone();
        let twig = lie.block.as_mut().unwrap().twig.as_mut().unwrap();
        let Some(TwigPosition::Open(open)) = &mut twig.place else { panic!("open") };
        change(&mut open.super_root.registry);
        verify(&lie, &open_minded).unwrap_err()
    };
    let rows = world.registry.rows();
    let mut other = rows[0].clone();
    other.caip2 = "eip155:2".to_owned();
    let profile = |lie: &mut RegistryOpening| lie.profile = other.encode().unwrap();
    let over_the_registry = |fault: ProofFault| {
        let what = "SuperRoot tree root over the registry";
        matches!(fault, ProofFault::Mismatch { what: got, .. } if got == what)
    };
    assert!(over_the_registry(bend(&profile).fault));
    let neighbour = |lie: &mut RegistryOpening| lie.profile = rows[1].encode().unwrap();
    assert!(matches!(bend(&neighbour).fault, ProofFault::Registry { .. }));
    let cut = |lie: &mut RegistryOpening| lie.profile.truncate(lie.profile.len() - 1);
    assert!(matches!(bend(&cut).fault, ProofFault::Registry { .. }));
    assert!(over_the_registry(bend(&|lie| lie.count += 1).fault));
    for (row, count) in [(2, 2), (0, 0), (0, 46), (45, 46)] {
        let beyond = |lie: &mut RegistryOpening| (lie.row, lie.count) = (RowIndex(row), count);
        let refused = bend(&beyond);
        assert_eq!(refused.step, ProofStep::Level(ProofLevel::SuperRoot), "{row} of {count}");
    }
}

#[test]
fn ids_past_two_to_the_53_are_no_rows() {
    let chain = ChainKey { family: Family::Evm, id: ChainId(SAFE_INTEGER_MAX + 1) };
    let rules = vec![HashRuleFrom { from_number: 0, code: 1 }];
    let row = Profile { chain, caip2: "eip155:0".to_owned(), rules };
    assert_eq!(row.encode(), Err(LogRegistryError::Id { chain }));
    assert_eq!(LogRegistry::new(vec![row]), Err(LogRegistryError::Id { chain }));
    let rows = |count: usize| {
        let chain = |id: usize| ChainKey { family: Family::Evm, id: ChainId(id as u64) };
        let rules = vec![HashRuleFrom { from_number: 0, code: 1 }];
        let caip2 = "eip155:0".to_owned();
        let row = |id| Profile { chain: chain(id), caip2: caip2.clone(), rules: rules.clone() };
        LogRegistry::new((0..count).map(row).collect())
    };
    assert_eq!(rows(ROWS_MAX).unwrap().rows().len(), ROWS_MAX);
    assert_eq!(rows(ROWS_MAX + 1), Err(LogRegistryError::Rows { got: ROWS_MAX + 1 }));
}

/// Rules rise, but for a withdrawal, which may name a number below those that stand before it.
#[test]
fn only_a_withdrawal_may_come_out_of_order() {
    let profile = |rules: &[(u64, u16)]| {
        let rules = rules.iter().map(|&(from_number, code)| HashRuleFrom { from_number, code });
        Profile { chain: ETHEREUM, caip2: "eip155:1".to_owned(), rules: rules.collect() }
    };
    for (rules, is_sound) in [
        (&[(0, 1), (6, 2)][..], true),
        (&[(0, 1), (6, 2), (5, 0)], true),
        (&[(0, 1), (5, 0), (6, 2)], true),
        (&[(0, 1), (5, 0), (3, 0)], true),
        (&[(0, 1), (0, 0)], true),
        (&[(6, 1), (5, 2)], false),
        (&[(5, 1), (5, 2)], false),
        (&[(0, 0), (5, 1)], false),
        (&[(0, 0)], false),
        (&[], false),
        (&[(0, 1), (SAFE_INTEGER_MAX + 1, 0)], false),
    ] {
        let profile = profile(rules);
        assert_eq!(profile.encode().is_ok(), is_sound, "{rules:?}");
        if let Ok(encoded) = profile.encode() {
            assert_eq!(Profile::decode(&encoded), Ok(profile));
        }
    }
    let code = |rules: &[(u64, u16)], number| profile(rules).code_at(number);
    for withdrawn in [&[(0, 1), (5, 0), (6, 2)][..], &[(0, 1), (6, 2), (5, 0)]] {
        let codes = [4, 5, 6, 99].map(|number| code(withdrawn, number));
        assert_eq!(codes, [Some(1), Some(0), Some(0), Some(0)]);
    }
    assert_eq!([0, 5, 6].map(|number| code(&[(1, 1), (6, 2)], number)), [None, Some(1), Some(2)]);
}

/// That there is no transaction, the transaction trie shows, and nothing else.
#[test]
fn absence_needs_the_transaction_trie() {
    let world = World::sample();
    let policy = Policy::strict(&world.registry);
    let mut bundle = world.prove(ETHEREUM, 4099, ProofSubject::Absence { tx_index: 4 }, true, 3);
    assert!(verify(&bundle, &policy).is_ok());
    tries(&mut bundle).receipt = None;
    assert!(verify(&bundle, &policy).is_ok());
    bundle = world.prove(ETHEREUM, 4099, ProofSubject::Absence { tx_index: 4 }, true, 3);
    tries(&mut bundle).transaction = None;
    let error = verify(&bundle, &policy).unwrap_err();
    let what = "the transaction trie is missing";
    assert_eq!(error.fault, ProofFault::Ledger(LedgerError::Parts { what }));
}
