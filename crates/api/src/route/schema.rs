//! Schemas of body types. Tests alone generate the documents: in the service every type will do, and a schema is empty.

#[cfg(not(test))]
pub(crate) use std::any::Any as ToSchema;
#[cfg(test)]
use std::borrow::Cow;

#[cfg(test)]
pub(crate) use utoipa::ToSchema;
#[cfg(test)]
use utoipa::openapi::{RefOr, Schema};

/// Schema of a `wire` type and its parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodySchema {
    #[cfg(test)]
    pub(crate) name: fn() -> Cow<'static, str>,
    #[cfg(test)]
    pub(crate) all: fn() -> Vec<(String, RefOr<Schema>)>,
}

impl BodySchema {
    #[cfg_attr(not(test), expect(clippy::extra_unused_type_parameters, reason = "it is empty"))]
    pub(crate) fn new<T: ToSchema>() -> Self {
        Self {
            #[cfg(test)]
            name: T::name,
            #[cfg(test)]
            all: || {
                let mut all = vec![(T::name().into_owned(), T::schema())];
                T::schemas(&mut all);
                all
            },
        }
    }
}
