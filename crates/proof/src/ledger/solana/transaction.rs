//! Signed transactions, read whole: `signatures ‖ message`. Counts take one to three seven-bit bytes, lowest first, in
//! shortest form.

use alloc::vec::Vec;

use ed25519_dalek::VerifyingKey;
use superroot_types::Hash;

use crate::codec::ByteReader;
use crate::ledger::LedgerError;

/// Longest transaction in bytes: the packet limit.
pub const TRANSACTION_BYTES_MAX: usize = 1_232;

/// Signature, 64 bytes. The ledger names a transaction by its first signature.
pub type Signature = [u8; 64];

/// Flag on a versioned message; the first form has none.
const VERSION_FLAG: u8 = 0x80;

/// Program instruction. Account positions count [`Transaction::account_keys`], then the accounts from lookups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Program account position.
    pub program_index: u8,
    /// Account positions passed to the program.
    pub account_indexes: Vec<u8>,
    /// Instruction data.
    pub data: Vec<u8>,
}

/// Accounts from an on-chain table, by table position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// Table address.
    pub table: Hash,
    /// Writable account positions.
    pub writable_indexes: Vec<u8>,
    /// Read-only account positions.
    pub readonly_indexes: Vec<u8>,
}

/// A transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// Signatures, one for each of the first accounts.
    pub signatures: Vec<Signature>,
    /// Message version; `None` in the first form.
    pub version: Option<u8>,
    /// Number of read-only signers.
    pub readonly_signed: u8,
    /// Number of read-only accounts without signature.
    pub readonly_unsigned: u8,
    /// Addresses in the message itself, signers first.
    pub account_keys: Vec<Hash>,
    /// Recent blockhash, or a durable nonce value.
    pub recent_blockhash: Hash,
    /// Instructions.
    pub instructions: Vec<Instruction>,
    /// Lookups; empty in the first form.
    pub lookups: Vec<Lookup>,
}

impl Transaction {
    /// Reads a whole transaction and checks every signature against its key and the message.
    ///
    /// # Errors
    /// [`LedgerError::Field`] naming a truncated or out-of-bounds field, [`LedgerError::Trailing`],
    /// [`LedgerError::Signature`].
    pub fn verify(raw: &[u8]) -> Result<Self, LedgerError> {
        let read = Self::decode(raw)?;
        let behind = SolanaFields::behind_signatures(raw)?.0.len();
        let message = raw.len().checked_sub(behind).and_then(|from| raw.get(from..));
        let message = message.unwrap_or_default();
        let pairs = read.signatures.iter().zip(&read.account_keys);
        for (index, (signature, key)) in pairs.enumerate() {
            let refused = LedgerError::Signature { index };
            let key = VerifyingKey::from_bytes(&key.0).map_err(|_| refused.clone())?;
            key.verify_strict(message, &signature.into()).map_err(|_| refused)?;
        }
        Ok(read)
    }

