//! The features that are tested with each combination.

use std::error::Error;
use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use mcp_client::types::json::{Map, Object};
use mcp_client::types::{
    CallToolResult, CompleteRequest, CompleteRequestParams, CompletionArgument, ContentBlock,
    CreateMessageResult, ElicitAction, ElicitResult, LoggingLevel, PromptReference, Revision, Role,
    Root, SamplingMessageContentBlock, SubscriptionFilter, TextContent,
};
use mcp_client::{CallError, Client, SubscriptionEvent};
use tokio::sync::{Mutex, mpsc};

use super::ways::Way;

type Result<T> = std::result::Result<T, Box<dyn Error>>;
type Checking<'a> = Pin<Box<dyn Future<Output = Result<()>> + 'a>>;

/// A feature of the protocol.
pub(crate) struct Feature {
    pub(crate) name: &'static str,
    /// The first revision that has it.
    pub(crate) since: Revision,
    /// The messages that it needs and that a later revision may lack.
    needs: &'static [&'static str],
    pub(crate) check: fn(&Pair) -> Checking<'_>,
}

const FIRST: Revision = Revision::V2024_11_05;

macro_rules! features {
    ($($name:literal, $since:expr, $check:ident $(, $needs:literal)?;)*) => {
        &[$(Feature {
            name: $name,
            since: $since,
            needs: &[$($needs)?],
            check: |peer| Box::pin($check(peer)),
        }),*]
    };
}

impl Feature {
    pub(crate) fn is_in(&self, revision: Revision) -> bool {
        let has = |method: &&str| revision.has_method(method);
        revision >= self.since && self.needs.iter().all(has)
    }
}

/// All features.
pub(crate) const FEATURES: &[Feature] = features! {
    "the server says who it is", FIRST, introduction;
    "lists in pages", FIRST, lists;
    "a call with text and an error", FIRST, calls;
    "pictures", FIRST, pictures;
    "sounds", Revision::V2025_03_26, sounds;
    "structured content", Revision::V2025_06_18, structured;
    "resource links", Revision::V2025_06_18, links;
    "icons", Revision::V2025_11_25, icons;
    "progress", FIRST, progress;
    "cancelled calls", FIRST, cancellation;
    "resources", FIRST, resources;
    "prompts", FIRST, prompts;
    "completion", FIRST, completion, "completion/complete";
    "logs", FIRST, logs, "notifications/message";
    "forms", Revision::V2025_06_18, forms;
    "pages for the user", Revision::V2025_11_25, pages;
    "sampling", FIRST, sampling, "sampling/createMessage";
    "roots", FIRST, roots, "roots/list";
    "subscriptions", FIRST, subscriptions;
    "many calls at once", FIRST, many;
};

/// A connected server, and its logs.
pub(crate) struct Pair {
    pub(crate) client: Client,
    logs: Mutex<mpsc::UnboundedReceiver<LoggingLevel>>,
}

impl Pair {
    pub(crate) async fn connect(way: Way, revision: Option<Revision>) -> Self {
        let (sender, logs) = mpsc::unbounded_channel();
        let mut builder = Client::builder("matrix", "1.0.0")
            .on_elicit_form(|form| async move {
                assert_eq!(form.message, "Name?");
                let content = Map::from([("name", "Ada".to_owned())]);
                Ok(ElicitResult::new(ElicitAction::Accept).content(content))
            })
            .on_elicit_url(|page| async move {
                assert_eq!(page.url, "https://example.com/login");
                Ok(ElicitResult::new(ElicitAction::Accept))
            })
            .on_sample(|params| async move {
                assert_eq!(params.max_tokens, 10);
                let said = SamplingMessageContentBlock::from(TextContent::new("Hello."));
                Ok(CreateMessageResult::new("a-model", Role::Assistant, said))
            })
            .on_roots(|| async { Ok(vec![Root::new("file:///a"), Root::new("file:///b")]) })
            .on_log(LoggingLevel::Warning, move |log| {
                let _ = sender.send(log.level);
            });
        if let Some(revision) = revision {
            builder = builder.revision(revision);
        }
        Self {
            client: way.connect(builder).await,
            logs: Mutex::new(logs),
        }
    }

    async fn call(&self, tool: &str, arguments: Object) -> Result<CallToolResult> {
        Ok(self.client.call_tool(tool).arguments(arguments).await?)
    }

