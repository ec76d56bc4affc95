//! Transactions as they were signed, read whole: `signatures ‖ message`. Counts are in one to three
//! bytes of seven bits each, lowest first, in the shortest form.

use alloc::vec::Vec;

use ed25519_dalek::VerifyingKey;
use superroot_types::Hash;

use crate::codec::Reader;
use crate::ledger::LedgerError;

/// Longest transaction: what fits in a packet.
pub const TRANSACTION_BYTES_MAX: usize = 1_232;

/// A signature, 64 bytes. The first of a transaction is what the ledger calls it by.
pub type Signature = [u8; 64];

/// Marks a message with a version; one without is of the first form.
const VERSION_FLAG: u8 = 0x80;

/// What a transaction asks of a program. Accounts are positions: those of
/// [`Transaction::account_keys`], then those that its lookups give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Position of the program's account.
    pub program_index: u8,
    /// Positions of the accounts handed to it.
    pub account_indexes: Vec<u8>,
    /// What it is told.
    pub data: Vec<u8>,
}

/// Accounts taken from a table on the chain, by their places in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// Address of the table.
    pub table: Hash,
    /// Places of those that may be written.
    pub writable_indexes: Vec<u8>,
    /// Places of the others.
    pub readonly_indexes: Vec<u8>,
}

/// A transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// Signatures, one for each of the first accounts.
    pub signatures: Vec<Signature>,
    /// Version of the message; `None` of the first form.
    pub version: Option<u8>,
    /// How many of those that signed are only read.
    pub readonly_signed: u8,
    /// How many of the others are only read.
    pub readonly_unsigned: u8,
    /// Addresses named by the message itself; those that signed come first.
    pub account_keys: Vec<Hash>,
    /// A recent blockhash, or the value of a durable nonce.
    pub recent_blockhash: Hash,
    /// Instructions.
    pub instructions: Vec<Instruction>,
    /// Lookups; none in the first form.
    pub lookups: Vec<Lookup>,
}

impl Transaction {
    /// Reads a transaction, whole, and checks every signature against its key and the message.
    ///
    /// # Errors
    /// [`LedgerError::Field`] naming what is cut short or out of bounds, [`LedgerError::Trailing`],
    /// [`LedgerError::Signature`].
    pub fn verify(raw: &[u8]) -> Result<Self, LedgerError> {
        let read = Self::decode(raw)?;
        let behind = Fields::behind_signatures(raw)?.0.len();
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

    /// Reads a transaction, whole. Its signatures are not checked.
    ///
    /// # Errors
    /// As [`Transaction::verify`], but for the signatures.
    pub fn decode(raw: &[u8]) -> Result<Self, LedgerError> {
        let signatures: Vec<Signature> = signatures(raw)?.copied().collect();
        let mut fields = Fields::behind_signatures(raw)?;
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
        let account_keys = fields.list("accountKeys", Fields::hash)?;
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

/// The signatures that a transaction begins with, at least one. What follows them is not read.
///
/// # Errors
/// [`LedgerError::Field`] where they are cut short, or the transaction is too long.
pub fn signatures(raw: &[u8]) -> Result<impl Iterator<Item = &Signature>, LedgerError> {
    let wrong = LedgerError::Field { field: "signatures" };
    if raw.len() > TRANSACTION_BYTES_MAX {
        return Err(LedgerError::Field { field: "transaction length" });
    }
    let mut fields = Fields(Reader::new(raw));
    let count = fields.count("signatures")?;
    let bytes = count.checked_mul(64).filter(|length| *length > 0);
    let bytes = bytes.and_then(|length| fields.0.bytes(length)).ok_or(wrong)?;
    Ok(bytes.as_chunks::<64>().0.iter())
}

/// Fields, each with a name for the error.
struct Fields<'a>(Reader<'a>);

impl<'a> Fields<'a> {
    fn behind_signatures(raw: &'a [u8]) -> Result<Self, LedgerError> {
        let mut fields = Self(Reader::new(raw));
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

    /// A count below 2^16, in the shortest form.
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

    /// Items behind their count. Every item takes bytes, of which there are few.
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
