//! Malformed members that only decorate are left out and reported, and nothing is lost with them.
//! The members are those of the schema: each optional one of each result is malformed once.

use std::sync::{Arc, Mutex};

use mcp_client::types::{
    CallToolRequest, CompleteRequest, DiscoverRequest, GetPromptRequest, ListPromptsRequest,
    ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest, ReadResourceRequest,
    Request, Revision, revision::Versioned,
};
use mcp_client::{Client, ClientBuilder, Listed};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::fake::FakeStream;
use super::malformed::{Case, Definitions};

/// Optional members whose loss would change what a request or a result means.
const MEANINGFUL: &[&str] = &[
    "arguments",
    "capabilities.completions",
    "capabilities.experimental",
    "capabilities.extensions",
    "capabilities.logging",
    "capabilities.prompts",
    "capabilities.resources",
    "capabilities.tools",
    "isError",
    "listChanged",
    "nextCursor",
    "required",
    "subscribe",
];

fn builder() -> ClientBuilder {
    Client::builder("test", "1.0.0")
}

/// A client of a server that answers with results that can be replaced.
struct Answering {
    fake: FakeStream,
    result: Arc<Mutex<String>>,
}

impl Answering {
    async fn start(revision: Revision) -> Self {
        let result = Arc::new(Mutex::new(String::new()));
        let answer = Arc::clone(&result);
        let answer = move |_: &str, _: &_| format!(r#""result":{}"#, answer.lock().unwrap());
        let fake = FakeStream::connect(revision, builder(), answer).await;
        Self { fake, result }
    }

    fn set(&self, case: &Case) {
        *self.result.lock().unwrap() = case.result.to_string();
    }
}

/// Fails unless what was lost has a meaning, and what was left out is reported. What a later revision
/// adds may have one.
fn judge(revision: Revision, case: &Case, found: Result<String, String>) {
    // Any value of these is valid in the form of another revision. See `repairs` for schemas.
    let elsewhere = ["Schema", ".execution", ".structuredContent"];
    if elsewhere.iter().any(|part| case.path.contains(part)) {
        return;
    }
    let mut meaningful = MEANINGFUL.iter();
    let is_meaningful = meaningful.any(|name| case.path.ends_with(&format!(".{name}")));
    match found {
        Ok(report) if !is_meaningful => {
            // The path of the report is the one of the member, or of the icon that has it.
            let icon = case.path.find("icons[0]").map(|at| at + "icons[0]".len());
            let path = case
                .path
                .get(..icon.unwrap_or(case.path.len()))
                .unwrap_or_default();
            assert!(report.contains(path), "{}: {report}", case.path);
        }
        Err(_) if is_meaningful || revision > Revision::V2026_07_28 => {}
        // It was read in the form of a newer revision, which does not have the member.
        Ok(_) if !Definitions::read(Revision::LATEST).names(member_of(&case.path)) => {}
        other => panic!("{}: {other:?}", case.path),
    }
}

/// Returns the last name of a path.
fn member_of(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Requests each case, and looks for the report in `_meta`.
async fn results<R>(revision: Revision, definition: &str, mut params: Value)
where
    R: Request + Send + 'static,
    R::Params: Versioned + DeserializeOwned,
    R::Result: Versioned + Serialize,
{
    let server = Answering::start(revision).await;
    params["_meta"] = serde_json::to_value(server.fake.client.meta()).unwrap();
    let params: R::Params = serde_json::from_value(params).unwrap();
    for case in Definitions::read(revision).cases(definition) {
        server.set(&case);
        let found = server
            .fake
            .client
            .request::<R>(params.clone())
            .outcome()
            .await;
        let found = found.map_err(|error| error.to_string()).and_then(|result| {
            let text = serde_json::to_string(&result).unwrap();
            if text.contains("unreadable") {
                Err(text)
            } else {
                Ok(text)
            }
        });
        let found = found.map(|text| match text.split_once("mcp-client/dropped") {
            Some((_, report)) => report.to_owned(),
            None => String::new(),
        });
        judge(revision, &case, found);
    }
}

/// Returns the paths of what was left out, if nothing is lost.
fn report<T>(listed: Result<Listed<T>, mcp_client::CallError>) -> Result<String, String> {
    let listed = listed.map_err(|error| error.to_string())?;
    if let Some(fault) = listed.faults.first() {
        return Err(fault.to_string());
    }
    let paths: Vec<_> = listed
        .dropped
        .iter()
        .map(|it| it.path.to_string())
        .collect();
    Ok(paths.join(" "))
}

#[tokio::test]
async fn malformed_decoration_of_an_element_is_left_out_of_lists() {
    for &revision in Revision::ALL {
        let definitions = Definitions::read(revision);
        let server = Answering::start(revision).await;
        let client = &server.fake.client;
        for (definition, items) in [
            ("ListToolsResult", "tools"),
            ("ListPromptsResult", "prompts"),
            ("ListResourcesResult", "resources"),
            ("ListResourceTemplatesResult", "resourceTemplates"),
        ] {
            let cases = definitions.cases(definition).into_iter();
            // The others are members of the page.
            let first = format!("$.{items}[");
            for case in cases.filter(|case| case.path.starts_with(&first)) {
                server.set(&case);
                judge(
                    revision,
                    &case,
                    match items {
                        "tools" => report(client.tools().all().await),
                        "prompts" => report(client.prompts().all().await),
                        "resources" => report(client.resources().all().await),
                        _ => report(client.resource_templates().all().await),
                    },
                );
            }
        }
    }
}

#[tokio::test]
async fn malformed_decoration_is_left_out_of_results() {
    for &revision in Revision::ALL {
        macro_rules! results {
            ($request:ty, $definition:literal, $params:tt) => {
                if Definitions::read(revision).has($definition) {
                    results::<$request>(revision, $definition, json!($params)).await;
                }
            };
        }
        results!(ListToolsRequest, "ListToolsResult", {});
        results!(ListPromptsRequest, "ListPromptsResult", {});
        results!(ListResourcesRequest, "ListResourcesResult", {});
        results!(
            ListResourceTemplatesRequest,
            "ListResourceTemplatesResult",
            {}
        );
        results!(ReadResourceRequest, "ReadResourceResult", { "uri": "x:a" });
        results!(GetPromptRequest, "GetPromptResult", { "name": "p" });
        results!(CallToolRequest, "CallToolResult", { "name": "t" });
        let reference = json!({ "type": "ref/prompt", "name": "p" });
        let argument = json!({ "name": "a", "value": "" });
        results!(CompleteRequest, "CompleteResult", { "ref": reference, "argument": argument });
        if revision.is_modern() {
            results!(DiscoverRequest, "DiscoverResult", {});
        }
        #[cfg(feature = "proposals")]
        if revision.is_modern() {
            use mcp_client::types::{GetResourceRequest, ReadResourceMetadataRequest};
            results!(ReadResourceMetadataRequest, "ReadResourceMetadataResult", { "uri": "x:a" });
            results!(GetResourceRequest, "GetResourceResult", { "uri": "x:a" });
        }
    }
}

#[tokio::test]
async fn server_with_a_malformed_description_can_be_used() {
    const INFO: &str = r#"{"name":"fake","version":"1","title":7,"icons":[{"src":"https://a.example/"},
        {"src":"https://a.example/b","theme":"sepia"}]}"#;
    for &revision in Revision::ALL {
        let has_icons = revision >= Revision::V2025_11_25;
        let info = INFO.replace('\n', "").leak();
        let fake = FakeStream::describing(info, revision, builder()).await;
        let dropped = fake.client.dropped_at_connect();
        let paths: Vec<_> = dropped.iter().map(|it| it.path.to_string()).collect();
        let known = fake.client.server_info().expect("it has a name");
        assert_eq!((&*known.name, known.title), ("fake", None), "{revision}");
        if has_icons {
            let member = if revision.is_modern() {
                "$._meta['io.modelcontextprotocol/serverInfo']"
            } else {
                "$.serverInfo"
            };
            let expected = [format!("{member}.title"), format!("{member}.icons[1]")];
            assert_eq!(paths, expected, "{revision}");
            assert_eq!(known.icons.map(|icons| icons.len()), Some(1), "{revision}");
            assert_eq!(
                dropped[1].value.get(),
                r#"{"src":"https://a.example/b","theme":"sepia"}"#
            );
        }
    }
}

