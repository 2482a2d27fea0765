//! [`ServerEntry`]: a server of a file, and [`ResolvedServer`]: what it says.

use std::fmt;

use mcp_client::types::json::{Object, Value};
use mcp_server::types::peer_text::{PeerDisplay, PeerText};

use super::error::{ConfigError, ConfigFault, invalid};
use super::expanded::Expanded;
use super::secrets::{shown_arguments, shown_url};
use super::template;

/// The names of the member with a URL.
const URLS: [&str; 2] = ["url", "serverUrl"];

/// A server of a file, as it is written there.
#[derive(Clone)]
pub struct ServerEntry {
    place: String,
    members: Object,
    /// The kind of the value in the place of the entry, if it is no object.
    found: Option<&'static str>,
}

/// A server with the values of its variables.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResolvedServer {
    /// A program that speaks over its standard input and output.
    Program {
        /// The path or the name of the program.
        command: Expanded,
        /// Its arguments.
        args: Vec<Expanded>,
        /// Variables of its environment, by name.
        env: Vec<(String, Expanded)>,
        /// The folder in which it is started.
        cwd: Option<Expanded>,
    },
    /// A server at a URL.
    Url {
        /// The URL, which begins with `https://` or `http://`.
        url: Expanded,
        /// Headers for each request, by name.
        headers: Vec<(String, Expanded)>,
        /// Whether the `type` is `sse`: the transport of revision 2024-11-05.
        legacy_sse: bool,
    },
    /// An HTTP API with an OpenAPI document, whose operations are tools.
    OpenApi {
        /// The path of the document.
        document: Expanded,
        /// The URL of the API, if it is not the one in the document.
        url: Option<Expanded>,
        /// Headers for each request, by name.
        headers: Vec<(String, Expanded)>,
        /// The names or tags of the operations that are tools. Empty for all.
        include: Vec<Expanded>,
        /// The names or tags of operations that are no tools.
        exclude: Vec<Expanded>,
    },
}

#[derive(PartialEq, Eq)]
enum Kind {
    Program,
    OpenApi,
    Url { legacy_sse: bool },
}

impl ServerEntry {
    pub(super) fn new(place: String, members: Object) -> Self {
        Self {
            place,
            members,
            found: None,
        }
    }

    /// Creates an entry that cannot be used, from the kind of a value that is no object.
    pub(super) fn malformed(place: String, found: &'static str) -> Self {
        Self {
            place,
            members: Object::new(),
            found: Some(found),
        }
    }

    /// Returns the path of the entry in the file, such as `mcpServers.github`.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Returns all members of the entry, which may contain secrets.
    #[must_use]
    pub fn members(&self) -> &Object {
        &self.members
    }

    /// Returns `true` if the file says that the server is not used: `disabled`, or `enabled` with
    /// the value `false`.
    #[must_use]
    pub fn is_disabled(&self) -> bool {
        let flag = |name| self.members.get(name).and_then(Value::as_bool);
        flag("disabled") == Some(true) || flag("enabled") == Some(false)
    }

    /// Describes the server in a line: the program with its arguments, or the URL. Variables are
    /// not replaced, and what looks like a secret is left out.
    #[must_use]
    pub fn summary(&self) -> String {
        let text = |name: &str| self.members.get(name).and_then(Value::as_str);
        let (program, command) = self.program();
        let line = match command.and_then(Value::as_str) {
            Some(command) => {
                let arguments = program.get("args").and_then(Value::as_array);
                let arguments = arguments.into_iter().flatten().filter_map(Value::as_str);
                let mut words = shown_arguments(arguments);
                words.insert(0, command.to_owned());
                words.join(" ")
            }
            None => match (text("openapi"), URLS.into_iter().find_map(text)) {
                (Some(document), _) => document.to_owned(),
                (None, Some(url)) => shown_url(url),
                (None, None) => "(neither `command` nor `url`)".to_owned(),
            },
        };
        PeerDisplay(line).to_string()
    }

