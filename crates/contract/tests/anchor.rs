//! What the log's key signed is anchored, and nothing else; what the log withdrew is refused from then on.

use alloy_sol_types::{SolCall, SolError, SolValue};
use k256::ecdsa::SigningKey;
use superroot_proof::bundle::{Bundle, TwigPosition};
use superroot_proof::calldata::withdrawal_of;
use superroot_proof::perfect::PerfectTree;
use superroot_proof::registry::{HashRuleFrom, LogRegistry, Profile};
use superroot_proof::superroot::log_id;

use crate::made::ORIGIN;
use crate::*;

const NOW: u64 = 1_800_000_000;

fn key(byte: u8) -> SigningKey {
    SigningKey::from_slice(&[byte; 32]).unwrap()
}

fn address(key: &SigningKey) -> Address {
    Address::from_public_key(key.verifying_key())
}

fn own_log() -> B256 {
    B256::from(log_id(ORIGIN).unwrap().0)
}

fn hash_of(log: B256, one: &SuperRoot) -> B256 {
    let numbers = [one.sequence.to_be_bytes(), one.timestamp.to_be_bytes()].concat();
    keccak(&[&[7, 5][..], log.as_slice(), &numbers, one.treeRoot.as_slice()].concat())
}

/// Signature in the compact form of EIP-2098.
fn sign(key: &SigningKey, hash: B256) -> Signature {
    let message = keccak(&[&[0x0a][..], hash.as_slice()].concat());
    let (signature, recovery) = key.sign_prehash_recoverable(message.as_slice()).unwrap();
    let (r, s) = signature.split_bytes();
    let mut vs: [u8; 32] = s.into();
    vs[0] |= recovery.to_byte() << 7;
    Signature { r: B256::from_slice(&r), vs: B256::from(vs) }
}

fn root(sequence: u64, timestamp: u64, tree: u8) -> SuperRoot {
    SuperRoot { sequence, timestamp, treeRoot: B256::repeat_byte(tree) }
}

struct Anchor {
    host: EvmHost,
    at: Address,
}

impl Anchor {
    fn new() -> Self {
        let mut host = EvmHost::new(1);
        host.set_time(NOW);
        let code = artifact("SuperRootAnchor").unwrap().bytecode;
        let arguments = (own_log(), address(&key(7))).abi_encode_params();
        let at = host.create(&code, &arguments).unwrap();
        Self { host, at }
    }

    fn send(&mut self, call: &impl SolCall) -> CallOutcome {
        let from = Address::repeat_byte(0x99);
        self.host.call(from, self.at, call.abi_encode(), U256::ZERO).unwrap()
    }

    fn publish(&mut self, one: &SuperRoot) -> CallOutcome {
        let signature = sign(&key(7), hash_of(own_log(), one));
        self.send(&publishCall { superRoot: one.clone(), signature })
    }

    fn next(&mut self) -> u64 {
        let outcome = self.send(&nextCall {});
        nextCall::abi_decode_returns(&outcome.output).unwrap()
    }

    fn get(&mut self, sequence: u64, row: u8) -> (B256, u64) {
        let outcome = self.send(&superRootAtCall { sequence, row });
        let found = superRootAtCall::abi_decode_returns(&outcome.output).unwrap();
        (found.hash, found.withdrawnFrom)
    }
}

#[test]
fn what_the_key_signed_is_anchored_by_whoever_brings_it() {
    let mut anchor = Anchor::new();
    assert_eq!(anchor.next(), 0, "nothing is published");
    let first = root(4, NOW - 100, 1);
    let published = anchor.publish(&first);
    assert!(published.is_success && published.logs.len() == 1);
    println!("publish: {} gas", published.gas);
    assert_eq!(anchor.get(4, 0), (hash_of(own_log(), &first), u64::MAX));
    assert_eq!(anchor.get(3, 0), (B256::ZERO, u64::MAX));
    // again, lower, and with an older time
    for (one, error) in [
        (first.clone(), NotRising::SELECTOR),
        (root(3, NOW, 2), NotRising::SELECTOR),
        (root(4, NOW, 2), NotRising::SELECTOR),
        (root(5, NOW - 101, 2), TimeFalls::SELECTOR),
        (root(5, NOW + 901, 2), TimeAhead::SELECTOR),
    ] {
        let outcome = anchor.publish(&one);
        assert!(!outcome.is_success && outcome.output[..4] == error, "{outcome:?}");
    }
    assert!(anchor.publish(&root(9, NOW + 900, 2)).is_success, "sequences may be left out");
    assert!(anchor.publish(&root(u64::MAX - 1, NOW + 900, 2)).is_success);
    let last = anchor.publish(&root(u64::MAX, NOW + 900, 2));
    assert!(!last.is_success, "the counter ends before it would fall");
}

