//! No money without a document, and none on two.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::{CLOSING_DELAY_SECONDS, Charge, Closing, Correction, Invoice};

fn paid_by(world: &World, wallet: u8, number: u32, usdc: u64) -> String {
    let mut tx = [0; 32];
    tx[..4].copy_from_slice(&number.to_be_bytes());
    let id = PaymentId { chain: ChainId(8453), tx: Hash(tx), log_index: 0 };
    let wallet = Address([wallet; 20]);
    let payment = Payment {
        id,
        wallet,
        tier: Tier::Builder,
        usdc_e6: usdc * USDC,
        asset: Asset::Usdc,
        paid_at: world.service.now(),
        is_final: true,
    };
    let payer = Subscriber::Wallet(wallet);
    let accounts = world.service.accounts();
    accounts.apply_to_subscription(&payer, &Event::Payment(payment), None).unwrap();
    id.to_string()
}

fn prove(world: &World, key: &IssuedKey, wallet: u8) {
    let by = world.service.accounts().authenticate(key.secret.expose()).unwrap();
    let wallet = Address([wallet; 20]);
    let proven = ProvenWallet::assumed(&*world.store, Environment::Test, wallet);
    world.service.prove_wallet(&by, &proven).unwrap();
}

/// Goes through every month that is over.
fn close_all(world: &World) -> u64 {
    let (mut closing, mut invoices) = (Closing::default(), 0);
    loop {
        let step = closing.step(&world.service, world.service.now()).unwrap();
        assert_eq!(step.refused, 0);
        invoices += step.invoices;
        if step.is_done {
            return invoices;
        }
    }
}

fn end_of(world: &World, month: Month) {
    world.clock.set(UnixSeconds(month.end().0 + CLOSING_DELAY_SECONDS));
}

fn charge(
    world: &World,
    pair: (AccountId, AccountId),
    usdc: u64,
    reference: &str,
    at: UnixSeconds,
) -> Result<(), AccountError> {
    let (integrator, sub_account) = pair;
    let (by, reference) = (operator(), reference.to_owned());
    let charge = Charge { integrator, sub_account, usdc_e6: usdc * USDC, at, reference, by };
    world.service.commerce().charge(&charge, world.service.plans()).map(drop)
}

/// An integrator, and the sub-accounts that it opens with their keys.
fn integrator(world: &World, children: usize) -> (AccountId, Vec<(AccountId, IssuedKey)>) {
    let (account, _) = world.service.register(from("192.0.2.1"), Address([1; 20])).unwrap();
    make_integrator(world, account.id);
    let by = operator();
    let open = |_| {
        let actor = Actor::Operator(&by);
        let opened = world.service.open_sub_account(actor, account.id, &NewKey::default());
        let (child, key) = opened.unwrap();
        (child.id, key)
    };
    (account.id, (0..children).map(open).collect())
}

#[test]
fn a_charge_is_a_line_of_the_sub_accounts_own_invoice() {
    let world = world();
    let service = &world.service;
    let (account, children) = integrator(&world, 2);
    let [(child, key), (idle, idle_key)] = &children[..] else { panic!("two") };
    count(&world, *child, key.key.id, 2);
    count(&world, *idle, idle_key.key.id, 3);
    service.flush(NOW).unwrap();
    charge(&world, (account, *child), 100, "seat 7", NOW).unwrap();
    charge(&world, (account, *child), 5, "seat 8", NOW).unwrap();
    let owes = || service.money_of(*child).unwrap().owes_usdc_e6;
    assert_eq!(owes(), 105_000_000);
    let running = Month::of(NOW).unwrap();
    let draft = service.invoice_of(*child, running).unwrap();
    let told: Vec<_> = draft.lines.iter().map(|line| (line.kind, line.amount_usdc_e6)).collect();
    let (usage, charged) = (LineKind::Usage, LineKind::Charge);
    assert_eq!(told, [(usage, 0), (charged, 100_000_000), (charged, 5_000_000)]);
    let label = format!("charged by integrator {account}, seat 7, 2023-11-14");
    assert_eq!(draft.lines[1].label, label);

    end_of(&world, running);
    assert_eq!(close_all(&world), 2, "whoever only used has none of its own");
    assert!(service.invoices().load(*idle, running).unwrap().is_none());
    let by_hand = service.close_month(*idle, running).unwrap_err();
    assert!(by_hand.to_string().contains("so there is none"), "{by_hand}");
    let closed = service.invoices().load(*child, running).unwrap().unwrap();
    assert_eq!((closed.lines.as_slice(), closed.total_usdc_e6), (&draft.lines[..], 105_000_000));
    assert_eq!(owes(), 105_000_000, "the ledger has each charge once");
    assert!(closed.to_csv().contains(&format!(",charge,\"{label}\",,0,0,0,100.000000\r\n")));
    assert!(closed.to_html().contains(&format!("<td>charge</td><td>{label}</td>")));
    let late = charge(&world, (account, *child), 1, "late", NOW).unwrap_err();
    assert!(matches!(late, AccountError::Month { why: "is closed", .. }), "{late}");

    // a charge is taken back as other amounts are; the integrator keeps its share
    let correct = |usdc: u64, reference: &str| {
        let (by, reference) = (operator(), reference.to_owned());
        let correction = Correction { by, usdc_e6: usdc * USDC, reference };
        let (now, journal) = (service.now(), service.journal());
        service.invoices().correct(*child, running, &correction, now, journal)
    };
    assert!(matches!(correct(106, "a"), Err(AccountError::Invoice { .. })));
    correct(105, "a").unwrap();
    assert_eq!(owes(), 0);
    let share = service.invoices().load(account, running).unwrap().unwrap();
    let share = share.lines.iter().find(|line| line.kind == LineKind::RevenueShare).unwrap();
    assert_eq!(share.amount_usdc_e6, -73_500_000);
    service.journal().verify().unwrap();
}

