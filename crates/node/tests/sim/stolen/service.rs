//! A service as it is run, with a key that may be stolen: a log in a store of its own, and the real
//! routes over it on a real socket.

use std::sync::{Arc, OnceLock};

use superroot_account::wallet::NoNodes;
use superroot_account::{AccountService, Environment};
use superroot_accumulate::prove::Prover;
use superroot_accumulate::{AccumulateProgress, Accumulator, Cosigners};
use superroot_api::{Api, StatusBoard};
use superroot_billing::BillingLedger;
use superroot_chain::ChainRegistry;
use superroot_client::Client;
use superroot_proof::note::TrustPolicy;
use superroot_store::{MemoryStore, Store, read};
use superroot_types::{BlockNumber, ManualClock, SuperRootRef, UnixSeconds};
use superroot_wire::proof::{ProofQuery, ProofTarget};

use super::net::{self, Socket};
use super::support::{Chain, GENESIS, Log, ORIGIN, chain_of};
use super::truth::{Entry, OPERATOR, Side, THIEF, Truth};
use crate::dice::Dice;
use crate::older::{OF_CHAINS, OF_THE_LOG, copy, signer};

/// First blocks: of the first chain a twig is sealed soon.
const FIRST: [u64; 2] = [2_042, 0];

/// A chain as the operator sees it, and other blocks of it.
pub(crate) fn chains(seed: usize) -> &'static [Chain; 2] {
    static CHAINS: OnceLock<[[Chain; 2]; 2]> = OnceLock::new();
    let of = |seed| [chain_of("ethereum", u64::MAX, seed), chain_of("base", u64::MAX, seed)];
    &CHAINS.get_or_init(|| [of(5), of(6)])[seed]
}

/// A service.
pub(crate) struct Service {
    pub(crate) side: Side,
    /// Who asks it.
    pub(crate) client: Client,
    pub(crate) cosigners: Cosigners,
    /// Size that the honest witness cosigned last, as far as the service knows.
    pub(crate) confirmed: u64,
    log: Log,
    policy: TrustPolicy,
    now: u64,
    /// Whose blocks it takes.
    seed: usize,
}

/// Opens the log of that store under the key.
fn open(store: Arc<dyn Store>) -> Log {
    let registry = ChainRegistry::builtin().proof_registry().clone();
    let accumulator = Accumulator::open(store.clone(), registry, ORIGIN).unwrap();
    Log { store, accumulator: accumulator.signed_by(vec![signer(ORIGIN)]).unwrap() }
}

impl Service {
    /// A service without a SuperRoot, which asks for those witnesses.
    pub(crate) fn new(policy: TrustPolicy) -> Self {
        Self::over(Socket::Operator, Arc::new(MemoryStore::new()), policy, OPERATOR)
    }

    /// The thief's, which goes on from a copy of all that the operator has.
    pub(crate) fn stolen(&self, policy: TrustPolicy) -> Self {
        self.copy(Socket::Thief, policy, THIEF)
    }

    /// A copy as it is now, which others are shown later.
    pub(crate) fn lagging(&self) -> Self {
        self.copy(Socket::Lagging, self.policy.clone(), self.side)
    }

    fn copy(&self, socket: Socket, policy: TrustPolicy, side: Side) -> Self {
        let store = Arc::new(MemoryStore::new());
        copy(&*self.log.store, &*store, &OF_THE_LOG);
        copy(&*self.log.store, &*store, &OF_CHAINS);
        let (now, confirmed, seed) = (self.now, self.confirmed, self.seed);
        Self { now, confirmed, seed, ..Self::over(socket, store, policy, side) }
    }

    fn over(socket: Socket, store: Arc<dyn Store>, policy: TrustPolicy, side: Side) -> Self {
        let log = open(store);
        let cosigners =
            Cosigners::open(log.store.clone(), log.accumulator.board(), policy.clone()).unwrap();
        let client = net::serve(socket, superroot_api::router(api(log.prover())));
        Self { side, client, cosigners, confirmed: 0, log, policy, now: GENESIS, seed: 0 }
    }

