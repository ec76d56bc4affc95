//! Proofs as JSON: what is accepted renders to a body that says the same, and under a known root
//! only what is there is shown.
#![no_main]

use libfuzzer_sys::fuzz_target;
use superroot_fuzz::{assert_genuine, policy, seeds};
use superroot_proof::bundle::{Bundle, ProofSubject};
use superroot_wire::proof::unshown;
use superroot_wire::{Shape, check_body, check_json, parse, parse_batch, parse_json, render};

fuzz_target!(init: seeds::plant("wire_json", &seeds::answers()), |bytes: &[u8]| {
    if let Ok(body) = parse_json(bytes) {
        _ = parse(&body);
        _ = parse_batch(&body);
    }
    let Ok(checked) = check_body(bytes, &policy(), None) else { return };
    assert_genuine(&checked.facts);
    assert_eq!(Bundle::decode(&checked.bundle.encode()).as_ref(), Ok(&checked.bundle));
    let is_block = checked.facts.statement.subject == ProofSubject::Block;
    for shape in Shape::ALL {
        if !is_block && matches!(shape, Shape::KvBlock | Shape::LambdaBlock) {
            continue;
        }
        let body = render(&checked.bundle, &checked.facts, shape);
        let again = check_json(&body, &policy(), None)
            .unwrap_or_else(|error| panic!("{error} in our own {shape:?}: {body}"));
        let is_event = body.get("event").is_some();
        let names = unshown(&checked.facts).iter().filter(|_| is_event);
        let names: Vec<String> = names.map(|name| (*name).to_owned()).collect();
        assert_eq!((again.bundle, again.unproven), (checked.bundle.clone(), names));
    }
});
