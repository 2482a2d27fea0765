//! A simulated model, which needs no network: it calls the tools `book`, `forecast` and `itinerary`
//! if some server offers them, repeats calls that failed, and repeats in the end what it was told.

use serde_json::{Value, json};

/// The names of tools that the model calls, in turns.
const TURNS: [&[&str]; 2] = [&["book", "forecast"], &["itinerary"]];

/// Responds in the form of Anthropic's Messages.
pub(crate) fn respond(request: &Value) -> Value {
    let offered = |tool: &str| {
        let names = elements(&request["tools"]).filter_map(|tool| tool["name"].as_str());
        let suffix = format!("__{tool}");
        names.into_iter().find(|name| name.ends_with(&suffix))
    };
    let blocks = || elements(&request["messages"]).flat_map(|it| elements(&it["content"]));
    let results: Vec<&Value> = blocks()
        .filter(|block| block["type"] == "tool_result" && block["is_error"].is_null())
        .collect();
    let is_done = |name: &str| {
        let mut calls = blocks().filter(|block| block["name"] == name);
        calls.any(|call| results.iter().any(|it| it["tool_use_id"] == call["id"]))
    };
    for turn in TURNS {
        let names = turn.iter().filter_map(|tool| offered(tool));
        let calls = names
            .filter(|name| !is_done(name))
            .enumerate()
            .map(|(at, name)| {
                let id = format!("call-{}-{at}", elements(&request["messages"]).count());
                json!({"type": "tool_use", "id": id, "name": name, "input": {"city": "Oslo"}})
            });
        let calls: Vec<Value> = calls.collect();
        if !calls.is_empty() {
            return json!({"role": "assistant", "stop_reason": "tool_use", "content": calls});
        }
    }
    let told = results
        .iter()
        .flat_map(|result| elements(&result["content"]));
    let told: Vec<&str> = told.filter_map(|block| block["text"].as_str()).collect();
    let text = json!({"type": "text", "text": told.join("; ")});
    json!({"role": "assistant", "stop_reason": "end_turn", "content": [text]})
}

fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
