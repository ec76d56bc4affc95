//! `superroot trust`: what is pinned, and what moves a pin.

use crate::service::Answers;
use crate::world::{self, World};
use crate::*;
use serde_json::{Value, json};
use superroot_proof::bundle::Subject;
use superroot_proof::consistency::Blob;
use superroot_types::*;
use superroot_wire::superroot::body::{Publication, SuperRootPage};
use superroot_wire::superroot::*;
use superroot_wire::{Case, Shape, case};

/// The page of a SuperRoot as the service gives it.
fn page(world: &World, sequence: usize) -> Value {
    let blob = &world.published[sequence].blob;
    let (registry_root, chains) = (blob.registry.root(), Vec::new());
    let Blob { super_root, mini_mmrs, history, .. } = blob;
    let page = SuperRootPage::new(
        world::ORIGIN,
        super_root,
        mini_mmrs,
        chains,
        history,
        registry_root,
        Publication::default(),
    );
    case::write(&page, Case::Camel)
}

fn consistency_path(strength: Strength) -> String {
    format!("/v5/superroot/consistency?from=0&to=1&strength={strength}")
}

fn pin(bench: &Bench, world: &World, sequence: usize) -> Output {
    let (root, sequence) = (world.root(sequence).to_string(), sequence.to_string());
    let origin = ["--origin", world::ORIGIN, "--superroot", &root, "--sequence", &sequence];
    bench.run(&[&["trust", "pin"], &origin[..]].concat())
}

fn update(bench: &Bench, url: &str, flags: &[&str]) -> Output {
    bench.run(&[&["trust", "update", "--url", url], flags].concat())
}

const STORE: &str = ".config/superroot/trust.toml";

#[test]
fn a_pin_makes_a_proof_true_until_it_is_removed() {
    let (bench, world) = (Bench::new(), small_world());
    let file = bench.write("proof", sealed(&world, Subject::Block).encode());
    bench.run(&["trust", "list"]).expect(0, &["nothing is trusted yet"]);
    bench.run(&["verify", &file]).expect(2, &["NOT ANCHORED"]);
    pin(&bench, &world, 1).expect(0, &["pinned SuperRoot 1 of simulated/world", "not checked"]);
    pin(&bench, &world, 0).expect(0, &["pinned"]);
    let root = world.root(1).to_string();
    bench.run(&["trust", "list"]).expect(0, &["simulated/world  simulated", "SuperRoot 0", &root]);
    bench.run(&["verify", &file]).expect(0, &["TRUE", STORE]);
    let remove = |flags: &[&str]| {
        bench.run(&[&["trust", "remove", "--origin", world::ORIGIN], flags].concat())
    };
    remove(&["--sequence", "7"]).expect(2, &["nothing like that is pinned"]);
    remove(&["--sequence", "1"]).expect(0, &["removed 1 pin of"]);
    bench.run(&["verify", &file]).expect(2, &["NOT ANCHORED"]);
    bench.run(&["trust", "list"]).expect(0, &[&world.root(0).to_string()]);
    pin(&bench, &world, 1).expect(0, &["pinned"]);
    remove(&[]).expect(0, &["removed 2 pins of"]);
    bench.run(&["trust", "list"]).expect(0, &["nothing is trusted yet"]);
}

#[test]
fn a_pin_is_checked_with_the_service_where_one_is_named() {
    let (bench, world) = (Bench::new(), small_world());
    let url = Answers::default().with("/v5/superroot/1", &page(&world, 1)).serve();
    let (good, bad) = (world.root(1).to_string(), Hash([7; 32]).to_string());
    let pin = |flags: &[&str], root: &str, sequence: &str| {
        let always = ["trust", "pin", "--superroot", root, "--sequence", sequence];
        bench.run(&[&always[..], flags].concat())
    };
    pin(&["--url", &url, "--origin", world::ORIGIN], &bad, "1").expect(1, &["REFUSED", &good]);
    pin(&["--url", &url, "--origin", "log.example.org"], &good, "1").expect(1, &["REFUSED"]);
    pin(&["--url", &url, "--origin", world::ORIGIN], &good, "2").expect(2, &["404"]);
    // nobody pins made-up chains without having named them
    let unnamed = pin(&["--url", &url], &good, "1");
    unnamed.expect(2, &["this log is simulated", "--origin simulated/world"]);
    pin(&[], &good, "1").expect(2, &["--url"]);
    pin(&["--origin", "a b"], &good, "1").expect(2, &["an origin is"]);
    assert_eq!(bench.names(), Vec::<String>::new(), "nothing was pinned");
    let named = pin(&["--url", &url, "--origin", world::ORIGIN], &good, "1");
    named.expect(0, &["the hash binds the log and the sequence"]);
}

#[test]
fn a_pin_moves_on_by_a_verified_consistency_proof() {
    let world = small_world();
    for (strength, flags) in
        [(Strength::Full, &[][..]), (Strength::History, &["--strength", "history"])]
    {
        let bench = Bench::new();
        let answer = render_consistency(&consistency(&world, strength), Case::Camel);
        let url = Answers::default()
            .with("/v5/superroot", &page(&world, 1))
            .with(&consistency_path(strength), &answer)
            .serve();
        update(&bench, &url, flags).expect(2, &["is not in the trust store"]);
        pin(&bench, &world, 0).expect(0, &[]);
        let words =
            format!("moved from SuperRoot 0 to 1 of simulated/world, consistency {strength}");
        update(&bench, &url, flags).expect(0, &[&words]);
        update(&bench, &url, flags).expect(0, &["SuperRoot 1 of simulated/world is the newest"]);
        let file = bench.write("proof", body(&open(&world), Shape::V5).to_string());
        bench.run(&["verify", &file]).expect(0, &["TRUE"]);
    }
}

#[test]
fn a_service_that_forked_or_fell_behind_moves_nothing() {
    let (bench, world) = (Bench::new(), small_world());
    pin(&bench, &world, 1).expect(0, &[]);
    let before = bench.read(STORE);
    let behind = Answers::default().with("/v5/superroot", &page(&world, 0)).serve();
    update(&bench, &behind, &[]).expect(2, &["at SuperRoot 0, behind your pin 1"]);
    let mut liar = World::new();
    liar.registry = registry().clone();
    liar.extend(world::ETHEREUM, 4096..=4100, |_| 1);
    liar.publish(1_700_000_000);
    liar.publish(1_700_000_012);
    let forked = Answers::default().with("/v5/superroot", &page(&liar, 1)).serve();
    update(&bench, &forked, &[]).expect(1, &["REFUSED", "the log has forked"]);
    let mut relabelled = page(&world, 1);
    relabelled["timestamp"] = json!(1);
    let relabelled = Answers::default().with("/v5/superroot", &relabelled).serve();
    update(&bench, &relabelled, &[]).expect(2, &["the page hashes to"]);
    assert_eq!(bench.read(STORE), before);
}
