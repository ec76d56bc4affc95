//! Sync committees: real updates of two networks, the consensus specification's own steps, and everything that must be
//! refused. Data is found through `SUPERROOT_DATA` alone.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;

use serde_json::Value;
use superroot_proof::finality::beacon::*;
use superroot_proof::finality::{Refusal, Shortfall, Verdict};
use superroot_types::{Address, Hash, UnixSeconds};

fn folder() -> Option<PathBuf> {
    let Some(data) = std::env::var_os("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, no update of a sync committee was read");
        return None;
    };
    Some(PathBuf::from(data).join("finality/beacon"))
}

fn unpacked(name: &str) -> Option<Vec<u8>> {
    let bytes = std::fs::read(folder()?.join(format!("{name}.gz"))).unwrap();
    let mut out = Vec::new();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut out).unwrap();
    Some(out)
}

fn json(name: &str) -> Option<Value> {
    Some(serde_json::from_slice(&unpacked(name)?).unwrap())
}

fn hex(value: &Value) -> Vec<u8> {
    const_hex::decode(value.as_str().unwrap_or_else(|| panic!("{value}"))).unwrap()
}

fn hash(value: &Value) -> Hash {
    Hash(hex(value).try_into().unwrap())
}

fn number(value: &Value) -> u64 {
    value.as_str().unwrap_or_else(|| panic!("{value}")).parse().unwrap()
}

fn hashes(value: &Value) -> Vec<Hash> {
    value.as_array().unwrap().iter().map(hash).collect()
}

fn header(value: &Value) -> BeaconHeader {
    let value = &value["beacon"];
    BeaconHeader {
        slot: number(&value["slot"]),
        proposer_index: number(&value["proposer_index"]),
        parent_root: hash(&value["parent_root"]),
        state_root: hash(&value["state_root"]),
        body_root: hash(&value["body_root"]),
    }
}

fn committee(value: &Value) -> Vec<u8> {
    let keys = value["pubkeys"].as_array().unwrap().iter().flat_map(hex);
    keys.chain(hex(&value["aggregate_pubkey"])).collect()
}

fn payload(value: &Value, has_blobs: bool) -> PayloadHeader {
    let value = &value["execution"];
    let mut base_fee_per_gas = [0; 32];
    let fee: u128 = value["base_fee_per_gas"].as_str().unwrap().parse().unwrap();
    base_fee_per_gas[..16].copy_from_slice(&fee.to_le_bytes());
    PayloadHeader {
        parent_hash: hash(&value["parent_hash"]),
        fee_recipient: Address(hex(&value["fee_recipient"]).try_into().unwrap()),
        state_root: hash(&value["state_root"]),
        receipts_root: hash(&value["receipts_root"]),
        logs_bloom: hex(&value["logs_bloom"]),
        prev_randao: hash(&value["prev_randao"]),
        block_number: number(&value["block_number"]),
        gas_limit: number(&value["gas_limit"]),
        gas_used: number(&value["gas_used"]),
        timestamp: number(&value["timestamp"]),
        extra_data: hex(&value["extra_data"]),
        base_fee_per_gas,
        block_hash: hash(&value["block_hash"]),
        transactions_root: hash(&value["transactions_root"]),
        withdrawals_root: hash(&value["withdrawals_root"]),
        blob_gas: has_blobs
            .then(|| [number(&value["blob_gas_used"]), number(&value["excess_blob_gas"])]),
    }
}

fn signed(value: &Value) -> SignedHeader {
    SignedHeader {
        attested: header(&value["attested_header"]),
        finalized: header(&value["finalized_header"]),
        finality_branch: hashes(&value["finality_branch"]),
        bits: hex(&value["sync_aggregate"]["sync_committee_bits"]),
        signature: hex(&value["sync_aggregate"]["sync_committee_signature"]).try_into().unwrap(),
        signature_slot: number(&value["signature_slot"]),
    }
}

