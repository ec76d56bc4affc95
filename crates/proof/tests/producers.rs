//! Producers of Tron: real headers of the main network, made rounds whose producers change, and all that must be refused.

use serde_json::Value;
use superroot_proof::finality::producers::*;
use superroot_proof::finality::*;
use superroot_proof::ledger::tron::Header;
use superroot_proof::registry::HashRule;
use superroot_types::{Address, BlockNumber, Hash, UnixSeconds};

use crate::finality::{Case, NOW, data, set_of, shown};
use crate::rounds::*;

fn few<T>(got: u64, of: u64, expected: u64) -> Verdict<T> {
    Verdict::NotEnough(Shortfall::Signers { got, of, expected })
}

fn unread<T>(part: &'static str) -> Verdict<T> {
    Verdict::Refusal(Refusal::Encoding { part })
}

// -- real headers ----------------------------------------------------------------------------------------------------

/// 67 real headers with signatures, and what the file says of producers and signing keys.
struct RealRun {
    headers: Vec<ProducedHeader>,
    ids: Vec<Hash>,
    pairs: Vec<(Address, Address)>,
}

const FIRST: u64 = 78_000_000;

impl RealRun {
    fn load() -> Option<Self> {
        let file: Value =
            serde_json::from_slice(&data("other/tron/headers_78000000_78000066.json")?).unwrap();
        let list = |name: &str| -> Vec<Vec<u8>> {
            let bytes = |one: &Value| const_hex::decode(one.as_str().unwrap()).unwrap();
            file[name].as_array().unwrap().iter().map(bytes).collect()
        };
        let address = |bytes: Vec<u8>| Address(bytes.try_into().unwrap());
        let pairs = list("srs").into_iter().zip(list("witnessDelegatees"));
        let headers = list("blockHeaderRawBytes").into_iter().zip(list("witnessSignatures"));
        let header = |(header, signature): (Vec<u8>, Vec<u8>)| ProducedHeader {
            header,
            signature: signature.try_into().unwrap(),
        };
        Some(Self {
            headers: headers.map(header).collect(),
            ids: list("blockIds").into_iter().map(|id| Hash(id.try_into().unwrap())).collect(),
            pairs: pairs.map(|(producer, key)| (address(producer), address(key))).collect(),
        })
    }

    fn seconds(&self, at: usize) -> u64 {
        Header::decode(&self.headers[at].header).unwrap().timestamp_ms / 1_000
    }

    fn evidence(&self, at: usize, count: usize) -> ConsensusEvidence {
        evidence_of(FIRST + at as u64, self.ids[at], &self.headers[at..at + count])
    }

    /// Params whose set 1 begins with the header at this place.
    fn params(&self, at: usize) -> FinalityParams {
        let set_seconds = self.seconds(at);
        let params = ProducerParams { set_seconds, window_blocks: 27, trusted_seconds: NOW.0 };
        FinalityParams::Producers(params)
    }

    fn set(&self, params: &FinalityParams) -> FinalitySet {
        FinalitySet::decode(params, &write_producer_set(0, &self.pairs)).unwrap()
    }
}

