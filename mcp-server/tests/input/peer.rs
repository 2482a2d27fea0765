//! A client that answers input requests, and handlers that send them.

use std::future::IntoFuture;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use mcp_server::types::{
    BooleanSchema, CallToolOutcome, CallToolRequest, CallToolRequestParams, CallToolResult,
    CompleteRequest, CompleteResult, CreateMessageRequestParams, Role, SamplingMessage,
    SamplingMessageContentBlock, StringSchema, TextContent,
};
use mcp_server::{
    Context, Elicited, Extensions, Form, HandlerError, Params, Server, ServerBuilder,
};
use serde_json::{Value, json};

pub(crate) use crate::support::peer::{Peer, text};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    #[schemars(length(min = 1))]
    name: String,
}

/// Counts how often the cached work ran.
pub(crate) type Count = Arc<AtomicU32>;

pub(crate) fn builder(count: &Count) -> ServerBuilder {
    let count = Arc::clone(count);
    Server::builder("input", "1")
        .on(
            move |Params(params): Params<CallToolRequest>, cx: Context| {
                tool(params, cx, Arc::clone(&count))
            },
        )
        .on(complete)
}

async fn complete(_: Params<CompleteRequest>, cx: Context) -> Result<CompleteResult, HandlerError> {
    match cx.roots().await {
        Ok(_) => Err(HandlerError::internal("asked")),
        Err(error) => Err(HandlerError::internal(format!("refused: {error}"))),
    }
}

async fn tool(
    params: CallToolRequestParams,
    cx: Context,
    count: Count,
) -> Result<CallToolOutcome, HandlerError> {
    let text = match &*params.name {
        "greet" => greet(&cx).await?,
        "together" => together(&cx).await?,
        "once" => {
            let work = async { Ok(count.fetch_add(1, Ordering::SeqCst) + 1) };
            let number = cx.once("number", work).await?;
            let sure = Form::new(format!("Take {number}?")).required("ok", BooleanSchema::new());
            let answer = cx.elicit(sure).await?;
            format!("{number}: {}", json(&answer)?)
        }
        "spawned" => {
            let asking = cx.clone();
            tokio::spawn(async move { greet(&asking).await }).await??
        }
        "roots" => cx.roots().await?.len().to_string(),
        "page" => {
            let answer = cx.elicit_url("Please sign in", "https://example.com/in", "in-1");
            let answer = answer.await?;
            cx.elicitation_complete("in-1").await?;
            format!("{answer:?}")
        }
        "impatient" => {
            let asked = cx.elicit(form()).into_future();
            match tokio::time::timeout(std::time::Duration::from_millis(1), asked).await {
                Ok(_) => "answered".to_owned(),
                Err(_) => "gave up".to_owned(),
            }
        }
        "stubborn" => {
            let first = cx.elicit(form()).await.err();
            let second = cx.elicit(form()).await.err();
            format!("{first:?} {second:?}")
        }
        "twice" => {
            cx.elicit(form()).key("a").await?;
            cx.elicit(form()).key("a").await?;
            String::new()
        }
        other => return Err(HandlerError::invalid_params(format!("no tool `{other}`"))),
    };
    Ok(CallToolResult::new([TextContent::new(text).into()]).into())
}

fn form() -> Form<mcp_server::types::json::Object> {
    Form::new("Well?").required("word", StringSchema::new().max_length(5))
}

fn json<T: serde::Serialize>(answer: &Elicited<T>) -> Result<String, HandlerError> {
    Ok(match answer {
        Elicited::Accepted(value) => serde_json::to_string(value)?,
        Elicited::Declined => "declined".to_owned(),
        Elicited::Cancelled => "cancelled".to_owned(),
    })
}

async fn greet(cx: &Context) -> Result<String, HandlerError> {
    let form = Form::<Name>::of("What is your name?");
    let Elicited::Accepted(Name { name }) = cx.elicit(form).key("user_name").await? else {
        return Ok("no name".to_owned());
    };
    let form = Form::new(format!("Which word, {name}?")).required("word", StringSchema::new());
    let word = cx.elicit(form).await?;
    Ok(format!("{name}: {}", json(&word)?))
}

async fn together(cx: &Context) -> Result<String, HandlerError> {
    let prompt = SamplingMessageContentBlock::Text(TextContent::new("Say something"));
    let params = CreateMessageRequestParams::new([SamplingMessage::new(Role::User, prompt)], 50);
    let (word, said, roots) = tokio::join!(
        cx.elicit(form()).into_future(),
        cx.sample(params).key("said").into_future(),
        cx.roots().into_future(),
    );
    let (word, said, roots) = (json(&word?)?, said?.model, roots?.len());
    Ok(format!("{word} {said} {roots}"))
}

/// The default capabilities of these clients.
pub(crate) fn everything() -> Value {
    json!({ "elicitation": { "form": {}, "url": {} }, "sampling": { "tools": {} }, "roots": {} })
}

/// Connects a peer with these capabilities.
pub(crate) fn connect(server: &Server) -> Peer {
    connect_with(server, Extensions::new())
}

/// Connects a peer over a stream with extensions.
pub(crate) fn connect_with(server: &Server, extensions: Extensions) -> Peer {
    let mut peer = Peer::over(server, |stream| stream.extensions(extensions));
    peer.capabilities = everything();
    peer
}

pub(crate) fn accept(content: Value) -> Value {
    let mut answer = json!({ "action": "accept" });
    answer["content"] = content;
    answer
}
