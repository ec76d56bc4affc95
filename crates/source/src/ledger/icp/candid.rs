//! Subset of Candid for ledger queries: values are read by the preceding types, with bounds on every count and depth.
//! Source: `spec/Candid.md` in dfinity/candid.

mod codes;
mod writer;

pub(super) use self::codes::name_hash;
pub(super) use self::writer::{CandidWriter, TypeRef};

use self::codes::{FUNC, MAGIC, NAT8, NAT64, OPT, PRINCIPAL, RECORD, SERVICE, TEXT, VARIANT, VEC};

const TYPES_MAX: u64 = 64;
/// Most fields of a record or variant, methods of a service, or arguments of a function.
const FIELDS_MAX: u64 = 64;
const VALUES_MAX: usize = 65_536;
const DEPTH_MAX: usize = 16;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CandidValue {
    Nat64(u64),
    /// List of `nat8`.
    Blob(Vec<u8>),
    List(Vec<Self>),
    Option(Option<Box<Self>>),
    /// Fields by name hash.
    Record(Vec<(u32, Self)>),
    Variant(u32, Box<Self>),
    /// A canister's method.
    Method(Vec<u8>, String),
    /// Ignored value.
    Other,
}

impl CandidValue {
    pub(super) fn take(&mut self, name: &str) -> Option<Self> {
        let Self::Record(fields) = self else { return None };
        let place = fields.iter().position(|(id, _)| *id == name_hash(name))?;
        Some(fields.swap_remove(place).1)
    }

    pub(super) fn take_nat64(&mut self, name: &str) -> Option<u64> {
        match self.take(name)? {
            Self::Nat64(number) => Some(number),
            _ => None,
        }
    }

    /// Blobs, also from an empty list.
    pub(super) fn into_blobs(self) -> Option<Vec<Vec<u8>>> {
        let Self::List(items) = self else { return None };
        let blob = |item| match item {
            Self::Blob(bytes) => Some(bytes),
            _ => None,
        };
        items.into_iter().map(blob).collect()
    }
}

/// The type table's entry; parts are table positions or codes of primitive types.
enum CandidType {
    Opt(i64),
    Vec(i64),
    Record(Vec<(u32, i64)>),
    Variant(Vec<(u32, i64)>),
    Func,
    Service,
}

/// Reads a message with a single value; `None` for anything else.
pub(super) fn read(bytes: &[u8]) -> Option<CandidValue> {
    let mut reader = CandidReader { rest: bytes.strip_prefix(MAGIC)?, values: 0 };
    let types = reader.read_types()?;
    if reader.unsigned()? != 1 {
        return None;
    }
    let of = reader.signed()?;
    let value = reader.value(of, &types, 0)?;
    reader.rest.is_empty().then_some(value)
}

struct CandidReader<'a> {
    rest: &'a [u8],
    values: usize,
}

impl<'a> CandidReader<'a> {
    fn bytes(&mut self, length: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(usize::try_from(length).ok()?)?;
        self.rest = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.bytes(1)?.first().copied()
    }

    /// LEB128.
    fn unsigned(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return None;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// Signed LEB128 type reference: a table position, or a negative code.
    fn signed(&mut self) -> Option<i64> {
        let mut value = 0_i64;
        for shift in (0..28).step_by(7) {
            let byte = self.byte()?;
            value |= i64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                let is_negative = byte & 0x40 != 0;
                return Some(if is_negative { value - (1 << (shift + 7)) } else { value });
            }
        }
        None
    }

    fn count(&mut self, most: u64) -> Option<u64> {
        self.unsigned().filter(|count| *count <= most)
    }

    fn read_types(&mut self) -> Option<Vec<CandidType>> {
        let count = self.count(TYPES_MAX)?;
        (0..count).map(|_| self.read_type()).collect()
    }

