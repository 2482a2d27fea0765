//! `@modelcontextprotocol/server-everything` from npm.

use std::time::Duration;

use mcp_client::types::Revision::V2025_06_18;
use mcp_client::types::json::{Map, Object};
use mcp_client::types::{
    CompleteRequest, CompleteRequestParams, CompletionArgument, CompletionContext, ContentBlock,
    PromptReference, SubscriptionFilter,
};
use mcp_client::{CallError, SubscriptionEvent};

use crate::checks::{Checks, check, expect, since};
use crate::peer::{MODEL, Peer, Received, Result};

pub(crate) fn checks() -> Checks {
    vec![
        check("says who it is", introduction),
        check("lists tools, resources, templates, prompts", lists),
        check("call: text, numbers, an error", calls),
        check("call: image, links, embedded resource", contents),
        check("call: structured content", structured),
        check("progress, and time that it prolongs", progress),
        check(
            "a call that is dropped, and one that takes too long",
            timeouts,
        ),
        check("resources: text and bytes", resources),
        check("prompts, with arguments and resources", prompts),
        check("completion", completion),
        since(V2025_06_18, check("completion, with context", context)),
        check("logs", logs),
        check("subscription to a resource", subscription),
        since(V2025_06_18, check("asks: form, with defaults", form)),
        since(V2025_06_18, check("asks: pages", page)),
        since(
            V2025_06_18,
            check("asks: a page before the call", page_before),
        ),
        check("asks: a model", model),
        check("asks: roots", roots),
        check("many calls at once", many),
    ]
}

async fn introduction(peer: &Peer) -> Result<()> {
    let offered = peer.client.server_capabilities();
    expect(
        offered.tools.is_some() && offered.resources.is_some() && offered.prompts.is_some(),
        &offered,
    )?;
    expect(peer.client.instructions().is_some(), "no instructions")
}

async fn lists(peer: &Peer) -> Result<()> {
    let tools = peer.client.tools().all().await?;
    expect(tools.faults.is_empty(), &tools.faults)?;
    expect(
        tools.items.iter().any(|tool| tool.name == "echo"),
        &tools.items,
    )?;
    let resources = peer.client.resources().all().await?;
    expect(resources.items.len() >= 3, &resources.items)?;
    let templates = peer.client.resource_templates().all().await?;
    expect(templates.items.len() == 2, &templates.items)?;
    let prompts = peer.client.prompts().all().await?;
    expect(prompts.items.len() == 4, &prompts.items)
}

async fn calls(peer: &Peer) -> Result<()> {
    let text = peer
        .text("echo", Object::from([("message", "hällo\n\u{2028}")]))
        .await?;
    expect(text.contains("hällo\n\u{2028}"), text)?;
    let sum = peer
        .text("get-sum", Object::from([("a", 2.5), ("b", 3.0)]))
        .await?;
    expect(sum.contains("5.5"), sum)?;
    let wrong = peer.call("get-sum", Object::from([("a", "text")])).await?;
    expect(wrong.is_error == Some(true), wrong)?;
    // An unknown tool is an error of the tool or of the protocol, depending on the server.
    match peer.client.call_tool("no-such-tool").await {
        Ok(result) => expect(result.is_error == Some(true), result),
        Err(CallError::Refused { source, .. }) => expect(source.code == -32602, source),
        Err(error) => Err(error.into()),
    }
}

async fn contents(peer: &Peer) -> Result<()> {
    let image = peer.call("get-tiny-image", Object::new()).await?;
    let is_image = |block: &ContentBlock| matches!(block, ContentBlock::Image(_));
    expect(image.content.iter().any(is_image), "no image")?;
    let links = peer
        .call("get-resource-links", Object::from([("count", 3)]))
        .await?;
    let is_link = |block: &&ContentBlock| matches!(block, ContentBlock::ResourceLink(_));
    expect(
        links.content.iter().filter(is_link).count() == 3,
        &links.content,
    )?;
    let mut arguments = Object::from([("resourceType", "Text")]);
    arguments.insert("resourceId", 1);
    let embedded = peer.call("get-resource-reference", arguments).await?;
    let is_embedded = |block: &ContentBlock| matches!(block, ContentBlock::Resource(_));
    expect(embedded.content.iter().any(is_embedded), &embedded.content)
}

async fn structured(peer: &Peer) -> Result<()> {
    let arguments = Object::from([("location", "Chicago")]);
    let result = peer.call("get-structured-content", arguments).await?;
    let structured = result.structured_content.ok_or("no structured content")?;
    expect(structured.get("temperature").is_some(), structured)
}

async fn progress(peer: &Peer) -> Result<()> {
    let heard = Received::default();
    let hearing = heard.clone();
    let call = peer
        .client
        .call_tool("trigger-long-running-operation")
        .arguments(Object::from([("duration", 2), ("steps", 8)]))
        // Shorter than the whole operation, and longer than a step.
        .timeout(Duration::from_secs(1))
        .while_progressing(Duration::from_secs(10))
        .on_progress(move |progress| hearing.add(progress.progress.as_f64()));
    call.await?;
    let heard = heard.next().await;
    expect(heard.len() >= 7 && heard.is_sorted(), heard)
}

async fn timeouts(peer: &Peer) -> Result<()> {
    let arguments = || Object::from([("duration", 3600), ("steps", 3600)]);
    let call = || {
        peer.client
            .call_tool("trigger-long-running-operation")
            .arguments(arguments())
    };
    let dropped = tokio::time::timeout(Duration::from_millis(100), call());
    expect(dropped.await.is_err(), "it came to an end")?;
    let late = call().timeout(Duration::from_millis(100)).await;
    expect(matches!(late, Err(CallError::Timeout { .. })), late)?;
    peer.text("echo", Object::from([("message", "still here")]))
        .await
        .map(drop)
}