fn evidence(value: &Value, has_blobs: bool) -> BeaconEvidence {
    let finalized = &value["finalized_header"];
    let payload = payload(finalized, has_blobs);
    let block_branch = payload.block_branch(&hashes(&finalized["execution_branch"]));
    BeaconEvidence { signed: signed(value), block_hash: payload.block_hash, block_branch }
}

fn step(value: &Value) -> BeaconStep {
    BeaconStep {
        signed: signed(value),
        committee: committee(&value["next_sync_committee"]),
        committee_branch: hashes(&value["next_sync_committee_branch"]),
    }
}

fn data_of(value: Value) -> Value {
    match value.get("data") {
        Some(data) => data.clone(),
        None => value,
    }
}

/// Set of a bootstrap, pinned by its header's root.
fn pinned(params: &BeaconParams, bootstrap: &Value) -> BeaconSet {
    let of = header(&bootstrap["header"]);
    let bytes = committee(&bootstrap["current_sync_committee"]);
    let branch = hashes(&bootstrap["current_sync_committee_branch"]);
    let set = BeaconSet::of_header(params, (of.root(), &of), &bytes, &branch).unwrap();
    // what was read is what its own root names
    assert_eq!(BeaconSet::read(params, set.period(), &bytes, set.id()).as_ref(), Ok(&set));
    let other = BeaconSet::read(params, set.period(), &bytes, Hash([7; 32]));
    assert_eq!(other, Err(Refusal::Root));
    set
}

const HOLESKY: BeaconParams = BeaconParams {
    genesis_validators_root: Hash([
        0x91, 0x43, 0xaa, 0x7c, 0x61, 0x5a, 0x7f, 0x71, 0x15, 0xe2, 0xb6, 0xaa, 0xc3, 0x19, 0xc0,
        0x35, 0x29, 0xdf, 0x82, 0x42, 0xae, 0x70, 0x5f, 0xba, 0x9d, 0xf3, 0x9b, 0x79, 0xc5, 0x9f,
        0xa8, 0xb1,
    ]),
    genesis_time: UnixSeconds(1_695_902_400),
    forks: &[
        BeaconFork { epoch: 256, version: [4, 1, 0x70, 0], layout: BeaconLayout::Capella },
        BeaconFork { epoch: 29_696, version: [5, 1, 0x70, 0], layout: BeaconLayout::Deneb },
    ],
    ..BeaconParams::ETHEREUM
};

fn soon(params: &BeaconParams, signed: &SignedHeader) -> UnixSeconds {
    params.time_of(signed.signature_slot + 1)
}

#[test]
fn real_updates_show_their_block_and_the_next_committee() {
    for (params, folder, bootstrap, update, finality) in [
        (
            BeaconParams::ETHEREUM,
            "mainnet-capella-898",
            "bootstrap.json",
            "updates.json",
            &["finality.json"][..],
        ),
        (
            HOLESKY,
            "holesky-deneb-368",
            "holesky-bootstrap-368.json",
            "holesky-update-368.json",
            &["holesky-finality-update-3_016_736.json", "holesky-finality-update-3_016_799.json"],
        ),
    ] {
        let named = |name: &str| json(&format!("{folder}/{name}")).map(data_of);
        let Some(bootstrap) = named(bootstrap) else { return };
        let has_blobs = folder.contains("deneb");
        let set = pinned(&params, &bootstrap);
        for name in finality {
            let evidence = evidence(&named(name).unwrap(), has_blobs);
            let bytes = evidence.encode();
            assert_eq!(BeaconEvidence::decode(&params, &bytes).as_ref(), Ok(&evidence));
            assert!(bytes.len() <= 1_100, "{} bytes", bytes.len());
            let now = soon(&params, &evidence.signed);
            let shown = check(&params, &set, &evidence, now);
            let Verdict::Shown(shown) = shown else { panic!("{folder} {name}: {shown:?}") };
            assert_eq!((shown.block_hash(), shown.set()), (evidence.block_hash, set.id()));
            assert_eq!(shown.finalized_slot(), evidence.signed.finalized.slot);
            assert!(shown.signers() >= 342);
        }
        let update = named(update).unwrap();
        let update = update.as_array().map_or(update.clone(), |all| data_of(all[0].clone()));
        let step = step(&update);
        assert_eq!(BeaconStep::decode(&params, &step.encode()).as_ref(), Ok(&step));
        let now = soon(&params, &step.signed);
        let next = advance(&params, &set, &step, now);
        let Verdict::Shown(next) = next else { panic!("{folder}: {next:?}") };
        assert_eq!(next.period(), set.period() + 1);
        // the next committee signed nothing of this period
        let behind = advance(&params, &next, &step, now);
        let lacking = Shortfall::Set { needed: set.period(), held: next.period() };
        assert_eq!(behind, Verdict::NotEnough(lacking));
    }
}

