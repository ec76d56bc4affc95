//! Strict event decoding by Solidity declarations, into named fields.
//!
//! Each data word is read at most once, so the result is never larger than the encoding, whatever the offsets. Source:
//! the Solidity ABI specification, strict mode.

use alloy_primitives::U256;
use superroot_proof::hash::keccak256;
use superroot_types::Hash;

const WORD: usize = 32;
/// Deepest type nesting; the table's declarations have three levels.
const DEPTH_MAX: usize = 8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AbiType {
    /// Unsigned integer with this number of bits.
    Uint(usize),
    /// Signed integer with this number of bits.
    Int(usize),
    Address,
    Bool,
    /// This number of bytes, left-aligned.
    Fixed(usize),
    Bytes,
    Text,
    /// Named parts.
    Tuple(Vec<AbiParameter>),
    Array(Box<Self>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AbiParameter {
    pub(crate) name: String,
    pub(crate) of: AbiType,
    pub(crate) is_indexed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AbiValue<'a> {
    Word([u8; WORD], &'a AbiType),
    Bytes(&'a [u8]),
    /// Tuple parts with their names, or array elements.
    Many(Vec<AbiValue<'a>>, &'a AbiType),
}

#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    pub(crate) name: String,
    pub(crate) parameters: Vec<AbiParameter>,
    pub(crate) topic: Hash,
    indexed: usize,
}

impl Declaration {
    /// Parses `Name(type [indexed] name, (type name)[] name)`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (name, rest) = text.split_once('(')?;
        let parameters = parse_parameters(rest.strip_suffix(')')?, 0)?;
        let signature = format!("{name}({})", canonical(&parameters));
        let indexed = parameters.iter().filter(|one| one.is_indexed).count();
        let topic = keccak256(signature.as_bytes());
        Some(Self { name: name.to_owned(), parameters, topic, indexed })
    }

    /// Decodes the parameter values; `None` for any deviation in topics or data.
    pub(crate) fn decode<'a>(
        &'a self,
        topics: &[Hash],
        data: &'a [u8],
    ) -> Option<Vec<AbiValue<'a>>> {
        let (first, mut topics) = topics.split_first()?;
        if *first != self.topic || topics.len() != self.indexed || !data.len().is_multiple_of(WORD)
        {
            return None;
        }
        let mut reader = AbiReader { data, left: data.len() / WORD };
        let plain = self.parameters.iter().filter(|one| !one.is_indexed);
        let mut plain = reader.tuple(plain, 0)?.into_iter();
        let mut values = Vec::with_capacity(self.parameters.len());
        for parameter in &self.parameters {
            if parameter.is_indexed {
                let (topic, others) = topics.split_first()?;
                topics = others;
                values.push(word(topic.0, &parameter.of)?);
            } else {
                values.push(plain.next()?);
            }
        }
        Some(values)
    }
}

/// Value at a path such as `order.takeAmount`.
pub(crate) fn at<'v, 'a>(
    parameters: &[AbiParameter],
    values: &'v [AbiValue<'a>],
    path: &str,
) -> Option<&'v AbiValue<'a>> {
    let (first, rest) = path.split_once('.').map_or((path, None), |(a, b)| (a, Some(b)));
    let place = parameters.iter().position(|one| one.name == first)?;
    let value = values.get(place)?;
    match (rest, value) {
        (None, value) => Some(value),
        (Some(rest), AbiValue::Many(parts, AbiType::Tuple(parameters))) => {
            at(parameters, parts, rest)
        }
        (Some(rest), AbiValue::Many(items, AbiType::Array(of))) => {
            // `maxSpent.0.amount`: one element of an array
            let (index, rest) = rest.split_once('.')?;
            let AbiType::Tuple(parameters) = of.as_ref() else { return None };
            let AbiValue::Many(parts, _) = items.get(index.parse::<usize>().ok()?)? else {
                return None;
            };
            at(parameters, parts, rest)
        }
        _ => None,
    }
}

fn canonical(parameters: &[AbiParameter]) -> String {
    let all: Vec<String> = parameters.iter().map(|one| one.of.canonical()).collect();
    all.join(",")
}

impl AbiType {
    fn canonical(&self) -> String {
        match self {
            Self::Uint(bits) => format!("uint{bits}"),
            Self::Int(bits) => format!("int{bits}"),
            Self::Address => "address".to_owned(),
            Self::Bool => "bool".to_owned(),
            Self::Fixed(bytes) => format!("bytes{bytes}"),
            Self::Bytes => "bytes".to_owned(),
            Self::Text => "string".to_owned(),
            Self::Tuple(parts) => format!("({})", canonical(parts)),
            Self::Array(of) => format!("{}[]", of.canonical()),
        }
    }

    fn is_dynamic(&self) -> bool {
        match self {
            Self::Bytes | Self::Text | Self::Array(_) => true,
            Self::Tuple(parts) => parts.iter().any(|part| part.of.is_dynamic()),
            Self::Uint(_) | Self::Int(_) | Self::Address | Self::Bool | Self::Fixed(_) => false,
        }
    }

    /// Words in the container's head.
    fn head_words(&self) -> usize {
        match self {
            Self::Tuple(parts) if !self.is_dynamic() => {
                parts.iter().map(|part| part.of.head_words()).sum()
            }
            _ => 1,
        }
    }
}

/// Splits at commas outside brackets.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut depth = 0_usize;
    let mut from = 0;
    for (place, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(text[from..place].trim());
                from = place + 1;
            }
            _ => {}
        }
    }
    if !text.trim().is_empty() {
        parts.push(text[from..].trim());
    }
    parts
}

