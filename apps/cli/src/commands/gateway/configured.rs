//! [`Configured`]: the servers of a file, as upstreams of a gateway.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use mcp_client::{ChildProcess, Stderr};
use mcp_gateway::Upstream;
use mcp_gateway::config::{ConfigError, Expanded, Presentation, ResolvedServer, ServerEntry};

use super::openapi::Api;
use crate::args::Options;
use crate::configured::{self, read};
use crate::failure::Failure;
use crate::output::print_message;
use crate::questions::ask::Answers;
use crate::secrets::KeyLines;
use crate::{authorization, network};

/// The servers that the gateway presents. `None` is one whose entry could not be used: the gateway
/// presents what the name stood for before, if anything.
#[derive(Default)]
pub(super) struct Configured {
    servers: HashMap<String, Option<Configuration>>,
    /// The name of the server that was the only one at the start. It has no prefix, unless its entry
    /// has one, also if there are others later: the names that clients know stay.
    only: Option<String>,
    is_started: bool,
    /// The servers that the file says not to use.
    disabled: HashSet<String>,
}

/// What an entry says.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Configuration {
    server: ResolvedServer,
    presentation: Presentation,
}

impl Configuration {
    fn of(entry: &ServerEntry) -> Result<Self, ConfigError> {
        let lookup = |name: &str| std::env::var(name).ok();
        Ok(Self {
            server: entry.resolve(&lookup)?,
            presentation: entry.presentation()?,
        })
    }

    pub(super) fn is_visible_to_all(&self) -> bool {
        self.presentation.visible_to.is_none()
    }
}

/// What differs from the servers that the gateway presents.
pub(super) struct Changes {
    /// The servers that are new or others now. Those whose entries cannot be used have the reason.
    pub(super) set: Vec<(String, Result<Configuration, ConfigError>)>,
    pub(super) removed: Vec<String>,
}

impl Configured {
    /// Reads the file. The servers in it are those that the gateway presents from now on.
    pub(super) fn read(&mut self, file: &Path, names: &[String]) -> Result<Changes, Failure> {
        let failed = |error| configured::failed(file, error);
        let config = read(file).map_err(failed)?;
        if let Some(unknown) = names.iter().find(|name| config.get(name).is_none()) {
            let file = file.display();
            return Err(Failure::Absent(format!("{file} has no server `{unknown}`")));
        }
        let is_wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
        let disabled = config
            .servers()
            .filter(|(name, entry)| is_wanted(name) && entry.is_disabled());
        let disabled: HashSet<String> = disabled.map(|(name, _)| name.to_owned()).collect();
        for name in disabled.difference(&self.disabled) {
            print_message(&format!("the server `{name}` is disabled in the file"));
        }
        self.disabled = disabled;
        let all = config.servers();
        let all = all.filter(|(name, entry)| is_wanted(name) && !entry.is_disabled());
        let all: Vec<_> = all
            .map(|(name, entry)| (name.to_owned(), Configuration::of(entry)))
            .collect();
        if !self.is_started {
            self.is_started = true;
            let mut usable = all.iter().filter(|(_, server)| server.is_ok());
            let first = usable.next().map(|(name, _)| name.clone());
            self.only = first.filter(|_| usable.next().is_none());
        }
        let gone = |name: &&String| !all.iter().any(|(known, _)| known == *name);
        let removed: Vec<String> = self.servers.keys().filter(gone).cloned().collect();
        let mut servers = HashMap::new();
        let mut set = Vec::new();
        for (name, server) in all {
            let known = self.servers.get(&name).and_then(Option::as_ref);
            let usable = server.as_ref().ok().cloned();
            if usable.is_none() || known != usable.as_ref() {
                set.push((name.clone(), server));
            }
            servers.insert(name, usable);
        }
        self.servers = servers;
        Ok(Changes { set, removed })
    }

    /// Forgets the entry of a server, so that it is tried again when the file changes.
    pub(super) fn forget(&mut self, name: &str) {
        self.servers.insert(name.to_owned(), None);
    }

