//! Products from collected events, one row each: the view stored per block, and the stage run on each chain.
//!
//! A new product adds its row here, its routes to the table of the API crate, and its section to the configuration.

use std::sync::Arc;

use superroot_api::Markets;
use superroot_chain::ChainSpec;
use superroot_index::{View, Views};
use superroot_market::PoolView;
use superroot_market::launch::LAUNCHES;
use superroot_order::OrderView;
use superroot_store::Store;
use superroot_stream::StreamLogWriter;
use superroot_types::{Family, Network};

use crate::blooms::TwigBlooms;
use crate::launches::LaunchFinder;
use crate::stage::Runner;

/// Parts for product stages.
pub(crate) struct ProductParts<'a> {
    pub(crate) store: &'a Arc<dyn Store>,
    pub(crate) network: Network,
    pub(crate) markets: &'a Markets,
}

/// Product; parts are optional.
struct Product {
    /// View over events, stored per block next to the event index.
    view: Option<fn() -> Box<dyn View>>,
    /// Starts the stage for one chain, if any.
    start: Option<fn(&ProductParts<'_>, &ChainSpec, &mut Runner)>,
    /// Feed stage with streamed events: streams wait for the stage on EVM chains.
    streamed: Option<&'static str>,
}

const NONE: Product = Product { view: None, start: None, streamed: None };

const PRODUCTS: [Product; 4] = [
    // prices and differences
    Product { view: Some(|| Box::new(PoolView)), ..NONE },
    Product { view: Some(|| Box::new(OrderView)), ..NONE },
    Product { start: Some(find_launches), streamed: Some(LAUNCHES), ..NONE },
    Product { start: Some(build_blooms), ..NONE },
];

/// Views of all products.
pub(crate) fn views() -> Views {
    PRODUCTS.iter().filter_map(|product| product.view).map(|view| view()).collect()
}

/// Starts the stages of all products for one chain.
pub(crate) fn start(parts: &ProductParts<'_>, row: &ChainSpec, runner: &mut Runner) {
    PRODUCTS.iter().filter_map(|product| product.start).for_each(|start| start(parts, row, runner));
}

/// Makes the stream writer wait for streamed products.
pub(crate) fn wait_for_streamed(writer: StreamLogWriter) -> StreamLogWriter {
    let streamed = PRODUCTS.iter().filter_map(|product| product.streamed);
    streamed.fold(writer, StreamLogWriter::waiting_for)
}

fn find_launches(parts: &ProductParts<'_>, row: &ChainSpec, runner: &mut Runner) {
    if row.family() != Family::Evm {
        return;
    }
    let finder = LaunchFinder::new(parts.store.clone(), row, parts.network, parts.markets);
    finder.into_iter().for_each(|finder| runner.work(finder));
}

fn build_blooms(parts: &ProductParts<'_>, row: &ChainSpec, runner: &mut Runner) {
    runner.work(TwigBlooms::new(parts.store.clone(), row.clone()));
}
