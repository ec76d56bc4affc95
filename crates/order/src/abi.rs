//! Events by their declarations, as Solidity writes them: read strictly, into fields with names.
//!
//! Each word of the data is read once at most. So what an encoding leads to is never larger than it is, whatever
//! its offsets say. Source: the Solidity ABI specification, strict mode.

use alloy_primitives::U256;
use superroot_proof::hash::keccak256;
use superroot_types::Hash;

const WORD: usize = 32;
/// Types within types, at most: what the table declares has three.
const DEPTH_MAX: usize = 8;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// A number without a sign, of that many bits.
    Uint(usize),
    /// A number with a sign, of that many bits.
    Int(usize),
    /// An address of 20 bytes.
    Address,
    /// True or false.
    Bool,
    /// Bytes of that number, at the left.
    Fixed(usize),
    /// Bytes of any number.
    Bytes,
    /// Text.
    Text,
    /// Parts with names.
    Tuple(Vec<Parameter>),
    /// Any number of one type.
    Array(Box<Self>),
}

/// A parameter of an event, or a part of a tuple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) of: Type,
    pub(crate) is_indexed: bool,
}

/// What a parameter says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    /// A word, and its type.
    Word([u8; WORD], &'a Type),
    /// Bytes or text.
    Bytes(&'a [u8]),
    /// Parts of a tuple, with their names; elements of an array.
    Many(Vec<Value<'a>>, &'a Type),
}

/// An event's declaration.
#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    pub(crate) name: String,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) topic: Hash,
    indexed: usize,
}

impl Declaration {
    /// Reads `Name(type [indexed] name, (type name)[] name)`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (name, rest) = text.split_once('(')?;
        let parameters = parse_parameters(rest.strip_suffix(')')?, 0)?;
        let signature = format!("{name}({})", canonical(&parameters));
        let indexed = parameters.iter().filter(|one| one.is_indexed).count();
        let topic = keccak256(signature.as_bytes());
        Some(Self { name: name.to_owned(), parameters, topic, indexed })
    }

    /// The values of its parameters; `None` where topics or data have another form, in any part.
    pub(crate) fn decode<'a>(&'a self, topics: &[Hash], data: &'a [u8]) -> Option<Vec<Value<'a>>> {
        let (first, mut topics) = topics.split_first()?;
        if *first != self.topic || topics.len() != self.indexed || !data.len().is_multiple_of(WORD)
        {
            return None;
        }
        let mut reader = Reader { data, left: data.len() / WORD };
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

/// The value at a path such as `order.takeAmount`.
pub(crate) fn at<'v, 'a>(
    parameters: &[Parameter],
    values: &'v [Value<'a>],
    path: &str,
) -> Option<&'v Value<'a>> {
    let (first, rest) = path.split_once('.').map_or((path, None), |(a, b)| (a, Some(b)));
    let place = parameters.iter().position(|one| one.name == first)?;
    let value = values.get(place)?;
    match (rest, value) {
        (None, value) => Some(value),
        (Some(rest), Value::Many(parts, Type::Tuple(parameters))) => at(parameters, parts, rest),
        (Some(rest), Value::Many(items, Type::Array(of))) => {
            // `maxSpent.0.amount`: one element of an array
            let (index, rest) = rest.split_once('.')?;
            let Type::Tuple(parameters) = of.as_ref() else { return None };
            let Value::Many(parts, _) = items.get(index.parse::<usize>().ok()?)? else {
                return None;
            };
            at(parameters, parts, rest)
        }
        _ => None,
    }
}

fn canonical(parameters: &[Parameter]) -> String {
    let all: Vec<String> = parameters.iter().map(|one| one.of.canonical()).collect();
    all.join(",")
}

impl Type {
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

    /// Words in the head of whatever holds it.
    fn head_words(&self) -> usize {
        match self {
            Self::Tuple(parts) if !self.is_dynamic() => {
                parts.iter().map(|part| part.of.head_words()).sum()
            }
            _ => 1,
        }
    }
}

/// Splits at commas that are in no brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0_usize, 0);
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

