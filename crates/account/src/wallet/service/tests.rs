//! Laws of challenges: what proves, once, and what never does.

use std::net::IpAddr;
use std::sync::Barrier;
use std::sync::atomic::AtomicU32;

use k256::ecdsa::SigningKey;
use superroot_store::{Batch, MemoryStore, Table};
use superroot_types::{BlockNumber, ErrorKind};

use super::super::contract::{CallUnavailable, Called, ContractCall, NoNodes};
use super::*;
use crate::interrupted::Interrupted;
use crate::row;

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

    fn call(&self, chain: ChainId, _call: &ContractCall) -> Result<Called, CallUnavailable> {
        assert_eq!(chain, BASE);
        self.asked.fetch_add(1, Ordering::SeqCst);
        let returned = self.says.clone().map_err(|()| CallUnavailable { why: "down".into() })?;
        Ok(Called { returned, block: BlockNumber(7), nodes: vec!["a".into(), "b".into()] })
    }
}

fn config() -> WalletConfig {
    WalletConfig { chain_ids: vec![8_453, 1], ..WalletConfig::default() }
}

fn over(store: &Arc<MemoryStore>, environment: Environment, config: WalletConfig) -> Wallets {
    let store: Arc<dyn Store> = Arc::<MemoryStore>::clone(store);
    Wallets::open(store, environment, config).unwrap()
}

fn wallets() -> Wallets {
    over(&Arc::default(), Environment::Live, config())
}

fn from(text: &str) -> AddressPrefix {
    text.parse::<IpAddr>().unwrap().into()
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
    row::commit::<_, AccountError>(&*wallets.store, Table::Challenge, || {
        let mut batch = Batch::new();
        proven.stage_use(&*wallets.store, &mut batch)?;
        Ok((batch, ()))
    })
}

fn ask(wallets: &Wallets, wallet: Address) -> Challenge {
    wallets.challenge(from("192.0.2.1"), wallet, None, NOW).unwrap()
}

fn later(seconds: u64) -> UnixSeconds {
    UnixSeconds(NOW.0 + seconds)
}

#[test]
fn the_holder_of_a_key_proves_its_wallet_without_a_node() {
    let (wallets, key) = (wallets(), key());
    let challenge = ask(&wallets, wallet_of(&key));
    assert_eq!((challenge.chain, challenge.expires_at), (BASE, later(600)));
    assert!(challenge.message.contains(&challenge.nonce));
    let signature = sign(&key, &challenge.message);
    let proven = wallets.verify(&challenge.message, &signature, &NoNodes, later(5)).unwrap();
    assert_eq!((proven.wallet(), proven.chain()), (wallet_of(&key), BASE));
    assert_eq!((proven.at(), proven.by()), (later(5), &ProvenBy::OwnKey));
    assert_eq!(wallets.wallet_named(&challenge.message).unwrap(), wallet_of(&key));
    assert_eq!(wallets.rows().census(), [1; 3], "open until it is written down");
    use_up(&wallets, &proven).unwrap();
    assert_eq!(wallets.rows().census(), [0; 3]);
}

#[test]
fn a_nonce_proves_once() {
    let (wallets, key) = (wallets(), key());
    let challenge = ask(&wallets, wallet_of(&key));
    let signature = sign(&key, &challenge.message);
    let verify = || wallets.verify(&challenge.message, &signature, &NoNodes, NOW);
    let (first, second) = (verify().unwrap(), verify().unwrap());
    use_up(&wallets, &first).unwrap();
    assert!(matches!(use_up(&wallets, &second), Err(AccountError::UnknownChallenge)));
    assert!(matches!(verify(), Err(AccountError::UnknownChallenge)));
}