#[test]
fn no_other_signature_anchors() {
    let mut anchor = Anchor::new();
    let one = root(1, NOW, 1);
    let hash = hash_of(own_log(), &one);
    let good = sign(&key(7), hash);
    let order = U256::from_str_radix(
        "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
        16,
    )
    .unwrap();
    let low = U256::from_be_bytes(good.vs.0) & (U256::MAX >> 1_usize);
    // the twin of a signature: the other parity, s above half of the order; it does not fit the compact form
    let twin = order - low;
    let mut high = twin.to_be_bytes::<32>();
    high[0] ^= (good.vs[0] & 0x80) ^ 0x80;
    let others = [
        ("another key", sign(&key(8), hash)),
        ("another log", sign(&key(7), hash_of(B256::repeat_byte(9), &one))),
        ("the hash without its tag", {
            let (signature, recovery) = key(7).sign_prehash_recoverable(hash.as_slice()).unwrap();
            let (r, s) = signature.split_bytes();
            let mut vs: [u8; 32] = s.into();
            vs[0] |= recovery.to_byte() << 7;
            Signature { r: B256::from_slice(&r), vs: B256::from(vs) }
        }),
        ("another SuperRoot", sign(&key(7), hash_of(own_log(), &root(1, NOW, 2)))),
        ("a high s", Signature { r: good.r, vs: B256::from(high) }),
        (
            "the other parity",
            Signature {
                r: good.r,
                vs: B256::from(U256::from_be_bytes(good.vs.0) ^ (U256::from(1) << 255_usize)),
            },
        ),
        ("zero", Signature { r: B256::ZERO, vs: B256::ZERO }),
        ("r of zero", Signature { r: B256::ZERO, vs: good.vs }),
        ("s of zero", Signature { r: good.r, vs: B256::ZERO }),
    ];
    for (name, signature) in others {
        let outcome = anchor.send(&publishCall { superRoot: one.clone(), signature });
        assert!(!outcome.is_success && outcome.output[..4] == NotSigned::SELECTOR, "{name}");
    }
    assert_eq!(anchor.get(1, 0).0, B256::ZERO);
    assert!(anchor.send(&publishCall { superRoot: one, signature: good }).is_success);
    // no key of zero is ever the signer
    let code = artifact("SuperRootAnchor").unwrap().bytecode;
    let none = (own_log(), Address::ZERO).abi_encode_params();
    assert!(anchor.host.create(&code, &none).is_err());
}

#[test]
fn a_fork_freezes_the_anchor_for_good() {
    let mut anchor = Anchor::new();
    let (one, other) = (root(5, NOW, 1), root(5, NOW, 2));
    let signed = |one: &SuperRoot| sign(&key(7), hash_of(own_log(), one));
    let report = |one: &SuperRoot, other: &SuperRoot, by: &SigningKey| reportForkCall {
        one: one.clone(),
        ofOne: signed(one),
        other: other.clone(),
        ofOther: sign(by, hash_of(own_log(), other)),
    };
    assert!(anchor.publish(&one).is_success);
    for (next, (what, call)) in (10..).zip([
        ("twice the same", report(&one, &one, &key(7))),
        ("two sequences", report(&one, &root(6, NOW, 2), &key(7))),
        ("another key", report(&one, &other, &key(8))),
    ]) {
        assert!(!anchor.send(&call).is_success, "{what}");
        assert!(anchor.publish(&root(next, NOW, 3)).is_success, "{what}");
    }
    assert!(anchor.send(&report(&one, &other, &key(7))).is_success);
    let frozen = anchor.publish(&root(90, NOW, 3));
    assert!(!frozen.is_success && frozen.output[..4] == Frozen::SELECTOR);
    assert_eq!(anchor.get(5, 0).0, hash_of(own_log(), &one), "what was anchored stays readable");
}

