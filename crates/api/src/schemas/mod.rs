//! Schemas of bodies, as data: one line a member.

mod accounts;
mod proofs;
mod service;
mod status;

use superroot_wire::Case;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, SchemaType, Type};
use utoipa::openapi::{Ref, RefOr, Schema};

/// What a member holds.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Text of `0x` and hex digits.
    Hex,
    /// Integer below 2^53.
    Int,
    /// The same, or `null`.
    MaybeInt,
    /// A number with a fraction.
    Number,
    Bool,
    /// `true` where given at all.
    Flag,
    Text,
    /// Text, or `null`.
    MaybeText,
    /// Hex, or `null`.
    MaybeHex,
    Texts,
    /// List of texts, or `null`.
    MaybeTexts,
    /// List of integers, or `null`.
    MaybeInts,
    /// List of hex texts.
    Hashes,
    /// The same, or `null`.
    MaybeHashes,
    /// A part of the same spelling.
    Ref(&'static str),
    /// A whole body inside another.
    Whole(&'static str),
    /// The same, or `null`.
    MaybeWhole(&'static str),
    /// A list of such objects.
    List(&'static str),
    /// A value whose form its description tells.
    Any,
}

/// A member: name, what it holds, whether it is always there, meaning.
type Member = (&'static str, Kind, bool, &'static str);

/// An object.
struct Object {
    name: &'static str,
    about: &'static str,
    case: Case,
    members: &'static [&'static [Member]],
}

use Kind::Ref as Part;

const ANCHOR: &[Member] =
    &[("v5Anchor", Part("V5Anchor"), true, "null before the first SuperRoot")];

/// Every schema by name.
pub(crate) fn all() -> impl Iterator<Item = (String, RefOr<Schema>)> {
    let objects = proofs::OBJECTS.iter().chain(service::OBJECTS).chain(status::OBJECTS);
    let objects = objects.chain(accounts::OBJECTS);
    let whole = objects.map(|object| (object.name.to_owned(), object.schema(object.case)));
    let parts = proofs::PARTS.iter().flat_map(|part| {
        let schema = |case| (spelled(part.name, case), part.schema(case));
        [Case::Camel, Case::Snake].map(schema)
    });
    whole.chain(parts)
}

/// Name of a part's schema in a spelling.
fn spelled(name: &str, case: Case) -> String {
    match case {
        Case::Camel => name.to_owned(),
        Case::Snake => format!("{name}Snake"),
    }
}

impl Object {
    const fn camel(
        name: &'static str,
        about: &'static str,
        members: &'static [&'static [Member]],
    ) -> Self {
        Self { name, about, case: Case::Camel, members }
    }

    const fn snake(
        name: &'static str,
        about: &'static str,
        members: &'static [&'static [Member]],
    ) -> Self {
        Self { name, about, case: Case::Snake, members }
    }

    /// A part of other objects: there is a schema of it in either spelling.
    const fn nested(
        name: &'static str,
        about: &'static str,
        members: &'static [&'static [Member]],
    ) -> Self {
        Self::camel(name, about, members)
    }

    fn schema(&self, case: Case) -> RefOr<Schema> {
        let mut builder = ObjectBuilder::new().description(Some(self.about));
        for (name, kind, is_required, about) in self.members.iter().flat_map(|part| part.iter()) {
            let name = case.spell(name);
            builder = builder.property(name.clone(), kind.schema(case, about));
            if *is_required {
                builder = builder.required(name);
            }
        }
        RefOr::T(builder.into())
    }
}

fn or_null(kind: Type) -> SchemaType {
    [kind, Type::Null].into_iter().collect()
}

impl Kind {
    fn schema(self, case: Case, about: &str) -> RefOr<Schema> {
        let typed = |kind: SchemaType| {
            ObjectBuilder::new().schema_type(kind).description(Some(about.to_owned()))
        };
        let list = |items: RefOr<Schema>| {
            let list = ArrayBuilder::new().items(items).description(Some(about.to_owned()));
            RefOr::T(list.into())
        };
        let hex = |builder: ObjectBuilder| builder.pattern(Some("^0x([0-9a-f]{2})*$"));
        let text = || ObjectBuilder::new().schema_type(Type::String);
        let maybe_list = |items: ObjectBuilder| {
            let list = ArrayBuilder::new().schema_type(or_null(Type::Array));
            let list =
                list.items(RefOr::T(Schema::from(items))).description(Some(about.to_owned()));
            RefOr::T(list.into())
        };
        let target = |name: &str| Ref::from_schema_name(spelled(name, case));
        match self {
            Self::Hex => RefOr::T(hex(typed(Type::String.into())).into()),
            Self::Int => RefOr::T(typed(Type::Integer.into()).into()),
            Self::Number => RefOr::T(typed(Type::Number.into()).into()),
            Self::MaybeInt => RefOr::T(typed(or_null(Type::Integer)).into()),
            Self::MaybeText => RefOr::T(typed(or_null(Type::String)).into()),
            Self::MaybeHex => RefOr::T(hex(typed(or_null(Type::String))).into()),
            Self::Bool | Self::Flag => RefOr::T(typed(Type::Boolean.into()).into()),
            Self::Text => RefOr::T(typed(Type::String.into()).into()),
            Self::Texts => list(RefOr::T(text().into())),
            Self::Hashes => list(RefOr::T(hex(text()).into())),
            Self::MaybeHashes => maybe_list(hex(text())),
            Self::MaybeTexts => maybe_list(text()),
            Self::MaybeInts => maybe_list(ObjectBuilder::new().schema_type(Type::Integer)),
            Self::Whole(name) => {
                let mut reference = Ref::from_schema_name(name);
                about.clone_into(&mut reference.description);
                RefOr::Ref(reference)
            }
            Self::MaybeWhole(name) => {
                let null = ObjectBuilder::new().schema_type(Type::Null);
                let either = OneOfBuilder::new()
                    .item(Ref::from_schema_name(name))
                    .item(null)
                    .description(Some(about.to_owned()));
                RefOr::T(either.into())
            }
            Self::Ref(name) => {
                let mut reference = target(name);
                about.clone_into(&mut reference.description);
                RefOr::Ref(reference)
            }
            Self::List(name) => list(RefOr::Ref(Ref::from_schema_name(name))),
            Self::Any => RefOr::T(typed(SchemaType::AnyValue).into()),
        }
    }
}
