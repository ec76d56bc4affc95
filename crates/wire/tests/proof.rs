//! Laws of proofs as JSON: what is rendered reads back, verifies, and binds every member.

use crate::fixture;

use fixture::*;
use serde_json::{Value, json};
use superroot_proof::bundle::*;
use superroot_proof::note::{KeyKind, Signer, TrustPolicy};
use superroot_types::*;
use superroot_wire::proof::{CLAIMED_WITH_INDEX, unshown};
use superroot_wire::*;
use world::{ORIGIN, World};

fn facts(bundle: &Bundle, world: &World) -> Facts {
    verify(bundle, &Policy::strict(&world.registry)).unwrap().into_inner()
}

/// The shapes that carry a subject whole: those of a block show no entry.
fn shapes(bundle: &Bundle) -> &'static [Shape] {
    match bundle.statement.subject {
        ProofSubject::Block => &Shape::ALL,
        _ => &[Shape::V5, Shape::Blob],
    }
}

fn check(body: &Value, world: &World) -> Result<CheckedBody, CheckError> {
    let policy = Policy::strict(&world.registry);
    check_body(body.to_string().as_bytes(), &policy, Some(&world.root(1)))
}

#[test]
fn every_shape_of_every_subject_reads_back_and_holds() {
    let world = log();
    for (name, bundle) in proofs(&world) {
        let facts = facts(&bundle, &world);
        for shape in shapes(&bundle) {
            let body = render(&bundle, &facts, *shape);
            assert_eq!(Shape::of(&body), Some(*shape), "{name}");
            assert_eq!(parse(&body).as_ref(), Ok(&bundle), "{name} {shape:?}");
            let checked = check(&body, &world).unwrap();
            assert_eq!((checked.bundle, checked.unproven), (bundle.clone(), vec![]), "{name}");
            assert_eq!(*checked.facts, facts);
        }
        let policy = Policy::strict(&world.registry);
        let checked = check_body(&bundle.encode(), &policy, Some(&world.root(1))).unwrap();
        assert_eq!(*checked.facts, facts);
    }
}

/// The block under an entry is a block answer of its own, and so are the block's shapes.
#[test]
fn the_block_of_an_entry_stands_alone() {
    let world = log();
    for (name, bundle) in proofs(&world).into_iter().filter(|(_, bundle)| bundle.entry.is_some()) {
        let facts = facts(&bundle, &world);
        let body = render(&bundle, &facts, Shape::V5);
        let alone = [
            body["block"].clone(),
            render(&bundle, &facts, Shape::KvBlock),
            render(&bundle, &facts, Shape::LambdaBlock),
        ];
        for block in alone {
            let checked = check(&block, &world).unwrap();
            assert_eq!(checked.bundle.block, bundle.block, "{name}");
            assert_eq!(checked.facts.statement.subject, ProofSubject::Block);
        }
    }
}

#[test]
fn levels_below_five_read_back_and_say_how_far_they_go() {
    let world = log();
    let policy = Policy::strict(&world.registry);
    for (name, bundle) in proofs(&world) {
        for level in ProofLevel::ALL {
            let short = bundle.clone().up_to(level);
            let facts = facts(&short, &world);
            for shape in shapes(&short) {
                let body = with_extras(render(&short, &facts, *shape), &facts, *shape);
                let checked = check_json(&body, &policy, None).unwrap();
                assert_eq!(checked.bundle, short, "{name} {level}");
                assert_eq!(body[shape.case().spell("proofLevel")], facts.level.number());
                let anchored = facts.level == ProofLevel::SuperRoot;
                let anchor = shape.case().spell("v5Anchor");
                assert_eq!(checked.unproven.contains(&anchor), !anchored);
            }
        }
    }
}

/// Nodes that show nothing at one index may show nothing at its neighbour: then the altered answer
/// is a true one about another place, and its facts say which.
fn is_another_absence(result: &Result<CheckedBody, CheckError>, bundle: &Bundle) -> bool {
    let Ok(checked) = result else { return false };
    let (ProofSubject::Absence { tx_index }, ProofSubject::Absence { tx_index: asked }) =
        (checked.facts.statement.subject, bundle.statement.subject)
    else {
        return false;
    };
    tx_index != asked && tx_index > 4
}