#[test]
fn nineteen_real_headers_show_a_block_and_eighteen_do_not() {
    let Some(real) = RealRun::load() else { return };
    let params = FinalityParams::Producers(ProducerParams::TRON);
    let day = real.seconds(0) / 86_400;
    let set = FinalitySet::decode(&params, &write_producer_set(day, &real.pairs)).unwrap();
    assert_eq!((set.encode().len(), set.number()), (1_089, 20_424));
    let now = UnixSeconds(real.seconds(66));
    assert_eq!(real.pairs.iter().filter(|(producer, key)| producer != key).count(), 7);
    for at in 0..=48 {
        let found = shown(check_evidence(&params, &set, &real.evidence(at, 19), now));
        assert_eq!(found.number(), Some(BlockNumber(FIRST + at as u64)));
        assert_eq!(
            (found.hash(), found.at()),
            (real.ids[at], Some(UnixSeconds(real.seconds(at + 18))))
        );
        assert_eq!(found.by(), "19 of 27 producers of day 20424");
        assert_eq!(check_evidence(&params, &set, &real.evidence(at, 18), now), few(18, 27, 19));
    }
    // a whole round: who signs by a delegated key is in the file
    let whole = real.evidence(3, 27);
    assert!(whole.encode().len() <= 4_000, "{} bytes", whole.encode().len());
    assert!(real.evidence(3, 19).encode().len() <= 2_800);
    shown(check_evidence(&params, &set, &whole, now));
    for (header, id) in real.headers.iter().zip(&real.ids) {
        let read = Header::decode(&header.header).unwrap();
        let mut digest: [u8; 32] = id.0;
        digest[..8]
            .copy_from_slice(&superroot_proof::hash::sha256_joined(&[&header.header]).0[..8]);
        let signer = signing_address(&Hash(digest), &header.signature).unwrap();
        let pair = real.pairs.iter().find(|pair| pair.0.0 == read.witness_address[1..]).unwrap();
        assert_eq!(signer, pair.1);
        assert_eq!(canonical_signature(&header.signature), Some(header.signature));
    }
    // four producers unknown, whole rounds still count 19
    let fewer = FinalitySet::decode(&params, &write_producer_set(day, &real.pairs[4..])).unwrap();
    for at in 0..40 {
        shown(check_evidence(&params, &fewer, &real.evidence(at, 27), now));
    }
}

#[test]
fn a_link_of_real_headers_leads_down_and_binds_numbers() {
    let Some(real) = RealRun::load() else { return };
    let params = FinalityParams::Producers(ProducerParams::TRON);
    let set = FinalitySet::decode(&params, &write_producer_set(20_424, &real.pairs)).unwrap();
    let down = (6..=20).rev().map(|at| real.headers[at].header.clone());
    let link: LinkHeaders = down.collect();
    let proof = FinalityProof { evidence: real.evidence(20, 19), link, steps: Vec::new() };
    let asked = |number: u64, at: usize| FinalityQuestion {
        rule: HashRule::Tron,
        number: BlockNumber(number),
        hash: real.ids[at],
    };
    let now = UnixSeconds(real.seconds(66));
    let verdict = |proof: &FinalityProof, asked| check(&params, &set, proof, asked, now);
    let found = shown(verdict(&proof, asked(FIRST + 5, 5)));
    assert_eq!((found.number(), found.target()), (Some(BlockNumber(FIRST + 5)), real.ids[20]));
    let (got, expected) = (BlockNumber(FIRST + 5), BlockNumber(FIRST + 4));
    let refused = Verdict::Refusal(Refusal::Number { got, expected });
    assert_eq!(verdict(&proof, asked(FIRST + 4, 5)), refused);
    let mut gap = proof.clone();
    gap.link.headers.remove(7);
    let refused = Verdict::Refusal(Refusal::Link { index: 7 });
    assert_eq!(verdict(&gap, asked(FIRST + 5, 5)), refused);
}

#[test]
fn the_real_list_is_followed_over_a_boundary() {
    let Some(real) = RealRun::load() else { return };
    // set 1 begins with the third header, its window has 27 blocks, and 19 are on top
    let params = real.params(2);
    let set = real.set(&params);
    let now = UnixSeconds(real.seconds(66));
    let step = write_run(&real.headers[1..1 + 2 + 27 + 19]).unwrap();
    let next = set_of(set.advance(&params, &step, now));
    assert_eq!(next.encode(), write_producer_set(1, &real.pairs));
    assert_eq!(FinalitySet::named_by(&params, &step), Some(next.clone()));
    shown(check_evidence(&params, &next, &real.evidence(40, 19), now));
    let before = check_evidence(&params, &next, &real.evidence(1, 19), now);
    assert_eq!(before, Verdict::NotEnough(Shortfall::Set { needed: 0, held: 1 }));
    // a list without the seven delegated keys gets none from real headers
    let own: Vec<_> = real.pairs.iter().map(|(producer, _)| (*producer, *producer)).collect();
    let strangers = FinalitySet::decode(&params, &write_producer_set(0, &own)).unwrap();
    let run = |count: usize| write_run(&real.headers[1..1 + 2 + 27 + count]).unwrap();
    assert_eq!(strangers.advance(&params, &run(27), now), few(20, 27, 23));
    let short = run(18);
    assert_eq!(set.advance(&params, &short, now), few(18, 27, 19));
}

