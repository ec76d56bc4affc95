//! Laws of SuperRoots as JSON: pages, blobs, consistency.

use crate::fixture;

use fixture::*;
use serde_json::{Value, json};
use superroot_proof::consistency::Blob;
use superroot_proof::superroot::mini_mmr_roots;
use superroot_types::*;
use superroot_wire::superroot::body::{Publication, ReferenceRow, SuperRootPage};
use superroot_wire::superroot::*;
use superroot_wire::{Case, WireError};
use world::World;

/// A blob with its twigs.
fn answer(published: &world::Published) -> BlobAnswer {
    let world::Published { blob, appended, .. } = published.clone();
    BlobAnswer { blob, appended_count: appended.len() as u64, appended: Some(appended) }
}

fn snapshot_settings() -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_sort_maps(true);
    settings
}

fn page(world: &World, case: Case) -> Value {
    let blob = &world.published[1].blob;
    let chains = blob.registry.rows().iter().enumerate().map(|(row, profile)| {
        let reference = blob.references.iter().find(|(at, _)| usize::from(*at) == row);
        let reference = reference.map(|(_, reference)| reference);
        let status = if reference.is_some() { "following" } else { "not_followed" };
        let timestamp = reference.map(|_| UnixSeconds(1_700_000_000));
        let (name, lag_seconds) = (profile.caip2.clone(), reference.map(|_| 12));
        ReferenceRow::new(profile.chain, name, status, reference, timestamp, lag_seconds)
    });
    let (chains, registry_root) = (chains.collect(), blob.registry.root());
    let Blob { super_root, mini_mmrs, history, .. } = blob;
    let page = SuperRootPage::new(
        world::ORIGIN,
        super_root,
        (mini_mmrs, &mini_mmr_roots(mini_mmrs)),
        chains,
        history,
        registry_root,
        Publication::default(),
    );
    superroot_wire::case::write(&page, case)
}

#[test]
fn the_page_shows_the_super_root_in_both_spellings() {
    let world = log();
    let (camel, snake) = (Case::Camel, Case::Snake);
    let page = page(&world, camel);
    assert_eq!(page["superRootHash"], json!(world.root(1)));
    assert_eq!(page["miniMmrs"].as_array().map(Vec::len), Some(9));
    assert_eq!(page["blockReferences"][2]["hash"], Value::Null);
    let other = self::page(&world, snake);
    assert_eq!(other["mini_mmrs"][0]["leaf_count"], 1);
    assert_eq!(superroot_wire::case::convert(other, camel), page);
    snapshot_settings().bind(|| insta::assert_json_snapshot!("super_root", page));
}

#[test]
fn a_blob_reads_back_in_both_spellings() {
    let world = log();
    for published in &world.published {
        for case in [Case::Camel, Case::Snake] {
            let (answer, unproven) = parse_blob(&render_blob(&answer(published), case)).unwrap();
            assert_eq!(answer, self::answer(published));
            assert!(unproven.is_empty(), "{unproven:?}");
            answer.blob.check().unwrap();
        }
    }
    let body = render_blob(&answer(&world.published[1]), Case::Snake);
    snapshot_settings().bind(|| insta::assert_json_snapshot!("blob_of_super_root", body));
}

#[test]
fn no_altered_member_of_a_blob_is_accepted() {
    let world = log();
    let body = render_blob(&answer(&world.published[1]), Case::Snake);
    let mut refused = 0;
    for pointer in pointers(&body) {
        for value in altered(body.pointer(&pointer).unwrap()) {
            let mut bent = body.clone();
            *bent.pointer_mut(&pointer).unwrap() = value;
            let accepted = parse_blob(&bent).is_ok_and(|(answer, _)| {
                // which twigs were sealed since the SuperRoot before, only the blob before shows
                answer.blob.check().is_ok() && !pointer.starts_with("/appended_twigs")
            });
            assert!(!accepted, "{pointer}");
            refused += 1;
        }
    }
    assert!(refused > 500, "{refused}");
}

fn proofs_of_every_strength(world: &World) -> Vec<ConsistencyAnswer> {
    let world::Full { proof, appended } = world.consistency(0, 1);
    vec![
        Consistency::Upgrade(Box::new(proof.history.upgrade.clone())).into(),
        Consistency::History(Box::new(proof.history.clone())).into(),
        ConsistencyAnswer { proof: Consistency::Full(Box::new(proof)), appended: Some(appended) },
    ]
}

#[test]
fn consistency_of_every_strength_reads_back_and_holds() {
    let world = log();
    let (from, to) = (world.root(0), world.root(1));
    for (proof, strength) in proofs_of_every_strength(&world).into_iter().zip(Strength::ALL) {
        assert_eq!((proof.proof.strength(), strength.name().parse()), (strength, Ok(strength)));
        for case in [Case::Camel, Case::Snake] {
            let body = render_consistency(&proof, case);
            let (read, unproven) = parse_consistency(&body).unwrap();
            assert_eq!(read, proof);
            assert!(unproven.is_empty(), "{unproven:?}");
            assert_eq!((read.proof.from().hash(), read.proof.to().hash()), (from, to));
            read.verify(&from, &to).unwrap();
            assert!(read.verify(&to, &from).is_err());
        }
    }
}

