//! Laws of tiles: a reader of another implementation recomputes each checkpoint's root from them, and
//! finds every SuperRoot in them.

use crate::support;

use std::collections::{BTreeMap, HashMap};

use superroot_proof::note::{Checkpoint, TrustPolicy};
use superroot_proof::superroot::SuperRoot;
use superroot_types::{LogSize, Sequence};
use support::*;
use tlog_tiles::tile::{Tile, TileHashReader, TileReader};
use tlog_tiles::tlog::{
    self, check_record, check_tree, prove_record, prove_tree, record_hash, tree_hash,
};

/// Tiles that were fetched, by the path of the other implementation.
struct Fetched(HashMap<String, Vec<u8>>);

impl TileReader for Fetched {
    fn height(&self) -> u8 {
        8
    }

    fn read_tiles(&self, tiles: &[Tile]) -> Result<Vec<Vec<u8>>, tlog::Error> {
        Ok(tiles.iter().map(|tile| self.0[&tile.path()].clone()).collect())
    }

    fn save_tiles(&self, _: &[Tile], _: &[Vec<u8>]) {}
}

/// Its paths begin with the height, which C2SP fixes.
fn path_of(tile: &Tile) -> String {
    format!("/v5/{}", tile.path().replacen("tile/8/", "tile/", 1))
}

async fn bytes(world: &World, path: &str) -> Vec<u8> {
    let reply = world.get(path).await;
    assert_eq!(reply.status, 200, "{path}: {}", String::from_utf8_lossy(&reply.bytes));
    assert_eq!(reply.header("content-type"), "application/octet-stream");
    assert_eq!(reply.header("cache-control"), "public, max-age=31536000, immutable");
    reply.bytes
}

/// What the checkpoint of that size says.
async fn checkpoint(world: &World, size: u64) -> Checkpoint {
    let reply = world.get(&format!("/v5/checkpoint?sequence={}", size - 1)).await;
    let note = String::from_utf8(reply.bytes).unwrap();
    Checkpoint::of_note(&note, log_key(ORIGIN).verifier(), &TrustPolicy::none()).unwrap()
}

/// A log of that many SuperRoots.
fn log(count: u64) -> World {
    let mut world = World::empty(unlimited(), 1 << 20);
    for number in 0..count {
        world.extend(number..=number, true);
        world.step(100 + number);
    }
    world
}

/// Entries of a bundle, each after its length.
fn split(mut bundle: &[u8]) -> Vec<&[u8]> {
    let mut entries = Vec::new();
    while let Some((length, rest)) = bundle.split_first_chunk::<2>() {
        let (entry, rest) = rest.split_at(u16::from_be_bytes(*length).into());
        entries.push(entry);
        bundle = rest;
    }
    entries
}

#[tokio::test]
async fn a_reader_of_another_implementation_recomputes_every_checkpoint() {
    let world = log(261);
    let mut roots = BTreeMap::new();
    let mut fetched = Fetched(HashMap::new());
    for size in [1, 2, 3, 255, 256, 257, 260, 261] {
        for tile in Tile::new_tiles(8, 0, size) {
            fetched.0.insert(tile.path(), bytes(&world, &path_of(&tile)).await);
        }
        let signed = checkpoint(&world, size).await;
        assert_eq!(signed.size, LogSize(size));
        roots.insert(size, tlog::Hash(signed.root.0));
    }
    assert!(fetched.0.contains_key("tile/8/0/000") && fetched.0.contains_key("tile/8/1/000.p/1"));
    for (&size, &root) in &roots {
        // each hash that it reads is checked against the root of the checkpoint
        let reader = TileHashReader::new(size, root, &fetched);
        assert_eq!(tree_hash(size, &reader).unwrap(), root, "{size}");
        for (&older, &older_root) in roots.range(..size) {
            let proof = prove_tree(size, older, &reader).unwrap();
            check_tree(&proof, size, root, older, older_root).unwrap();
        }
    }
    let (full, rest) = (
        bytes(&world, "/v5/tile/entries/000").await,
        bytes(&world, "/v5/tile/entries/001.p/5").await,
    );
    let entries = [split(&full), split(&rest)].concat();
    assert_eq!((full.len(), entries.len()), (256 * 84, 261));
    let reader = TileHashReader::new(261, roots[&261], &fetched);
    for (sequence, entry) in (0..).zip(entries) {
        let proof = prove_record(261, sequence, &reader).unwrap();
        check_record(&proof, 261, roots[&261], sequence, record_hash(entry)).unwrap();
        assert_eq!(SuperRoot::decode(entry).unwrap().sequence, Sequence(sequence));
    }
    let page = world.get("/v5/superroot/260").await.good();
    let last = SuperRoot::decode(split(&rest)[4]).unwrap();
    assert_eq!(page["superRootHash"], last.hash().to_string());
}

/// A part of a tile is its beginning, and stays what it was when the log grows.
#[tokio::test]
async fn what_was_given_out_never_changes() {
    let mut world = log(9);
    let mut given = Vec::new();
    for kind in ["0", "entries"] {
        for width in 1..=9 {
            let path = format!("/v5/tile/{kind}/000.p/{width}");
            given.push((path.clone(), bytes(&world, &path).await));
        }
    }
    assert_eq!(given[8].1[..3 * 32], given[2].1, "a narrow one begins the wide one");
    world.extend(9..=9, true);
    world.step(200);
    for (path, before) in given {
        assert_eq!(bytes(&world, &path).await, before, "{path}");
    }
}

#[tokio::test]
async fn what_is_no_tile_of_the_log_is_refused() {
    let world = log(3);
    for path in [
        "/v5/tile/0/000",
        "/v5/tile/0/000.p/4",
        "/v5/tile/0/001.p/1",
        "/v5/tile/1/000.p/1",
        "/v5/tile/7/000.p/1",
        "/v5/tile/8/000.p/1",
        "/v5/tile/63/x999/x999/x999/x999/999",
        "/v5/tile/entries/000",
        "/v5/tile/entries/000.p/4",
        "/v5/tile/entries/x999/x999/x999/x999/999.p/255",
    ] {
        let problem = world.get(path).await.problem(404, "unknown_superroot");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("the log has 3 entries"), "{detail}");
    }
    for (path, parameter) in [
        ("/v5/tile/64/000", "level"),
        ("/v5/tile/00/000", "level"),
        ("/v5/tile/+1/000", "level"),
        ("/v5/tile/x/000", "level"),
        ("/v5/tile/0/0", "index"),
        ("/v5/tile/0/000.p/256", "index"),
        ("/v5/tile/0/000.p/0", "index"),
        ("/v5/tile/0/x000/001", "index"),
        ("/v5/tile/entries/000.p/", "index"),
        ("/v5/tile/entries/%00", "index"),
    ] {
        let problem = world.get(path).await.problem(400, "invalid_parameter");
        assert_eq!(problem["parameter"], parameter, "{path}");
    }
    World::empty(unlimited(), 0).get("/v5/tile/0/000").await.problem(503, "starting");
}