    /// Replaces the variables, and returns what the entry says. `lookup` returns the value of a
    /// variable, usually of the environment: `&|name| std::env::var(name).ok()`.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Invalid`] with the path of the faulty value.
    pub fn resolve(
        &self,
        lookup: &impl Fn(&str) -> Option<String>,
    ) -> Result<ResolvedServer, ConfigError> {
        if let Some(found) = self.found {
            let expected = "an object";
            return Err(self.fault(ConfigFault::Expected { expected, found }));
        }
        if let Some(name) = self.members.duplicate() {
            let name = PeerText(name).to_string();
            return Err(invalid(&self.place, ConfigFault::Duplicate(name)));
        }
        match self.kind()? {
            Kind::Program => self.resolve_program(lookup),
            Kind::OpenApi => self.resolve_openapi(lookup),
            Kind::Url { legacy_sse } => {
                let name = URLS
                    .into_iter()
                    .find(|name| self.members.contains_key(name));
                let name = name.ok_or_else(|| self.fault(ConfigFault::Missing("url")))?;
                Ok(ResolvedServer::Url {
                    url: self.url(name, lookup)?,
                    headers: values(&self.members, "headers", &self.place, lookup)?,
                    legacy_sse,
                })
            }
        }
    }

    /// Returns the URL of a member.
    fn url(
        &self,
        name: &str,
        lookup: &impl Fn(&str) -> Option<String>,
    ) -> Result<Expanded, ConfigError> {
        let place = format!("{}.{name}", self.place);
        let written = text(self.members.get(name), &place)?;
        let url = expand(written, &place, lookup)?;
        if !(url.starts_with("https://") || url.starts_with("http://")) {
            return Err(invalid(place, ConfigFault::Url));
        }
        Ok(Expanded::shown(url, shown_url(written)))
    }

    fn resolve_openapi(
        &self,
        lookup: &impl Fn(&str) -> Option<String>,
    ) -> Result<ResolvedServer, ConfigError> {
        let at = |name: &str| format!("{}.{name}", self.place);
        let list = |name| arguments(self.members.get(name), &at(name), lookup);
        let written = text(self.members.get("openapi"), &at("openapi"))?;
        let document = expand(written, &at("openapi"), lookup)?;
        let has_url = self.members.get("url").is_some_and(|url| !url.is_null());
        let url = has_url.then(|| self.url("url", lookup)).transpose()?;
        Ok(ResolvedServer::OpenApi {
            document: Expanded::shown(document, written),
            url,
            headers: values(&self.members, "headers", &self.place, lookup)?,
            include: list("include")?,
            exclude: list("exclude")?,
        })
    }

    fn resolve_program(
        &self,
        lookup: &impl Fn(&str) -> Option<String>,
    ) -> Result<ResolvedServer, ConfigError> {
        if self.members.contains_key("envFile") {
            let fault = ConfigFault::Unsupported("put the variables of the file into `env`");
            return Err(invalid(format!("{}.envFile", self.place), fault));
        }
        let (program, command) = self.program();
        let at = |name: &str| match self.members.get("command") {
            Some(Value::Object(_)) => format!("{}.command.{name}", self.place),
            _ => format!("{}.{name}", self.place),
        };
        let place = match self.members.get("command") {
            Some(Value::Object(_)) => at("path"),
            _ => at("command"),
        };
        let command = match command {
            None => return Err(self.fault(ConfigFault::Missing("command"))),
            command => text(command, &place)?,
        };
        let expanded = expand(command, &place, lookup)?;
        if expanded.is_empty() {
            return Err(invalid(place, ConfigFault::Empty));
        }
        let cwd = match self.members.get("cwd") {
            None | Some(Value::Null) => None,
            cwd => {
                let place = format!("{}.cwd", self.place);
                let written = text(cwd, &place)?;
                Some(Expanded::shown(expand(written, &place, lookup)?, written))
            }
        };
        let parent = at("").trim_end_matches('.').to_owned();
        Ok(ResolvedServer::Program {
            command: Expanded::shown(expanded, command),
            args: arguments(program.get("args"), &at("args"), lookup)?,
            env: values(program, "env", &parent, lookup)?,
            cwd,
        })
    }

    /// Returns the object with `args` and `env`, and the command. In Zed, both may be in `command`.
    fn program(&self) -> (&Object, Option<&Value>) {
        match self.members.get("command") {
            Some(Value::Object(command)) => (command, command.get("path")),
            command => (&self.members, command),
        }
    }