    /// Returns a server as an upstream.
    pub(super) fn upstream(
        &self,
        name: &str,
        configuration: Result<Configuration, ConfigError>,
        options: &Options,
        environment: &Environment,
    ) -> Result<Upstream, Failure> {
        let Configuration {
            server,
            presentation,
        } = configuration.map_err(|error| Failure::Usage(error.to_string()))?;
        let mut upstream = upstream(name, server, options, environment)?;
        if self.only.as_deref() == Some(name) {
            upstream = upstream.prefix("");
        }
        let time = options.common.timeout;
        Ok(upstream.present(&presentation).limits(|limits| {
            if !environment.has_users {
                // All clients have one token, or are programs of this machine, so they are one peer.
                limits.shares = 1;
            }
            limits.call_time = time;
            limits.connect_time = time.min(limits.connect_time);
        }))
    }
}

/// What the programs of a file get of the environment.
#[derive(Clone)]
pub(super) struct Environment {
    /// Whether they get all but the secrets.
    pub(super) is_inherited: bool,
    /// The names of variables with secrets of the gateway.
    pub(super) secrets: Vec<String>,
    /// Whether clients belong to different users.
    pub(super) has_users: bool,
}

impl Environment {
    fn of(&self, process: ChildProcess) -> ChildProcess {
        if !self.is_inherited {
            return process.env_essential();
        }
        self.secrets.iter().fold(process, ChildProcess::env_remove)
    }
}

fn upstream(
    name: &str,
    server: ResolvedServer,
    options: &Options,
    environment: &Environment,
) -> Result<Upstream, Failure> {
    match server {
        ResolvedServer::Program {
            command,
            args,
            env,
            cwd,
        } => {
            let (label, verbose) = (name.to_owned(), options.common.verbose);
            let environment = environment.clone();
            Ok(Upstream::connecting(name, move || {
                let args = args.iter().map(Expanded::expose);
                let process = ChildProcess::new(command.expose()).args(args);
                let process = environment.of(process);
                let variables = env.iter();
                let process = variables.fold(process, |process, (name, value)| {
                    process.env(name, value.expose())
                });
                let process = match &cwd {
                    Some(folder) => process.current_dir(folder.expose()),
                    None => process,
                };
                let (label, keys) = (label.clone(), Mutex::new(KeyLines::default()));
                process.stderr(Stderr::capture(move |line| {
                    if verbose {
                        let mut keys = keys.lock().unwrap_or_else(PoisonError::into_inner);
                        print_message(&format!("{label}: {}", keys.clean(line.as_ref())));
                    }
                }))
            }))
        }
        ResolvedServer::Url { url, headers, .. } => {
            let mut own = options.clone();
            own.header = headers
                .into_iter()
                .map(|(name, value)| (name, value.into_exposed()))
                .collect();
            // The gateway has no terminal on which a user could log in, so it uses the tokens of
            // `mcp login`.
            own.common.account.no_login = true;
            let url = url.into_exposed();
            // Faults of the options are found at once.
            drop(connection(&url, &own)?);
            Ok(Upstream::new(name, move |builder| {
                let transport = connection(&url, &own);
                async move {
                    match transport {
                        Ok(transport) => builder.connect(transport).await,
                        Err(error) => {
                            let error = std::io::Error::other(error.to_string());
                            Err(mcp_client::TransportError::from(error).into())
                        }
                    }
                }
            }))
        }
        ResolvedServer::OpenApi {
            document,
            url,
            headers,
            include,
            exclude,
        } => {
            let api = Api {
                document,
                url,
                headers,
                include,
                exclude,
            };
            Ok(Upstream::server(name, api.server(name)?))
        }
        _ => Err(Failure::Usage(format!("`{name}` is of an unknown kind"))),
    }
}

fn connection(url: &str, options: &Options) -> Result<mcp_client::Http, Failure> {
    let answers = Answers::new(options.common.timeout);
    authorization::authorize(network::http(url, options)?, url, options, answers)
}