#[test]
fn real_evidence_refuses_every_change() {
    let Some(real) = RealRun::load() else { return };
    let params = real.params(2);
    let set = real.set(&params);
    Case { params, set, step: None, evidence: real.evidence(5, 19) }.refuses_every_change(7);
}

// -- made rounds -----------------------------------------------------------------------------------------------------

fn made_params() -> FinalityParams {
    FinalityParams::Producers(short())
}

fn made_verdict(evidence: &ConsensusEvidence) -> Verdict<FinalityShown> {
    check_evidence(&made_params(), &producer_set(&made_params(), DAY, &members()), evidence, NOW)
}

#[test]
fn made_evidence_and_sets_refuse_every_change() {
    let params = made_params();
    let set = producer_set(&params, DAY, &members());
    let evidence = MadeRounds::in_turn(100, 19, &members()).evidence(100, 19);
    assert_eq!(evidence.signer(&params), Some(DAY));
    assert_eq!(set.begins(&params), Some(UnixSeconds(GENESIS)));
    let bytes = set.encode();
    assert_eq!(set.id(), superroot_proof::hash::sha256_joined(&[&bytes]));
    Case { params, set, step: None, evidence }.refuses_every_change(5);
}

/// Day 1: producer 1 left, 30 came with its own key, 31 came with a delegated key, producer 22 made no block, and producer
/// 2 signs by a delegated key that is new. Day 2: 22 is back with its delegated key, and 31 with its own.
fn changed_days() -> (MadeRounds, [Vec<Member>; 3]) {
    let old = members();
    let replace = |list: &[Member], changes: &[(u8, Member)]| -> Vec<Member> {
        let with = |member: &Member| {
            let change = changes.iter().find(|(producer, _)| *producer == member.0);
            change.map_or(*member, |(_, new)| *new)
        };
        list.iter().map(with).collect()
    };
    let mut one = replace(&old, &[(1, (30, 30)), (3, (31, 131)), (2, (2, 102))]);
    one.retain(|(producer, _)| *producer != 22);
    let mut two = replace(&one, &[(31, (31, 31))]);
    two.push((22, 122));
    let lists = [old, one, two];
    let of = |number: u64| {
        // the first block of a day is by the list before
        let list = &lists[((number - 1) / DAY_BLOCKS) as usize];
        list[number as usize % list.len()]
    };
    (MadeRounds::new(1, 3 * DAY_BLOCKS - 1, of), lists.clone())
}

#[test]
fn sets_follow_over_three_days() {
    let (rounds, [old, ..]) = changed_days();
    let params = made_params();
    let first = producer_set(&params, DAY, &old);
    let steps = [rounds.step(DAY + 1, 27), rounds.step(DAY + 2, 27)];
    let next = set_of(first.advance(&params, &steps[0], NOW));
    // of old members 1 and 3 left, 22 was absent, 2 has a new key; 30 came; 31 has a key that no header shows
    let known = |list: &[Member], left: &[u8], came: &[Member]| -> Vec<Member> {
        let mut list: Vec<_> = list.iter().copied().filter(|one| !left.contains(&one.0)).collect();
        list.extend(came);
        list
    };
    let one = known(&old, &[1, 2, 3, 22], &[(30, 30)]);
    assert_eq!(next.encode(), set_bytes(DAY + 1, &one));
    let last = set_of(next.advance(&params, &steps[1], NOW));
    let two = known(&one, &[], &[(31, 31)]);
    assert_eq!(last.encode(), set_bytes(DAY + 2, &two));
    // in a file: evidence of the third day from the set of the first, through a link
    let about = 2 * DAY_BLOCKS + 90;
    let down = (about - 9..=about).rev().map(|number| rounds.run(number, 1)[0].header.clone());
    let proof = FinalityProof {
        evidence: rounds.evidence(about, 27),
        link: down.collect(),
        steps: steps.to_vec(),
    };
    let asked = FinalityQuestion {
        rule: HashRule::Tron,
        number: BlockNumber(about - 10),
        hash: rounds.id(about - 10),
    };
    let found = shown(check(&params, &first, &proof, asked, NOW));
    assert_eq!((found.set(), found.steps()), (last.id(), 2));
    assert_eq!(found.by(), format!("19 of 25 producers of day {}", DAY + 2));
    let found = shown(check(&params, &last, &proof, asked, NOW));
    assert_eq!((found.set(), found.steps()), (last.id(), 0));
    // lists change so little that the first set shows it without steps
    let direct = FinalityProof { steps: Vec::new(), ..proof };
    assert_eq!(shown(check(&params, &first, &direct, asked, NOW)).set(), first.id());
    // steps are taken once, in order
    let at = |set: &FinalitySet, step: &[u8]| set.advance(&params, step, NOW);
    let lacks = |needed, held| Verdict::NotEnough(Shortfall::Set { needed, held });
    assert_eq!(at(&next, &steps[0]), lacks(DAY, DAY + 1));
    assert_eq!(at(&first, &steps[1]), lacks(DAY + 1, DAY));
    // a server names keys that no client takes from a step
    let named = FinalitySet::named_by(&params, &steps[0]).unwrap();
    assert_eq!(named.number(), DAY + 1);
    assert_eq!(named.encode(), set_bytes(DAY + 1, &changed_days().1[1]));
}

