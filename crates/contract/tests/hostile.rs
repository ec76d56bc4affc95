//! `vectors/hostile/calldata.json`: bytes that every reader of the form must refuse, each with its level.
//! `SUPERROOT_WRITE_VECTORS=1` writes them anew.

use std::fs;
use std::path::Path;

use serde::Serialize;
use superroot_chain::ChainRegistry;
use superroot_proof::bundle::{
    Bundle, EntryProof, Policy, ProofSubject, Statement, TrieProofs, TwigPosition, verify_anchored,
};
use superroot_proof::mpt::OrderedTrie;
use superroot_proof::registry::{HashRuleFrom, Profile};
use superroot_proof::superroot::{SuperRoot, log_id};
use superroot_types::{BlockNumber, ChainId, ChainKey, Family};

use crate::made::{ORIGIN, anchored};
use crate::made_block::{NUMBER, header_fields, list, receipt, string};
use crate::*;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HostileCalldata {
    pub(crate) name: String,
    /// `form`, or the step at which the verifier refuses.
    refused_at: String,
    pub(crate) log_id: B256,
    pub(crate) sequence: u64,
    /// Hash of the SuperRoot that the verifier trusts.
    pub(crate) trusted: B256,
    pub(crate) calldata: String,
}

const BASE: ChainKey = ChainKey { family: Family::Evm, id: ChainId(8453) };

/// Leaves of a block: the first is of the test, the others are honest.
fn leaves(first: Vec<u8>) -> Vec<Vec<u8>> {
    let others = (1..300_u32).map(|index| {
        let topic = B256::from(U256::from(index));
        receipt(Address::repeat_byte(0xab), &[topic], &index.to_be_bytes())
    });
    std::iter::once(first).chain(others).collect()
}

/// Proof of a log in a block with these receipts.
fn of_receipts(leaves: &[Vec<u8>], tx_index: u32, log_index: u32, open: bool) -> Bundle {
    of_header(BASE, NUMBER, leaves, (tx_index, log_index), |fields| fields, open)
}

fn of_header(
    chain: ChainKey,
    number: BlockNumber,
    leaves: &[Vec<u8>],
    (tx_index, log_index): (u32, u32),
    edit: impl FnOnce(Vec<Vec<u8>>) -> Vec<Vec<u8>>,
    open: bool,
) -> Bundle {
    let trie = OrderedTrie::build(leaves);
    let header = list(&edit(header_fields(number.0, &trie.root().0)));
    let receipt = Some(trie.prove(tx_index.into()).unwrap());
    Bundle {
        origin: ORIGIN.to_owned(),
        statement: Statement { chain, number, subject: ProofSubject::Log { tx_index, log_index } },
        entry: Some(EntryProof::Evm(TrieProofs { transaction: None, receipt })),
        block: Some(anchored(chain, number, &header, open)),
    }
}

/// SuperRoot to which a bundle says that it leads.
pub(crate) fn root(bundle: &Bundle) -> (u64, B256) {
    let super_root = SuperRoot::decode(&bundle.super_root().unwrap().preimage).unwrap();
    (super_root.sequence.0, B256::from(super_root.hash().0))
}

/// Bytes that the verifier in Rust refuses under the SuperRoot of a bundle.
pub(crate) fn case(name: &str, calldata: &[u8], of: &Bundle) -> HostileCalldata {
    let (sequence, trusted) = root(of);
    let policy = Policy::strict(ChainRegistry::builtin().proof_registry());
    let refused_at = match Bundle::from_calldata(calldata, ORIGIN) {
        Err(_) => "form".to_owned(),
        Ok(read) => match verify_anchored(&read, &policy, &hash(trusted)) {
            Err(error) => error.step.to_string(),
            Ok(_) => panic!("{name} was accepted"),
        },
    };
    let log_id = B256::from(log_id(ORIGIN).unwrap().0);
    let calldata = const_hex::encode(calldata);
    HostileCalldata { name: name.to_owned(), refused_at, log_id, sequence, trusted, calldata }
}

/// Cases of a file of `vectors`, which must be what the code makes.
pub(crate) fn same_as_file(name: &str, made: &[HostileCalldata]) -> Vec<HostileCalldata> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(name);
    if std::env::var_os("SUPERROOT_WRITE_VECTORS").is_some() {
        let lines: Vec<_> = made.iter().map(|one| serde_json::to_string(one).unwrap()).collect();
        fs::write(&file, format!("[\n{}\n]\n", lines.join(",\n"))).unwrap();
    }
    let read: Vec<HostileCalldata> = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    assert!(read == made, "vectors/{name} is not what the code makes: run make vectors");
    read
}

#[derive(Default)]
struct Cases {
    all: Vec<HostileCalldata>,
}