    /// Another clock, and maybe other blocks, from here on.
    pub(crate) fn lies(&mut self, seconds: u64, has_other_blocks: bool) {
        self.now += seconds;
        self.seed = usize::from(has_other_blocks);
    }

    pub(crate) fn prover(&self) -> Prover {
        self.log.prover()
    }

    pub(crate) fn size(&self) -> u64 {
        self.prover().latest().map_or(0, |latest| latest.super_root.sequence.0 + 1)
    }

    /// Publishes a SuperRoot over some more blocks, and tells what really was.
    pub(crate) fn grow(&mut self, truth: &mut Truth, dice: &mut Dice) {
        let chosen = dice.below(3); // one of the chains, or both
        for (index, chain) in chains(self.seed).iter().enumerate() {
            if chosen as usize != index && chosen < 2 {
                continue;
            }
            let state = read::load_chain_state(&*self.log.store, chain.key()).unwrap();
            let next = state.and_then(|state| state.head).map(|head| head.number.0 + 1);
            let next = next.unwrap_or(FIRST[index]);
            self.log.extend(chain, next..=next + dice.below(3));
        }
        self.now += dice.between(1, 12);
        let progress = self.log.step(self.now);
        let AccumulateProgress::Advanced { sequence, hash, .. } = progress else {
            panic!("{progress:?}")
        };
        assert_eq!(sequence.0, truth.size(self.side));
        let log_root = self.prover().history_root(sequence.size().unwrap()).unwrap();
        truth.publish(self.side, Entry { hash, log_root });
    }

    /// A proof with a note, as anybody asks for one: of some block, now and then under an older SuperRoot.
    pub(crate) fn fetch_proof(&self, dice: &mut Dice) -> Vec<u8> {
        let prover = self.prover();
        let older = dice.percent(40).then(|| superroot_types::Sequence(dice.below(self.size())));
        let which = older.map_or_else(|| prover.noted().unwrap(), SuperRootRef::Sequence);
        let (_, reference) = dice.pick(&prover.published(which).unwrap().references);
        let index = chains(0).iter().position(|chain| chain.key() == reference.chain).unwrap();
        let number = BlockNumber(dice.between(FIRST[index], reference.number.0));
        let target = ProofTarget::Block(number.into());
        let asked = ProofQuery { chain: reference.chain, target };
        let at = older.map_or(SuperRootRef::Latest, SuperRootRef::Sequence);
        let client = self.client.clone().with_notes().under(at);
        net::block_on(client.fetch_proof(&asked)).unwrap()
    }
}

/// What the routes are made of: accounts and limits are no part of this.
fn api(prover: Prover) -> Api {
    static ACCOUNTS: OnceLock<Arc<AccountService>> = OnceLock::new();
    let clock = Arc::new(ManualClock::at(UnixSeconds(GENESIS)));
    let accounts = ACCOUNTS.get_or_init(|| {
        let mut config = superroot_account::AccountConfig::default();
        (config.limit.keyless_per_minute, config.limit.of_keys_per_minute) = (0, 0);
        config.keys.environment = Environment::Test;
        config.routes = superroot_api::metered_routes();
        AccountService::open(Arc::new(MemoryStore::new()), clock.clone(), &config).unwrap()
    });
    Api {
        hub: superroot_stream::Hub::open(prover.clone()).unwrap(),
        prover,
        registry: Arc::new(ChainRegistry::builtin().clone()),
        blooms: Arc::default(),
        status: Arc::new(StatusBoard::new()),
        accounts: accounts.clone(),
        billing: BillingLedger::new(accounts.clone()),
        webhooks: superroot_webhook::Webhooks::new(
            accounts.clone(),
            superroot_webhook::WebhookConfig::default(),
        ),
        watches: superroot_watch::Watches::open(
            accounts.clone(),
            superroot_watch::WatchConfig::default(),
        )
        .unwrap(),
        market: superroot_api::Markets::default(),
        contracts: Arc::new(NoNodes),
        price_nodes: Arc::new(superroot_gas::NoPriceNodes),
        clock,
        config: superroot_api::ApiConfig::default(),
        ready: Arc::new(true.into()),
        rpc: None,
        passes: None,
    }
}
