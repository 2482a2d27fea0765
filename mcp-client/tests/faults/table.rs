//! What servers may say in place of an answer to `tools/list`, whatever it is said on.

use mcp_client::CallError;
use mcp_client::types::Revision;
use mcp_client::types::rpc::Fault as Envelope;

/// Something that no server should say.
pub(crate) struct Fault {
    pub(crate) name: &'static str,
    /// What the server says, without the end of the line, to the request with this id.
    pub(crate) says: fn(id: &str) -> Vec<u8>,
    pub(crate) then: Then,
}

/// What becomes of the call.
pub(crate) enum Then {
    /// It fails at once, with such an error.
    Fails(fn(&CallError) -> bool),
    /// It goes on to wait: what was said is no answer to it. Where there is no other answer, as in
    /// a body of JSON, this is what is wrong with it, if it is no message at all.
    Waits(Option<fn(Envelope) -> bool>),
}

/// A result as it should be.
pub(crate) fn sound(revision: Revision) -> &'static str {
    if revision.is_modern() {
        r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[]}"#
    } else {
        r#"{"tools":[]}"#
    }
}

/// The answer as it should be.
pub(crate) fn answer(revision: Revision, id: &str) -> String {
    let result = sound(revision);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

fn result(id: &str, result: &str) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).into_bytes()
}

fn error(id: &str, error: &str) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#).into_bytes()
}

fn notification(method: &str, params: &str) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#).into_bytes()
}

/// A text that nests deeper than anybody reads.
fn deep(around: &str, levels: usize) -> String {
    let (open, close) = around.split_at(around.len() / 2);
    format!("{}{}", open.repeat(levels), close.repeat(levels))
}

/// Whether the answer is no list, and the error says where.
fn no_list(error: &CallError) -> bool {
    matches!(
        error,
        CallError::Answer {
            method: "tools/list",
            ..
        }
    )
}

fn refused(error: &CallError) -> bool {
    matches!(error, CallError::Refused { source, .. } if source.code == -32603)
}

fn no_message(error: &CallError, what: Envelope) -> bool {
    matches!(error, CallError::Message { source, .. } if source.fault() == what)
}

const fn fault(name: &'static str, says: fn(&str) -> Vec<u8>, then: Then) -> Fault {
    Fault { name, says, then }
}

