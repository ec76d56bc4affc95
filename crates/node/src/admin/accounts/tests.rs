//! Laws of the operator's orders, on a store in memory.

use std::sync::Arc;

use clap::Parser;
use k256::ecdsa::SigningKey;
use serde_json::{Value, json};
use superroot_account::wallet::NoNodes;
use superroot_account::{AccountConfig, AccountService, KEY_PATTERN, Month, parse_wallet};
use superroot_billing::BillingLedger;
use superroot_store::MemoryStore;
use superroot_types::ManualClock;

use super::order::OperatorCommand;
use super::{AccountRequest, operator};
use crate::admin::SocketPeer;

#[derive(Parser)]
struct Line {
    #[command(subcommand)]
    order: OperatorCommand,
}

struct World {
    service: Arc<AccountService>,
    billing: Arc<BillingLedger>,
    clock: Arc<ManualClock>,
}

fn world() -> World {
    let month: Month = "2028-02".parse().unwrap();
    let clock = Arc::new(ManualClock::at(month.start()));
    let store = Arc::new(MemoryStore::new());
    let config =
        AccountConfig { routes: superroot_api::metered_routes(), ..AccountConfig::default() };
    let service = AccountService::open(store, clock.clone(), &config).unwrap();
    let billing = BillingLedger::new(service.clone());
    World { service, billing, clock }
}

fn asked(line: &str, why: Option<&str>) -> AccountRequest {
    let words = std::iter::once("admin").chain(line.split(' '));
    let order = Line::try_parse_from(words).unwrap_or_else(|error| panic!("{line}: {error}")).order;
    AccountRequest { order, name: "ana".to_owned(), why: why.map(str::to_owned) }
}

fn perform(
    billing: &BillingLedger,
    asked: &AccountRequest,
    who: &SocketPeer,
) -> anyhow::Result<Value> {
    let operator = operator(asked, asked.order.changes().as_deref(), who)?;
    super::perform(billing, &asked.order, &operator)
}

