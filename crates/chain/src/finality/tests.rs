use proptest::prelude::*;
use superroot_types::{ChainId, Family};

use super::*;

const CHAIN: ChainKey = ChainKey { family: Family::Evm, id: ChainId(1) };
const NOW: UnixSeconds = UnixSeconds(1_000);
const TRUSTED: FinalityAnchor = FinalityAnchor::Operators { needed: 2, of: 3 };

/// Blocks from `first` on, each with a hash of its number and that of the one before as its parent.
fn line(first: u64, count: u64) -> Vec<Candidate> {
    (first..first + count).map(|number| Candidate::Held(link(number))).collect()
}

fn link(number: u64) -> BlockLink {
    let hash = |number: u64| Hash([u8::try_from(number).unwrap(); 32]);
    BlockLink {
        chain: CHAIN,
        number: BlockNumber(number),
        hash: hash(number),
        parent_hash: hash(number - 1),
    }
}

fn quorum(operators: &[&str], number: u64) -> NodeQuorum {
    let source = |operator: &&str| AgreeingNode {
        name: format!("node of {operator}"),
        operator: (*operator).into(),
    };
    NodeQuorum {
        sources: operators.iter().map(source).collect(),
        needed: 2,
        of: 3,
        rule: "finalized tag".into(),
        number: BlockNumber(number),
        hash: link(number).hash,
        agreed_at: NOW,
    }
}

fn judged(quorum: &NodeQuorum, line: Vec<Candidate>, trusted: &FinalityAnchor) -> EvidenceVerdict {
    check(FinalityEvidence::NodeQuorum(quorum.clone()), line, trusted, NOW)
}

#[test]
fn kinds_are_ordered_by_strength_and_named() {
    assert!(EvidenceKind::ALL.is_sorted());
    for kind in EvidenceKind::ALL {
        assert_eq!(EvidenceKind::from_name(kind.name()), Some(kind));
        assert_eq!(kind.to_string(), kind.name());
    }
    assert_eq!(EvidenceKind::from_name("Consensus"), None);
}

#[test]
fn what_the_block_agreed_on_descends_from_is_final_with_it() {
    let agreed = quorum(&["a", "b"], 13);
    let EvidenceVerdict::Final(blocks) = judged(&agreed, line(10, 4), &TRUSTED) else { panic!() };
    assert_eq!(blocks.len(), 4);
    for (block, number) in blocks.iter().zip(10..) {
        assert_eq!((block.link(), block.agreed()), (link(number), BlockNumber(13)));
        assert_eq!(block.evidence(), &FinalityEvidence::NodeQuorum(agreed.clone()));
    }
    assert_eq!(judged(&agreed, Vec::new(), &TRUSTED), EvidenceVerdict::Final(Vec::new()));
}

/// Nodes of one operator are of one mind.
#[test]
fn operators_count_and_not_their_nodes() {
    let of_one = quorum(&["a", "a", "a"], 13);
    let lacks =
        EvidenceVerdict::NotEnoughYet(MissingEvidence::TooFew { got: 1, of: 3, expected: 2 });
    assert_eq!(judged(&of_one, line(13, 1), &TRUSTED), lacks);
    let nobody = quorum(&[], 13);
    let trusting = FinalityAnchor::Operators { needed: 0, of: 0 };
    let lacks =
        EvidenceVerdict::NotEnoughYet(MissingEvidence::TooFew { got: 0, of: 0, expected: 1 });
    assert_eq!(judged(&nobody, line(13, 1), &trusting), lacks);
}

#[test]
fn evidence_of_later_than_now_is_not_enough_yet() {
    let early = NodeQuorum { agreed_at: UnixSeconds(NOW.0 + 1), ..quorum(&["a", "b"], 13) };
    let verdict = judged(&early, line(13, 1), &TRUSTED);
    assert_eq!(
        verdict,
        EvidenceVerdict::NotEnoughYet(MissingEvidence::Early { at: UnixSeconds(NOW.0 + 1) })
    );
}

/// A line to another block, with a gap, of another chain, or with a block that is nobody's parent.
#[test]
fn a_line_that_does_not_lead_to_the_block_agreed_on_is_refused() {
    let agreed = quorum(&["a", "b"], 13);
    assert!(matches!(
        judged(&agreed, line(10, 3), &TRUSTED),
        EvidenceVerdict::Refused(EvidenceRefusal::OtherBlock { agreed: BlockNumber(13), .. })
    ));
    let other = NodeQuorum { hash: Hash([0; 32]), ..agreed.clone() };
    assert!(matches!(
        judged(&other, line(10, 4), &TRUSTED),
        EvidenceVerdict::Refused(EvidenceRefusal::OtherBlock { .. })
    ));
    let bend = |place: usize, bend: fn(&mut BlockLink)| {
        let mut line = line(10, 4);
        let Candidate::Held(link) = &mut line[place] else { unreachable!() };
        bend(link);
        judged(&agreed, line, &TRUSTED)
    };
    let bends: [fn(&mut BlockLink); 3] = [
        |link| link.hash = Hash::ZERO,
        |link| link.chain.id = ChainId(2),
        |link| link.number = BlockNumber(9),
    ];
    for (place, with) in (0..3).flat_map(|place| bends.map(|with| (place, with))) {
        let verdict = bend(place, with);
        assert!(
            matches!(verdict, EvidenceVerdict::Refused(EvidenceRefusal::Unlinked { .. })),
            "{verdict:?}"
        );
    }
}

