//! Files that list servers, in the forms that hosts such as Claude, VS Code, Cursor and Zed use.
//!
//! ```
//! use mcp_gateway::config::{ResolvedServer, ServersConfig};
//!
//! let config = ServersConfig::parse(r#"{"mcpServers": {
//!     // Comments and trailing commas are accepted.
//!     "files": {"command": "npx", "args": ["-y", "files", "${HOME}"]},
//!     "github": {"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}},
//! }}"#)?;
//! let variables = |name: &str| (name == "TOKEN").then(|| "secret".to_owned());
//! let github = config.get("github").expect("the file has it");
//! let ResolvedServer::Url { headers, .. } = github.resolve(&variables)? else {
//!     unreachable!("the entry has a URL");
//! };
//! assert_eq!(headers[0].1.expose(), "Bearer secret");
//! assert!(!format!("{headers:?}").contains("secret"));
//!
//! let fault = config.get("files").expect("the file has it").resolve(&variables).unwrap_err();
//! assert_eq!(fault.to_string(), "mcpServers.files.args[2]: the variable `HOME` is not set");
//! # Ok::<(), mcp_gateway::config::ConfigError>(())
//! ```
//!
//! # Forms
//!
//! The servers are the members of the first of these objects that the file has: `mcpServers` (most
//! hosts), `context_servers` (Zed), `servers` (VS Code), and `servers` in `mcp` (the settings of VS
//! Code). An entry is a program, with `command`, `args`, `env` and `cwd`, or a URL, with `url` or
//! `serverUrl` and `headers`, or the OpenAPI document of an HTTP API, with `openapi`, `url`, `headers`,
//! `include` and `exclude`, which only this project knows. Its `type` is `stdio`, `http`,
//! `streamable-http` or `sse`; without one, the other members decide. A gateway also reads `prefix`,
//! `rename` and `tools` ([`ServerEntry::presentation`]). The `command` of Zed may be an object with
//! `path`, `args` and
//! `env`. Members with other names are kept: [`ServerEntry::members`], [`ServersConfig::other`].
//!
//! # Variables
//!
//! Each string of an entry may contain variables: `${NAME}`, `${NAME:-default}` and `${env:NAME}`.
//! The default replaces a variable that is not set. Variables of other kinds, such as
//! `${input:token}` of VS Code, are looked up by their whole name, `input:token`. A value is not
//! searched for further variables.
//!
//! # Secrets
//!
//! Values of variables, of headers and of `env` are secrets: `Debug` and errors show the text of the
//! file instead of the value of a variable, and nothing of the others. Arguments and parts of URLs
//! that look like secrets are hidden, too.

mod entry;
mod error;
mod expanded;
mod jsonc;
mod presentation;
mod secrets;
mod template;
#[cfg(test)]
mod tests;

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use mcp_client::types::json::{Object, Value};
use mcp_server::types::peer_text::PeerText;

pub use entry::{ResolvedServer, ServerEntry};
pub use error::{ConfigError, ConfigFault};
pub use expanded::Expanded;
pub use presentation::Presentation;
pub use secrets::{SECRET_NAMES, is_secret_member, is_secret_name, is_secret_value, named_value};
pub use template::variables;

use error::{invalid, kind};

/// The maximum size of a file in bytes. Hosts store their history in the same file.
const FILE_BYTES: u64 = 64 << 20;

/// The maximum number of servers of a file.
const SERVERS: usize = 1000;

/// The members of a file that contain its servers, in the order in which they are searched.
const LISTS: [&str; 3] = ["mcpServers", "context_servers", "servers"];

/// The servers of a file, in its order.
#[derive(Clone, Default)]
pub struct ServersConfig {
    servers: Vec<(String, ServerEntry)>,
    other: Object,
}

