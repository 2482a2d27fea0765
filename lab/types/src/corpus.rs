//! The messages, with the same bytes in every run.

use serde_json::json;

/// The revision whose form the first messages have: the newest one that all compared crates know.
pub const COMPARED: &str = "2026-07-28";

/// An older revision that is measured as thoroughly as the newest one.
const BEFORE: &str = "2025-11-25";

/// Revisions that are measured with small messages only.
const OLD: [&str; 3] = ["2025-06-18", "2025-03-26", "2024-11-05"];

/// The kind of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A request `tools/call`.
    CallRequest,
    /// The response to `tools/call`.
    CallResult,
    /// The response to `tools/list`.
    ListResult,
    /// The response to `resources/read`.
    ReadResult,
}

/// A message that every candidate decodes and encodes.
#[derive(Debug)]
pub struct Message {
    /// The description in the table.
    pub name: &'static str,
    /// The revision of the message.
    pub revision: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// Its bytes.
    pub text: String,
}

impl Message {
    /// Returns a unique name, which is also used as the name of a directory.
    #[must_use]
    pub fn id(&self) -> String {
        format!("{} {}", self.revision, self.name.replace('/', "-"))
    }
}

/// Returns all messages, in the order of the table.
#[must_use]
pub fn messages() -> Vec<Message> {
    let mut messages = Vec::new();
    for revision in [COMPARED, BEFORE] {
        messages.extend(small(revision));
        messages.extend(large(revision));
    }
    messages.extend(OLD.into_iter().flat_map(small));
    messages
}

const MEGABYTE: usize = 1_000_000;
const TOOLS: usize = 100;

fn small(revision: &'static str) -> [Message; 3] {
    let message = |name, kind, text| Message {
        name,
        revision,
        kind,
        text,
    };
    let tools = list((0..TOOLS).map(|index| tool(index, revision)));
    let listed = vec![
        ("tools", tools),
        ("nextCursor", json!("cGFnZTI=").to_string()),
    ];
    [
        message("tools/call request", Kind::CallRequest, call(revision)),
        message(
            "tools/call result",
            Kind::CallResult,
            result(revision, outcome(revision), false),
        ),
        message(
            "tools/list result, 100 tools",
            Kind::ListResult,
            result(revision, listed, true),
        ),
    ]
}

fn large(revision: &'static str) -> [Message; 3] {
    let message = |name, member, mime: &str, content: &str| {
        let contents = object([
            ("uri", json!("file:///srv/report").to_string()),
            ("mimeType", json!(mime).to_string()),
            (member, json!(content).to_string()),
        ]);
        let text = result(revision, vec![("contents", list([contents]))], true);
        Message {
            name,
            revision,
            kind: Kind::ReadResult,
            text,
        }
    };
    [
        message(
            "resources/read, 1 MB plain",
            "text",
            "text/plain",
            &prose(MEGABYTE, " "),
        ),
        message(
            "resources/read, 1 MB escapes",
            "text",
            "text/markdown",
            &prose(MEGABYTE, "\n\"\t"),
        ),
        message(
            "resources/read, 1 MB base64",
            "blob",
            "application/zip",
            &base64(MEGABYTE),
        ),
    ]
}

/// Creates an object with its members in the given order. `Value` would sort them, and so move a
/// tag such as `type` to a position where hardly any program writes it.
fn object<'a>(members: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let members = members
        .into_iter()
        .map(|(name, value)| format!("{}:{value}", json!(name)));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

fn list(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(","))
}

