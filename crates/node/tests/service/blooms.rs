//! Where something may be, as a client asks: the candidates have what is searched for, and nothing is absent
//! that is there.

use serde_json::{Value, json};

use crate::logs::Searched;

#[tokio::test(flavor = "multi_thread")]
async fn what_is_there_is_possible_and_what_is_not_is_absent_by_headers_that_are_proven() {
    let searched = Searched::start().await;
    let page = searched.found("chain=1&limit=200&order=desc&finality=anchored").await;
    for event in page["logs"].as_array().unwrap().iter().step_by(40) {
        let number = event["blockNumber"].as_u64().unwrap();
        let asked = json!({ "address": event["address"], "topics": event["topics"], "from_block": number - 50 });
        let answer = searched.blooms(&asked).await;
        let results = answer["results"].as_array().unwrap();
        assert!(results.len() > 1, "every chain with blooms: {answer}");
        let on_one = results.iter().find(|one| one["chain_id"] == 1).unwrap();
        assert_eq!(on_one["answer"], "possible");
        let candidates = on_one["candidate_blocks"].as_array().unwrap();
        assert!(candidates.contains(&json!(number)), "{number}: {on_one}");
        assert_eq!(on_one["candidate_count"], candidates.len());
    }
    let (mut absent, mut possible) = (0, 0);
    for nobody in 0..20 {
        let asked = json!({ "address": format!("0x{nobody:040x}"), "chain_ids": [1] });
        let answer = searched.blooms(&asked).await;
        let result = &answer["results"][0];
        assert_eq!(result["missing_count"], 0);
        match result["answer"].as_str().unwrap() {
            "absent" => absent += 1,
            _ => possible += 1,
        }
        // a block that is no candidate has a header that says so, and the header is proven
        let number = result["scanned"]["to"].as_u64().unwrap() - 1;
        let path = result["proof"].as_str().unwrap().replace("{block}", &number.to_string());
        let proof = searched.service.json(&path).await;
        assert!(proof["header"]["logsBloom"].as_str().is_some_and(|bloom| bloom.len() == 514));
    }
    assert!(absent > 0, "{possible} of 20 are possible");
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_without_an_answer_are_named() {
    let searched = Searched::start().await;
    let address = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
    for (asked, parameter) in [
        (json!({}), "address"),
        (json!({ "chain_ids": [1] }), "address"),
        (json!({ "address": "0x12" }), "address"),
        (json!({ "topic": address }), "topic"),
        (json!({ "topics": [] }), "topics"),
        (json!({ "topics": ["0x"] }), "topics"),
        (json!({ "address": address, "chain_ids": [] }), "chain_ids"),
        (json!({ "address": address, "from_block": -1 }), "from_block"),
        (json!({ "address": address, "from_block": 9, "to_block": 8 }), "to_block"),
        (json!({ "address": address, "adress": address }), "adress"),
    ] {
        let (status, body) = searched.post("/bloom/query", &asked).await;
        assert_eq!((status, &body["parameter"]), (400, &json!(parameter)), "{asked}: {body}");
    }
    let asked = json!({ "address": address, "chain_ids": [424_242] });
    let (status, body) = searched.post("/bloom/query", &asked).await;
    assert_eq!((status, &body["code"]), (404, &json!("unknown_chain")), "{body}");
    let asked = json!({ "address": address, "chain_ids": ["bitcoin"] });
    let (status, body) = searched.post("/bloom/query", &asked).await;
    assert_eq!((status, &body["code"]), (404, &json!("not_provable")), "{body}");
    let answer =
        searched.blooms(&json!({ "address": address, "chain_ids": ["bitcoin", 1, 59_144] })).await;
    assert_eq!(answer["results"].as_array().unwrap().len(), 1, "{answer}");
    let left_out = answer["left_out"].as_array().unwrap();
    let left_out: Vec<&Value> = left_out.iter().map(|one| &one["chain_id"]).collect();
    assert_eq!(left_out, [&json!(21_000_000), &json!(59_144)], "{answer}");
    let asked = json!({ "address": address, "chain_ids": [1], "from_block": 900_000_000 });
    let far = searched.blooms(&asked).await;
    assert_eq!(far["results"][0]["scanned"], Value::Null, "{far}");
    let (status, _) =
        searched.service.post("/bloom/query", "", &json!({ "address": address })).await;
    assert_eq!(status, 401, "a key is needed");
}
