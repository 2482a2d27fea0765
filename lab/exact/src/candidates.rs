//! [`Candidate`]: the types of a project, with their decoder and encoder.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use anyhow::Result;
use mcp_types::{Revision, registry};
use rmcp::model as rmcp_types;
use rust_mcp_schema as schema_types;
use serde_json::Value;
use turbomcp_protocol::v2026_07_28::types as turbomcp_types;

use crate::cases::{Case, Kind};
use crate::judge::Judge;

/// Decodes a text as a type and encodes it. Returns `None` if the text is refused.
pub(crate) type RoundTrip = Rc<dyn Fn(&str, &str) -> Result<Option<Value>>>;

/// The types of a project.
pub(crate) struct Candidate {
    name: String,
    types: BTreeSet<String>,
    round_trip: RoundTrip,
}

impl Candidate {
    pub(crate) fn new(name: &str, types: BTreeSet<String>, round_trip: RoundTrip) -> Self {
        Self {
            name: name.to_owned(),
            types,
            round_trip,
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn types(&self) -> impl Iterator<Item = &String> {
        self.types.iter()
    }

    pub(crate) fn has(&self, of: &str) -> bool {
        self.types.contains(of)
    }

    /// Returns what is encoded after decoding, or `None` if the text is refused.
    pub(crate) fn decode(&self, case: &Case) -> Result<Option<Value>> {
        (self.round_trip)(&case.of, &case.text)
    }

    /// The same types of this candidate as the other one has.
    pub(crate) fn with_types_of(&self, other: &Self) -> Self {
        Self::new(
            &format!("{}, types of {}", self.name, other.name),
            self.types.intersection(&other.types).cloned().collect(),
            Rc::clone(&self.round_trip),
        )
    }

    /// Leaves out types without examples, and those whose members with one value, such as `jsonrpc` and
    /// `type`, are written and checked elsewhere: they do not miss these.
    pub(crate) fn keep_comparable(&mut self, cases: &[Case], judge: &Judge) -> Result<()> {
        let mut comparable = BTreeSet::new();
        let mut elsewhere = BTreeSet::new();
        for case in cases
            .iter()
            .filter(|case| matches!(case.kind, Kind::Example))
        {
            if !self.has(&case.of) {
                continue;
            }
            comparable.insert(case.of.clone());
            for name in judge.constants(&case.of) {
                let mut value = case.value.clone();
                let removed = value
                    .as_object_mut()
                    .and_then(|members| members.remove(name));
                if removed.is_some()
                    && !judge.is_published(&case.of, &value)?
                    && (self.round_trip)(&case.of, &value.to_string())?.is_some()
                {
                    elsewhere.insert(case.of.clone());
                }
            }
        }
        self.types = comparable.difference(&elsewhere).cloned().collect();
        Ok(())
    }
}

/// The types of this project.
pub(crate) fn ours() -> Candidate {
    let revision = Revision::V2026_07_28;
    let names = registry::types(revision).iter();
    Candidate::new(
        "mcp-types",
        names.map(|entry| entry.name().to_owned()).collect(),
        Rc::new(move |of, text| {
            let back = registry::find(revision, of).and_then(|entry| entry.round_trip(text).ok());
            Ok(back.map(|back| serde_json::from_str(&back)).transpose()?)
        }),
    )
}

/// The types of other crates.
pub(crate) fn crates() -> Vec<Candidate> {
    vec![
        of_crate("rmcp 3.11.0", RMCP),
        of_crate("rust-mcp-schema 2.0.0", RUST_MCP_SCHEMA),
        of_crate("turbomcp-protocol 4.0.0-alpha.5", TURBOMCP),
    ]
}

type Typed = fn(&str) -> Result<Value>;

fn of_crate(name: &str, types: &[(&'static str, Typed)]) -> Candidate {
    let types: BTreeMap<&str, Typed> = types.iter().copied().collect();
    Candidate::new(
        name,
        types.keys().map(|name| (*name).to_owned()).collect(),
        Rc::new(move |of, text| Ok(types.get(of).and_then(|of| of(text).ok()))),
    )
}

macro_rules! types {
    ($origin:ident: $($name:ident)*) => {
        &[$((stringify!($name), |text| {
            Ok(serde_json::to_value(serde_json::from_str::<$origin::$name>(text)?)?)
        })),*]
    };
}

/// The types that rmcp has under the same name.
#[expect(deprecated, reason = "the protocol deprecates sampling and roots")]
const RMCP: &[(&str, Typed)] = types! {
    rmcp_types:
        AudioContent BooleanSchema CallToolRequest CallToolRequestParams CallToolResult
        CancelledNotification ClientCapabilities CompleteRequest CompleteRequestParams
        CompleteResult CreateMessageRequest CreateMessageRequestParams CreateMessageResult
        DiscoverRequest DiscoverResult ElicitRequest ElicitResult EmbeddedResource
        GetPromptRequest GetPromptRequestParams GetPromptResult ImageContent InputRequests
        InputRequiredResult InputResponses ListPromptsRequest ListPromptsResult
        ListResourceTemplatesRequest ListResourceTemplatesResult ListResourcesRequest
        ListResourcesResult ListRootsRequest ListRootsResult ListToolsRequest ListToolsResult
        LoggingMessageNotification ModelPreferences NumberSchema PaginatedRequestParams
        ProgressNotification PromptListChangedNotification ReadResourceRequest ReadResourceResult
        Resource ResourceListChangedNotification ResourceUpdatedNotification Root SamplingMessage
        ServerCapabilities StringSchema SubscriptionsAcknowledgedNotification
        SubscriptionsListenRequest SubscriptionsListenResult TextContent
        TitledMultiSelectEnumSchema TitledSingleSelectEnumSchema Tool ToolListChangedNotification
        ToolResultContent ToolUseContent UntitledMultiSelectEnumSchema
        UntitledSingleSelectEnumSchema
};

/// The types that are generated from the schema with its names.
macro_rules! generated_types {
    ($origin:ident) => {
        types! {
            $origin:
                AudioContent BlobResourceContents BooleanSchema CallToolRequest CallToolRequestParams
                CallToolResult CallToolResultResponse CancelledNotification CancelledNotificationParams
                ClientCapabilities CompleteRequest CompleteRequestParams CompleteResult
                CompleteResultResponse CreateMessageRequest CreateMessageRequestParams CreateMessageResult
                DiscoverRequest DiscoverResult DiscoverResultResponse ElicitRequest
                ElicitRequestFormParams ElicitResult EmbeddedResource GetPromptRequest
                GetPromptRequestParams GetPromptResult GetPromptResultResponse HeaderMismatchError
                ImageContent InputRequests InputRequiredResult InputResponses InternalError
                InvalidParamsError ListPromptsRequest ListPromptsResult ListPromptsResultResponse
                ListResourceTemplatesRequest ListResourceTemplatesResult
                ListResourceTemplatesResultResponse ListResourcesRequest ListResourcesResult
                ListResourcesResultResponse ListRootsRequest ListRootsResult ListToolsRequest
                ListToolsResult ListToolsResultResponse LoggingMessageNotification
                LoggingMessageNotificationParams MethodNotFoundError MissingRequiredClientCapabilityError
                ModelPreferences NumberSchema PaginatedRequestParams ParseError ProgressNotification
                ProgressNotificationParams PromptListChangedNotification ReadResourceRequest
                ReadResourceResult ReadResourceResultResponse Resource ResourceLink
                ResourceListChangedNotification ResourceUpdatedNotification
                ResourceUpdatedNotificationParams Root SamplingMessage ServerCapabilities StringSchema
                SubscriptionsAcknowledgedNotification SubscriptionsListenRequest SubscriptionsListenResult
                SubscriptionsListenResultResponse TextContent TextResourceContents
                TitledMultiSelectEnumSchema TitledSingleSelectEnumSchema Tool ToolListChangedNotification
                ToolResultContent ToolUseContent UnsupportedProtocolVersionError
                UntitledMultiSelectEnumSchema UntitledSingleSelectEnumSchema
        }
    };
}

/// The types of the crate that is generated from the same schema.
const RUST_MCP_SCHEMA: &[(&str, Typed)] = generated_types!(schema_types);

/// The types that typify generates for turbomcp.
const TURBOMCP: &[(&str, Typed)] = generated_types!(turbomcp_types);
