//! [`apply`]: servers that the command line names by their name in a file of a host.

mod consent;

use std::env;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use mcp_gateway::config::{ConfigError, ResolvedServer, ServerEntry, ServersConfig};

use crate::args::{Command, Login, Options, Source, Url};
use crate::failure::Failure;
use crate::files;
use crate::hosts::{Host, Places, Scope};
use crate::output::print_message;

/// The maximum size of a file in bytes. Hosts store their history in the same file.
const FILE_BYTES: u64 = 64 << 20;

/// A server of a file.
pub(crate) struct Found {
    /// The host whose file it is, unless the command line names the file.
    pub(crate) host: Option<Host>,
    /// Where the file of the host belongs.
    scope: Option<Scope>,
    pub(crate) path: PathBuf,
    pub(crate) name: String,
    pub(crate) entry: ServerEntry,
}

/// Replaces the name of a server in a command line by its program or URL, and adds its environment,
/// folder and headers to the options.
pub(crate) async fn apply(options: &mut Options, command: &mut Command) -> Result<(), Failure> {
    let config = options.config.clone();
    if let Command::Login(Login { url, .. }) | Command::Logout(Url { url, .. }) = command {
        return name_url(options, url).await;
    }
    let Some(server) = command.server_mut() else {
        return match config {
            Some(_) => {
                let message = "this command has no server, so `--config` has no meaning";
                Err(Failure::Usage(message.to_owned()))
            }
            None => Ok(()),
        };
    };
    let is_program = !server.program.is_empty();
    let word = server.words.first().map(String::as_str);
    let alias = word.filter(|word| !is_program && word.starts_with('@'));
    if config.is_some() && is_program {
        let message = "both `--config` and a program are named: expected one of them";
        return Err(Failure::Usage(message.to_owned()));
    }
    if config.is_none() && alias.is_none() {
        return refuse_project(options);
    }
    let places = Places::current();
    let remembered = server.source.as_ref().is_some_and(|source| source.project);
    let found = find(word, options, remembered, &places).await?;
    let word = server.words.remove(0);
    server.source = Some(Source {
        config: config.map(absolute),
        name: word,
        project: found.scope == Some(Scope::Project),
    });
    let lookup = |name: &str| variable(name, &places);
    let resolved = found.entry.resolve(&lookup);
    match resolved.map_err(|error| failed(&found.path, error))? {
        ResolvedServer::Program {
            command,
            args,
            env,
            cwd,
        } => {
            let words = [command].into_iter().chain(args);
            let words = words.map(|word| OsString::from(word.into_exposed()));
            server.program = words.collect();
            let env = env.into_iter();
            let env = env.map(|(name, value)| (name, value.into_exposed()));
            // Later ones override earlier ones.
            options.env.splice(0..0, env);
            if options.cwd.is_none() {
                options.cwd = cwd.map(|cwd| PathBuf::from(cwd.into_exposed()));
            }
        }
        ResolvedServer::Url { url, headers, .. } => {
            server.words.insert(0, url.into_exposed());
            for (name, value) in headers {
                let mut given = options.header.iter();
                if !given.any(|(given, _)| given.eq_ignore_ascii_case(&name)) {
                    options.header.push((name, value.into_exposed()));
                }
            }
        }
        _ => return Err(only_in_gateway(&found.name)),
    }
    Ok(())
}

/// The error for an entry that is an HTTP API and no server.
fn only_in_gateway(name: &str) -> Failure {
    Failure::Usage(format!(
        "`{name}` is an HTTP API with an OpenAPI document: only `mcp gateway` serves it"
    ))
}