impl ServersConfig {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Read`] if the file cannot be read, and the errors of [`parse`](Self::parse).
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let path = path.as_ref();
        let failed = |source| ConfigError::Read {
            path: path.to_owned(),
            source,
        };
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(failed)?;
        let mut file = file.take(FILE_BYTES + 1);
        file.read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > FILE_BYTES {
            return Err(ConfigError::TooLarge { limit: FILE_BYTES });
        }
        Self::parse(std::str::from_utf8(&bytes).map_err(|error| {
            let source = std::io::Error::new(std::io::ErrorKind::InvalidData, error);
            failed(source)
        })?)
    }

    /// Reads the text of a file. The entries themselves are checked by [`ServerEntry::resolve`], so
    /// that a malformed one does not make the others unusable.
    ///
    /// # Errors
    ///
    /// If the text is too large or no JSON, lists no servers, lists them in another form than an
    /// object, or has more than 1,000 of them or one of them twice.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        if text.len() as u64 > FILE_BYTES {
            return Err(ConfigError::TooLarge { limit: FILE_BYTES });
        }
        match jsonc::parse(text)? {
            Value::Object(root) => Self::from_object(root, ""),
            other => Err(ConfigError::Root {
                found: kind(&other),
            }),
        }
    }

    /// Returns the servers with their names.
    #[must_use]
    pub fn servers(&self) -> impl ExactSizeIterator<Item = (&str, &ServerEntry)> {
        let servers = self.servers.iter();
        servers.map(|(name, entry)| (name.as_str(), entry))
    }

    /// Returns the server with a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&ServerEntry> {
        let mut servers = self.servers();
        servers
            .find(|(known, _)| *known == name)
            .map(|(_, entry)| entry)
    }

    /// Returns the members of the file besides the servers, such as the `inputs` of VS Code. They
    /// may contain secrets of the host.
    #[must_use]
    pub fn other(&self) -> &Object {
        &self.other
    }

    /// Returns the servers that a file of Claude Code lists for one project, by its folder: the
    /// `mcpServers` of a member of `projects`. `None` if the file lists none for this folder. Paths of Windows
    /// are compared without regard to case and to the direction of slashes.
    ///
    /// # Errors
    ///
    /// Those of [`parse`](Self::parse). A folder without servers is no error.
    pub fn project(&self, folder: &str) -> Result<Option<Self>, ConfigError> {
        let projects = self.other.get("projects").and_then(Value::as_object);
        let spellings = || projects.into_iter().flatten();
        let exact = spellings().filter(|(name, _)| *name == folder);
        let others =
            spellings().filter(|(name, _)| *name != folder && is_same_folder(name, folder));
        for (name, project) in exact.chain(others) {
            let Value::Object(project) = project else {
                continue;
            };
            let place = format!("projects.{}.", PeerText(name));
            match Self::from_object(project.clone(), &place) {
                Ok(config) => return Ok(Some(config)),
                Err(ConfigError::NoServers) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Reads an object with servers, at a place that ends with a dot or is empty.
    fn from_object(mut root: Object, place: &str) -> Result<Self, ConfigError> {
        if let Some(name) = LISTS.into_iter().find(|name| root.contains_key(name)) {
            let list = root.remove(name).unwrap_or_default();
            let servers = entries(list, &format!("{place}{name}"))?;
            return Ok(Self {
                servers,
                other: root,
            });
        }
        if let Some(Value::Object(settings)) = root.get_mut("mcp")
            && let Some(list) = settings.remove("servers")
        {
            let servers = entries(list, &format!("{place}mcp.servers"))?;
            return Ok(Self {
                servers,
                other: root,
            });
        }
        // A file of Claude Code may only have servers of projects.
        if place.is_empty() && matches!(root.get("projects"), Some(Value::Object(_))) {
            return Ok(Self {
                servers: Vec::new(),
                other: root,
            });
        }
        Err(ConfigError::NoServers)
    }
}

/// Returns `true` if two paths of Windows name the same folder. Programs on Windows write `C:\a`, `C:/a` and `c:\a`.
fn is_same_folder(one: &str, other: &str) -> bool {
    let is_windows = other.starts_with("\\\\") || other.get(1..2) == Some(":");
    let plain = |path: &str| path.replace('\\', "/").to_ascii_lowercase();
    is_windows && plain(one) == plain(other)
}

/// Reads the object with the servers.
fn entries(list: Value, place: &str) -> Result<Vec<(String, ServerEntry)>, ConfigError> {
    let Value::Object(list) = list else {
        return Err(invalid(place, ConfigFault::expected("an object", &list)));
    };
    if list.len() > SERVERS {
        return Err(ConfigError::TooMany {
            count: list.len(),
            limit: SERVERS,
        });
    }
    if let Some(name) = list.duplicate() {
        let name = PeerText(name).to_string();
        return Err(invalid(place, ConfigFault::Duplicate(name)));
    }
    let entries = list.into_iter().map(|(name, entry)| {
        let place = format!("{place}.{}", PeerText(&name));
        match entry {
            Value::Object(members) => (name, ServerEntry::new(place, members)),
            other => (name, ServerEntry::malformed(place, kind(&other))),
        }
    });
    Ok(entries.collect())
}

/// Shows the servers, and nothing of the other members.
impl fmt::Debug for ServersConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.servers()).finish()
    }
}
