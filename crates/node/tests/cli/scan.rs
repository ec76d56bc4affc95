//! `superroot prove absence-of`, `events-of`, and `verify` of what they write.

use crate::service::Answers;
use crate::world::{ETHEREUM, World};
use crate::*;
use superroot_proof::bundle::Policy;
use superroot_proof::note::{KeyKind, Signer};
use superroot_proof::scan::{Scan, ScanFilter, verify};
use superroot_types::Address;
use superroot_wire::scan::ScanShown;
use superroot_wire::{Case, case};

const NOBODY: &str = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
const THREE: &str = "0x0303030303030303030303030303030303030303";

fn of(address: &str) -> ScanFilter {
    let address: Address = address.parse().unwrap();
    ScanFilter::new(vec![address], Default::default(), vec![]).unwrap()
}

fn scan(world: &World, address: &str, range: (u64, u64)) -> Scan {
    world.scan(ETHEREUM, range, &of(address), false, 1)
}

fn path(address: &str, from: u64, to: u64) -> String {
    format!("/v5/scan/1?fromBlock={from}&toBlock={to}&address={address}")
}

fn prove(bench: &Bench, url: &str, args: &[&str]) -> Output {
    bench.run(&[&["prove", "--url", url], args].concat())
}

#[test]
fn an_absence_is_fetched_verified_written_and_checked_offline() {
    let (bench, world) = (Bench::new(), small_world());
    let root = world.root(1).to_string();
    let good = scan(&world, NOBODY, (4_100, 6_147));
    let url = Answers::default().with_bytes(&path(NOBODY, 4_100, 6_147), good.encode()).serve();
    let range = ["--chain", "ethereum", "--from", "4100", "--to", "6147"];
    let output = prove(&bench, &url, &[&["absence-of", NOBODY][..], &range].concat());
    let name = "ethereum-4100-6147-absence-eeeeeeee.srscan";
    let command = format!("superroot verify {name} --superroot {root}");
    output.expect(0, &["2048 blocks hang together", "wrote", name, &command, "other than this"]);
    assert_eq!(bench.names(), [name]);
    assert_eq!(bench.read(name), good.encode());
    let verified = bench.run(&["verify", name, "--superroot", &root]);
    let truth = format!("TRUE: there is no event of {NOBODY} in blocks 4100 to 6147 of Ethereum");
    let said =
        ["their bloom rules the events out", "chain's consensus", "without an event", &truth];
    verified.expect(0, &said);
    let json = bench.run(&["verify", name, "--superroot", &root, "--json"]).json();
    assert_eq!(
        (&json["valid"], &json["kind"], &json["shown"]["answer"]),
        (&true.into(), &"scan".into(), &"absent".into())
    );
    assert_eq!(json["statement"]["addresses"][0], NOBODY);
    // another SuperRoot, none, and a log that is not pinned
    let other = world.root(0).to_string();
    bench.run(&["verify", name, "--superroot", &other]).expect(1, &["FALSE"]);
    bench.run(&["verify", name]).expect(2, &["NOT ANCHORED"]);
    bench.run(&["inspect", name]).expect(2, &["superroot verify"]);
}

#[test]
fn a_longer_range_gives_a_file_a_page_under_one_super_root() {
    let (bench, world) = (Bench::new(), small_world());
    let [first, second] = [(4_096, 4_500), (4_501, 4_700)].map(|range| scan(&world, NOBODY, range));
    let next = format!("{}&sequence=1", path(NOBODY, 4_501, 4_700));
    let url = Answers::default()
        .with_bytes(&path(NOBODY, 4_096, 4_700), first.encode())
        .with_bytes(&next, second.encode())
        .serve();
    let args =
        ["absence-of", NOBODY, "--chain", "1", "--from", "4096", "--to", "4700", "-o", "a.srscan"];
    prove(&bench, &url, &args).expect(0, &["verify a.srscan", "verify a-2.srscan"]);
    assert_eq!(bench.names(), ["a-2.srscan", "a.srscan"]);
    let root = world.root(1).to_string();
    let words = "in blocks 4501 to 4700";
    bench.run(&["verify", "a-2.srscan", "--superroot", &root]).expect(0, &[words]);
}