fn parse_parameters(text: &str, depth: usize) -> Option<Vec<Parameter>> {
    if depth > DEPTH_MAX {
        return None;
    }
    let parse = |text: &&str| {
        let (of, rest) = match text.strip_prefix('(') {
            Some(_) => {
                let end = text.rfind(')')?;
                let inner = Type::Tuple(parse_parameters(&text[1..end], depth + 1)?);
                let rest = &text[end + 1..];
                match rest.strip_prefix("[]") {
                    Some(rest) => (Type::Array(Box::new(inner)), rest),
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
        Some(Parameter { name: name.to_owned(), of, is_indexed })
    };
    split(text).iter().map(parse).collect()
}

fn parse_type(text: &str) -> Option<Type> {
    if let Some(of) = text.strip_suffix("[]") {
        return Some(Type::Array(Box::new(parse_type(of)?)));
    }
    let bits = |text: &str| text.parse().ok().filter(|bits| (8..=256).contains(bits));
    match text {
        "address" => Some(Type::Address),
        "bool" => Some(Type::Bool),
        "bytes" => Some(Type::Bytes),
        "string" => Some(Type::Text),
        _ => {
            let fixed = text.strip_prefix("bytes").and_then(|bytes| bytes.parse().ok());
            let fixed = fixed.filter(|bytes| (1..=WORD).contains(bytes)).map(Type::Fixed);
            let uint = || text.strip_prefix("uint").and_then(bits).map(Type::Uint);
            let int = || text.strip_prefix("int").and_then(bits).map(Type::Int);
            fixed.or_else(uint).or_else(int)
        }
    }
}

/// A word, if it is one of that type.
fn word<'a>(bytes: [u8; WORD], of: &'a Type) -> Option<Value<'a>> {
    let is_zero = |part: &[u8]| part.iter().all(|byte| *byte == 0);
    let fits = match of {
        Type::Uint(bits) => is_zero(&bytes[..WORD - bits / 8]),
        Type::Int(bits) => {
            let (sign, rest) = bytes.split_at(WORD - bits / 8);
            let byte = if rest[0] >> 7 == 1 { 0xff } else { 0 };
            sign.iter().all(|one| *one == byte)
        }
        Type::Address => is_zero(&bytes[..12]),
        Type::Bool => is_zero(&bytes[..31]) && bytes[31] <= 1,
        Type::Fixed(count) => is_zero(&bytes[*count..]),
        Type::Bytes | Type::Text | Type::Tuple(_) | Type::Array(_) => false,
    };
    fits.then_some(Value::Word(bytes, of))
}

/// Reads data from a place on: offsets count from there.
struct Reader<'a> {
    data: &'a [u8],
    /// Words that may still be read.
    left: usize,
}

impl<'a> Reader<'a> {
    fn word_at(&mut self, place: usize) -> Option<[u8; WORD]> {
        self.left = self.left.checked_sub(1)?;
        self.data.get(place..place.checked_add(WORD)?)?.try_into().ok()
    }

    fn size_at(&mut self, place: usize) -> Option<usize> {
        let size = U256::from_be_bytes(self.word_at(place)?);
        usize::try_from(size).ok().filter(|size| *size <= self.data.len())
    }

    /// Parameters whose heads stand from `base` on.
    fn tuple(
        &mut self,
        parameters: impl Iterator<Item = &'a Parameter>,
        base: usize,
    ) -> Option<Vec<Value<'a>>> {
        let mut place = base;
        let mut values = Vec::new();
        for parameter in parameters {
            values.push(self.value(&parameter.of, place, base)?);
            place = place.checked_add(parameter.of.head_words() * WORD)?;
        }
        Some(values)
    }

    /// The value whose head is at `place`; where it is dynamic, its offset counts from `base`.
    fn value(&mut self, of: &'a Type, place: usize, base: usize) -> Option<Value<'a>> {
        let at = match of.is_dynamic() {
            true => base.checked_add(self.size_at(place)?)?,
            false => place,
        };
        match of {
            Type::Bytes | Type::Text => {
                let size = self.size_at(at)?;
                let begin = at.checked_add(WORD)?;
                let words = size.div_ceil(WORD);
                self.left = self.left.checked_sub(words)?;
                let padded = self.data.get(begin..begin.checked_add(words * WORD)?)?;
                let (bytes, padding) = padded.split_at(size);
                padding.iter().all(|byte| *byte == 0).then_some(Value::Bytes(bytes))
            }
            Type::Tuple(parts) => Some(Value::Many(self.tuple(parts.iter(), at)?, of)),
            Type::Array(element) => {
                let count = self.size_at(at)?;
                let begin = at.checked_add(WORD)?;
                let mut items = Vec::new(); // grows with what is really there
                for index in 0..count {
                    let head = index.checked_mul(element.head_words() * WORD)?;
                    items.push(self.value(element, begin.checked_add(head)?, begin)?);
                }
                Some(Value::Many(items, of))
            }
            Type::Uint(_) | Type::Int(_) | Type::Address | Type::Bool | Type::Fixed(_) => {
                word(self.word_at(at)?, of)
            }
        }
    }
}
