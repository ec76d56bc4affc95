//! Replay of a Sui full node.

use prost::Message;
use superroot_chain::Ledger;
use superroot_types::BlockNumber;

use super::capture::read_raw;
use super::messages::{
    CheckpointMessage, CheckpointRef, CheckpointRequest, CheckpointResponse, FieldMask, ServiceInfo,
};
use super::{CHECKPOINT, NAMED, SERVICE, SERVICE_INFO, parse_shown, shown};
use crate::replay::grpc::{GrpcFault, GrpcOutcome};
use crate::replay::methods::{Methods, client_name, fault, unreadable};

pub(crate) fn call(methods: &Methods<'_>, path: &str, message: &[u8]) -> Option<GrpcOutcome> {
    Some(match path.strip_prefix(SERVICE)?.strip_prefix('/')? {
        SERVICE_INFO => service_info(methods),
        CHECKPOINT => checkpoint(methods, message),
        _ => return None,
    })
}

fn service_info(methods: &Methods<'_>) -> GrpcOutcome {
    let genesis = match methods.row().map(|row| &row.ledger) {
        Some(Ledger::Sui(params)) => params.genesis,
        _ => return Err(unreadable().into()),
    };
    let info = ServiceInfo {
        chain_id: Some(shown(&genesis)),
        checkpoint_height: Some(methods.tip()?.number.0),
        lowest_available_checkpoint: Some(methods.first()?.0),
        server: Some(client_name()),
    };
    Ok(info.encode_to_vec())
}

fn checkpoint(methods: &Methods<'_>, message: &[u8]) -> GrpcOutcome {
    let CheckpointRequest { which, read_mask } = CheckpointRequest::decode(message)
        .map_err(|_| GrpcFault::invalid("the request cannot be read"))?;
    let number = match which {
        None => Some(methods.tip()?.number),
        Some(CheckpointRef::SequenceNumber(number)) => Some(BlockNumber(number)),
        Some(CheckpointRef::Digest(digest)) => {
            let invalid = || GrpcFault::invalid("digest is no 32 bytes in base58");
            methods.number_of(&parse_shown(&digest).ok_or_else(invalid)?)?
        }
    };
    let missing = || GrpcFault::not_found("Checkpoint not found");
    let number = number.ok_or_else(missing)?;
    let capture = methods.capture(Some(number))?.ok_or_else(missing)?;
    let raw = read_raw(&capture).map_err(fault)?;
    let is_bare = raw.contents.is_none();
    let whole = CheckpointMessage::of(number.0, raw);
    let paths = read_mask.map_or_else(|| NAMED.map(str::to_owned).to_vec(), |mask| mask.paths);
    let mask = FieldMask { paths };
    if is_bare && (mask.wants("contents.bcs") || mask.wants("transactions")) {
        return Err(GrpcFault::internal("of this checkpoint the summary alone is recorded"));
    }
    let checkpoint = Some(mask.apply(whole));
    Ok(CheckpointResponse { checkpoint }.encode_to_vec())
}

impl FieldMask {
    /// Whether a member, or part of the member, is requested.
    fn wants(&self, member: &str) -> bool {
        let is_below = |one: &str, other: &str| {
            one.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let wants = |path: &String| path == "*" || is_below(path, member) || is_below(member, path);
        self.paths.iter().any(wants)
    }

    /// Removes unrequested parts.
    fn apply(&self, mut whole: CheckpointMessage) -> CheckpointMessage {
        whole.sequence_number = whole.sequence_number.filter(|_| self.wants("sequence_number"));
        whole.digest = whole.digest.filter(|_| self.wants("digest"));
        whole.summary = whole.summary.filter(|_| self.wants("summary.bcs"));
        whole.signature = whole.signature.filter(|_| self.wants("signature"));
        whole.contents = whole.contents.filter(|_| self.wants("contents.bcs"));
        if !self.wants("transactions") {
            whole.transactions.clear();
        }
        for one in &mut whole.transactions {
            one.transaction =
                one.transaction.take().filter(|_| self.wants("transactions.transaction.bcs"));
            one.effects = one.effects.take().filter(|_| self.wants("transactions.effects.bcs"));
            one.events = one.events.take().filter(|_| self.wants("transactions.events.bcs"));
        }
        whole
    }
}
