//! [`Owner`]: for whom a gateway calls.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::LazyLock;

use mcp_server::{Context, Principal};

/// For whom a gateway calls.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Owner {
    /// A session of an older revision.
    Session(String),
    /// An authenticated user.
    Principal(String),
    /// All clients that are not authenticated.
    Anonymous,
}

impl Owner {
    pub(crate) fn of(cx: &Context) -> Self {
        match cx.session() {
            Some(session) => Self::Session(session.key().to_owned()),
            None => Self::user(cx),
        }
    }

    /// Returns the user, with or without a session.
    pub(crate) fn user(cx: &Context) -> Self {
        match cx.extension::<Principal>() {
            Some(Principal(name)) => Self::Principal(name.clone()),
            None => Self::Anonymous,
        }
    }

    /// Returns a text that differs between owners, only in this process, and does not tell the name.
    pub(crate) fn mark(&self) -> String {
        static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        format!("{:016x}", HASHER.hash_one(self))
    }
}

impl std::fmt::Debug for Owner {
    /// Does not show the names.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Session(_) => "Session",
            Self::Principal(_) => "Principal",
            Self::Anonymous => "Anonymous",
        })
    }
}
