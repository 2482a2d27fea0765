//! Decodes hostile texts of several shapes at four sizes, each twice as large as the previous one,
//! and prints the time for each. A ratio of about 2 is linear, one of about 4 is quadratic.
//!
//! Fails if a text that is eight times as long takes more than 32 times as long to decode.
//! Quadratic cost would take 64 times as long. Texts that do not fit into the caches of the
//! processor take more than eight times as long.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use mcp_types::json::{self, Value};
use mcp_types::{CallToolResult, ContentBlock, DiscoverResult, ListToolsResult, rpc};

/// Creates a text of about the given number of bytes.
type Make = fn(usize) -> String;
type Decode = fn(&str) -> bool;

const SMALLEST: usize = 512 << 10;

fn repeat(part: &str, size: usize) -> String {
    part.repeat(size / part.len())
}

fn numbered(size: usize, member: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for number in 0.. {
        if text.len() >= size {
            break;
        }
        if number > 0 {
            text.push(',');
        }
        text.push_str(&member(number));
    }
    text
}

/// The members of an object of about the given number of bytes, each with its own name.
fn members(size: usize) -> String {
    numbered(size, |at| format!("\"{at}\":0"))
}

fn value(text: &str) -> bool {
    json::from_str::<Value>(text).is_ok()
}

fn result(text: &str) -> bool {
    json::from_str::<CallToolResult>(text).is_ok()
}

fn block(text: &str) -> bool {
    json::from_str::<ContentBlock>(text).is_ok()
}

fn tools(text: &str) -> bool {
    json::from_str::<ListToolsResult>(text).is_ok()
}

fn message(text: &str) -> bool {
    rpc::decode::<ContentBlock, CallToolResult>(text, |_| true).is_ok()
}

const SHAPES: &[(&str, Make, Decode)] = &[
    (
        "text like paths in place of an object",
        |n| format!(r#"{{"capabilities":"{}"}}"#, repeat(" (at $[", n)),
        |text| json::from_str::<DiscoverResult>(text).is_ok(),
    ),
    (
        "text like paths in place of a list",
        |n| format!(r#"{{"content":"{}"}}"#, repeat(" (at $[", n)),
        result,
    ),
    (
        "text like paths as a tag",
        |n| format!(r#"{{"type":"{}"}}"#, repeat(" (at $['", n)),
        block,
    ),
    (
        "text like paths as a late tag",
        |n| format!(r#"{{"text":"","type":"{}"}}"#, repeat(" (at $.a", n)),
        block,
    ),
    (
        "text like paths in a message",
        |n| {
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"result":"{}"}}"#,
                repeat(" (at $[", n)
            )
        },
        message,
    ),
    (
        "a name like paths, twice",
        |n| {
            let name = repeat(" (at $[", n / 2);
            format!(r#"{{"{name}":0,"{name}":0}}"#)
        },
        value,
    ),
    (
        "one-digit numbers",
        |n| format!("[{}0]", repeat("0,", n)),
        value,
    ),
    (
        "empty objects",
        |n| format!("[{}0]", repeat("{},", n)),
        value,
    ),
    ("members", |n| format!("{{{}}}", members(n)), value),
    (
        "a member twice, last",
        |n| format!("{{{},\"0\":0}}", members(n)),
        value,
    ),
    (
        "unknown members",
        |n| format!(r#"{{"content":[],"resultType":"complete",{}}}"#, members(n)),
        result,
    ),
    (
        "members before the tag",
        |n| format!(r#"{{"text":"",{},"type":"text"}}"#, members(n)),
        block,
    ),
    (
        "members of an envelope",
        |n| format!(r#"{{"jsonrpc":"2.0","method":"x",{}}}"#, members(n)),
        message,
    ),
    (
        "a fault at the end",
        |n| format!("[{}}}", repeat("[\n],", n)),
        value,
    ),
    (
        "an escape again and again",
        |n| format!("\"{}\"", repeat("\\u00e9", n)),
        value,
    ),
    (
        "half of an escape at the end",
        |n| format!("\"{}\\ud800\"", repeat("a", n)),
        value,
    ),
    ("digits", |n| format!("0.{}", repeat("1", n)), value),
    (
        "digits with an exponent",
        |n| format!("{}e-5", repeat("1", n)),
        value,
    ),
    ("brackets", |n| repeat("[", n), value),
    (
        "long arrays within each other",
        |n| {
            (0..60).fold("0".to_owned(), |inner, _| {
                format!("[{}{inner}]", repeat("0,", n / 60))
            })
        },
        value,
    ),
    (
        "tools",
        |n| {
            format!(
                r#"{{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{}]}}"#,
                numbered(n, |_| r#"{"name":"","inputSchema":{"type":"object"}}"#
                    .to_owned())
            )
        },
        tools,
    ),
    (
        "tools, the last one faulty",
        |n| {
            format!(
                r#"{{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{},0]}}"#,
                numbered(n, |_| r#"{"name":"","inputSchema":{"type":"object"}}"#
                    .to_owned())
            )
        },
        tools,
    ),
];

/// Returns the shortest time of several attempts.
fn time(decode: Decode, text: &str) -> Duration {
    let attempt = |_| {
        let start = Instant::now();
        black_box(decode(black_box(text)));
        start.elapsed()
    };
    (0..5).map(attempt).min().unwrap_or_default()
}

fn main() -> ExitCode {
    let mut linear = true;
    println!(
        "{:40} {:>9} {:>9} {:>9} {:>9}  ratios",
        "milliseconds at", "0.5 MiB", "1 MiB", "2 MiB", "4 MiB"
    );
    for (name, make, decode) in SHAPES {
        let times =
            [1, 2, 4, 8].map(|factor| time(*decode, &make(SMALLEST * factor)).as_secs_f64() * 1e3);
        let [a, b, c, d] = times;
        let sound = d < 32.0 * a;
        linear &= sound;
        let note = if sound { "" } else { "  not linear" };
        println!(
            "{name:40} {a:9.2} {b:9.2} {c:9.2} {d:9.2}  {:.1} {:.1} {:.1}{note}",
            b / a,
            c / b,
            d / c
        );
    }
    ExitCode::from(u8::from(!linear))
}
