//! Stop requests: Ctrl-C, or SIGTERM from a service manager.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

static REQUESTED: OnceLock<Requested> = OnceLock::new();

struct Requested {
    first: CancellationToken,
    /// Whether the first request came from a service manager, which redirects clients meanwhile.
    is_managed: AtomicBool,
    /// Whether the service serves on until the next request.
    is_draining: AtomicBool,
    next: CancellationToken,
}

/// Completes after a stop request. Requests are remembered: a request counts for every call if it arrived after the
/// first call began, so none is lost between two stages of a command. A second request ends the process at once, like a
/// crash, except when it ends [`drain`].
pub(crate) async fn requested() -> io::Result<()> {
    let requested = match REQUESTED.get() {
        Some(requested) => requested,
        None => {
            let requests = StopRequests::listen()?;
            let mut is_new = false;
            let requested = REQUESTED.get_or_init(|| {
                is_new = true;
                Requested::new()
            });
            if is_new {
                tokio::spawn(requested.hear(requests));
            }
            requested
        }
    };
    requested.first.cancelled().await;
    Ok(())
}

/// Waits for the given time or the next request, if the stop came from a service manager. A stop at the terminal needs
/// no wait, because no clients are redirected.
pub(crate) async fn drain(time: Duration) {
    let Some(requested) = REQUESTED.get() else { return };
    if time.is_zero() || !requested.is_managed.load(Ordering::SeqCst) {
        return;
    }
    requested.is_draining.store(true, Ordering::SeqCst);
    let _ = tokio::time::timeout(time, requested.next.cancelled()).await;
    requested.is_draining.store(false, Ordering::SeqCst);
}

impl Requested {
    fn new() -> Self {
        Self {
            first: CancellationToken::new(),
            is_managed: AtomicBool::default(),
            is_draining: AtomicBool::default(),
            next: CancellationToken::new(),
        }
    }

    async fn hear(&self, mut requests: StopRequests) {
        let is_managed = requests.next().await == SignalKind::terminate();
        self.is_managed.store(is_managed, Ordering::SeqCst);
        self.first.cancel();
        loop {
            requests.next().await;
            if !self.is_draining.swap(false, Ordering::SeqCst) {
                std::process::exit(130);
            }
            self.next.cancel();
        }
    }
}

struct StopRequests {
    interrupt: Signal,
    terminate: Signal,
}

impl StopRequests {
    fn listen() -> io::Result<Self> {
        let interrupt = signal(SignalKind::interrupt())?;
        Ok(Self { interrupt, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) -> SignalKind {
        tokio::select! {
            _ = self.interrupt.recv() => SignalKind::interrupt(),
            _ = self.terminate.recv() => SignalKind::terminate(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn terminate() {
        let id = std::process::id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    }

    /// A service manager may ask in the moment in which a service becomes ready, when nobody waits.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_request_that_comes_while_nobody_waits_is_not_lost_and_the_next_ends_the_drain() {
        let brief = tokio::time::timeout(Duration::from_millis(1), requested()).await;
        assert!(brief.is_err(), "nobody asked yet");
        terminate();
        for _ in 0..2 {
            let heard = tokio::time::timeout(Duration::from_secs(60), requested()).await;
            heard.expect("the request was lost").unwrap();
        }
        drain(Duration::ZERO).await;
        let begun = std::time::Instant::now();
        drain(Duration::from_millis(200)).await;
        assert!(begun.elapsed() >= Duration::from_millis(200), "{:?}", begun.elapsed());
        let next = async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            terminate();
        };
        let drained = async { tokio::join!(drain(Duration::from_secs(600)), next) };
        tokio::time::timeout(Duration::from_secs(60), drained).await.expect("it serves on");
    }
}
