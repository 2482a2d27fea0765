//! [`AppsHost`]: which tools the model and the apps of a server may call, and the apps.

use std::fmt;
use std::sync::Arc;

use mcp_extensions::apps::{
    IDENTIFIER, MIME_TYPE, SCHEME, UiToolMeta, UiToolVisibility, is_app_type,
};
use mcp_types::error::DecodeError;
use mcp_types::json::{self, Object, Value};
use mcp_types::uri::is_equivalent;
use mcp_types::{
    AnyResourceContents, CallToolRequest, CallToolRequestParams, ListResourcesRequest, MetaObject,
    PaginatedRequestParams, ReadResourceRequest, ReadResourceRequestParams, Tool,
};

use super::app::App;
use super::error::AppError;
use mcp_client::Call;
use mcp_client::CallError;
use mcp_client::Client;
use mcp_client::ClientExtension;

/// The default limit of the size of a document.
const MAX_BYTES: usize = 8 << 20;

/// The key that older servers use in place of `ui`.
const OLD_KEY: &str = "ui/resourceUri";

/// The tools of a server, for the model and for apps, and the apps that belong to them.
///
/// The tools are those at the time of [`load`](Self::load): when the list changes, call it again. Apps
/// that were opened before stay usable with the new value.
#[derive(Clone)]
pub struct AppsHost {
    client: Client,
    tools: Arc<[Tool]>,
    max_bytes: usize,
}

impl AppsHost {
    /// Lists the tools of the server.
    ///
    /// # Errors
    ///
    /// The list of tools cannot be requested.
    pub async fn load(client: &Client) -> Result<Self, CallError> {
        let tools = client.tools().all().await?.items;
        Ok(Self {
            client: client.clone(),
            tools: tools.into(),
            max_bytes: MAX_BYTES,
        })
    }

    /// Returns the extension, for [`ClientBuilder::extension`](mcp_client::ClientBuilder::extension). It
    /// announces that the host shows apps. Servers need not offer apps to other clients.
    pub fn extension() -> ClientExtension {
        let types = Value::from([MIME_TYPE]);
        ClientExtension::new(IDENTIFIER).settings(&Object::from([("mimeTypes", types)]))
    }

    /// Sets the maximum size of the document of an app: 8 MiB by default.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Returns all tools, those for apps alone included.
    #[must_use]
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// Returns the tools for the model. Tools for apps alone are left out, and those whose metadata is
    /// malformed.
    pub fn model_tools(&self) -> impl Iterator<Item = &Tool> {
        self.tools
            .iter()
            .filter(|tool| is_visible(tool, UiToolVisibility::Model))
    }

    /// Reads the app that shows the results of a tool, and checks its media type, its size and its
    /// domains.
    ///
    /// # Errors
    ///
    /// See [`AppError`].
    pub async fn open(&self, tool: &str) -> Result<App, AppError> {
        let uri = self.uri(tool)?;
        let params = ReadResourceRequestParams::new(&*uri, self.client.meta());
        let call = self.client.request::<ReadResourceRequest>(params);
        let contents = <[AnyResourceContents; 1]>::try_from(call.await?.contents);
        let Ok([content]) = contents else {
            return Err(AppError::Contents { uri });
        };
        if !is_equivalent(content.uri(), &uri) {
            return Err(AppError::Contents { uri });
        }
        let (html, media_type, meta) = match content {
            AnyResourceContents::Text(text) => (Some(text.text), text.mime_type, text.meta),
            AnyResourceContents::Blob(blob) => {
                let bytes = blob.blob.decode().ok();
                let html = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
                (html, blob.mime_type, blob.meta)
            }
            _ => (None, None, None),
        };
        let found = media_type.unwrap_or_default();
        if !is_app_type(&found) {
            return Err(AppError::MediaType { uri, found });
        }
        let Some(html) = html else {
            return Err(AppError::Contents { uri });
        };
        let (found, limit) = (html.len(), self.max_bytes);
        if found > limit {
            return Err(AppError::TooLarge { uri, limit, found });
        }
        let ui = match ui_of(meta.as_ref()) {
            Some(ui) => Some(ui.clone()),
            None => self.listed_ui(&uri).await?,
        };
        let ui = ui.unwrap_or_else(|| Object::new().into());
        let meta = match json::from_value(ui) {
            Ok(meta) => meta,
            Err(source) => return Err(AppError::Meta { uri, source }),
        };
        let app = App {
            uri,
            html,
            meta,
            connection: self.client.connection_id(),
        };
        match app.meta.check() {
            Ok(()) => Ok(app),
            Err(source) => {
                let uri = app.uri;
                Err(AppError::Domain { uri, source })
            }
        }
    }