/// A signature is under no hash: real headers with signatures by other keys bring no key into a set.
#[test]
fn real_headers_with_other_signatures_bring_no_member() {
    let params = made_params();
    let set = producer_set(&params, DAY, &members());
    let rounds = MadeRounds::in_turn(1, 2 * DAY_BLOCKS, &members());
    let run = rounds.run(DAY_BLOCKS - 1, 2 + 54 + 19);
    let forged = |places: &[usize]| {
        let mut run = run.to_vec();
        for (place, one) in run.iter_mut().enumerate().filter(|(place, _)| *place < 56) {
            // whoever signs: a stranger, or a member of the list in place of another
            if places.contains(&(place % 27)) {
                one.signature = sign(&one.header, if place % 2 == 0 { 200 } else { 5 });
            }
        }
        set.advance(&params, &write_run(&run).unwrap(), NOW)
    };
    assert_eq!(set_of(forged(&[])).encode(), set_bytes(DAY + 1, &members()));
    // both are shown and differ, which nobody but the forger made: no contradiction of the producers
    let mut other = run.to_vec();
    for (_, one) in other.iter_mut().enumerate().filter(|(place, _)| *place < 56 && place % 27 == 2)
    {
        one.signature = sign(&one.header, 200);
    }
    let steps = [run, &other].map(|run| write_run(run).unwrap());
    let differ = set_of(set.advance(&params, &steps[1], NOW)).encode();
    assert_ne!(differ, set_bytes(DAY + 1, &members()));
    let statements = ConflictStatements::Sets(steps);
    let conflict = FinalityConflict { set: set.encode(), statements };
    let verdict = check_conflict(&params, &conflict, NOW);
    assert!(matches!(verdict, Verdict::Refusal(Refusal::Order { .. })), "{verdict:?}");
    // each place of a round is of one producer; blocks 200 + n are by producer n's place
    let lost = set_of(forged(&[2, 3, 4, 6]));
    let lost = lost.encode();
    assert_eq!(lost.len(), 9 + 23 * 40);
    let known = set_bytes(DAY + 1, &members());
    let known: Vec<_> = known[9..].chunks(40).collect();
    assert!(lost[9..].chunks(40).all(|pair| known.contains(&pair)));
    assert_eq!(forged(&[2, 3, 4, 6, 7]), few(22, 27, 23));
    let all: Vec<_> = (0..27).collect();
    let none = forged(&all);
    // producer 5 signed the own block too
    assert!(matches!(none, Verdict::NotEnough(Shortfall::Signers { got: 0..=1, .. })), "{none:?}");
}

