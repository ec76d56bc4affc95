//! Proof requests to a service, once or until anchored.

use superroot_client::ClientError;

/// Longest pause between attempts, in seconds.
const PAUSE_SECONDS_MAX: u64 = 30;
/// Default pause, in seconds, if the service names none.
const PAUSE_SECONDS: u64 = 5;

/// Fetches until the answer is not "not anchored yet", or says the block will never be anchored. Pauses follow the
/// service's advice, at most `wait_seconds` in total. `pause` receives the seconds and the service's message.
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

    /// "Not anchored yet", to be asked again after so many seconds; never, where nobody should.
    fn not_yet(retryable: bool, retry_after: Option<u64>) -> Result<u8, ClientError> {
        let (code, detail) = ("not_yet_anchored".to_owned(), "block 7 is not anchored".to_owned());
        Err(ClientError::Problem { status: 409, code, detail, retryable, retry_after })
    }

    /// The answers in turn: the pauses made, and whether the last answer is a good one.
    async fn run(wait: u64, mut answers: Vec<Result<u8, ClientError>>) -> (Vec<u64>, bool) {
        let mut pauses = Vec::new();
        answers.reverse();
        let fetch = async || answers.pop().expect("no more is asked than was prepared");
        let last = fetch_anchored(wait, fetch, async |seconds, _: &str| pauses.push(seconds)).await;
        (pauses, last.is_ok())
    }

    #[tokio::test]
    async fn waiting_ends_with_the_anchor_or_with_its_time() {
        let yet = |seconds| not_yet(true, seconds);
        let (soon, far) = (yet(Some(12)), yet(Some(u64::MAX)));
        assert_eq!(run(60, vec![soon, yet(None), Ok(1)]).await, (vec![12, 5], true));
        assert_eq!(
            run(20, vec![yet(Some(12)), yet(Some(12)), yet(None)]).await,
            (vec![12, 8], false)
        );
        assert_eq!(run(0, vec![yet(Some(1))]).await, (vec![], false));
        // neither a service that asks for no pause nor one that asks for years has its will
        let eager = (0..4).map(|_| yet(Some(0))).collect();
        assert_eq!(run(3, eager).await, (vec![1, 1, 1], false));
        assert_eq!(run(99, vec![far, Ok(1)]).await, (vec![30], true));
    }

    #[tokio::test]
    async fn only_what_may_still_come_is_waited_for() {
        assert_eq!(run(60, vec![not_yet(false, None)]).await, (vec![], false));
        let other = Err(ClientError::Status { status: 503 });
        assert_eq!(run(60, vec![other]).await, (vec![], false));
    }
}
