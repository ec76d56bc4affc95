//! Laws of challenges: what proves, once, and what never does.

use std::sync::atomic::AtomicU32;

use k256::ecdsa::SigningKey;
use superroot_store::{MemoryStore, ScanOrder, StoreError, Table, WriteBatch};
use superroot_types::{BlockNumber, ErrorKind};

use super::super::contract::{CallResult, CallUnavailable, NoNodes, WalletCall};
use super::*;

const NOW: UnixSeconds = UnixSeconds(1_700_000_000);
const BASE: ChainId = ChainId(8_453);

/// Nodes that always say the same, and count how often they are asked.
struct Nodes {
    says: Result<Vec<u8>, ()>,
    asked: AtomicU32,
}

impl Nodes {
    fn that_say(says: Result<Vec<u8>, ()>) -> Self {
        Self { says, asked: AtomicU32::new(0) }
    }

    /// What EIP-1271 wants for a valid signature.
    fn that_vouch() -> Self {
        let mut returned = vec![0, 0x16, 0x26, 0xba, 0x7e];
        returned.resize(33, 0);
        Self::that_say(Ok(returned))
    }

    fn asked(&self) -> u32 {
        self.asked.load(Ordering::SeqCst)
    }
}

impl ContractCaller for Nodes {
    fn asks(&self, _: ChainId) -> bool {
        true
    }

    fn call(&self, chain: ChainId, _call: &WalletCall) -> Result<CallResult, CallUnavailable> {
        assert_eq!(chain, BASE);
        self.asked.fetch_add(1, Ordering::SeqCst);
        let returned = self.says.clone().map_err(|()| CallUnavailable { why: "down".into() })?;
        Ok(CallResult { returned, block: BlockNumber(7), nodes: vec!["a".into(), "b".into()] })
    }
}

fn over(store: &Arc<MemoryStore>, environment: Environment, config: WalletConfig) -> Wallets {
    let config = WalletConfig { chain_ids: vec![8_453, 1], ..config };
    let store: Arc<dyn Store> = Arc::<MemoryStore>::clone(store);
    Wallets::open(store, environment, config).unwrap()
}

fn wallets() -> Wallets {
    over(&Arc::default(), Environment::Live, WalletConfig::default())
}

fn key() -> SigningKey {
    SigningKey::from_slice(&[9; 32]).unwrap()
}

fn wallet_of(key: &SigningKey) -> Address {
    let point = key.verifying_key().to_encoded_point(false);
    let hash = alloy_primitives::keccak256(&point.as_bytes()[1..]);
    Address(hash[12..].try_into().unwrap())
}

/// `personal_sign`, computed beside the code under test.
fn sign(key: &SigningKey, message: &str) -> Vec<u8> {
    let prefix = format!("\u{19}Ethereum Signed Message:\n{}", message.len());
    let hash = alloy_primitives::keccak256([prefix.as_bytes(), message.as_bytes()].concat());
    let (signature, recovery) = key.sign_prehash_recoverable(&hash.0).unwrap();
    [&signature.to_bytes()[..], &[27 + recovery.to_byte()]].concat()
}

/// Uses a challenge up, as what writes a proof down does.
fn use_up(wallets: &Wallets, proven: &ProvenWallet) -> Result<(), AccountError> {
    let mut batch = WriteBatch::new();
    proven.stage_use(&*wallets.store, &mut batch)?;
    Ok(wallets.store.commit(batch)?)
}

fn ask(wallets: &Wallets, wallet: Address) -> String {
    wallets.challenge(wallet, None, NOW).unwrap().message
}

fn later(seconds: u64) -> UnixSeconds {
    UnixSeconds(NOW.0 + seconds)
}

