//! [`MethodName`]: the method of a message, which this client may not know.

use std::borrow::Cow;

use mcp_types::{Revision, Sender};

/// The method of a message.
#[derive(Clone, Copy)]
pub(crate) struct MethodName<'a> {
    /// The name on the wire.
    pub(crate) name: &'a str,
    /// The name in errors, which is `(other)` for a method that no revision has.
    pub(crate) label: &'static str,
}

impl<'a> MethodName<'a> {
    /// Returns the name of a method that this client may not know.
    pub(crate) fn of(name: &'a str) -> Self {
        let mut revisions = Revision::WITH_DRAFT.iter().rev();
        let known = revisions.find_map(|revision| {
            let of_client = revision.message(name, Sender::Client);
            of_client.or_else(|| revision.message(name, Sender::Server))
        });
        let label = known.map_or("(other)", |known| known.method);
        Self { name, label }
    }

    pub(crate) fn owned(self) -> Cow<'static, str> {
        if self.name == self.label {
            Cow::Borrowed(self.label)
        } else {
            Cow::Owned(self.name.to_owned())
        }
    }
}

impl From<&'static str> for MethodName<'static> {
    fn from(name: &'static str) -> Self {
        Self { name, label: name }
    }
}