/// A month in which nobody had an invoice is over for charges as well.
#[test]
fn a_month_that_was_gone_through_takes_no_charge() {
    let world = world();
    let (account, children) = integrator(&world, 1);
    let first = Month::of(NOW).unwrap();
    let yearly = Agreement {
        terms: Terms::Integrator {
            interval: Interval::Yearly,
            fee_usdc_e6: 999 * USDC,
            tier: Tier::Builder,
        },
        ..world.service.commerce().agreement_in(account, first).unwrap().unwrap()
    };
    world.service.commerce().agree(&yearly, world.service.plans()).unwrap();
    end_of(&world, first.next());
    assert_eq!(close_all(&world), 1, "the year's fee, and then nothing");
    let pair = (account, children[0].0);
    let late = charge(&world, pair, 1, "late", first.next().start()).unwrap_err();
    assert!(matches!(late, AccountError::Month { why: "is closed", .. }), "{late}");
    charge(&world, pair, 1, "late", world.service.now()).unwrap();
}

/// What an integrator's customers were charged is shared with it, also where its agreement is ended
/// over the month; and no agreement begins in a month that nobody bills any more.
#[test]
fn a_share_is_paid_out_and_a_month_that_was_gone_through_takes_no_agreement() {
    let world = world();
    let (account, children) = integrator(&world, 1);
    let first = Month::of(NOW).unwrap();
    end_of(&world, first);
    close_all(&world);
    charge(&world, (account, children[0].0), 1_000, "c1", world.service.now()).unwrap();
    world.service.end_agreements(account, first, &operator()).unwrap();
    end_of(&world, first.next());
    close_all(&world);
    let closed = world.service.invoices().load(account, first.next()).unwrap().unwrap();
    assert_eq!(closed.sum_of(LineKind::RevenueShare), -700_000_000);
    let (idle, _) = world.service.register(from("192.0.2.9"), Address([9; 20])).unwrap();
    end_of(&world, first.next().next());
    close_all(&world);
    let gone = first.next().next();
    let late = Agreement {
        account: idle.id,
        terms: Terms::Integrator {
            interval: Interval::Monthly,
            fee_usdc_e6: 99 * USDC,
            tier: Tier::Builder,
        },
        from: gone,
        until: None,
        by: operator(),
        entered_at: world.service.now(),
    };
    let refused = world.service.agree(&late).unwrap_err();
    assert!(matches!(refused, AccountError::Month { why: "is closed", .. }), "{refused}");
    world.service.agree(&Agreement { from: gone.next(), ..late }).unwrap();
}

/// Periods of a sub-account are on its own invoice as well.
#[test]
fn a_sub_account_that_paid_has_an_invoice() {
    let world = world();
    let (_, children) = integrator(&world, 1);
    let child = children[0].0;
    let id = PaymentId { chain: ChainId(8453), tx: Hash([1; 32]), log_index: 0 };
    let (wallet, tier, usdc_e6) = (Address([1; 20]), Tier::Builder, 50 * USDC);
    let payment =
        Payment { id, wallet, tier, usdc_e6, asset: Asset::Usdc, paid_at: NOW, is_final: true };
    let (payer, event) = (Subscriber::Account(child), Event::Payment(payment));
    world.service.accounts().apply_to_subscription(&payer, &event, None).unwrap();
    let running = Month::of(NOW).unwrap();
    end_of(&world, running);
    close_all(&world);
    let closed = world.service.invoices().load(child, running).unwrap().unwrap();
    let told: Vec<_> = closed.lines.iter().map(|line| line.kind).collect();
    assert_eq!(told, [LineKind::Subscription, LineKind::Paid]);
}

