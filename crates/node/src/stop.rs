//! The request to stop: Ctrl-C, or SIGTERM of a service manager.

use std::io;
use std::sync::OnceLock;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Ready once the process was asked to stop. A request is remembered: it counts for every call, if
/// it came after the first one began to wait, so none is lost between two stages of a command. A
/// second one ends the process at once; what that leaves behind is what a crash leaves.
///
/// # Errors
/// That of the system where it cannot be listened for.
pub(crate) async fn requested() -> io::Result<()> {
    static REQUESTED: OnceLock<CancellationToken> = OnceLock::new();
    let requested = match REQUESTED.get() {
        Some(requested) => requested,
        None => {
            let (mut requests, token) = (Requests::listen()?, CancellationToken::new());
            let told = token.clone();
            tokio::spawn(async move {
                requests.next().await;
                told.cancel();
                requests.next().await;
                std::process::exit(130);
            });
            REQUESTED.get_or_init(|| token)
        }
    };
    requested.cancelled().await;
    Ok(())
}

struct Requests {
    interrupt: Signal,
    terminate: Signal,
}

impl Requests {
    fn listen() -> io::Result<Self> {
        let interrupt = signal(SignalKind::interrupt())?;
        Ok(Self { interrupt, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::time::Duration;

    use super::*;

    /// A service manager may ask in the moment in which a service becomes ready, when nobody waits.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_request_that_comes_while_nobody_waits_is_not_lost() {
        let brief = tokio::time::timeout(Duration::from_millis(1), requested()).await;
        assert!(brief.is_err(), "nobody asked yet");
        let id = std::process::id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        for _ in 0..2 {
            let heard = tokio::time::timeout(Duration::from_secs(60), requested()).await;
            heard.expect("the request was lost").unwrap();
        }
    }
}