    fn kind(&self) -> Result<Kind, ConfigError> {
        let is_present = |name: &&str| !self.members.get(name).is_none_or(Value::is_null);
        let has_url = URLS.iter().any(is_present);
        let place = || format!("{}.type", self.place);
        match self.members.get("type") {
            None | Some(Value::Null) if is_present(&"openapi") => {
                if is_present(&"command") {
                    return Err(self.fault(ConfigFault::Ambiguous));
                }
                Ok(Kind::OpenApi)
            }
            None | Some(Value::Null) => match (is_present(&"command"), has_url) {
                (true, false) => Ok(Kind::Program),
                (false, true) => Ok(Kind::Url { legacy_sse: false }),
                (true, true) => Err(self.fault(ConfigFault::Ambiguous)),
                (false, false) => Err(self.fault(match self.members.get("source") {
                    Some(Value::String(source)) if source == "extension" => {
                        let hint = "an extension of the host starts this server";
                        ConfigFault::Unsupported(hint)
                    }
                    _ => ConfigFault::Missing("command` or `url"),
                })),
            },
            Some(Value::String(name)) => match name.as_str() {
                "stdio" => Ok(Kind::Program),
                "http" | "streamable-http" | "streamableHttp" => {
                    Ok(Kind::Url { legacy_sse: false })
                }
                "sse" => Ok(Kind::Url { legacy_sse: true }),
                _ => Err(invalid(place(), ConfigFault::Type)),
            },
            Some(other) => Err(invalid(place(), ConfigFault::expected("text", other))),
        }
    }

    fn fault(&self, fault: ConfigFault) -> ConfigError {
        invalid(&self.place, fault)
    }
}

/// Shows what [`ServerEntry::summary`] returns.
impl fmt::Debug for ServerEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ServerEntry").field(&self.summary()).finish()
    }
}

fn text<'a>(value: Option<&'a Value>, place: &str) -> Result<&'a str, ConfigError> {
    match value {
        Some(Value::String(text)) => Ok(text),
        other => {
            let found = other.unwrap_or(&Value::Null);
            Err(invalid(place, ConfigFault::expected("text", found)))
        }
    }
}

fn expand(
    text: &str,
    place: &str,
    lookup: &impl Fn(&str) -> Option<String>,
) -> Result<String, ConfigError> {
    template::expand(text, lookup).map_err(|fault| invalid(place, fault))
}

fn arguments(
    list: Option<&Value>,
    place: &str,
    lookup: &impl Fn(&str) -> Option<String>,
) -> Result<Vec<Expanded>, ConfigError> {
    let list = match list {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(list)) => list,
        Some(other) => return Err(invalid(place, ConfigFault::expected("a list", other))),
    };
    let at = |index: usize| format!("{place}[{index}]");
    let written = list.iter().enumerate();
    let written: Result<Vec<&str>, _> = written
        .map(|(index, argument)| text(Some(argument), &at(index)))
        .collect();
    let written = written?;
    let shown = shown_arguments(written.iter().copied());
    let both = written.iter().zip(shown).enumerate();
    both.map(|(index, (written, shown))| {
        Ok(Expanded::shown(expand(written, &at(index), lookup)?, shown))
    })
    .collect()
}

/// Returns the values of headers or of environment variables. Numbers and booleans become text.
fn values(
    members: &Object,
    name: &str,
    place: &str,
    lookup: &impl Fn(&str) -> Option<String>,
) -> Result<Vec<(String, Expanded)>, ConfigError> {
    let place = format!("{place}.{name}");
    let object = match members.get(name) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Object(object)) => object,
        Some(other) => return Err(invalid(place, ConfigFault::expected("an object", other))),
    };
    if let Some(name) = object.duplicate() {
        let name = PeerText(name).to_string();
        return Err(invalid(place, ConfigFault::Duplicate(name)));
    }
    let values = object.iter().map(|(name, value)| {
        let place = format!("{place}.{}", PeerText(name));
        let value = match value {
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            value => expand(text(Some(value), &place)?, &place, lookup)?,
        };
        Ok((name.to_owned(), Expanded::hidden(value)))
    });
    values.collect()
}
