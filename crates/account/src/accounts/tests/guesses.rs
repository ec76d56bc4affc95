//! What a guess of a key costs and tells: the time of an answer must not grow with what is right in it.
//!
//! A guess is hashed whole, and the hash leads to a row or to none. What work is done therefore depends
//! on the hash, of which a guesser controls no bit, and not on the text: these tests hold the rows that
//! are asked for to that.

use sha2::{Digest, Sha256};

use super::*;

/// Rows that the store was asked for while a text was authenticated.
fn asked_for(world: &World, node: &Accounts, text: &str) -> Vec<(Table, Vec<u8>)> {
    world.store.asked.lock().unwrap().clear();
    assert!(node.authenticate(text).is_err(), "{text} is a key");
    std::mem::take(&mut world.store.asked.lock().unwrap())
}

/// However many bytes of a key are right, one row is looked for, under the hash of the whole guess.
#[test]
fn a_guess_costs_one_look_however_much_of_it_is_right() {
    let world = World::new();
    let node = world.node();
    for number in 0..20_u8 {
        register(&node); // others stand beside it
        let bytes = [number.wrapping_mul(37).wrapping_add(5); 32];
        for right in 0..32 {
            let mut guess = bytes;
            guess[right..].iter_mut().for_each(|byte| *byte ^= 0x5a);
            let guess = key_of(&guess);
            let asked = asked_for(&world, &node, &guess);
            let hash = Sha256::digest(guess.as_bytes());
            assert_eq!(asked.len(), 1, "{right} bytes are right");
            assert_eq!(asked[0].0, Table::KeyHash);
            assert!(asked[0].1.ends_with(&hash), "{right} bytes are right");
        }
    }
}

/// The same against a key that there is, of which all but the end is right.
#[test]
fn a_guess_that_is_nearly_a_key_is_answered_as_any_other() {
    let world = World::new();
    let node = world.node();
    let (_, issued) = register(&node);
    let text = issued.secret.expose();
    assert!(node.authenticate(text).is_ok());
    // the last characters are a checksum: a guess without it is refused by itself
    for cut in 1..text.len() {
        assert_eq!(asked_for(&world, &node, &text[..cut]), [], "{cut} characters");
    }
    let random = &text[9..52];
    for place in 0..43 {
        let other = if &random[place..=place] == "0" { "1" } else { "0" };
        let begun = format!("{}{other}{}", &text[..9 + place], &text[10 + place..52]);
        let checksum = crc32fast::hash(begun.as_bytes());
        let guess = format!("{begun}{}", base62(&checksum.to_be_bytes(), 6));
        let asked = asked_for(&world, &node, &guess);
        let hash = Sha256::digest(guess.as_bytes());
        let is_number = asked.len() == 1 && asked[0].1.ends_with(&hash);
        // a first digit too high is no number of 32 bytes
        assert!(is_number || asked.is_empty() && place == 0, "{place}: {asked:?}");
    }
}

/// The key of these bytes, its checksum right.
fn key_of(bytes: &[u8; 32]) -> String {
    let text = format!("svc_test_{}", base62(bytes, 43));
    let checksum = crc32fast::hash(text.as_bytes()).to_be_bytes();
    format!("{text}{}", base62(&checksum, 6))
}

/// So many digits of base62, written anew here.
fn base62(bytes: &[u8], digits: usize) -> String {
    let alphabet: Vec<char> = ('0'..='9').chain('A'..='Z').chain('a'..='z').collect();
    let (mut number, mut text) = (bytes.to_vec(), Vec::new());
    for _ in 0..digits {
        let mut rest = 0_u32;
        for byte in &mut number {
            let value = rest * 256 + u32::from(*byte);
            *byte = u8::try_from(value / 62).unwrap();
            rest = value % 62;
        }
        text.push(alphabet[rest as usize]);
    }
    text.into_iter().rev().collect()
}

/// In real time, where it is asked for: the median of many looks is the same for guesses that share all
/// with a key but their last byte and for guesses that share nothing.
#[test]
fn the_time_of_a_look_says_nothing_of_the_guess() {
    if std::env::var_os("SUPERROOT_TEST_ALL").is_none() {
        eprintln!("SKIPPED: times of guesses, set SUPERROOT_TEST_ALL=1");
        return;
    }
    let world = World::new();
    let node = world.node();
    let key = [0xa5_u8; 32];
    let guesses = |right: usize| -> Vec<String> {
        let guess = |number: u32| {
            let mut bytes = key;
            bytes[right..].iter_mut().for_each(|byte| *byte ^= 0x5a);
            bytes[28..].copy_from_slice(&number.to_be_bytes());
            key_of(&bytes)
        };
        (0..4_000).map(guess).collect()
    };
    let sets = [guesses(0), guesses(28)];
    let mut times = [Vec::new(), Vec::new()];
    for (near, far) in sets[1].iter().zip(&sets[0]) {
        for (set, guess) in [far, near].into_iter().enumerate() {
            let begun = std::time::Instant::now();
            assert!(node.authenticate(guess).is_err());
            times[set].push(begun.elapsed());
        }
        world.store.asked.lock().unwrap().clear();
    }
    let [far, near] = times.map(|mut times| {
        times.sort();
        times[times.len() / 2].as_nanos() as f64
    });
    assert!((0.8..1.25).contains(&(near / far)), "{near} ns near a key, {far} ns far from it");
}