impl Cases {
    /// A proof that is consistent up to its SuperRoot, which is trusted.
    fn whole(&mut self, name: &str, bundle: &Bundle) {
        let calldata = bundle.to_calldata().unwrap_or_else(|error| panic!("{name}: {error}"));
        self.bytes(name, &calldata, bundle);
    }

    fn bytes(&mut self, name: &str, calldata: &[u8], of: &Bundle) {
        self.all.push(case(name, calldata, of));
    }

    /// Changes of an honest proof's bytes.
    fn edits(&mut self, of: &str, bundle: &Bundle, edits: &[(&str, usize, &[u8])]) {
        let honest = bundle.to_calldata().unwrap();
        for (name, place, bytes) in edits {
            let mut changed = honest.clone();
            changed[*place..*place + bytes.len()].copy_from_slice(bytes);
            assert!(changed != honest, "{name}");
            self.bytes(&format!("{of}: {name}"), &changed, bundle);
        }
    }
}

/// Places of the parts in the bytes of a log's proof with one rule.
struct Places {
    leaf: usize,
    trie: usize,
    header: usize,
    twig: usize,
    place: usize,
}

impl Places {
    fn of(bundle: &Bundle) -> Self {
        let calldata = bundle.to_calldata().unwrap();
        let leaf = 2 + 8 + 1 + 10 + 8;
        let length = |place: usize| {
            usize::from(calldata[place]) << 16
                | usize::from(calldata[place + 1]) << 8
                | usize::from(calldata[place + 2])
        };
        let trie = leaf + 3 + length(leaf);
        let mut at = trie + 2;
        for _ in 0..calldata[trie + 1] {
            let mask = u16::from_be_bytes([calldata[at], calldata[at + 1]]);
            at += if mask == 0 { 3 } else { 2 + 32 * mask.count_ones() as usize };
        }
        let header = at;
        let twig = header + 2 + usize::from(u16::from_be_bytes([calldata[at], calldata[at + 1]]));
        let omitted =
            u16::from_be_bytes([calldata[twig], calldata[twig + 1]]).count_ones() as usize;
        Self { leaf, trie, header, twig, place: twig + 2 + 32 * (11 - omitted) }
    }
}