/// The first slot of Electra: the execution block is under the same index as in Deneb.
#[test]
fn every_cut_and_every_flipped_byte_of_real_evidence_shows_nothing() {
    let params = BeaconParams::ETHEREUM;
    let Some(bootstrap) = json("mainnet-capella-898/bootstrap.json").map(data_of) else { return };
    let set = pinned(&params, &bootstrap);
    let value = data_of(json("mainnet-capella-898/finality.json").unwrap());
    let honest = evidence(&value, false);
    let bytes = honest.encode();
    let now = soon(&params, &honest.signed);
    for length in 0..bytes.len() {
        assert!(BeaconEvidence::decode(&params, &bytes[..length]).is_err(), "{length}");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(BeaconEvidence::decode(&params, &longer).is_err());
    for place in 0..bytes.len() {
        let mut bent = bytes.clone();
        bent[place] ^= 1 << (place % 8);
        if let Ok(read) = BeaconEvidence::decode(&params, &bent) {
            assert_eq!(read.encode(), bent, "one encoding");
            let verdict = check(&params, &set, &read, now);
            assert!(!matches!(verdict, Verdict::Shown(_)), "byte {place}");
        }
    }
    let value = data_of(json("mainnet-capella-898/updates.json").unwrap());
    let honest = step(&data_of(value.as_array().unwrap()[0].clone()));
    let bytes = honest.encode();
    for place in (0..bytes.len()).step_by(97) {
        let mut bent = bytes.clone();
        bent[place] ^= 1 << (place % 8);
        if let Ok(read) = BeaconStep::decode(&params, &bent) {
            let verdict = advance(&params, &set, &read, now);
            assert!(!matches!(verdict, Verdict::Shown(_)), "byte {place}");
        }
    }
}

#[test]
fn what_a_committee_did_not_sign_is_refused_or_not_enough() {
    let params = BeaconParams::ETHEREUM;
    let Some(bootstrap) = json("mainnet-capella-898/bootstrap.json").map(data_of) else { return };
    let set = pinned(&params, &bootstrap);
    let value = data_of(json("mainnet-capella-898/finality.json").unwrap());
    let honest = evidence(&value, false);
    let now = soon(&params, &honest.signed);
    let edited = |edit: &dyn Fn(&mut BeaconEvidence)| {
        let mut evidence = honest.clone();
        edit(&mut evidence);
        check(&params, &set, &evidence, now)
    };
    let few = |got| Verdict::NotEnough(Shortfall::Signers { got, of: 512, expected: 342 });
    assert_eq!(edited(&|one| one.signed.bits.fill(0)), few(0));
    let only = |count: usize| {
        move |one: &mut BeaconEvidence| {
            one.signed.bits.fill(0);
            (0..count).for_each(|index| one.signed.bits[index / 8] |= 1 << (index % 8));
        }
    };
    assert_eq!(edited(&only(341)), few(341));
    assert_eq!(edited(&only(342)), Verdict::Refusal(Refusal::Signature));
    let bits = Verdict::Refusal(Refusal::Encoding { part: "bits" });
    assert_eq!(edited(&|one| one.signed.bits.push(1)), bits);
    let refused = |verdict: Verdict<BeaconShown>| match verdict {
        Verdict::Refusal(why) => why,
        other => panic!("{other:?}"),
    };
    let order = |edit: &dyn Fn(&mut BeaconEvidence)| {
        assert!(matches!(refused(edited(edit)), Refusal::Order { .. }));
    };
    order(&|one| one.signed.finalized.slot = 0);
    order(&|one| one.signed.finalized.slot = one.signed.attested.slot + 1);
    order(&|one| one.signed.signature_slot = one.signed.attested.slot);
    // a slot of the next period under this committee, and a later time than now
    let next = edited(&|one| one.signed.signature_slot = 899 * 8_192 - 1);
    assert!(matches!(next, Verdict::NotEnough(Shortfall::Early { .. })), "{next:?}");
    let late = UnixSeconds(now.0 + 100_000);
    let mut later = honest.clone();
    later.signed.signature_slot = 899 * 8_192;
    let verdict = check(&params, &set, &later, late);
    assert_eq!(verdict, Verdict::NotEnough(Shortfall::Set { needed: 899, held: 898 }));
    let before = check(&params, &set, &honest, UnixSeconds(now.0 - 600));
    assert!(matches!(before, Verdict::NotEnough(Shortfall::Early { .. })));
    let expired = check(&params, &set, &honest, UnixSeconds(now.0 + 3_600 * 24 * 18));
    assert!(matches!(expired, Verdict::NotEnough(Shortfall::Expired { .. })));
    // infinity, and a point outside of the subgroup's encoding
    for signature in [
        std::array::from_fn(|place| if place == 0 { 0xc0 } else { 0 }),
        [0; 96],
        std::array::from_fn(|place| if place == 0 { 0xa0 } else { 1 }),
    ] {
        let verdict = edited(&|one| one.signed.signature = signature);
        assert_eq!(verdict, Verdict::Refusal(Refusal::Signature));
    }
    // the domain of another chain, and another fork's version
    let gnosis = BeaconParams { genesis_validators_root: Hash([7; 32]), ..BeaconParams::ETHEREUM };
    assert_eq!(check(&gnosis, &set, &honest, now), Verdict::Refusal(Refusal::Signature));
    let fork = BeaconFork { epoch: 0, version: [4, 0, 0, 0], layout: BeaconLayout::Capella };
    let other = BeaconParams { forks: vec![fork].leak(), ..params };
    assert_eq!(check(&other, &set, &honest, now), Verdict::Refusal(Refusal::Signature));
    // a branch of another fork's depth is no encoding of this one's
    for layout in [BeaconLayout::Electra, BeaconLayout::Gloas] {
        let fork = BeaconFork { epoch: 0, version: [3, 0, 0, 0], layout };
        let other = BeaconParams { forks: vec![fork].leak(), ..params };
        assert!(BeaconEvidence::decode(&other, &honest.encode()).is_err());
        let branch = Refusal::Branch { part: "finalized header" };
        assert_eq!(check(&other, &set, &honest, now), Verdict::Refusal(branch));
    }
    let none = BeaconParams { forks: &[], ..params };
    assert!(BeaconEvidence::decode(&none, &honest.encode()).is_err());
    // another block hash under the same body
    let other = edited(&|one| one.block_hash = Hash([9; 32]));
    assert_eq!(other, Verdict::Refusal(Refusal::Branch { part: "block hash" }));
    // an empty committee branch (GHSA-83q5-vwj7-gxww), and a committee whose sum is another
    let value = data_of(json("mainnet-capella-898/updates.json").unwrap());
    let honest = step(&data_of(value.as_array().unwrap()[0].clone()));
    let without = BeaconStep { committee_branch: Vec::new(), ..honest.clone() };
    let next = Verdict::Refusal(Refusal::Branch { part: "next committee" });
    assert_eq!(advance(&params, &set, &without, now), next);
    let mut swapped = honest.clone();
    let (first, second) = swapped.committee.split_at_mut(48);
    first.swap_with_slice(&mut second[..48]);
    assert_eq!(advance(&params, &set, &swapped, now), next);
}

/// `LightClientUpdate` as the specification serializes it, of a committee of 32.
struct Ssz<'a>(&'a [u8]);