/// Returns a page of one tool with these members.
async fn tool(members: &str) -> Listed<mcp_client::types::Tool> {
    let body = format!(
        r#""result":{{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{{"name":"t",{members}}}]}}"#
    );
    let answer = move |_: &str, _: &_| body.clone();
    let fake = FakeStream::connect(Revision::LATEST, builder(), answer).await;
    fake.client.tools().all().await.expect("a list")
}

#[tokio::test]
async fn what_decorates_nothing_is_never_changed() {
    // A property of arguments may have the name of a decoration.
    for members in [
        r#""inputSchema":{"type":"object","$schema":7,"title":7}"#,
        r#""inputSchema":{"type":"object"},"name":"twice""#,
    ] {
        let listed = tool(members).await;
        assert_eq!(
            (listed.items.len(), listed.faults.len()),
            (0, 1),
            "{members}"
        );
        assert!(listed.dropped.is_empty(), "{members}");
    }
}

#[tokio::test]
async fn every_fault_of_an_element_is_reported_by_its_place() {
    let icon = |theme: &str| format!(r#"{{"src":"https://a.example/","theme":"{theme}"}}"#);
    let icons = ["sepia", "dark", "red", "light", "green"]
        .map(icon)
        .join(",");
    let listed = tool(&format!(
        r#""inputSchema":{{}},"outputSchema":7,"title":7,"icons":[{icons}],"annotations":{{"title":7,"readOnlyHint":true}}"#
    ))
    .await;
    let [tool] = &listed.items[..] else {
        panic!("{listed:?}");
    };
    let paths: Vec<_> = listed
        .dropped
        .iter()
        .map(|it| it.path.to_string())
        .collect();
    let expected = [
        "$.tools[0].title",
        "$.tools[0].icons[0]",
        "$.tools[0].icons[2]",
        "$.tools[0].icons[4]",
        "$.tools[0].annotations.title",
        "$.tools[0].outputSchema",
    ];
    assert_eq!(paths, expected);
    assert_eq!(tool.icons.as_ref().map(Vec::len), Some(2));
    let annotations = tool.annotations.as_ref().expect("the rest of them");
    assert_eq!(annotations.read_only_hint, Some(true));
    let shown = listed.dropped[1].to_string();
    assert!(
        shown.starts_with("$.tools[0].icons[0] was left out: "),
        "{shown}"
    );
}

#[tokio::test]
async fn work_for_malformed_decoration_is_bounded() {
    // So many icons are left out together.
    let icon = r#"{"src":"https://a.example/","theme":"sepia"}"#;
    let icons = vec![icon; 1_000].join(",");
    let listed = tool(&format!(
        r#""inputSchema":{{"type":"object"}},"icons":[{icons}]"#
    ))
    .await;
    assert_eq!(
        (listed.items.len(), listed.items[0].icons.is_none()),
        (1, true)
    );
    assert!(listed.dropped.len() < 16, "{}", listed.dropped.len());
    // Nothing is left out of an element with more faults than that.
    let argument = r#"{"name":"a","title":7}"#;
    let arguments = vec![argument; 1_000].join(",");
    let body = format!(
        r#""result":{{"resultType":"complete","ttlMs":0,"cacheScope":"private","prompts":[{{"name":"p","arguments":[{arguments}]}},{{"name":"q"}}]}}"#
    );
    let answer = move |_: &str, _: &_| body.clone();
    let fake = FakeStream::connect(Revision::LATEST, builder(), answer).await;
    let listed = fake.client.prompts().all().await.expect("a list");
    assert_eq!((listed.items.len(), listed.faults.len()), (1, 1));
    assert!(listed.dropped.is_empty());
}
