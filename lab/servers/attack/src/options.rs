//! The command line.

use std::net::{Ipv4Addr, SocketAddrV4};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use peers::Peer;

use crate::good::Tool;
use crate::issuer::RESOURCE;
use crate::subject::{Origin, Subject};

/// The skills of the example `everything`.
const SKILLS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../../mcp-server/examples/everything/skills"
);

const USAGE: &str = "\
usage: attack (--ours PROGRAM [--protected PROGRAM] [--peer NAME --peer-program PROGRAM] | --url URL
              [--pid PID] [--tool NAME] [--arguments JSON]) [--quick] [--only NAME]... [--workers N]
              [--format text|markdown]";

/// The default tool that good clients call.
const TOOL: &str = "test_simple_text";

/// The default number of worker threads of the servers that are started, on any machine.
const WORKERS: usize = 2;

/// How the results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Format {
    #[default]
    Text,
    Markdown,
}

/// The parsed command line.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) quick: bool,
    /// Names of attacks. Empty means all.
    pub(crate) only: Vec<String>,
    pub(crate) format: Format,
    /// The number of worker threads of the servers that are started.
    workers: usize,
    ours: Option<PathBuf>,
    protected: Option<PathBuf>,
    peer: Option<&'static Peer>,
    peer_program: Option<PathBuf>,
    url: Option<(SocketAddrV4, String)>,
    pid: Option<u32>,
    tool: Tool,
}

impl Options {
    pub(crate) fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self {
            quick: false,
            only: Vec::new(),
            format: Format::default(),
            workers: WORKERS,
            ours: None,
            protected: None,
            peer: None,
            peer_program: None,
            url: None,
            pid: None,
            tool: Tool {
                name: TOOL.to_owned(),
                arguments: "{}".to_owned(),
            },
        };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            if word == "--quick" {
                options.quick = true;
                continue;
            }
            let value = words.next().context(USAGE)?;
            match word.as_str() {
                "--only" => options.only.push(value.clone()),
                "--format" if value == "text" => options.format = Format::Text,
                "--format" if value == "markdown" => options.format = Format::Markdown,
                "--workers" => {
                    let workers: usize = value.parse().context("--workers needs a number")?;
                    options.workers = workers.max(1);
                }
                "--ours" => options.ours = Some(value.into()),
                "--protected" => options.protected = Some(value.into()),
                "--peer" => options.peer = Some(Peer::find(value).context(USAGE)?),
                "--peer-program" => options.peer_program = Some(value.into()),
                "--url" => options.url = Some(loopback(value)?),
                "--pid" => options.pid = Some(value.parse().context("--pid needs a number")?),
                "--tool" => options.tool.name.clone_from(value),
                "--arguments" => {
                    serde_json::from_str::<serde_json::Value>(value)
                        .context("--arguments needs JSON")?;
                    options.tool.arguments.clone_from(value);
                }
                _ => bail!("{USAGE}"),
            }
        }
        if options.ours.is_some() == options.url.is_some() {
            bail!("{USAGE}");
        }
        Ok(options)
    }

    /// Returns the servers that are attacked. The first one has to keep the bounds.
    pub(crate) fn subjects(&self) -> Vec<Subject> {
        let started = |name, program: &PathBuf, arguments: &[&str]| Subject {
            name,
            tool: self.tool.clone(),
            origin: Origin::Program {
                program: program.clone(),
                arguments: arguments.iter().map(|&word| word.to_owned()).collect(),
                workers: self.workers,
            },
            issuer: None,
            has_sessions: true,
        };
        let mut subjects = Vec::new();
        if let Some(program) = &self.ours {
            subjects.push(started(
                "mcp-server",
                program,
                &["--port", "0", "--skills", SKILLS],
            ));
        }
        if let Some((address, path)) = &self.url {
            subjects.push(Subject {
                name: "server",
                tool: self.tool.clone(),
                origin: Origin::Url {
                    address: *address,
                    path: path.clone(),
                    pid: self.pid,
                },
                issuer: None,
                has_sessions: true,
            });
        }
        if let (Some(peer), Some(program)) = (self.peer, &self.peer_program) {
            subjects.push(Subject {
                has_sessions: peer.has_sessions(),
                ..started(peer.name, program, &[])
            });
        }
        subjects
    }

    /// Returns `true` if there is a server that requires access tokens.
    pub(crate) fn has_protected(&self) -> bool {
        self.protected.is_some()
    }

    /// Returns the server that requires access tokens of this issuer.
    pub(crate) fn protected(&self, issuer: &str) -> Option<Subject> {
        let arguments = [
            ("--address", "127.0.0.1:0"),
            ("--resource", RESOURCE),
            ("--issuer", issuer),
            ("--introspection", "attacked:secret"),
            ("--dpop-rate", "20"),
        ];
        let words = arguments.iter().flat_map(|(name, value)| [*name, *value]);
        Some(Subject {
            name: "mcp-server",
            tool: Tool {
                name: "whoami".to_owned(),
                arguments: "{}".to_owned(),
            },
            origin: Origin::Program {
                program: self.protected.clone()?,
                arguments: words.map(str::to_owned).collect(),
                workers: self.workers,
            },
            issuer: Some(issuer.to_owned()),
            has_sessions: true,
        })
    }

    /// Returns how long the good clients call a server before the attacks.
    pub(crate) fn quiet_time(&self) -> Duration {
        Duration::from_secs(if self.quick { 2 } else { 1 })
    }

    /// Returns the timeout of a good call.
    pub(crate) fn call_time(&self) -> Duration {
        Duration::from_secs(if self.quick { 4 } else { 15 })
    }

    /// Returns how long memory may take to return to its bound after an attack.
    pub(crate) fn settle_time(&self) -> Duration {
        Duration::from_secs(if self.quick { 3 } else { 10 })
    }
}

/// Parses `http://ADDRESS:PORT/PATH`. Rejects all addresses that are not loopback addresses.
pub(crate) fn loopback(url: &str) -> Result<(SocketAddrV4, String)> {
    let rest = url.strip_prefix("http://");
    let rest = rest.with_context(|| format!("expected http://ADDRESS:PORT/PATH, found `{url}`"))?;
    let (authority, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, "/"),
    };
    let authority = match authority.strip_prefix("localhost:") {
        Some(port) => format!("{}:{port}", Ipv4Addr::LOCALHOST),
        None => authority.to_owned(),
    };
    let address: SocketAddrV4 = authority
        .parse()
        .with_context(|| format!("expected an IPv4 address and a port, found `{authority}`"))?;
    if !address.ip().is_loopback() {
        bail!("refusing to attack {address}: only servers at loopback addresses are attacked");
    }
    Ok((address, path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::loopback;

    #[test]
    fn only_loopback_addresses_are_accepted() {
        assert!(loopback("http://127.0.0.1:80/mcp").is_ok());
        assert!(loopback("http://localhost:80").is_ok());
        for url in [
            "http://192.0.2.1:80/mcp",
            "http://0.0.0.0:80/mcp",
            "http://127.0.0.1@192.0.2.1:80/",
            "http://localhost.example.com:80/",
            "https://127.0.0.1:80/",
            "http://example.com:80/",
        ] {
            assert!(loopback(url).is_err(), "{url}");
        }
    }
}
