//! EVM in this process, with accounts in memory.

use alloy_primitives::{Address, Bytes, TxKind, U256};
use revm::context::result::{EVMError, ExecutionResult, HaltReason, Output};
use revm::context::{Context, TxEnv};
use revm::database::InMemoryDB;
use revm::handler::{
    ExecuteCommitEvm, ExecuteEvm, MainBuilder, MainContext, MainnetContext, MainnetEvm,
};
use revm::primitives::hardfork::SpecId;
use revm::state::AccountInfo;

/// Gas of a transaction before its data.
const TRANSACTION_GAS: u64 = 21_000;
/// A call's gas limit.
const GAS_LIMIT: u64 = 500_000_000;

/// Chain of one EVM: transactions from any account, without fees.
pub struct EvmHost {
    evm: MainnetEvm<MainnetContext<InMemoryDB>>,
}

impl std::fmt::Debug for EvmHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EvmHost").finish_non_exhaustive()
    }
}

/// Why a transaction could not be run.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The EVM refused it.
    #[error("the transaction was not run: {0}")]
    Refused(String),
    /// The creation reverted.
    #[error("the contract was not created: {0:?}")]
    NotCreated(CallOutcome),
}

/// A call's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallOutcome {
    /// Whether it succeeded.
    pub is_success: bool,
    /// Returned bytes, or those of the error.
    pub output: Bytes,
    /// Gas of the whole transaction, with the floor of EIP-7623.
    pub gas: u64,
    /// The execution alone's gas: without 21,000 and without the data.
    pub execution_gas: u64,
    /// Logs: address, topics, data.
    pub logs: Vec<alloy_primitives::Log>,
}

impl EvmHost {
    /// Host with the rules of Prague and this chain id.
    #[must_use]
    pub fn new(chain_id: u64) -> Self {
        Self::with_spec(chain_id, SpecId::PRAGUE)
    }

    fn with_spec(chain_id: u64, spec: SpecId) -> Self {
        let context = Context::mainnet().with_db(InMemoryDB::default()).modify_cfg_chained(|cfg| {
            cfg.set_spec_and_mainnet_gas_params(spec);
            cfg.chain_id = chain_id;
            cfg.disable_nonce_check = true;
            cfg.tx_gas_limit_cap = Some(u64::MAX);
        });
        let mut evm = context.build_mainnet();
        evm.ctx.block.gas_limit = u64::MAX;
        Self { evm }
    }

    /// Gives an account this many wei.
    pub fn set_balance(&mut self, address: Address, wei: U256) {
        let info = AccountInfo { balance: wei, ..AccountInfo::default() };
        self.evm.ctx.journaled_state.database.insert_account_info(address, info);
    }

    /// Lets the chain's clock show these Unix seconds.
    pub fn set_time(&mut self, seconds: u64) {
        self.evm.ctx.block.timestamp = U256::from(seconds);
    }

    /// Creates a contract; its address.
    ///
    /// # Errors
    /// [`HostError`].
    pub fn create(&mut self, code: &[u8], arguments: &[u8]) -> Result<Address, HostError> {
        let data = Bytes::from([code, arguments].concat());
        let result = self.transact(Address::ZERO, TxKind::Create, data, U256::ZERO, true)?;
        match &result {
            ExecutionResult::Success { output: Output::Create(_, Some(address)), .. } => {
                Ok(*address)
            }
            other => Err(HostError::NotCreated(outcome(other, &[]))),
        }
    }

    /// Calls a contract, and keeps what changed.
    ///
    /// # Errors
    /// [`HostError::Refused`].
    pub fn call(
        &mut self,
        from: Address,
        to: Address,
        data: Vec<u8>,
        wei: U256,
    ) -> Result<CallOutcome, HostError> {
        let data = Bytes::from(data);
        let result = self.transact(from, TxKind::Call(to), data.clone(), wei, true)?;
        Ok(outcome(&result, &data))
    }

    /// Calls a contract, and keeps nothing.
    ///
    /// # Errors
    /// [`HostError::Refused`].
    pub fn view(&mut self, to: Address, data: Vec<u8>) -> Result<CallOutcome, HostError> {
        let data = Bytes::from(data);
        let kind = TxKind::Call(to);
        let result = self.transact(Address::ZERO, kind, data.clone(), U256::ZERO, false)?;
        Ok(outcome(&result, &data))
    }

    fn transact(
        &mut self,
        caller: Address,
        kind: TxKind,
        data: Bytes,
        value: U256,
        is_kept: bool,
    ) -> Result<ExecutionResult, HostError> {
        let transaction = TxEnv {
            caller,
            kind,
            data,
            value,
            gas_limit: GAS_LIMIT,
            chain_id: Some(self.evm.ctx.cfg.chain_id),
            ..TxEnv::default()
        };
        type Fault = EVMError<std::convert::Infallible>;
        let refused = |error: Fault| HostError::Refused(error.to_string());
        if is_kept {
            return self.evm.transact_commit(transaction).map_err(refused);
        }
        Ok(self.evm.transact(transaction).map_err(refused)?.result)
    }
}

fn outcome(result: &ExecutionResult<HaltReason>, data: &[u8]) -> CallOutcome {
    let gas = result.gas();
    let data_gas: u64 = data.iter().map(|byte| if *byte == 0 { 4 } else { 16 }).sum();
    CallOutcome {
        is_success: result.is_success(),
        output: result.output().cloned().unwrap_or_default(),
        gas: gas.tx_gas_used(),
        execution_gas: gas.total_gas_spent().saturating_sub(TRANSACTION_GAS + data_gas),
        logs: result.logs().to_vec(),
    }
}