fn parse_parameters(text: &str, depth: usize) -> Option<Vec<AbiParameter>> {
    if depth > DEPTH_MAX {
        return None;
    }
    let parse = |text: &&str| {
        let (of, rest) = match text.strip_prefix('(') {
            Some(_) => {
                let end = text.rfind(')')?;
                let inner = AbiType::Tuple(parse_parameters(&text[1..end], depth + 1)?);
                let rest = &text[end + 1..];
                match rest.strip_prefix("[]") {
                    Some(rest) => (AbiType::Array(Box::new(inner)), rest),
                    None => (inner, rest),
                }
            }
            None => {
                let (of, rest) = text.split_once(' ')?;
                (parse_type(of)?, rest)
            }
        };
        let rest = rest.trim();
        let (is_indexed, name) =
            rest.strip_prefix("indexed ").map_or((false, rest), |name| (true, name));
        Some(AbiParameter { name: name.to_owned(), of, is_indexed })
    };
    split(text).iter().map(parse).collect()
}

fn parse_type(text: &str) -> Option<AbiType> {
    if let Some(of) = text.strip_suffix("[]") {
        return Some(AbiType::Array(Box::new(parse_type(of)?)));
    }
    let bits = |text: &str| text.parse().ok().filter(|bits| (8..=256).contains(bits));
    match text {
        "address" => Some(AbiType::Address),
        "bool" => Some(AbiType::Bool),
        "bytes" => Some(AbiType::Bytes),
        "string" => Some(AbiType::Text),
        _ => {
            let fixed = text.strip_prefix("bytes").and_then(|bytes| bytes.parse().ok());
            let fixed = fixed.filter(|bytes| (1..=WORD).contains(bytes)).map(AbiType::Fixed);
            let uint = || text.strip_prefix("uint").and_then(bits).map(AbiType::Uint);
            let int = || text.strip_prefix("int").and_then(bits).map(AbiType::Int);
            fixed.or_else(uint).or_else(int)
        }
    }
}

fn word<'a>(bytes: [u8; WORD], of: &'a AbiType) -> Option<AbiValue<'a>> {
    let is_zero = |part: &[u8]| part.iter().all(|byte| *byte == 0);
    let fits = match of {
        AbiType::Uint(bits) => is_zero(&bytes[..WORD - bits / 8]),
        AbiType::Int(bits) => {
            let (sign, rest) = bytes.split_at(WORD - bits / 8);
            let byte = if rest[0] >> 7 == 1 { 0xff } else { 0 };
            sign.iter().all(|one| *one == byte)
        }
        AbiType::Address => is_zero(&bytes[..12]),
        AbiType::Bool => is_zero(&bytes[..31]) && bytes[31] <= 1,
        AbiType::Fixed(count) => is_zero(&bytes[*count..]),
        AbiType::Bytes | AbiType::Text | AbiType::Tuple(_) | AbiType::Array(_) => false,
    };
    fits.then_some(AbiValue::Word(bytes, of))
}

/// Reader of event data with offsets from a base position.
struct AbiReader<'a> {
    data: &'a [u8],
    /// Words left to read.
    left: usize,
}

impl<'a> AbiReader<'a> {
    fn word_at(&mut self, place: usize) -> Option<[u8; WORD]> {
        self.left = self.left.checked_sub(1)?;
        self.data.get(place..place.checked_add(WORD)?)?.try_into().ok()
    }

    fn size_at(&mut self, place: usize) -> Option<usize> {
        let size = U256::from_be_bytes(self.word_at(place)?);
        usize::try_from(size).ok().filter(|size| *size <= self.data.len())
    }

    /// Reads parameters with heads from `base` on.
    fn tuple(
        &mut self,
        parameters: impl Iterator<Item = &'a AbiParameter>,
        base: usize,
    ) -> Option<Vec<AbiValue<'a>>> {
        let mut place = base;
        let mut values = Vec::new();
        for parameter in parameters {
            values.push(self.value(&parameter.of, place, base)?);
            place = place.checked_add(parameter.of.head_words() * WORD)?;
        }
        Some(values)
    }

    /// Reads the value with its head at `place`; a dynamic value's offset counts from `base`.
    fn value(&mut self, of: &'a AbiType, place: usize, base: usize) -> Option<AbiValue<'a>> {
        let at = match of.is_dynamic() {
            true => base.checked_add(self.size_at(place)?)?,
            false => place,
        };
        match of {
            AbiType::Bytes | AbiType::Text => {
                let size = self.size_at(at)?;
                let begin = at.checked_add(WORD)?;
                let words = size.div_ceil(WORD);
                self.left = self.left.checked_sub(words)?;
                let padded = self.data.get(begin..begin.checked_add(words * WORD)?)?;
                let (bytes, padding) = padded.split_at(size);
                padding.iter().all(|byte| *byte == 0).then_some(AbiValue::Bytes(bytes))
            }
            AbiType::Tuple(parts) => Some(AbiValue::Many(self.tuple(parts.iter(), at)?, of)),
            AbiType::Array(element) => {
                let count = self.size_at(at)?;
                let begin = at.checked_add(WORD)?;
                let mut items = Vec::new(); // grows with what is really there
                for index in 0..count {
                    let head = index.checked_mul(element.head_words() * WORD)?;
                    items.push(self.value(element, begin.checked_add(head)?, begin)?);
                }
                Some(AbiValue::Many(items, of))
            }
            AbiType::Uint(_)
            | AbiType::Int(_)
            | AbiType::Address
            | AbiType::Bool
            | AbiType::Fixed(_) => word(self.word_at(at)?, of),
        }
    }
}
