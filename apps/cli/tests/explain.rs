//! `mcp explain`.

use mcp_client::types::Revision;
use serde_json::Value;

use super::record::run_recorded;
use super::replay::EVERYTHING;
use crate::support::folder::Folder;
use crate::support::program::{Printed, mcp};

fn explain(arguments: &[&str]) -> Printed {
    let explained = mcp().arg("explain").args(arguments).output();
    explained.expect("it runs").into()
}

#[test]
fn faults_are_found_with_their_paths() {
    let folder = Folder::new("explain-faults").created();
    let file = folder.file("session.jsonl");
    run_recorded(&file, &["call", "invalid"], &["odd"]);
    let table = explain(&[&file]);
    assert_eq!(table.code, Some(0), "{table:?}");
    let expected = "fault  $.result.content[0].text: invalid type: integer `7`, expected a string";
    assert!(table.out.contains(expected), "{table:?}");
    let call = format!("{}  tools/call invalid ", Revision::LATEST);
    assert!(table.out.contains(&call), "{table:?}");
    assert!(table.out.ends_with(" 1 fault\n"), "{table:?}");
    let json: Value = serde_json::from_str(&explain(&[&file, "--json"]).out).expect("JSON");
    assert_eq!(
        (&json["faults"], &json["serverInfo"]),
        (&1.into(), &"odd 1".into())
    );
    let formatted: Value =
        serde_json::from_str(&explain(&[&file, "--format", "json"]).out).expect("JSON");
    assert_eq!(formatted, json);
    let entries = json["entries"].as_array().expect("a list");
    let faulty = entries.iter().find(|entry| entry["faults"][0].is_object());
    let faulty = faulty.expect("the fault");
    assert_eq!(faulty["method"], "tools/call");
    assert_eq!(faulty["faults"][0]["path"], "$.result.content[0].text");
    let page = explain(&[&file, "--format", "html"]).out;
    let marked = r#"<mark title="invalid type: integer `7`, expected a string"><span class="n">7</span></mark>"#;
    assert!(page.contains(marked), "{page}");
}

#[test]
fn messages_before_the_handshake_is_answered_have_the_revision_that_was_asked_for() {
    let folder = Folder::new("explain-early").created();
    let file = folder.file("session.jsonl");
    let header = std::fs::read_to_string(EVERYTHING).expect("a recording");
    let header = header.lines().next().expect("a header");
    let lines = [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
    ];
    let entries = lines.map(|line| {
        format!(
            r#"{{"time":"2026-11-28T06:06:25.632Z","ms":5.6,"from":"client","message":{line}}}"#
        )
    });
    std::fs::write(&file, format!("{header}\n{}\n", entries.join("\n"))).expect("written");
    let table = explain(&[&file]);
    assert!(table.out.ends_with(" 0 faults\n"), "{table:?}");
    assert!(!table.out.contains("2026-07-28"), "{table:?}");
}

#[test]
fn session_of_a_server_from_npm_is_valid() {
    let table = explain(&[EVERYTHING]);
    assert!(
        table.out.ends_with("26 messages in 2.3 s, 0 faults\n"),
        "{table:?}"
    );
    assert!(
        table.out.contains("notifications/progress 4 of 4"),
        "{table:?}"
    );
    assert!(table.out.contains("tools/call nope: failed"), "{table:?}");
}

/// A session in which both sides send what could be code on a page or control a terminal.
const HOSTILE: &str = r#"{"mcpRecording":1,"program":"<i>p</i>","time":"<i>t</i>","server":{"program":["<script>server()</script>"]},"secrets":"kept"}
{"time":"<i>1</i>","ms":1,"from":"client","http":{"exchange":1,"method":"<i>GET</i>","path":"/<i>","headers":{"<i>h":"<i>v"}},"message":{"jsonrpc":"2.0","id":"<i>","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}}
{"time":"2","ms":2,"from":"server","http":{"exchange":1,"status":200},"message":{"jsonrpc":"2.0","id":"<i>","result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"</title><script>name()</script>\u001b[31m\u202e","version":"\""}}}}
{"time":"3","ms":3000,"from":"client","message":{"jsonrpc":"2.0","id":2,"method":"<img src=x onerror=a()>","params":{"name":"<b>","<u>\u009b":"</pre><script>params()</script>"}}}
{"time":"4","ms":3001,"from":"server","message":{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"<script>error()</script>","data":["\" onload=\"x"]}}}
{"time":"5","ms":3002,"from":"server","stream":"stderr","text":"<script>stderr()</script>\u001b[2J"}
{"time":"6","ms":3003,"from":"server","text":"<script>stdout()</script>"}
{"time":"7","ms":3004,"from":"server","message":{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"<script>level()</script>","data":1}}}
{"time":"8","ms":3005,"from":"server","message":["<script>"]}
"#;

