//! Invalid replies to `tools/list`, for all transports.

use mcp_client::CallError;
use mcp_client::types::Revision;
use mcp_client::types::rpc::Fault as Envelope;

/// An invalid reply.
pub(crate) struct Fault {
    pub(crate) name: &'static str,
    /// Returns the bytes that the server sends in reply to the request with this id, without the
    /// line end.
    pub(crate) says: fn(id: &str) -> Vec<u8>,
    pub(crate) then: Outcome,
}

/// The outcome of the call.
pub(crate) enum Outcome {
    /// The call fails immediately, with a matching error.
    Fails(fn(&CallError) -> bool),
    /// The call keeps waiting, because the reply is not its response. If no other response can
    /// follow, as in a JSON body, the call fails with this error, if the reply is not a valid
    /// message.
    Waits(Option<fn(Envelope) -> bool>),
}

/// A valid result.
pub(crate) fn sound(revision: Revision) -> &'static str {
    if revision.is_modern() {
        r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[]}"#
    } else {
        r#"{"tools":[]}"#
    }
}

/// The valid response.
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

/// A text that exceeds the nesting limit.
fn deep(around: &str, levels: usize) -> String {
    let (open, close) = around.split_at(around.len() / 2);
    format!("{}{}", open.repeat(levels), close.repeat(levels))
}

/// Checks for a decoding error with its path.
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

const fn fault(name: &'static str, says: fn(&str) -> Vec<u8>, then: Outcome) -> Fault {
    Fault { name, says, then }
}