#[test]
fn no_altered_member_of_a_consistency_proof_is_accepted() {
    let world = log();
    let (from, to) = (world.root(0), world.root(1));
    for proof in proofs_of_every_strength(&world) {
        let body = render_consistency(&proof, Case::Camel);
        for pointer in pointers(&body) {
            for value in altered(body.pointer(&pointer).unwrap()) {
                let mut bent = body.clone();
                *bent.pointer_mut(&pointer).unwrap() = value;
                let read = parse_consistency(&bent);
                let accepted = read.is_ok_and(|(answer, _)| answer.verify(&from, &to).is_ok());
                assert!(!accepted, "{pointer} of strength {}", proof.proof.strength());
            }
        }
    }
}

#[test]
fn a_full_proof_names_the_twigs_that_were_appended() {
    let world = log();
    let proof = proofs_of_every_strength(&world).remove(2);
    let twig = world.published[1].appended[0];
    let body = render_consistency(&proof, Case::Snake);
    let named = json!([{
        "chain_id": 1, "family": "evm", "twig_index": 2, "twig_root": twig.twig_root,
    }]);
    assert_eq!(body["appended_twigs"], named);
    for (value, expected) in
        [(json!({}), "member appended_twigs is "), (json!([[]]), "member appended_twigs[0]")]
    {
        let mut bent = body.clone();
        bent["appended_twigs"] = value;
        let error = parse_consistency(&bent).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn what_follows_from_the_rest_is_recomputed() {
    let world = log();
    let mut body = render_blob(&answer(&world.published[0]), Case::Snake);
    body["slots"][63] = json!(Hash([1; 32]));
    let error = parse_blob(&body).unwrap_err();
    assert!(matches!(&error, WireError::Disagreement(at) if at.member == "slots[63]"), "{error}");
    let mut body = render_blob(&answer(&world.published[0]), Case::Snake);
    body["registry"][1]["chain_id"] = json!(1);
    let error = parse_blob(&body).unwrap_err();
    assert!(error.to_string().starts_with("member registry is "), "{error}");
    assert!(error.is_false(), "a log that commits to one chain twice breaks its rules: {error}");
}

/// Where twigs are many they come in pages: what carries none shows nothing before those came.
#[test]
fn twigs_that_are_left_out_are_due() {
    let world = log();
    let (from, to) = (world.root(0), world.root(1));
    let mut whole = proofs_of_every_strength(&world).remove(2);
    let twigs = whole.appended.take().unwrap();
    for case in [Case::Camel, Case::Snake] {
        let mut body = render_consistency(&whole, case);
        assert_eq!(body[case.spell("appendedTwigs")], Value::Null);
        assert_eq!(body[case.spell("appendedTwigCount")], 1);
        let (read, _) = parse_consistency(&body).unwrap();
        assert_eq!(read, whole);
        assert!(read.verify(&from, &to).is_err());
        let mut appending = read.begin(&from, &to).unwrap();
        assert_eq!(appending.due(), Some((Family::Evm, LeafIndex(0)..LeafIndex(1))));
        let page = Twigs { family: Family::Evm, from: 0, twigs: twigs.clone() };
        let page = parse_twig_page(&render_twigs(&page, case)).unwrap();
        appending.take_all(&page.twigs).unwrap();
        appending.finish().unwrap();
        body[case.spell("appendedTwigCount")] = json!(2);
        assert!(parse_consistency(&body).is_err());
    }
    let mut blob = answer(&world.published[1]);
    blob.appended = None;
    let mut body = render_blob(&blob, Case::Snake);
    assert_eq!(parse_blob(&body).unwrap().0, blob);
    body["appended_twigs"] = json!([]);
    let error = parse_blob(&body).unwrap_err().to_string();
    assert!(error.contains("appended_twig_count is 1"), "{error}");
}

#[test]
fn members_that_nothing_speaks_for_are_listed() {
    let world = log();
    let mut blob = render_blob(&answer(&world.published[1]), Case::Snake);
    blob["v5_anchor"] = json!({});
    blob["super_root"]["signed"] = json!(true);
    let (_, mut unproven) = parse_blob(&blob).unwrap();
    unproven.sort();
    assert_eq!(unproven, ["super_root.signed", "v5_anchor"]);
    for proof in proofs_of_every_strength(&world) {
        let mut body = render_consistency(&proof, Case::Camel);
        body["to"]["final"] = json!(true);
        let (_, unproven) = parse_consistency(&body).unwrap();
        assert_eq!(unproven, ["to.final"]);
    }
}
