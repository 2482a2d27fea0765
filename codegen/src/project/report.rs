//! What people have to look at or to write after the sources were generated.

use crate::hints::Hints;
use crate::model::{Family, Kind, Message, MessageKind, Model, Note, Sender};
use crate::schema::Applied;
use std::collections::BTreeSet;

/// What the generator decided by itself, and what it could not know.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Why the sources cannot be generated.
    pub failure: Option<String>,
    /// What newer revisions did with the additions of proposals.
    pub adoptions: Vec<Adoption>,
    /// Decisions of the generator, by revision.
    pub notes: Vec<(String, Note)>,
    /// Messages and capabilities that are new in a revision, or that it has no longer: client and
    /// server may need behaviour for them.
    pub behaviour: Vec<(String, String)>,
    /// What the conversions between a revision and the one before lose, invent or reject, one line
    /// for each. Only a review looks for them.
    pub conversions: Vec<(String, String)>,
    /// Messages about unions whose variants cannot be distinguished. They are tried in a fixed
    /// order.
    pub ambiguous: Vec<String>,
    /// Keys of documentation texts that `docs.json` lacks.
    pub missing_docs: Vec<String>,
    /// Keys of documentation texts that no revision uses.
    pub unused_docs: Vec<String>,
    /// Messages without a valid example in `examples.json`. Their examples were drawn from the
    /// schema.
    pub drawn_examples: Vec<String>,
    /// Keys of examples that no revision uses.
    pub unused_examples: Vec<String>,
    /// Messages about hints that name nothing in any revision.
    pub unused_hints: Vec<String>,
}

/// Returns the notes about what types do not check, without repetitions.
pub(super) fn warnings<'a>(notes: impl IntoIterator<Item = &'a Note>) -> Vec<String> {
    let unchecked = notes.into_iter().filter(|note| note.is_warning());
    let texts: BTreeSet<String> = unchecked.map(Note::to_string).collect();
    texts.into_iter().collect()
}

/// Returns the warnings about unions whose variants cannot be distinguished.
pub(super) fn ambiguous(unions: &[String]) -> impl Iterator<Item = String> {
    unions
        .iter()
        .map(|union| format!("{union}: tried in order, the most demanding first"))
}

impl Report {
    /// Returns what the types of some revision do not check, and unions whose variants cannot be
    /// distinguished.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = warnings(self.notes.iter().map(|(_, note)| note));
        warnings.extend(ambiguous(&self.ambiguous));
        warnings
    }

    /// Returns one line for each text, example or hint that people have to write, change or remove.
    #[must_use]
    pub fn unwritten(&self) -> Vec<String> {
        let line = |what: &'static str| move |key: &String| format!("{what} `{key}`");
        let missing = self
            .missing_docs
            .iter()
            .map(line("docs.json has no text for"));
        let unused = self
            .unused_docs
            .iter()
            .map(line("docs.json: nothing has the key"));
        let drawn = self.drawn_examples.iter();
        let drawn = drawn.map(line("examples.json has no valid example of"));
        let idle = self
            .unused_examples
            .iter()
            .map(line("examples.json: nothing has the key"));
        let hints = self.unused_hints.iter();
        let hints = hints.map(|hint| format!("hints.json: {hint}"));
        let texts = missing.chain(unused).chain(drawn).chain(idle);
        texts.chain(hints).collect()
    }
}

/// What a newer revision did with the additions of a proposal.
#[derive(Clone, Debug)]
pub struct Adoption {
    /// The newer revision.
    pub revision: String,
    /// The name of the proposal.
    pub patch: String,
    /// The additions that the revision does not need or cannot have.
    pub applied: Applied,
}

/// Returns the differences between each revision and the one before that client and server may need
/// behaviour for.
pub(super) fn behaviour(family: &Family, hints: &Hints) -> Vec<(String, String)> {
    let pairs = family.models.windows(2);
    let found = pairs.filter_map(|pair| {
        let [old, new] = pair else { return None };
        let lines = new_behaviour(old, new, hints).into_iter();
        Some(lines.map(|line| (new.revision.clone(), line)))
    });
    found.flatten().collect()
}

fn new_behaviour(old: &Model, new: &Model, hints: &Hints) -> Vec<String> {
    let mut found = Vec::new();
    for (what, here, there) in [("new", new, old), ("removed", old, new)] {
        for message in own_messages(here) {
            if own_messages(there).all(|other| other.method != message.method) {
                found.push(format!("{what} {}", described(message)));
            }
        }
    }
    for owner in &hints.messages.capabilities {
        for (what, here, there) in [("new", new, old), ("removed", old, new)] {
            let others = own_members(there, owner);
            let mut members = own_members(here, owner);
            members.retain(|member| !others.contains(member));
            let lines = members.iter();
            found.extend(lines.map(|member| format!("{what} capability `{owner}.{member}`")));
        }
    }
    found
}

/// Returns the messages of a schema itself, without those of proposals.
fn own_messages(model: &Model) -> impl Iterator<Item = &Message> {
    let own = |message: &&Message| {
        let def = model.get(&message.name);
        def.is_some_and(|def| def.features.is_empty())
    };
    model.messages.iter().filter(own)
}

fn own_members<'a>(model: &'a Model, owner: &str) -> Vec<&'a str> {
    match model.get(owner).map(|def| &def.kind) {
        Some(Kind::Object(object)) => {
            let own = object.members.iter().filter(|it| it.features.is_empty());
            own.map(|member| member.json.as_str()).collect()
        }
        _ => Vec::new(),
    }
}

fn described(message: &Message) -> String {
    let kind = match message.kind {
        MessageKind::Request(_) => "request",
        MessageKind::Notification => "notification",
    };
    let sender = match message.sender {
        Sender::Client => ", sent by clients",
        Sender::Server => ", sent by servers",
        Sender::Both => ", sent by both sides",
        Sender::Unknown => ", in no union of what a side sends",
    };
    format!("{kind} `{}` (`{}`){sender}", message.method, message.name)
}
