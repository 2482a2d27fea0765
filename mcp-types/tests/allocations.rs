//! Checks the peak memory of decoding, as counted by the allocator: at most 24 bytes for each byte
//! of the text, for any shape of the text.
//!
//! While a list is reallocated, both allocations count. The allocator counts for the whole process,
//! so the tests take turns, unless each has a process of its own.

use mcp_types::json::{self, Object, Value};
use mcp_types::rpc::{self, Decoded};
use mcp_types::{
    CallToolRequestParams, CallToolResult, CreateMessageRequestParams, ListPromptsResult,
    ListResourcesResult, ListRootsResult, ListToolsResult, ReadResourceResult,
};
use peak_alloc::PeakAlloc;
use serde::de::DeserializeOwned;
use std::sync::{Mutex, PoisonError};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The maximum number of bytes of memory for each byte of text.
const FACTOR: usize = 24;

/// The unused capacity of short lists, and the tables that texts of all sizes need.
const CONSTANT: usize = 96 << 10;

const SIZE: usize = 1 << 18;

/// A list that doubles its capacity takes the most memory just above a power of two. The exact size
/// depends on the element.
const SIZES: [usize; 4] = [1 << 18, 5 << 16, 3 << 17, 7 << 16];

/// Repeats an element. `%` in it is replaced by a unique name.
fn repeated(element: &str, size: usize) -> String {
    let mut text = String::with_capacity(size + element.len() + 32);
    let mut number = 0;
    while text.len() < size {
        if number > 0 {
            text.push(',');
        }
        text.push_str(&element.replace('%', &name(number)));
        number += 1;
    }
    text
}

/// Returns a short name for a number, in capitals. No type declares such a member.
fn name(mut number: usize) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let mut name = String::new();
    loop {
        name.push(char::from(LETTERS[number % LETTERS.len()]));
        number /= LETTERS.len();
        if number == 0 {
            return name;
        }
    }
}

/// Returns the peak of the memory allocated by `decode`, in bytes.
fn peak<T>(decode: impl FnOnce() -> T) -> usize {
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let value = decode();
    let peak = MEMORY.peak_usage().saturating_sub(before);
    drop(value);
    peak
}

/// Returns `true` if the peak is within the bound, and prints it.
fn within(what: &str, text: &str, peak: usize) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
    let ratio = peak as f64 / text.len() as f64;
    let within = peak <= FACTOR * text.len() + CONSTANT;
    let note = if within { "" } else { "  exceeds the bound" };
    println!("{ratio:6.2}  {what}{note}");
    within
}

fn check<T: DeserializeOwned>(what: &str, text: &str) -> bool {
    let mut sound = true;
    let peak = peak(|| {
        let value = json::from_str::<T>(text);
        sound = value.is_ok();
        value.ok()
    });
    assert!(
        sound,
        "{what}: {}",
        json::from_str::<T>(text).err().unwrap()
    );
    within(what, text, peak)
}

/// Elements of an array, for shapes of any JSON.
const ELEMENTS: [&str; 34] = [
    "0",
    "10",
    "-1",
    "1.5",
    "1e9",
    "18446744073709551615",
    "null",
    "true",
    "\"\"",
    "\"a\"",
    "\"abcdefgh\"",
    "\"\\n\"",
    "\"\\u0041\"",
    "[]",
    "{}",
    "[0]",
    "[0,0]",
    "[0,0,0]",
    "[0,0,0,0,0]",
    "[0,0,0,0,0,0,0,0,0]",
    "[[]]",
    "[{}]",
    "[[[[]]]]",
    "[\"\"]",
    "{\"\":0}",
    "{\"a\":0}",
    "{\"a\":{}}",
    "{\"\":[0]}",
    "{\"\":{\"\":{\"\":0}}}",
    "{\"a\":0,\"b\":0}",
    "{\"a\":0,\"b\":0,\"c\":0,\"d\":0,\"e\":0}",
    "{\"%\":\"%\"}",
    "[0],{},\"\",null,10",
    "{\"type\":\"string\",\"description\":\"What to look for\"}",
];

/// Values of members, for shapes of any JSON.
const VALUES: [&str; 5] = ["0", "\"\"", "[]", "{}", "{\"a\":0}"];

