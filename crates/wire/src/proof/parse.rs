//! Parser for the proof in a body; derived members are ignored.

use serde_json::Value;
use superroot_proof::bundle::{
    BUNDLE_BYTES_MAX, BlockLevel, Bundle, NotePath, OpenPlace, ProofSubject, RegistryOpening,
    SealedPlace, Statement, SuperRootProof, TwigPosition, TwigProof,
};
use superroot_proof::note::NOTE_BYTES_MAX;
use superroot_types::{BlockNumber, LeafCount, LeafIndex, RowIndex, TWIG_HEIGHT};

use super::{Shape, ledger};
use crate::WireError;
use crate::member::Member;

/// Maximum hashes in a range path: one per level of a 64-bit leaf count.
const RANGE_PATH_MAX: usize = 64;

/// Parses the proof in a body, in any shape. Nothing is verified yet, and derived members are ignored: see
/// [`super::compare`].
///
/// # Errors
/// [`WireError`] with the missing or malformed member.
pub fn parse(body: &Value) -> Result<Bundle, WireError> {
    let Some(shape) = Shape::of(body) else {
        let member = "chain_id, chainId or proof_blob".to_owned();
        return Err(WireError::Missing { member });
    };
    let root = Member::root(body, shape.case());
    let bundle = match shape {
        Shape::Blob => return binary(&root.get("proofBlob")?),
        Shape::V5 | Shape::KvBlock | Shape::LambdaBlock => proof(&root)?,
    };
    let got = bundle.encode().len();
    if got > BUNDLE_BYTES_MAX {
        return Err(WireError::TooLarge { what: "the proof", got, max: BUNDLE_BYTES_MAX });
    }
    Ok(bundle)
}

fn binary(member: &Member<'_>) -> Result<Bundle, WireError> {
    let named = |cause| WireError::Binary { member: "proof_blob".to_owned(), cause };
    Bundle::decode(&member.bytes()?).map_err(named)
}

fn proof(root: &Member<'_>) -> Result<Bundle, WireError> {
    let subject = subject(root)?;
    let number = BlockNumber(root.get("blockNumber")?.integer()?);
    let statement = Statement { chain: root.chain()?, number, subject };
    let (entry, block) = if subject == ProofSubject::Block {
        (None, block(root)?)
    } else {
        let entry = ledger::parse_entry(root, subject)?;
        let below = root.optional("block")?;
        (Some(entry), below.map_or(Ok(None), |below| block(&below))?)
    };
    Ok(Bundle { origin: root.get("origin")?.text()?.to_owned(), statement, entry, block })
}

fn subject(root: &Member<'_>) -> Result<ProofSubject, WireError> {
    let kind = root.get("proofKind")?;
    let tx_index = || root.get("transactionIndex")?.position();
    match kind.text()? {
        "block" => Ok(ProofSubject::Block),
        "transaction" => Ok(ProofSubject::Transaction { tx_index: tx_index()? }),
        "absence" => Ok(ProofSubject::Absence { tx_index: tx_index()? }),
        "event" => {
            let log_index = root.get("event")?.get("logIndex")?.position()?;
            Ok(ProofSubject::Log { tx_index: tx_index()?, log_index })
        }
        _ => Err(kind.wrong("block, transaction, event or absence")),
    }
}

fn block(members: &Member<'_>) -> Result<Option<BlockLevel>, WireError> {
    let Some(header) = members.optional("blockHeader")? else { return Ok(None) };
    let block_hash = members.get("blockHash")?.hash()?;
    let twig = members.optional("twig")?.map(|path| twig(members, &path)).transpose()?;
    Ok(Some(BlockLevel { header: header.bytes()?, block_hash, twig }))
}

fn twig(members: &Member<'_>, path: &Member<'_>) -> Result<TwigProof, WireError> {
    let siblings = path.get("siblings")?.hash_array::<TWIG_HEIGHT>("a list of 11 hashes")?;
    let place = match (members.optional("miniMmr")?, members.optional("blockReference")?) {
        (None, None) => None,
        (Some(mini_mmr), None) => Some(TwigPosition::Sealed(sealed(members, &mini_mmr)?)),
        (None, Some(reference)) => Some(TwigPosition::Open(open(members, &reference)?)),
        (Some(_), Some(reference)) => {
            return Err(reference.wrong("nothing beside a Mini-MMR: a twig has one place"));
        }
    };
    Ok(TwigProof { siblings, root: path.get("root")?.hash()?, place })
}

fn sealed(members: &Member<'_>, mini_mmr: &Member<'_>) -> Result<SealedPlace, WireError> {
    let super_root = match members.optional("superRoot")? {
        Some(path) => Some(super_root(members, &path)?),
        None => None,
    };
    Ok(SealedPlace {
        leaf_index: LeafIndex(mini_mmr.get("leafIndex")?.integer()?),
        leaf_count: LeafCount(mini_mmr.get("leafCount")?.integer()?),
        siblings: mini_mmr.get("siblings")?.hashes(RANGE_PATH_MAX)?,
        root: mini_mmr.get("root")?.hash()?,
        super_root,
    })
}

fn open(members: &Member<'_>, reference: &Member<'_>) -> Result<OpenPlace, WireError> {
    Ok(OpenPlace {
        start: BlockNumber(reference.get("start")?.integer()?),
        number: BlockNumber(reference.get("number")?.integer()?),
        block_hash: reference.get("hash")?.hash()?,
        super_root: super_root(members, &members.get("superRoot")?)?,
    })
}

fn super_root(members: &Member<'_>, path: &Member<'_>) -> Result<SuperRootProof, WireError> {
    const PATH: &str = "a list of 6 hashes";
    let opening = members.get("registry")?;
    let registry = RegistryOpening {
        profile: opening.get("profile")?.bytes()?,
        row: RowIndex(row_number(&opening.get("row")?)?),
        count: row_number(&opening.get("count")?)?,
        row_siblings: opening.get("siblings")?.hash_array(PATH)?,
        siblings: opening.get("superRootSiblings")?.hash_array(PATH)?,
    };
    let note = members.optional("note")?.map(|note| note_path(&note)).transpose()?;
    Ok(SuperRootProof {
        siblings: members.get("siblings")?.hash_array(PATH)?,
        preimage: path.get("preimage")?.bytes()?,
        registry,
        note,
    })
}

fn note_path(note: &Member<'_>) -> Result<NotePath, WireError> {
    let text = note.get("text")?;
    if text.text()?.len() > NOTE_BYTES_MAX {
        return Err(text.wrong("a note of at most 64 KiB"));
    }
    let siblings = note.get("siblings")?.hashes(RANGE_PATH_MAX)?;
    Ok(NotePath { note: text.text()?.to_owned(), siblings })
}

fn row_number(member: &Member<'_>) -> Result<u8, WireError> {
    u8::try_from(member.integer()?).map_err(|_| member.wrong("a row or a count of rows"))
}
