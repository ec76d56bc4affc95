use alloy_primitives::{Address, B256, U256, keccak256};
use superroot_types::Hash;

use crate::abi::{self, AbiType, AbiValue};
use crate::leg::{Key16, LegPosition, OrderToken, TokenAmount};
use crate::table::{EventRule, OrderProtocol, ProtocolContract};

/// Computed fields with their names.
pub(crate) type Fields = Vec<(&'static str, Scalar)>;

/// A word's text form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Show {
    Number,
    Address,
    Hash,
}

/// Word with its text form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scalar {
    pub(crate) bytes: [u8; 32],
    show: Show,
}

impl Scalar {
    pub(crate) const fn number(value: U256) -> Self {
        Self { bytes: value.to_be_bytes::<32>(), show: Show::Number }
    }

    pub(crate) const fn hash(hash: B256) -> Self {
        Self { bytes: hash.0, show: Show::Hash }
    }

    pub(crate) const fn word(bytes: [u8; 32]) -> Self {
        Self { bytes, show: Show::Hash }
    }

    pub(crate) const fn as_u256(&self) -> U256 {
        U256::from_be_bytes(self.bytes)
    }

    pub(crate) fn as_u64(&self) -> Option<u64> {
        self.as_u256().try_into().ok()
    }

    pub(crate) fn of(value: &AbiValue<'_>) -> Option<Self> {
        match value {
            AbiValue::Word(bytes, of) => {
                let show = match of {
                    AbiType::Address => Show::Address,
                    AbiType::Fixed(_) => Show::Hash,
                    _ => Show::Number,
                };
                Some(Self { bytes: *bytes, show })
            }
            // an address of 20 or 32 bytes, as protocols write those of chains that they do not know
            AbiValue::Bytes(bytes) if bytes.len() == 20 || bytes.len() == 32 => {
                let mut padded = [0; 32];
                padded[32 - bytes.len()..].copy_from_slice(bytes);
                let show = if bytes.len() == 20 { Show::Address } else { Show::Hash };
                Some(Self { bytes: padded, show })
            }
            AbiValue::Bytes(_) | AbiValue::Many(..) => None,
        }
    }

    /// Changes the text form to an address, where possible.
    fn as_address(self) -> Self {
        let show = if self.bytes[..12] == [0; 12] { Show::Address } else { Show::Hash };
        Self { show, ..self }
    }

    fn text(&self) -> String {
        let address = || Address::from_slice(&self.bytes[12..]);
        match self.show {
            Show::Number => self.as_u256().to_string(),
            Show::Address => format!("0x{}", const_hex::encode(address())),
            Show::Hash => format!("0x{}", const_hex::encode(self.bytes)),
        }
    }
}

/// Protocol event with all fields available to its rule.
pub(crate) struct Context<'a> {
    pub(crate) protocol: &'a OrderProtocol,
    pub(crate) contract: &'a ProtocolContract,
    pub(crate) place: LegPosition,
    pub(crate) rule: &'a EventRule,
    pub(crate) values: Vec<AbiValue<'a>>,
    pub(crate) beside: Option<(&'a EventRule, Vec<AbiValue<'a>>)>,
    pub(crate) derived: Fields,
    pub(crate) tx_hash: Option<Hash>,
    pub(crate) origin: Option<u64>,
    pub(crate) destination: Option<u64>,
    /// Whether the event names an unknown destination chain.
    pub(crate) is_elsewhere: bool,
    /// Selected element of each array.
    pub(crate) parts: Vec<Scalar>,
}