fn values() -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for element in ELEMENTS {
        texts.push((
            format!("[{element},..]"),
            format!("[{}]", repeated(element, SIZE)),
        ));
    }
    for value in VALUES {
        let member = format!("\"%\":{value}");
        texts.push((
            format!("{{\"a\":{value},..}}"),
            format!("{{{}}}", repeated(&member, SIZE)),
        ));
    }
    for length in [1, 10, 33, 100, 700, 1023, 1024, 1025, 5000] {
        let inner = format!("[{}0]", "0,".repeat(length - 1));
        texts.push((
            format!("[[0,.. {length} times],..]"),
            format!("[{}]", repeated(&inner, SIZE)),
        ));
        let members: Vec<_> = (0..length)
            .map(|at| format!("\"{}\":0", name(at)))
            .collect();
        let inner = format!("{{{}}}", members.join(","));
        texts.push((
            format!("[{{{length} members}},..]"),
            format!("[{}]", repeated(&inner, SIZE)),
        ));
    }
    for (open, close) in [
        ("[", "]"),
        ("{\"\":", "}"),
        ("[0,0,0,0,0,", "]"),
        ("[{\"a\":", "}]"),
    ] {
        let levels = if open.starts_with("[{") { 60 } else { 120 };
        let deep = format!("{}0{}", open.repeat(levels), close.repeat(levels));
        texts.push((
            format!("[{open}.. {levels} deep ..{close},..]"),
            format!("[{}]", repeated(&deep, SIZE)),
        ));
    }
    // At each level, a long array precedes the nested one.
    for length in [20, 1000, 1100] {
        let mut text = String::from("0");
        while text.len() < SIZE && text.len() / (2 * length) < 100 {
            text = format!("[{}{text}]", "0,".repeat(length));
        }
        texts.push((format!("[{length} elements, [..]]"), text));
    }
    let long = "x".repeat(SIZE);
    texts.push(("a long string".to_owned(), format!("\"{long}\"")));
    texts.push((
        "a long string with an escape".to_owned(),
        format!("\"\\n{long}\""),
    ));
    texts.push((
        "escapes".to_owned(),
        format!("\"{}\"", "\\n".repeat(SIZE / 2)),
    ));
    texts.push(("a long name".to_owned(), format!("{{\"{long}\":0}}")));
    let number = format!("0.{}", "1".repeat(json::NUMBER_LIMIT - 2));
    let numbers = vec![number; SIZE / json::NUMBER_LIMIT];
    texts.push((
        "long numbers".to_owned(),
        format!("[{}]", numbers.join(",")),
    ));
    texts
}

/// Creates the text of a typed list in an object.
fn list(before: &str, element: &str, size: usize) -> String {
    format!("{{{before}[{}]}}", repeated(element, size))
}

/// The members before the list in most results.
const COMPLETE: &str = r#""resultType":"complete","ttlMs":0,"cacheScope":"private","#;

fn typed() -> bool {
    SIZES
        .into_iter()
        .map(typed_of)
        .fold(true, |all, within| all & within)
}