async fn resources(peer: &Peer) -> Result<()> {
    let text = peer
        .client
        .read_resource("demo://resource/dynamic/text/1")
        .await?;
    let text = serde_json::to_string(&text.contents)?;
    expect(text.contains(r#""text":"#), text)?;
    let blob = peer
        .client
        .read_resource("demo://resource/dynamic/blob/1")
        .await?;
    let blob = serde_json::to_string(&blob.contents)?;
    expect(blob.contains(r#""blob":"#), blob)?;
    let unknown = peer.client.read_resource("demo://no/such").await;
    expect(matches!(unknown, Err(CallError::Refused { .. })), unknown)
}

async fn prompts(peer: &Peer) -> Result<()> {
    let simple = peer.client.get_prompt("simple-prompt").await?;
    expect(simple.messages.len() == 1, simple)?;
    let arguments = Map::from([("city", "Oslo".to_owned())]);
    let prompt = peer
        .client
        .get_prompt("args-prompt")
        .arguments(arguments)
        .await?;
    let text = serde_json::to_string(&prompt)?;
    expect(text.contains("Oslo"), text)?;
    let arguments = Map::from([
        ("resourceType", "Text".to_owned()),
        ("resourceId", "1".to_owned()),
    ]);
    let prompt = peer
        .client
        .get_prompt("resource-prompt")
        .arguments(arguments)
        .await?;
    let text = serde_json::to_string(&prompt)?;
    expect(text.contains(r#""type":"resource""#), text)
}

async fn completion(peer: &Peer) -> Result<()> {
    let prompt = PromptReference::new("completable-prompt");
    let argument = CompletionArgument::new("department", "S");
    let params = CompleteRequestParams::new(prompt, argument, peer.client.meta());
    let found = peer.client.request::<CompleteRequest>(params).await?;
    expect(found.completion.values == ["Sales", "Support"], &found)
}

async fn context(peer: &Peer) -> Result<()> {
    let prompt = PromptReference::new("completable-prompt");
    let known = Map::from([("department", "Sales".to_owned())]);
    let argument = CompletionArgument::new("name", "");
    let params = CompleteRequestParams::new(prompt, argument, peer.client.meta());
    let params = params.context(CompletionContext::new().arguments(known));
    let found = peer.client.request::<CompleteRequest>(params).await?;
    expect(found.completion.values == ["David", "Eve", "Frank"], &found)
}

async fn logs(peer: &Peer) -> Result<()> {
    // The server sends the notification after a subscription.
    let filter = SubscriptionFilter::new()
        .resource_subscriptions(vec!["demo://resource/dynamic/text/7".to_owned()]);
    let mut subscription = peer.client.listen(filter);
    let listening = subscription.next().await.ok_or("no subscription")??;
    expect(
        matches!(listening, SubscriptionEvent::Listening(_)),
        listening,
    )?;
    let logs = peer.logs.next().await;
    expect(!logs.is_empty(), "no logs")
}

async fn subscription(peer: &Peer) -> Result<()> {
    let uri = "demo://resource/dynamic/text/2";
    let filter = SubscriptionFilter::new().resource_subscriptions(vec![uri.to_owned()]);
    let mut subscription = peer.client.listen(filter);
    let listening = subscription.next().await.ok_or("no subscription")??;
    expect(
        matches!(listening, SubscriptionEvent::Listening(_)),
        listening,
    )?;
    peer.text("toggle-subscriber-updates", Object::new())
        .await?;
    let event = subscription.next().await.ok_or("no event")??;
    peer.text("toggle-subscriber-updates", Object::new())
        .await?;
    match event {
        SubscriptionEvent::ResourceUpdated(params) => expect(params.uri == uri, params),
        other => Err(format!("{other:?}").into()),
    }
}

async fn form(peer: &Peer) -> Result<()> {
    let text = peer
        .text("trigger-elicitation-request", Object::new())
        .await?;
    expect(text.contains("Ada") && text.contains("42"), text)
}

async fn page(peer: &Peer) -> Result<()> {
    let url = "https://example.com/one";
    let arguments = Object::from([("url", url)]);
    let text = peer.text("trigger-url-elicitation", arguments).await?;
    expect(text.contains("completed"), text)?;
    let pages = peer.pages.next().await;
    expect(pages == [url], pages)
}

async fn page_before(peer: &Peer) -> Result<()> {
    let url = "https://example.com/two";
    let mut arguments = Object::from([("url", url), ("elicitationId", "two")]);
    arguments.insert("errorPath", true);
    let text = peer.text("trigger-url-elicitation", arguments).await?;
    expect(text.contains("completed"), text)?;
    let pages = peer.pages.next().await;
    expect(pages == ["https://modelcontextprotocol.io", url], pages)
}

async fn model(peer: &Peer) -> Result<()> {
    let arguments = Object::from([("prompt", "Say hello")]);
    let text = peer.text("trigger-sampling-request", arguments).await?;
    expect(text.contains(MODEL), text)
}

async fn roots(peer: &Peer) -> Result<()> {
    let text = peer.text("get-roots-list", Object::new()).await?;
    expect(text.contains("file://"), text)
}

async fn many(peer: &Peer) -> Result<()> {
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..200 {
        let client = peer.client.clone();
        calls.spawn(async move {
            let arguments = Object::from([("a", number), ("b", 1)]);
            let result = client.call_tool("get-sum").arguments(arguments).await;
            result.map(|result| (number, crate::peer::texts(&result.content)))
        });
    }
    while let Some(call) = calls.join_next().await {
        let (number, text) = call??;
        expect(text.contains(&format!(" {}.", number + 1)), text)?;
    }
    Ok(())
}
