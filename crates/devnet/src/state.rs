//! Accounts, and the EVM over them.

use alloy_consensus::{Transaction, TxEnvelope};
use alloy_primitives::{Address, B256, Bytes, KECCAK256_EMPTY, Log, TxKind, U256};
use alloy_trie::TrieAccount;
use alloy_trie::root::{state_root_unhashed, storage_root_unhashed};
use revm::context::result::{ExecutionResult, Output};
use revm::context::{Context, TxEnv};
use revm::database::InMemoryDB;
use revm::handler::{
    ExecuteCommitEvm, ExecuteEvm, MainBuilder, MainContext, MainnetContext, MainnetEvm,
};
use revm::primitives::hardfork::SpecId;
use revm::state::AccountInfo;

use crate::error::DevnetError;

/// Rules of every block.
pub(crate) const SPEC: SpecId = SpecId::PRAGUE;

pub(crate) struct State {
    chain_id: u64,
    accounts: InMemoryDB,
    block: BlockContext,
}

/// Header members that contracts see.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockContext {
    pub(crate) number: u64,
    pub(crate) timestamp: u64,
    pub(crate) base_fee: u64,
    pub(crate) gas_limit: u64,
}

/// Executed transaction or call.
#[derive(Clone, Debug)]
pub(crate) struct Executed {
    pub(crate) is_success: bool,
    pub(crate) gas_used: u64,
    /// Returned bytes, or the error's.
    pub(crate) output: Bytes,
    pub(crate) logs: Vec<Log>,
    pub(crate) created: Option<Address>,
}

/// Call without a signature.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) from: Address,
    pub(crate) to: TxKind,
    pub(crate) value: U256,
    pub(crate) data: Bytes,
    pub(crate) gas: u64,
}

impl State {
    pub(crate) fn new(chain_id: u64, funded: &[(Address, U256)]) -> Self {
        let mut accounts = InMemoryDB::default();
        for (address, balance) in funded {
            let info = AccountInfo { balance: *balance, ..AccountInfo::default() };
            accounts.insert_account_info(*address, info);
        }
        Self { chain_id, accounts, block: BlockContext::default() }
    }

    /// Sets the block of all further transactions and calls.
    pub(crate) const fn enter(&mut self, block: BlockContext) {
        self.block = block;
    }

    /// EVM over the accounts, in the block.
    fn evm(&mut self) -> MainnetEvm<MainnetContext<&mut InMemoryDB>> {
        let (chain_id, block) = (self.chain_id, self.block);
        let context = Context::mainnet().with_db(&mut self.accounts).modify_cfg_chained(|cfg| {
            cfg.set_spec_and_mainnet_gas_params(SPEC);
            cfg.chain_id = chain_id;
        });
        let mut evm = context.build_mainnet();
        evm.ctx.block.number = U256::from(block.number);
        evm.ctx.block.timestamp = U256::from(block.timestamp);
        evm.ctx.block.basefee = block.base_fee;
        evm.ctx.block.gas_limit = block.gas_limit;
        evm.ctx.block.prevrandao = Some(B256::ZERO);
        evm
    }

    /// Executes a signed transaction and keeps the changes.
    ///
    /// # Errors
    /// [`DevnetError::Refused`]: nothing was executed.
    pub(crate) fn apply(
        &mut self,
        transaction: &TxEnvelope,
        sender: Address,
    ) -> Result<Executed, DevnetError> {
        let environment = TxEnv {
            tx_type: transaction.tx_type().into(),
            caller: sender,
            gas_limit: transaction.gas_limit(),
            gas_price: transaction.max_fee_per_gas(),
            gas_priority_fee: transaction.max_priority_fee_per_gas(),
            kind: transaction.kind(),
            value: transaction.value(),
            data: transaction.input().clone(),
            nonce: transaction.nonce(),
            chain_id: transaction.chain_id(),
            access_list: transaction.access_list().cloned().unwrap_or_default(),
            ..TxEnv::default()
        };
        let result = self.evm().transact_commit(environment);
        result
            .map(|result| executed(&result))
            .map_err(|error| DevnetError::Refused(error.to_string()))
    }

    /// Executes a call after the newest block and keeps nothing.
    ///
    /// # Errors
    /// [`DevnetError::Refused`].
    pub(crate) fn call(&mut self, call: Call) -> Result<Executed, DevnetError> {
        let chain_id = self.chain_id;
        let mut evm = self.evm();
        evm.ctx.block.basefee = 0;
        evm.ctx.cfg.disable_nonce_check = true;
        let environment = TxEnv {
            caller: call.from,
            gas_limit: call.gas,
            kind: call.to,
            value: call.value,
            data: call.data,
            chain_id: Some(chain_id),
            ..TxEnv::default()
        };
        let result = evm.transact(environment);
        let result = result.map_err(|error| DevnetError::Refused(error.to_string()))?;
        Ok(executed(&result.result))
    }

    pub(crate) fn nonce(&self, address: Address) -> u64 {
        self.info(address).map_or(0, |info| info.nonce)
    }

    pub(crate) fn balance(&self, address: Address) -> U256 {
        self.info(address).map_or(U256::ZERO, |info| info.balance)
    }

    pub(crate) fn code(&self, address: Address) -> Bytes {
        let cache = &self.accounts.cache;
        let code = self.info(address).and_then(|info| cache.contracts.get(&info.code_hash));
        code.map(|code| code.original_bytes()).unwrap_or_default()
    }

    pub(crate) fn storage(&self, address: Address, slot: U256) -> U256 {
        let cache = &self.accounts.cache;
        let account = cache.accounts.get(&address);
        account.and_then(|account| account.storage.get(&slot).copied()).unwrap_or_default()
    }

    /// State root (Ethereum yellow paper, 4.1).
    pub(crate) fn root(&self) -> B256 {
        let cache = &self.accounts.cache;
        let accounts = cache.accounts.iter().filter(|(_, account)| !account.info.is_empty());
        state_root_unhashed(accounts.map(|(address, account)| {
            let slots = account.storage.iter().filter(|(_, value)| !value.is_zero());
            let slots = slots.map(|(slot, value)| (B256::from(*slot), *value));
            let code_hash = account.info.code_hash;
            let account = TrieAccount {
                nonce: account.info.nonce,
                balance: account.info.balance,
                storage_root: storage_root_unhashed(slots),
                code_hash: if code_hash.is_zero() { KECCAK256_EMPTY } else { code_hash },
            };
            (*address, account)
        }))
    }

    fn info(&self, address: Address) -> Option<&AccountInfo> {
        let cache = &self.accounts.cache;
        cache.accounts.get(&address).map(|account| &account.info)
    }
}

fn executed(result: &ExecutionResult) -> Executed {
    let created = match result {
        ExecutionResult::Success { output: Output::Create(_, created), .. } => *created,
        _ => None,
    };
    Executed {
        is_success: result.is_success(),
        gas_used: result.gas().tx_gas_used(),
        output: result.output().cloned().unwrap_or_default(),
        logs: result.logs().to_vec(),
        created,
    }
}
