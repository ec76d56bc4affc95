//! What a page of a scan costs to read and to check, against bare hashing of its bytes.

mod ratio;
#[path = "../tests/world/mod.rs"]
mod world;

use std::fmt;
use std::sync::OnceLock;

use divan::{Bencher, black_box};
use ratio::Ratios;
use superroot_proof::bundle::Policy;
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::evm::Bloom;
use superroot_proof::scan::{Scan, ScanFilter, verify_anchored};
use superroot_types::{Address, Hash};
use world::scan::BLOOM_AT;
use world::{Block, ETHEREUM, World, block};

/// Receipts of each block of the page of events; receipt `i` has `i` logs.
const RECEIPTS: u64 = 30;
/// Bits that are set in a bloom of the page of absence, of 2,048.
const BITS: u16 = 600;

/// A page, and its log.
struct Page {
    name: &'static str,
    scan: Scan,
    bytes: Vec<u8>,
    root: Hash,
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Whoever is asked for; no bloom of the page of absence has its first bit.
fn nobody() -> ScanFilter {
    ScanFilter::new(vec![Address([0xee; 20])], Default::default(), vec![]).unwrap()
}

/// A block without receipts whose bloom is as full as a busy chain's.
fn busy(number: u64, parent: Hash) -> Block {
    let mut bloom = Bloom::ZERO;
    for index in 0..BITS / 3 {
        bloom.insert(&[number.to_be_bytes().as_slice(), &index.to_be_bytes()].concat());
    }
    let [bit, ..] = Bloom::bits(&[0xee; 20]);
    bloom.0[255 - usize::from(bit >> 3)] &= !(1 << (bit & 7));
    let mut made = block(number, parent, 0);
    made.header[BLOOM_AT..BLOOM_AT + 256].copy_from_slice(&bloom.0);
    made
}

fn page(name: &'static str, world: &mut World, range: (u64, u64), filter: &ScanFilter) -> Page {
    let root = world.publish(1_700_000_000);
    let scan = world.scan(ETHEREUM, range, filter, false, 0);
    let bytes = scan.encode();
    Page { name, scan, bytes, root }
}

/// A page of absence, and one of all events of 16 blocks.
fn pages() -> &'static [Page] {
    static PAGES: OnceLock<[Page; 2]> = OnceLock::new();
    PAGES.get_or_init(|| {
        let mut absence = World::new();
        let mut parent = Hash::ZERO;
        for number in 4_096..6_144 {
            let made = busy(number, parent);
            parent = made.hash();
            absence.add(ETHEREUM, number, made);
        }
        let mut events = World::new();
        events.extend(ETHEREUM, 4_096..=4_111, |_| RECEIPTS);
        [
            page("absence/n=2048", &mut absence, (4_096, 6_143), &nobody()),
            page("events/n=16", &mut events, (4_096, 4_111), &ScanFilter::default()),
        ]
    })
}

fn main() {
    divan::main();
    let ratios = Ratios::of("proof");
    for Page { name, scan, bytes, root } in pages() {
        println!("size proof/scan/{name}: {} bytes", bytes.len());
        let registry = world::registry();
        let policy = Policy::strict(&registry);
        let (none, bare) = (|| (), || keccak256(bytes));
        let check = |()| verify_anchored(scan, &policy, root).unwrap();
        let peer = "bare keccak of its bytes";
        ratios.print(&format!("scan_verify/{name}"), peer, none, check, bare);
        let decode = |()| Scan::decode(bytes).unwrap();
        ratios.print(&format!("scan_decode/{name}"), peer, none, decode, bare);
        ratios.print(&format!("scan_encode/{name}"), peer, none, |()| scan.encode(), bare);
    }
}

#[divan::bench(args = pages())]
fn scan_verify(bencher: Bencher<'_, '_>, page: &Page) {
    let registry = world::registry();
    let policy = Policy::strict(&registry);
    bencher.bench_local(|| verify_anchored(black_box(&page.scan), &policy, &page.root).unwrap());
}

#[divan::bench(args = pages())]
fn scan_decode(page: &Page) -> Scan {
    Scan::decode(black_box(&page.bytes)).unwrap()
}

#[divan::bench(args = pages())]
fn scan_encode(page: &Page) -> Vec<u8> {
    black_box(&page.scan).encode()
}
