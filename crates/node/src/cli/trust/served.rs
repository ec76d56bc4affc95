//! Sets of signers of a service.

use anyhow::{Context, bail};
use superroot_chain::ChainSpec;
use superroot_client::Client;
use superroot_types::Network;
use superroot_wire::finality::{LightClient, LightClientSet};

/// Refuses a service of another network: keys of a demo are public.
pub(super) async fn newest_of_network(
    client: &Client,
    (row, network): (&ChainSpec, Network),
) -> anyhow::Result<LightClient> {
    let said: LightClient = serde_json::from_slice(&client.fetch_light_client(row.id).await?)?;
    // recorded blocks are those of the live chain
    if (said.network == Network::Simulated) != (network == Network::Simulated) {
        let name = said.network.name();
        bail!("the network of this service is {name}: give --network {name}");
    }
    Ok(said)
}

pub(super) async fn of_service(
    client: &Client,
    of: (&ChainSpec, Network),
    number: Option<u64>,
) -> anyhow::Result<Vec<u8>> {
    let (said, row) = (newest_of_network(client, of).await?, of.0);
    let set: LightClientSet = match number {
        Some(number) => {
            serde_json::from_slice(&client.fetch_light_client_set(row.id, number).await?)?
        }
        None => said.newest.context("the service holds no set of that chain yet")?,
    };
    Ok(set.set.0)
}