    /// Reads a whole transaction without checking signatures.
    ///
    /// # Errors
    /// As [`Transaction::verify`], except for signatures.
    pub fn decode(raw: &[u8]) -> Result<Self, LedgerError> {
        let signatures: Vec<Signature> = signatures(raw)?.copied().collect();
        let mut fields = SolanaFields::behind_signatures(raw)?;
        let first = fields.u8("message")?;
        let (version, required) = if first & VERSION_FLAG == 0 {
            (None, first)
        } else {
            (Some(first ^ VERSION_FLAG), fields.u8("numRequiredSignatures")?)
        };
        if version.is_some_and(|version| version > 0) {
            return Err(LedgerError::Field { field: "version" });
        }
        if usize::from(required) != signatures.len() {
            return Err(LedgerError::Field { field: "numRequiredSignatures" });
        }
        let readonly_signed = fields.u8("numReadonlySignedAccounts")?;
        let readonly_unsigned = fields.u8("numReadonlyUnsignedAccounts")?;
        let account_keys = fields.list("accountKeys", SolanaFields::hash)?;
        if account_keys.len() < signatures.len() {
            return Err(LedgerError::Field { field: "accountKeys" });
        }
        let recent_blockhash = fields.hash("recentBlockhash")?;
        let instructions = fields.list("instructions", |fields, field| {
            Ok(Instruction {
                program_index: fields.u8(field)?,
                account_indexes: fields.short_bytes(field)?,
                data: fields.short_bytes(field)?,
            })
        })?;
        let lookups = match version {
            None => Vec::new(),
            Some(_) => fields.list("addressTableLookups", |fields, field| {
                Ok(Lookup {
                    table: fields.hash(field)?,
                    writable_indexes: fields.short_bytes(field)?,
                    readonly_indexes: fields.short_bytes(field)?,
                })
            })?,
        };
        if !fields.0.is_empty() {
            return Err(LedgerError::Trailing { what: "transaction" });
        }
        Ok(Self {
            signatures,
            version,
            readonly_signed,
            readonly_unsigned,
            account_keys,
            recent_blockhash,
            instructions,
            lookups,
        })
    }
}

/// Leading signatures, at least one; the rest is not read.
///
/// # Errors
/// [`LedgerError::Field`] for truncated signatures or a too long transaction.
pub fn signatures(raw: &[u8]) -> Result<impl Iterator<Item = &Signature>, LedgerError> {
    let wrong = LedgerError::Field { field: "signatures" };
    if raw.len() > TRANSACTION_BYTES_MAX {
        return Err(LedgerError::Field { field: "transaction length" });
    }
    let mut fields = SolanaFields(ByteReader::new(raw));
    let count = fields.count("signatures")?;
    let bytes = count.checked_mul(64).filter(|length| *length > 0);
    let bytes = bytes.and_then(|length| fields.0.bytes(length)).ok_or(wrong)?;
    Ok(bytes.as_chunks::<64>().0.iter())
}

struct SolanaFields<'a>(ByteReader<'a>);

impl<'a> SolanaFields<'a> {
    fn behind_signatures(raw: &'a [u8]) -> Result<Self, LedgerError> {
        let mut fields = Self(ByteReader::new(raw));
        let count = fields.count("signatures")?;
        let bytes = count.checked_mul(64).and_then(|length| fields.0.bytes(length));
        bytes.map(|_| fields).ok_or(LedgerError::Field { field: "signatures" })
    }

    fn u8(&mut self, field: &'static str) -> Result<u8, LedgerError> {
        self.0.u8().ok_or(LedgerError::Field { field })
    }

    fn hash(&mut self, field: &'static str) -> Result<Hash, LedgerError> {
        self.0.hash().ok_or(LedgerError::Field { field })
    }

    /// Count below 2^16, in shortest form.
    fn count(&mut self, field: &'static str) -> Result<usize, LedgerError> {
        let mut value = 0_usize;
        for place in 0..3_u32 {
            let byte = self.u8(field)?;
            let bits = usize::from(byte & 0x7f);
            value |= bits.wrapping_shl(place.saturating_mul(7));
            if byte & 0x80 == 0 {
                let is_shortest = place == 0 || bits > 0;
                let fits = is_shortest && value <= usize::from(u16::MAX);
                return if fits { Ok(value) } else { Err(LedgerError::Field { field }) };
            }
        }
        Err(LedgerError::Field { field })
    }

    /// Counted items. Every item takes bytes, and the bytes are few.
    fn list<T>(
        &mut self,
        field: &'static str,
        item: impl Fn(&mut Self, &'static str) -> Result<T, LedgerError>,
    ) -> Result<Vec<T>, LedgerError> {
        let count = self.count(field)?;
        (0..count).map(|_| item(self, field)).collect()
    }

    fn short_bytes(&mut self, field: &'static str) -> Result<Vec<u8>, LedgerError> {
        let length = self.count(field)?;
        self.0.bytes(length).map(<[u8]>::to_vec).ok_or(LedgerError::Field { field })
    }
}
