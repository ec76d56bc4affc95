//! How long commands wait for a service, and what they say meanwhile.

use std::time::Duration;

use clap::Args;
use superroot_client::{Client, ClientError};

use super::style::plain;

/// The flag of commands that ask a service and end.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct TimeoutArgs {
    /// Seconds that each whole answer of the service may take.
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
    /// A client that says what it waits for.
    pub(crate) fn client(self, url: &str) -> Result<Client, ClientError> {
        self.client_with(url, |client| client)
    }

    /// The same of a client that is changed before it gets its time.
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