/// Replaces the name of a server by its URL.
async fn name_url(options: &mut Options, word: &mut String) -> Result<(), Failure> {
    if options.config.is_none() && !word.starts_with('@') {
        return refuse_project(options);
    }
    let places = Places::current();
    let found = find(Some(word), options, false, &places).await?;
    let lookup = |name: &str| variable(name, &places);
    let resolved = found.entry.resolve(&lookup);
    match resolved.map_err(|error| failed(&found.path, error))? {
        ResolvedServer::Url { url, .. } => {
            *word = url.into_exposed();
            Ok(())
        }
        ResolvedServer::OpenApi { .. } => Err(only_in_gateway(&found.name)),
        _ => Err(Failure::Usage(format!(
            "`{}` is a program: only URLs have logins",
            found.name
        ))),
    }
}

/// Keeps the name of a host, and makes a path absolute.
fn absolute(config: String) -> String {
    if Host::named(&config).is_some() {
        return config;
    }
    match std::path::absolute(&config) {
        Ok(path) => path.to_string_lossy().into_owned(),
        Err(_) => config,
    }
}

/// Returns the value of a variable of the environment, or of one that editors define.
fn variable(name: &str, places: &Places) -> Option<String> {
    let path = |path: &Path| path.to_str().map(str::to_owned);
    match name {
        "workspaceFolder" => path(&places.folder),
        "userHome" => path(places.home.as_ref()?),
        name => env::var(name).ok(),
    }
}

/// Refuses `--project` for a server that no file names.
fn refuse_project(options: &Options) -> Result<(), Failure> {
    if !options.project {
        return Ok(());
    }
    let message =
        "`--project` is for the file of a host: expected `@NAME`, or `--config HOST NAME`";
    Err(Failure::Usage(message.to_owned()))
}

/// Finds the server that a word of the command line names. A server that only a project lists is
/// used if the user agrees. `remembered` is a server that was taken from a project before.
async fn find(
    word: Option<&str>,
    options: &Options,
    remembered: bool,
    places: &Places,
) -> Result<Found, Failure> {
    let name = word.map(|word| word.strip_prefix('@').unwrap_or(word));
    let only_project = options.project || remembered;
    let found = match (&options.config, name) {
        (Some(config), name) => in_config(config, name, only_project, places)?,
        (None, name) => anywhere(name.unwrap_or_default(), only_project, places)?,
    };
    if found.scope == Some(Scope::Project) && !options.project {
        consent::confirm(&found, options.common.timeout).await?;
    }
    if found.host.is_some() {
        let path = found.path.display();
        print_message(&format!("using the server `{}` of {path}", found.name));
    }
    Ok(found)
}

/// Finds a server in a file, or in the files of a host.
fn in_config(
    config: &str,
    name: Option<&str>,
    only_project: bool,
    places: &Places,
) -> Result<Found, Failure> {
    let mut all = match Host::named(config) {
        Some(host) => {
            let (all, mut faults) = of_host(host, places);
            if all.is_empty() && !faults.is_empty() {
                return Err(faults.remove(0));
            }
            all
        }
        None if only_project => {
            let message =
                "`--project` is for the file of a host: expected its name after `--config`";
            return Err(Failure::Usage(message.to_owned()));
        }
        None => of_file(Path::new(config))?,
    };
    all.retain(|found| !only_project || found.scope == Some(Scope::Project));
    let known: Vec<String> = all.iter().map(|found| found.name.clone()).collect();
    all.retain(|found| name == Some(found.name.as_str()));
    // A host may prefer the file of the project. Who wrote that file is not known.
    all.sort_by_key(|found| found.scope == Some(Scope::Project));
    all.into_iter().next().ok_or_else(|| {
        let of = if only_project { " in this folder" } else { "" };
        let problem = match name {
            Some(name) => format!("`{config}` has no server `{name}`{of}"),
            None => "no server is named: expected its name as the first argument".to_owned(),
        };
        let known = match known.as_slice() {
            [] => "it lists none".to_owned(),
            known => format!("it lists `{}`", known.join("`, `")),
        };
        Failure::Usage(format!("{problem}; {known}"))
    })
}

