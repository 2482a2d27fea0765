//! [`Configured`]: the servers of a file, as upstreams of a gateway.

use std::collections::HashMap;
use std::path::Path;

use mcp_client::{ChildProcess, Stderr};
use mcp_gateway::Upstream;
use mcp_gateway::config::{Expanded, ResolvedServer};

use super::openapi::Api;
use crate::args::Options;
use crate::configured::{self, read};
use crate::failure::Failure;
use crate::output::print_message;
use crate::questions::ask::Answers;
use crate::{authorization, network};

/// The servers that the gateway presents. `None` is one whose entry could not be used: the gateway
/// presents what the name stood for before, if anything.
#[derive(Default)]
pub(super) struct Configured(HashMap<String, Option<ResolvedServer>>);

/// What differs from the servers that the gateway presents.
pub(super) struct Changes {
    /// The servers that are new or others now.
    pub(super) set: Vec<(String, ResolvedServer)>,
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
        let mut all = Vec::new();
        for (name, entry) in config.servers() {
            let is_wanted = names.is_empty() || names.iter().any(|wanted| wanted == name);
            if is_wanted && !entry.is_disabled() {
                let lookup = |name: &str| std::env::var(name).ok();
                all.push((name.to_owned(), entry.resolve(&lookup).map_err(failed)?));
            }
        }
        let gone = |name: &&String| !all.iter().any(|(known, _)| known == *name);
        let removed: Vec<String> = self.0.keys().filter(gone).cloned().collect();
        let mut set = all.clone();
        set.retain(|(name, server)| self.0.get(name).and_then(Option::as_ref) != Some(server));
        let all = all.into_iter().map(|(name, server)| (name, Some(server)));
        self.0 = all.collect();
        Ok(Changes { set, removed })
    }

    /// Forgets the entry of a server, so that it is tried again when the file changes.
    pub(super) fn forget(&mut self, name: &str) {
        self.0.insert(name.to_owned(), None);
    }
}

/// What the programs of a file get of the environment.
#[derive(Clone)]
pub(super) struct Environment {
    /// Whether they get all but the secrets.
    pub(super) is_inherited: bool,
    /// The names of variables with secrets of the gateway.
    pub(super) secrets: Vec<String>,
}

impl Environment {
    fn of(&self, process: ChildProcess) -> ChildProcess {
        if !self.is_inherited {
            return process.env_essential();
        }
        self.secrets.iter().fold(process, ChildProcess::env_remove)
    }
}

/// Returns a server as an upstream.
pub(super) fn upstream(
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
            Ok(shared_by_all(Upstream::connecting(name, move || {
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
                let label = label.clone();
                process.stderr(Stderr::capture(move |line| {
                    if verbose {
                        print_message(&format!("{label}: {line}"));
                    }
                }))
            })))
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
            Ok(shared_by_all(Upstream::new(name, move |builder| {
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
            })))
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

/// All clients have one token, or are programs of this machine, so they are one peer.
fn shared_by_all(upstream: Upstream) -> Upstream {
    upstream.limits(|limits| limits.shares = 1)
}

fn connection(url: &str, options: &Options) -> Result<mcp_client::Http, Failure> {
    let answers = Answers::new(options.common.timeout);
    authorization::authorize(network::http(url, options)?, url, options, answers)
}