    /// Returns the call of a tool that the model requests. A model may name a tool that it was not
    /// offered.
    ///
    /// # Errors
    ///
    /// [`AppError::UnknownTool`], and [`AppError::NotForModel`] for a tool that only apps may call.
    pub fn call_from_model(&self, tool: &str) -> Result<Call<CallToolRequest>, AppError> {
        if !is_visible(self.find(tool)?, UiToolVisibility::Model) {
            let tool = tool.to_owned();
            return Err(AppError::NotForModel { tool });
        }
        let params = CallToolRequestParams::new(tool, self.client.meta());
        Ok(self.client.request::<CallToolRequest>(params))
    }

    /// Returns the call of a tool that an app requests by `tools/call`.
    ///
    /// # Errors
    ///
    /// [`AppError::OtherServer`], [`AppError::UnknownTool`], and [`AppError::NotForApps`] for a tool
    /// that only the model may call.
    pub fn call_from(&self, app: &App, tool: &str) -> Result<Call<CallToolRequest>, AppError> {
        if app.connection != self.client.connection_id() {
            let uri = app.uri.clone();
            return Err(AppError::OtherServer { uri });
        }
        if !is_visible(self.find(tool)?, UiToolVisibility::App) {
            let tool = tool.to_owned();
            return Err(AppError::NotForApps { tool });
        }
        let params = CallToolRequestParams::new(tool, self.client.meta());
        Ok(self.client.request::<CallToolRequest>(params))
    }

    fn find(&self, name: &str) -> Result<&Tool, AppError> {
        let found = self.tools.iter().find(|tool| tool.name == name);
        found.ok_or_else(|| AppError::UnknownTool {
            tool: name.to_owned(),
        })
    }

    /// Returns the URI of the app of a tool.
    fn uri(&self, name: &str) -> Result<String, AppError> {
        let tool = self.find(name)?;
        let meta = match tool_meta(tool) {
            Ok(meta) => meta,
            Err(source) => {
                let tool = name.to_owned();
                return Err(AppError::ToolMeta { tool, source });
            }
        };
        let old = || {
            let uri = tool.meta.as_ref()?.get(OLD_KEY)?.as_str();
            uri.map(str::to_owned)
        };
        match meta.resource_uri.or_else(old) {
            Some(uri) if uri.starts_with(SCHEME) => Ok(uri),
            Some(uri) => Err(AppError::Scheme { uri }),
            None => Err(AppError::NoApp {
                tool: name.to_owned(),
            }),
        }
    }

    /// Returns the metadata of an app in the list of resources. A server need not list its apps, or
    /// resources at all: then the app gets nothing that it would have to declare.
    async fn listed_ui(&self, uri: &str) -> Result<Option<Value>, CallError> {
        let params = PaginatedRequestParams::new(self.client.meta());
        let call = self.client.request::<ListResourcesRequest>(params);
        let mut resources = call.list();
        while let Some(resource) = resources.next().await {
            match resource {
                Ok(resource) if is_equivalent(&resource.uri, uri) => {
                    return Ok(ui_of(resource.meta.as_ref()).cloned());
                }
                Ok(_) | Err(CallError::Element { .. }) => {}
                Err(CallError::Refused { .. }) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }
}

fn ui_of(meta: Option<&MetaObject>) -> Option<&Value> {
    meta?.get("ui").filter(|ui| !ui.is_null())
}

fn tool_meta(tool: &Tool) -> Result<UiToolMeta, DecodeError> {
    match ui_of(tool.meta.as_ref()) {
        Some(ui) => json::from_value_ref(ui),
        None => Ok(UiToolMeta::new()),
    }
}

/// Returns `true` if the model, or apps, may call a tool. A tool with malformed metadata may not be
/// called.
fn is_visible(tool: &Tool, caller: UiToolVisibility) -> bool {
    tool_meta(tool).is_ok_and(|meta| meta.is_visible_to(caller))
}

impl fmt::Debug for AppsHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AppsHost")
            .field("tools", &self.tools.len())
            .finish_non_exhaustive()
    }
}