/// Whatever is changed in a step, members are real producers with their own keys, or nothing is shown.
#[test]
fn a_changed_step_shows_nothing_but_members() {
    let params = made_params();
    let set = producer_set(&params, DAY, &members());
    let rounds = MadeRounds::in_turn(DAY_BLOCKS - 1, 2 + 54 + 19, &members());
    let step = rounds.step(DAY + 1, 19);
    let known = set_bytes(DAY + 1, &members());
    let known: Vec<_> = known[9..].chunks(40).collect();
    let mut counts = [0, 0];
    let others = [
        step[..step.len() - 1].to_vec(),
        Vec::new(),
        [&step[..], &step].concat(),
        [&step[..], &[0]].concat(),
    ];
    let flips = (0..step.len()).step_by(53).map(|at| {
        let mut changed = step.clone();
        changed[at] ^= 1 << (at % 8);
        changed
    });
    for changed in flips.chain(others) {
        let next = set.advance(&params, &changed, NOW).shown();
        let _ = FinalitySet::named_by(&params, &changed);
        counts[usize::from(next.is_some())] += 1;
        if let Some(next) = next {
            assert_eq!(next.number(), DAY + 1);
            assert!(next.encode()[9..].chunks(40).all(|pair| known.contains(&pair)));
        }
    }
    // signatures in the window alone may change: each producer has a second one there
    assert!(counts[0] > 3 * counts[1] / 2, "{counts:?}");
}

#[test]
fn the_parts_of_a_step_are_in_their_places() {
    let params = made_params();
    let set = producer_set(&params, DAY, &members());
    let rounds = MadeRounds::in_turn(1, 3 * DAY_BLOCKS, &members());
    let at = |from: u64, count: u64| {
        set.advance(&params, &write_run(rounds.run(from, count)).unwrap(), NOW)
    };
    let begin = DAY_BLOCKS - 1;
    set_of(at(begin, 2 + 54 + 19));
    // 18 on top; none; no window; no first block; nothing
    assert_eq!(at(begin, 2 + 54 + 18), few(18, 27, 19));
    assert_eq!(at(begin, 2 + 54), few(0, 27, 19));
    assert_eq!(at(begin, 30), few(0, 27, 19));
    assert_eq!(at(begin, 1), unread("step"));
    assert_eq!(set.advance(&params, &[], NOW), unread("step"));
    // another block than the last of the day before
    let what = "the second header does not begin a set";
    let refused = Verdict::Refusal(Refusal::Order { what });
    for from in [begin - 1, begin + 1] {
        assert_eq!(at(from, 2 + 54 + 19), refused, "{from}");
    }
    // more than can be
    set_of(at(begin, STEP_BLOCKS_MAX as u64));
    assert_eq!(at(begin, STEP_BLOCKS_MAX as u64 + 1), unread("headers"));
    // strangers on top, and one of the list 19 times
    let on_top = |of: &dyn Fn(u64) -> Member| {
        let list = members();
        let of =
            |number: u64| if number < begin + 56 { list[number as usize % 27] } else { of(number) };
        let rounds = MadeRounds::new(begin, 2 + 54 + 30, of);
        set.advance(&params, &write_run(&rounds.blocks).unwrap(), NOW)
    };
    assert_eq!(on_top(&|number| (50 + number as u8 % 27, 50 + number as u8 % 27)), few(0, 27, 19));
    assert_eq!(on_top(&|_| (4, 4)), few(1, 27, 19));
    // a chain that was at rest for a day has no set of that day
    let rest = MadeRounds::within(
        begin,
        2 + 54 + 19,
        |number| 3 * number + if number > begin { 600 } else { 0 },
        |number| members()[number as usize % 27],
    );
    let verdict = set.advance(&params, &write_run(&rest.blocks).unwrap(), NOW);
    assert_eq!(verdict, Verdict::NotEnough(Shortfall::Set { needed: DAY + 1, held: DAY }));
}