    async fn text(&self, tool: &str) -> Result<String> {
        let result = self.call(tool, Object::new()).await?;
        match &*result.content {
            [ContentBlock::Text(text)] if result.is_error != Some(true) => Ok(text.text.clone()),
            _ => Err(format!("{result:?}").into()),
        }
    }
}

fn expect(right: bool, found: impl std::fmt::Debug) -> Result<()> {
    if right {
        Ok(())
    } else {
        Err(format!("found {found:?}").into())
    }
}

fn introduction(peer: &Pair) -> Ready<Result<()>> {
    ready(introduced(peer))
}

fn introduced(peer: &Pair) -> Result<()> {
    let info = peer.client.server_info().ok_or("no name")?;
    expect(info.name == "matrix", &info)?;
    // It was added by this revision.
    let titled = peer.client.revision() >= Revision::V2025_06_18;
    expect(info.title.is_some() == titled, &info)?;
    let instructions = peer.client.instructions();
    expect(
        instructions.as_deref() == Some("Use all of it."),
        instructions,
    )
}

async fn lists(peer: &Pair) -> Result<()> {
    let tools = peer.client.tools().all().await?;
    expect(
        tools.items.len() == 13 && tools.faults.is_empty(),
        tools.items.len(),
    )?;
    let resources = peer.client.resources().all().await?;
    let uris: Vec<_> = resources
        .items
        .iter()
        .map(|item| item.uri.as_str())
        .collect();
    let mut expected = vec!["test://text".to_owned(), "test://bytes".to_owned()];
    expected.extend((0..10).map(|number| format!("test://page/{number}")));
    expect(uris == expected, &uris)?;
    let templates = peer.client.resource_templates().all().await?;
    expect(templates.items.len() == 1, &templates.items)?;
    let prompts = peer.client.prompts().all().await?;
    expect(prompts.items.len() == 1, &prompts.items)
}

async fn calls(peer: &Pair) -> Result<()> {
    let sum = peer
        .call("add", Object::from([("a", 1.5), ("b", 2.0)]))
        .await?;
    let text = serde_json::to_string(&sum.content)?;
    expect(text.contains("3.5"), text)?;
    let failed = peer.call("fail", Object::new()).await?;
    expect(failed.is_error == Some(true), failed)?;
    let wrong = peer.client.call_tool("no-such-tool").await;
    expect(
        matches!(&wrong, Err(CallError::Refused { source, .. }) if source.code == -32602),
        wrong,
    )
}

async fn pictures(peer: &Pair) -> Result<()> {
    let media = peer.call("media", Object::new()).await?;
    expect(
        matches!(media.content.first(), Some(ContentBlock::Image(_))),
        media,
    )
}

async fn sounds(peer: &Pair) -> Result<()> {
    let media = peer.call("media", Object::new()).await?;
    expect(
        matches!(media.content.get(1), Some(ContentBlock::Audio(_))),
        media,
    )
}

async fn structured(peer: &Pair) -> Result<()> {
    let sum = peer
        .call("add", Object::from([("a", 1.5), ("b", 2.0)]))
        .await?;
    let found = sum
        .structured_content
        .as_ref()
        .and_then(|sum| sum.get("sum")?.as_f64());
    expect(found == Some(3.5), sum)
}

async fn links(peer: &Pair) -> Result<()> {
    let result = peer.call("link", Object::new()).await?;
    expect(
        matches!(&*result.content, [ContentBlock::ResourceLink(_)]),
        result,
    )
}

async fn icons(peer: &Pair) -> Result<()> {
    let tools = peer.client.tools().all().await?.items;
    let add = tools
        .iter()
        .find(|tool| tool.name == "add")
        .ok_or("no tool")?;
    expect(
        add.icons.as_ref().is_some_and(|icons| icons.len() == 1),
        add,
    )
}

async fn progress(peer: &Pair) -> Result<()> {
    let (sender, mut heard) = mpsc::unbounded_channel();
    let call = peer
        .client
        .call_tool("count")
        .arguments(Object::from([("steps", 3)]));
    call.on_progress(move |progress| {
        let _ = sender.send(progress.progress.as_f64());
    })
    .await?;
    // Some reports are omitted if they are made faster than they are sent, but not the first.
    let first = heard.recv().await;
    expect(first == Some(Some(1.0)), first)
}