impl World {
    fn try_do(&self, line: &str) -> anyhow::Result<Value> {
        let who = SocketPeer { uid: Some(1_000), pid: None, through: "socket" };
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
    let who = SocketPeer { uid: Some(1_000), pid: None, through: "socket" };
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
        let asked = AccountRequest { name: name.to_owned(), ..asked("account open", Some(why)) };
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
    let found = AccountRequest {
        order: OperatorCommand::Key(super::ApiKeyCommand::Find {
            text: format!("{}\n", scoped["api_key"].as_str().unwrap()),
        }),
        ..asked("audit check", None)
    };
    let found = perform(&world.billing, &found, &SocketPeer::this_process()).unwrap();
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
    world.do_it(&format!("tier grant {account} builder --limit 120"));
    let shown = world.do_it(&format!("account show {account}"));
    assert_eq!(
        (&shown["has"]["tier"], &shown["has"]["limit_per_minute"]),
        (&json!("builder"), &json!(120))
    );
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
    let (account, key) = (issued["account"].as_str().unwrap(), issued["api_key"].as_str().unwrap());
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
    world.refuse(&pay("0", 1), "expected 50.000000 USDC");
    world.refuse(&pay("49.999999", 1), "expected 50.000000 USDC");
    world.refuse(&pay("50", 1).replace("01T00:00:00Z", "01T00:00:01Z"), "--paid-at");
    assert_eq!(world.tier(key), "explorer", "a claim lifts nobody");
    world.prove(&holder, key);
    assert_eq!(world.tier(key), "builder");
    let of = format!("--wallet {wallet}");
    assert_eq!(world.do_it(&format!("subscription revoke {of}"))["status"], "revoked");
    assert_eq!(world.tier(key), "explorer");
    assert_eq!(world.do_it(&format!("subscription reinstate {of}"))["status"], "active");
    world.refuse(&format!("subscription refund {of} --usdc 0"), "above 0 USDC");
    world.do_it(&format!("subscription refund {of} --usdc 20"));
    let shown = world.do_it(&format!("subscription show {of}"));
    let told = (&shown["refunded_usdc"], &shown["lifts_account"]);
    assert_eq!(told, (&json!("20.000000"), &json!(account)));
    let steps = shown["steps"].as_array().unwrap();
    let period = json!({
        "tier": "builder", "start": "2028-02-01T00:00:00Z", "end": "2028-03-02T00:00:00Z",
    });
    assert_eq!((steps.len(), &steps[0]["period"]), (4, &period));
    let acts = ["open_account", "enter_payment", "revoke_subscription", "reinstate_subscription"];
    assert_eq!(world.acts()[..4], acts, "entered twice, counted and written down once");
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
    world.refuse(&format!("ledger list --account {NOBODY}"), "unknown account");
    world.do_it(&format!("subscription grant --account {account} --tier protocol --periods 2"));
    assert_eq!(world.tier(key), "protocol");
    let listed = world.do_it("subscription list --limit 1");
    let next = listed["next_after"].as_str().unwrap();
    let rest = world.do_it(&format!("subscription list --after {next}"));
    assert_eq!(rest["subscriptions"][0]["subscriber"], format!("account {account}"));
    assert_eq!(world.do_it("audit check")["is_whole"], true);
}

const NOBODY: &str = "0123e567-e89b-42d3-a456-426614174000";

/// A successor is entered while the one before runs, and takes over with its first second.
#[test]
fn an_agreement_lifts_its_account_until_its_successor_or_its_end() {
    let world = world();
    let (account, key) = world.open();
    let agree = |limit: u32, from: &str| {
        let terms =
            format!("enterprise --limit {limit} --grid G1 --monthly-fee 2000 --million-tokens 4");
        world.do_it(&format!("agreement set {account} --from {from} {terms}"))
    };
    let limit = || world.service.accounts().authenticate(&key).unwrap().rights.limit_per_minute;
    for limit in [7_000, 5_000] {
        assert_eq!(agree(limit, "2028-02")["has"]["limit_per_minute"], limit);
    }
    agree(900, "2028-03");
    world.do_it(&format!("agreement end {account} --last 2028-05"));
    let shown = world.do_it(&format!("agreement show {account}"));
    assert_eq!((&shown["limit_per_minute"], &shown["state"]), (&json!(5_000), &json!("in force")));
    assert_eq!(shown["monthly_fee_usdc"], "2000.000000");
    let ahead = shown["ahead"].as_array().unwrap().iter();
    let ahead: Vec<_> = ahead.map(|row| (&row["from"], &row["model"])).collect();
    let expected = [("2028-03", "enterprise"), ("2028-06", "none")];
    assert_eq!(format!("{ahead:?}"), format!("{:?}", expected.map(|(a, b)| (json!(a), json!(b)))));
    world.clock.set("2028-03".parse::<Month>().unwrap().start());
    assert_eq!((world.tier(&key), limit()), ("enterprise", 900));
    world.do_it(&format!("tier grant {account} builder"));
    assert_eq!(agree(750, "2028-07")["grant_beside"]["tier"], "builder");
    world.refuse(&format!("agreement end {account} --last 2028-01"), "is over");
    world.do_it(&format!("agreement end {account} --last 2028-07"));
    world.clock.set("2028-08".parse::<Month>().unwrap().start());
    assert_eq!((world.tier(&key), limit()), ("builder", 1_000));
    assert_eq!(world.do_it(&format!("agreement show {account}"))["model"], "none");
    world.refuse(&format!("agreement show {NOBODY}"), "no agreement");
}

#[test]
fn an_integrator_has_sub_accounts_charges_and_its_share() {
    let world = world();
    let (account, key) = world.open();
    world.refuse(&format!("integrator open {account}"), "no integrator");
    world.do_it(&format!("agreement set {account} integrator --fee 99"));
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
    world.refuse(&charge.replace("--usdc 10", "--usdc 0"), "above 0 USDC");
    let charges = world.acts().into_iter().filter(|act| act == "charge").count();
    assert_eq!(charges, 1, "what changed nothing or was refused is no act");
    let billed = world.do_it(&format!("invoice show {child}"));
    assert_eq!(billed["total_usdc"], "10.000000");
    assert_eq!(billed["lines"][0]["item"], format!("charged by integrator {account}, a1"));
    let shown = world.do_it(&format!("agreement show {account}"));
    assert_eq!((&shown["share_usdc"], &shown["sub_accounts"]), (&json!("7.000000"), &json!(1)));
    assert_eq!(shown["availability_credit_usdc"], "0.000000");
}

/// Who asks without a key is told to the operator alone.
#[test]
fn callers_without_a_key_are_told_as_one() {
    use superroot_account::meter::{CountedRequest, MeteredCaller, StatusClass};
    let world = world();
    let service = &world.service;
    for _ in 0..3 {
        service.meter().count(&CountedRequest {
            environment: service.environment(),
            caller: MeteredCaller::Keyless,
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
fn an_invoice_is_closed_credited_and_paid() {
    let world = world();
    let ((account, _), (idle, _)) = (world.open(), world.open());
    world.do_it(&format!("agreement set {account} integrator --fee 99"));
    let draft = world.do_it(&format!("invoice show {account}"));
    assert_eq!((&draft["number"], &draft["total_usdc"]), (&json!("DRAFT"), &json!("99.000000")));
    world.clock.set("2028-03".parse::<Month>().unwrap().start());
    for _ in 0..2 {
        let closed = world.do_it(&format!("invoice close {account} 2028-02"));
        assert_eq!(closed["number"], "SR-LIVE-000001");
    }
    let credit = format!("invoice credit {account} --usdc 9.5 --reference a");
    let first = world.do_it(&credit);
    assert_eq!((&first["usdc"], &first["note"]), (&json!("-9.500000"), &Value::Null));
    let again = world.do_it(&credit);
    assert_eq!(again["entry"], first["entry"]);
    assert!(again["note"].as_str().unwrap().contains("entered before"), "{again}");
    let pay = format!("invoice paid {account} --usdc 80 --reference wire-1");
    assert_eq!(world.do_it(&pay)["owes_usdc"], "9.500000");
    world.refuse(&pay.replace("--usdc 80", "--usdc 0"), "above 0 USDC");
    let listed = world.do_it(&format!("invoice list {account}"));
    assert_eq!(listed["invoices"].as_array().unwrap().len(), 1);
    assert_eq!(listed["owes_usdc"], "9.500000");
    for (form, word) in
        [("csv", "SR-LIVE-000001,2028-02,fee"), ("html", "<h1>Invoice SR-LIVE-000001")]
    {
        let shown = world.do_it(&format!("invoice show {account} 2028-02 --form {form}"));
        assert!(shown["text"].as_str().unwrap().contains(word), "{shown}");
    }
    world.refuse(&format!("invoice show {NOBODY}"), "unknown account");
    for act in ["close_month", "enter_credit", "enter_receipt"] {
        let count = world.acts().iter().filter(|other| *other == act).count();
        assert_eq!(count, 1, "{act}: what was repeated or refused is no act");
    }
    world.refuse(&format!("invoice close {idle} 2028-02"), "no invoice");
}

/// A typo in a receipt, and a share above the fee: both are squared by entries of the journal.
#[test]
fn what_is_paid_out_and_what_is_taken_back_are_entries() {
    let world = world();
    let (account, _) = world.open();
    let pay = |usdc: &str, reference: &str| {
        format!("invoice paid {account} --usdc {usdc} --reference {reference}")
    };
    assert_eq!(world.do_it(&pay("990", "wire-7"))["owes_usdc"], "-990.000000");
    let take_back = format!("ledger take-back --account {account} 2028-02/0");
    let back = world.do_it(&take_back);
    assert_eq!((&back["kind"], &back["owes_usdc"]), (&json!("reversal"), &json!("0.000000")));
    let again = world.do_it(&take_back);
    assert!(again["note"].as_str().unwrap().contains("entered before"), "{again}");
    world.refuse(&pay("990", "wire-7"), "another reference");
    assert_eq!(world.do_it(&pay("99", "wire-7b"))["owes_usdc"], "-99.000000");
    let pay_out = |usdc| format!("invoice paid-out {account} --usdc {usdc} --reference wire-9");
    world.refuse(&pay_out("99.000001"), "at most 99.000000 USDC");
    world.refuse(&pay_out("0"), "above 0 USDC");
    let out = world.do_it(&pay_out("99"));
    assert_eq!((&out["kind"], &out["owes_usdc"]), (&json!("paid_out"), &json!("0.000000")));
    let listed = world.do_it(&format!("ledger list --account {account}"));
    let kinds: Vec<_> =
        listed["entries"].as_array().unwrap().iter().map(|one| &one["kind"]).collect();
    assert_eq!(kinds, ["paid", "reversal", "paid", "paid_out"]);
    world.refuse(&format!("ledger take-back --account {account} 2028-02/9"), "no entry 2028-02/9");
    world.refuse(&format!("ledger take-back --account {NOBODY} 2028-02/0"), "unknown account");
    world.do_it("audit check");
}

#[test]
fn a_month_is_confirmed_and_price_lists_are_listed() {
    let world = world();
    world.refuse("invoice confirm-over 2028-02", "is not over yet");
    world.clock.set("2028-03".parse::<Month>().unwrap().start());
    assert_eq!(world.do_it("invoice confirm-over 2028-02")["confirmed_over"], "2028-02");
    assert_eq!(world.do_it("ledger prices")["price_lists"], json!([]));
    world.billing.enter_price_list().unwrap();
    let listed = world.do_it("ledger prices");
    let list = &listed["price_lists"][0];
    assert_eq!(
        (&list["from"], &list["million_tokens_usdc"]),
        (&json!("2028-03-01T00:00:00Z"), &json!("10.000000"))
    );
}