/// On one machine and on several over one store.
#[test]
fn of_many_who_bring_one_signature_at_one_time_one_succeeds() {
    let (store, key) = (Arc::<MemoryStore>::default(), key());
    let nodes: Vec<_> = (0..4).map(|_| over(&store, Environment::Live, config())).collect();
    let challenge = ask(&nodes[0], wallet_of(&key));
    let signature = sign(&key, &challenge.message);
    let start = Barrier::new(8);
    let proven = std::thread::scope(|scope| {
        let bring = |at: usize| {
            let (node, start, challenge, signature) =
                (&nodes[at % 4], &start, &challenge, &signature);
            scope.spawn(move || {
                start.wait();
                let proven = node.verify(&challenge.message, signature, &NoNodes, NOW);
                proven.and_then(|proven| use_up(node, &proven)).is_ok()
            })
        };
        let threads: Vec<_> = (0..8).map(bring).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(proven.iter().filter(|is_proven| **is_proven).count(), 1);
}

#[test]
fn a_message_that_differs_by_one_byte_is_not_the_one_given_out() {
    let (wallets, key) = (wallets(), key());
    let given = ask(&wallets, wallet_of(&key)).message;
    for at in 0..given.len() {
        let mut bytes = given.clone().into_bytes();
        bytes[at] ^= 1;
        let bent = String::from_utf8(bytes).unwrap();
        let error = wallets.verify(&bent, &sign(&key, &bent), &NoNodes, NOW).unwrap_err();
        let is_refused =
            matches!(error, AccountError::Message { .. } | AccountError::UnknownChallenge);
        assert!(is_refused, "byte {at}: {error}");
    }
    for bent in [
        format!("{given}\n"),
        format!("{given}\nResources:\n- https://evil.example"),
        format!("{given}\nRequest ID: 7"),
        format!("{given}\nNot Before: 2023-11-14T22:13:20Z"),
        format!(" {given}"),
        given.replace("2023-11-14T22:23:20Z", "2033-11-14T22:23:20Z"),
        given.replace("2023-11-14T22:23:20Z", "2023-11-14T22:23:20.000Z"),
        given.replace("Chain ID: 8453", "Chain ID: 1"),
        given.replace("Chain ID: 8453", "Chain ID: 08453"),
        given.replace('\n', "\r\n"),
    ] {
        assert_ne!(bent, given);
        let error = wallets.verify(&bent, &sign(&key, &bent), &NoNodes, NOW).unwrap_err();
        assert!(matches!(error, AccountError::Message { .. }), "{error}");
    }
    assert!(wallets.verify(&given, &sign(&key, &given), &NoNodes, NOW).is_ok(), "it is still open");
}

#[test]
fn a_message_for_another_wallet_is_not_the_one_given_out() {
    let (wallets, mine) = (wallets(), key());
    let other = SigningKey::from_slice(&[8; 32]).unwrap();
    let given = ask(&wallets, wallet_of(&other)).message;
    let mine_text = crate::show_wallet(&wallet_of(&mine));
    let bent = given.replace(&crate::show_wallet(&wallet_of(&other)), &mine_text);
    let error = wallets.verify(&bent, &sign(&mine, &bent), &NoNodes, NOW).unwrap_err();
    assert!(matches!(error, AccountError::Message { .. }), "{error}");
    let nodes = Nodes::that_say(Ok(vec![]));
    let error = wallets.verify(&given, &sign(&mine, &given), &nodes, NOW).unwrap_err();
    assert!(matches!(error, AccountError::Signature { .. }), "signed by another: {error}");
}

#[test]
fn another_services_or_environments_challenge_proves_nothing_here() {
    let (store, key) = (Arc::<MemoryStore>::default(), key());
    let elsewhere = WalletConfig { domain: "evil.example".into(), ..config() };
    let (other, test) = (
        over(&Arc::default(), Environment::Live, elsewhere),
        over(&store, Environment::Test, config()),
    );
    let live = over(&store, Environment::Live, config());
    let of_other = ask(&other, wallet_of(&key)).message;
    let error = live.verify(&of_other, &sign(&key, &of_other), &NoNodes, NOW).unwrap_err();
    assert!(error.to_string().contains("domain"), "{error}");
    let of_test = ask(&test, wallet_of(&key)).message;
    let error = live.verify(&of_test, &sign(&key, &of_test), &NoNodes, NOW).unwrap_err();
    assert!(matches!(error, AccountError::UnknownChallenge));
    let proven = test.verify(&of_test, &sign(&key, &of_test), &NoNodes, NOW).unwrap();
    assert_eq!(proven.environment(), Environment::Test);
}

#[test]
fn a_chain_is_named_by_whoever_asks_and_must_be_configured() {
    let (wallets, key) = (wallets(), key());
    let ask = |chain| wallets.challenge(from("::1"), wallet_of(&key), Some(ChainId(chain)), NOW);
    let message = ask(1).unwrap().message;
    assert!(message.contains("Chain ID: 1\n"));
    let proven = wallets.verify(&message, &sign(&key, &message), &NoNodes, NOW).unwrap();
    assert_eq!(proven.chain(), ChainId(1));
    assert!(matches!(ask(2), Err(AccountError::Message { .. })));
}

#[test]
fn the_time_to_sign_ends_with_its_second_and_no_clock_revives_it() {
    let (wallets, key) = (wallets(), key());
    let verify = |message: &str, at| wallets.verify(message, &sign(&key, message), &NoNodes, at);
    let first = ask(&wallets, wallet_of(&key)).message;
    assert!(verify(&first, later(599)).is_ok());
    let second = ask(&wallets, wallet_of(&key)).message;
    let error = verify(&second, later(600)).unwrap_err();
    assert!(matches!(error, AccountError::ExpiredChallenge { at } if at == later(600)));
    let revived = verify(&second, later(0));
    assert!(matches!(revived, Err(AccountError::UnknownChallenge)), "the clock was set back");
    let third = ask(&wallets, wallet_of(&key)).message;
    let early = verify(&third, UnixSeconds(NOW.0 - 61)).unwrap_err();
    assert!(matches!(early, AccountError::EarlyChallenge { at } if at == NOW));
    assert!(verify(&third, UnixSeconds(NOW.0 - 60)).is_ok(), "clocks of two nodes differ a little");
    let never = wallets.challenge(from("::1"), Address([1; 20]), None, UnixSeconds(u64::MAX));
    assert!(matches!(never, Err(AccountError::Overflow { .. })));
}

#[test]
fn a_malleable_twin_is_refused_and_nobody_is_asked_about_it() {
    let (wallets, key) = (wallets(), key());
    let message = ask(&wallets, wallet_of(&key)).message;
    let good = sign(&key, &message);
    let order = alloy_primitives::U256::from_be_slice(&alloy_primitives::hex!(
        "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
    ));
    let mut twin = good.clone();
    let s = order - alloy_primitives::U256::from_be_slice(&good[32..64]);
    twin[32..64].copy_from_slice(&s.to_be_bytes::<32>());
    twin[64] ^= 27 ^ 28;
    let nodes = Nodes::that_vouch();
    let error = wallets.verify(&message, &twin, &nodes, NOW).unwrap_err();
    assert!(matches!(error, AccountError::Signature { .. }), "{error}");
    assert_eq!(nodes.asked(), 0);
    assert!(wallets.verify(&message, &good, &nodes, NOW).is_ok());
}

#[test]
fn a_contract_vouches_where_nodes_say_so() {
    let wallets = wallets();
    let message = ask(&wallets, Address([5; 20])).message;
    let nodes = Nodes::that_vouch();
    let proven = wallets.verify(&message, b"by my contract", &nodes, NOW).unwrap();
    let by = ProvenBy::Contract { block: BlockNumber(7), nodes: vec!["a".into(), "b".into()] };
    assert_eq!((proven.wallet(), proven.by()), (Address([5; 20]), &by));
    assert_eq!(nodes.asked(), 1);
}

#[test]
fn what_no_node_confirms_is_never_valid() {
    let wallets = wallets();
    let message = ask(&wallets, Address([5; 20])).message;
    let verify = |nodes: &dyn ContractCaller| {
        wallets.verify(&message, b"by my contract", nodes, NOW).unwrap_err()
    };
    let error = verify(&Nodes::that_say(Err(())));
    assert!(matches!(error, AccountError::ContractWallet { chain: BASE }), "{error}");
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    let error = verify(&NoNodes);
    assert!(matches!(error, AccountError::NoContractNodes { chain: BASE }), "{error}");
    assert_eq!(error.kind(), ErrorKind::Invalid, "asking again never helps");
    for returned in [vec![0; 33], vec![], vec![0xff; 33]] {
        let nodes = Nodes::that_say(Ok(returned));
        let error = wallets.verify(&message, b"by my contract", &nodes, NOW).unwrap_err();
        assert!(matches!(error, AccountError::Signature { .. }), "{error}");
    }
}

#[test]
fn nodes_are_asked_a_bounded_number_of_times_about_one_challenge() {
    let wallets = wallets();
    let message = ask(&wallets, Address([5; 20])).message;
    let nodes = Nodes::that_say(Ok(vec![0; 33]));
    for _ in 0..5 {
        let error = wallets.verify(&message, b"no", &nodes, NOW).unwrap_err();
        assert!(matches!(error, AccountError::Signature { .. }), "{error}");
    }
    let error = wallets.verify(&message, b"no", &nodes, NOW).unwrap_err();
    assert!(matches!(error, AccountError::Tries), "{error}");
    assert_eq!(nodes.asked(), 5);
}

/// Nodes that answer only after somebody else was turned away.
struct Slow<'a>(&'a Wallets, &'a str);

impl ContractCaller for Slow<'_> {
    fn asks(&self, _: ChainId) -> bool {
        true
    }

    fn call(&self, _: ChainId, _: &ContractCall) -> Result<Called, CallUnavailable> {
        let nodes = Nodes::that_vouch();
        let error = self.0.verify(self.1, b"me too", &nodes, NOW).unwrap_err();
        assert!(matches!(error, AccountError::ContractWallet { .. }), "{error}");
        assert_eq!(nodes.asked(), 0);
        Err(CallUnavailable { why: "slow".into() })
    }
}

#[test]
fn questions_to_nodes_at_one_time_are_bounded_and_end() {
    let config = WalletConfig { contract_checks_at_once_max: 1, ..config() };
    let wallets = over(&Arc::default(), Environment::Live, config);
    let message = ask(&wallets, Address([5; 20])).message;
    let slow = Slow(&wallets, &message);
    assert!(wallets.verify(&message, b"first", &slow, NOW).is_err());
    assert!(wallets.verify(&message, b"now", &Nodes::that_vouch(), NOW).is_ok());
}

#[test]
fn a_contract_counts_only_on_its_chains() {
    let wallets = wallets();
    let on_one = wallets.challenge(from("::1"), Address([5; 20]), Some(ChainId(1)), NOW).unwrap();
    let nodes = Nodes::that_vouch();
    let error = wallets.verify(&on_one.message, b"by my contract", &nodes, NOW).unwrap_err();
    assert!(matches!(error, AccountError::Signature { .. }), "{error}");
    assert_eq!(nodes.asked(), 0);
}

#[test]
fn one_place_has_a_bounded_number_open_and_others_are_unharmed() {
    let config = WalletConfig { open_per_prefix_max: 3, ..config() };
    let wallets = over(&Arc::default(), Environment::Live, config);
    let ask = |text, at| wallets.challenge(from(text), Address([5; 20]), None, at);
    for second in 0..3 {
        ask("2001:db8:1:1::1", later(second)).unwrap();
    }
    // another /64 of the same site
    let error = ask("2001:db8:1:2::1", later(10)).unwrap_err();
    let ChallengesOpenAfter(wait) = error.into();
    assert_eq!(wait, Some(590));
    for other in ["2001:db8:2::1", "192.0.2.1", "192.0.2.2"] {
        ask(other, later(10)).unwrap();
    }
    ask("2001:db8:1:1::1", later(600)).unwrap();
    assert!(ask("2001:db8:1:1::1", later(600)).is_err(), "one was over, not two");
}

struct ChallengesOpenAfter(Option<u64>);

impl From<AccountError> for ChallengesOpenAfter {
    fn from(error: AccountError) -> Self {
        match error {
            AccountError::ChallengesOpen { retry_after_seconds, .. } => {
                Self(Some(retry_after_seconds))
            }
            _ => Self(None),
        }
    }
}

#[test]
fn in_all_there_is_a_bounded_number_and_the_oldest_gives_way() {
    let config = WalletConfig { open_max: 4, ..config() };
    let (wallets, key) = (over(&Arc::default(), Environment::Live, config), key());
    let given: Vec<_> = (0..10_u8)
        .map(|number| {
            let place = AddressPrefix::from(IpAddr::from([192, 0, 2, number]));
            wallets.challenge(place, wallet_of(&key), None, later(number.into())).unwrap().message
        })
        .collect();
    assert_eq!(wallets.rows().census(), [4; 3]);
    let verify = |at: usize| {
        wallets.verify(&given[at], &sign(&key, &given[at]), &NoNodes, later(10)).is_ok()
    };
    assert!(!verify(5) && verify(6) && verify(9));
}

#[test]
fn what_is_over_is_dropped_and_what_is_not_stays() {
    let wallets = wallets();
    for number in 0..600_u64 {
        let place = AddressPrefix::from(IpAddr::from([10, 0, (number / 256) as u8, number as u8]));
        wallets.challenge(place, Address([5; 20]), None, later(number)).unwrap();
    }
    assert_eq!(wallets.rows().census(), [600; 3]);
    let mut dropped = 0;
    while let gone @ 1.. = wallets.prune(later(600 + 499)).unwrap() {
        dropped += gone;
    }
    assert_eq!(dropped, 500);
    assert_eq!(wallets.rows().census(), [100; 3]);
}

#[test]
fn many_nodes_that_give_out_at_one_time_pass_no_bound() {
    let config = WalletConfig { open_per_prefix_max: 5, ..config() };
    let store = Arc::<MemoryStore>::default();
    let nodes: Vec<_> = (0..4).map(|_| over(&store, Environment::Live, config.clone())).collect();
    let given: usize = std::thread::scope(|scope| {
        let asks = |node: &'_ Wallets| {
            let ask = |_| node.challenge(from("192.0.2.1"), Address([5; 20]), None, NOW).is_ok();
            (0..4).map(ask).filter(|is_given| *is_given).count()
        };
        let threads: Vec<_> = nodes.iter().map(|node| scope.spawn(move || asks(node))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(given, 5);
    assert_eq!(nodes[0].rows().census(), [5; 3]);
}

/// Another node's challenge between the look at a place and the commit: it has no more than it may.
#[test]
fn a_challenge_given_out_in_the_middle_of_another_counts() {
    let config = WalletConfig { open_per_prefix_max: 1, ..config() };
    let store = Arc::<MemoryStore>::default();
    let plain = over(&store, Environment::Live, config.clone());
    let other = over(&store, Environment::Live, config.clone());
    let interrupted = Interrupted::new(store, move |read| {
        if read == 1 {
            other.challenge(from("192.0.2.1"), Address([6; 20]), None, NOW).unwrap();
        }
    });
    let node = Wallets::open(Arc::new(interrupted), Environment::Live, config.clone()).unwrap();
    let given = node.challenge(from("192.0.2.1"), Address([5; 20]), None, NOW);
    assert!(matches!(given, Err(AccountError::ChallengesOpen { .. })), "{given:?}");
    assert_eq!(plain.rows().census(), [1; 3]);
}
