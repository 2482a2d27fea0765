//! Values that the server has sealed and receives again: it accepts an unchanged value and rejects
//! all others. The first byte selects the value that is sent and how it is changed.
#![no_main]

use std::sync::OnceLock;

use fuzz::head;
use fuzz::world::{MESSAGE, exchange, request, run, server};
use libfuzzer_sys::{Corpus, fuzz_target};
use mcp_types::json::{self, Value};
use mcp_types::rpc::INVALID_PARAMS;

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let (choice, rest) = head(bytes, 1);
    let choice = choice.first().copied().unwrap_or_default();
    let (cursor, state) = sealed();
    let is_cursor = choice & 1 == 0;
    let sealed = if is_cursor { cursor } else { state };
    let Some(text) = changed(sealed, rest, choice & 2 == 0) else {
        return Corpus::Reject;
    };
    let quoted = json::to_string(&text).expect("text");
    if quoted.len() > MESSAGE / 2 {
        // Texts beyond the size limit are rejected earlier, with a different error.
        return Corpus::Reject;
    }
    let answer = if is_cursor {
        ask("resources/list", &format!(r#""cursor":{quoted}"#))
    } else {
        let who = r#"{"who":{"action":"accept","content":{"name":"I"}}}"#;
        let params = r#""name":"ask","arguments":{},"inputResponses":"#;
        ask(
            "tools/call",
            &format!(r#"{params}{who},"requestState":{quoted}"#),
        )
    };
    if text == *sealed {
        assert!(answer.get("result").is_some(), "{answer:?}");
    } else {
        let code = answer.pointer("/error/code").and_then(Value::as_i64);
        assert_eq!(code, Some(INVALID_PARAMS), "{answer:?}");
    }
    Corpus::Keep
});

/// Returns a cursor and a state that the server created.
fn sealed() -> &'static (String, String) {
    static SEALED: OnceLock<(String, String)> = OnceLock::new();
    SEALED.get_or_init(|| {
        let list = ask("resources/list", "");
        let call = ask("tools/call", r#""name":"ask","arguments":{}"#);
        let text = |answer: &Value, place| {
            answer
                .pointer(place)
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        let cursor = text(&list, "/result/nextCursor");
        let state = text(&call, "/result/requestState");
        (
            cursor.unwrap_or_else(|| panic!("{list:?}")),
            state.unwrap_or_else(|| panic!("{call:?}")),
        )
    })
}

/// Returns an arbitrary text, or the sealed text with some characters replaced.
fn changed(sealed: &str, bytes: &[u8], other: bool) -> Option<String> {
    if other {
        return std::str::from_utf8(bytes).ok().map(str::to_owned);
    }
    let mut changed = sealed.as_bytes().to_vec();
    for pair in bytes.chunks_exact(2) {
        let place = usize::from(pair[0]) % (changed.len() + 1);
        match changed.get_mut(place) {
            Some(byte) => *byte = (*byte ^ pair[1]) & 0x7f,
            None => changed.push(pair[1] & 0x7f),
        }
    }
    String::from_utf8(changed).ok()
}

fn ask(method: &str, params: &str) -> Value {
    let line = request(1, method, params) + "\n";
    let heard = run(exchange(server(), [line.as_bytes()].into_iter()));
    json::from_slice(&heard).unwrap_or_else(|error| {
        panic!("{error}: {}", String::from_utf8_lossy(&heard));
    })
}