/// Faults of every revision.
pub(crate) const FAULTS: &[Fault] = &[
    // Answers of the wrong type.
    fault(
        "a result that is null",
        |id| result(id, "null"),
        Then::Fails(no_list),
    ),
    fault(
        "a result that is a text",
        |id| result(id, r#""tools""#),
        Then::Fails(no_list),
    ),
    fault(
        "a result that is a list",
        |id| result(id, "[]"),
        Then::Fails(no_list),
    ),
    fault(
        "a result of another method",
        |id| {
            result(
                id,
                r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","content":[]}"#,
            )
        },
        Then::Fails(no_list),
    ),
    fault(
        "a member of the wrong type",
        |id| {
            result(
                id,
                r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":7}"#,
            )
        },
        Then::Fails(|error| no_list(error) && error.to_string().contains("tools")),
    ),
    fault(
        "a result that nests too deep",
        |id| result(id, &format!(r#"{{"tools":{}}}"#, deep("[]", 100_000))),
        Then::Fails(no_list),
    ),
    fault(
        "a result that nests too deep where nobody looks",
        |id| {
            result(
                id,
                &format!(r#"{{"tools":[],"more":{}}}"#, deep("[]", 100_000)),
            )
        },
        Then::Fails(no_list),
    ),
    // Errors that are none.
    fault(
        "an error that is a text",
        |id| error(id, r#""no""#),
        Then::Fails(refused),
    ),
    fault(
        "an error that is null",
        |id| error(id, "null"),
        Then::Fails(refused),
    ),
    fault(
        "an error with a text for a code",
        |id| error(id, r#"{"code":"no","message":"no"}"#),
        Then::Fails(refused),
    ),
    fault(
        "an error that nests too deep",
        |id| {
            let data = deep("[]", 100_000);
            error(id, &format!(r#"{{"code":1,"message":"no","data":{data}}}"#))
        },
        Then::Fails(refused),
    ),
    // Answers that are no messages, but say to what.
    fault(
        "an answer that is both",
        |id| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}},"error":{{}}}}"#).into_bytes(),
        Then::Fails(|error| no_message(error, Envelope::ResultAndError)),
    ),
    fault(
        "an answer of another version",
        |id| format!(r#"{{"jsonrpc":"1.0","id":{id},"result":{{}}}}"#).into_bytes(),
        Then::Fails(|error| no_message(error, Envelope::WrongVersion)),
    ),
    fault(
        "an answer without a version",
        |id| format!(r#"{{"id":{id},"result":{{}}}}"#).into_bytes(),
        Then::Fails(|error| no_message(error, Envelope::MissingVersion)),
    ),
    fault(
        "an answer with a member twice",
        |id| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}},"result":{{}}}}"#).into_bytes(),
        Then::Fails(|error| no_message(error, Envelope::DuplicateMember)),
    ),
    // Answers to something else.
    fault(
        "an answer to nothing",
        |_| result("999999", "{}"),
        Then::Waits(None),
    ),
    fault(
        "an answer to a negative number",
        |_| result("-1", "{}"),
        Then::Waits(None),
    ),
    fault(
        "an answer to a word",
        |_| result(r#""abc""#, "{}"),
        Then::Waits(None),
    ),
    fault(
        "an error to nothing",
        |_| error("999999", "{}"),
        Then::Waits(None),
    ),
    fault(
        "an error to nobody",
        |_| error("null", "{}"),
        Then::Waits(None),
    ),
    fault(
        "a result to nobody",
        |_| result("null", "{}"),
        Then::Waits(Some(|fault| fault == Envelope::NullId)),
    ),
    fault(
        "an answer to half a request",
        |_| result("0.5", "{}"),
        Then::Waits(Some(|fault| fault == Envelope::FractionalId)),
    ),
    fault(
        "an answer to a number without end",
        |_| result(&"9".repeat(10_000), "{}"),
        Then::Waits(Some(|fault| fault == Envelope::IdOutOfRange)),
    ),
    fault(
        "an answer to a list",
        |id| result(&format!("[{id}]"), "{}"),
        Then::Waits(Some(|fault| fault == Envelope::IdType)),
    ),
    // No messages at all.
    fault(
        "no UTF-8",
        |id| {
            let mut text = result(id, "\"\"");
            let at = text.len() - 2;
            text.insert(at, 0xff);
            text
        },
        Then::Waits(Some(|fault| matches!(fault, Envelope::NotUtf8 { .. }))),
    ),
    fault(
        "half a JSON",
        |id| result(id, "{"),
        Then::Waits(Some(|fault| matches!(fault, Envelope::Syntax { .. }))),
    ),
    fault(
        "zeroes",
        |_| vec![0; 1_000],
        Then::Waits(Some(|fault| matches!(fault, Envelope::Syntax { .. }))),
    ),
    fault(
        "an escape that is none",
        |id| result(id, r#""\ud800""#),
        Then::Fails(no_list),
    ),
    fault(
        "more behind the answer",
        |id| [result(id, "{}"), b" and so on".to_vec()].concat(),
        Then::Waits(Some(|fault| fault == Envelope::TrailingBytes)),
    ),
    fault(
        "a number",
        |_| b"7".to_vec(),
        Then::Waits(Some(|fault| fault == Envelope::NotAnObject)),
    ),
    fault(
        "brackets that never close",
        |_| "[".repeat(100_000).into_bytes(),
        Then::Waits(Some(|fault| matches!(fault, Envelope::Syntax { .. }))),
    ),
    fault(
        "brackets and nothing else",
        |_| deep("[]", 100_000).into_bytes(),
        Then::Waits(Some(|_| true)),
    ),
    // What nobody asked for.
    fault(
        "an unknown notification",
        |_| notification("no/such", "{}"),
        Then::Waits(None),
    ),
    fault(
        "a notification without what it is about",
        |_| notification("notifications/progress", "{}"),
        Then::Waits(None),
    ),
    fault(
        "progress of nothing",
        |_| {
            notification(
                "notifications/progress",
                r#"{"progressToken":999999,"progress":1}"#,
            )
        },
        Then::Waits(None),
    ),
    fault(
        "progress that nobody wants",
        |id| {
            let params = format!(r#"{{"progressToken":{id},"progress":1}}"#);
            notification("notifications/progress", &params)
        },
        Then::Waits(None),
    ),
    fault(
        "cancellation of nothing",
        |_| notification("notifications/cancelled", r#"{"requestId":999999}"#),
        Then::Waits(None),
    ),
    fault(
        "cancellation of what the client asked",
        |id| {
            notification(
                "notifications/cancelled",
                &format!(r#"{{"requestId":{id}}}"#),
            )
        },
        Then::Waits(None),
    ),
    fault(
        "a notification that nests too deep",
        |_| {
            let data = deep("[]", 100_000);
            let params = format!(r#"{{"level":"info","data":{data}}}"#);
            notification("notifications/message", &params)
        },
        Then::Waits(None),
    ),
    fault(
        "params that are a list",
        |_| notification("notifications/message", "[]"),
        Then::Waits(Some(|fault| fault == Envelope::ParamsType)),
    ),
];

/// What only a server of the newest revision can say.
pub(crate) const MODERN: &[Fault] = &[
    fault(
        "an unknown type of result",
        |id| result(id, r#"{"resultType":"postponed"}"#),
        Then::Fails(
            |error| matches!(error, CallError::ResultType { result_type, .. } if result_type == "postponed"),
        ),
    ),
    fault(
        "an unknown type of a whole list",
        |id| {
            result(
                id,
                &sound(Revision::LATEST).replace("complete", "postponed"),
            )
        },
        Then::Fails(|error| matches!(error, CallError::ResultType { .. })),
    ),
    fault(
        "a type of result that is a number",
        |id| result(id, r#"{"resultType":7,"tools":[]}"#),
        Then::Fails(no_list),
    ),
    fault(
        "several messages in one",
        |id| format!("[{}]", answer(Revision::LATEST, id)).into_bytes(),
        Then::Waits(Some(|fault| fault == Envelope::BatchNotAllowed)),
    ),
];

/// What only a server of 2025-03-26 can say, which may say several things at once.
pub(crate) const BATCHES: &[Fault] = &[
    fault(
        "no messages in one",
        |_| b"[]".to_vec(),
        Then::Waits(Some(|fault| fault == Envelope::EmptyBatch)),
    ),
    fault(
        "too many messages in one",
        |_| format!("[{}7]", "7,".repeat(100_000)).into_bytes(),
        Then::Waits(Some(|fault| fault == Envelope::BatchTooLong)),
    ),
    fault(
        "a fault beside other faults",
        |id| {
            let null = String::from_utf8(result(id, "null")).expect("UTF-8");
            format!("[7,[],null,{{}},{null}]").into_bytes()
        },
        Then::Fails(no_list),
    ),
    fault(
        "several faults, none of which is for it",
        |_| b"[7,[],null,{}]".to_vec(),
        Then::Waits(Some(|fault| fault == Envelope::NotAnObject)),
    ),
    fault(
        "several messages, none of which is for it",
        |_| {
            let told = notification("no/such", "{}");
            [b"[", &*told, b",", &*result("999999", "{}"), b"]"].concat()
        },
        Then::Waits(None),
    ),
];
