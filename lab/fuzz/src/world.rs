//! A server with all kinds of handlers, and a paused clock that advances only when all tasks wait.

use std::future::Future;
use std::sync::OnceLock;
use std::time::Duration;

use bytes::Bytes;
use mcp_server::types::json::{Map, Object};
use mcp_server::types::{BooleanSchema, StringSchema};
use mcp_server::{
    ByteStream, Completing, Context, Elicited, Form, Keys, Limits, ResourceUri, Server, TemplateDef,
};
use mcp_server::{HandlerError, ResourceDef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex, split};
use tokio::time::{sleep, timeout};

/// Size limit of a message, small enough that inputs exceed it.
pub const MESSAGE: usize = 2048;
/// The maximum number of messages in a batch.
pub const BATCH: usize = 4;

/// Runs a future to its end, for at most a day of the paused clock. Tasks that it spawned are
/// dropped afterwards.
///
/// # Panics
///
/// Panics if the future does not end in this time.
pub fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    let day = Duration::from_secs(86_400);
    runtime.block_on(async {
        timeout(day, future)
            .await
            .expect("the future ends within a day")
    })
}

/// Yields until all other tasks are idle.
pub async fn settle() {
    sleep(Duration::from_millis(1)).await;
}

/// Builds the server.
///
/// # Panics
///
/// Never panics.
pub fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| built().expect("a server"))
}

/// Arguments, some of which are repeated in headers.
#[derive(Deserialize, JsonSchema, Serialize)]
struct Forecast {
    #[schemars(extend("x-mcp-header" = "City"))]
    city: String,
    #[schemars(extend("x-mcp-header" = "Days"))]
    #[serde(default)]
    days: i64,
    near: Option<Vec<f64>>,
}

#[derive(Deserialize, JsonSchema, Serialize)]
struct Person {
    name: Option<String>,
}

fn built() -> Result<Server, Box<dyn std::error::Error>> {
    let mut limits = Limits::default();
    limits.message_bytes = MESSAGE;
    limits.batch = BATCH;
    let template = TemplateDef::new("note://{shelf}/{+path}{?page,lines}", "note").handler(
        |variables: Map<String>, ResourceUri(uri): ResourceUri| async move {
            format!("{uri} {variables:?}")
        },
    );
    let server = Server::builder("fuzz", "1")
        .limits(limits)
        .keys(Keys::from_bytes([7; 32]))
        .page_size(1)
        .tool(
            "weather",
            "Says what was asked",
            async |asked: Forecast| -> Result<_, HandlerError> {
                Ok(serde_json::to_string(&asked)?)
            },
        )
        .tool("ask", "Asks twice", |(), cx: Context| ask(cx))
        .tool("shout", "Says how far it is", |(), cx: Context| shout(cx))
        .prompt(
            "greet",
            "Greets",
            async |who: Person| -> Result<_, HandlerError> { Ok(serde_json::to_string(&who)?) },
        )
        .add_resource(ResourceDef::text("text://a", "a", "A"))
        .add_resource(ResourceDef::bytes("text://b", "b", [0, 255]))
        .add_resource_template(template)
        .complete_resource(
            "note://{shelf}/{+path}{?page,lines}",
            "shelf",
            |typing: Completing| async move { vec![typing.value.repeat(2)] },
        )
        .build()?;
    Ok(server)
}

async fn ask(cx: Context) -> Result<String, HandlerError> {
    let name = Form::new("Who?").required("name", StringSchema::new().max_length(5));
    let name = cx.elicit(name).key("who").await?;
    let sure = Form::new("Sure?").required("sure", BooleanSchema::new());
    match (name, cx.elicit(sure).await?) {
        (Elicited::Accepted(name), Elicited::Accepted(sure)) => {
            let (name, sure): (Object, Object) = (name, sure);
            Ok(format!("{name:?} {sure:?}"))
        }
        _ => Ok("no".to_owned()),
    }
}

async fn shout(cx: Context) -> Result<String, HandlerError> {
    for step in 0..3 {
        cx.progress(f64::from(step), 3.0, "step").await?;
        settle().await;
    }
    cx.server().tools_changed();
    Ok("done".to_owned())
}

/// Returns what the server writes to a peer that sends these pieces. The next piece is sent when
/// the server is idle; then the input ends.
///
/// # Panics
///
/// Panics if serving fails.
pub async fn exchange<'a>(server: &Server, pieces: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let (ours, theirs) = duplex(1 << 16);
    let (reader, writer) = split(theirs);
    let (mut from, mut to) = split(ours);
    let mut heard = Vec::new();
    let say = async {
        for piece in pieces {
            if to.write_all(piece).await.is_err() {
                return;
            }
            settle().await;
        }
        let _ = to.shutdown().await;
    };
    let (ended, read, ()) = tokio::join!(
        async { server.serve(ByteStream::new(reader, writer)).await },
        from.read_to_end(&mut heard),
        say,
    );
    ended.expect("the server ends without an error");
    read.expect("the output is readable");
    heard
}

/// Returns a request of the newest revision, from a client that supports elicitation and sampling.
#[must_use]
pub fn request(id: u32, method: &str, params: &str) -> String {
    let comma = if params.is_empty() { "" } else { "," };
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{{"name":"f","version":"1"}},"io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{"form":{{}}}}}}}}{comma}{params}}}}}"#
    )
}

/// A body that consists of several pieces.
#[derive(Debug)]
pub struct Pieces(pub std::vec::IntoIter<Bytes>);

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<http_body::Frame<Bytes>, Self::Error>>> {
        let piece = self.0.next();
        std::task::Poll::Ready(piece.map(|piece| Ok(http_body::Frame::data(piece))))
    }
}
