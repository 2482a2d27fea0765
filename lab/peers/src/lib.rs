//! The SDKs that are compared with this project. `cargo xtask bench server`, `bench client` and
//! `attack --peer` build and start the programs of each row of [`PEERS`]. To add a peer, add a row
//! and its packages:
//!
//! | package | what it is |
//! | --- | --- |
//! | `servers/http-NAME` | the tools `greet`, `report` and `pause` over HTTP. Its arguments are a revision and a [`Form`]; it prints its address in the first line |
//! | `servers/hello-NAME` | the tool `greet` on standard input and output; also the smallest server |
//! | `servers/everything-NAME` | the tools that attacks call. It prints `listening on URL` |
//! | `clients/client-NAME` | see the package `asking` |
//! | `clients/hello-client-NAME` | the smallest client, which starts a server |

/// A transport, and the form of responses on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Over HTTP, one JSON text.
    Json,
    /// Over HTTP, progress and the result, both sent immediately.
    Events,
    /// Over HTTP, progress, and the result after a delay.
    Stream,
    /// Lines on standard output.
    Line,
}

impl Form {
    /// All forms.
    pub const ALL: [Self; 4] = [Self::Json, Self::Events, Self::Stream, Self::Line];

    /// Returns the name of the form as an argument of servers.
    #[must_use]
    pub fn argument(self) -> &'static str {
        match self {
            Self::Json | Self::Line => "json",
            Self::Events => "events",
            Self::Stream => "stream",
        }
    }
}

/// An era, represented by its newest revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// Without a handshake.
    Modern,
    /// With a handshake, and over HTTP with sessions.
    Legacy,
}

impl Era {
    /// Both eras, the newer one first.
    pub const ALL: [Self; 2] = [Self::Modern, Self::Legacy];

    /// Returns the newest revision of the era.
    #[must_use]
    pub fn revision(self) -> &'static str {
        match self {
            Self::Modern => "2026-07-28",
            Self::Legacy => "2025-11-25",
        }
    }
}

/// An SDK that is compared with this project.
#[derive(Debug)]
pub struct Peer {
    /// The name in tables, and the end of the names of its packages.
    pub name: &'static str,
    /// The version that the manifests of its packages require.
    pub version: &'static str,
    /// The path at which its HTTP server serves MCP.
    pub path: &'static str,
    /// Returns `true` if its server has the revision and the form of responses.
    pub serves: fn(Era, Form) -> bool,
    /// Returns `true` if its client has the revision and reads the form of responses.
    pub calls: fn(Era, Form) -> bool,
    /// `true` if it has a package `everything-NAME`.
    pub is_attacked: bool,
}

/// All peers. The first one is the one that targets refer to.
pub static PEERS: [Peer; 4] = [
    Peer {
        name: "rmcp",
        version: "3.11.0",
        path: "/mcp",
        serves: |_, _| true,
        calls: |_, _| true,
        is_attacked: true,
    },
    Peer {
        name: "turbomcp",
        version: "3.6.0",
        path: "/mcp",
        serves: |era, _| era == Era::Legacy,
        calls: |era, _| era == Era::Legacy,
        is_attacked: false,
    },
    Peer {
        name: "rust-mcp-sdk",
        version: "2.0.0",
        path: "/mcp",
        serves: |era, _| era == Era::Modern,
        // Over HTTP, its client returns to the caller only if the first event is the response.
        calls: |era, form| era == Era::Modern && !matches!(form, Form::Events | Form::Stream),
        is_attacked: true,
    },
    Peer {
        name: "pmcp",
        version: "2.23.0",
        path: "/",
        // In a session, it sends progress on the stream of a GET, not in the response to the call.
        serves: |era, form| era == Era::Modern || !matches!(form, Form::Events | Form::Stream),
        // It has no transport that starts a server.
        calls: |_, form| form != Form::Line,
        is_attacked: true,
    },
];

impl Peer {
    /// Returns the peer with a name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        PEERS.iter().find(|peer| peer.name == name)
    }

    /// Returns the package of the server with the form of responses.
    #[must_use]
    pub fn server(&self, form: Form) -> String {
        let transport = if form == Form::Line { "hello" } else { "http" };
        format!("{transport}-{}", self.name)
    }

    /// Returns the package of the client.
    #[must_use]
    pub fn client(&self) -> String {
        format!("client-{}", self.name)
    }

    /// Returns the package of the smallest client, if the SDK has a client that starts a server.
    #[must_use]
    pub fn hello_client(&self) -> Option<String> {
        let calls = Era::ALL.iter().any(|era| (self.calls)(*era, Form::Line));
        calls.then(|| format!("hello-client-{}", self.name))
    }

    /// Returns the package of the server with the tools that attacks call, if there is one.
    #[must_use]
    pub fn attacked(&self) -> Option<String> {
        self.is_attacked
            .then(|| format!("everything-{}", self.name))
    }

    /// Returns `true` if its HTTP server has sessions.
    #[must_use]
    pub fn has_sessions(&self) -> bool {
        (self.serves)(Era::Legacy, Form::Json)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn packages_of_each_peer_require_its_version() {
        let lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for peer in &PEERS {
            let servers = [Form::Json, Form::Line].map(|form| peer.server(form));
            let servers = servers.into_iter().chain(peer.attacked());
            let servers = servers.map(|name| format!("servers/{name}"));
            let clients = [peer.client()].into_iter().chain(peer.hello_client());
            let clients = clients.map(|name| format!("clients/{name}"));
            for package in servers.chain(clients) {
                let manifest = lab.join(&package).join("Cargo.toml");
                let manifest = std::fs::read_to_string(manifest).unwrap_or_default();
                let version = format!("\"={}\"", peer.version);
                assert!(manifest.contains(&version), "{package} needs {version}");
            }
        }
    }
}
