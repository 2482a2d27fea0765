//! `validate_message` against the schema, for every message of every revision in every shape:
//! requests, notifications, results and errors with all kinds of ids, alone and in batches.
//!
//! The schema cannot express all rules: a message has one of `method`, `result` and `error`, a
//! notification has no `id`, and a batch is not empty.

#![cfg(all(feature = "registry", feature = "v2024-11-05"))]

use crate::common::schemas;
use crate::draw::{Node, Schemas, instance, mutate};
use mcp_types::error::{DecodeError, Segment};
use mcp_types::registry::validate_message;
use mcp_types::{MessageInfo, Revision, Sender};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use std::sync::Arc;

/// The definitions of the envelope that some revisions call otherwise.
const RESULT: [&str; 2] = ["JSONRPCResultResponse", "JSONRPCResponse"];
const ERROR: [&str; 2] = ["JSONRPCErrorResponse", "JSONRPCError"];

/// A revision, and one side that sends messages in it.
struct Side {
    revision: Revision,
    schemas: Arc<Schemas>,
    sender: Sender,
}

impl Side {
    fn all() -> impl Iterator<Item = Self> {
        Revision::WITH_DRAFT.iter().flat_map(|revision| {
            let schemas = schemas(*revision);
            [Sender::Client, Sender::Server].map(|sender| Self {
                revision: *revision,
                schemas: Arc::clone(&schemas),
                sender,
            })
        })
    }

    fn has(&self, name: &str) -> bool {
        self.schemas.definitions().any(|known| known == name)
    }

