//! The measured cases: servers, requests, and the expected responses.

use std::fmt;

use anyhow::{Context as _, Result, ensure};
use memchr::memmem::Finder;
pub(crate) use peers::{Era, Form};
use peers::{PEERS, Peer};
use serde_json::{Value, json};

/// A server or a client that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Candidate {
    Floor,
    Ours,
    /// The peer with this index in [`PEERS`].
    Peer(usize),
}

impl Candidate {
    /// The number of candidates.
    pub(crate) const COUNT: usize = 2 + PEERS.len();

    /// The peer that targets refer to.
    pub(crate) const FIRST_PEER: Self = Self::Peer(0);

    /// Returns all candidates, in the order of the tables.
    pub(crate) fn all() -> [Self; Self::COUNT] {
        std::array::from_fn(|index| match index {
            0 => Self::Floor,
            1 => Self::Ours,
            peer => Self::Peer(peer - 2),
        })
    }

    /// Returns all peers.
    pub(crate) fn peers() -> impl Iterator<Item = Self> {
        (0..PEERS.len()).map(Self::Peer)
    }

    /// Returns `mcp-server` or `mcp-client`, and all peers.
    pub(crate) fn compared() -> impl Iterator<Item = Self> {
        [Self::Ours].into_iter().chain(Self::peers())
    }

    /// Returns the position in [`all`](Self::all).
    pub(crate) fn index(self) -> usize {
        match self {
            Self::Floor => 0,
            Self::Ours => 1,
            Self::Peer(peer) => 2 + peer,
        }
    }

    /// Returns the row of the table of peers.
    pub(crate) fn peer(self) -> Option<&'static Peer> {
        match self {
            Self::Floor | Self::Ours => None,
            Self::Peer(peer) => PEERS.get(peer),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::Ours => "mcp-server",
            Self::Peer(peer) => PEERS[peer].name,
        }
    }

    /// Returns the path at which its HTTP server serves MCP.
    pub(crate) fn path(self) -> &'static str {
        self.peer().map_or("/mcp", |peer| peer.path)
    }
}

/// A row of the tables, without the number of concurrent requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Case {
    pub(crate) era: Era,
    pub(crate) form: Form,
    /// `true` if the floor parses requests only in part, because it is not measured.
    hasty: bool,
    /// `true` if `mcp-server` is built without the features that rmcp lacks: it validates nothing.
    pub(crate) lean: bool,
}

impl Case {
    /// Returns the cases for the comparison of servers.
    pub(crate) fn all() -> Vec<Self> {
        let mut cases = Vec::new();
        for form in Form::ALL {
            for era in Era::ALL {
                let (hasty, lean) = (false, false);
                cases.push(Self {
                    era,
                    form,
                    hasty,
                    lean,
                });
            }
        }
        let json: Vec<Self> = cases
            .iter()
            .filter(|case| case.form == Form::Json)
            .copied()
            .collect();
        cases.extend(json.into_iter().map(|case| Self { lean: true, ..case }));
        cases
    }

    /// Returns the cases for the comparison of clients.
    pub(crate) fn of_clients() -> Vec<Self> {
        let mut cases = Self::all();
        // With a delay between events, the server would be the bottleneck, not the client.
        cases.retain(|case| case.form != Form::Stream && !case.lean);
        for case in &mut cases {
            case.hasty = true;
        }
        cases
    }

