//! `ToolDef::ui` and `ResourceDef::ui`.

use mcp_extensions::apps::{
    IDENTIFIER, MIME_TYPE, SCHEME, UiResourceMeta, UiToolMeta, UiToolVisibility,
};
use mcp_types::json::Value;
use mcp_types::{
    AnyResourceContents, CallToolResult, MetaObject, ReadResourceRequest, Request, TextContent,
    json,
};
use serde::Serialize;

use crate::extensions::apps::shows_apps;
use crate::features::catalog::List;
use crate::features::definition_error::DefinitionError;
use crate::features::resources::catalog::ResourceDefinitions;
use crate::features::resources::contents::body::ResourceBody;
use crate::features::resources::definition::ResourceDef;
use crate::features::resources::handlers::ReadHandler;
use crate::features::tools::definition::ToolDef;
use crate::protocol::dispatch::registry::Registry;
use crate::protocol::error::BuildError;
use crate::util::and_then::and_then;

impl ToolDef {
    /// Connects this tool with an app: sets `_meta.ui`. Call it after [`meta`](Self::meta).
    ///
    /// A tool whose visibility is [`App`](UiToolVisibility::App) alone exists only for clients that
    /// announced the [extension](crate::apps::Apps). A result that only has structured content also
    /// gets it as text.
    pub fn ui(mut self, ui: UiToolMeta) -> Self {
        match check_tool(&ui).and_then(|()| encode(&ui)) {
            Ok(encoded) => {
                let for_model = ui.is_visible_to(UiToolVisibility::Model);
                let mut meta = self.tool.meta.clone().unwrap_or_default();
                meta.insert("ui", encoded);
                self.extensions.insert(ui);
                self.change_result = Some(add_text);
                // The condition also keeps shared caches from storing the list, because `_meta`
                // differs between clients.
                self.meta(meta)
                    .visible_if(move |cx| for_model || shows_apps(cx))
            }
            Err(error) => {
                self.error = Some(error);
                self
            }
        }
    }
}

impl ResourceDef {
    /// Makes this resource an app, an HTML document: sets its media type, and `_meta.ui` of the
    /// resource and of its contents. Call it after [`meta`](Self::meta) and after the handler.
    ///
    /// The URI begins with `ui://`. The document must not depend on other files: a host shows it in a
    /// frame that can only load from the domains that `ui` names.
    pub fn ui(mut self, ui: UiResourceMeta) -> Self {
        let encoded = check_resource(&self, ui).and_then(|ui| encode(&ui));
        match (encoded, self.reader.take()) {
            (Ok(encoded), Some(reader)) => {
                self.reader = Some(with_meta(reader, encoded.clone()));
                let meta = self.resource.meta.get_or_insert_default();
                meta.insert("ui", encoded);
                self.mime_type(MIME_TYPE)
            }
            (Ok(_), None) => {
                self.error = Some("`ui` has to follow the handler".into());
                self
            }
            (Err(error), _) => {
                self.error = Some(error);
                self
            }
        }
    }
}

/// Adds the structured content as text to a result that has no other content, for clients that show
/// no apps.
fn add_text(result: &mut CallToolResult) {
    if let (true, Some(structured)) = (result.content.is_empty(), &result.structured_content)
        && let Ok(text) = json::to_string(structured)
    {
        result.content.push(TextContent::new(text).into());
    }
}

fn encode(ui: &impl Serialize) -> Result<Value, DefinitionError> {
    json::to_value(ui).map_err(|error| error.to_string().into())
}

fn check_tool(ui: &UiToolMeta) -> Result<(), DefinitionError> {
    if let Some(uri) = &ui.resource_uri {
        check_scheme(uri)?;
    }
    if ui.visibility.as_ref().is_some_and(Vec::is_empty) {
        return Err("`visibility` is empty, so nobody could call the tool".into());
    }
    Ok(())
}

fn check_resource(
    resource: &ResourceDef,
    ui: UiResourceMeta,
) -> Result<UiResourceMeta, DefinitionError> {
    check_scheme(&resource.resource.uri)?;
    ui.check().map_err(|error| error.to_string())?;
    Ok(ui)
}

fn check_scheme(uri: &str) -> Result<(), DefinitionError> {
    if uri.starts_with(SCHEME) {
        Ok(())
    } else {
        Err(
            format!("invalid URI `{uri}` of an app, expected one that begins with `{SCHEME}`")
                .into(),
        )
    }
}

/// Adds `_meta.ui` to what a handler reads, unless the handler did it.
fn with_meta(reader: ReadHandler, ui: Value) -> ReadHandler {
    let read = reader.read;
    let add = |meta: &mut Option<MetaObject>, ui: &Value| {
        let meta = meta.get_or_insert_default();
        if !meta.contains_key("ui") {
            meta.insert("ui", ui.clone());
        }
    };
    ReadHandler {
        read: Box::new(move |params, variables, cx| {
            let ui = ui.clone();
            let running = read(params, variables, cx)?;
            Ok(Box::pin(and_then(running, move |mut body| {
                #[cfg_attr(
                    not(feature = "proposals"),
                    expect(irrefutable_let_patterns, reason = "only URLs come with streams")
                )]
                if let ResourceBody::Contents(contents) = &mut body {
                    for contents in contents {
                        match contents {
                            AnyResourceContents::Text(text) => add(&mut text.meta, &ui),
                            AnyResourceContents::Blob(blob) => add(&mut blob.meta, &ui),
                            _ => {}
                        }
                    }
                }
                Ok(body)
            })))
        }),
        ..reader
    }
}

/// Returns an error for each tool that belongs to an app that the server does not have, or that needs
/// the extension if the server does not have it. Called before the features are registered.
pub(crate) fn faults(
    registry: &Registry,
    tools: &List<ToolDef>,
    resources: &ResourceDefinitions,
) -> Vec<BuildError> {
    let extensions = registry.about.capabilities.extensions.as_ref();
    let is_announced = extensions.is_some_and(|all| all.contains_key(IDENTIFIER));
    // The program may read resources by a handler of its own.
    let reads_others = registry.has_route(ReadResourceRequest::METHOD);
    let fault = |tool: &ToolDef| match tool.extensions.get::<UiToolMeta>()?.resource_uri.as_deref()
    {
        _ if !is_announced => Some("its `ui` needs the extension `Apps`".to_owned()),
        Some(uri) if !reads_others && resources.locate(uri).is_none() => {
            Some(format!("the server has no resource `{uri}`"))
        }
        _ => None,
    };
    let all = tools.all();
    let faults = all.iter().filter_map(|tool| {
        Some(BuildError::Invalid {
            kind: "tool",
            name: tool.tool.name.clone(),
            reason: fault(tool)?,
        })
    });
    faults.collect()
}
