//! Fees of a transaction, and their limits (EIP-1559).

/// Fees in wei per gas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fees {
    /// Most for the base fee and the tip together.
    pub max_fee: u128,
    pub tip: u128,
}

/// Limits that no transaction passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeeLimits {
    /// Highest `max_fee`, in wei per gas.
    pub fee_per_gas_max: u128,
    /// Most wei that the transactions of one UTC day may cost together, each at its gas limit and highest fee.
    pub wei_per_day_max: u128,
    /// Seconds without a block until a transaction is sent with a higher fee.
    pub raise_after_seconds: u64,
}

impl Fees {
    /// Fees for a base fee that may double: twice the base fee, and the tip.
    #[must_use]
    pub const fn for_base_fee(base_fee: u128, tip: u128) -> Self {
        Self { max_fee: base_fee.saturating_mul(2).saturating_add(tip), tip }
    }

    /// Least fees with which nodes replace a transaction of these fees, and not below the fees of now. Nodes ask for a
    /// tenth more in both (geth's `pricebump`); this is an eighth.
    pub(crate) fn raised(self, now: Self) -> Self {
        let eighth = |fee: u128| fee.saturating_add(fee.div_ceil(8)).saturating_add(1);
        let tip = now.tip.min(now.max_fee);
        Self { max_fee: eighth(self.max_fee).max(now.max_fee), tip: eighth(self.tip).max(tip) }
    }

    /// These fees with no part above the limit; `None` if the base fee alone is.
    pub(crate) fn capped(self, limits: &FeeLimits) -> Option<Self> {
        let max_fee = self.max_fee.min(limits.fee_per_gas_max);
        // the base fee may double in `max_fee`: half of it must find room
        let base_fee = self.max_fee.saturating_sub(self.tip) / 2;
        let tip = self.tip.min(max_fee);
        (base_fee.saturating_add(tip) <= max_fee).then_some(Self { max_fee, tip })
    }

    pub(crate) const fn cost(self, gas_limit: u64) -> u128 {
        self.max_fee.saturating_mul(gas_limit as u128)
    }
}