impl<'a> Ssz<'a> {
    fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(length);
        self.0 = rest;
        taken
    }

    fn hash(&mut self) -> Hash {
        Hash(self.take(32).try_into().unwrap())
    }

    fn number(&mut self) -> u64 {
        u64::from_le_bytes(self.take(8).try_into().unwrap())
    }

    fn offset(&mut self) -> usize {
        u32::from_le_bytes(self.take(4).try_into().unwrap()) as usize
    }

    fn hashes(&mut self, count: usize) -> Vec<Hash> {
        (0..count).map(|_| self.hash()).collect()
    }

    fn header(&mut self) -> BeaconHeader {
        BeaconHeader {
            slot: self.number(),
            proposer_index: self.number(),
            parent_root: self.hash(),
            state_root: self.hash(),
            body_root: self.hash(),
        }
    }
}

/// Beacon header, block hash and its branch, of a `LightClientHeader` of Deneb or Electra.
fn light_header(bytes: &[u8]) -> (BeaconHeader, Hash, Vec<Hash>) {
    let mut all = Ssz(bytes);
    let header = all.header();
    let offset = all.offset();
    let above = all.hashes(4);
    let mut fields = Ssz(&bytes[offset..]);
    let whole = fields.0;
    let parent_hash = fields.hash();
    let fee_recipient = Address(fields.take(20).try_into().unwrap());
    let (state_root, receipts_root) = (fields.hash(), fields.hash());
    let logs_bloom = fields.take(256).to_vec();
    let prev_randao = fields.hash();
    let [block_number, gas_limit, gas_used, timestamp] = [(); 4].map(|()| fields.number());
    let extra = fields.offset();
    let base_fee_per_gas = fields.take(32).try_into().unwrap();
    let [block_hash, transactions_root, withdrawals_root] = [(); 3].map(|()| fields.hash());
    let blob_gas = Some([(); 2].map(|()| fields.number()));
    let payload = PayloadHeader {
        parent_hash,
        fee_recipient,
        state_root,
        receipts_root,
        logs_bloom,
        prev_randao,
        block_number,
        gas_limit,
        gas_used,
        timestamp,
        extra_data: whole[extra..].to_vec(),
        base_fee_per_gas,
        block_hash,
        transactions_root,
        withdrawals_root,
        blob_gas,
    };
    (header, block_hash, payload.block_branch(&above))
}

