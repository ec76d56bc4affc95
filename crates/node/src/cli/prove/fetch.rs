//! Asking a service for a proof, once or until the block is anchored.

use superroot_client::{At, Client, ClientError};
use superroot_types::BlockNumber;

use super::target::{Block, What};

/// Longest pause between two attempts, in seconds.
const PAUSE_SECONDS_MAX: u64 = 30;
/// Pause where the service names none, in seconds.
const PAUSE_SECONDS: u64 = 5;

/// Fetches the answer to what is asked, as it came.
///
/// # Errors
/// [`ClientError`] as the service and the network give it.
pub(super) async fn fetch(url: &str, what: &What, at: At) -> Result<Vec<u8>, ClientError> {
    let client = Client::new(url)?.under(at);
    let chain = what.chain().id.to_string();
    match what {
        What::Block { number: Block::Latest, .. } => {
            client.fetch_block_proof(&chain, "latest").await
        }
        What::Block { number: Block::Number(number), .. } => {
            client.fetch_block_proof(&chain, &number.to_string()).await
        }
        What::Tx { hash, .. } => client.fetch_transaction_proof(&chain, &hash.hash).await,
        What::Event { number, tx_index, log_index, .. } => {
            client.fetch_event_proof(&chain, BlockNumber(*number), *tx_index, *log_index).await
        }
        What::EventByTx { hash, log_index, .. } => {
            client.fetch_event_proof_by_hash(&chain, &hash.hash, *log_index).await
        }
        What::Absence { number, tx_index, .. } => {
            client.fetch_absence_proof(&chain, BlockNumber(*number), *tx_index).await
        }
    }
}

/// Fetches until the answer is another than "not anchored yet", or says that it will never be,
/// pausing as the service asks, but no
/// longer than `wait_seconds` in all. `pause` is told the seconds and what the service said.
///
/// # Errors
/// The last answer of the service.
pub(super) async fn fetch_anchored<T>(
    wait_seconds: u64,
    mut fetch: impl AsyncFnMut() -> Result<T, ClientError>,
    mut pause: impl AsyncFnMut(u64, &str),
) -> Result<T, ClientError> {
    let mut left = wait_seconds;
    loop {
        match fetch().await {
            Err(ClientError::Problem {
                status: 409, detail, retryable: true, retry_after, ..
            }) if left > 0 => {
                let asked = retry_after.unwrap_or(PAUSE_SECONDS);
                let seconds = asked.clamp(1, PAUSE_SECONDS_MAX).min(left);
                left = left.saturating_sub(seconds);
                pause(seconds, &detail).await;
            }
            answer => return answer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn not_yet(retry_after: Option<u64>) -> Result<u8, ClientError> {
        let (code, detail) = ("not_yet_anchored".to_owned(), "block 7 is not anchored".to_owned());
        Err(ClientError::Problem { status: 409, code, detail, retryable: true, retry_after })
    }

    /// The answers in turn, the pauses made, and the last answer.
    async fn run(
        wait_seconds: u64,
        mut answers: Vec<Result<u8, ClientError>>,
    ) -> (Result<u8, ClientError>, Vec<u64>) {
        let mut pauses = Vec::new();
        answers.reverse();
        let fetch = async || answers.pop().expect("no more is asked than was prepared");
        let last = fetch_anchored(wait_seconds, fetch, async |seconds, why: &str| {
            assert_eq!(why, "block 7 is not anchored");
            pauses.push(seconds);
        });
        let last = last.await;
        (last, pauses)
    }

    #[tokio::test]
    async fn waiting_ends_with_the_anchor() {
        let (last, pauses) = run(60, vec![not_yet(Some(12)), not_yet(None), Ok(1)]).await;
        assert_eq!((last.unwrap(), pauses), (1, vec![12, 5]));
    }

    #[tokio::test]
    async fn waiting_ends_with_its_time() {
        let (last, pauses) =
            run(20, vec![not_yet(Some(12)), not_yet(Some(12)), not_yet(None)]).await;
        assert!(matches!(last, Err(ClientError::Problem { status: 409, .. })));
        assert_eq!(pauses, [12, 8]);
        let (last, pauses) = run(0, vec![not_yet(Some(1))]).await;
        assert!(last.is_err() && pauses.is_empty());
    }

    /// Neither a service that asks for no pause nor one that asks for years has its will.
    #[tokio::test]
    async fn pauses_are_bounded() {
        let (last, pauses) = run(3, (0..4).map(|_| not_yet(Some(0))).collect()).await;
        assert_eq!((last.is_err(), pauses), (true, vec![1, 1, 1]));
        let (last, pauses) = run(99, vec![not_yet(Some(u64::MAX)), Ok(1)]).await;
        assert_eq!((last.unwrap(), pauses), (1, vec![30]));
    }

    /// The SuperRoot that is named ends below the block.
    #[tokio::test]
    async fn what_never_comes_is_not_waited_for() {
        let (code, detail) = ("not_yet_anchored".to_owned(), "not in SuperRoot 0".to_owned());
        let (status, retryable, retry_after) = (409, false, None);
        let never = ClientError::Problem { status, code, detail, retryable, retry_after };
        let (last, pauses) = run(60, vec![Err(never)]).await;
        assert!(last.is_err() && pauses.is_empty(), "{pauses:?}");
    }

    #[tokio::test]
    async fn only_a_missing_anchor_is_waited_for() {
        let (last, pauses) = run(60, vec![Err(ClientError::Status { status: 503 })]).await;
        assert!(matches!(last, Err(ClientError::Status { status: 503 })) && pauses.is_empty());
    }
}
