//! A small server on the Python SDK: `xtask/interop/server.py`.

use std::time::Duration;

use mcp_client::types::json::{Map, Object};
use mcp_client::types::{
    CompleteRequest, CompleteRequestParams, CompletionArgument, LoggingLevel, PromptReference,
    Revision, SubscriptionFilter,
};
use mcp_client::{CallError, SubscriptionEvent};

use crate::checks::{Checks, check, expect, since};
use crate::peer::{MODEL, Peer, Received, Result};

pub(crate) fn checks() -> Checks {
    vec![
        check("says who it is", introduction),
        check("lists tools, resources, templates, prompts", lists),
        check("call: structured content, an error", calls),
        check("progress", progress),
        check(
            "a call that is dropped, and one that takes too long",
            timeouts,
        ),
        check("resources: text, bytes, template", resources),
        check("prompt and completion", prompts),
        check("logs of the level that was asked for", logs),
        since(
            Revision::V2025_06_18,
            check("asks: form, with a default", form),
        ),
        check("asks: a model", model),
        check("asks: roots", roots),
        check("subscription", subscription),
        check("many calls at once", many),
    ]
}

async fn introduction(peer: &Peer) -> Result<()> {
    expect(peer.name() == "snake", peer.name())?;
    let instructions = peer.client.instructions();
    expect(
        instructions.as_deref() == Some("Try everything."),
        instructions,
    )
}

async fn lists(peer: &Peer) -> Result<()> {
    let tools = peer.client.tools().all().await?;
    expect(tools.items.len() == 9 && tools.faults.is_empty(), &tools)?;
    let resources = peer.client.resources().all().await?;
    expect(resources.items.len() == 2, &resources)?;
    let templates = peer.client.resource_templates().all().await?;
    expect(templates.items.len() == 1, &templates)?;
    let prompts = peer.client.prompts().all().await?;
    expect(prompts.items.len() == 1, &prompts)
}

async fn calls(peer: &Peer) -> Result<()> {
    let result = peer
        .call("add", Object::from([("a", 2.5), ("b", 3.0)]))
        .await?;
    let structured = result.structured_content.ok_or("no structured content")?;
    expect(
        structured
            .get("sum")
            .and_then(mcp_client::types::json::Value::as_f64)
            == Some(5.5),
        structured,
    )?;
    let failed = peer.call("fail", Object::new()).await?;
    expect(failed.is_error == Some(true), failed)
}

async fn progress(peer: &Peer) -> Result<()> {
    let heard = Received::default();
    let hearing = heard.clone();
    let call = peer
        .client
        .call_tool("count")
        .arguments(Object::from([("steps", 5)]));
    call.on_progress(move |progress| hearing.add(progress.message))
        .await?;
    let heard = heard.next().await;
    expect(heard.len() == 5, heard)
}

async fn timeouts(peer: &Peer) -> Result<()> {
    let dropped = tokio::time::timeout(
        Duration::from_millis(100),
        peer.client.call_tool("sleep").into_future(),
    );
    expect(dropped.await.is_err(), "it came to an end")?;
    let late = peer
        .client
        .call_tool("sleep")
        .timeout(Duration::from_millis(100))
        .await;
    expect(matches!(late, Err(CallError::Timeout { .. })), late)?;
    calls(peer).await
}

async fn resources(peer: &Peer) -> Result<()> {
    for (uri, expected) in [
        ("test://text", "some text"),
        ("test://bytes", "AAECAwQFBgc="),
        ("test://item/7", "item 7"),
    ] {
        let read = peer.client.read_resource(uri).await?;
        let text = serde_json::to_string(&read.contents)?;
        expect(text.contains(expected), text)?;
    }
    let unknown = peer.client.read_resource("test://no/such").await;
    expect(matches!(unknown, Err(CallError::Refused { .. })), unknown)
}

async fn prompts(peer: &Peer) -> Result<()> {
    let arguments = Map::from([("name", "Ada".to_owned())]);
    let prompt = peer.client.get_prompt("hello").arguments(arguments).await?;
    let text = serde_json::to_string(&prompt)?;
    expect(text.contains("hello to Ada"), text)?;
    let argument = CompletionArgument::new("name", "A");
    // As a request of the method table, so that this compiles whatever the newest revision calls
    // it.
    let prompt = PromptReference::new("hello");
    let params = CompleteRequestParams::new(prompt, argument, peer.client.meta());
    let found = peer.client.request::<CompleteRequest>(params).await?;
    expect(found.completion.values == ["Ada", "Alan"], &found)
}

async fn logs(peer: &Peer) -> Result<()> {
    peer.text("log", Object::new()).await?;
    let logs = peer.logs.next().await;
    let levels: Vec<_> = logs.iter().map(|log| log.level).collect();
    // In sessions this server ignores the level.
    let small = !peer.client.revision().is_modern();
    expect(
        levels.contains(&LoggingLevel::Error) && (small || levels.len() == 1),
        levels,
    )
}

async fn form(peer: &Peer) -> Result<()> {
    let text = peer.text("greet", Object::new()).await?;
    expect(text == "Ada in green", text)
}

async fn model(peer: &Peer) -> Result<()> {
    let text = peer.text("sample", Object::new()).await?;
    expect(text == MODEL, text)
}

async fn roots(peer: &Peer) -> Result<()> {
    let text = peer.text("roots", Object::new()).await?;
    expect(text.starts_with("file://"), text)
}

async fn subscription(peer: &Peer) -> Result<()> {
    let filter = SubscriptionFilter::new()
        .tools_list_changed(true)
        .resource_subscriptions(vec!["test://text".to_owned()]);
    let mut subscription = peer.client.listen(filter);
    let honoured = match subscription.next().await.ok_or("no subscription")?? {
        SubscriptionEvent::Listening(honoured) => honoured,
        other => return Err(format!("{other:?}").into()),
    };
    peer.text("change", Object::new()).await?;
    let mut expected = Vec::new();
    if honoured
        .resource_subscriptions
        .is_some_and(|uris| !uris.is_empty())
    {
        expected.push("resource");
    }
    if honoured.tools_list_changed == Some(true) {
        expected.push("tools");
    }
    for expected in expected {
        let event = subscription.next().await.ok_or("no event")??;
        let right = match &event {
            SubscriptionEvent::ResourceUpdated(params) => {
                expected == "resource" && params.uri == "test://text"
            }
            SubscriptionEvent::ToolListChanged => expected == "tools",
            _ => false,
        };
        expect(right, event)?;
    }
    Ok(())
}

async fn many(peer: &Peer) -> Result<()> {
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..100 {
        let client = peer.client.clone();
        calls.spawn(async move {
            let arguments = Object::from([("a", number), ("b", 1)]);
            let result = client.call_tool("add").arguments(arguments).await?;
            Ok::<_, CallError>((number, result.structured_content))
        });
    }
    while let Some(call) = calls.join_next().await {
        let (number, structured) = call??;
        let sum = structured
            .as_ref()
            .and_then(|content| content.get("sum")?.as_f64());
        expect(sum == Some(f64::from(number + 1)), structured)?;
    }
    Ok(())
}
