//! [`AppUse`]: what a tool has to do with apps (extension `io.modelcontextprotocol/ui`).

use serde::Deserialize;
use serde_json::value::RawValue;

/// What a tool has to do with apps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AppUse {
    None,
    /// Hosts show an app when it is called, or apps may call it.
    Shown,
    /// Only apps call it: models do not see it.
    Only,
}

impl AppUse {
    pub(super) fn of(tool: &RawValue) -> Self {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Tool<'a> {
            #[serde(rename = "_meta", borrow)]
            meta: Option<Meta<'a>>,
        }
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Meta<'a> {
            #[serde(borrow)]
            ui: Option<Ui<'a>>,
            /// The older form.
            #[serde(rename = "ui/resourceUri", borrow)]
            uri: Option<&'a RawValue>,
        }
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Ui<'a> {
            #[serde(borrow)]
            visibility: Option<&'a RawValue>,
        }

        // Few tools have an app, and descriptions may be long.
        if !tool.get().contains("\"ui") {
            return Self::None;
        }
        let tool: Tool<'_> = serde_json::from_str(tool.get()).unwrap_or_default();
        let Some(meta) = tool.meta else {
            return Self::None;
        };
        let visibility = meta.ui.as_ref().and_then(|ui| ui.visibility);
        let visibility = visibility.and_then(|list| serde_json::from_str(list.get()).ok());
        let visibility: Option<Vec<String>> = visibility;
        match visibility {
            Some(list) if !list.iter().any(|who| who == "model") => Self::Only,
            _ if meta.ui.is_some() || meta.uri.is_some() => Self::Shown,
            _ => Self::None,
        }
    }
}

/// An extension of a request: a model calls the tool, and no app does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByModel;
