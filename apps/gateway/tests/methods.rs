//! What holds for every method of every revision, from the table of the schema: nothing hidden is
//! answered, and no client gets a handle of an upstream as it is.

use std::collections::BTreeSet;

use mcp_client::Client;
use mcp_client::types::message::Sender;
use mcp_gateway::Upstream;
use mcp_server::types::{
    PromptsCapability, ResourcesCapability, Revision, ServerCapabilities, ToolsCapability, json,
};
use mcp_server::{AnyRequest, AnyResult, Context, Server};
use serde_json::{Value, json};

use crate::support::{at, connect, gateway, soon};

/// Answered by the server of the gateway itself: it never returns.
const LISTEN: &str = "subscriptions/listen";

/// Methods of extensions, which the table does not have.
const OF_EXTENSIONS: [&str; 3] = ["resources/directory/read", "skills/get", "skills/list"];

/// The methods that list, with the members of their results.
const LISTS: [(&str, &str); 5] = [
    ("prompts/list", "prompts"),
    ("resources/list", "resources"),
    ("resources/templates/list", "resourceTemplates"),
    ("skills/list", "skills"),
    ("tools/list", "tools"),
];

/// Members of other results.
const OTHERS: [&str; 8] = [
    "completion",
    "content",
    "contents",
    "description",
    "messages",
    "resource",
    "skill",
    "tasks",
];

/// Returns the requests that clients of a revision send.
fn methods(revision: Revision) -> BTreeSet<&'static str> {
    let messages = revision.messages().iter();
    let requests = messages.filter(|message| message.result.is_some());
    let requests = requests.filter(|message| message.sender != Sender::Server);
    let methods = requests.map(|message| message.method);
    let all = methods.chain(OF_EXTENSIONS);
    all.filter(|method| *method != LISTEN).collect()
}

fn everything(all: ServerCapabilities) -> ServerCapabilities {
    let mut all = all
        .tools(ToolsCapability::new())
        .prompts(PromptsCapability::new())
        .resources(ResourcesCapability::new())
        .completions(json::Object::new());
    let names = [
        "io.modelcontextprotocol/skills",
        "io.modelcontextprotocol/tasks",
    ];
    let names = names.map(|name| (name, json::Object::new()));
    all.extensions = Some(names.into_iter().collect());
    all
}

/// An upstream that answers every request with the same result. A list has only its own items.
fn answering(revision: Revision, answer: &Value) -> Upstream {
    let answer = answer.clone();
    let server = Server::builder("answering", "1")
        .capabilities(everything)
        .fallback(move |_: AnyRequest, cx: Context| {
            let mut answer = answer.clone();
            let own = LISTS.iter().find(|(method, _)| *method == cx.method());
            if let (Some((_, own)), Some(members)) = (own, answer.as_object_mut()) {
                let items = LISTS.iter().map(|(_, items)| *items).chain(OTHERS);
                let others: Vec<_> = items.filter(|items| items != own).collect();
                members.retain(|name, _| !others.contains(&&**name));
            }
            async move { AnyResult::from_json(&answer) }
        });
    at("a", revision, &server.build().expect("valid"))
}

/// Sends a request that names something in all ways, and returns the result or the error.
async fn asked(client: &Client, method: &'static str) -> String {
    let params = json!({
        "name": "one", "uri": "one://one", "arguments": {}, "level": "debug", "taskId": "a",
        "ref": { "type": "ref/prompt", "name": "one" }, "argument": { "name": "a", "value": "" },
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "a", "version": "1" },
    });
    match soon(client.request_json(method, &params)).await {
        Ok(result) => result.get().to_owned(),
        Err(error) => error.to_string(),
    }
}

/// Connects a client that may be asked, and follows tasks.
async fn follower(gateway: &mcp_gateway::Gateway, revision: Revision) -> Client {
    let builder = Client::builder("test", "1").revision(revision);
    let builder = builder.capabilities(|mut all| {
        let tasks = ("io.modelcontextprotocol/tasks", json::Object::new());
        all.extensions = Some([tasks].into_iter().collect());
        all
    });
    connect(gateway, builder).await
}

const UPSTREAMS: [Revision; 2] = [Revision::V2025_11_25, Revision::LATEST];

#[tokio::test]
async fn no_method_answers_with_what_is_hidden() {
    let named = json!({
        "name": "secret", "uri": "secret://one", "uriTemplate": "secret://{x}",
        "inputSchema": { "type": "object" },
    });
    let answer = json!({
        "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
        "tools": [named], "prompts": [named], "resources": [named], "resourceTemplates": [named],
        "skills": [named], "skill": named, "resource": named, "tasks": [named],
        "content": [{ "type": "text", "text": "secret" }],
        "contents": [{ "uri": "secret://one", "text": "secret" }],
        "completion": { "values": ["secret"] },
        "messages": [],
        "description": "secret",
    });
    for of_upstream in UPSTREAMS {
        for revision in Revision::ALL {
            let upstream = answering(of_upstream, &answer).filter(|_, _| false);
            let gateway = gateway([upstream]).await;
            let client = follower(&gateway, *revision).await;
            for method in methods(*revision) {
                let answered = asked(&client, method).await;
                assert!(
                    !answered.contains("secret"),
                    "{revision} -> {of_upstream}, {method}: {answered}"
                );
            }
        }
    }
}

#[tokio::test]
async fn no_method_returns_a_handle_of_an_upstream_as_it_is() {
    let page = json!({
        "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "nextCursor": "own-handle",
        "tools": [], "prompts": [], "resources": [], "resourceTemplates": [], "skills": [],
        "contents": [], "content": [], "messages": [],
    });
    let questions = json!({
        "resultType": "input_required", "requestState": "own-handle", "inputRequests": {},
    });
    let task = json!({
        "resultType": "task", "taskId": "own-handle", "status": "working", "ttl": null,
        "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z",
    });
    for (answer, of_upstream) in [
        (&page, Revision::V2025_11_25),
        (&page, Revision::LATEST),
        (&questions, Revision::LATEST),
        (&task, Revision::LATEST),
    ] {
        let gateway = gateway([answering(of_upstream, answer)]).await;
        for revision in Revision::ALL {
            let client = follower(&gateway, *revision).await;
            for method in methods(*revision) {
                // Only lists and folders have pages.
                let has_pages = method.ends_with("/list") || method == "resources/directory/read";
                if answer["nextCursor"].is_string() && !has_pages {
                    continue;
                }
                let answered = asked(&client, method).await;
                assert!(
                    !answered.contains("own-handle"),
                    "{revision} -> {of_upstream}, {method}: {answered}"
                );
            }
        }
    }
}
