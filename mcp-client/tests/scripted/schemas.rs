//! Structured results of tools are validated against their output schemas.

use std::io::Write;
use std::sync::{Arc, Mutex};

use mcp_client::types::Revision;
use mcp_client::{BrokenOutput, CallError, Client, OutputError};

use super::fake::FakeStream;

/// Returns a client of a server with one tool, whose schema it knows.
async fn connect(revision: Revision, schema: &str, result: &str) -> FakeStream {
    let more = if revision.is_modern() {
        r#","resultType":"complete","ttlMs":0,"cacheScope":"private""#
    } else {
        ""
    };
    let tool =
        format!(r#"{{"name":"it","inputSchema":{{"type":"object"}},"outputSchema":{schema}}}"#);
    let list = format!(r#""result":{{"tools":[{tool}]{more}}}"#);
    let result = format!(r#""result":{{"content":[],{result}{more}}}"#);
    let builder = Client::builder("test", "1.0.0");
    FakeStream::connect(revision, builder, move |method, _| match method {
        "tools/list" => list.clone(),
        _ => result.clone(),
    })
    .await
}

/// Returns the validation error of the result of a tool that was listed.
async fn broken(schema: &str, result: &str) -> Option<BrokenOutput> {
    let fake = connect(Revision::LATEST, schema, result).await;
    fake.client.tools().all().await.expect("a list");
    match fake.client.call_tool("it").await {
        Ok(_) => None,
        Err(CallError::Output { source }) => Some(*source),
        Err(error) => panic!("{error}"),
    }
}

/// Runs a future, and returns the warnings that it logs, too.
async fn logged<T>(future: impl Future<Output = T>) -> (T, String) {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::WARN)
        .with_writer(move || writer.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let output = future.await;
    let bytes = log.0.lock().expect("fine").clone();
    (output, String::from_utf8(bytes).expect("text"))
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("fine").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Returns the warning with the reason why a result is returned that was not validated.
async fn unchecked(schema: &str, result: &str) -> String {
    let (found, warnings) = logged(broken(schema, result)).await;
    assert!(found.is_none(), "{schema}: {found:?}");
    assert!(
        warnings.contains("the result of a tool is not checked"),
        "{schema}: {warnings}"
    );
    warnings
}

const SUM: &str = r#"{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]}"#;

#[tokio::test]
async fn result_that_violates_its_schema_is_kept_in_the_error() {
    for revision in [
        Revision::V2025_06_18,
        Revision::V2025_11_25,
        Revision::LATEST,
    ] {
        let result = r#""structuredContent":{"sum":"3"}"#;
        let mut fake = connect(revision, SUM, result).await;
        // A tool that was not listed is not validated.
        fake.client.call_tool("it").await.expect("not listed");
        fake.client.tools().one_page().await.expect("a page");
        fake.client.call_tool("other").await.expect("not listed");
        let error = fake.client.call_tool("it").await.expect_err("broken");
        let CallError::Output { source } = error else {
            panic!("{revision}: {error}");
        };
        assert_eq!(source.tool, "it");
        let OutputError::Mismatch { faults } = &source.error else {
            panic!("{revision}: {source}");
        };
        let [fault] = &faults[..] else {
            panic!("{faults:?}");
        };
        assert_eq!(fault.path().to_string(), "$.sum");
        let content = source.result.structured_content.as_ref();
        let content = content.expect("the result is kept").to_string();
        assert_eq!(content, r#"{"sum":"3"}"#);
        // After a change of the tools, their schemas are unknown until they are listed again.
        fake.asked();
        let changed = "notifications/tools/list_changed";
        fake.notify(changed, "{}").await;
        fake.client.call_tool("it").await.expect("not known");
    }
}

#[tokio::test]
async fn result_that_matches_its_schema_is_returned() {
    let cases = [
        (SUM, r#""structuredContent":{"sum":3,"more":[]}"#),
        // Failed results are not validated.
        (SUM, r#""isError":true"#),
        // In its own dialect, in which this keyword has a meaning.
        (
            r#"{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}]}"#,
            r#""structuredContent":["x",1]"#,
        ),
        (r#"{"type":"null"}"#, r#""structuredContent":null"#),
        (
            r##"{"properties":{"next":{"$ref":"#"},"at":{"type":"integer"}}}"##,
            r#""structuredContent":{"next":{"next":{"at":1}}}"#,
        ),
    ];
    for (schema, result) in cases {
        let broken = broken(schema, result).await;
        assert!(broken.is_none(), "{schema}: {broken:?}");
    }
}

#[tokio::test]
async fn schema_violations_are_distinguished_by_kind() {
    let recursive = r##"{"properties":{"next":{"$ref":"#"},"at":{"type":"integer"}}}"##;
    let anything = r#""structuredContent":{}"#;
    let missing = broken(SUM, r#""isError":false"#).await.expect("broken");
    assert_eq!(missing.error, OutputError::Missing);
    let deep = r#""structuredContent":{"next":{"at":"x"}}"#;
    let found = broken(recursive, deep).await.expect("broken");
    assert!(found.error.to_string().contains("$.next.at"), "{found}");
    // The validator does not search for the error, because too many paths lead to it.
    let again = r##"{"properties":{"a":{"$ref":"#"}}}"##;
    let twice = format!(r#"{{"type":"object","allOf":[{again},{again}]}}"#);
    let value = format!("{}1{}", r#"{"a":"#.repeat(100), "}".repeat(100));
    let found = broken(&twice, &format!(r#""structuredContent":{value}"#)).await;
    let faults = Vec::new();
    let found = found.expect("broken").error;
    assert_eq!(found, OutputError::Mismatch { faults });
    // Schemas that cannot be used do not make results invalid. External schemas are not loaded.
    for schema in [
        r#"{"$ref":"https://example.com/schema"}"#,
        r#"{"$schema":"https://example.com/d"}"#,
        r#"{"type":"thing"}"#,
    ] {
        unchecked(schema, anything).await;
    }
}

#[tokio::test]
async fn exponential_schema_is_not_validated() {
    let mut definitions = String::from(r#""d60":{"type":"integer"}"#);
    for step in 0..60 {
        let next = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, step + 1);
        definitions.push_str(&format!(r#","d{step}":{{"allOf":[{next},{next}]}}"#));
    }
    let schema = format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{definitions}}}}}"##);
    let reason = unchecked(&schema, r#""structuredContent":1"#).await;
    assert!(reason.contains("could take too long"), "{reason}");
}

#[tokio::test]
async fn recursive_schema_is_validated_in_bounded_time() {
    let again = r##"{"properties":{"a":{"$ref":"#"}}}"##;
    let schema = format!(r#"{{"allOf":[{again},{again}],"not":{{"type":"string"}}}}"#);
    for (inmost, right) in [("1", true), (r#""x""#, false)] {
        let mut value = inmost.to_owned();
        for _ in 0..100 {
            value = format!(r#"{{"a":{value}}}"#);
        }
        let found = broken(&schema, &format!(r#""structuredContent":{value}"#)).await;
        assert_eq!(found.is_none(), right);
    }
}

#[tokio::test]
async fn too_deep_schema_is_not_validated() {
    for (nest, levels) in [(1, 100), (25, 1)] {
        let mut definitions = String::from(r##""d60":{"properties":{"a":{"$ref":"#"}}}"##);
        for step in 0..60 {
            let mut inner = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, step + 1);
            for _ in 0..nest {
                inner = format!(r#"{{"anyOf":[{{"type":"string"}},{inner}]}}"#);
            }
            definitions.push_str(&format!(r#","d{step}":{inner}"#));
        }
        let schema = format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{definitions}}}}}"##);
        let mut value = "1".to_owned();
        for _ in 0..levels {
            value = format!(r#"{{"a":{value}}}"#);
        }
        let reason = unchecked(&schema, &format!(r#""structuredContent":{value}"#)).await;
        assert!(reason.contains("take too long"), "{reason}");
    }
}

#[tokio::test]
async fn schema_with_costly_patterns_is_not_compiled() {
    let patterns: Vec<String> = (0..60)
        .map(|index| format!(r#"{{"pattern":"\\pL{{200}}{index}"}}"#))
        .collect();
    let many = format!(r#"{{"allOf":[{}]}}"#, patterns.join(","));
    // Patterns whose translation for the engine is quadratic.
    let classes = format!(r#"{{"pattern":"{}"}}"#, r"\\d".repeat(50_000));
    for schema in [
        &many,
        &classes,
        r#"{"pattern":"(a|b)*a(a|b){2000}c"}"#,
        r#"{"pattern":"^(?:(?=a*)a)*$"}"#,
    ] {
        let reason = unchecked(schema, r#""structuredContent":"x""#).await;
        assert!(reason.contains("could take too long"), "{reason}");
    }
}

#[tokio::test]
async fn text_that_is_too_long_for_a_pattern_is_not_matched() {
    let text = |length: usize| format!(r#""structuredContent":"{}""#, "ab".repeat(length / 2));
    for (pattern, matches) in [
        ("(a|b)*a(a|b){400}c", false),
        ("^(?!x)(?=.*[ab])[ab]{2,500}", true),
        ("^(?:(?!--).)*$", true),
    ] {
        let schema = format!(r#"{{"pattern":"{pattern}"}}"#);
        let (found, warnings) = logged(broken(&schema, &text(500))).await;
        assert_eq!(found.is_none(), matches, "{pattern}: {found:?}");
        assert_eq!(warnings, "", "{pattern}");
        let reason = unchecked(&schema, &text(100_000)).await;
        assert!(reason.contains("would take too long"), "{reason}");
    }
}

#[tokio::test]
async fn faults_of_choices_are_those_of_the_branch_that_was_meant() {
    let food = r#"{"type":"string","const":"food"}"#;
    let travel = r#"{"type":"string","const":"travel"}"#;
    let day = r#"{"type":"string","format":"date"}"#;
    let schema = format!(
        r#"{{"properties":{{"for":{{"anyOf":[{{"oneOf":[{food},{travel}]}},{{"type":"null"}}]}},"day":{day},"sum":{{"minimum":1}}}}}}"#
    );
    let found = broken(
        &schema,
        r#""structuredContent":{"for":"x","day":"today","sum":0}"#,
    )
    .await;
    let text = found.expect("broken").error.to_string();
    for expected in [
        "expected one of `food`, `travel` (at $.for)",
        "expected at least 1 (at $.sum)",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    // A format is a remark of the server, not a promise.
    assert!(!text.contains("day"), "{text}");
}
