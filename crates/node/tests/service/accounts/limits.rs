//! Limits in real time, over sockets, against the built program: `SUPERROOT_TEST_ALL=1` alone, since it
//! takes more than three minutes.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::connection::Connection;
use crate::support::operator;
use crate::support::{Service, http, superroot};
use serde_json::{Value, json};

/// How long everybody asks.
const LASTS: Duration = Duration::from_secs(185);
const MINUTE: Duration = Duration::from_secs(60);

/// How somebody asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    /// As fast as it goes.
    Flood,
    /// So many a minute, all connections together, evenly.
    Even(u64),
    /// The whole limit at once, then nothing for a minute and a second.
    Bursts,
}

/// Whose limit is tried: an account with its keys, or an address.
#[derive(Clone, Debug)]
struct Caller {
    what: &'static str,
    /// Taken in turns by its connections; none without a key.
    keys: Vec<String>,
    /// Where its connections come from, in turns.
    addresses: Vec<String>,
    limit: u64,
    connections: u64,
    pace: Pace,
    /// Status of what is let through.
    passed: u16,
}

/// A request that was let through, or refused: when it was sent and when answered.
#[derive(Clone, Copy, Debug)]
struct Asked {
    begun: Instant,
    ended: Instant,
    is_passed: bool,
}

/// Most requests that were let through within any minute: sent after its beginning and answered before
/// its end, so that the service surely decided within it.
fn most_in_a_minute(asked: &[Asked]) -> u64 {
    let passed: Vec<_> = asked.iter().filter(|one| one.is_passed).collect();
    let within = |from: Instant| {
        let is_within = |one: &&&Asked| one.begun >= from && one.ended <= from + MINUTE;
        passed.iter().filter(is_within).count() as u64
    };
    passed.iter().map(|one| within(one.begun)).max().unwrap_or(0)
}

#[test]
fn a_request_too_many_in_a_minute_is_seen() {
    let begun = Instant::now();
    let at = |ms: u64, is_passed| {
        let begun = begun + Duration::from_millis(ms);
        Asked { begun, ended: begun + Duration::from_millis(1), is_passed }
    };
    let mut asked: Vec<_> = (0..200).map(|n| at(30_000 + 290 * n, true)).collect();
    assert_eq!(most_in_a_minute(&asked), 200);
    asked.push(at(89_000, true));
    assert_eq!(most_in_a_minute(&asked), 201);
    asked.push(at(89_001, false));
    asked.push(at(150_000, true));
    assert_eq!(most_in_a_minute(&asked), 201, "refusals and the next minute do not count");
}

fn admin(data: &Path, line: &str) -> Value {
    let said = operator::printed(&mut operator::admin(data, line, Some("a trial")));
    serde_json::from_str(&said).unwrap()
}