    /// Returns the numbers of requests in flight: connections, or lines.
    pub(crate) fn widths(self) -> &'static [usize] {
        match self.form {
            Form::Line => &[1, 64],
            _ => &[1, 16, 64],
        }
    }

    /// Returns `true` if a server is measured in this case.
    pub(crate) fn is_served_by(self, candidate: Candidate) -> bool {
        let serves = |peer: &Peer| (peer.serves)(self.era, self.form);
        candidate.peer().is_none_or(serves)
    }

    /// Returns `true` if a client is measured in this case.
    pub(crate) fn is_called_by(self, candidate: Candidate) -> bool {
        let calls = |peer: &Peer| (peer.calls)(self.era, self.form);
        candidate.peer().is_none_or(calls)
    }

    /// Returns the program of a server and its arguments.
    pub(crate) fn command(self, candidate: Candidate) -> (String, Vec<&'static str>) {
        let (revision, form) = (self.era.revision(), self.form.argument());
        let (program, mut arguments) = match (candidate, self.form) {
            (Candidate::Floor, Form::Line) => ("floor", vec!["stdio", revision]),
            (Candidate::Floor, _) => ("floor", vec!["http", revision, form]),
            (Candidate::Ours, Form::Line) => ("hello-ours", vec![]),
            (Candidate::Ours, _) if self.lean => ("http-lean", vec![]),
            (Candidate::Ours, _) => ("http-ours", vec![]),
            (Candidate::Peer(peer), of) => {
                let arguments = match of {
                    Form::Line => vec![],
                    _ => vec![revision, form],
                };
                return (PEERS[peer].server(of), arguments);
            }
        };
        if self.hasty && candidate == Candidate::Floor {
            arguments.push("hasty");
        }
        (program.to_owned(), arguments)
    }

    /// Returns the tool that is called.
    pub(crate) fn tool(self) -> &'static str {
        match self.form {
            Form::Json | Form::Line => "greet",
            Form::Events => "report",
            Form::Stream => "pause",
        }
    }

    /// Returns the request, with [`FIRST_ID`].
    pub(crate) fn request(self) -> String {
        let mut meta = json!({});
        if self.era == Era::Modern {
            meta = json!({
                "io.modelcontextprotocol/protocolVersion": self.era.revision(),
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": { "name": "load", "version": "1.0.0" },
            });
        }
        if self.events() {
            meta["progressToken"] = "p1".into();
        }
        let mut params = json!({ "name": self.tool(), "arguments": { "name": "benchmark" } });
        if meta != json!({}) {
            params["_meta"] = meta;
        }
        json!({ "jsonrpc": "2.0", "id": FIRST_ID, "method": "tools/call", "params": params })
            .to_string()
    }

    /// Returns `true` if the name of the case contains a text.
    pub(crate) fn is_among(self, only: Option<&str>) -> bool {
        only.is_none_or(|only| self.to_string().contains(only))
    }

    /// Returns `true` if progress precedes the response.
    pub(crate) fn events(self) -> bool {
        matches!(self.form, Form::Events | Form::Stream)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = match self.form {
            Form::Json => "HTTP, JSON",
            Form::Events => "HTTP, events at once",
            Form::Stream => "HTTP, events one by one",
            Form::Line => "stdio",
        };
        let lean = if self.lean { ", `http` alone" } else { "" };
        write!(f, "{form}{lean}, {}", self.era.revision())
    }
}

/// All ids have as many digits as this one, so that the id of a request can be replaced in place.
pub(crate) const FIRST_ID: u64 = 100_000_000;

/// Returns the handshake of the legacy era.
pub(crate) fn initialize() -> String {
    let info = json!({ "name": "load", "version": "1.0.0" });
    let revision = Era::Legacy.revision();
    json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": { "protocolVersion": revision, "capabilities": {}, "clientInfo": info },
    })
    .to_string()
}

/// Returns the notification that ends the handshake.
pub(crate) fn initialized() -> String {
    json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string()
}

const TEXT: &str = "Hello, benchmark!";

/// Checks responses: the first one completely, all others for the parts that must be present.
pub(crate) struct Checker {
    text: Finder<'static>,
    progress: Option<Finder<'static>>,
    id: Vec<u8>,
}

impl Checker {
    pub(crate) fn new(case: Case) -> Self {
        let progress = || Finder::new(b"\"notifications/progress\"".as_slice());
        Self {
            text: Finder::new(b"\"text\":\"Hello, benchmark!\"".as_slice()),
            progress: case.events().then(progress),
            id: format!("\"id\":{FIRST_ID}").into_bytes(),
        }
    }

    /// Returns `true` if the response to a request contains the parts that must be present.
    pub(crate) fn is_correct(&mut self, body: &[u8], id: u64) -> bool {
        write_id(&mut self.id, 5, id);
        self.text.find(body).is_some()
            && memchr::memmem::find(body, &self.id).is_some()
            && self
                .progress
                .as_ref()
                .is_none_or(|progress| progress.find(body).is_some())
    }

    /// Parses the messages of a response.
    pub(crate) fn check(&self, messages: &[Value], id: u64) -> Result<()> {
        let (answer, before) = messages.split_last().context("an empty answer")?;
        ensure!(answer["id"] == id, "another id: {answer}");
        ensure!(
            answer["result"]["content"][0]["text"] == TEXT,
            "another result: {answer}"
        );
        let progress = usize::from(self.progress.is_some());
        ensure!(before.len() == progress, "other messages: {before:?}");
        for message in before {
            let params = &message["params"];
            let right = message["method"] == "notifications/progress"
                && params["progressToken"] == "p1"
                && params["total"] == 2.0;
            ensure!(right, "another notification: {message}");
        }
        Ok(())
    }
}

/// Overwrites the id at a position.
pub(crate) fn write_id(text: &mut [u8], at: usize, id: u64) {
    let mut rest = id;
    for digit in text[at..at + 9].iter_mut().rev() {
        *digit = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
    }
}

/// Finds the position of the id in a request.
pub(crate) fn id_place(request: &[u8]) -> Result<usize> {
    let id = format!("\"id\":{FIRST_ID}");
    let at = memchr::memmem::find(request, id.as_bytes());
    Ok(at.context("a request without an id")? + 5)
}
