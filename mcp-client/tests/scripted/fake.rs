//! A server that answers as a test defines, line by line.

use mcp_client::types::json::{self, Object, Value};
use mcp_client::types::{Revision, rpc};
use mcp_client::{ByteStream, Client, ClientBuilder};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::sync::mpsc;

/// A client, and the requests that its server received after the connection was made.
pub(crate) struct FakeStream {
    pub(crate) client: Client,
    asked: mpsc::UnboundedReceiver<(String, Object)>,
    say: mpsc::UnboundedSender<String>,
}

impl FakeStream {
    /// Connects to a server that supports one revision. `answer` gets method and params and returns
    /// the text of the response's `result` or `error` member, including its name.
    pub(crate) async fn connect(
        revision: Revision,
        builder: ClientBuilder,
        answer: impl FnMut(&str, &Object) -> String + Send + 'static,
    ) -> Self {
        Self::announcing("{}", revision, builder, answer).await
    }

    /// Connects to a server that describes itself like this, as JSON.
    pub(crate) async fn describing(
        info: &'static str,
        revision: Revision,
        builder: ClientBuilder,
    ) -> Self {
        Self::start("{}", info, revision, builder, |_, _| String::new()).await
    }

    /// Connects to a server that announces proposals, as JSON, if its revision has no sessions.
    pub(crate) async fn announcing(
        proposals: &'static str,
        revision: Revision,
        builder: ClientBuilder,
        answer: impl FnMut(&str, &Object) -> String + Send + 'static,
    ) -> Self {
        let info = r#"{"name":"fake","version":"1"}"#;
        Self::start(proposals, info, revision, builder, answer).await
    }

    async fn start(
        proposals: &'static str,
        info: &'static str,
        revision: Revision,
        builder: ClientBuilder,
        answer: impl FnMut(&str, &Object) -> String + Send + 'static,
    ) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (heard, asked) = mpsc::unbounded_channel();
        let (say, says) = mpsc::unbounded_channel();
        let described = Described {
            proposals,
            info,
            revision,
        };
        tokio::spawn(serve(theirs, described, heard, says, answer));
        let (reader, writer) = tokio::io::split(ours);
        let builder = builder.revision(revision);
        let client = builder.connect(ByteStream::new(reader, writer)).await;
        Self {
            client: client.expect("the server answers"),
            asked,
            say,
        }
    }

    /// Makes the server send a notification, and waits until the client has read it.
    pub(crate) async fn notify(&mut self, method: &str, params: &str) {
        let line = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#);
        self.say.send(line).expect("the server is running");
        // A later message on the same stream was read after it.
        let arguments = Object::from([("after", method)]);
        let call = self.client.call_tool("ping").arguments(arguments);
        drop(call.await);
        let asked = self.asked();
        assert_eq!(asked.len(), 1, "{asked:?}");
    }

    /// Returns the requests so far.
    pub(crate) fn asked(&mut self) -> Vec<(String, Object)> {
        std::iter::from_fn(|| self.asked.try_recv().ok()).collect()
    }
}

/// What a server says about itself.
struct Described {
    proposals: &'static str,
    info: &'static str,
    revision: Revision,
}

async fn serve(
    stream: DuplexStream,
    described: Described,
    heard: mpsc::UnboundedSender<(String, Object)>,
    mut says: mpsc::UnboundedReceiver<String>,
    mut answer: impl FnMut(&str, &Object) -> String,
) {
    let Described {
        proposals,
        info,
        revision,
    } = described;
    let (reader, mut writer) = tokio::io::split(stream);
    let mut lines = BufReader::new(reader).lines();
    let mut connected = false;
    loop {
        let line = tokio::select! {
            biased;
            Some(line) = says.recv() => {
                if writer.write_all(format!("{line}\n").as_bytes()).await.is_err() {
                    return;
                }
                continue;
            }
            line = lines.next_line() => line,
        };
        let Ok(Some(line)) = line else { return };
        let Ok(rpc::Message::Request {
            id, method, params, ..
        }) = rpc::parse_str(&line)
        else {
            continue;
        };
        let params = params.map(|params| json::from_str(params.get()).expect("params are JSON"));
        let params: Object = params.unwrap_or_default();
        let id = json::to_value(&id).expect("an id is JSON");
        let is_first = !std::mem::replace(&mut connected, true);
        let body = match &*method {
            "server/discover" if is_first => format!(
                r#""result":{{"resultType":"complete","supportedVersions":["{revision}"],"capabilities":{{"experimental":{proposals}}},"ttlMs":0,"cacheScope":"private","_meta":{{"io.modelcontextprotocol/serverInfo":{info}}}}}"#
            ),
            "initialize" => format!(
                r#""result":{{"protocolVersion":"{revision}","capabilities":{{}},"serverInfo":{info}}}"#
            ),
            method => {
                let body = answer(method, &params);
                let _ = heard.send((method.to_owned(), params));
                body
            }
        };
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{body}}}\n");
        if writer.write_all(line.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// Returns the member of an object, as text.
pub(crate) fn text<'a>(object: &'a Object, member: &str) -> Option<&'a str> {
    object.get(member).and_then(Value::as_str)
}