/// Two keys of a new account of that tier.
async fn keys(service: &Service, data: &Path, tier: &str) -> Vec<String> {
    let opened = admin(data, "account open");
    let key = opened["api_key"].as_str().unwrap_or_else(|| panic!("{opened}")).to_owned();
    let account = opened["account"].as_str().unwrap_or_else(|| panic!("{opened}"));
    if tier != "explorer" {
        admin(data, &format!("tier grant {account} {tier}"));
    }
    let request = http().post(format!("{}/api/v1/keys", service.url)).header("x-api-key", &key);
    let made: Value = request.json(&json!({})).send().await.unwrap().json().await.unwrap();
    vec![key, made["api_key"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()]
}

/// Sixty-four connections of eight callers.
async fn callers(service: &Service, data: &Path) -> Vec<Caller> {
    let keyed = async |what, tier: &str, limit, connections, pace| Caller {
        what,
        keys: keys(service, data, tier).await,
        addresses: vec!["127.0.1.1".into(), "127.0.1.2".into()],
        limit,
        connections,
        pace,
        passed: 200,
    };
    let keyless = |what, address: &str, connections, pace| Caller {
        what,
        keys: Vec::new(),
        addresses: vec![address.to_owned()],
        limit: 100,
        connections,
        pace,
        passed: 200,
    };
    vec![
        keyed("an explorer who floods", "explorer", 100, 12, Pace::Flood).await,
        keyed("a builder who floods", "builder", 1_000, 12, Pace::Flood).await,
        keyed("an explorer in bursts", "explorer", 100, 8, Pace::Bursts).await,
        keyed("a builder at nine tenths", "builder", 1_000, 8, Pace::Even(900)).await,
        keyless("an address that floods", "127.0.2.1", 10, Pace::Flood),
        keyless("another that floods", "127.0.2.2", 6, Pace::Flood),
        keyless("an address at nine tenths", "127.0.2.3", 4, Pace::Even(90)),
        Caller {
            keys: vec!["svc_live_guess".to_owned()],
            limit: 20,
            passed: 401,
            ..keyless("one who guesses keys", "127.0.2.4", 4, Pace::Flood)
        },
    ]
}

/// One connection's requests.
async fn ask(url: String, caller: Caller, place: u64, began: Instant) -> Vec<Asked> {
    let of =
        |list: &[String]| list.get(usize::try_from(place).unwrap() % list.len().max(1)).cloned();
    let headers = of(&caller.keys).map_or(String::new(), |key| format!("X-API-Key: {key}\r\n"));
    let from = of(&caller.addresses).unwrap();
    let mut connection = Connection::open(&url, &from).await.unwrap();
    let mut asked = Vec::new();
    for turn in 0_u64.. {
        // how many requests of the caller come before this one
        let number = turn * caller.connections + place;
        let at = match caller.pace {
            Pace::Flood => began,
            Pace::Even(a_minute) => {
                began + MINUTE * u32::try_from(number).unwrap() / u32::try_from(a_minute).unwrap()
            }
            Pace::Bursts => {
                began
                    + (MINUTE + Duration::from_secs(1))
                        * u32::try_from(number / caller.limit).unwrap()
            }
        };
        if at >= began + LASTS {
            break;
        }
        let is_long = at > Instant::now() + Duration::from_secs(15);
        tokio::time::sleep_until(at.into()).await;
        if is_long {
            // one that is idle for so long is closed
            connection = Connection::open(&url, &from).await.unwrap();
        }
        let begun = Instant::now();
        if begun >= began + LASTS {
            break;
        }
        let answer = connection.get("/api/v1/plans", &headers).await.unwrap();
        let ended = Instant::now();
        let is_passed = answer.status == caller.passed;
        assert!(
            is_passed || answer.status == 429,
            "{}: {} {}",
            caller.what,
            answer.status,
            answer.body
        );
        asked.push(Asked { begun, ended, is_passed });
        if !is_passed {
            let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
            assert!((1..=60).contains(&wait), "{}: {wait}", caller.what);
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }
    asked
}

/// Nobody gets more than twice the limit in any minute, who stays within it is never refused whatever
/// others do, and who does not still gets all of it; keys of one account share it.
#[tokio::test(flavor = "multi_thread")]
async fn in_real_time_nobody_gets_two_limits_in_a_minute_and_nobody_within_it_is_refused() {
    if std::env::var_os("SUPERROOT_TEST_ALL").is_none() {
        eprintln!("SKIPPED: limits in real time take three minutes, set SUPERROOT_TEST_ALL=1");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut command = superroot();
    command
        .args(["demo", "--listen", "127.0.0.1:0", "--no-reorg", "--seed", "7", "--data"])
        .arg(&data);
    let service = Service::start(&mut command, "ready");
    let callers = callers(&service, &data).await;
    assert_eq!(callers.iter().map(|caller| caller.connections).sum::<u64>(), 64);
    // keys were made with requests of their own: their limits are full again
    tokio::time::sleep(Duration::from_secs(5)).await;
    let began = Instant::now();
    let mut tasks = Vec::new();
    for caller in &callers {
        let asking = (0..caller.connections)
            .map(|place| tokio::spawn(ask(service.url.clone(), caller.clone(), place, began)));
        tasks.push((caller, asking.collect::<Vec<_>>()));
    }
    for (caller, asking) in tasks {
        let mut asked = Vec::new();
        for one in asking {
            asked.extend(one.await.unwrap());
        }
        judge(caller, &asked, began);
    }
    assert!(service.stop().success());
}

fn judge(caller: &Caller, asked: &[Asked], began: Instant) {
    let passed = asked.iter().filter(|one| one.is_passed).count() as u64;
    let refused = asked.len() as u64 - passed;
    let most = most_in_a_minute(asked);
    let Caller { what, limit, pace, .. } = caller;
    let lasted = asked.iter().map(|one| one.ended).max().unwrap() - began;
    eprintln!("{what}: {passed} passed, {refused} refused, at most {most} in a minute, {lasted:?}");
    assert!(most <= 2 * limit, "{what}: {most} in a minute, the limit is {limit}");
    if *pace == Pace::Flood {
        assert!(refused > 0, "{what} was never refused");
        // a whole limit at once, and what became free since: less what no connection was in time for
        let due = limit + limit * lasted.as_secs().saturating_sub(2) / 60;
        assert!(passed >= due - due / 20, "{what}: {passed} passed of {due} that were free");
    } else {
        assert_eq!(refused, 0, "{what} stayed within the limit");
        assert!(passed >= 2 * limit, "{what}: {passed}");
    }
}