    fn read_type(&mut self) -> Option<CandidType> {
        Some(match self.signed()? {
            OPT => CandidType::Opt(self.signed()?),
            VEC => CandidType::Vec(self.signed()?),
            RECORD => CandidType::Record(self.read_fields()?),
            VARIANT => CandidType::Variant(self.read_fields()?),
            FUNC => {
                for _ in 0..2 {
                    for _ in 0..self.count(FIELDS_MAX)? {
                        self.signed()?;
                    }
                }
                let annotations = self.count(FIELDS_MAX)?;
                self.bytes(annotations)?;
                CandidType::Func
            }
            SERVICE => {
                for _ in 0..self.count(FIELDS_MAX)? {
                    let length = self.unsigned()?;
                    self.bytes(length)?;
                    self.signed()?;
                }
                CandidType::Service
            }
            _ => return None,
        })
    }

    fn read_fields(&mut self) -> Option<Vec<(u32, i64)>> {
        let mut fields: Vec<(u32, i64)> = Vec::new();
        for _ in 0..self.count(FIELDS_MAX)? {
            let id = u32::try_from(self.unsigned()?).ok()?;
            if fields.last().is_some_and(|(before, _)| *before >= id) {
                return None;
            }
            fields.push((id, self.signed()?));
        }
        Some(fields)
    }

    fn value(&mut self, of: i64, types: &[CandidType], depth: usize) -> Option<CandidValue> {
        self.values += 1;
        if depth > DEPTH_MAX || self.values > VALUES_MAX {
            return None;
        }
        match usize::try_from(of) {
            Ok(place) => self.composed(types.get(place)?, types, depth),
            Err(_) => self.primitive(of),
        }
    }

    fn composed(
        &mut self,
        of: &CandidType,
        types: &[CandidType],
        depth: usize,
    ) -> Option<CandidValue> {
        let inner = |reader: &mut Self, of: i64| reader.value(of, types, depth + 1);
        Some(match of {
            CandidType::Opt(of) => CandidValue::Option(match self.byte()? {
                0 => None,
                1 => Some(Box::new(inner(self, *of)?)),
                _ => return None,
            }),
            CandidType::Vec(NAT8) => {
                let length = self.unsigned()?;
                CandidValue::Blob(self.bytes(length)?.to_vec())
            }
            CandidType::Vec(of) => {
                // a list of what takes no bytes is bounded by the number of values
                let count = self.unsigned()?;
                let mut items = Vec::new();
                for _ in 0..count {
                    items.push(inner(self, *of)?);
                }
                CandidValue::List(items)
            }
            CandidType::Record(fields) => {
                let read = fields.iter().map(|(id, of)| Some((*id, inner(self, *of)?)));
                CandidValue::Record(read.collect::<Option<_>>()?)
            }
            CandidType::Variant(fields) => {
                let place = usize::try_from(self.unsigned()?).ok()?;
                let (id, of) = fields.get(place)?;
                CandidValue::Variant(*id, Box::new(inner(self, *of)?))
            }
            CandidType::Func => {
                if self.byte()? != 1 {
                    return None;
                }
                let canister = self.reference()?;
                CandidValue::Method(canister, self.text()?)
            }
            CandidType::Service => {
                self.reference()?;
                CandidValue::Other
            }
        })
    }

    /// Reads a visible principal.
    fn reference(&mut self) -> Option<Vec<u8>> {
        if self.byte()? != 1 {
            return None;
        }
        let length = self.unsigned().filter(|length| *length <= 29)?;
        self.bytes(length).map(<[u8]>::to_vec)
    }

    fn text(&mut self) -> Option<String> {
        let length = self.unsigned()?;
        String::from_utf8(self.bytes(length)?.to_vec()).ok()
    }

    fn primitive(&mut self, of: i64) -> Option<CandidValue> {
        let bytes = match of {
            NAT64 => {
                return Some(CandidValue::Nat64(u64::from_le_bytes(
                    self.bytes(8)?.try_into().ok()?,
                )));
            }
            TEXT => {
                self.text()?;
                0
            }
            PRINCIPAL => {
                self.reference()?;
                0
            }
            // null and reserved have none
            -1 | -16 => 0,
            // bool, nat8 and int8 have one, those after twice as many each
            -2 | NAT8 | -9 => 1,
            -6 | -10 => 2,
            -7 | -11 | -13 => 4,
            -12 | -14 => 8,
            // nat and int end with a byte below 80
            -3 | -4 => {
                while self.byte()? & 0x80 != 0 {}
                0
            }
            _ => return None,
        };
        self.bytes(bytes)?;
        Some(CandidValue::Other)
    }
}