#[test]
fn page_contains_no_text_of_peers_as_markup_and_loads_nothing() {
    let folder = Folder::new("explain-hostile").created();
    let (file, page) = (folder.file("session.jsonl"), folder.file("page.html"));
    std::fs::write(&file, HOSTILE).expect("written");
    let refused = explain(&[&file, "--format", "html", "-o", &file]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let done = explain(&[&file, "--format", "html", "-o", &page]);
    assert_eq!((done.code, &*done.out), (Some(0), ""), "{done:?}");
    let page = std::fs::read_to_string(&page).expect("a file");
    for markup in [
        "<script", "<img", "<i>", "<b>", "<u>", "\u{1b}", "\u{9b}", "\u{202e}",
    ] {
        assert!(!page.contains(markup), "{markup:?} in {page}");
    }
    // Each element is one of the page's own.
    for tag in page.split('<').skip(1) {
        let name = tag.trim_start_matches('/');
        let name = name.split(|c: char| !c.is_ascii_alphanumeric()).next();
        let own = [
            "", "html", "head", "meta", "title", "style", "body", "header", "p", "h1", "code",
            "dl", "div", "dt", "dd", "a", "main", "section", "ul", "li", "svg", "line", "rect",
            "text", "path", "g", "circle", "label", "input", "ol", "details", "summary", "span",
            "pre", "mark", "footer",
        ];
        assert!(name.is_some_and(|name| own.contains(&name)), "<{tag}");
    }
    assert!(
        page.contains("&lt;script&gt;params()&lt;/script&gt;"),
        "{page}"
    );
    assert!(
        page.contains("default-src 'none'; style-src 'sha256-"),
        "{page}"
    );
    for loading in ["src=", "http:", "https:", "url(", "@import", "javascript:"] {
        let own = page.replace("onerror=a()", "").replace("&lt;img src=x", "");
        assert!(!own.contains(loading), "{loading} in {page}");
    }

    let table = explain(&[&file]);
    assert!(
        !table.out.contains(['\u{1b}', '\u{9b}', '\u{202e}']),
        "{table:?}"
    );
    assert!(table.out.contains("$.params.level: "), "{table:?}");
}

#[test]
fn files_that_are_no_recordings_are_rejected() {
    let folder = Folder::new("explain-invalid").created();
    let file = folder.file("session.jsonl");
    let header = HOSTILE.lines().next().expect("a line");
    let newer = header.replace(":1,", ":2,");
    for (text, reason) in [
        ("", "line 1: expected the first line of a recording"),
        ("{}\n", "missing field `mcpRecording`"),
        (
            &*newer,
            "the format has the version 2, this program reads 1",
        ),
        (
            &*format!("{header}\n{{\"time\":1}}\n"),
            "line 2: invalid type",
        ),
        (
            &*format!("{header}\n{{\"time\":\"\",\"ms\":1e300,\"from\":\"client\"}}\n"),
            "line 2: `ms` is not between 0 and 10000000000000",
        ),
    ] {
        std::fs::write(&file, text).expect("written");
        let printed = explain(&[&file]);
        assert_eq!((printed.code, &*printed.out), (Some(2), ""), "{printed:?}");
        assert!(printed.err.contains(reason), "{printed:?}");
    }
    // The last line may be cut off.
    let last = HOSTILE.trim_end().trim_end_matches('}');
    std::fs::write(&file, last).expect("written");
    assert_eq!(explain(&[&file]).code, Some(0));
    let none = explain(&[&folder.file("none")]);
    assert_eq!(none.code, Some(2), "{none:?}");
}