/// A recording is believed of recordings alone, nodes of live chains alone.
#[test]
fn evidence_of_another_kind_than_is_trusted_is_refused() {
    let one = FinalityEvidence::OneSource(OneSource {
        name: "capture".into(),
        rule: "as recorded".into(),
    });
    let many = FinalityEvidence::NodeQuorum(quorum(&["a", "b"], 13));
    for (evidence, trusted) in [(one.clone(), TRUSTED), (many, FinalityAnchor::OneSource)] {
        let verdict = check(evidence, line(13, 1), &trusted, NOW);
        assert!(
            matches!(verdict, EvidenceVerdict::Refused(EvidenceRefusal::OtherKind { .. })),
            "{verdict:?}"
        );
    }
    let gap = [line(10, 1), line(12, 1)].concat();
    let EvidenceVerdict::Final(blocks) = check(one, gap, &FinalityAnchor::OneSource, NOW) else {
        panic!()
    };
    assert!(blocks.iter().all(|block| block.agreed() == BlockNumber(12)));
}

#[test]
fn ancestors_of_a_final_block_are_final_by_its_evidence() {
    let evidence = Arc::new(FinalityEvidence::NodeQuorum(quorum(&["a", "b"], 20)));
    let ancestors =
        |child, line| check_ancestors(&link(child), BlockNumber(20), Arc::clone(&evidence), line);
    let EvidenceVerdict::Final(blocks) = ancestors(13, line(10, 3)) else { panic!() };
    assert!(blocks.iter().all(|block| block.agreed() == BlockNumber(20)));
    let verdict = ancestors(14, line(10, 3));
    assert!(
        matches!(verdict, EvidenceVerdict::Refused(EvidenceRefusal::Unlinked { .. })),
        "{verdict:?}"
    );
}

/// The bytes are pinned: they are stored, and committed to in answers.
#[test]
fn evidence_has_the_documented_bytes() {
    let quorum = NodeQuorum {
        sources: vec![AgreeingNode { name: "n".into(), operator: "op".into() }],
        needed: 1,
        of: 2,
        rule: "tag".into(),
        number: BlockNumber(3),
        hash: Hash([4; 32]),
        agreed_at: UnixSeconds(5),
    };
    let body = [
        &[0, 0, 0, 1, 0, 0, 0, 2][..],
        &[0, 0, 0, 0, 0, 0, 0, 3],
        &[4; 32],
        &[0, 0, 0, 0, 0, 0, 0, 5],
        &[0, 0, 0, 3, b't', b'a', b'g'],
        &[0, 0, 0, 1, 0, 0, 0, 1, b'n', 0, 0, 0, 2, b'o', b'p'],
    ]
    .concat();
    let expected = [&[2, 0, 0, 0, 78][..], &body].concat();
    assert_eq!(FinalityEvidence::NodeQuorum(quorum).encode(), expected);
    let one = FinalityEvidence::OneSource(OneSource { name: "n".into(), rule: "r".into() });
    assert_eq!(one.encode(), [3, 0, 0, 0, 10, 0, 0, 0, 1, b'n', 0, 0, 0, 1, b'r']);
}

fn evidence() -> impl Strategy<Value = FinalityEvidence> {
    let source =
        any::<(String, String)>().prop_map(|(name, operator)| AgreeingNode { name, operator });
    let quorum =
        (proptest::collection::vec(source, 0..4), any::<(u32, u32, String, u64, [u8; 32], u64)>())
            .prop_map(|(sources, (needed, of, rule, number, hash, at))| {
                let (number, hash, agreed_at) = (BlockNumber(number), Hash(hash), UnixSeconds(at));
                FinalityEvidence::NodeQuorum(NodeQuorum {
                    sources,
                    needed,
                    of,
                    rule,
                    number,
                    hash,
                    agreed_at,
                })
            });
    let one = any::<(String, String)>()
        .prop_map(|(name, rule)| FinalityEvidence::OneSource(OneSource { name, rule }));
    prop_oneof![quorum, one]
}

proptest! {
    /// Read back, cut anywhere, made longer, and with one byte changed: never another evidence of the
    /// same bytes.
    #[test]
    fn evidence_leads_back_and_has_one_encoding(
        evidence in evidence(),
        at: prop::sample::Index,
        byte: u8,
    ) {
        let mut bytes = evidence.encode();
        prop_assert_eq!(FinalityEvidence::decode(&bytes), Some(evidence));
        prop_assert_eq!(FinalityEvidence::decode(&bytes[..at.index(bytes.len())]), None);
        prop_assert_eq!(FinalityEvidence::decode(&[bytes.as_slice(), &[0]].concat()), None);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Some(read) = FinalityEvidence::decode(&bytes) {
            prop_assert_eq!(read.encode(), bytes);
        }
    }

    #[test]
    fn no_bytes_make_evidence_panic(bytes: Vec<u8>) {
        let _ = FinalityEvidence::decode(&bytes);
    }
}