#[test]
fn sets_neither_shrink_below_23_nor_grow_above_27() {
    let params = made_params();
    let set = producer_set(&params, DAY, &members());
    let begin = DAY_BLOCKS - 1;
    let with = |window: &[Member], on_top: &[Member]| {
        let of = |number: u64| {
            let list = if number < begin + 56 { window } else { on_top };
            list[number as usize % list.len()]
        };
        let rounds = MadeRounds::new(begin, 2 + 54 + 27, of);
        set.advance(&params, &write_run(&rounds.blocks).unwrap(), NOW)
    };
    let all = members();
    for (left, next) in [(27, Ok(27)), (23, Ok(23)), (22, Err(22))] {
        let verdict = with(&all[..left], &all);
        match next {
            Ok(count) => assert_eq!(set_of(verdict).encode(), set_bytes(DAY + 1, &all[..count])),
            Err(got) => assert_eq!(verdict, few(got, 27, 23)),
        }
    }
    let mut more = members();
    more.push((60, 60));
    let what = "more than 27 producers made the window";
    assert_eq!(with(&more, &all), Verdict::Refusal(Refusal::Order { what }));
    // all new at once, under 19 old signers: the list is what the chain elected
    let new: Vec<_> = (60..87).map(|seed| (seed, seed)).collect();
    assert_eq!(set_of(with(&new, &all)).encode(), set_bytes(DAY + 1, &new));
    assert_eq!(with(&new, &new), few(0, 27, 19));
    // a list that cannot be
    let read = |bytes: &[u8]| FinalitySet::decode(&params, bytes);
    let unread = |part| Err(Refusal::Encoding { part });
    for (count, is_read) in [(22, false), (23, true), (27, true), (28, false)] {
        let list: Vec<_> = (1..=count).map(|seed| (seed, seed)).collect();
        let found = read(&set_bytes(DAY, &list));
        assert_eq!(found.is_ok(), is_read, "{count}");
        assert!(is_read || found == unread("producers"));
    }
    let bytes = set_bytes(DAY, &all);
    let what = "producers do not rise";
    let refused = Err(Refusal::Order { what });
    let mut swapped = bytes.clone();
    let (left, right) = swapped[9..].split_at_mut(40);
    left.swap_with_slice(&mut right[..40]);
    assert_eq!(read(&swapped), refused);
    let mut doubled = bytes.clone();
    doubled.copy_within(9..49, 49);
    assert_eq!(read(&doubled), refused);
    assert_eq!(read(&[&bytes[..], &[0]].concat()), unread("set"));
}

#[test]
fn nineteen_distinct_members_must_sign_with_their_keys() {
    let by =
        |of: &dyn Fn(u64) -> Member| made_verdict(&MadeRounds::new(100, 40, of).evidence(100, 40));
    let list = members();
    let turn = |number: u64, count: u64| list[(number % count) as usize];
    shown(by(&|number| turn(number, 19)));
    // one producer many times, two in turn, 18
    for count in [1, 2, 18] {
        assert_eq!(by(&|number| turn(number, count)), few(count, 27, 19));
    }
    // a 19th with a key of before, of another, or a producer of no list
    for other in [(19, 119), (19, 1), (27, 27), (90, 90), (90, 19)] {
        let of = |number: u64| match turn(number, 19) {
            (19, _) => other,
            one => one,
        };
        assert_eq!(by(&of), few(18, 27, 19), "{other:?}");
    }
    // strangers between do not count, and do not harm
    shown(by(&|number| if number % 2 == 1 { (90, 91) } else { turn(number / 2, 19) }));
    // more headers than are read
    let rounds = MadeRounds::in_turn(100, 65, &list);
    shown(made_verdict(&rounds.evidence(100, EVIDENCE_BLOCKS_MAX as u64)));
    assert_eq!(made_verdict(&rounds.evidence(100, 65)), unread("headers"));
    let empty = ConsensusEvidence { body: Vec::new(), ..rounds.evidence(100, 1) };
    assert_eq!(made_verdict(&empty), unread("headers"));
}

