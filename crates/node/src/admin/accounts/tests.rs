//! Laws of the operator's orders, on a store in memory.

use std::sync::Arc;

use clap::Parser;
use k256::ecdsa::SigningKey;
use serde_json::{Value, json};
use superroot_account::wallet::NoNodes;
use superroot_account::{AccountService, Config, KEY_PATTERN, Month, parse_wallet};
use superroot_billing::Billing;
use superroot_store::MemoryStore;
use superroot_types::{ManualClock, UnixSeconds};

use super::order::Order;
use super::{Asked, perform};
use crate::admin::Who;

#[derive(Parser)]
struct Line {
    #[command(subcommand)]
    order: Order,
}

struct World {
    service: Arc<AccountService>,
    billing: Arc<Billing>,
    clock: Arc<ManualClock>,
}

fn world() -> World {
    let month: Month = "2028-02".parse().unwrap();
    let clock = Arc::new(ManualClock::at(month.start()));
    let store = Arc::new(MemoryStore::new());
    let config = Config { routes: superroot_api::metered_routes(), ..Config::default() };
    let service = AccountService::open(store, clock.clone(), &config).unwrap();
    let billing = Billing::new(service.clone());
    World { service, billing, clock }
}

fn asked(line: &str, why: Option<&str>) -> Asked {
    let words = std::iter::once("admin").chain(line.split(' '));
    let order = Line::try_parse_from(words).unwrap_or_else(|error| panic!("{line}: {error}")).order;
    Asked { order, name: "ana".to_owned(), why: why.map(str::to_owned) }
}

impl World {
    fn try_do(&self, line: &str) -> anyhow::Result<Value> {
        let who = Who { uid: Some(1_000), pid: None, through: "socket" };
        perform(&self.billing, &asked(line, Some("ticket 7")), &who)
    }

    fn do_it(&self, line: &str) -> Value {
        self.try_do(line).unwrap_or_else(|error| panic!("{line}: {error:#}"))
    }

    fn refuse(&self, line: &str, word: &str) {
        let error = format!("{:#}", self.try_do(line).unwrap_err());
        assert!(error.contains(word), "{line}: {error}");
    }

    /// An account with its key's text.
    fn open(&self) -> (String, String) {
        let issued = self.do_it("account open");
        let text = |name: &str| issued[name].as_str().unwrap().to_owned();
        (text("account"), text("api_key"))
    }

    /// Has the holder of a key sign that the wallet is this account's.
    fn prove(&self, holder: &SigningKey, key: &str) {
        let (accounts, wallets) = (self.service.accounts(), self.service.wallets());
        let address = parse_wallet(&crate::cli::wallet::show(holder)).unwrap();
        let message = wallets.challenge(address, None, accounts.now()).unwrap().message;
        let signature = crate::cli::wallet::sign(holder, message.as_bytes()).unwrap();
        let signature = const_hex::decode(signature).unwrap();
        let proven = wallets.verify(&message, &signature, &NoNodes, accounts.now()).unwrap();
        let by = accounts.authenticate(key).unwrap();
        accounts.prove_wallet(&by, &proven).unwrap();
    }

    fn acts(&self) -> Vec<String> {
        let acts = self.service.accounts().acts(0, 1_000).unwrap();
        acts.into_iter().map(|act| act.what).collect()
    }

    fn tier(&self, key: &str) -> &'static str {
        self.service.accounts().authenticate(key).unwrap().tier().name()
    }
}

