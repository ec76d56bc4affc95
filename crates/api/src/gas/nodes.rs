//! Gas prices from nodes, requested on demand and cached for some seconds.

use std::collections::HashMap;
use std::sync::{Arc, Mutex as Lock, PoisonError};

use superroot_gas::{PriceNodes, QuotedGasPrice};
use superroot_types::{ChainKey, Family};
use superroot_wire::gas as body;
use superroot_wire::gas::{Amount, ChainGas, MissingFigure};
use tokio::sync::Mutex;
use tokio::time::{Duration, Instant};

const FIGURE: &str = "node_price";
/// Cache time for a result, including failures.
const KEPT: Duration = Duration::from_secs(3);

type Slot = Arc<Mutex<Option<(Instant, Result<QuotedGasPrice, String>)>>>;

#[derive(Default)]
pub(crate) struct NodePrices(Lock<HashMap<ChainKey, Slot>>);

impl NodePrices {
    /// Adds node prices to a chain's figures, unless its headers determine the next base fee. The nodes are asked once
    /// per [`KEPT`] for all callers.
    pub(super) async fn add(&self, gas: &mut ChainGas, nodes: &dyn PriceNodes) {
        match self.of(gas, nodes).await {
            Ok(price) => gas.node_price = Some(price),
            Err(why) => gas.missing.push(MissingFigure { figure: FIGURE, why }),
        }
    }

    async fn of(&self, gas: &ChainGas, nodes: &dyn PriceNodes) -> Result<body::NodePrice, String> {
        if gas.family != Family::Evm {
            return Err("only nodes of the EVM family are asked".to_owned());
        }
        if gas.next_base_fee.is_some() {
            return Err("headers decide the next base fee: no node is asked".to_owned());
        }
        if gas.block.is_none() {
            return Err("no block of it is held".to_owned());
        }
        let chain = ChainKey { family: gas.family, id: gas.chain_id };
        if !nodes.asks(chain) {
            return Err("this service asks no node of the chain".to_owned());
        }
        let slot = Arc::clone(self.slots().entry(chain).or_default());
        let mut kept = slot.lock().await;
        let fresh = kept.take().filter(|(asked, _)| asked.elapsed() < KEPT);
        let said = match fresh {
            Some(said) => said,
            None => {
                let asked = Instant::now();
                (asked, nodes.gas_price(chain).await)
            }
        };
        let (asked, said) = kept.insert(said);
        let said = said.as_ref().map_err(Clone::clone)?;
        Ok(body::NodePrice {
            gas_price: Amount::of(said.median),
            lowest: Amount::of(said.lowest),
            highest: Amount::of(said.highest),
            evidence: if said.nodes.len() > 1 { "node_quorum" } else { "one_node" },
            nodes: said.nodes.clone(),
            age_seconds: asked.elapsed().as_secs(),
        })
    }

    fn slots(&self) -> std::sync::MutexGuard<'_, HashMap<ChainKey, Slot>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use superroot_chain::ChainRegistry;
    use superroot_gas::{Asking, Figures, NoFigure};
    use superroot_types::{BlockNumber, Hash};
    use superroot_wire::gas::GasBlock;

    use super::*;
    use crate::gas::figures::chain_gas;

    /// Nodes of every chain, which count how often they are asked.
    struct Nodes(Result<u64, &'static str>, AtomicUsize);

    impl PriceNodes for Nodes {
        fn asks(&self, _: ChainKey) -> bool {
            true
        }

        fn gas_price(&self, _: ChainKey) -> Asking<'_> {
            self.1.fetch_add(1, Ordering::Relaxed);
            let nodes = vec!["a".to_owned(), "b".to_owned()];
            let (lowest, highest) = (1, 9_000_000_000);
            let said = self.0.map_err(str::to_owned);
            let said = said.map(|median| QuotedGasPrice { median, lowest, highest, nodes });
            Box::pin(async {
                tokio::time::sleep(Duration::from_millis(500)).await;
                said
            })
        }
    }

    fn gas(chain: &str) -> ChainGas {
        let row = ChainRegistry::builtin().find(chain).unwrap();
        let block = GasBlock {
            number: BlockNumber(7),
            hash: Hash([7; 32]),
            timestamp: 0,
            finality: "head",
            age_seconds: 0,
            proof_url: String::new(),
        };
        chain_gas(row, Some(block), &Figures::none(&NoFigure::of("its state decides it")))
    }

    fn why(gas: &ChainGas) -> &str {
        &gas.missing.iter().find(|one| one.figure == FIGURE).unwrap().why
    }

    #[tokio::test(start_paused = true)]
    async fn nodes_are_asked_once_in_some_seconds_whoever_wants_to_know() {
        let (prices, nodes) = (NodePrices::default(), Nodes(Ok(1_500_000_000), 0.into()));
        let asked = || nodes.1.load(Ordering::Relaxed);
        let [mut first, mut second] = [gas("arbitrum"), gas("arbitrum")];
        tokio::join!(prices.add(&mut first, &nodes), prices.add(&mut second, &nodes));
        let price = first.node_price.unwrap();
        assert_eq!((price.gas_price.gwei.as_str(), price.evidence), ("1.5", "node_quorum"));
        assert_eq!((price.lowest.wei.as_str(), price.highest.gwei.as_str()), ("1", "9"));
        assert_eq!((second.node_price.unwrap().nodes, asked()), (price.nodes, 1));
        tokio::time::sleep(Duration::from_secs(2)).await;
        let mut again = gas("arbitrum");
        prices.add(&mut again, &nodes).await;
        assert_eq!((again.node_price.unwrap().age_seconds, asked()), (2, 1));
        prices.add(&mut gas("monad"), &nodes).await;
        assert_eq!(asked(), 2, "each chain has nodes of its own");
        tokio::time::sleep(KEPT).await;
        prices.add(&mut gas("arbitrum"), &nodes).await;
        assert_eq!(asked(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn that_nothing_is_known_is_said_and_kept_as_well() {
        let (prices, nodes) = (NodePrices::default(), Nodes(Err("they are silent"), 0.into()));
        for _ in 0..3 {
            let mut gas = gas("arbitrum");
            prices.add(&mut gas, &nodes).await;
            assert_eq!((gas.node_price.as_ref(), why(&gas)), (None, "they are silent"));
        }
        assert_eq!(nodes.1.load(Ordering::Relaxed), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_is_asked_what_headers_decide_or_what_is_not_gas() {
        let (prices, nodes) = (NodePrices::default(), Nodes(Ok(7), 0.into()));
        let mut decided = gas("ethereum");
        let next = Amount::of(7);
        decided.next_base_fee =
            Some(body::NextBaseFee { amount: next, rule: String::new(), confirmed_steps: 1 });
        let mut without = gas("ethereum");
        without.block = None;
        for gas in [&mut decided, &mut without, &mut gas("bitcoin")] {
            prices.add(gas, &nodes).await;
            assert_eq!(gas.node_price, None);
            assert!(why(gas).len() > 10);
        }
        assert_eq!(nodes.1.load(Ordering::Relaxed), 0);
        prices.add(&mut without, &superroot_gas::NoPriceNodes).await;
        assert_eq!(without.node_price, None);
    }
}