/// The key law: whatever leaf of an answer is altered, the answer is refused; unless the member is
/// one the proof does not speak for, and then it is named as such.
#[test]
fn no_altered_member_is_accepted_as_proven() {
    let world = log();
    let (mut refused, mut unproven) = (0, 0);
    for (name, bundle) in proofs(&world) {
        let facts = facts(&bundle, &world);
        for shape in shapes(&bundle) {
            let body = with_extras(render(&bundle, &facts, *shape), &facts, *shape);
            let named = check(&body, &world).unwrap().unproven;
            for pointer in pointers(&body) {
                let path = path_of(&pointer);
                let is_unproven = named.iter().any(|one| path.starts_with(one.as_str()));
                for value in altered(body.pointer(&pointer).unwrap()) {
                    let mut bent = body.clone();
                    *bent.pointer_mut(&pointer).unwrap() = value;
                    let result = check(&bent, &world);
                    if is_another_absence(&result, &bundle) {
                        continue;
                    }
                    let accepted = result.map(|checked| checked.unproven).ok();
                    let context = format!("{name} {shape:?} {pointer}");
                    assert_eq!(accepted.as_ref(), is_unproven.then_some(&named), "{context}");
                    refused += usize::from(!is_unproven);
                    unproven += usize::from(is_unproven);
                }
            }
        }
    }
    assert!(refused > 4_000 && unproven > 100, "{refused} refused, {unproven} unproven");
}

