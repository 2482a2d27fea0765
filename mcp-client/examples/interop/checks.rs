//! Checks, and those that every server has to pass.

use std::future::Future;
use std::pin::Pin;

use mcp_client::types::Revision;

use crate::peer::{Peer, Result};

/// The outcome of a check that did not fail.
pub(crate) enum Outcome {
    Done,
    /// The server does not support what is checked.
    Skipped(String),
}

type Checking<'a> = Pin<Box<dyn Future<Output = Result<Outcome>> + 'a>>;

/// A check with its name.
pub(crate) type Check = (&'static str, Box<dyn Fn(&Peer) -> Checking<'_>>);
/// All checks of a kind of server.
pub(crate) type Checks = Vec<Check>;

/// Creates a check from an async function.
pub(crate) fn check<F>(name: &'static str, check: F) -> Check
where
    F: AsyncFn(&Peer) -> Result<()> + Copy + 'static,
{
    let run =
        for_any(move |peer| Box::pin(async move { check(peer).await.map(|()| Outcome::Done) }));
    (name, Box::new(run))
}

/// Creates a check that is skipped if the revision is older than `since`.
pub(crate) fn since(revision: Revision, (name, run): Check) -> Check {
    let run = for_any(move |peer| {
        if peer.client.revision() < revision {
            let why = format!("new in {revision}");
            return Box::pin(async move { Ok(Outcome::Skipped(why)) });
        }
        run(peer)
    });
    (name, Box::new(run))
}

/// Returns an error with the actual value if it differs from the expected one.
pub(crate) fn expect(right: bool, found: impl std::fmt::Debug) -> Result<()> {
    if right {
        Ok(())
    } else {
        Err(format!("found {found:?}").into())
    }
}

/// Checks that a server does not support a part of the protocol.
pub(crate) fn skipped(name: &'static str, why: &'static str) -> Check {
    let run = for_any(move |_| Box::pin(async move { Ok(Outcome::Skipped(why.to_owned())) }));
    (name, Box::new(run))
}

/// Makes the compiler infer a closure over any lifetime.
fn for_any<F: for<'a> Fn(&'a Peer) -> Checking<'a>>(run: F) -> F {
    run
}