impl<'a> Context<'a> {
    pub(crate) fn value(&self, path: &str) -> Option<&AbiValue<'a>> {
        match path.strip_prefix("with.") {
            Some(path) => {
                let (rule, values) = self.beside.as_ref()?;
                abi::at(&rule.declaration.parameters, values, path)
            }
            None => abi::at(&self.rule.declaration.parameters, &self.values, path),
        }
    }

    pub(crate) fn bytes(&self, path: &str) -> Option<&'a [u8]> {
        match self.value(path)? {
            AbiValue::Bytes(bytes) => Some(bytes),
            AbiValue::Word(..) | AbiValue::Many(..) => None,
        }
    }

    /// Word by name; computed fields take precedence over event fields.
    pub(crate) fn scalar(&self, path: &str) -> Option<Scalar> {
        let number = |value: u64| Scalar::number(U256::from(value));
        let here = self.place.chain.id.0;
        match path {
            "here" => return Some(number(here)),
            "origin" => return self.origin.map(number),
            "destination" => return self.destination.map(number).or_else(|| self.field(path)),
            "asset" => return self.contract.asset.map(number).or_else(|| self.field(path)),
            "tx" => return self.tx_hash.map(|hash| Scalar::hash(B256::from(hash.0))),
            "each" => return self.parts.first().copied(),
            "other" => return self.parts.get(1).copied(),
            "log" => return Some(number(self.place.log_index.into())),
            _ => {}
        }
        let derived = self.derived.iter().find(|(name, _)| *name == path);
        derived.map(|(_, scalar)| *scalar).or_else(|| self.field(path))
    }

    /// Literal number, the hash of bytes (zero for none), or a word by name.
    fn word(&self, path: &str) -> Option<[u8; 32]> {
        if let Some(path) = path.strip_prefix("hash:") {
            return self.bytes(path).map(hash_of_message);
        }
        let literal = path.parse::<u64>().ok().map(|value| Scalar::number(U256::from(value)));
        Some(literal.or_else(|| self.scalar(path))?.bytes)
    }

    /// Whether both words exist and are equal.
    pub(crate) fn is_equal(&self, (one, other): &(String, String)) -> bool {
        self.word(one).is_some_and(|one| self.word(other) == Some(one))
    }

    fn field(&self, path: &str) -> Option<Scalar> {
        Scalar::of(self.value(path)?)
    }

    pub(crate) fn fill(&self, template: &str) -> Option<String> {
        let mut out = String::with_capacity(template.len() + 64);
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}')?;
            out.push_str(before);
            let text = match name.strip_prefix("address:") {
                Some(name) => self.scalar(name)?.as_address().text(),
                None => self.scalar(name)?.text(),
            };
            out.push_str(&text);
            rest = after;
        }
        out.push_str(rest);
        Some(out)
    }

    /// Hash over the terms shared by both sides.
    pub(crate) fn terms(&self) -> Option<Key16> {
        let paths = &self.rule.rule.terms;
        if paths.is_empty() {
            return None;
        }
        let mut bytes = Vec::with_capacity(paths.len() * 32);
        for path in paths {
            let word = match path.strip_prefix("hash:") {
                Some(path) => hash_of_message(self.bytes(path)?),
                // bytes that stand on both sides
                None => match self.bytes(path) {
                    Some(bytes) => keccak256(bytes).0,
                    None => self.scalar(path)?.bytes,
                },
            };
            bytes.extend_from_slice(&word);
        }
        let mut key = [0; 16];
        key.copy_from_slice(&keccak256(bytes)[..16]);
        Some(key)
    }

    pub(crate) fn amounts(&self) -> Vec<TokenAmount> {
        let rows = (0..).zip(&self.rule.rule.amounts);
        let amount = |(name, row): (u8, &Vec<String>)| {
            let value = self.scalar(row.get(1)?)?.as_u256();
            let token = row.get(2).and_then(|path| match path.as_str() {
                "native" => Some(OrderToken::Native),
                path => self.scalar(path).map(|scalar| token_of(&scalar)),
            });
            let chain = match row.get(3).map(String::as_str) {
                Some("destination") => self.destination,
                Some("origin") => self.origin,
                _ => Some(self.place.chain.id.0),
            };
            Some(TokenAmount { name, value, token, chain: token.and(chain) })
        };
        rows.filter_map(amount).collect()
    }
}

/// Hash of a message as Across makes it: zero for none.
fn hash_of_message(bytes: &[u8]) -> [u8; 32] {
    match bytes {
        [] => [0; 32],
        bytes => keccak256(bytes).0,
    }
}

/// Token from a word: an address if the first twelve bytes are zero.
fn token_of(scalar: &Scalar) -> OrderToken {
    match scalar.bytes.split_at(12) {
        (zeros, address) if zeros == [0; 12] && scalar.show != Show::Number => {
            OrderToken::Contract(Address::from_slice(address))
        }
        _ => OrderToken::Wide(Hash(scalar.bytes)),
    }
}