/// Finds a server in the files of all hosts: in those of the user, then in those of the project.
fn anywhere(name: &str, only_project: bool, places: &Places) -> Result<Found, Failure> {
    let hosts = Host::value_variants().iter();
    // A malformed file of another host does not matter; `mcp servers` reports it.
    let all = hosts.flat_map(|host| of_host(*host, places).0);
    let all = all.filter(|found| found.name == name);
    let of_project = |found: &Found| found.scope == Some(Scope::Project);
    let (theirs, own): (Vec<_>, Vec<_>) = all.partition(of_project);
    let all = if only_project || own.is_empty() {
        theirs
    } else {
        own
    };
    let is_same = |found: &Found| found.entry.members() == all[0].entry.members();
    if !all.is_empty() && !all.iter().all(is_same) {
        let lines = all.iter().map(|found| {
            let host = found.host.map_or("", Host::name);
            let (path, summary) = (found.path.display(), found.entry.summary());
            format!("\n{host}, {path}: {summary}")
        });
        return Err(Failure::Usage(format!(
            "there are several servers `{name}`; name the host or the file, as in `--config HOST {name}`:{}",
            lines.collect::<String>()
        )));
    }
    all.into_iter().next().ok_or_else(|| {
        let of = if only_project { " in this folder" } else { "" };
        Failure::Usage(format!(
            "no host lists a server `{name}`{of}\nhint: `mcp servers` shows those that are listed"
        ))
    })
}

/// Returns the servers in the files of a host, and what is wrong with these files. Of servers with
/// the same name in one host, the first is the one that the host uses.
pub(crate) fn of_host(host: Host, places: &Places) -> (Vec<Found>, Vec<Failure>) {
    let (mut all, mut faults) = (Vec::new(), Vec::new());
    let project = places.folder.to_str().unwrap_or_default();
    for (scope, path) in host.files(places) {
        let config = match read(&path) {
            Ok(config) => config,
            Err(ConfigError::Read { source, .. })
                if matches!(
                    source.kind(),
                    ErrorKind::NotFound | ErrorKind::NotADirectory
                ) =>
            {
                continue;
            }
            Err(ConfigError::NoServers) => continue,
            Err(error) => {
                faults.push(failed(&path, error));
                continue;
            }
        };
        match config.project(project) {
            // Claude Code prefers these to those of all other files.
            Ok(Some(project)) => {
                all.splice(0..0, found(Some((host, scope)), &path, &project));
            }
            Ok(None) => {}
            Err(error) => faults.push(failed(&path, error)),
        }
        all.extend(found(Some((host, scope)), &path, &config));
    }
    (all, faults)
}

/// Reads a file that lists servers.
pub(crate) fn read(path: &Path) -> Result<ServersConfig, ConfigError> {
    let text = files::text(path, FILE_BYTES).map_err(|source| ConfigError::Read {
        path: path.to_owned(),
        source,
    })?;
    ServersConfig::parse(&text)
}

/// Returns the servers of a file.
pub(crate) fn of_file(path: &Path) -> Result<Vec<Found>, Failure> {
    let config = read(path).map_err(|error| failed(path, error))?;
    Ok(found(None, path, &config).collect())
}

fn found<'a>(
    of: Option<(Host, Scope)>,
    path: &'a Path,
    config: &'a ServersConfig,
) -> impl Iterator<Item = Found> + 'a {
    config.servers().map(move |(name, entry)| Found {
        host: of.map(|(host, _)| host),
        scope: of.map(|(_, scope)| scope),
        path: path.to_owned(),
        name: name.to_owned(),
        entry: entry.clone(),
    })
}

/// Adds the path of the file to an error.
pub(crate) fn failed(path: &Path, error: ConfigError) -> Failure {
    let path = path.to_owned();
    match error {
        ConfigError::Read { source, .. } => Failure::File { path, source },
        source => Failure::Config { path, source },
    }
}
