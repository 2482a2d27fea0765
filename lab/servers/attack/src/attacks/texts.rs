//! Texts that could be expensive to report in errors.

use anyhow::Result;

use super::{Attack, volley};
use crate::messages::{LARGE, LEGACY, initialize, modern, modern_headers, plain_initialize};
use crate::target::Target;

pub(super) const ATTACKS: &[Attack] = &[
    Attack::new(
        "error-path",
        "560 KB of the beginning of an error's path, where an error is reported",
        |target| Box::pin(paths(target, 560 << 10)),
    )
    .one_at_a_time()
    .lasting(1_000, 6_000),
    Attack::new(
        "error-path-large",
        "4 MiB of the beginning of an error's path",
        |target| Box::pin(paths(target, LARGE - 1024)),
    )
    .one_at_a_time()
    .lasting(1_000, 6_000),
    Attack::new(
        "terminal-codes",
        "names with control characters, which would be seen in a log",
        |target| Box::pin(control_characters(target)),
    ),
];

/// What used to end an error's message, again and again.
const PATH: &str = " (at $[";

async fn paths(target: Target, bytes: usize) -> Result<()> {
    let text = PATH.repeat(bytes / PATH.len()) + ")";
    let requests = vec![
        target.post("", &initialize(LEGACY, "{}", &format!("\"{text}\""), "")),
        target.post("", &initialize(LEGACY, &format!("\"{text}\""), "{}", "")),
        target.post(
            "",
            &initialize(LEGACY, "{}", &format!(r#"{{"name":["{text}"]}}"#), ""),
        ),
        target.post("", &plain_initialize(&text)),
        target.modern(
            "1",
            "resources/list",
            None,
            &format!(r#""cursor":["{text}"]"#),
        ),
        target.modern_call(
            "1",
            "test_structured_content",
            &format!(r#"{{"a":"{text}","b":1}}"#),
        ),
        target.modern_call(
            "1",
            "test_structured_content",
            &format!(r#"{{"{text}":1}}"#),
        ),
        target.post(
            &modern_headers("tools/call", Some("x")),
            &modern("1", "tools/call", &format!(r#""name":"{text}""#)),
        ),
        target.post(&modern_headers("x", None), &modern("1", &text, "")),
        target.post("", &format!(r#"{{"jsonrpc":"{text}"}}"#)),
    ];
    volley(target, 10, requests).await
}

async fn control_characters(target: Target) -> Result<()> {
    let text = r"\u001b[2J\u001b]0;title\u0007\r\nERROR forged\u202e".repeat(1_000);
    let info = format!(r#"{{"name":"{text}","version":"{text}"}}"#);
    let requests = vec![
        target.post("", &initialize(LEGACY, "{}", &info, "")),
        target.post("", &plain_initialize(&text)),
        target.post(&modern_headers("x", None), &modern("1", &text, "")),
        target.post(
            "",
            &format!(r#"{{"jsonrpc":"2.0","id":"{text}","method":"x"}}"#),
        ),
        target.post("", &format!(r#"{{"jsonrpc":"2.0","method":"{text}"}}"#)),
    ];
    volley(target, 200, requests).await
}
