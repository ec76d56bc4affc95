//! Demo with contracts (`demo --contracts`): a chain of this process with registry, anchor and lens, which the service
//! follows, pays on and publishes to.
//!
//! ```text
//! devnet ──► blocks ──► collector ──► payments, checkpoints proven
//!    ▲                                          │
//!    └── /rpc/84532, sender ◄── SuperRoots, usage checkpoints
//! ```
//! All keys follow from words and are known to everybody: the chain's coins are worth nothing.

mod deploy;
mod facilitator;
mod usage;
mod wallet;
mod wallets;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::{Address, B256, U256};
use anyhow::Context;
use superroot_api::{ChainRpc, Facilitator};
use superroot_chain::ChainSpec;
use superroot_devnet::{Devnet, DevnetConfig, DevnetSource};
use superroot_source::{BlockSource, LiveNodes};
use superroot_types::{ChainId, ChainKey, Clock, Family};

pub(crate) use self::usage::count_a_day;
pub(crate) use self::wallets::{DemoContracts, DemoWallets};

use self::facilitator::DemoFacilitator;
use self::wallet::CHAIN;
use crate::chains;
use crate::config::LogConfig;
use crate::evm_key;

const JOURNAL: &str = "devnet.journal";
/// Coins of each demo account: 10,000 ether.
const FUNDED_WEI: u128 = 10_000_000_000_000_000_000_000;
/// Chain with contracts, and what the service needs of it.
pub(crate) struct ContractDemo {
    pub(crate) row: ChainSpec,
    pub(crate) source: Arc<DevnetSource>,
    chain: Arc<Devnet>,
    /// The deployment's last transaction.
    last: B256,
    pub(crate) contracts: DemoContracts,
    customer_file: PathBuf,
    customer: Address,
}

impl ContractDemo {
    /// Opens the folder's chain, and deploys the contracts if it is new.
    pub(crate) fn open(
        data: &Path,
        log: (&LogConfig, &str),
        clock: Arc<dyn Clock>,
    ) -> anyhow::Result<Self> {
        let wallets = DemoWallets::new()?;
        let key = ChainKey { family: Family::Evm, id: ChainId(CHAIN) };
        let row = chains::known().by_key(key).map(|(_, row)| row.clone().as_simulated());
        let row = row.context("the demo's own chain has no row")?;
        let funded = wallets.all().map(|wallet| (wallet.address(), U256::from(FUNDED_WEI)));
        let journal = data.join(JOURNAL);
        let config = DevnetConfig { chain_id: CHAIN, funded: funded.to_vec(), journal };
        let chain = Devnet::open(&config, clock).context("cannot open the demo's own chain")?;
        let (config, origin) = log;
        let signer = evm_key::path(data, config);
        if !signer.exists() {
            evm_key::write_new(&signer)?;
        }
        let secret = evm_key::read_private(&signer)?;
        let signer = superroot_outbox::PayerKey::new(&secret)?.address();
        let last = deploy::deploy(&chain, &wallets, origin, signer)?;
        let customer_file = data.join("demo-customer.key");
        wallets.customer.write(&customer_file)?;
        let contracts = wallets.contracts();
        let write = |name: &str, text: String| {
            let file = data.join(name);
            std::fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))
        };
        write("demo-contracts.json", format!("{}\n", contracts.to_json()))?;
        // verifiers know the built-in chains alone
        write("chains.toml", chains::DEMO_ROWS.to_owned())?;
        Ok(Self {
            row,
            source: Arc::new(DevnetSource::new(chain.clone())),
            chain,
            contracts,
            last,
            customer_file,
            customer: wallets.customer.address(),
        })
    }

    /// Waits until the contracts are in a block: before that there is nothing to send to.
    pub(crate) async fn deployed(&self) {
        while !self.chain.is_included(self.last) {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    pub(crate) fn source(&self) -> Arc<dyn BlockSource> {
        self.source.clone()
    }

    pub(crate) fn nodes(&self) -> (ChainKey, Arc<dyn LiveNodes>) {
        (self.row.key(), self.source.clone())
    }

    /// Sends authorized transfers, for everybody.
    pub(crate) fn facilitator(&self) -> anyhow::Result<Arc<dyn Facilitator>> {
        let wallet = DemoWallets::new()?.admin;
        let usdc = self.contracts.usdc;
        Ok(Arc::new(DemoFacilitator { chain: self.chain.clone(), wallet, usdc }))
    }

    pub(crate) fn rpc(&self) -> Arc<dyn ChainRpc> {
        Arc::new(DemoRpc(self.chain.clone()))
    }

    /// Prints the contracts and first steps.
    pub(crate) fn print(&self, url: &str) {
        use crate::cli::style::HEADING;
        let DemoContracts { usdc, registry, anchor, lens } = self.contracts;
        put!("{HEADING}contracts{HEADING:#} on chain {CHAIN}, at {url}/rpc/{CHAIN}:");
        put!("  registry   {registry}");
        put!("  anchor     {anchor}");
        put!("  lens       {lens}");
        put!("  test USDC  {usdc}");
        put!("  customer   {} ({})", self.customer, self.customer_file.display());
        let data = self.customer_file.parent().unwrap_or(Path::new("."));
        put!(
            "  examples/contracts.sh {url} {} pays, proves, verifies on-chain and checks a bill",
            data.display()
        );
        put!();
    }
}

struct DemoRpc(Arc<Devnet>);

impl ChainRpc for DemoRpc {
    fn chain_id(&self) -> ChainId {
        ChainId(self.0.chain_id())
    }

    fn answer(&self, body: &[u8]) -> Vec<u8> {
        superroot_devnet::answer(&self.0, body).to_string().into_bytes()
    }
}
