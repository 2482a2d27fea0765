//! The method table: which definitions are messages, who sends them, what answers them.

use super::{Kind, Model, Ty};
use crate::hints::Messages;

/// Who sends a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// The client.
    Client,
    /// The server.
    Server,
    /// Either side.
    Both,
    /// Not said.
    Unknown,
}

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Name of its definition.
    pub name: String,
    /// The constant that names it on the wire.
    pub method: String,
    /// Request or notification.
    pub kind: MessageKind,
    /// Who sends it.
    pub sender: Sender,
    /// Type of its parameters, and whether they must be there.
    pub params: Option<(Ty, bool)>,
}

/// A request with the type of its result, or a notification.
#[derive(Clone, Debug, PartialEq)]
pub enum MessageKind {
    /// A request and what it is answered with.
    Request(Ty),
    /// A notification.
    Notification,
}

/// Finds the messages of a model.
///
/// After this, every definition with a constant method and the name of a request or notification
/// is in the table; a request without a result definition is reported by name.
pub(super) fn find(model: &Model, rules: &Messages) -> Result<Vec<Message>, Vec<String>> {
    let mut messages = Vec::new();
    let mut unanswered = Vec::new();
    for def in model.types.iter().filter(|def| def.published) {
        let Kind::Object(object) = &def.kind else {
            continue;
        };
        let Some(method) = object
            .members
            .iter()
            .find(|member| member.json == rules.tag)
            .and_then(|member| member.constant()?.as_str())
        else {
            continue;
        };
        let params = object
            .members
            .iter()
            .find(|member| member.json == rules.params)
            .map(|member| (member.ty.clone(), member.required));
        let kind = if def.name.ends_with(&rules.notification) {
            MessageKind::Notification
        } else if let Some(stem) = def.name.strip_suffix(&rules.request) {
            let Some(result) = result_of(model, rules, &def.name, stem) else {
                unanswered.push(def.name.clone());
                continue;
            };
            MessageKind::Request(result)
        } else {
            continue;
        };
        messages.push(Message {
            name: def.name.clone(),
            method: method.to_owned(),
            kind,
            sender: sender_of(model, rules, &def.name),
            params,
        });
    }
    if unanswered.is_empty() {
        Ok(messages)
    } else {
        Err(unanswered)
    }
}

/// What answers a request: as the data says, as a response definition says, or by its name.
fn result_of(model: &Model, rules: &Messages, request: &str, stem: &str) -> Option<Ty> {
    for scope in [model.revision.as_str(), "*"] {
        if let Some(name) = rules
            .results
            .get(scope)
            .and_then(|names| names.get(request))
            && model.get(name).is_some()
        {
            return Some(Ty::Named(name.clone()));
        }
    }
    if let Some(Kind::Object(response)) = model
        .get(&format!("{stem}{}", rules.response))
        .map(|def| &def.kind)
        && let Some(member) = response
            .members
            .iter()
            .find(|member| member.json == "result")
    {
        return Some(member.ty.clone());
    }
    let name = format!("{stem}{}", rules.result);
    model.get(&name).map(|_| Ty::Named(name))
}

/// Who sends a message: the unions by sender say it.
fn sender_of(model: &Model, rules: &Messages, name: &str) -> Sender {
    let listed = |unions: &[String]| {
        unions
            .iter()
            .any(|union| match model.get(union).map(|def| &def.kind) {
                Some(Kind::Union(union)) => union
                    .variants
                    .iter()
                    .any(|variant| variant.ty == Ty::Named(name.to_owned())),
                _ => false,
            })
    };
    match (listed(&rules.client), listed(&rules.server)) {
        (true, true) => Sender::Both,
        (true, false) => Sender::Client,
        (false, true) => Sender::Server,
        (false, false) => Sender::Unknown,
    }
}