/// Whoever changes something says who they are and why, and both are in the log; looking is free.
#[test]
fn nothing_is_changed_without_a_name_and_a_reason() {
    let world = world();
    let who = Who { uid: Some(1_000), pid: None, through: "socket" };
    let service = &world.service;
    let error =
        perform(&world.billing, &asked("account open", None), &who).unwrap_err().to_string();
    assert!(error.contains("why is missing"), "{error}");
    for (name, why) in [
        ("", "ticket 7"),
        ("  ", "ticket 7"),
        (&"x".repeat(33), "ticket 7"),
        ("a\u{1b}[2J", "ticket 7"),
        ("ana", ""),
        ("ana", "a\nb"),
        ("ana", &"x".repeat(501)),
    ] {
        let asked = Asked { name: name.to_owned(), ..asked("account open", Some(why)) };
        assert!(perform(&world.billing, &asked, &who).is_err(), "{name:?} {why:?}");
    }
    assert!(world.acts().is_empty());
    assert!(perform(&world.billing, &asked("account list", None), &who).is_ok());
    world.open();
    let act = &service.accounts().acts(0, 1).unwrap()[0];
    assert_eq!((&act.who[..], &act.why[..]), ("ana (uid 1000)", "ticket 7"));
}

#[test]
fn a_key_is_shown_once_and_served_until_it_is_revoked_or_its_account_closed() {
    let world = world();
    let (account, key) = world.open();
    assert!(KEY_PATTERN.starts_with("svc_") && key.starts_with("svc_live_") && key.len() == 58);
    assert_eq!(world.tier(&key), "explorer");
    let listed = world.do_it(&format!("key list {account}"));
    assert!(!listed.to_string().contains(&key));
    let id = listed["keys"][0]["key"].as_str().unwrap();
    let rotated = world.do_it(&format!("key rotate {account} {id}"));
    assert!(world.service.accounts().authenticate(&key).is_err(), "without grace at once");
    let new = rotated["api_key"].as_str().unwrap();
    assert_eq!(world.tier(new), "explorer");
    let line = format!("key create {account} --label ci --chain 1 --route G1");
    let scoped = world.do_it(&line);
    let found = Asked {
        order: Order::Key(super::KeyOrder::Find {
            text: format!("{}\n", scoped["api_key"].as_str().unwrap()),
        }),
        ..asked("audit check", None)
    };
    let found = perform(&world.billing, &found, &Who::this_process()).unwrap();
    assert_eq!((&found["label"], &found["chains"]), (&json!("ci"), &json!([1])));
    let id = found["key"].as_str().unwrap();
    assert_eq!(world.do_it(&format!("key revoke {account} {id}"))["state"], "revoked");
    world.do_it(&format!("account close {account}"));
    assert!(world.service.accounts().authenticate(new).is_err());
    world.do_it(&format!("account reopen {account}"));
    assert_eq!(world.tier(new), "explorer");
    world.refuse(&format!("account close {id}"), "unknown account");
    let expected = [
        "open_account",
        "rotate_key",
        "create_key",
        "revoke_key",
        "close_account",
        "reopen_account",
    ];
    assert_eq!(world.acts(), expected, "what was refused is no act");
    let whole = world.do_it("audit check");
    assert_eq!((&whole["acts"], &whole["is_whole"]), (&json!(6), &json!(true)));
}

#[test]
fn a_tier_is_granted_and_withdrawn() {
    let world = world();
    let (account, key) = world.open();
    world.do_it(&format!("tier grant {account} protocol --until 2028-02-02T00:00:00Z"));
    assert_eq!(world.tier(&key), "protocol");
    world.clock.advance(86_400);
    assert_eq!(world.tier(&key), "explorer", "until then and no longer");
    world.refuse(&format!("tier grant {account} builder --limit 7"), "limit_per_minute");
    world.do_it(&format!("tier grant {account} builder --limit 120"));
    let shown = world.do_it(&format!("account show {account}"));
    assert_eq!(shown["has"]["tier"], "builder");
    assert_eq!(shown["has"]["limit_per_minute"], 120);
    world.do_it(&format!("tier withdraw {account}"));
    assert_eq!(world.tier(&key), "explorer");
    world.refuse(&format!("tier grant {account} builder --limit 0"), "limit_per_minute");
    let over = format!("tier grant {account} builder --until 2020-01-01T00:00:00Z");
    world.refuse(&over, "--until: 2020-01-01");
    assert_eq!(world.do_it("tier list")["tiers"].as_array().unwrap().len(), 4);
}