#[test]
fn all_events_are_written_and_listed_and_are_no_absence() {
    let (bench, world) = (Bench::new(), small_world());
    let key = Signer::new(world::ORIGIN, KeyKind::Log, &[1; 32]).unwrap();
    let vkey = key.verifier().to_string();
    let mut good = scan(&world, THREE, (4_096, 4_110));
    good.last = good.last.with_note(world.note_path(1, 2, &[key]));
    let facts = verify(&good, &Policy::strict(registry())).unwrap();
    let page = case::write(&ScanShown::new(&good, &facts), Case::Camel);
    let asked = format!("{}&note=1", path(THREE, 4_096, 4_110));
    let url = Answers::default().with_bytes(&asked, good.encode()).serve();
    let range = ["--chain", "1", "--from", "4096", "--to", "4110"];
    let output = prove(&bench, &url, &[&["events-of", THREE][..], &range].concat());
    output.expect(0, &["6, and these are all", "block 4099, transaction 3, log 2", "--key VKEY"]);
    let name = "ethereum-4096-4110-events-03030303.srscan";
    bench.run(&["verify", name, "--key", &vkey]).expect(0, &["TRUE: the 6 events shown are all"]);
    let absence = prove(&bench, &url, &[&["absence-of", THREE][..], &range].concat());
    absence.expect(2, &["There are events", "first in block 4099", "events-of"]);
    assert_eq!(bench.names(), [name]);
    // as JSON, with a member that lies, and without
    let url = Answers::default().with(&asked, &page).serve();
    let args = [&["events-of", THREE, "--form", "json", "-o", "e.json"][..], &range].concat();
    prove(&bench, &url, &args).expect(0, &["verify e.json"]);
    bench.run(&["verify", "e.json", "--key", &vkey]).expect(0, &["TRUE"]);
    let mut bent = page;
    bent["events"].as_array_mut().unwrap().pop();
    bench.write("bent.json", bent.to_string());
    bench.run(&["verify", "bent.json", "--key", &vkey]).expect(1, &["FALSE: body: member events"]);
}

/// A service can leave a block's receipts out, shorten the range, or answer another question.
#[test]
fn what_is_false_or_was_not_asked_is_never_written() {
    let world = small_world();
    let good = scan(&world, THREE, (4_096, 4_110));
    let mut lacks = good.clone();
    lacks.receipts.pop();
    let mut skips = good.clone();
    skips.headers.remove(3);
    let mut bent = good.clone();
    bent.headers[3][200] ^= 1;
    for (said, why) in [
        (lacks, "receipts are missing"),
        (skips, "false scan"),
        (bent, "names"),
        (scan(&world, NOBODY, (4_096, 4_110)), "other events in blocks 4096"),
        (scan(&world, THREE, (4_097, 4_110)), "in blocks 4097 to 4110"),
        (scan(&world, THREE, (4_096, 4_111)), "in blocks 4096 to 4111"),
    ] {
        let bench = Bench::new();
        let url = Answers::default().with_bytes(&path(THREE, 4_096, 4_110), said.encode()).serve();
        let args = ["events-of", THREE, "--chain", "1", "--from", "4096", "--to", "4110"];
        let output = prove(&bench, &url, &args);
        let is_unread = output.code == 2 && output.err.contains("not judged");
        assert!(output.code == 1 || is_unread, "{output:?}");
        if !is_unread {
            output.expect(1, &["REFUSED", "not written", why]);
        }
        assert_eq!(bench.names(), Vec::<String>::new());
    }
}

#[test]
fn a_key_goes_with_the_request_and_its_lack_is_told() {
    let bench = Bench::new();
    let asked = path(THREE, 4_096, 4_110);
    let url = Answers::default()
        .with_problem(&asked, 401, "api_key_required", "this route needs a key")
        .serve();
    let range = ["--chain", "1", "--from", "4096", "--to", "4110"];
    let output = prove(&bench, &url, &[&["events-of", THREE][..], &range].concat());
    output.expect(2, &["401 api_key_required", "--api-key", "SUPERROOT_API_KEY"]);
    let none = prove(&bench, &url, &[&["events-of"][..], &range].concat());
    none.expect(2, &["required"]);
    let back = ["events-of", THREE, "--chain", "1", "--from", "9", "--to", "8"];
    prove(&bench, &url, &back).expect(2, &["--to 8 is before --from 9"]);
}