/// What is altered in a note, or in the path to it, is not signed by the log's key.
#[test]
fn no_altered_member_of_a_note_is_signed() {
    let world = log();
    let key = Signer::new(ORIGIN, KeyKind::Log, &[1; 32]).unwrap();
    let mut refused = 0;
    for (name, bundle) in proofs(&world) {
        let bundle = signed(&world, bundle);
        let facts = facts(&bundle, &world);
        for shape in shapes(&bundle) {
            let body = render(&bundle, &facts, *shape);
            let sign = |body: &Value| {
                let checked = check(body, &world).ok()?;
                let shown = checked.facts.check_signed(key.verifier(), &TrustPolicy::none());
                shown.ok().map(|checkpoint| checkpoint.size)
            };
            assert_eq!(sign(&body), Some(LogSize(2)), "{name} {shape:?}");
            let pointers = pointers(&body).into_iter();
            for pointer in pointers.filter(|pointer| pointer.contains("/note/")) {
                for value in altered(body.pointer(&pointer).unwrap()) {
                    let mut bent = body.clone();
                    *bent.pointer_mut(&pointer).unwrap() = value;
                    assert_eq!(sign(&bent), None, "{name} {shape:?} {pointer}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 50, "{refused}");
}

/// A member left out is a proof that says less, or none; it never shows anything else.
#[test]
fn a_member_left_out_shows_less_or_nothing() {
    let world = log();
    let policy = Policy::strict(&world.registry);
    for (name, bundle) in proofs(&world) {
        let facts = facts(&bundle, &world);
        for shape in shapes(&bundle) {
            let body = render(&bundle, &facts, *shape);
            let members: Vec<String> = body.as_object().unwrap().keys().cloned().collect();
            for member in members {
                for null in [false, true] {
                    let mut less = body.clone();
                    if null {
                        less[&member] = Value::Null;
                    } else {
                        less.as_object_mut().unwrap().remove(&member);
                    }
                    let Ok(checked) = check_json(&less, &policy, None) else { continue };
                    let context = format!("{name} without {member}");
                    assert!(checked.facts.level <= facts.level, "{context}");
                    assert_eq!(checked.bundle.statement, bundle.statement, "{context}");
                }
            }
        }
    }
}

/// The text is the rendered proof, each member once, with what is said beside it and the names of all that no hash shows.
#[test]
fn an_answer_says_what_its_proof_shows_and_names_the_rest() {
    let world = log();
    for (name, bundle) in proofs(&world) {
        let facts = facts(&bundle, &world);
        for shape in Shape::ALL {
            let members = json!({ shape.case().spell("anchorStatus"): "anchored" });
            let members = members.as_object().unwrap().clone();
            let beside =
                BesideEvent { log_index_in_block: Some(7), transaction_hash: Some(Hash([7; 32])) };
            let base = BaseText::of(&bundle, &facts, shape, beside);
            let text = render_answer(&bundle, &facts, shape, &base, (&members, &["anchorStatus"]));
            let answer = superroot_wire::parse_json(&text).unwrap(); // refuses a name that stands twice
            let mut expected = render(&bundle, &facts, shape);
            let mut not_proven = vec![json!(shape.case().spell("anchorStatus"))];
            if let Some(event) = expected.get_mut("event") {
                event["logIndexInBlock"] = json!(7);
                not_proven.push(json!("event.logIndexInBlock"));
                not_proven.extend(unshown(&facts).iter().map(|name| json!(name)));
            }
            // of a proof that holds the transaction its hash is what that hashes to
            let logs = expected.pointer_mut("/receipt/logs").and_then(Value::as_array_mut);
            if let Some(logs) = logs.filter(|_| facts.transaction.is_none()) {
                logs.iter_mut().for_each(|log| log["transactionHash"] = json!(Hash([7; 32])));
                not_proven.push(json!("receipt.logs.transactionHash"));
            }
            let claimed = CLAIMED_WITH_INDEX.map(|name| shape.case().spell(name));
            let claimed = claimed.iter().filter(|name| expected.get(name).is_some());
            not_proven.extend(claimed.filter(|_| !facts.index_bound).map(|name| json!(name)));
            let count = shape.case().spell("transactionCount");
            if facts.tx_count.is_none() && expected.get(&count).is_some() {
                not_proven.push(json!(count));
            }
            expected.as_object_mut().unwrap().extend(members);
            expected[shape.case().spell("notProven")] = Value::from(not_proven);
            assert_eq!(answer, expected, "{name} {shape:?}");
        }
    }
}

/// What a proof does not show may not be said in its answer under a name that proofs use.
#[test]
fn names_of_proven_members_are_reserved() {
    let world = log();
    let all: Vec<Value> = proofs(&world)
        .iter()
        .flat_map(|(_, bundle)| {
            let facts = facts(bundle, &world);
            let render = |shape: &Shape| case::convert(render(bundle, &facts, *shape), Case::Camel);
            Shape::ALL.iter().map(render).collect::<Vec<_>>()
        })
        .collect();
    let mut smuggled = 0;
    for (name, bundle) in proofs(&world) {
        let facts = facts(&bundle, &world);
        let own = render(&bundle, &facts, Shape::V5);
        for (member, value) in all.iter().flat_map(|body| body.as_object().unwrap()) {
            if own.get(member).is_some() || value.is_null() {
                continue;
            }
            for case in [Case::Camel, Case::Snake] {
                let mut body = own.clone();
                body[case.spell(member)] = value.clone();
                let error = check(&body, &world).unwrap_err();
                // a second trie or place is read as part of the proof, and does not fit
                assert!(
                    error.is_false() || member == "blockReference" || member == "miniMmr",
                    "{name} {member}: {error}"
                );
                smuggled += 1;
            }
        }
    }
    assert!(smuggled > 100);
}

#[test]
fn both_spellings_of_one_name_are_held_against_the_proof() {
    let world = log();
    let (_, bundle) = proofs(&world).remove(0);
    let body = render(&bundle, &facts(&bundle, &world), Shape::V5);
    for (member, ok) in [(json!("0x00"), false), (body["blockHash"].clone(), true)] {
        let mut both = body.clone();
        both["block_hash"] = member;
        assert_eq!(check(&both, &world).is_ok(), ok);
    }
    let twice = body.to_string().replacen('{', r#"{"blockHash":"0x00","#, 1);
    let policy = Policy::strict(&world.registry);
    let error = check_body(twice.as_bytes(), &policy, None).unwrap_err();
    assert!(matches!(error, CheckError::Unusable(WireError::Json { .. })), "{error}");
}

#[test]
fn hex_is_read_in_any_case() {
    let world = log();
    for (name, bundle) in proofs(&world) {
        let body = render(&bundle, &facts(&bundle, &world), Shape::V5);
        let mut upper = body.clone();
        for pointer in pointers(&body) {
            if let Some(Value::String(text)) = upper.pointer_mut(&pointer)
                && let Some(digits) = text.strip_prefix("0x")
            {
                *text = format!("0x{}", digits.to_uppercase());
            }
        }
        assert_ne!(upper, body);
        assert_eq!(check(&upper, &world).unwrap().bundle, bundle, "{name}");
    }
}

#[test]
fn garbage_and_falsehood_are_told_apart() {
    let world = log();
    let policy = Policy::strict(&world.registry);
    let (_, bundle) = proofs(&world).remove(0);
    let body = render(&bundle, &facts(&bundle, &world), Shape::V5);
    for garbage in
        ["", "[]", "{}", "null", "SRPROOF", r#"{"chainId": 1}"#, r#"{"proof_blob": "0x00"}"#]
    {
        let error = check_body(garbage.as_bytes(), &policy, None).unwrap_err();
        assert!(!error.is_false() && error.step().is_none(), "{garbage}: {error}");
    }
    let error = check_json(&body, &policy, Some(&Hash([1; 32]))).unwrap_err();
    assert!(error.is_false());
    assert_eq!(error.step(), Some(ProofStep::Anchor));
    let mut bent = body.clone();
    bent["twig"]["siblings"][3] = json!(Hash([1; 32]));
    let error = check_json(&bent, &policy, None).unwrap_err();
    assert_eq!(error.step(), Some(ProofStep::Level(ProofLevel::Twig)));
    let mut bent = body.clone();
    bent["header"]["gasUsed"] = json!("0x1");
    let error = check_json(&bent, &policy, None).unwrap_err();
    assert!(error.is_false());
    let said = r#"member header.gasUsed says "0x1", proven is "0xf618""#;
    assert_eq!(error.to_string(), said);
    let mut bent = body;
    bent["twig"]["siblings"][3] = json!("0x12");
    let error = check_json(&bent, &policy, None).unwrap_err();
    assert!(error.to_string().starts_with(r#"member twig.siblings[3] is "0x12""#), "{error}");
}

#[test]
fn the_transaction_is_read_from_the_proven_bytes() {
    let world = log();
    let (_, bundle) = proofs(&world).remove(2);
    let body = render(&bundle, &facts(&bundle, &world), Shape::V5);
    assert_eq!(body["transaction"]["from"], "0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f");
    assert_eq!(body["transaction"]["hash"], body["transactionHash"]);
    assert_eq!(body["transaction"]["blockHash"], body["block"]["blockHash"]);
    assert_eq!(body["transaction"]["transactionIndex"], "0x1");
    assert_eq!(body["receipt"]["cumulativeGasUsed"], "0xa410");
    assert_eq!(body["receipt"]["logs"].as_array().map(Vec::len), Some(1));
}

#[test]
fn shapes_stay_as_they_are() {
    let world = log();
    let mut settings = insta::Settings::clone_current();
    settings.set_sort_maps(true);
    let _bound = settings.bind_to_scope();
    for (name, bundle) in proofs(&world) {
        let facts = facts(&bundle, &world);
        insta::assert_json_snapshot!(format!("v5_{name}"), render(&bundle, &facts, Shape::V5));
        if name == "block_sealed" {
            insta::assert_json_snapshot!("kv_block", render(&bundle, &facts, Shape::KvBlock));
            insta::assert_json_snapshot!(
                "lambda_block",
                render(&bundle, &facts, Shape::LambdaBlock)
            );
            insta::assert_json_snapshot!("blob_block", render(&bundle, &facts, Shape::Blob));
        }
        if name == "event_sealed" {
            insta::assert_json_snapshot!("blob_event", render(&bundle, &facts, Shape::Blob));
            let short = bundle.up_to(ProofLevel::Entry);
            let facts = verify(&short, &Policy::strict(&world.registry)).unwrap();
            insta::assert_json_snapshot!("v5_event_level_1", render(&short, &facts, Shape::V5));
        }
    }
}

mod random {
    use super::*;
    use proptest::prelude::*;

    fn json() -> impl Strategy<Value = Value> {
        let names =
            "(chainId|chain_id|proofKind|siblings|twig|blockHeader|blockHash|event|[a-z]{1,4})";
        let scalar = prop_oneof![
            Just(Value::Null),
            any::<u64>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "(0x[0-9a-f]{0,70}|block|event|evm|.{0,8})".prop_map(Value::from),
        ];
        scalar.prop_recursive(4, 64, 8, move |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
                proptest::collection::hash_map(names, inner, 0..8)
                    .prop_map(|members| members.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn no_json_is_a_proof_by_chance_and_none_panics(body in json()) {
            let registry = fixture::world::registry();
            let policy = Policy::strict(&registry);
            prop_assert!(check_json(&body, &policy, None).is_err());
            prop_assert!(expand_batch(&body).is_err());
            prop_assert!(superroot::parse_blob(&body).is_err());
            prop_assert!(superroot::parse_consistency(&body).is_err());
        }
    }
}