#[test]
fn the_block_is_the_first_of_the_run() {
    let rounds = MadeRounds::in_turn(100, 30, &members());
    let good = rounds.evidence(100, 19);
    shown(made_verdict(&good));
    let got = rounds.id(100);
    let other = |expected: Hash| {
        let evidence = ConsensusEvidence { hash: expected, ..good.clone() };
        assert_eq!(made_verdict(&evidence), Verdict::Refusal(Refusal::Block { got, expected }));
    };
    other(rounds.id(101));
    // the same raw header under another id: the number is a part of the id
    let mut id = got;
    id.0[7] += 1;
    other(id);
    other(superroot_proof::hash::sha256_joined(&[&rounds.run(100, 1)[0].header]));
    let (got, expected) = (BlockNumber(100), BlockNumber(101));
    let numbered = ConsensusEvidence { number: expected, ..good };
    let refused = Verdict::Refusal(Refusal::Number { got, expected });
    assert_eq!(made_verdict(&numbered), refused);
}

/// A run written by hand: headers in full, or without the parent at these places.
fn by_hand(first: &ProducedHeader, rest: &[(u8, Vec<u8>, [u8; 65])]) -> Vec<u8> {
    let length = |bytes: &[u8]| (bytes.len() as u16).to_be_bytes();
    let mut out = [&length(&first.header)[..], &first.header, &first.signature].concat();
    for (place, cut, signature) in rest {
        out.push(*place);
        out.extend([&length(cut)[..], cut, signature].concat());
    }
    out
}

#[test]
fn headers_follow_each_other_in_one_form() {
    let rounds = MadeRounds::in_turn(100, 30, &members());
    let run = rounds.run(100, 2);
    let cut = |header: &[u8], place: usize| [&header[..place], &header[place + 32..]].concat();
    let place = 7 + 2 + 32 + 2;
    let second = &run[1];
    let written = by_hand(&run[0], &[(place as u8, cut(&second.header, place), second.signature)]);
    assert_eq!(write_run(run), Some(written));
    let verdict = |number: u64, parent: &Hash, seconds: u64, more: &[u8], place: usize| {
        let mut header = raw_header(number, 1_000 * (GENESIS + seconds), parent, 2);
        header.extend_from_slice(more);
        let body = by_hand(&run[0], &[(place as u8, cut(&header, place), sign(&header, 2))]);
        made_verdict(&ConsensusEvidence { body, ..rounds.evidence(100, 19) })
    };
    let parent = rounds.id(100);
    assert_eq!(verdict(101, &parent, 303, &[], place), few(2, 27, 19));
    let refused = |number, what| Verdict::Refusal(Refusal::Header { number, what });
    for number in [100, 102, 1] {
        let verdict = verdict(number, &parent, 303, &[], place);
        assert_eq!(verdict, refused(number, "the number does not follow"));
    }
    for seconds in [300, 299] {
        assert_eq!(
            verdict(101, &parent, seconds, &[], place),
            refused(101, "the time does not rise")
        );
    }
    // the id of the header before in a field that nobody reads, and another parent
    let field = [&[0xa2, 0x06, 32][..], &parent.0].concat();
    let behind = raw_header(101, 1_000 * (GENESIS + 303), &parent, 2).len() + 3;
    let other = rounds.id(105);
    assert_eq!(verdict(101, &other, 303, &field, behind), refused(101, "the parent is another"));
    // both: the first place is the only one
    assert_eq!(verdict(101, &parent, 303, &field, place), few(2, 27, 19));
    assert_eq!(verdict(101, &parent, 303, &field, behind), unread("headers"));
    // a gap is not written
    assert_eq!(write_run(&[run[0].clone(), rounds.run(102, 1)[0].clone()]), None);
    assert_eq!(distinct_producers(rounds.run(100, 30)), 27);
}

