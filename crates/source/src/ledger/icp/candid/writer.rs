//! Messages under construction.

use super::codes::{FUNC, MAGIC, NAT8, NAT64, OPT, RECORD, TEXT, VARIANT, VEC, name_hash};

/// Type reference: a code or a table position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeRef(i64);

/// Message under construction: types, then the value.
#[derive(Default)]
pub(crate) struct CandidWriter {
    types: Vec<Vec<u8>>,
    value: Vec<u8>,
}

impl CandidWriter {
    pub(crate) const NAT64: TypeRef = TypeRef(NAT64);
    pub(crate) const NAT8: TypeRef = TypeRef(NAT8);
    pub(crate) const TEXT: TypeRef = TypeRef(TEXT);

    fn add(&mut self, written: Vec<u8>) -> TypeRef {
        self.types.push(written);
        TypeRef(i64::try_from(self.types.len()).unwrap_or(i64::MAX) - 1)
    }

    pub(crate) fn option(&mut self, of: TypeRef) -> TypeRef {
        let mut written = signed(OPT);
        written.extend(signed(of.0));
        self.add(written)
    }

    pub(crate) fn list(&mut self, of: TypeRef) -> TypeRef {
        let mut written = signed(VEC);
        written.extend(signed(of.0));
        self.add(written)
    }

    pub(crate) fn record(&mut self, fields: &[(&str, TypeRef)]) -> TypeRef {
        self.fields(RECORD, fields)
    }

    pub(crate) fn variant(&mut self, fields: &[(&str, TypeRef)]) -> TypeRef {
        self.fields(VARIANT, fields)
    }

    fn fields(&mut self, code: i64, fields: &[(&str, TypeRef)]) -> TypeRef {
        let mut sorted: Vec<_> = fields.iter().map(|(name, of)| (name_hash(name), of)).collect();
        sorted.sort_unstable_by_key(|(id, _)| *id);
        let mut written = signed(code);
        written.extend(unsigned(sorted.len() as u64));
        for (id, of) in sorted {
            written.extend(unsigned(id.into()));
            written.extend(signed(of.0));
        }
        self.add(written)
    }

    /// Query function type with a single argument and answer.
    pub(crate) fn query(&mut self, argument: TypeRef, answer: TypeRef) -> TypeRef {
        let mut written = signed(FUNC);
        for of in [argument, answer] {
            written.push(1);
            written.extend(signed(of.0));
        }
        written.extend([1, 1]);
        self.add(written)
    }

    pub(crate) fn nat64(&mut self, number: u64) {
        self.value.extend(number.to_le_bytes());
    }

    /// Writes a count, a variant position, or an option flag.
    pub(crate) fn count(&mut self, count: usize) {
        self.value.extend(unsigned(count as u64));
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.value.extend_from_slice(bytes);
    }

    pub(crate) fn method(&mut self, canister: &[u8], method: &str) {
        self.value.extend([1, 1]);
        self.bytes(canister);
        self.bytes(method.as_bytes());
    }

    /// Finishes the message with a value of type `of`.
    pub(crate) fn finish(self, of: TypeRef) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(unsigned(self.types.len() as u64));
        out.extend(self.types.concat());
        out.push(1);
        out.extend(signed(of.0));
        out.extend(self.value);
        out
    }
}

fn unsigned(mut number: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while number > 0x7f {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
    out
}

fn signed(mut number: i64) -> Vec<u8> {
    let mut out = Vec::new();
    while !(-64..64).contains(&number) {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push((number & 0x7f) as u8);
    out
}