/// A proof's SuperRoot with another registry: the profile of the proof's chain has these rules besides.
fn with_rules(bundle: &Bundle, rules: &[HashRuleFrom]) -> (Bundle, SuperRoot) {
    let mut bundle = bundle.clone();
    let registry = superroot_chain::ChainRegistry::builtin().proof_registry();
    let mut rows: Vec<Profile> = registry.rows().to_vec();
    let place = bundle.block.as_mut().unwrap().twig.as_mut().unwrap().place.as_mut().unwrap();
    let TwigPosition::Sealed(sealed) = place else { panic!("sealed") };
    let root = sealed.root;
    let proof = sealed.super_root.as_mut().unwrap();
    rows[usize::from(proof.registry.row.0)].rules.extend_from_slice(rules);
    let registry = LogRegistry::new(rows).unwrap();
    let mut slots: Vec<Hash> = (0..64_u8).map(|slot| Hash([slot; 32])).collect();
    let slot = bundle.statement.chain.family.byte();
    (slots[usize::from(slot)], slots[55]) = (root, registry.root());
    slots[56..].fill(Hash::ZERO);
    let tree = PerfectTree::new(6, slots);
    proof.siblings = tree.siblings(slot.into()).try_into().unwrap();
    proof.registry.siblings = tree.siblings(55).try_into().unwrap();
    proof.registry.row_siblings =
        registry.tree().siblings(proof.registry.row.0.into()).try_into().unwrap();
    proof.registry.profile = registry.rows()[usize::from(proof.registry.row.0)].encode().unwrap();
    let mut super_root = superroot_proof::superroot::SuperRoot::decode(&proof.preimage).unwrap();
    super_root.tree_root = tree.root();
    super_root.sequence = superroot_types::Sequence(2 + rules.len() as u64);
    super_root.timestamp = superroot_types::UnixSeconds(NOW);
    proof.preimage = super_root.encode();
    let sequence = super_root.sequence.0;
    (bundle, SuperRoot { sequence, timestamp: NOW, treeRoot: B256::from(tree.root().0) })
}

#[test]
fn what_the_log_withdrew_is_refused_under_older_super_roots_too() {
    let vectors = vectors();
    let is_it = |one: &&RealCalldata| one.shows == "event" && !one.open;
    let vector = vectors.iter().find(is_it).unwrap();
    let honest = Bundle::from_calldata(&vector.bytes(), &vector.origin).unwrap();
    refused_once_withdrawn(&honest, |proof| verifyEventCall { proof }.abi_encode());
    let output = crate::bitcoin::sealed_output();
    refused_once_withdrawn(&output, |proof| verifyOutputCall { proof }.abi_encode());
}

fn refused_once_withdrawn(honest: &Bundle, question: impl Fn(Bytes) -> Vec<u8>) {
    let number = honest.statement.number.0;
    let (older, first) = with_rules(honest, &[]);
    let withdrawal = |from_number| HashRuleFrom { from_number, code: 0 };
    let (newer, second) = with_rules(honest, &[withdrawal(number)]);
    let mut anchor = Anchor::new();
    let lens = artifact("SuperRootLens").unwrap().bytecode;
    let lens = anchor.host.create(&lens, &anchor.at.abi_encode()).unwrap();
    let ask = |anchor: &mut Anchor| {
        let call = question(older.to_calldata().unwrap().into());
        anchor.host.view(lens, call).unwrap()
    };
    assert!(anchor.publish(&first).is_success);
    let shown = ask(&mut anchor);
    assert!(shown.is_success, "{}", refusal(&shown));
    let proof = |bundle: &Bundle| bundle.super_root().unwrap().clone();
    let opening =
        |bundle| reportWithdrawalCall { opening: withdrawal_of(&proof(bundle)).unwrap().into() };
    // not anchored yet; anchored without a withdrawal; bent
    assert!(!anchor.send(&opening(&newer)).is_success);
    let none = anchor.send(&opening(&older));
    assert!(!none.is_success && none.output[..4] == NoWithdrawal::SELECTOR);
    assert!(anchor.publish(&second).is_success);
    let bytes = withdrawal_of(&proof(&newer)).unwrap();
    for place in 0..bytes.len() {
        let mut bent = bytes.clone();
        bent[place] ^= 1;
        let outcome = anchor.send(&reportWithdrawalCall { opening: bent.into() });
        assert!(!outcome.is_success, "byte {place}");
    }
    for length in [0, 9, bytes.len() - 1] {
        let call = reportWithdrawalCall { opening: bytes[..length].to_vec().into() };
        assert!(!anchor.send(&call).is_success, "{length}");
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    assert!(!anchor.send(&reportWithdrawalCall { opening: longer.into() }).is_success);
    assert!(ask(&mut anchor).is_success);
    let reported = anchor.send(&opening(&newer));
    assert!(reported.is_success && reported.logs.len() == 1);
    let row = proof(&newer).registry.row.0;
    assert_eq!(anchor.get(first.sequence, row).1, number);
    assert!(Withdrawn::abi_decode(&ask(&mut anchor).output).is_ok());
    assert!(!anchor.send(&opening(&newer)).is_success, "it is recorded once");
    // another that reaches further down is recorded too, one above it is not
    let (lower, third) = with_rules(honest, &[withdrawal(number), withdrawal(number - 9)]);
    assert!(anchor.publish(&third).is_success && anchor.send(&opening(&lower)).is_success);
    assert_eq!(anchor.get(0, row).1, number - 9);
}