async fn cancellation(peer: &Pair) -> Result<()> {
    let before: usize = peer.text("dropped").await?.parse()?;
    let never = || peer.client.call_tool("never");
    let dropped = tokio::time::timeout(Duration::from_millis(30), never().into_future());
    expect(dropped.await.is_err(), "an answer")?;
    let late = never().timeout(Duration::from_millis(30)).await;
    expect(matches!(late, Err(CallError::Timeout { .. })), late)?;
    // The server is notified and cancels its handler.
    while peer.text("dropped").await?.parse::<usize>()? < before + 2 {
        tokio::task::yield_now().await;
    }
    Ok(())
}

async fn resources(peer: &Pair) -> Result<()> {
    for (uri, expected) in [
        ("test://text", r#""text":"some text""#),
        ("test://bytes", r#""blob":"AAEC""#),
        ("test://item/seven", r#""text":"seven""#),
    ] {
        let read = peer.client.read_resource(uri).await?;
        let text = serde_json::to_string(&read.contents)?;
        expect(text.contains(expected), text)?;
    }
    let unknown = peer.client.read_resource("test://no/such").await;
    expect(matches!(unknown, Err(CallError::Refused { .. })), unknown)
}

async fn prompts(peer: &Pair) -> Result<()> {
    let arguments = Map::from([("name", "Ada".to_owned())]);
    let prompt = peer.client.get_prompt("hello").arguments(arguments).await?;
    let text = serde_json::to_string(&prompt)?;
    expect(text.contains("hello to Ada"), text)
}

async fn completion(peer: &Pair) -> Result<()> {
    let argument = CompletionArgument::new("name", "A");
    // As a request of the method table, so that this compiles whatever the newest revision calls
    // it.
    let prompt = PromptReference::new("hello");
    let params = CompleteRequestParams::new(prompt, argument, peer.client.meta());
    let found = peer.client.request::<CompleteRequest>(params).await?;
    expect(found.completion.values == ["Ada", "Alan"], &found)
}

async fn logs(peer: &Pair) -> Result<()> {
    peer.text("log").await?;
    let level = peer.logs.lock().await.recv().await;
    expect(level == Some(LoggingLevel::Error), level)
}

async fn forms(peer: &Pair) -> Result<()> {
    let text = peer.text("form").await?;
    expect(text.contains("Ada") && text.contains("true"), text)
}

async fn pages(peer: &Pair) -> Result<()> {
    let text = peer.text("page").await?;
    expect(text == "true", text)
}

async fn sampling(peer: &Pair) -> Result<()> {
    let text = peer.text("sample").await?;
    expect(text == "a-model", text)
}

async fn roots(peer: &Pair) -> Result<()> {
    let text = peer.text("roots").await?;
    expect(text == "file:///afile:///b", text)
}

async fn subscriptions(peer: &Pair) -> Result<()> {
    let filter = SubscriptionFilter::new()
        .tools_list_changed(true)
        .resource_subscriptions(vec!["test://text".to_owned()]);
    let mut changes = peer.client.listen(filter.clone());
    let listening = changes.next().await.ok_or("the end")??;
    expect(
        matches!(&listening, SubscriptionEvent::Listening(honoured) if *honoured == filter),
        listening,
    )?;
    peer.text("change").await?;
    let event = changes.next().await.ok_or("the end")??;
    expect(matches!(event, SubscriptionEvent::ToolListChanged), event)?;
    let event = changes.next().await.ok_or("the end")??;
    expect(
        matches!(&event, SubscriptionEvent::ResourceUpdated(params) if params.uri == "test://text"),
        event,
    )
}

async fn many(peer: &Pair) -> Result<()> {
    let client = Arc::new(peer.client.clone());
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..50 {
        let client = Arc::clone(&client);
        calls.spawn(async move {
            let arguments = Object::from([("a", f64::from(number)), ("b", 0.5)]);
            let result = client.call_tool("add").arguments(arguments).await;
            result.map(|result| (number, serde_json::to_string(&result.content)))
        });
    }
    while let Some(call) = calls.join_next().await {
        let (number, text) = call??;
        let text = text?;
        expect(text.contains(&format!("{number}.5")), text)?;
    }
    Ok(())
}
