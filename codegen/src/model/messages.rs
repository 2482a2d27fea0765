//! The messages of a schema: their senders, params and results.

use super::{Kind, Message, MessageKind, Model, Note, Sender, Ty};
use crate::hints::{Messages, scoped};

/// Finds the messages of a model.
///
/// Every definition with a constant method whose name is that of a request or a notification
/// becomes a message. For a request without a result definition, one of the fallbacks of the hints
/// is used, or any object; a note says so.
pub(super) fn find(model: &Model, rules: &Messages) -> (Vec<Message>, Vec<Note>) {
    let mut messages: Vec<Message> = Vec::new();
    let mut notes = Vec::new();
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
            let result = result_of(model, rules, &def.name, stem);
            MessageKind::Request(result.unwrap_or_else(|| {
                let mut fallbacks = rules.fallback.iter();
                let result = fallbacks.find(|name| model.get(name).is_some()).cloned();
                notes.push(Note::Unanswered {
                    request: def.name.clone(),
                    result: result.clone(),
                });
                result.map_or(Ty::AnyObject, Ty::Named)
            }))
        } else {
            continue;
        };
        let is_same = |other: &&Message| {
            let same_kind = std::mem::discriminant(&other.kind) == std::mem::discriminant(&kind);
            other.method == method && same_kind
        };
        if let Some(other) = messages.iter().find(is_same) {
            notes.push(Note::SameMethod {
                method: method.to_owned(),
                names: [other.name.clone(), def.name.clone()],
            });
        }
        messages.push(Message {
            name: def.name.clone(),
            method: method.to_owned(),
            kind,
            sender: sender_of(model, rules, &def.name),
            params,
        });
    }
    (messages, notes)
}

/// Returns the result type of a request: from the hints, from a response definition, or by its
/// name.
fn result_of(model: &Model, rules: &Messages, request: &str, stem: &str) -> Option<Ty> {
    if let Some(name) = scoped(&rules.results, &model.revision, request)
        && model.get(name).is_some()
    {
        return Some(Ty::Named(name.clone()));
    }
    if let Some(Kind::Object(response)) = model
        .get(&format!("{stem}{}", rules.response))
        .map(|def| &def.kind)
        && let Some(member) = response
            .members
            .iter()
            .find(|member| member.json == rules.response_member)
    {
        return Some(member.ty.clone());
    }
    let name = format!("{stem}{}", rules.result);
    model.get(&name).map(|_| Ty::Named(name))
}

/// Returns the sender of a message, which follows from the unions of each sender.
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