#[test]
fn the_holder_of_a_key_proves_its_wallet_once_and_without_a_node() {
    let (store, key) = (Arc::default(), key());
    let wallets = over(&store, Environment::Live, WalletConfig::default());
    let rows = || store.scan(Table::Challenge, b"", None, 10, ScanOrder::Rising).unwrap().len();
    let challenge = wallets.challenge(wallet_of(&key), None, NOW).unwrap();
    assert_eq!((challenge.chain, challenge.expires_at), (BASE, later(600)));
    assert!(challenge.message.contains(&challenge.nonce));
    assert_eq!(wallets.wallet_named(&challenge.message).unwrap(), wallet_of(&key));
    let verify = |node: &Wallets| {
        node.verify(&challenge.message, &sign(&key, &challenge.message), &NoNodes, later(5))
    };
    // any node of the same store takes it
    let second = over(&store, Environment::Live, WalletConfig::default());
    let (first, other) = (verify(&second).unwrap(), verify(&wallets).unwrap());
    assert_eq!((first.wallet(), first.chain()), (wallet_of(&key), BASE));
    assert_eq!((first.at(), first.by()), (later(5), &ProvenBy::OwnKey));
    assert_eq!(rows(), 1, "the secret alone");
    // of two that are written down at one time one is
    let mut late = WriteBatch::new();
    other.stage_use(&*wallets.store, &mut late).unwrap();
    use_up(&wallets, &first).unwrap();
    assert!(matches!(wallets.store.commit(late), Err(StoreError::Conflict { .. })));
    assert!(matches!(use_up(&wallets, &other), Err(AccountError::UnknownChallenge)));
    assert!(matches!(verify(&second), Err(AccountError::UnknownChallenge)));
    assert_ne!(ask(&wallets, wallet_of(&key)), challenge.message, "another one is another");
}

#[test]
fn a_message_that_differs_is_not_the_one_given_out() {
    let (wallets, key) = (wallets(), key());
    let other = SigningKey::from_slice(&[8; 32]).unwrap();
    let given = ask(&wallets, wallet_of(&other));
    let mine = given
        .replace(&crate::show_wallet(&wallet_of(&other)), &crate::show_wallet(&wallet_of(&key)));
    let flipped = (0..given.len()).map(|at| {
        let mut bytes = given.clone().into_bytes();
        bytes[at] ^= 1;
        String::from_utf8(bytes).unwrap()
    });
    let bent = [
        mine,
        format!("{given}\n"),
        format!("{given}\nResources:\n- https://evil.example"),
        format!("{given}\nRequest ID: 7"),
        format!("{given}\nNot Before: 2023-11-14T22:13:20Z"),
        format!(" {given}"),
        given.replace("2023-11-14T22:23:20.000Z", "2033-11-14T22:23:20.000Z"),
        given.replace("2023-11-14T22:23:20.000Z", "2023-11-14T22:23:20Z"),
        given.replace("2023-11-14T22:13:20.000Z", "2023-11-14T21:13:20.000Z"),
        given.replace("Chain ID: 8453", "Chain ID: 1"),
        given.replace("Chain ID: 8453", "Chain ID: 08453"),
        given.replace('\n', "\r\n"),
    ];
    for bent in bent.into_iter().chain(flipped) {
        assert_ne!(bent, given);
        let error = wallets.verify(&bent, &sign(&key, &bent), &NoNodes, NOW).unwrap_err();
        let is_refused =
            matches!(error, AccountError::Message { .. } | AccountError::UnknownChallenge);
        assert!(is_refused, "{bent}: {error}");
    }
    let nodes = Nodes::that_say(Ok(vec![]));
    let error = wallets.verify(&given, &sign(&key, &given), &nodes, NOW).unwrap_err();
    assert!(matches!(error, AccountError::Signature { .. }), "signed by another: {error}");
    assert!(wallets.verify(&given, &sign(&other, &given), &NoNodes, NOW).is_ok());
}

#[test]
fn another_services_stores_or_environments_challenge_proves_nothing_here() {
    let (store, key) = (Arc::<MemoryStore>::default(), key());
    let live = over(&store, Environment::Live, WalletConfig::default());
    let refusal = |message: &str| live.verify(message, &sign(&key, message), &NoNodes, NOW);
    let config = WalletConfig { domain: "evil.example".into(), ..WalletConfig::default() };
    let of_other = ask(&over(&store, Environment::Live, config), wallet_of(&key));
    let error = refusal(&of_other).unwrap_err();
    assert!(error.to_string().contains("domain"), "{error}");
    let test = over(&store, Environment::Test, WalletConfig::default());
    for elsewhere in [&wallets(), &test] {
        let error = refusal(&ask(elsewhere, wallet_of(&key))).unwrap_err();
        assert!(matches!(error, AccountError::UnknownChallenge), "{error}");
    }
}

#[test]
fn the_time_to_sign_ends_with_its_second() {
    let (wallets, key) = (wallets(), key());
    let message = ask(&wallets, wallet_of(&key));
    let verify = |at| wallets.verify(&message, &sign(&key, &message), &NoNodes, at);
    assert!(verify(later(599)).is_ok());
    let error = verify(later(600)).unwrap_err();
    assert!(matches!(error, AccountError::ExpiredChallenge { at } if at == later(600)));
    let never = wallets.challenge(Address([1; 20]), None, UnixSeconds(u64::MAX));
    assert!(matches!(never, Err(AccountError::Overflow { .. })));
}

