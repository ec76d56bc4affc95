//! Time limits for service answers, and messages during a wait.

use std::time::Duration;

use clap::Args;
use superroot_client::{Client, ClientError};

use super::style::plain;

/// Flag of short commands with service requests.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct TimeoutArgs {
    /// Seconds for each whole answer from the service.
    #[arg(
        long,
        global = true,
        value_name = "SECONDS",
        default_value_t = 60,
        value_parser = clap::value_parser!(u64).range(1..=86_400)
    )]
    timeout: u64,
}

impl TimeoutArgs {
    /// Client that reports waits.
    pub(crate) fn client(self, url: &str) -> Result<Client, ClientError> {
        self.client_with(url, |client| client)
    }

    /// Like [`Self::client`], with a change to the client before the timeout is set.
    pub(crate) fn client_with(
        self,
        url: &str,
        change: impl FnOnce(Client) -> Client,
    ) -> Result<Client, ClientError> {
        let seconds = self.timeout;
        let client = change(Client::new(url)?).with_timeout(Duration::from_secs(seconds));
        Ok(client.with_wait_notice(move |what| {
            say!("{}; --timeout ends it after {seconds} s", plain(what));
        }))
    }
}