fn form(cases: &mut Cases) {
    let honest = leaves(receipt(Address::repeat_byte(1), &[], b"data"));
    for open in [false, true] {
        let of = if open { "open" } else { "sealed" };
        let bundle = of_receipts(&honest, 200, 0, open);
        let at = Places::of(&bundle);
        let calldata = bundle.to_calldata().unwrap();
        let mask = [calldata[at.twig] | 0x08, calldata[at.twig + 1]];
        cases.edits(
            of,
            &bundle,
            &[
                ("another form", 0, &[3]),
                ("the form of Bitcoin", 0, &[2]),
                ("no form", 0, &[0]),
                ("subject 3", 1, &[3 | u8::from(open) << 2]),
                ("subject with a high bit", 1, &[0x12]),
                ("the other kind of twig", 1, &[2 | u8::from(!open) << 2]),
                ("another chain", 2, &10_u64.to_be_bytes()),
                ("a chain that nobody knows", 2, &8_454_u64.to_be_bytes()),
                ("no rule", 10, &[0]),
                ("more rules than there are", 10, &[2]),
                ("another rule", 19, &[0, 2]),
                ("a withdrawal from the first number on", 19, &[0, 0]),
                ("a rule from a number above the block's", 11, &(NUMBER.0 + 1).to_be_bytes()),
                ("another position", 21, &201_u32.to_be_bytes()),
                ("position 127", 21, &127_u32.to_be_bytes()),
                ("position 128", 21, &128_u32.to_be_bytes()),
                ("position 256", 21, &256_u32.to_be_bytes()),
                ("position 65,536", 21, &65_536_u32.to_be_bytes()),
                ("log index = count", 25, &1_u32.to_be_bytes()),
                ("log index 2^32 - 1", 25, &u32::MAX.to_be_bytes()),
                ("a leaf of 55 bytes", at.leaf, &[0, 0, 55]),
                ("a leaf past the end", at.leaf, &[0xff, 0xff, 0xff]),
                ("no levels", at.trie + 1, &[0]),
                ("a level too many", at.trie + 1, &[calldata[at.trie + 1] + 1]),
                ("255 levels", at.trie + 1, &[255]),
                ("a path of all nibbles", at.trie, &[4]),
                ("a path longer than the key", at.trie, &[5]),
                ("a path of 255 nibbles", at.trie, &[255]),
                ("an extension of no nibble", at.trie + 2, &[0, 0, 0]),
                ("an extension past the key", at.trie + 2, &[0, 0, 9]),
                ("a branch without others", at.trie + 2, &[0, 1]),
                ("the key's own child in the mask", at.trie + 2, &[0xff, 0xff]),
                (
                    "a header one byte shorter",
                    at.header,
                    &[calldata[at.header], calldata[at.header + 1] - 1],
                ),
                ("a header past the end", at.header, &[0xff, 0xff]),
                ("a twig's mask with a high bit", at.twig, &mask),
                ("a sibling left out", at.twig, &[calldata[at.twig], calldata[at.twig + 1] | 0x80]),
            ],
        );
        let mut zero = calldata.clone();
        // a sibling that is the empty root of its height, written out
        zero[at.twig + 2..at.twig + 34].fill(0);
        cases.bytes(&format!("{of}: a written empty sibling"), &zero, &bundle);
        for length in [0, 1, 2, 20, at.header, at.place, calldata.len() - 1] {
            cases.bytes(&format!("{of}: cut at {length}"), &calldata[..length], &bundle);
        }
        cases.bytes(&format!("{of}: a byte more"), &[&calldata[..], &[0]].concat(), &bundle);
        cases.bytes(&format!("{of}: twice"), &[&calldata[..], &calldata].concat(), &bundle);
    }
    let sealed = of_receipts(&honest, 200, 0, false);
    let at = Places::of(&sealed).place;
    cases.edits(
        "sealed",
        &sealed,
        &[
            ("leaf index = count", at, &580_123_u64.to_be_bytes()),
            ("leaf index past the count", at, &u64::MAX.to_be_bytes()),
            ("another leaf index", at, &1_u64.to_be_bytes()),
            ("no leaf", at + 8, &0_u64.to_be_bytes()),
            ("a count of 2^53", at + 8, &(1_u64 << 53).to_be_bytes()),
            ("one leaf more", at + 8, &580_124_u64.to_be_bytes()),
        ],
    );
    let open = of_receipts(&honest, 200, 0, true);
    let at = Places::of(&open).place;
    cases.edits(
        "open",
        &open,
        &[
            ("a start above the block", at, &(NUMBER.0 + 1).to_be_bytes()),
            ("a start inside a twig", at, &(NUMBER.0 - 1).to_be_bytes()),
            ("a last block below the block", at + 8, &(NUMBER.0 - 1).to_be_bytes()),
            ("a last block in the next twig", at + 8, &(NUMBER.0 + 4_096).to_be_bytes()),
            ("a last block of 2^53", at + 8, &(1_u64 << 53).to_be_bytes()),
            ("another last block", at + 16, &[7; 32]),
            ("another sequence", at + 48, &9_u64.to_be_bytes()),
            ("a sequence of 2^53", at + 48, &(1_u64 << 53).to_be_bytes()),
            ("another time", at + 56, &9_u64.to_be_bytes()),
            ("another row", at + 64, &[1]),
            ("row = count", at + 64, &[27]),
            ("another count", at + 65, &[28]),
            ("a count of 46", at + 65, &[46]),
        ],
    );
}

/// Receipts that no chain makes, under a SuperRoot that is trusted all the same.
fn receipts(cases: &mut Cases) {
    let by = Address::repeat_byte(1);
    let topics = [B256::ZERO; 5];
    let good = receipt(by, &[], b"data");
    let body = &good[1..];
    let plain = |kind: u8, body: &[u8]| [&[kind], body].concat();
    let items = |extra: &[Vec<u8>]| {
        let bloom = string(&[0; 256]);
        let fields = [vec![1], string(&[1]), bloom, list(&[])];
        list(&[fields.to_vec(), extra.to_vec()].concat())
    };
    let with_status = |status: Vec<u8>, gas: Vec<u8>| {
        let log = list(&[string(by.as_slice()), list(&[]), string(b"data")]);
        list(&[status, gas, string(&[0; 256]), list(&[log])])
    };
    for (name, leaf) in [
        ("five topics", receipt(by, &topics, b"data")),
        ("type 00", plain(0, body)),
        ("type 7e with one field behind the logs", plain(0x7e, &items(&[string(&[5])]))),
        ("type 02 with a field behind the logs", plain(2, &items(&[string(&[5])]))),
        (
            "type 7b with two fields behind the logs",
            plain(0x7b, &items(&[string(&[5]), string(&[5])])),
        ),
        ("status 2", with_status(vec![2], string(&[1]))),
        ("gas with a leading zero", with_status(vec![1], string(&[0, 1]))),
        ("gas of nine bytes", with_status(vec![1], string(&[1; 9]))),
        ("a byte behind the receipt", [good.clone(), vec![0]].concat()),
        ("no list", string(&[1; 60])),
    ] {
        cases.whole(name, &of_receipts(&leaves(leaf), 0, 0, false));
    }
}