fn typed_of(size: usize) -> bool {
    let list = |before: &str, element: &str| list(before, element, size);
    let mut within = true;
    for element in [
        r#"{"type":"text","text":""}"#,
        r#"{"text":"","type":"text"}"#,
        r#"{"type":"image","data":"","mimeType":""}"#,
        r#"{"type":"resource_link","name":"","uri":""}"#,
        r#"{"type":"resource","resource":{"uri":"","text":""}}"#,
        r#"{"type":"text","text":"","a":0}"#,
        r#"{"type":"text","text":"","_meta":{}}"#,
    ] {
        let text = list(r#""resultType":"complete","content":"#, element);
        within &= check::<CallToolResult>(&format!("content {element}"), &text);
    }
    for element in [
        r#"{"name":"","inputSchema":{"type":"object"}}"#,
        r#"{"name":"","inputSchema":{"type":"object","properties":{"a":{}}}}"#,
        r#"{"name":"","inputSchema":{"type":"object"},"icons":[{"src":""}]}"#,
    ] {
        let text = list(&format!("{COMPLETE}\"tools\":"), element);
        within &= check::<ListToolsResult>(&format!("tools {element}"), &text);
    }
    let text = list(
        &format!("{COMPLETE}\"resources\":"),
        r#"{"name":"","uri":""}"#,
    );
    within &= check::<ListResourcesResult>("resources", &text);
    let text = list(&format!("{COMPLETE}\"prompts\":"), r#"{"name":""}"#);
    within &= check::<ListPromptsResult>("prompts", &text);
    let element = r#"{"name":"","arguments":[{"name":""}]}"#;
    let text = list(&format!("{COMPLETE}\"prompts\":"), element);
    within &= check::<ListPromptsResult>("arguments of prompts", &text);
    for element in [r#"{"uri":"","text":""}"#, r#"{"uri":"","blob":""}"#] {
        let text = list(&format!("{COMPLETE}\"contents\":"), element);
        within &= check::<ReadResourceResult>(&format!("contents {element}"), &text);
    }
    let text = list(r#""roots":"#, r#"{"uri":""}"#);
    within &= check::<ListRootsResult>("roots", &text);
    let element = r#"{"role":"user","content":{"type":"text","text":""}}"#;
    let text = list(r#""maxTokens":1,"messages":"#, element);
    within &= check::<CreateMessageRequestParams>("messages", &text);
    let hints = list(r#""hints":"#, "{}");
    let text = format!(r#"{{"maxTokens":1,"messages":[],"modelPreferences":{hints}}}"#);
    within &= check::<CreateMessageRequestParams>("hints", &text);
    let text = list(r#""maxTokens":1,"messages":[],"stopSequences":"#, "\"\"");
    within &= check::<CreateMessageRequestParams>("strings", &text);
    within
}

/// Undeclared members, and members of any type.
fn untyped() -> bool {
    let mut within = true;
    for value in VALUES {
        let members = repeated(&format!("\"%\":{value}"), SIZE);
        let text = format!(r#"{{"content":[],{members},"resultType":"complete"}}"#);
        within &= check::<CallToolResult>(&format!("unknown members {value}"), &text);
        within &= check::<Object>(&format!("object {value}"), &format!("{{{members}}}"));
        let text = format!(r#"{{"uri":"","text":"",{members}}}"#);
        within &=
            check::<mcp_types::AnyResourceContents>(&format!("members of a shape {value}"), &text);
        let text = format!(r#"{{"text":"",{members},"type":"text"}}"#);
        within &=
            check::<mcp_types::ContentBlock>(&format!("members before the tag {value}"), &text);
    }
    within
}

/// Complete messages.
fn messages() -> bool {
    let mut within = true;
    for element in ["0", "{}", "\"\""] {
        let list = repeated(element, SIZE);
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"complete","content":[],"structuredContent":[{list}]}}}}"#
        );
        let peak = peak(|| {
            let decoded = rpc::decode::<CallToolRequestParams, CallToolResult>(&text, |_| true);
            assert!(matches!(decoded, Ok(Decoded::Typed(_))));
            decoded
        });
        within &= self::within(&format!("result with [{element},..]"), &text, peak);
    }
    // With members of several variants, the message is decoded several times.
    for element in ["0", "{}", "\"\"", "\"\\u0041\""] {
        for size in SIZES {
            let list = repeated(element, size);
            for more in [
                r#""result":1"#,
                r#""id":1,"result":1"#,
                r#""id":[],"error":{"code":1,"message":2}"#,
            ] {
                let text =
                    format!(r#"{{"jsonrpc":"2.0","method":"x","params":{{"a":[{list}]}},{more}}}"#);
                let what = format!("message with {element} and {more}");
                within &= check::<mcp_types::JsonRpcMessage>(&what, &text);
            }
        }
    }
    let text = format!(
        r#"{{"jsonrpc":"2.0","method":"x",{}}}"#,
        repeated("\"%\":0", SIZE)
    );
    let peak = peak(|| rpc::parse_str(&text).map(|_| ()));
    within & self::within("members of an envelope", &text, peak)
}

/// Long lists of a large type, whose rest is short and not valid.
fn invalid() -> bool {
    let tool = r#"{"name":"","inputSchema":{"type":"object"}}"#;
    [1100, 1200, 1400, 2000].into_iter().all(|tools| {
        let tools = vec![tool; tools].join(",");
        let text = format!(r#"{{{COMPLETE}"tools":[{tools}{}]}}"#, ",0".repeat(SIZE));
        let peak = peak(|| assert!(json::from_str::<ListToolsResult>(&text).is_err()));
        within("tools and numbers", &text, peak)
    })
}

/// Runs a check while no other one runs.
fn assert_within(check: impl FnOnce() -> bool) {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    assert!(check(), "see the lines marked above");
}

#[test]
fn values_take_at_most_24_bytes_for_each_byte_of_text() {
    assert_within(|| {
        let mut within = true;
        for (what, text) in values() {
            within &= check::<Value>(&what, &text);
        }
        within
    });
}

#[test]
fn declared_members_take_at_most_24_bytes_for_each_byte_of_text() {
    assert_within(typed);
}

#[test]
fn undeclared_members_take_at_most_24_bytes_for_each_byte_of_text() {
    assert_within(untyped);
}

#[test]
fn messages_take_at_most_24_bytes_for_each_byte_of_text() {
    assert_within(messages);
}

#[test]
fn invalid_elements_take_at_most_24_bytes_for_each_byte_of_text() {
    assert_within(invalid);
}