fn call(revision: &str) -> String {
    let token = ("progressToken", "17".to_owned());
    let meta = if revision == COMPARED {
        let client = r#"{"name":"bench","version":"1.4.0"}"#.to_owned();
        object([
            (
                "io.modelcontextprotocol/protocolVersion",
                json!(revision).to_string(),
            ),
            ("io.modelcontextprotocol/clientInfo", client),
            (
                "io.modelcontextprotocol/clientCapabilities",
                r#"{"elicitation":{}}"#.to_owned(),
            ),
            token,
        ])
    } else {
        object([token])
    };
    let arguments = r#"{"customer":"C-20417","limit":25,"threshold":0.6,"open":true}"#;
    let params = object([
        ("_meta", meta),
        ("name", json!("search_orders").to_string()),
        ("arguments", arguments.to_owned()),
    ]);
    format!(r#"{{"jsonrpc":"2.0","id":42,"method":"tools/call","params":{params}}}"#)
}

fn outcome(revision: &str) -> Vec<(&'static str, String)> {
    let text = r#"[{"type":"text","text":"3 orders are open; the oldest is 12 days old."}]"#;
    let mut outcome = vec![("content", text.to_owned())];
    if structured(revision) {
        outcome.push((
            "structuredContent",
            r#"{"open":3,"oldestDays":12}"#.to_owned(),
        ));
    }
    outcome.push(("isError", "false".to_owned()));
    outcome
}

/// Creates a response. In the newest revision, results must have a type and cache hints.
fn result(revision: &str, mut members: Vec<(&'static str, String)>, cacheable: bool) -> String {
    if revision == COMPARED {
        members.insert(0, ("resultType", json!("complete").to_string()));
        if cacheable {
            members.push(("ttlMs", "60000".to_owned()));
            members.push(("cacheScope", json!("private").to_string()));
        }
    }
    format!(
        r#"{{"jsonrpc":"2.0","id":42,"result":{}}}"#,
        object(members)
    )
}

/// Returns `true` if a revision has structured output and titles.
fn structured(revision: &str) -> bool {
    revision >= "2025-06-18"
}

const VERBS: [&str; 5] = ["search", "create", "update", "archive", "export"];
const NOUNS: [&str; 5] = ["orders", "invoices", "tickets", "customers", "shipments"];

/// Creates a tool like those of real servers: several described arguments, an enumeration, a list
/// and a nested object.
fn tool(index: usize, revision: &str) -> String {
    let (verb, noun) = (VERBS[index % 5], NOUNS[index / 5 % 5]);
    let description = format!(
        "Will {verb} {noun} of the account that the caller signed in with. At most 500 {noun} are \
         touched by one call; give the cursor of the last answer to go on."
    );
    let text = |text: &str| json!(text).to_string();
    let mut tool = vec![("name", text(&format!("{verb}_{noun}_{index}")))];
    if structured(revision) {
        tool.push(("title", text(&format!("{verb} {noun}"))));
    }
    tool.push(("description", text(&description)));
    tool.push(("inputSchema", input_schema(noun)));
    if structured(revision) {
        let output = r#"{"type":"object","properties":{"count":{"type":"integer"},"cursor":{"type":"string"}},"required":["count"]}"#;
        tool.push(("outputSchema", output.to_owned()));
    }
    if revision > "2024-11-05" {
        let reads = json!(index.is_multiple_of(5)).to_string();
        let hints = [
            ("readOnlyHint", reads),
            ("openWorldHint", "false".to_owned()),
        ];
        tool.push(("annotations", object(hints)));
    }
    object(tool)
}

fn input_schema(noun: &str) -> String {
    let member = |kind: &str, more: &[(&'static str, &str)], description: &str| {
        let mut member = vec![("type", json!(kind).to_string())];
        member.extend(
            more.iter()
                .map(|(name, value)| (*name, (*value).to_owned())),
        );
        member.push(("description", json!(description).to_string()));
        object(member)
    };
    let words = format!("Words that the {noun} have to contain, in any order; case is ignored.");
    let limits = [("minimum", "1"), ("maximum", "500"), ("default", "50")];
    let states = [
        ("enum", r#"["open","closed","waiting"]"#),
        ("default", r#""open""#),
    ];
    let range = [
        (
            "properties",
            r#"{"from":{"type":"string","format":"date-time"},"until":{"type":"string","format":"date-time"}}"#,
        ),
        ("required", r#"["from"]"#),
        ("additionalProperties", "false"),
    ];
    let properties = [
        ("query", member("string", &[("minLength", "1")], &words)),
        (
            "status",
            member("string", &states, "Only those in this state."),
        ),
        ("limit", member("integer", &limits, "How many at most.")),
        (
            "labels",
            member(
                "array",
                &[("items", r#"{"type":"string"}"#)],
                "All of these have to be set.",
            ),
        ),
        (
            "range",
            member("object", &range, "When the last change was made."),
        ),
        (
            "cursor",
            member("string", &[], "Where the last answer ended."),
        ),
    ];
    object([
        (
            "$schema",
            json!("http://json-schema.org/draft-07/schema#").to_string(),
        ),
        ("type", json!("object").to_string()),
        ("properties", object(properties)),
        ("required", r#"["query"]"#.to_owned()),
        ("additionalProperties", "false".to_owned()),
    ])
}

/// Returns plain words, with `mark` after every sixth.
fn prose(size: usize, mark: &str) -> String {
    let words = [
        "ledger", "of", "open", "orders", "and", "what", "became", "them", "since", "May",
    ];
    let mut text = String::with_capacity(size + 16);
    for number in 1_usize.. {
        if text.len() >= size {
            break;
        }
        text.push_str(words[number * number % 97 % words.len()]);
        text.push_str(if number.is_multiple_of(6) { mark } else { " " });
    }
    text
}

fn base64(size: usize) -> String {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = 1_u32;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(alphabet[(state >> 26) as usize])
    };
    (0..size).map(next).collect()
}