/// What was paid before its wallet was proven comes with the next invoice, by its day.
#[test]
fn money_of_a_wallet_that_is_proven_late_is_on_the_next_invoice() {
    let world = world();
    let service = &world.service;
    let (account, key) = service.register(from("192.0.2.1"), Address([1; 20])).unwrap();
    let (other, other_key) = service.register(from("192.0.2.2"), Address([2; 20])).unwrap();
    let november = Month::of(NOW).unwrap();
    let early = paid_by(&world, 9, 1, 50);
    end_of(&world, november);
    assert_eq!(close_all(&world), 0, "nobody's yet");
    prove(&world, &key, 9);
    let later = paid_by(&world, 9, 2, 50);
    let draft = service.invoice_of(account.id, november.next()).unwrap();
    end_of(&world, november.next());
    assert_eq!(close_all(&world), 1);
    let closed = service.invoices().load(account.id, november.next()).unwrap().unwrap();
    assert_eq!((closed.lines.as_slice(), closed.total_usdc_e6), (&draft.lines[..], 0));
    let labels: Vec<_> = closed.lines.iter().map(|line| line.label.as_str()).collect();
    assert_eq!(labels[1], format!("paid, payment {early}, 2023-11-14"));
    assert_eq!(labels[3], format!("paid, payment {later}"), "of the month itself");
    // neither an older month of the same account nor another that gets the wallet has it again
    assert!(service.close_month(account.id, november).is_err());
    prove(&world, &other_key, 9);
    end_of(&world, november.next().next());
    assert_eq!(close_all(&world), 0);
    assert!(service.close_month(other.id, november.next()).is_err());
}

/// Who signs anew between a month's end and its closing has what was paid in it on the first invoice
/// that there can be, though the account was not there yet.
#[test]
fn an_account_opened_after_the_month_has_its_wallets_money_on_its_first_invoice() {
    let world = world();
    let service = &world.service;
    let (before, key) = service.register(from("192.0.2.1"), Address([1; 20])).unwrap();
    let november = Month::of(NOW).unwrap();
    prove(&world, &key, 9);
    let paid = paid_by(&world, 9, 1, 50);
    world.clock.set(UnixSeconds(november.end().0 + 60));
    let (account, key) = service.register(from("192.0.2.2"), Address([2; 20])).unwrap();
    prove(&world, &key, 9);
    end_of(&world, november);
    assert_eq!(close_all(&world), 0);
    end_of(&world, november.next());
    assert_eq!(close_all(&world), 1);
    let closed = service.invoices().load(account.id, november.next()).unwrap().unwrap();
    assert_eq!(closed.lines[1].label, format!("paid, payment {paid}, 2023-11-14"));
    assert_eq!(times_billed(&world, &[before.id, account.id])[&paid], 1);
}

/// What is written down late, with the time at which it took effect, is not lost between months.
#[test]
fn a_renewal_that_is_written_after_its_month_was_closed_is_on_the_next_invoice() {
    let world = world();
    let service = &world.service;
    let (account, key) = service.register(from("192.0.2.1"), Address([1; 20])).unwrap();
    prove(&world, &key, 9);
    world.clock.advance(21 * 86_400);
    paid_by(&world, 9, 1, 700); // twelve periods, and credit for two
    let renewed_at = UnixSeconds(service.now().0 + 360 * 86_400);
    let due = Month::of(renewed_at).unwrap();
    end_of(&world, due);
    close_all(&world);
    assert!(service.invoices().load(account.id, due).unwrap().is_none());
    assert_eq!(service.renew(None).unwrap().0, 1);
    end_of(&world, due.next());
    close_all(&world);
    let closed = service.invoices().load(account.id, due.next()).unwrap().unwrap();
    assert_eq!(closed.sum_of(LineKind::Subscription), 50_000_000);
    let dated = closed.lines.iter().filter(|line| line.label.ends_with(", 2024-11-29")).count();
    assert_eq!(dated, 2, "a period and the credit that bought it, by the day it took effect");
}

/// No account is held up, and no movement lost, by more of them than an invoice has.
#[test]
fn movements_past_the_most_come_with_the_next_invoice() {
    let world = world();
    let service = &world.service;
    let (account, key) = service.register(from("192.0.2.1"), Address([1; 20])).unwrap();
    prove(&world, &key, 9);
    for number in 0..crate::MOVEMENTS_PER_INVOICE_MAX + 7 {
        paid_by(&world, 9, number as u32, 1);
    }
    let first = Month::of(NOW).unwrap();
    end_of(&world, first.next());
    assert_eq!(close_all(&world), 2);
    let paid = |month| service.invoices().load(account.id, month).unwrap().unwrap();
    let paid = [first, first.next()].map(|month| paid(month).sum_of(LineKind::Paid) / -1_000_000);
    assert_eq!(paid, [1_000, 7]);
}