/// Headers and profiles that do not fit their chain.
fn headers(cases: &mut Cases) {
    let honest = leaves(receipt(Address::repeat_byte(1), &[], b"data"));
    let zero = string(&[0; 32]);
    for count in [14, 18, 19, 24] {
        let edit = |mut fields: Vec<Vec<u8>>| {
            fields.truncate(count);
            let more = [
                string(&[1]),
                zero.clone(),
                string(&[1]),
                string(&[1]),
                zero.clone(),
                zero.clone(),
            ];
            fields.extend(
                more.into_iter()
                    .chain(std::iter::repeat_n(string(&[1]), 3))
                    .take(count.saturating_sub(15)),
            );
            fields
        };
        let bundle = of_header(BASE, NUMBER, &honest, (0, 0), edit, false);
        cases.whole(&format!("a header of {count} fields"), &bundle);
    }
    type Edit = fn(Vec<Vec<u8>>) -> Vec<Vec<u8>>;
    let edits: [(&str, Edit); 4] = [
        ("a header's number with a leading zero", |mut fields| {
            fields[8] = string(&[&[0][..], &NUMBER.0.to_be_bytes()].concat());
            fields
        }),
        ("a header's gas of nine bytes", |mut fields| {
            fields[9] = string(&[1; 9]);
            fields
        }),
        ("a header's nonce of seven bytes", |mut fields| {
            fields[14] = string(&[0; 7]);
            fields
        }),
        ("a header's mix hash of 31 bytes", |mut fields| {
            fields[13] = string(&[0; 31]);
            fields
        }),
    ];
    for (name, edit) in edits {
        cases.whole(name, &of_header(BASE, NUMBER, &honest, (0, 0), edit, false));
    }
    // the layout of another chain
    for (name, chain, number) in [
        ("Ethereum's header on Sonic", 146, NUMBER.0),
        ("Ethereum's header on Avalanche", 43_114, NUMBER.0),
        ("Celo's own chain with Ethereum's header", 42_220, 21_615_999),
        ("Gnosis before its merge with Ethereum's header", 100, 25_349_536),
    ] {
        let chain = ChainKey { id: ChainId(chain), ..BASE };
        let bundle = of_header(chain, BlockNumber(number), &honest, (0, 0), |fields| fields, false);
        cases.whole(name, &bundle);
    }
    // Avalanche's header with the settled fields names other blocks' receipts
    let settled = |mut fields: Vec<Vec<u8>>| {
        let one = || string(&[1]);
        fields.extend([string(&[0; 32]), one(), one(), one(), one(), one(), string(&[0; 32])]);
        fields.extend(std::iter::repeat_with(one).take(8));
        fields
    };
    let avalanche = ChainKey { id: ChainId(43_114), ..BASE };
    let bundle = of_header(avalanche, NUMBER, &honest, (0, 0), settled, false);
    cases.whole("a log under Avalanche's settled receipts", &bundle);
    // a profile that withdrew the number
    for (name, from) in [("at the number", NUMBER.0), ("below the number", 0), ("long before", 7)] {
        let mut bundle = of_receipts(&honest, 0, 0, false);
        let place = bundle.block.as_mut().unwrap().twig.as_mut().unwrap().place.as_mut();
        let Some(TwigPosition::Sealed(sealed)) = place else { panic!() };
        let opening = &mut sealed.super_root.as_mut().unwrap().registry;
        let mut profile = Profile::decode(&opening.profile).unwrap();
        profile.rules.push(HashRuleFrom { from_number: from, code: 0 });
        opening.profile = profile.encode().unwrap();
        cases.whole(&format!("withdrawn {name}"), &bundle);
    }
}

#[test]
fn hostile_bytes_are_refused_by_every_reader() {
    let mut cases = Cases::default();
    form(&mut cases);
    receipts(&mut cases);
    headers(&mut cases);
    let read = same_as_file("hostile/calldata.json", &cases.all);
    assert!(read.len() >= 60, "{}", read.len());
    let mut lens = Lens::new(read[0].log_id);
    for case in &read {
        lens.anchor(case.sequence, case.trusted);
        let proof: Bytes = const_hex::decode(&case.calldata).unwrap().into();
        let calls = [
            lens.view(&verifyEventCall { proof: proof.clone() }),
            lens.view(&verifyBlockCall { proof: proof.clone() }),
            lens.view(&verifyTransactionCall { proof: proof.clone() }),
            lens.view(&validateEventCall { proof }),
        ];
        assert!(calls.iter().all(|outcome| !outcome.is_success), "{} was accepted", case.name);
    }
    // the honest ones that they were made of hold
    let honest = leaves(receipt(Address::repeat_byte(1), &[], b"data"));
    for open in [false, true] {
        let bundle = of_receipts(&honest, 200, 0, open);
        let (sequence, trusted) = root(&bundle);
        lens.anchor(sequence, trusted);
        let proof = bundle.to_calldata().unwrap().into();
        let outcome = lens.view(&verifyEventCall { proof });
        assert!(outcome.is_success, "{}", refusal(&outcome));
    }
}
