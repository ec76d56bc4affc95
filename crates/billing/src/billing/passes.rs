//! Passes: presented once, counted once.

use sha2::{Digest, Sha256};
use superroot_account::{AccountId, Payer};
use superroot_store::WriteBatch;
use superroot_types::Hash;

use super::BillingLedger;
use crate::entry::{EntryKind, NewEntry};
use crate::error::BillingError;
use crate::keys::{self, BillingKey};
use crate::money::scaled_up;
use crate::pass::{AuthorizationId, CountedPass, PassGoods, PassTransfer, SoldPass};
use crate::payment::{Asset, Payment};
use crate::subscription::SubscriptionAct;

const MILLION: u64 = 1_000_000;

impl BillingLedger {
    /// A pass now's price, in millionths of a USDC, rounded up; `None` for a tier that is not for sale.
    pub fn pass_usdc_e6(&self, goods: PassGoods) -> Result<Option<u64>, BillingError> {
        match goods {
            PassGoods::Tier(tier) => Ok(self.plans().price_usdc_e6(tier)),
            PassGoods::Tokens(tokens) => {
                let million = self.price_list_at(self.now())?.million_tokens_usdc_e6;
                Ok(scaled_up(tokens, million, MILLION).map(|price| price.max(1)))
            }
        }
    }

    /// Writes down a pass before its transfer is sent. An authorization is presented once: afterwards it is public, and
    /// anybody could bring it.
    ///
    /// # Errors
    /// [`BillingError::PassPresented`].
    pub fn present_pass(&self, pass: &SoldPass) -> Result<(), BillingError> {
        self.check_account(pass.account)?;
        self.commit(|| {
            let mut batch = WriteBatch::new();
            let key = BillingKey::Pass(pass.authorization);
            if self.journal().expect::<SoldPass>(&mut batch, key)?.is_some() {
                return Err(BillingError::PassPresented);
            }
            self.journal().put(&mut batch, key, pass);
            let listed = BillingKey::PassOf(pass.account, pass.presented_at, hash(pass));
            self.journal().put(&mut batch, listed, &pass.authorization);
            Ok((batch, ()))
        })
    }

    /// Notes the transaction that a facilitator named.
    pub fn note_pass_transaction(
        &self,
        authorization: AuthorizationId,
        transaction: Hash,
    ) -> Result<(), BillingError> {
        self.commit(|| {
            let mut batch = WriteBatch::new();
            let key = BillingKey::Pass(authorization);
            let Some(pass) = self.journal().expect::<SoldPass>(&mut batch, key)? else {
                return Ok((WriteBatch::new(), ()));
            };
            self.journal().put(
                &mut batch,
                key,
                &SoldPass { transaction: Some(transaction), ..pass },
            );
            Ok((batch, ()))
        })
    }

    /// Counts a pass by its proven transfer, once.
    pub fn count_pass(
        &self,
        authorization: AuthorizationId,
        transfer: &PassTransfer,
    ) -> Result<CountedPass, BillingError> {
        let key = BillingKey::Pass(authorization);
        let Some(held) = self.journal().load::<SoldPass>(key)? else {
            return Ok(CountedPass::Unknown);
        };
        let pass = held.value;
        if pass.payment.is_some() {
            return Ok(CountedPass::Before);
        }
        if pass.usdc_e6 != transfer.usdc_e6 {
            return Ok(CountedPass::OtherAmount(pass));
        }
        if let PassGoods::Tier(tier) = pass.goods {
            // counts once by its payment, also where the commit below fails
            let payment = Payment {
                id: transfer.payment,
                wallet: authorization.from,
                tier,
                usdc_e6: pass.usdc_e6,
                asset: Asset::Usdc,
                paid_at: transfer.paid_at,
                is_final: true,
                is_proven: true,
            };
            let payer = Payer::Account(pass.account);
            self.apply(&payer, &SubscriptionAct::Payment(payment), None)?;
        }
        self.commit(|| {
            let mut batch = WriteBatch::new();
            let journal = self.journal();
            let Some(pass) = journal.expect::<SoldPass>(&mut batch, key)? else {
                return Ok((WriteBatch::new(), CountedPass::Unknown));
            };
            if pass.payment.is_some() {
                return Ok((WriteBatch::new(), CountedPass::Before));
            }
            if let PassGoods::Tokens(tokens) = pass.goods {
                let text = format!("{tokens} tokens in advance, {}", transfer.payment);
                let reference = transfer.payment.to_string();
                let paid = NewEntry::new(EntryKind::Prepaid, pass.usdc_e6, reference, text)?;
                journal.stage_one(&mut batch, pass.account, self.now(), &paid)?;
            }
            let counted = SoldPass { payment: Some(transfer.payment), ..pass };
            journal.put(&mut batch, key, &counted);
            Ok((batch, CountedPass::Counted(counted)))
        })
    }

    /// Pass by its authorization.
    pub fn pass(&self, authorization: AuthorizationId) -> Result<Option<SoldPass>, BillingError> {
        let held = self.journal().load::<SoldPass>(BillingKey::Pass(authorization))?;
        Ok(held.map(|held| held.value))
    }

    /// An account's newest passes, newest first.
    pub fn passes(&self, account: AccountId, limit: usize) -> Result<Vec<SoldPass>, BillingError> {
        let journal = self.journal();
        let prefix = keys::passes(self.environment(), account);
        let table = superroot_store::Table::Journal;
        let mut passes = Vec::new();
        for (key, bytes) in journal.page(table, &prefix, &prefix, limit)? {
            let authorization = superroot_account::row::decode(table, &key, &bytes)?;
            passes.extend(self.pass(authorization)?);
        }
        Ok(passes)
    }
}

fn hash(pass: &SoldPass) -> Hash {
    let AuthorizationId { chain, asset, from, nonce } = pass.authorization;
    let parts = [&chain.0.to_be_bytes()[..], &asset.0, &from.0, &nonce.0].concat();
    Hash(Sha256::digest(parts).into())
}