const MINIMAL_COMMITTEE: usize = 33 * 48;

fn spec_update(bytes: &[u8], is_electra: bool) -> (BeaconStep, BeaconEvidence) {
    let depth = if is_electra { 6 } else { 5 };
    let mut all = Ssz(bytes);
    let attested = all.offset();
    let committee = all.take(MINIMAL_COMMITTEE).to_vec();
    let committee_branch = all.hashes(depth);
    let finalized = all.offset();
    let finality_branch = all.hashes(depth + 1);
    let bits = all.take(4).to_vec();
    let signature = all.take(96).try_into().unwrap();
    let signature_slot = all.number();
    let (attested, ..) = light_header(&bytes[attested..finalized]);
    let (finalized, block_hash, block_branch) = light_header(&bytes[finalized..]);
    let signed =
        SignedHeader { attested, finalized, finality_branch, bits, signature, signature_slot };
    let step = BeaconStep { signed: signed.clone(), committee, committee_branch };
    (step, BeaconEvidence { signed, block_hash, block_branch })
}

/// Value of a key in the YAML of consensus-spec-tests, as it is written there.
fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let at = text.find(&format!("{key}: "))? + key.len() + 2;
    let rest = text[at..].trim_start_matches('\'');
    Some(rest.split(['\'', ',', '\n', '}']).next().unwrap().trim())
}

