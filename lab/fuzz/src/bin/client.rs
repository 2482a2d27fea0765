//! A client, and a server that sends arbitrary lines: the client connects or returns an error, and
//! all its calls end.
//!
//! The server sends a line after each request of the client. In a line, `@` is replaced by the id
//! of the latest request. After a line that ends with `&`, the server sends the next one
//! immediately.
#![no_main]

use fuzz::world::{run, settle};
use libfuzzer_sys::fuzz_target;
use mcp_client::types::json::Object;
use mcp_client::types::{
    ElicitAction, ElicitRequestFormParams, ElicitResult, LoggingLevel, SubscriptionFilter,
};
use mcp_client::{ByteStream, Client, ConnectError, Limits};
use mcp_types::json;
use mcp_types::rpc::{self, Message};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex, split};

fuzz_target!(|bytes: &[u8]| run(async {
    let (ours, theirs) = duplex(1 << 16);
    let (connected, ()) = tokio::join!(work(ours), speak(theirs, bytes));
    if let Err(error) = connected {
        assert!(!error.to_string().is_empty());
    }
}));

async fn work(stream: DuplexStream) -> Result<(), ConnectError> {
    let mut limits = Limits::default();
    limits.message_bytes = 4096;
    limits.list_pages = 4;
    limits.rounds = 3;
    let builder = Client::builder("fuzz", "1").limits(limits);
    let builder = builder
        .on_elicit_form(|_: ElicitRequestFormParams| async {
            Ok(ElicitResult::new(ElicitAction::Accept))
        })
        .on_roots(|| async { Ok(Vec::new()) })
        .on_log(LoggingLevel::Info, |_| {});
    let client = builder.connect(ByteStream::of(stream)).await?;
    let _ = client.tools().all().await;
    let arguments = Object::from([("city", "Bern")]);
    let _ = client.call_tool("weather").arguments(arguments).await;
    let _ = client.get_prompt("greet").await;
    let _ = client.read_resource("text://a").await;
    let _ = client.resources().all().await;
    let mut events = client.listen(SubscriptionFilter::new().tools_list_changed(true));
    for _ in 0..3 {
        let waits = std::time::Duration::from_secs(100);
        if !matches!(
            tokio::time::timeout(waits, events.next()).await,
            Ok(Some(Ok(_)))
        ) {
            break;
        }
    }
    client.close().await;
    Ok(())
}

async fn speak(stream: DuplexStream, bytes: &[u8]) {
    let (reader, mut writer) = split(stream);
    let mut asked = BufReader::new(reader).lines();
    let mut said = bytes.split(|byte| *byte == b'\n');
    while let Ok(Some(line)) = asked.next_line().await {
        let message = rpc::parse_str(&line).expect("the client writes messages");
        let Message::Request { id, .. } = message else {
            continue;
        };
        let id = json::to_string(&id).expect("an id");
        loop {
            let Some(line) = said.next() else {
                // The output ends when no lines are left.
                return;
            };
            let more = line.strip_suffix(b"&");
            let mut answer = Vec::new();
            for (at, part) in more.unwrap_or(line).split(|byte| *byte == b'@').enumerate() {
                if at > 0 {
                    answer.extend_from_slice(id.as_bytes());
                }
                answer.extend_from_slice(part);
            }
            answer.push(b'\n');
            if writer.write_all(&answer).await.is_err() {
                return;
            }
            if more.is_none() {
                break;
            }
            settle().await;
        }
    }
}
