//! `completion/complete`.

use mcp_server::types::json::Object;
use mcp_server::types::{Completion, PromptArgument};
use mcp_server::{Completing, HandlerError, PromptDef, ResourceUri, Server, TemplateDef};
use serde_json::{Value, json};

use crate::support::peer::Peer;

fn server() -> Server {
    let prompt = PromptDef::new("greet")
        .argument(PromptArgument::new("language"))
        .argument(PromptArgument::new("name"))
        .map_handler(|_| async { "hello" });
    Server::builder("test", "1")
        .add_prompt(prompt)
        .resource_template("late:{a}", "late", |_: Value| async { "" })
        .resource_template(
            "x:{a}/{b}",
            "x",
            |_: Value, ResourceUri(uri): ResourceUri| async { uri },
        )
        .complete_prompt("greet", "language", |typing: Completing| async move {
            let mut all = vec!["french", "german", "greek"];
            all.retain(|language| language.starts_with(&typing.value));
            all
        })
        .complete_resource("x:{a}/{b}", "a", |typing: Completing| async move {
            let b = typing.arguments.get("b").cloned().unwrap_or_default();
            Completion::new([format!("after {b}")])
                .total(5)
                .has_more(true)
        })
        .complete_resource("x:{a}/{b}", "b", |_| async {
            (0..250).map(|n| n.to_string()).collect::<Vec<_>>()
        })
        .complete_resource("late:{a}", "a", async |_| -> Result<_, HandlerError> {
            Err::<Vec<String>, _>(HandlerError::internal("not now"))
        })
        .build()
        .unwrap()
}

fn ask(reference: &Value, name: &str, value: &str) -> Value {
    json!({ "ref": reference, "argument": { "name": name, "value": value } })
}

#[tokio::test]
async fn arguments_are_completed() {
    let server = server();
    let greet = json!({ "type": "ref/prompt", "name": "greet" });
    let x = json!({ "type": "ref/resource", "uri": "x:{a}/{b}" });
    let old = Peer::legacy(&server, "2024-11-05").await;
    for mut peer in [Peer::modern(&server), old] {
        let result = peer
            .result("completion/complete", ask(&greet, "language", "g"))
            .await;
        let expected = json!({ "values": ["german", "greek"], "total": 2, "hasMore": false });
        assert_eq!(result["completion"], expected);
        let result = peer
            .result("completion/complete", ask(&greet, "name", "g"))
            .await;
        assert_eq!(result["completion"]["values"], json!([]));
        let result = peer.result("completion/complete", ask(&x, "b", "")).await;
        let completion = &result["completion"];
        assert_eq!(completion["values"].as_array().unwrap().len(), 100);
        assert_eq!(
            (&completion["total"], &completion["hasMore"]),
            (&json!(250), &json!(true))
        );
    }
    let mut params = ask(&x, "a", "");
    params["context"] = json!({ "arguments": { "b": "beta" } });
    let result = Peer::modern(&server)
        .result("completion/complete", params)
        .await;
    let expected = json!({ "values": ["after beta"], "total": 5, "hasMore": true });
    assert_eq!(result["completion"], expected);
}

#[tokio::test]
async fn plain_function_completes_an_argument() {
    fn cities(typed: &str) -> [String; 1] {
        [format!("{typed}slo")]
    }
    let prompt = PromptDef::new("greet")
        .argument(PromptArgument::new("language"))
        .argument(PromptArgument::new("city"))
        .map_handler(|_| async { "hello" });
    let server = Server::builder("test", "1")
        .add_prompt(prompt)
        .complete_prompt("greet", "language", |typed: &str| {
            let all = ["french", "german", "greek"].into_iter();
            all.filter(|language| language.starts_with(typed))
                .collect::<Vec<_>>()
        })
        .complete_prompt("greet", "city", cities)
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    let greet = json!({ "type": "ref/prompt", "name": "greet" });
    for (argument, typed, expected) in [
        ("language", "g", json!(["german", "greek"])),
        ("city", "O", json!(["Oslo"])),
    ] {
        let params = ask(&greet, argument, typed);
        let result = peer.result("completion/complete", params).await;
        assert_eq!(result["completion"]["values"], expected);
    }
}

#[tokio::test]
async fn unknown_references_and_arguments_are_rejected() {
    let server = server();
    let old = Peer::legacy(&server, "2025-06-18").await;
    for mut peer in [Peer::modern(&server), old] {
        for (kind, member, named, argument, part) in [
            ("ref/prompt", "name", "other", "a", "no prompt `other`"),
            (
                "ref/resource",
                "uri",
                "y:{a}",
                "a",
                "no resource template `y:{a}`",
            ),
            (
                "ref/prompt",
                "name",
                "greet",
                "other",
                "no argument `other`",
            ),
            ("ref/resource", "uri", "x:{a}/{b}", "c", "no argument `c`"),
        ] {
            let mut reference = json!({ "type": kind });
            reference[member] = json!(named);
            let params = ask(&reference, argument, "");
            let (code, message) = peer.error("completion/complete", params).await;
            assert!(code == -32602 && message.contains(part), "{message}");
        }
        let late = json!({ "type": "ref/resource", "uri": "late:{a}" });
        let error = peer.error("completion/complete", ask(&late, "a", "")).await;
        assert_eq!(error, (-32603, "not now".to_owned()));
    }
}

#[tokio::test]
async fn definition_added_at_run_time_completes_its_arguments() {
    let server = Server::builder("test", "1")
        .capabilities(|has| has.completions(Object::new()))
        .add_prompt(PromptDef::new("other").handler(async || ""))
        .resource_template("x:{a}", "x", |_: Value| async { "" })
        .build()
        .unwrap();
    let tones = |typed: &str| vec![format!("{typed}!")];
    let prompt = PromptDef::new("greet")
        .argument(PromptArgument::new("tone"))
        .map_handler(async |_| "")
        .complete("tone", tones);
    server.prompts().add(prompt).unwrap();
    let template = TemplateDef::new("y:{a}", "y")
        .handler(async || "")
        .complete("a", tones);
    server.resource_templates().add(template).unwrap();
    let mut peer = Peer::modern(&server);
    let greet = json!({ "type": "ref/prompt", "name": "greet" });
    let y = json!({ "type": "ref/resource", "uri": "y:{a}" });
    for params in [ask(&greet, "tone", "a"), ask(&y, "a", "a")] {
        let result = peer.result("completion/complete", params).await;
        assert_eq!(result["completion"]["values"], json!(["a!"]));
    }
    assert!(server.prompts().remove("greet"));
    let error = peer
        .error("completion/complete", ask(&greet, "tone", "a"))
        .await;
    assert_eq!(error, (-32602, "$.ref.name: no prompt `greet`".to_owned()));
}

#[tokio::test]
async fn completion_ends_with_its_prompt() {
    let prompt = PromptDef::new("greet")
        .argument(PromptArgument::new("tone"))
        .map_handler(async |_| "");
    let server = Server::builder("test", "1")
        .add_prompt(prompt)
        .complete_prompt("greet", "tone", |_: &str| vec!["formal"])
        .build()
        .unwrap();
    assert!(server.prompts().remove("greet"));
    let greet = json!({ "type": "ref/prompt", "name": "greet" });
    let mut peer = Peer::modern(&server);
    let error = peer
        .error("completion/complete", ask(&greet, "tone", ""))
        .await;
    assert_eq!(error, (-32602, "$.ref.name: no prompt `greet`".to_owned()));
}
