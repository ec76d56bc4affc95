//! Passes: presented once, counted once, and only by what was paid.

use std::thread;

use superroot_account::AccountId;

use super::*;
use crate::pass::{AuthorizationId, CountedPass, PassGoods, PassTransfer, SoldPass};

fn authorization(nonce: u8) -> AuthorizationId {
    let (asset, from) = (Address([0x55; 20]), Address([0xaa; 20]));
    AuthorizationId { chain: ChainId(8_453), asset, from, nonce: Hash([nonce; 32]) }
}

impl World {
    fn pass(&self, account: AccountId, nonce: u8, goods: PassGoods) -> SoldPass {
        let now = self.billing.now();
        SoldPass {
            authorization: authorization(nonce),
            account,
            goods,
            usdc_e6: self.billing.pass_usdc_e6(goods).unwrap().unwrap(),
            presented_at: now,
            valid_before: UnixSeconds(now.0 + 120),
            transaction: None,
            payment: None,
        }
    }

    fn transfer(&self, number: u8, usdc_e6: u64) -> PassTransfer {
        let payment = PaymentId { chain: ChainId(8_453), tx: Hash([number; 32]), log_index: 1 };
        PassTransfer { payment, usdc_e6, paid_at: self.billing.now() }
    }
}

#[test]
fn tokens_are_counted_once_by_their_transfer_alone() {
    let world = world("2026-02");
    let (account, _) = world.open();
    let pass = world.pass(account.id, 1, PassGoods::Tokens(100_000));
    assert_eq!(pass.usdc_e6, USDC, "10 USDC a million");
    let billing = &world.billing;
    let transfer = world.transfer(1, USDC);
    let count = |nonce, transfer: &PassTransfer| {
        billing.count_pass(authorization(nonce), transfer).unwrap()
    };
    assert_eq!(count(1, &transfer), CountedPass::Unknown, "nobody presented it");
    billing.present_pass(&pass).unwrap();
    assert_eq!(billing.owes_usdc_e6(account.id).unwrap(), 0, "pending");
    let other = world.transfer(1, USDC - 1);
    assert_eq!(count(1, &other), CountedPass::OtherAmount(pass.clone()));
    assert_eq!(count(2, &transfer), CountedPass::Unknown, "another authorization");
    assert_eq!(billing.owes_usdc_e6(account.id).unwrap(), 0);
    let counted = SoldPass { payment: Some(transfer.payment), ..pass };
    assert_eq!(count(1, &transfer), CountedPass::Counted(counted.clone()));
    for transfer in [transfer, world.transfer(9, USDC)] {
        assert_eq!(count(1, &transfer), CountedPass::Before);
    }
    assert_eq!(billing.owes_usdc_e6(account.id).unwrap(), -1_000_000);
    assert_eq!(billing.passes(account.id, 10).unwrap(), [counted]);
    let entry = billing.entries(account.id, None, 10).unwrap().pop().unwrap();
    assert_eq!((entry.moved.kind.name(), entry.moved.usdc_e6), ("prepaid", -1_000_000));
}

#[test]
fn a_tier_is_the_accounts_for_thirty_days() {
    let world = world("2026-02");
    let (account, issued) = world.open();
    let pass = world.pass(account.id, 1, PassGoods::Tier(Tier::Builder));
    world.billing.present_pass(&pass).unwrap();
    assert_eq!(world.entitled(&issued).tier(), Tier::Explorer, "pending");
    let transfer = world.transfer(1, 50 * USDC);
    for _ in 0..2 {
        world.billing.count_pass(pass.authorization, &transfer).unwrap();
    }
    let entitled = world.entitled(&issued);
    assert_eq!(entitled.tier(), Tier::Builder);
    let listed = world.billing.payments(account.id).unwrap();
    assert_eq!(listed.len(), 1);
    assert!(listed[0].is_counted && listed[0].payment.id == transfer.payment);
    assert_eq!(world.billing.owes_usdc_e6(account.id).unwrap(), 0, "bought and paid");
    for tier in [Tier::Explorer, Tier::Enterprise] {
        assert_eq!(world.billing.pass_usdc_e6(PassGoods::Tier(tier)).unwrap(), None);
    }
}

/// Two services over one store, or two requests at once: an authorization is one pass.
#[test]
fn an_authorization_is_presented_once() {
    let world = world("2026-02");
    let accounts: Vec<_> = (0..8).map(|_| world.open().0.id).collect();
    let nodes = [node(&world.store, &world.clock), node(&world.store, &world.clock)];
    let won: usize = thread::scope(|scope| {
        let present = |(nth, account): (usize, &AccountId)| {
            let pass = world.pass(*account, 1, PassGoods::Tokens(1_000));
            let node = &nodes[nth % 2];
            scope.spawn(move || match node.present_pass(&pass) {
                Ok(()) => 1,
                Err(BillingError::PassPresented) => 0,
                Err(error) => panic!("{error}"),
            })
        };
        let running: Vec<_> = accounts.iter().enumerate().map(present).collect();
        running.into_iter().map(|one| one.join().unwrap()).sum()
    });
    assert_eq!(won, 1);
    let listed: usize =
        accounts.iter().map(|id| world.billing.passes(*id, 10).unwrap().len()).sum();
    assert_eq!(listed, 1);
}

#[test]
fn the_newest_pass_comes_first_and_its_transaction_is_noted() {
    let world = world("2026-02");
    let (account, _) = world.open();
    for nonce in 1..=3 {
        let pass = world.pass(account.id, nonce, PassGoods::Tokens(1_000));
        world.billing.present_pass(&pass).unwrap();
        world.clock.advance(1);
    }
    let noted = Hash([8; 32]);
    world.billing.note_pass_transaction(authorization(2), noted).unwrap();
    world.billing.note_pass_transaction(authorization(7), noted).unwrap();
    let passes = world.billing.passes(account.id, 2).unwrap();
    let shown: Vec<_> =
        passes.iter().map(|one| (one.authorization.nonce.0[0], one.transaction)).collect();
    assert_eq!(shown, [(3, None), (2, Some(noted))]);
}

/// Who paid in advance goes on past the free tokens without a wallet, until that is used.
#[test]
fn tokens_paid_in_advance_need_no_wallet() {
    let world = world("2026-02");
    let (account, issued) = world.open();
    let key = world.entitled(&issued).key;
    let pass = world.pass(account.id, 1, PassGoods::Tokens(1_000));
    world.billing.present_pass(&pass).unwrap();
    world.count(account.id, key, 1_000_500);
    assert!(world.billing.due(account.id).unwrap().is_some(), "a pending pass is no payment");
    let transfer = world.transfer(1, pass.usdc_e6);
    world.billing.count_pass(pass.authorization, &transfer).unwrap();
    assert_eq!(world.billing.due(account.id).unwrap(), None);
    world.count(account.id, key, 499);
    assert_eq!(world.billing.due(account.id).unwrap(), None, "a token is left");
    world.count(account.id, key, 1);
    assert!(world.billing.due(account.id).unwrap().is_some(), "all are used");
}