/// The specification's own steps: each update with finality shows the header that its store finalizes, and leads to the
/// next committee where it has one; the others show nothing.
#[test]
fn the_specifications_steps_are_as_they_say() {
    for (fork, version, layout) in [
        ("deneb", [4, 0, 0, 1], BeaconLayout::Deneb),
        ("electra", [5, 0, 0, 1], BeaconLayout::Electra),
    ] {
        let name = |file: &str| format!("spec-minimal/{fork}/light_client_sync/{file}");
        let Some(meta) = unpacked(&name("meta.yaml")) else { return };
        let text = |file: &str| String::from_utf8(unpacked(&name(file)).unwrap()).unwrap();
        let meta = String::from_utf8(meta).unwrap();
        let root = |text: &str, key: &str| field(text, key).unwrap().parse::<Hash>().unwrap();
        let params = BeaconParams {
            genesis_validators_root: root(&meta, "genesis_validators_root"),
            genesis_time: UnixSeconds(0),
            slot_seconds: 6,
            epoch_slots: 8,
            period_epochs: 8,
            members: 32,
            forks: vec![BeaconFork { epoch: 0, version, layout }].leak(),
            trusted_seconds: u64::from(u32::MAX),
        };
        let raw = |file: &str| {
            let bytes = unpacked(&name(&format!("{file}.ssz_snappy"))).unwrap();
            snap::raw::Decoder::new().decompress_vec(&bytes).unwrap()
        };
        let is_electra = fork == "electra";
        let bootstrap = raw("bootstrap");
        let mut all = Ssz(&bootstrap);
        let offset = all.offset();
        let committee = all.take(MINIMAL_COMMITTEE);
        let branch = all.hashes(if is_electra { 6 } else { 5 });
        let (header, ..) = light_header(&bootstrap[offset..]);
        let trusted = root(&meta, "trusted_block_root");
        let set = BeaconSet::of_header(&params, (trusted, &header), committee, &branch).unwrap();
        let mut sets = BTreeMap::from([(set.period(), set)]);
        let (mut shown, mut steps_taken) = (0, 0);
        let steps = text("steps.yaml");
        for one in steps.split("\n- ").filter(|one| one.contains("process_update")) {
            let file = field(one, "update").unwrap();
            let now = params.time_of(field(one, "current_slot").unwrap().parse().unwrap());
            let (step, evidence) = spec_update(&raw(file), is_electra);
            let period = params.period_of(step.signed.signature_slot);
            let Some(set) = sets.get(&period).cloned() else { continue };
            let verdict = check(&params, &set, &evidence, now);
            if file.ends_with('f') {
                let at = one.find("finalized_header").unwrap();
                let expected = root(&one[at..], "beacon_root");
                match verdict {
                    // what was finalized before is not finalized again
                    Verdict::Shown(found) => {
                        let is_newest = found.finalized_root() == expected;
                        let newest: u64 = field(&one[at..], "slot").unwrap().parse().unwrap();
                        assert!(is_newest || found.finalized_slot() < newest, "{fork} {file}");
                        shown += 1;
                    }
                    Verdict::NotEnough(Shortfall::Signers { .. }) => {}
                    other => panic!("{fork} {file}: {other:?}"),
                }
            } else {
                assert!(!matches!(verdict, Verdict::Shown(_)), "{fork} {file}");
            }
            match advance(&params, &set, &step, now) {
                Verdict::Shown(next) => {
                    assert!(file.contains("_s"), "{fork} {file}");
                    sets.insert(next.period(), next);
                    steps_taken += 1;
                }
                other => {
                    assert!(!file.ends_with("_sf") || period_differs(&params, &step), "{other:?}")
                }
            }
        }
        assert!(shown >= 4 && steps_taken >= 2, "{fork}: {shown} shown, {steps_taken} steps");
    }
}

/// Whether a step's headers are not all of the period of its signature.
fn period_differs(params: &BeaconParams, step: &BeaconStep) -> bool {
    let of = |slot| params.period_of(slot);
    let signed = &step.signed;
    let period = of(signed.signature_slot);
    of(signed.attested.slot) != period || of(signed.finalized.slot) != period
}
