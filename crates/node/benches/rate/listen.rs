//! A client that listens to every event as its block is taken.

use std::path::Path;
use std::time::Instant;

use serde_json::Value;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::Stage;
use crate::made::Chain;
use crate::support::{Service, http, operator};

/// A client that listens.
pub(crate) struct Listening {
    stop: oneshot::Sender<()>,
    told: JoinHandle<Stage>,
}

/// Opens a stream of all events of all chains.
pub(crate) async fn begin(
    service: &Service,
    data: &Path,
    chains: &[Chain],
    began: Instant,
) -> Listening {
    let opened = operator::printed(&mut operator::admin(data, "account open", Some("a bench")));
    let opened: Value = serde_json::from_str(&opened).unwrap();
    let grant = format!("tier grant {} enterprise", opened["account"].as_str().unwrap());
    operator::printed(&mut operator::admin(data, &grant, Some("a bench")));
    let key = opened["api_key"].as_str().unwrap();
    let url = format!("{}/v5/stream?topics=logs&finality=head", service.url);
    let stream = http().get(url).header("x-api-key", key).send().await.unwrap();
    assert_eq!(stream.status(), 200, "{:?}", stream.text().await);
    let (stop, stopped) = oneshot::channel();
    Listening { stop, told: tokio::spawn(listen(stream, stopped, chains.to_vec(), began)) }
}

impl Listening {
    /// How late each event was.
    pub(crate) async fn end(self) -> Stage {
        self.stop.send(()).expect("the stream ended before");
        self.told.await.unwrap()
    }
}

async fn listen(
    mut stream: reqwest::Response,
    mut stopped: oneshot::Receiver<()>,
    chains: Vec<Chain>,
    began: Instant,
) -> Stage {
    let (mut told, mut text) = (Stage::default(), Vec::new());
    loop {
        let chunk = tokio::select! {
            chunk = stream.chunk() => chunk.unwrap().expect("the stream ended"),
            _ = &mut stopped => return told,
        };
        text.extend_from_slice(&chunk);
        let Some(end) = text.iter().rposition(|byte| *byte == b'\n') else { continue };
        let lines: Vec<u8> = text.drain(..=end).collect();
        for line in lines.split(|byte| *byte == b'\n') {
            let Some(data) = line.strip_prefix(b"data: ") else { continue };
            let event: Value = serde_json::from_slice(data).unwrap();
            let (Some(id), Some(number)) =
                (event["chainId"].as_u64(), event["blockNumber"].as_u64())
            else {
                continue;
            };
            let chain = chains.iter().find(|chain| chain.id == id).expect("a chain of the run");
            let Some(at) = chain.appeared(number, began) else { continue };
            told.all.push((id, at.elapsed().as_millis() as u64));
        }
    }
}