/// Invalid replies of every revision.
pub(crate) const FAULTS: &[Fault] = &[
    // Results of the wrong type.
    fault(
        "a result that is null",
        |id| result(id, "null"),
        Outcome::Fails(no_list),
    ),
    fault(
        "a result that is a text",
        |id| result(id, r#""tools""#),
        Outcome::Fails(no_list),
    ),
    fault(
        "a result that is a list",
        |id| result(id, "[]"),
        Outcome::Fails(no_list),
    ),
    fault(
        "a result of another method",
        |id| {
            result(
                id,
                r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","content":[]}"#,
            )
        },
        Outcome::Fails(no_list),
    ),
    fault(
        "a member of the wrong type",
        |id| {
            result(
                id,
                r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":7}"#,
            )
        },
        Outcome::Fails(|error| no_list(error) && error.to_string().contains("tools")),
    ),
    fault(
        "a result that nests too deep",
        |id| result(id, &format!(r#"{{"tools":{}}}"#, deep("[]", 100_000))),
        Outcome::Fails(no_list),
    ),
    fault(
        "a result that nests too deep where nobody looks",
        |id| {
            result(
                id,
                &format!(r#"{{"tools":[],"more":{}}}"#, deep("[]", 100_000)),
            )
        },
        Outcome::Fails(no_list),
    ),
    // Malformed errors.
    fault(
        "an error that is a text",
        |id| error(id, r#""no""#),
        Outcome::Fails(refused),
    ),
    fault(
        "an error that is null",
        |id| error(id, "null"),
        Outcome::Fails(refused),
    ),
    fault(
        "an error with a text for a code",
        |id| error(id, r#"{"code":"no","message":"no"}"#),
        Outcome::Fails(refused),
    ),
    fault(
        "an error that nests too deep",
        |id| {
            let data = deep("[]", 100_000);
            error(id, &format!(r#"{{"code":1,"message":"no","data":{data}}}"#))
        },
        Outcome::Fails(
            |error| matches!(error, CallError::Refused { source, .. } if source.code == 1),
        ),
    ),
    // Malformed messages with an id.
    fault(
        "an answer that is both",
        |id| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}},"error":{{}}}}"#).into_bytes(),
        Outcome::Fails(|error| no_message(error, Envelope::ResultAndError)),
    ),
    fault(
        "an answer of another version",
        |id| format!(r#"{{"jsonrpc":"1.0","id":{id},"result":{{}}}}"#).into_bytes(),
        Outcome::Fails(no_list),
    ),
    fault(
        "an answer without a version",
        |id| format!(r#"{{"id":{id},"result":{{}}}}"#).into_bytes(),
        Outcome::Fails(no_list),
    ),
    fault(
        "an answer with a member twice",
        |id| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}},"result":{{}}}}"#).into_bytes(),
        Outcome::Fails(|error| no_message(error, Envelope::DuplicateMember)),
    ),
    // Responses to other requests.
    fault(
        "an answer to nothing",
        |_| result("999999", "{}"),
        Outcome::Waits(None),
    ),
    fault(
        "an answer to a negative number",
        |_| result("-1", "{}"),
        Outcome::Waits(None),
    ),
    fault(
        "an answer to a word",
        |_| result(r#""abc""#, "{}"),
        Outcome::Waits(None),
    ),
    fault(
        "an error to nothing",
        |_| error("999999", "{}"),
        Outcome::Waits(None),
    ),
    fault(
        "an error to nobody",
        |_| error("null", "{}"),
        Outcome::Waits(None),
    ),
    fault(
        "a result to nobody",
        |_| result("null", "{}"),
        Outcome::Waits(Some(|fault| fault == Envelope::NullId)),
    ),
    fault(
        "an answer to half a request",
        |_| result("0.5", "{}"),
        Outcome::Waits(Some(|fault| fault == Envelope::FractionalId)),
    ),
    fault(
        "an answer to a number without end",
        |_| result(&"9".repeat(10_000), "{}"),
        Outcome::Waits(Some(|fault| fault == Envelope::IdOutOfRange)),
    ),
    fault(
        "an answer to a list",
        |id| result(&format!("[{id}]"), "{}"),
        Outcome::Waits(Some(|fault| fault == Envelope::IdType)),
    ),
    // Malformed messages.
    fault(
        "no UTF-8",
        |id| {
            let mut text = result(id, "\"\"");
            let at = text.len() - 2;
            text.insert(at, 0xff);
            text
        },
        Outcome::Fails(no_list),
    ),
    fault(
        "half a JSON",
        |id| result(id, "{"),
        Outcome::Waits(Some(|fault| matches!(fault, Envelope::Syntax { .. }))),
    ),
    fault(
        "zeroes",
        |_| vec![0; 1_000],
        Outcome::Waits(Some(|fault| matches!(fault, Envelope::Syntax { .. }))),
    ),
    fault(
        "an escape that is none",
        |id| result(id, r#""\ud800""#),
        Outcome::Fails(no_list),
    ),
    fault(
        "more behind the answer",
        |id| [result(id, "{}"), b" and so on".to_vec()].concat(),
        Outcome::Waits(Some(|fault| fault == Envelope::TrailingBytes)),
    ),
    fault(
        "a number",
        |_| b"7".to_vec(),
        Outcome::Waits(Some(|fault| fault == Envelope::NotAnObject)),
    ),
    fault(
        "brackets that never close",
        |_| "[".repeat(100_000).into_bytes(),
        Outcome::Waits(Some(|fault| matches!(fault, Envelope::Syntax { .. }))),
    ),
    fault(
        "brackets and nothing else",
        |_| deep("[]", 100_000).into_bytes(),
        Outcome::Waits(Some(|_| true)),
    ),
    // Unexpected messages.
    fault(
        "an unknown notification",
        |_| notification("no/such", "{}"),
        Outcome::Waits(None),
    ),
    fault(
        "a notification without what it is about",
        |_| notification("notifications/progress", "{}"),
        Outcome::Waits(None),
    ),
    fault(
        "progress of nothing",
        |_| {
            notification(
                "notifications/progress",
                r#"{"progressToken":999999,"progress":1}"#,
            )
        },
        Outcome::Waits(None),
    ),
    fault(
        "progress that nobody wants",
        |id| {
            let params = format!(r#"{{"progressToken":{id},"progress":1}}"#);
            notification("notifications/progress", &params)
        },
        Outcome::Waits(None),
    ),
    fault(
        "cancellation of nothing",
        |_| notification("notifications/cancelled", r#"{"requestId":999999}"#),
        Outcome::Waits(None),
    ),
    fault(
        "cancellation of what the client asked",
        |id| {
            notification(
                "notifications/cancelled",
                &format!(r#"{{"requestId":{id}}}"#),
            )
        },
        Outcome::Waits(None),
    ),
    fault(
        "a notification that nests too deep",
        |_| {
            let data = deep("[]", 100_000);
            let params = format!(r#"{{"level":"info","data":{data}}}"#);
            notification("notifications/message", &params)
        },
        Outcome::Waits(None),
    ),
    fault(
        "params that are a list",
        |_| notification("notifications/message", "[]"),
        Outcome::Waits(Some(|fault| fault == Envelope::ParamsType)),
    ),
];

/// Invalid replies of servers of the newest revision only.
pub(crate) const MODERN: &[Fault] = &[
    fault(
        "an unknown type of result",
        |id| result(id, r#"{"resultType":"postponed"}"#),
        Outcome::Fails(
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
        Outcome::Fails(|error| matches!(error, CallError::ResultType { .. })),
    ),
    fault(
        "a type of result that is a number",
        |id| result(id, r#"{"resultType":7,"tools":[]}"#),
        Outcome::Fails(no_list),
    ),
    fault(
        "several messages in one",
        |id| format!("[{}]", answer(Revision::LATEST, id)).into_bytes(),
        Outcome::Waits(Some(|fault| fault == Envelope::BatchNotAllowed)),
    ),
];

/// Invalid replies of servers of 2025-03-26 only, which has batches.
pub(crate) const BATCHES: &[Fault] = &[
    fault(
        "no messages in one",
        |_| b"[]".to_vec(),
        Outcome::Waits(Some(|fault| fault == Envelope::EmptyBatch)),
    ),
    fault(
        "too many messages in one",
        |_| format!("[{}7]", "7,".repeat(100_000)).into_bytes(),
        Outcome::Waits(Some(|fault| fault == Envelope::BatchTooLong)),
    ),
    fault(
        "a fault beside other faults",
        |id| {
            let null = String::from_utf8(result(id, "null")).expect("UTF-8");
            format!("[7,[],null,{{}},{null}]").into_bytes()
        },
        Outcome::Fails(no_list),
    ),
    fault(
        "several faults, none of which is for it",
        |_| b"[7,[],null,{}]".to_vec(),
        Outcome::Waits(Some(|fault| fault == Envelope::NotAnObject)),
    ),
    fault(
        "several messages, none of which is for it",
        |_| {
            let received = notification("no/such", "{}");
            [b"[", &*received, b",", &*result("999999", "{}"), b"]"].concat()
        },
        Outcome::Waits(None),
    ),
];
