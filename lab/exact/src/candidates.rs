//! How exact the types of each candidate are, by the examples that the specification publishes.
//!
//! For each example of a type: whether it comes back equal, whether members that no type declares
//! survive, and whether changed examples are accepted exactly if they are valid. What is valid
//! decides `mcp-types`, whose tests compare it with the schema.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow};
use mcp_types::{Revision, registry};
use rmcp::model as rmcp_types;
use rust_mcp_schema as schema_types;
use serde_json::{Value, json};

/// Decodes a text as a type and encodes it.
type RoundTrip = fn(&str) -> Result<Value>;

macro_rules! types {
    ($origin:ident: $($name:ident)*) => {
        &[$((stringify!($name), |text| {
            Ok(serde_json::to_value(serde_json::from_str::<$origin::$name>(text)?)?)
        })),*]
    };
}

/// Types that rmcp has under the same name. Its messages and kinds of content are not comparable:
/// the unions that contain them write the method, the id and the kind.
#[expect(deprecated, reason = "the protocol deprecates sampling and roots")]
const RMCP: &[(&str, RoundTrip)] = types! {
    rmcp_types:
        BooleanSchema CallToolRequestParams CallToolResult ClientCapabilities
        CompleteRequestParams CompleteResult CreateMessageRequestParams CreateMessageResult
        DiscoverResult ElicitResult GetPromptRequestParams GetPromptResult
        InputRequests InputRequiredResult InputResponses ListPromptsResult
        ListResourceTemplatesResult ListResourcesResult ListRootsResult ListToolsResult
        ModelPreferences NumberSchema PaginatedRequestParams ReadResourceResult Resource Root
        SamplingMessage ServerCapabilities StringSchema SubscriptionsListenResult
        TitledMultiSelectEnumSchema TitledSingleSelectEnumSchema Tool
        UntitledMultiSelectEnumSchema UntitledSingleSelectEnumSchema
};

const RUST_MCP_SCHEMA: &[(&str, RoundTrip)] = types! {
    schema_types:
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
};

/// A member that no type declares.
const UNKNOWN: &str = "com.example/unknown";

#[derive(Default)]
struct Score {
    types: usize,
    examples: [usize; 2],
    unknown: [usize; 2],
    invalid: [usize; 2],
    valid: [usize; 2],
}

/// Prints a table for the examples in a folder, which has a folder for each type.
///
/// # Errors
///
/// Returns an error if a file cannot be read.
pub fn run(folder: &Path) -> Result<()> {
    println!(
        "| types of | types | examples equal | unknown members kept | invalid accepted | valid refused |"
    );
    println!("| --- | --- | --- | --- | --- | --- |");
    for (candidate, types) in [("rmcp", RMCP), ("rust-mcp-schema", RUST_MCP_SCHEMA)] {
        let (mut ours, mut theirs) = (Score::default(), Score::default());
        for (name, round_trip) in types {
            let entry =
                registry::find(Revision::V2026_07_28, name).with_context(|| (*name).to_owned())?;
            let own = |text: &str| -> Result<Value> {
                let back = entry.round_trip(text).map_err(|error| anyhow!("{error}"))?;
                Ok(serde_json::from_str(&back)?)
            };
            for file in fs::read_dir(folder.join(name)).with_context(|| (*name).to_owned())? {
                let text = fs::read_to_string(file?.path())?;
                let example: Value = serde_json::from_str(&text)?;
                // Two published examples are not valid.
                if own(&text).is_err() {
                    continue;
                }
                score(&mut ours, &example, &own, &own);
                score(&mut theirs, &example, round_trip, &own);
            }
            theirs.types += 1;
            ours.types += 1;
        }
        print(&format!("mcp-types, the same as {candidate}"), &ours);
        print(candidate, &theirs);
    }
    Ok(())
}

fn print(candidate: &str, score: &Score) {
    let of = |[part, all]: [usize; 2]| format!("{part} of {all}");
    println!(
        "| {candidate} | {} | {} | {} | {} | {} |",
        score.types,
        of(score.examples),
        of(score.unknown),
        of(score.invalid),
        of(score.valid)
    );
}

fn score(
    score: &mut Score,
    example: &Value,
    candidate: &dyn Fn(&str) -> Result<Value>,
    oracle: &dyn Fn(&str) -> Result<Value>,
) {
    let is_kept =
        |value: &Value| candidate(&value.to_string()).is_ok_and(|back| same(&back, value));
    count(&mut score.examples, is_kept(example));
    let mut places = Vec::new();
    places_in(example, String::new(), &mut places);
    for place in &places {
        let mut changed = example.clone();
        if let Some(Value::Object(members)) = changed.pointer_mut(place) {
            members.insert(UNKNOWN.to_owned(), json!({ "a": [1] }));
            // A map of another type has no room for it.
            if oracle(&changed.to_string()).is_ok() {
                count(&mut score.unknown, is_kept(&changed));
            }
        }
        for mutant in mutants(example, place) {
            let text = mutant.to_string();
            let is_accepted = candidate(&text).is_ok();
            if oracle(&text).is_ok() {
                count(&mut score.valid, !is_accepted);
            } else {
                count(&mut score.invalid, is_accepted);
            }
        }
    }
}

/// Compares numbers by their value: 50 and 50.0 are the same.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, a)| b.get(k).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

fn count(pair: &mut [usize; 2], is_true: bool) {
    pair[0] += usize::from(is_true);
    pair[1] += 1;
}

/// Collects the pointers to a value and to everything in it.
fn places_in(value: &Value, at: String, places: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.replace('~', "~0").replace('/', "~1"), value))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(index, item)| (index.to_string(), item))
            .collect(),
        _ => Vec::new(),
    };
    for (name, child) in children {
        places_in(child, format!("{at}/{name}"), places);
    }
    places.push(at);
}

/// Returns the example without the value at a place, and with values of other kinds there. `null`
/// is not among them: `mcp-types` deliberately accepts it for optional members.
fn mutants(example: &Value, place: &str) -> Vec<Value> {
    let others = [
        json!("x"),
        json!(-1),
        json!(1.5),
        json!(true),
        json!([]),
        json!({}),
    ];
    let mut mutants: Vec<Value> = others
        .into_iter()
        .filter_map(|other| {
            let mut mutant = example.clone();
            let value = mutant.pointer_mut(place)?;
            (*value != other).then(|| *value = other)?;
            Some(mutant)
        })
        .collect();
    let mut without = example.clone();
    if let Some((parent, name)) = place.rsplit_once('/')
        && let Some(Value::Object(members)) = without.pointer_mut(parent)
    {
        members.remove(&name.replace("~1", "/").replace("~0", "~"));
        mutants.push(without);
    }
    mutants
}