    fn first(&self, names: [&'static str; 2]) -> &'static str {
        names.into_iter().find(|name| self.has(name)).unwrap()
    }

    fn is_valid(&self, name: &str, value: &Value) -> bool {
        self.schemas.is_valid(name, value)
    }

    /// Returns the messages of this side, or of the other one.
    fn messages(&self, own: bool) -> impl Iterator<Item = &'static MessageInfo> {
        let is_client = (self.sender == Sender::Client) == own;
        let sender = if is_client {
            Sender::Client
        } else {
            Sender::Server
        };
        let messages = self.revision.messages().iter();
        messages.filter(move |message| [sender, Sender::Both].contains(&message.sender))
    }

    /// Returns `true` if the schema accepts the message, or each message of a batch.
    fn accepts(&self, message: &Value, answered: Option<&MessageInfo>) -> bool {
        if let Value::Array(messages) = message {
            return !messages.is_empty()
                && self.is_valid("JSONRPCMessage", message)
                && messages
                    .iter()
                    .all(|it| it.is_object() && self.accepts(it, answered));
        }
        let has = |name| message.get(name).is_some();
        match (has("method"), has("result"), has("error")) {
            (true, false, false) => {
                let method = &message["method"];
                let envelope = ["JSONRPCNotification", "JSONRPCRequest"][usize::from(has("id"))];
                self.is_valid(envelope, message)
                    && self.messages(true).any(|info| {
                        *method == info.method
                            && info.result.is_some() == has("id")
                            && self.is_valid(info.name, message)
                    })
            }
            (false, true, false) => {
                let mut envelope = message.clone();
                if answered.is_some() {
                    // The type of the answer decides, whatever all results have in common.
                    envelope["result"] = json!({ "resultType": "complete" });
                }
                self.is_valid(self.first(RESULT), &envelope)
                    && answered.is_none_or(|info| self.accepts_result(message, info))
            }
            (false, false, true) => self.is_valid(self.first(ERROR), message),
            _ => false,
        }
    }

    fn accepts_result(&self, message: &Value, request: &MessageInfo) -> bool {
        let name = request.result.unwrap();
        let is_task = self.has("TaskAugmentedRequestParams")
            && request.params.is_some_and(|params| {
                self.has(params)
                    && declares(&self.schemas, self.schemas.node(params), "task")
                    && self.is_valid("CreateTaskResult", &message["result"])
            });
        if self.has(name) {
            return is_task || self.is_valid(name, &message["result"]);
        }
        // A result with several forms has no name of its own.
        let response = request.name.replace("Request", "ResultResponse");
        self.is_valid(&response, message)
    }

    /// Checks that validation and the schema agree on a message.
    fn check(&self, message: &Value, answered: Option<&MessageInfo>, tally: &mut Tally) {
        let accepted = self.accepts(message, answered);
        let method = answered.map(|info| info.method);
        let text = message.to_string();
        let faults = validate_message(self.revision, self.sender, &text, |_| method);
        tally.tried += 1;
        tally.accepted += usize::from(accepted);
        let misplaced = faults.iter().find(|fault| !has_place(message, fault));
        if faults.is_empty() != accepted || misplaced.is_some() {
            tally.disagreements.push(format!(
                "{} {:?} answers {method:?}: {text} is valid: {accepted}, faults: {faults:?}",
                self.revision, self.sender
            ));
        }
    }

    /// Checks a message with all kinds of ids and versions, alone and in batches.
    fn check_shapes(&self, message: &Value, answered: Option<&MessageInfo>, tally: &mut Tally) {
        let ids = [
            None,
            Some(json!("")),
            Some(json!(7.0)),
            Some(json!(7.5)),
            Some(json!(null)),
            Some(json!([7])),
        ];
        let versions = [json!("2.0"), json!("1.0"), json!(2.0), json!(null)];
        for (at, version) in versions.iter().enumerate() {
            // Not the whole product: one kind of fault at a time.
            let ids = if at == 0 { &ids[..] } else { &ids[1..2] };
            for id in ids {
                let mut message = message.clone();
                let members = message.as_object_mut().unwrap();
                members.insert("jsonrpc".to_owned(), version.clone());
                members.remove("id");
                members.extend(id.clone().map(|id| ("id".to_owned(), id)));
                self.check(&message, answered, tally);
                if at == 0 && id.as_ref().is_none_or(Value::is_string) {
                    self.check_batches(&message, answered, tally);
                }
            }
        }
    }

    fn check_batches(&self, message: &Value, answered: Option<&MessageInfo>, tally: &mut Tally) {
        let error = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": ""}});
        let notification = json!({"jsonrpc": "2.0", "method": "notifications/cancelled"});
        for others in [
            vec![],
            vec![error],
            vec![notification],
            vec![json!([]), json!(7)],
        ] {
            let batch = Value::Array([std::slice::from_ref(message), &others[..]].concat());
            self.check(&batch, answered, tally);
        }
    }
}

#[derive(Default)]
struct Tally {
    tried: usize,
    accepted: usize,
    disagreements: Vec<String>,
}

/// Returns `true` if a type declares a member, in all of its forms.
fn declares(schemas: &Schemas, node: &Node, member: &str) -> bool {
    match node {
        Node::Ref(name) => declares(schemas, schemas.node(name), member),
        Node::Union { variants, .. } => variants.iter().all(|it| declares(schemas, it, member)),
        Node::Object { members, .. } => members.contains_key(member),
        _ => false,
    }
}

/// Returns `true` if the message has a value at the path of the fault.
fn has_place(message: &Value, fault: &DecodeError) -> bool {
    let mut segments = fault.path().segments().iter();
    segments
        .try_fold(message, |value, segment| match segment {
            Segment::Member(name) => value.get(name),
            Segment::Index(index) => value.get(index),
        })
        .is_some()
}

/// Returns an instance of a definition, and a mutant of it.
fn drawn(side: &Side, name: &str, runner: &mut TestRunner) -> [Value; 2] {
    let drawn = instance(&side.schemas, name).new_tree(runner);
    let drawn = drawn.unwrap().current();
    let mutant = mutate(&side.schemas, name, &drawn).new_tree(runner);
    [drawn, mutant.unwrap().current().1]
}

#[test]
fn messages_of_every_shape_are_valid_exactly_when_the_schema_accepts_them() {
    let mut runner = TestRunner::deterministic();
    let mut tally = Tally::default();
    for side in Side::all() {
        for info in side.messages(true) {
            for message in drawn(&side, info.name, &mut runner) {
                if message.is_object() {
                    side.check_shapes(&message, None, &mut tally);
                }
            }
        }
        for info in side.messages(false) {
            let Some(name) = info.result else { continue };
            let mut results = Vec::new();
            for name in [name, "CreateTaskResult", "Result", "InputRequiredResult"] {
                if side.has(name) {
                    results.extend(drawn(&side, name, &mut runner));
                }
            }
            for result in results {
                let message = json!({ "result": result });
                side.check_shapes(&message, Some(info), &mut tally);
                side.check(
                    &json!({"jsonrpc": "2.0", "id": 1, "result": result}),
                    None,
                    &mut tally,
                );
            }
        }
        for message in drawn(&side, side.first(ERROR), &mut runner) {
            if message.is_object() {
                side.check_shapes(&message, None, &mut tally);
            }
        }
        for message in [
            json!([]),
            json!({"jsonrpc": "2.0", "id": 1}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {}, "error": {}}),
            json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "result": {}}),
        ] {
            side.check(&message, None, &mut tally);
            side.check_batches(&message, None, &mut tally);
        }
    }
    let (tried, accepted) = (tally.tried, tally.accepted);
    println!("{tried} tried, {accepted} accepted");
    assert!(
        accepted > 1000 && tried > 4 * accepted,
        "{tried} {accepted}"
    );
    let count = tally.disagreements.len();
    tally.disagreements.truncate(6);
    assert!(
        count == 0,
        "{count} disagreements:\n{}",
        tally.disagreements.join("\n")
    );
}