/// The way in for payments until the chain watcher feeds them; the same payment counts once.
#[test]
fn a_payment_is_entered_once_and_lifts_who_proved_the_wallet() {
    let world = world();
    let holder = SigningKey::from_slice(&[7; 32]).unwrap();
    let wallet = crate::cli::wallet::show(&holder);
    let issued = world.do_it(&format!("account open --wallet {wallet}"));
    let key = issued["api_key"].as_str().unwrap();
    let pay = |usdc: &str, log: u32| {
        format!(
            "subscription pay --wallet {wallet} --tier builder --usdc {usdc} --chain 8453 --tx \
             0x{} --log-index {log} --paid-at 2028-02-01T00:00:00Z",
            "7".repeat(64)
        )
    };
    let paid = world.do_it(&pay("50", 0));
    assert_eq!((&paid["status"], &paid["paid_usdc"]), (&json!("active"), &json!("50.000000")));
    assert!(world.do_it(&pay("50", 0))["note"].as_str().unwrap().contains("before"));
    world.refuse(&pay("51", 0), "other contents");
    world.refuse(&pay("0", 1), "--usdc");
    world.refuse(&pay("49.999999", 1), "expected 50.000000 USDC");
    world.refuse(&pay("100", 1), "not the price of thirty days of builder");
    for (said, instead, word) in [
        ("--tier builder", "--tier explorer", "tier explorer is not paid for"),
        ("--tier builder", "--tier enterprise", "expected builder or protocol"),
        ("--chain 8453", "--chain 1", "chain 1 is not"),
        ("2028-02-01T00:00:00Z", "2028-02-01T00:00:01Z", "--paid-at"),
    ] {
        world.refuse(&pay("50", 1).replace(said, instead), word);
    }
    assert_eq!(world.tier(key), "explorer", "a claim lifts nobody");
    let account = issued["account"].as_str().unwrap();
    world.prove(&holder, key);
    assert_eq!(world.tier(key), "builder");
    let of = format!("--wallet {wallet}");
    assert_eq!(world.do_it(&format!("subscription revoke {of}"))["status"], "revoked");
    assert_eq!(world.tier(key), "explorer");
    assert_eq!(world.do_it(&format!("subscription reinstate {of}"))["status"], "active");
    world.refuse(&format!("subscription refund {of} --usdc 51"), "50.000000 USDC were paid");
    world.refuse(&format!("subscription refund {of} --usdc 0"), "--usdc");
    world.do_it(&format!("subscription refund {of} --usdc 20"));
    let shown = world.do_it(&format!("subscription show {of}"));
    assert_eq!(
        (&shown["refunded_usdc"], &shown["lifts_account"]),
        (&json!("20.000000"), &json!(account))
    );
    let steps = shown["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 4);
    let period = json!({
        "tier": "builder", "start": "2028-02-01T00:00:00Z", "end": "2028-03-02T00:00:00Z",
    });
    assert_eq!(steps[0]["period"], period);
    assert_eq!(steps[3]["act"]["refund"]["usdc_e6"], 20_000_000);
    let acts = world.do_it("audit list")["acts"].as_array().unwrap().clone();
    let subject = |what: &str| {
        let act = acts.iter().find(|act| act["what"] == what).unwrap();
        act["subject"].as_str().unwrap().to_owned()
    };
    assert!(subject("enter_payment").contains("50.000000 USDC for builder, payment 8453/0x7777"));
    assert!(subject("refund").contains("20.000000 USDC paid back"));
    let pays = acts.iter().filter(|act| act["what"] == "enter_payment").count();
    assert_eq!(pays, 1, "entered twice, counted and written down once");
    world.billing.enter_waiting(None).unwrap();
    let ledger = format!("ledger list --account {account}");
    let whole = world.do_it(&ledger);
    let entries = whole["entries"].as_array().unwrap();
    let moved: Vec<_> = entries.iter().map(|entry| entry["usdc"].as_str().unwrap()).collect();
    assert_eq!(moved, ["-20.000000", "20.000000", "50.000000", "-50.000000"]);
    assert_eq!((&whole["owes_usdc"], &whole["next_after"]), (&json!("0.000000"), &Value::Null));
    let page = world.do_it(&format!("{ledger} --limit 3"));
    let rest = world.do_it(&format!("{ledger} --after {}", page["next_after"].as_str().unwrap()));
    assert_eq!(rest["entries"][0], entries[3]);
    world.refuse(&format!("ledger list --account {}", uuid_of(8)), "unknown account");
    let nobody = uuid_of(9);
    world.refuse(
        &format!("subscription grant --account {nobody} --tier builder"),
        "unknown account",
    );
    world.do_it(&format!("subscription grant --account {account} --tier protocol --periods 2"));
    assert_eq!(world.tier(key), "protocol");
    let listed = world.do_it("subscription list --limit 1");
    assert_eq!(listed["subscriptions"].as_array().unwrap().len(), 1);
    let next = listed["next_after"].as_str().unwrap();
    let rest = world.do_it(&format!("subscription list --after {next}"));
    assert_eq!(rest["subscriptions"][0]["subscriber"], format!("account {account}"));
    assert_eq!(world.do_it("audit check")["is_whole"], true);
}

fn uuid_of(byte: u8) -> String {
    superroot_account::AccountId::random().to_string().replace(['a', 'b'], &byte.to_string())
}

#[test]
fn an_agreement_lifts_its_account_until_it_ends() {
    let world = world();
    let (account, key) = world.open();
    let agreed = world.do_it(&format!(
        "enterprise agree {account} --limit 50000 --grid G1 --grid G4 --monthly-fee 2000 \
         --million-tokens 4 --until 2028-03"
    ));
    assert_eq!(
        (&agreed["has"]["limit_per_minute"], &agreed["until"]),
        (&json!(50_000), &json!("2028-03"))
    );
    assert_eq!(world.tier(&key), "enterprise");
    world.clock.set(UnixSeconds("2028-04".parse::<Month>().unwrap().start().0));
    assert_eq!(world.tier(&key), "explorer");
    let again = world.do_it(&format!(
        "enterprise agree {account} --limit 60000 --monthly-fee 2000 --million-tokens 4 --from 2028-04"
    ));
    assert_eq!(again["has"]["limit_per_minute"], 60_000);
    let agree = format!("enterprise agree {account} --limit 0 --monthly-fee 1 --million-tokens 1");
    world.refuse(&agree, "limit");
    let fee = world.do_it(&format!("enterprise show {account}"))["monthly_fee_usdc"].clone();
    assert_eq!(fee, "2000.000000");
    world.refuse(&format!("enterprise show {}", uuid_of(1)), "no agreement");
}

/// A successor is entered while the one before runs, and takes over with its first second.
#[test]
fn a_successor_is_entered_ahead_and_an_agreement_never_changes() {
    let world = world();
    let (account, key) = world.open();
    let agree = |limit: u32, months: &str| {
        let terms = format!("--limit {limit} --monthly-fee 2000 --million-tokens 4 {months}");
        format!("enterprise agree {account} {terms}").trim().to_owned()
    };
    world.do_it(&agree(5_000, ""));
    let ahead = world.do_it(&agree(900, "--from 2028-03 --until 2028-05"));
    assert_eq!(ahead["has"]["limit_per_minute"], 5_000);
    let shown = world.do_it(&format!("enterprise show {account}"));
    assert_eq!((&shown["limit_per_minute"], &shown["state"]), (&json!(5_000), &json!("in force")));
    let froms = |shown: &Value, name: &str| -> Vec<String> {
        let rows = shown[name].as_array().unwrap().iter();
        rows.map(|row| format!("{} {}", row["from"], row["model"]).replace('"', "")).collect()
    };
    assert_eq!(froms(&shown, "ahead"), ["2028-03 enterprise", "2028-06 none"]);
    world.refuse(&agree(700, "--from 2028-03"), "one begins with 2028-03 already");
    world.clock.set("2028-03".parse::<Month>().unwrap().start());
    let limit = || world.service.accounts().authenticate(&key).unwrap().rights.limit_per_minute;
    assert_eq!(limit(), 900);
    world.refuse(&agree(700, "--from 2028-02"), "2028-03 is the first possible");
    world.refuse(&format!("enterprise end {account} --last 2028-01"), "is over");
    world.do_it(&agree(800, "--from 2028-06"));
    world.do_it(&format!("tier grant {account} builder"));
    assert_eq!(world.do_it(&agree(750, "--from 2028-07"))["grant_beside"]["tier"], "builder");
    let ended = world.do_it(&format!("enterprise end {account} --last 2028-07"));
    assert_eq!(froms(&ended, "ahead").last().unwrap(), "2028-08 none");
    world.clock.set("2028-08".parse::<Month>().unwrap().start());
    assert_eq!((world.tier(&key), limit()), ("builder", 1_000));
    assert_eq!(world.do_it(&format!("enterprise show {account}"))["model"], "none");
    world.refuse(&format!("enterprise end {account} --last 2028-09"), "none is in force");
}

#[test]
fn an_integrator_has_sub_accounts_charges_and_its_share() {
    let world = world();
    let (account, key) = world.open();
    world.refuse(&format!("integrator open {account}"), "no integrator");
    let refused = format!("integrator agree {account} --fee 98");
    world.refuse(&refused, "the fee is 98.000000 USDC, expected 99.000000 to 999.000000 USDC");
    world.do_it(&format!("integrator agree {account} --fee 99"));
    let limit = world.service.accounts().authenticate(&key).unwrap().rights.limit_per_minute;
    assert_eq!((world.tier(&key), limit), ("builder", 5_000));
    let child = world.do_it(&format!("integrator open {account}"));
    let (child, child_key) =
        (child["account"].as_str().unwrap(), child["api_key"].as_str().unwrap());
    assert_eq!(world.tier(child_key), "builder");
    let listed = world.do_it(&format!("integrator sub-accounts {account}"));
    assert_eq!(listed["sub_accounts"][0]["account"], child);
    let charge = format!("integrator charge {account} {child} --usdc 10 --reference a1");
    assert_eq!(world.do_it(&charge)["share_usdc"], "7.000000");
    let repeated = world.do_it(&charge);
    assert!(repeated["note"].as_str().unwrap().contains("entered before"), "{repeated}");
    let charges = world.acts().into_iter().filter(|act| act == "charge").count();
    assert_eq!(charges, 1, "what changed nothing is no act");
    let billed = world.do_it(&format!("invoice show {child}"));
    let label = format!("charged by integrator {account}, a1");
    assert_eq!(
        (&billed["total_usdc"], &billed["lines"][0]["item"]),
        (&json!("10.000000"), &json!(label))
    );
    let shown = world.do_it(&format!("integrator show {account}"));
    assert_eq!((&shown["share_usdc"], &shown["sub_accounts"]), (&json!("7.000000"), &json!(1)));
    let (stranger, _) = world.open();
    world.refuse(
        &format!("integrator charge {account} {stranger} --usdc 10 --reference a2"),
        "not its sub-account",
    );
    assert_ne!(world.acts().last().unwrap(), "charge", "what was refused is no act");
    let free = format!("integrator charge {account} {child} --usdc 0 --reference a3");
    world.refuse(&free, "--usdc");
    let over = format!("integrator agree {account} --fee 99 --until 2028-01");
    world.refuse(&over, "it ends before it begins");
}

/// Who asks without a key is told to the operator alone.
#[test]
fn callers_without_a_key_are_told_as_one() {
    use superroot_account::meter::{Caller, Counted, StatusClass};
    let world = world();
    let service = &world.service;
    for _ in 0..3 {
        service.meter().count(&Counted {
            environment: service.environment(),
            caller: Caller::Keyless,
            route: superroot_api::metered_routes()[0].number,
            chain: None,
            status: StatusClass::Success,
            weight: 0,
            at: service.now(),
        });
    }
    service.flush(service.now()).unwrap();
    let told = world.do_it("usage keyless");
    assert_eq!((&told["requests_today"], &told["requests_this_month"]), (&json!(3), &json!(3)));
    assert_eq!(told["top_endpoints"][0]["requests"], 3);
}

#[test]
fn an_invoice_is_closed_corrected_and_paid() {
    let world = world();
    let (account, _) = world.open();
    world.do_it(&format!("integrator agree {account} --fee 99"));
    let draft = world.do_it(&format!("invoice show {account}"));
    assert_eq!((&draft["number"], &draft["total_usdc"]), (&json!("DRAFT"), &json!("99.000000")));
    world.refuse(&format!("invoice close {account} 2028-02"), "not over yet");
    world.clock.set("2028-03".parse::<Month>().unwrap().start());
    let closed = world.do_it(&format!("invoice close {account} 2028-02"));
    assert_eq!(closed["number"], "SR-LIVE-000001");
    assert_eq!(
        world.do_it(&format!("invoice close {account} 2028-02"))["number"],
        closed["number"]
    );
    let correct = |usdc: &str, name: &str| {
        format!("invoice correct {account} 2028-02 --usdc {usdc} --reference {name}")
    };
    let first = world.do_it(&correct("9.5", "a"));
    assert_eq!((&first["usdc"], &first["note"]), (&json!("-9.500000"), &Value::Null));
    let again = world.do_it(&correct("9.5", "a"));
    assert_eq!(again["entry"], first["entry"]);
    assert!(again["note"].as_str().unwrap().contains("entered before"), "{again}");
    world.refuse(&correct("100", "b"), "more is taken back");
    let kept = format!("invoice refund-availability {account} 2028-02");
    world.refuse(&kept, "is what was promised");
    let paid = world.do_it(&format!("invoice paid {account} --usdc 80 --reference wire-1"));
    assert_eq!(paid["owes_usdc"], "9.500000");
    let listed = world.do_it(&format!("invoice list {account}"));
    assert_eq!(listed["invoices"].as_array().unwrap().len(), 1);
    assert_eq!(listed["owes_usdc"], "9.500000");
    for (form, word) in
        [("csv", "SR-LIVE-000001,2028-02,fee"), ("html", "<h1>Invoice SR-LIVE-000001")]
    {
        let shown = world.do_it(&format!("invoice show {account} 2028-02 --form {form}"));
        assert!(shown["text"].as_str().unwrap().contains(word), "{shown}");
    }
    world.refuse(&format!("invoice show {}", uuid_of(3)), "unknown account");
    for act in ["close_month", "correct_invoice", "enter_receipt"] {
        let count = world.acts().iter().filter(|other| *other == act).count();
        assert_eq!(count, 1, "{act}: what was repeated or refused is no act");
    }
    let (idle, _) = world.open();
    world.clock.set("2028-04".parse::<Month>().unwrap().start());
    world.refuse(&format!("invoice close {idle} 2028-03"), "no invoice");
    assert_eq!(world.do_it(&format!("invoice list {idle}"))["invoices"], json!([]));
    world.refuse(&format!("invoice paid {account} --usdc 0 --reference wire-2"), "--usdc");
    assert_eq!(world.do_it("audit check")["is_whole"], true);
}