#[test]
fn a_contract_vouches_where_nodes_say_so_and_on_its_chains_alone() {
    let wallets = wallets();
    let message = ask(&wallets, Address([5; 20]));
    let verify = |message: &str, nodes: &dyn ContractCaller| {
        wallets.verify(message, b"by my contract", nodes, NOW)
    };
    let error = verify(&message, &Nodes::that_say(Err(()))).unwrap_err();
    assert!(matches!(error, AccountError::ContractWallet { chain: BASE }), "{error}");
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    let error = verify(&message, &NoNodes).unwrap_err();
    assert!(matches!(error, AccountError::NoContractNodes { chain: BASE, .. }), "{error}");
    assert_eq!(error.kind(), ErrorKind::Invalid, "asking again never helps");
    for returned in [vec![0; 33], vec![], vec![0xff; 33]] {
        let error = verify(&message, &Nodes::that_say(Ok(returned))).unwrap_err();
        assert!(matches!(error, AccountError::Signature { .. }), "{error}");
    }
    let nodes = Nodes::that_vouch();
    let on_one = wallets.challenge(Address([5; 20]), Some(ChainId(1)), NOW).unwrap().message;
    let error = verify(&on_one, &nodes).unwrap_err();
    let is_refused = matches!(error, AccountError::NoContracts { chain: ChainId(1), .. });
    assert!(is_refused && nodes.asked() == 0, "{error}");
    assert!(error.to_string().contains("and this has 14"), "{error}");
    let proven = verify(&message, &nodes).unwrap();
    let by = ProvenBy::Contract { block: BlockNumber(7), nodes: vec!["a".into(), "b".into()] };
    assert_eq!((proven.wallet(), proven.by()), (Address([5; 20]), &by));
    assert_eq!(nodes.asked(), 1);
}

/// A contract's signature may have any form; where no contract is asked, what a key's has is told.
#[test]
fn a_signature_in_another_form_than_a_keys_is_told_as_that() {
    let (wallets, key) = (wallets(), key());
    let message = ask(&wallets, wallet_of(&key));
    let good = sign(&key, &message);
    let with_v = |v: u8| [&good[..64], &[v]].concat();
    let other = SigningKey::from_slice(&[8; 32]).unwrap();
    for (signature, said) in [
        (Vec::new(), "and this is empty"),
        (sign(&other, &message)[..64].to_vec(), "and this has 64"),
        ([&good[..], &[0]].concat(), "and this has 66"),
        (with_v(5), "and this in 5"),
        (sign(&other, &message), "the wallet's own key did not sign"),
    ] {
        let error = wallets.verify(&message, &signature, &NoNodes, NOW).unwrap_err();
        let is_unsupported = matches!(error, AccountError::NoContractNodes { .. });
        assert!(is_unsupported && error.to_string().contains(said), "{error}");
        assert!(wallets.verify(&message, &signature, &Nodes::that_vouch(), NOW).is_ok());
    }
    let error = wallets.verify(&message, &good[..64], &NoNodes, NOW).unwrap_err();
    assert!(matches!(error, AccountError::Signature { .. }), "without its v: {error}");
}

/// Nodes that answer only after somebody else was turned away.
struct Slow<'a>(&'a Wallets, &'a str);

impl ContractCaller for Slow<'_> {
    fn asks(&self, _: ChainId) -> bool {
        true
    }

    fn call(&self, _: ChainId, _: &WalletCall) -> Result<CallResult, CallUnavailable> {
        let nodes = Nodes::that_vouch();
        let error = self.0.verify(self.1, b"me too", &nodes, NOW).unwrap_err();
        assert!(matches!(error, AccountError::ContractWallet { .. }), "{error}");
        assert_eq!(nodes.asked(), 0);
        Err(CallUnavailable { why: "slow".into() })
    }
}

#[test]
fn questions_to_nodes_at_one_time_are_bounded_and_end() {
    let config = WalletConfig { contract_checks_at_once_max: 1, ..WalletConfig::default() };
    let wallets = over(&Arc::default(), Environment::Live, config);
    let message = ask(&wallets, Address([5; 20]));
    let slow = Slow(&wallets, &message);
    assert!(wallets.verify(&message, b"first", &slow, NOW).is_err());
    assert!(wallets.verify(&message, b"now", &Nodes::that_vouch(), NOW).is_ok());
}
