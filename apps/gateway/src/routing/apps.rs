//! Calls of apps (extension `io.modelcontextprotocol/ui`), which know the names of their server only.

use std::sync::Arc;

use mcp_server::Context;
use serde::Deserialize;

use super::caller::Caller;
use crate::shared::{Behind, Shared};
use crate::upstream::list_cache::List;
use crate::upstream::lists::ListMethod;
use crate::upstream::refresh::{Listed, Wait};

/// Returns the upstream with apps that has a tool of this name, if there is exactly one. A call does not
/// say which app sends it.
pub(super) async fn owner(
    shared: &Shared,
    name: &str,
    caller: &Caller,
    cx: &Context,
) -> Option<Arc<Behind>> {
    let list = ListMethod::of("tools/list")?;
    let mut found = None;
    for behind in shared.upstreams_for(cx).iter() {
        let query = caller.query(cx, &behind.pool, list);
        let Listed::List(list) = behind.lists.list(&query, Wait::Short).await else {
            continue;
        };
        if has_tool_of_apps(&list, name) && found.replace(Arc::clone(behind)).is_some() {
            return None;
        }
    }
    found
}

/// Returns `true` if a list has a tool of this name that apps may call, and tools with apps.
fn has_tool_of_apps(list: &List, name: &str) -> bool {
    #[derive(Deserialize)]
    struct Tool {
        name: String,
        #[serde(default, rename = "_meta")]
        meta: Meta,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Meta {
        ui: Ui,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Ui {
        visibility: Option<Vec<String>>,
    }

    let mut items = list.items.iter();
    let has_apps = items.clone().any(|item| item.get().contains("\"ui"));
    has_apps
        && items.any(|item| {
            let tool: Option<Tool> = serde_json::from_str(item.get()).ok();
            tool.is_some_and(|tool| {
                let visibility = tool.meta.ui.visibility;
                let is_for_apps = |list: Vec<String>| list.iter().any(|who| who == "app");
                tool.name == name && visibility.is_none_or(is_for_apps)
            })
        })
}
