//! [`Peer`]: a server, and the notifications that it has sent.

use std::env;
use std::error::Error;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_client::types::json::{Map, Object};
use mcp_client::types::{
    CallToolResult, ContentBlock, CreateMessageResult, ElicitAction, ElicitResult, LoggingLevel,
    LoggingMessageNotificationParams, Role, Root, SamplingMessageContentBlock, TextContent,
};
use mcp_client::{ChildProcess, Client, ClientBuilder, Http, Tasks};
use mcp_host::skills::SkillsHost;
use tokio::sync::Notify;
use url::Url;

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// The model in the responses to sampling requests.
pub(crate) const MODEL: &str = "a-model";

/// A connected server.
pub(crate) struct Peer {
    pub(crate) client: Client,
    pub(crate) logs: Received<LoggingMessageNotificationParams>,
    /// URLs of elicitations that the user was asked to open.
    pub(crate) pages: Received<String>,
}

impl Peer {
    /// Connects with the transport in the arguments.
    pub(crate) async fn connect(revision: &str, way: &[String]) -> Result<Self> {
        let (logs, pages) = (Received::default(), Received::default());
        let mut builder = builder(&logs, &pages)?;
        if revision != "any" {
            builder = builder.revision(revision.parse()?);
        }
        let way: Vec<&str> = way.iter().map(String::as_str).collect();
        let client = match way[..] {
            ["stdio", command, ref arguments @ ..] => {
                builder
                    .connect(ChildProcess::new(command).args(arguments))
                    .await?
            }
            ["http", url] => builder.connect(Http::new(url)).await?,
            _ => return Err("which way?".into()),
        };
        Ok(Self {
            client,
            logs,
            pages,
        })
    }

    pub(crate) fn name(&self) -> String {
        self.client
            .server_info()
            .map_or_else(|| "a server without a name".into(), |info| info.name)
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Object) -> Result<CallToolResult> {
        Ok(self.client.call_tool(tool).arguments(arguments).await?)
    }

    /// Returns the text of a tool's result.
    pub(crate) async fn text(&self, tool: &str, arguments: Object) -> Result<String> {
        let result = self.call(tool, arguments).await?;
        if result.is_error == Some(true) {
            return Err(format!("{tool}: {:?}", texts(&result.content)).into());
        }
        Ok(texts(&result.content))
    }
}

/// Joins the texts of contents.
pub(crate) fn texts(content: &[ContentBlock]) -> String {
    let texts = content.iter().filter_map(|block| match block {
        ContentBlock::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Returns a client with handlers for all requests of a server.
fn builder(
    logs: &Received<LoggingMessageNotificationParams>,
    pages: &Received<String>,
) -> Result<ClientBuilder> {
    let (logs, pages) = (logs.clone(), pages.clone());
    let root = Url::from_file_path(env::current_dir()?);
    let root = root.map_err(|()| "the folder has no URI")?.to_string();
    let builder = Client::builder("interop", "1.0.0")
        .extension(Tasks::new())
        .extension(SkillsHost::extension())
        .on_elicit_form(|asked| async move {
            let accepted = ElicitResult::new(ElicitAction::Accept);
            if asked.requested_schema.properties.contains_key("confirm") {
                return Ok(accepted.content(Map::from([("confirm", true)])));
            }
            Ok(accepted.content(Map::from([("name", "Ada".to_owned())])))
        })
        .on_elicit_url(move |asked| {
            pages.add(asked.url);
            async { Ok(ElicitResult::new(ElicitAction::Accept)) }
        })
        .on_sample(|_| async {
            let said = SamplingMessageContentBlock::from(TextContent::new("Hello."));
            Ok(CreateMessageResult::new(MODEL, Role::Assistant, said))
        })
        .on_roots(move || {
            let root = Root::new(root.clone());
            async { Ok(vec![root]) }
        })
        .on_log(LoggingLevel::Info, move |log| logs.add(log));
    Ok(builder)
}

/// Collected notifications, for which checks can wait.
pub(crate) struct Received<T> {
    inner: Arc<(Mutex<Vec<T>>, Notify)>,
}

impl<T> Clone for Received<T> {
    fn clone(&self) -> Self {
        let inner = Arc::clone(&self.inner);
        Self { inner }
    }
}

impl<T> Default for Received<T> {
    fn default() -> Self {
        let inner = Arc::new((Mutex::new(Vec::new()), Notify::new()));
        Self { inner }
    }
}

impl<T> Received<T> {
    pub(crate) fn add(&self, what: T) {
        let (all, added) = &*self.inner;
        all.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(what);
        added.notify_one();
    }

    /// Waits for at least one notification and returns all of them.
    pub(crate) fn next(&self) -> impl Future<Output = Vec<T>> {
        let inner = Arc::clone(&self.inner);
        async move {
            let (all, added) = &*inner;
            loop {
                let taken =
                    std::mem::take(&mut *all.lock().unwrap_or_else(PoisonError::into_inner));
                if !taken.is_empty() {
                    return taken;
                }
                added.notified().await;
            }
        }
    }
}