#[test]
fn signatures_have_one_form() {
    let rounds = MadeRounds::in_turn(100, 19, &members());
    let with = |change: &dyn Fn(&mut [u8; 65])| {
        let mut run = rounds.run(100, 19).to_vec();
        change(&mut run[7].signature);
        made_verdict(&evidence_of(100, rounds.id(100), &run))
    };
    shown(with(&|_| {}));
    let order = const_hex::decode_to_array::<_, 32>(
        "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
    )
    .unwrap();
    // `n - s` with the other recovery number: the same key signs, in a second form
    let high = |signature: &mut [u8; 65]| {
        let mut borrow = 0;
        for at in (0..32).rev() {
            let left = i32::from(order[at]) - i32::from(signature[32 + at]) - borrow;
            borrow = i32::from(left < 0);
            signature[32 + at] = (left + 256 * borrow) as u8;
        }
        signature[64] ^= 1;
    };
    let refused = Verdict::Refusal(Refusal::Signature);
    assert_eq!(with(&high), refused);
    for v in [2, 3, 4, 27, 28, 255] {
        assert_eq!(with(&|signature| signature[64] = v), refused, "{v}");
    }
    assert_eq!(with(&|signature| signature[..32].fill(0)), refused);
    assert_eq!(with(&|signature| signature[32..64].fill(0)), refused);
    assert_eq!(with(&|signature| signature[..32].copy_from_slice(&order)), refused);
    // no point has this abscissa
    let pointless = |signature: &mut [u8; 65]| {
        signature[..32].fill(0);
        signature[31] = 5;
    };
    assert_eq!(with(&pointless), refused);
    // by nobody that is known
    assert_eq!(with(&|signature| signature[64] ^= 1), few(18, 27, 19));
    // a node's forms become the one
    let own = rounds.blocks[7].signature;
    let mut other = own;
    high(&mut other);
    assert_ne!(other, own);
    assert_eq!(canonical_signature(&other), Some(own));
    let mut old = own;
    old[64] += 27;
    assert_eq!(canonical_signature(&old), Some(own));
    high(&mut old);
    old[64] = other[64] + 27;
    assert_eq!(canonical_signature(&old), Some(own));
    for bad in [&own[..64], &[&own[..], &[0]].concat(), &[&own[..64], &[31]].concat(), &[0; 65]] {
        assert_eq!(canonical_signature(bad), None);
    }
}

#[test]
fn times_stay_within_the_period() {
    let params = made_params();
    let rounds = MadeRounds::in_turn(100, 30, &members());
    let at = |day: u64, evidence: &ConsensusEvidence, now: u64| {
        check_evidence(&params, &producer_set(&params, day, &members()), evidence, UnixSeconds(now))
    };
    let evidence = rounds.evidence(100, 19);
    let last = GENESIS + 3 * 118;
    shown(at(DAY, &evidence, last));
    let early = Verdict::NotEnough(Shortfall::Early { at: UnixSeconds(last) });
    assert_eq!(at(DAY, &evidence, last - 1), early);
    let until = GENESIS + 14 * 86_400;
    let set = producer_set(&params, DAY, &members());
    assert_eq!(set.trusted_until(&params), Some(UnixSeconds(until)));
    shown(at(DAY, &evidence, until));
    let (of, seconds) = (UnixSeconds(GENESIS), 14 * 86_400);
    let expired = Verdict::NotEnough(Shortfall::Expired { of, seconds });
    assert_eq!(at(DAY, &evidence, until + 1), expired);
    // an earlier set shows it too, a later one does not
    shown(at(DAY - 9, &evidence, last));
    let later = Verdict::NotEnough(Shortfall::Set { needed: DAY, held: DAY + 1 });
    assert_eq!(at(DAY + 1, &evidence, NOW.0), later);
    // steps too
    let rounds = MadeRounds::in_turn(1, 2 * DAY_BLOCKS, &members());
    let step = rounds.step(DAY + 1, 19);
    let last = GENESIS + 3 * (DAY_BLOCKS + 54 + 19);
    set_of(set.advance(&params, &step, UnixSeconds(last)));
    let early = Verdict::NotEnough(Shortfall::Early { at: UnixSeconds(last) });
    assert_eq!(set.advance(&params, &step, UnixSeconds(last - 1)), early);
    let expired = Verdict::NotEnough(Shortfall::Expired { of, seconds });
    assert_eq!(set.advance(&params, &step, UnixSeconds(until + 1)), expired);
    // a set of the far future
    let far = producer_set(&params, u64::MAX, &members());
    assert_eq!(far.trusted_until(&params), Some(UnixSeconds(u64::MAX)));
    let none = FinalityParams::Producers(ProducerParams { set_seconds: 0, ..short() });
    assert_eq!(evidence.signer(&none), None);
    assert_eq!(set.advance(&none, &step, NOW), unread("step"));
}
