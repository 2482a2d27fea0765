//! Runs examples of `mcp-server` behind the example `gateway` of `mcp-gateway`.

use std::path::Path;

use anyhow::{Context as _, Result};

use crate::subject::{self, Subject};
use crate::workspace;

/// The scenarios of the conformance suite that do not pass through the gateway, with the reasons.
const EXCEPTIONS: [(&str, &str); 1] = [(
    "server-sse-polling",
    "the stream that the tool closes is the one to the gateway",
)];

/// Further ones if the gateway uses a revision with sessions with the server behind it.
const OLDER_EXCEPTIONS: [(&str, &str); 13] = [
    ("input-required-result-basic-elicitation", QUESTIONS),
    ("input-required-result-ignore-extra-params", QUESTIONS),
    ("input-required-result-multiple-input-requests", QUESTIONS),
    ("server-stateless", CAPABILITIES),
    ("tasks-capability-negotiation", TASKS),
    ("tasks-dispatch-and-envelope", TASKS),
    ("tasks-lifecycle", TASKS),
    ("tasks-mrtr-composition", TASKS),
    ("tasks-mrtr-input", TASKS),
    ("tasks-request-headers", TASKS),
    ("tasks-request-state-removal", TASKS),
    ("tasks-required-task-error", CAPABILITIES),
    ("tasks-wire-fields", TASKS),
];

const TASKS: &str = "the extension exists since 2026-07-28";

const QUESTIONS: &str = "in older revisions, questions have no names and come one after the other";

const CAPABILITIES: &str = "older revisions have no error for a capability that the client lacks";

/// What stands between a client and the example.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Through {
    /// Whether the gateway starts the example and uses stdio, instead of HTTP.
    stdio: bool,
    /// The only revision that the gateway uses with the example, instead of negotiating one.
    revision: Option<String>,
}

impl Through {
    /// How it is written on the command line.
    pub(crate) const FORM: &str = "gateway[:stdio][:REVISION]";

    /// Parses the value of the option `--through`.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let mut words = text.split(':').peekable();
        let is_gateway = words.next() == Some("gateway");
        let stdio = words.next_if_eq(&"stdio").is_some();
        let revision = words.next().map(str::to_owned);
        (is_gateway && words.next().is_none())
            .then_some(Self { stdio, revision })
            .with_context(|| format!("--through {text}: expected {}", Self::FORM))
    }

    /// Returns why a scenario cannot pass through the gateway.
    pub(crate) fn exception(&self, scenario: &str) -> Option<&'static str> {
        let is_old = |revision: &String| revision.as_str() < "2026-07-28";
        let older: &[_] = match &self.revision {
            Some(revision) if is_old(revision) => &OLDER_EXCEPTIONS,
            _ => &[],
        };
        let mut known = EXCEPTIONS.iter().chain(older);
        let known = known.find(|(known, _)| *known == scenario);
        known.map(|(_, why)| *why)
    }

    /// Starts the gateway in front of the example `everything`. Their output is written to a folder.
    pub(crate) fn start(&self, folder: &Path) -> Result<Served> {
        self.start_example("everything", &["--port", "0"], &["--stdio"], folder)
    }

    /// Starts the gateway in front of an example, which has these arguments if it serves HTTP and
    /// if it serves stdio.
    pub(crate) fn start_example(
        &self,
        example: &str,
        http: &[&str],
        stdio: &[&str],
        folder: &Path,
    ) -> Result<Served> {
        let example = subject::build(example)?;
        let gateway = subject::build("gateway")?;
        let mut arguments = Vec::new();
        if let Some(revision) = &self.revision {
            arguments.extend(["--revision", revision]);
        }
        if self.stdio {
            let program = workspace::text(&example)?;
            arguments.extend(["--", program]);
            arguments.extend(stdio);
            let front = Subject::start(&gateway, &arguments, &folder.join("gateway"))?;
            return Ok(Served {
                front,
                _behind: None,
            });
        }
        let behind = Subject::start(&example, http, folder)?;
        arguments.push(&behind.url);
        let front = Subject::start(&gateway, &arguments, &folder.join("gateway"))?;
        Ok(Served {
            front,
            _behind: Some(behind),
        })
    }
}

/// The running programs.
pub(crate) struct Served {
    pub(crate) front: Subject,
    /// Killed after the gateway.
    _behind: Option<Subject>,
}

#[cfg(test)]
mod tests {
    use super::Through;

    #[test]
    fn only_known_ways_through_a_gateway_are_accepted() {
        let through = |stdio, revision: Option<&str>| Through {
            stdio,
            revision: revision.map(str::to_owned),
        };
        for (text, expected) in [
            ("gateway", Some(through(false, None))),
            ("gateway:stdio", Some(through(true, None))),
            (
                "gateway:stdio:2025-11-25",
                Some(through(true, Some("2025-11-25"))),
            ),
            (
                "gateway:2025-11-25",
                Some(through(false, Some("2025-11-25"))),
            ),
            ("gateway:2025-11-25:stdio", None),
            ("proxy", None),
            ("", None),
        ] {
            assert_eq!(Through::parse(text).ok(), expected, "{text}");
        }
    }
}