/// Whoever takes the wallet while a month is closed has its money on his invoice alone.
#[test]
fn a_wallet_that_moves_while_a_month_is_closed_is_on_no_invoice_of_who_had_it() {
    use crate::interrupted::Interrupted;
    for at_read in 1..40 {
        let world = world();
        let (account, key) = world.service.register(from("192.0.2.1"), Address([1; 20])).unwrap();
        let (other, other_key) =
            world.service.register(from("192.0.2.2"), Address([2; 20])).unwrap();
        prove(&world, &key, 9);
        paid_by(&world, 9, 1, 50);
        let month = Month::of(NOW).unwrap();
        world.clock.set(month.end());
        let by = world.service.accounts().authenticate(other_key.secret.expose()).unwrap();
        let (mover, store) = (world.service.clone(), world.store.clone());
        let between = move |read| {
            if read == at_read {
                let wallet = Address([9; 20]);
                let proven = ProvenWallet::assumed(&*store, Environment::Test, wallet);
                mover.prove_wallet(&by, &proven).unwrap();
            }
        };
        let store = Arc::new(Interrupted::new(world.store.clone(), between));
        let stopwatch = Arc::new(ManualStopwatch::default());
        let config = world.service.config();
        let closer =
            AccountService::open_with(store, world.clock.clone(), stopwatch, config).unwrap();
        let first = closer.close_month(account.id, month).is_ok();
        let holder = world.service.accounts().proven_by(Address([9; 20])).unwrap();
        let moved = holder == Some(other.id);
        assert_eq!(first, !moved, "read {at_read}");
        let second = world.service.close_month(other.id, month).is_ok();
        assert_eq!(second, moved, "read {at_read}: on one of them");
    }
}

/// How often each payment stands on the invoices of those accounts.
fn times_billed(world: &World, accounts: &[AccountId]) -> BTreeMap<String, usize> {
    let mut times = BTreeMap::new();
    let of = |account: &AccountId| world.service.invoices().list(*account, None, 1_000).unwrap();
    let invoices: Vec<Invoice> = accounts.iter().flat_map(of).collect();
    for line in invoices.iter().flat_map(|invoice| &invoice.lines) {
        if line.kind == LineKind::Paid {
            let id = line.label.split([' ', ',']).find(|word| word.starts_with("8453/")).unwrap();
            *times.entry(id.to_owned()).or_default() += 1;
        }
    }
    assert!(invoices.iter().all(|invoice| invoice.total_usdc_e6 == 0));
    times
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whoever pays, signs, takes a wallet over or closes what month in whatever order: no payment
    /// is on two invoices, and each of a wallet that somebody has proven is on one once the months
    /// in which it lay are closed.
    #[test]
    fn every_movement_is_on_exactly_one_invoice(
        acts in proptest::collection::vec((0..6_u8, 0..3_u8, 0..3_usize, 0..4_u32), 1..40),
    ) {
        let world = world();
        let opened = [1, 2, 3].map(|last: u8| {
            let (account, key) =
                world.service.register(from(&format!("192.0.2.{last}")), Address([99; 20])).unwrap();
            (account.id, key)
        });
        let accounts = [0, 1, 2].map(|which: usize| opened[which].0);
        let mut payments = BTreeMap::new();
        for (number, (kind, wallet, who, back)) in (0..).zip(acts) {
            match kind {
                0 | 1 => {
                    let usdc = u64::from(back) * 20 + 1;
                    payments.insert(paid_by(&world, wallet, number, usdc), wallet);
                }
                2 => prove(&world, &opened[who].1, wallet),
                3 => world.clock.advance(u64::from(back + 1) * 6 * 86_400),
                4 => {
                    let mut month = Month::of(world.service.now()).unwrap();
                    for _ in 0..back {
                        month = Month::of(UnixSeconds(month.start().0 - 1)).unwrap();
                    }
                    for _ in 0..2 {
                        // refused where it runs, was before the account, or has nothing to say
                        let _ = world.service.close_month(accounts[who], month);
                    }
                }
                _ => drop(close_all(&world)),
            }
            prop_assert!(times_billed(&world, &accounts).values().all(|times| *times == 1));
        }
        end_of(&world, Month::of(world.service.now()).unwrap());
        close_all(&world);
        let times = times_billed(&world, &accounts);
        for (id, wallet) in payments {
            let is_proven =
                world.service.accounts().proven_by(Address([wallet; 20])).unwrap().is_some();
            prop_assert_eq!(times.get(&id).copied().unwrap_or(0), usize::from(is_proven), "{}", id);
        }
        world.service.journal().verify().unwrap();
    }
}
