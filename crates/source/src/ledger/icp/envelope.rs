//! CBOR envelope of queries and answers. Source: the interface specification, "Request: Query call".

use ciborium::Value;
use superroot_chain::ledger::icp::{read_cbor, take_bytes, take_member, write_cbor};

const ANONYMOUS: [u8; 1] = [0x04];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CanisterQuery {
    pub(super) canister: Vec<u8>,
    pub(super) method: String,
    /// Argument in Candid.
    pub(super) argument: Vec<u8>,
    /// Expiry, in nanoseconds since 1970.
    pub(super) expiry_nanos: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CanisterReply {
    /// Reply in Candid.
    Replied(Vec<u8>),
    /// Reject code and reason.
    Rejected(u64, String),
}

fn map<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Map(members.map(|(name, value)| (Value::Text(name.into()), value)).into())
}

impl CanisterQuery {
    pub(super) fn write(self) -> Vec<u8> {
        let Self { canister, method, argument, expiry_nanos } = self;
        let content = map([
            ("request_type", Value::Text("query".into())),
            ("sender", Value::Bytes(ANONYMOUS.into())),
            ("ingress_expiry", expiry_nanos.into()),
            ("canister_id", Value::Bytes(canister)),
            ("method_name", Value::Text(method)),
            ("arg", Value::Bytes(argument)),
        ]);
        write_cbor(map([("content", content)]))
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut content = take_member(&mut read_cbor(bytes)?, "content")?;
        let text = |content: &mut Value, name| take_member(content, name)?.into_text().ok();
        if text(&mut content, "request_type")? != "query" {
            return None;
        }
        let expiry = take_member(&mut content, "ingress_expiry")?.into_integer().ok()?;
        Some(Self {
            canister: take_bytes(&mut content, "canister_id")?,
            method: text(&mut content, "method_name")?,
            argument: take_bytes(&mut content, "arg")?,
            expiry_nanos: u64::try_from(expiry).ok()?,
        })
    }
}

impl CanisterReply {
    pub(super) fn write(self) -> Vec<u8> {
        let status = |status: &str| ("status", Value::Text(status.into()));
        write_cbor(match self {
            Self::Replied(answer) => {
                map([status("replied"), ("reply", map([("arg", Value::Bytes(answer))]))])
            }
            Self::Rejected(code, why) => map([
                status("rejected"),
                ("reject_code", code.into()),
                ("reject_message", Value::Text(why)),
            ]),
        })
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut map = read_cbor(bytes)?;
        match take_member(&mut map, "status")?.as_text()? {
            "replied" => {
                let mut reply = take_member(&mut map, "reply")?;
                Some(Self::Replied(take_bytes(&mut reply, "arg")?))
            }
            "rejected" => {
                let code = take_member(&mut map, "reject_code")?.into_integer().ok()?;
                let why = take_member(&mut map, "reject_message")?.into_text().ok()?;
                Some(Self::Rejected(u64::try_from(code).ok()?, why))
            }
            _ => None,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct IcpNodeStatus {
    /// Client name and version; may be empty.
    pub(super) client: String,
    /// Root key in DER, if reported.
    pub(super) root_key: Option<Vec<u8>>,
}

impl IcpNodeStatus {
    pub(super) fn write(self) -> Vec<u8> {
        let key = self.root_key.map_or(Value::Null, Value::Bytes);
        write_cbor(map([("impl_version", Value::Text(self.client)), ("root_key", key)]))
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut map = read_cbor(bytes).filter(Value::is_map)?;
        let client = take_member(&mut map, "impl_version").and_then(|name| name.into_text().ok());
        let root_key = take_bytes(&mut map, "root_key");
        Some(Self { client: client.unwrap_or_default(), root_key })
    }
}
