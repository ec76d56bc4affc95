//! Trie node, read strictly: exactly one encoding is accepted.

use alloc::vec::Vec;

use alloy_rlp::Header;
use superroot_types::Hash;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Child<'a> {
    Empty,
    Hash(Hash),
    Inline(&'a [u8]),
}

/// Node; `path` has nibbles. Only one exists at a time, on the stack: boxing would only add cost.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)]
pub(super) enum TrieNode<'a> {
    Empty,
    Branch { children: [Child<'a>; 16], value: &'a [u8] },
    Extension { path: Vec<u8>, child: Child<'a> },
    Leaf { path: Vec<u8>, value: &'a [u8] },
}

struct RlpItem<'a> {
    list: bool,
    payload: &'a [u8],
    whole: &'a [u8],
}

fn item<'a>(rest: &mut &'a [u8]) -> Result<RlpItem<'a>, &'static str> {
    let before = *rest;
    let header = Header::decode(rest).map_err(|_| "bad rlp")?;
    let (payload, after) = rest.split_at_checked(header.payload_length).ok_or("cut short")?;
    *rest = after;
    let used = before.len().checked_sub(after.len()).ok_or("cut short")?;
    let whole = before.get(..used).ok_or("cut short")?;
    Ok(RlpItem { list: header.list, payload, whole })
}

fn child<'a>(item: &RlpItem<'a>) -> Result<Child<'a>, &'static str> {
    match (item.list, item.payload.len()) {
        (false, 0) => Ok(Child::Empty),
        (false, 32) => {
            let bytes: [u8; 32] = item.payload.try_into().map_err(|_| "bad child hash")?;
            Ok(Child::Hash(Hash(bytes)))
        }
        (true, _) if item.whole.len() < 32 => Ok(Child::Inline(item.whole)),
        (true, _) => Err("an inline child of 32 bytes or more"),
        (false, _) => Err("a child that is neither empty nor a hash"),
    }
}

/// Hex-prefix path: nibbles and leaf flag.
fn hex_prefix(bytes: &[u8]) -> Result<(Vec<u8>, bool), &'static str> {
    let (first, rest) = bytes.split_first().ok_or("a path without its flag")?;
    let flag = first >> 4;
    let low = first & 0x0f;
    if flag > 3 {
        return Err("an unknown path flag");
    }
    let mut path = Vec::with_capacity(rest.len().saturating_mul(2).saturating_add(1));
    if flag & 1 == 1 {
        path.push(low);
    } else if low != 0 {
        return Err("a padded path whose padding is not zero");
    }
    path.extend(super::nibbles_of(rest));
    Ok((path, flag & 2 == 2))
}

pub(super) fn decode(bytes: &[u8]) -> Result<TrieNode<'_>, &'static str> {
    if bytes == [alloy_rlp::EMPTY_STRING_CODE] {
        return Ok(TrieNode::Empty);
    }
    let mut rest = bytes;
    let list = item(&mut rest)?;
    if !rest.is_empty() {
        return Err("trailing bytes");
    }
    if !list.list {
        return Err("not a list");
    }
    let mut payload = list.payload;
    let first = item(&mut payload)?;
    let second = item(&mut payload)?;
    if payload.is_empty() {
        return short(&first, &second);
    }
    let mut children = [Child::Empty; 16];
    for (position, place) in children.iter_mut().enumerate() {
        *place = match position {
            0 => child(&first)?,
            1 => child(&second)?,
            _ => child(&item(&mut payload)?)?,
        };
    }
    let value = item(&mut payload)?;
    if value.list {
        return Err("a branch value that is a list");
    }
    if !payload.is_empty() {
        return Err("more than 17 items");
    }
    let filled = children.iter().filter(|child| **child != Child::Empty).count();
    if filled.saturating_add(usize::from(!value.payload.is_empty())) < 2 {
        return Err("a branch that does not branch");
    }
    Ok(TrieNode::Branch { children, value: value.payload })
}

fn short<'a>(first: &RlpItem<'a>, second: &RlpItem<'a>) -> Result<TrieNode<'a>, &'static str> {
    if first.list {
        return Err("a path that is a list");
    }
    let (path, leaf) = hex_prefix(first.payload)?;
    if leaf {
        if second.list {
            return Err("a leaf value that is a list");
        }
        if second.payload.is_empty() {
            return Err("a leaf without a value");
        }
        return Ok(TrieNode::Leaf { path, value: second.payload });
    }
    if path.is_empty() {
        return Err("an extension without a path");
    }
    match child(second)? {
        Child::Empty => Err("an extension without a child"),
        child => Ok(TrieNode::Extension { path, child }),
    }
}
