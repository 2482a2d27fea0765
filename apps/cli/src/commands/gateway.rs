//! `mcp gateway`: serves all servers of a file as one.

mod configured;
mod endpoint;
mod login;
mod openapi;
mod store;

use std::path::Path;
use std::time::{Duration, SystemTime};

use mcp_gateway::config::ConfigError;
use mcp_gateway::search::Search;
use mcp_gateway::{Gateway, UpstreamFault, UpstreamReport};
use mcp_server::{Keys, ServeError, Stdio};
use tokio::time::{MissedTickBehavior, interval};

use crate::args::Options;
use crate::args::gateway::Gateway as Args;
use crate::failure::Failure;
use crate::interrupted;
use crate::output::{print_error, print_message};
use crate::secrets;
use configured::{Configuration, Configured, Environment};
use endpoint::{Endpoint, endpoint};

/// How long the servers have at the start to say what they can do.
const LEARNING: Duration = Duration::from_secs(5);

/// How often the file is looked at.
const RELOAD: Duration = Duration::from_secs(2);

/// Serves until the end of the input, or until the program is interrupted.
pub(crate) async fn gateway(options: &Options, args: &Args) -> Result<(), Failure> {
    if let Some(name) = &options.common.account.token_env {
        return Err(Failure::Usage(format!(
            "`--token-env` would send the token to every server of the file: expected it in the \
             `headers` of the server that it is for, such as \
             \"Authorization\": \"Bearer ${{{name}}}\""
        )));
    }
    let mut configured = Configured::default();
    // Read before the servers, so that a change in between is seen.
    let seen = stamp(&args.file);
    let changes = configured.read(&args.file, &args.names)?;
    let mut builder = Gateway::builder("mcp-gateway", env!("CARGO_PKG_VERSION")).changing();
    if let Some(most) = args.search_above {
        // All users read it, so it does not name the servers that only some see.
        let names = changes.set.iter().filter(|(_, server)| {
            let server = server.as_ref();
            server.is_ok_and(Configuration::is_visible_to_all)
        });
        let names: Vec<&str> = names.map(|(name, _)| &**name).collect();
        let about = format!("The tools are those of the servers {}.", names.join(", "));
        let search = Search::new().threshold(most).about(about);
        builder = builder.configure(|server| server.layer(search));
    }
    if let Some(name) = &args.keys_env {
        let keys = Keys::from_hex(&secret(name)?);
        let keys = keys.map_err(|error| Failure::Usage(format!("`{name}`: {error}")))?;
        builder = builder.configure(|server| server.keys(keys));
    }
    if let Some(name) = &args.store_env {
        builder = store::share(builder, name, &secret(name)?).await?;
    }
    // The error of a program that has exited quotes its output. Hosts write stderr to their logs.
    builder = builder.on_report(|report| {
        let text = report.to_string();
        let text = secrets::text(&text);
        match report {
            UpstreamReport::Recovered { .. } => print_message(&text),
            _ => print_error(&text),
        }
    });
    let environment = environment(args);
    let mut left_out = Vec::new();
    for (name, server) in changes.set {
        match configured.upstream(&name, server, options, &environment) {
            // Lazy: then the first connection is one with the capabilities of the client.
            Ok(upstream) => builder = builder.upstream(upstream.lazy()),
            Err(error) => left_out.push((name, error.to_string())),
        }
    }
    let builder = builder.leave_out_invalid().learn(LEARNING);
    let gateway = tokio::select! {
        built = builder.build() => built.map_err(|error| invalid(&error))?,
        _ = interrupted() => return Ok(()),
    };
    for (name, reason) in left_out {
        gateway.leave_out(name, reason);
    }
    let status = gateway.status();
    let is_left_out = |fault: &UpstreamFault| matches!(fault, UpstreamFault::Unusable(_));
    let left_out: Vec<_> = status
        .iter()
        .filter(|server| server.fault.as_ref().is_some_and(is_left_out))
        .collect();
    for server in &left_out {
        configured.forget(&server.name);
    }
    if !status.is_empty() && left_out.len() == status.len() {
        let file = args.file.display();
        return Err(Failure::Usage(format!(
            "{file} has no server that can be used"
        )));
    }
    let reloading = reload(&gateway, configured, seen, options, args);
    let served = tokio::select! {
        served = serve(&gateway, args) => served,
        never = reloading => never,
        // It runs until it is interrupted.
        _ = interrupted() => Ok(()),
    };
    // The programs have their time to exit, unless there is another interrupt.
    tokio::select! {
        () = gateway.close() => served,
        _ = interrupted() => served,
    }
}

fn invalid(error: &mcp_gateway::GatewayError) -> Failure {
    Failure::Usage(error.to_string())
}

/// Returns what programs get of the environment.
fn environment(args: &Args) -> Environment {
    let secrets = args.listen_token_env.iter().chain(&args.keys_env);
    let secrets = secrets.chain(&args.store_env);
    let secrets = secrets.chain(&args.common.account.client_secret_env);
    let secrets = secrets.chain(&args.login.login_secret_env);
    Environment {
        is_inherited: args.inherit_env,
        secrets: secrets.cloned().collect(),
        has_users: args.login.login.is_some(),
    }
}

/// Returns the value of an environment variable.
fn secret(name: &str) -> Result<String, Failure> {
    let value = std::env::var(name).ok().filter(|value| !value.is_empty());
    value.ok_or_else(|| Failure::Usage(format!("the environment variable `{name}` has no value")))
}

async fn serve(gateway: &Gateway, args: &Args) -> Result<(), Failure> {
    let served = match args.listen {
        None => gateway.server().serve(Stdio::new()).await,
        Some(address) => {
            let Endpoint { http, url, notes } = endpoint(address, args)?;
            let serving = gateway.server().serve_http(http);
            let serving = serving.map_err(|error| match error {
                ServeError::Io(source) => Failure::Listen { address, source },
                error => unserved(error),
            })?;
            let url = url.unwrap_or_else(|| format!("http://{}", serving.local_addr()));
            print_message(&format!("serving at {url}/mcp"));
            for note in notes {
                print_message(&note);
            }
            serving.await
        }
    };
    served.map_err(unserved)
}

pub(super) fn unserved(error: ServeError) -> Failure {
    Failure::Io(std::io::Error::other(error))
}

/// What tells whether a file has changed.
fn stamp(file: &Path) -> Option<(SystemTime, u64)> {
    let about = std::fs::metadata(file).ok()?;
    Some((about.modified().ok()?, about.len()))
}

/// Follows the changes of the file. A file that cannot be read changes nothing.
async fn reload(
    gateway: &Gateway,
    mut configured: Configured,
    mut seen: Option<(SystemTime, u64)>,
    options: &Options,
    args: &Args,
) -> Result<(), Failure> {
    let mut ticks = interval(RELOAD);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let now = stamp(&args.file);
        if now == seen || now.is_none() {
            continue;
        }
        seen = now;
        let changes = match configured.read(&args.file, &args.names) {
            Ok(changes) => changes,
            Err(error) => {
                print_error(&format!("the servers stay as they are: {error}"));
                continue;
            }
        };
        for name in changes.removed {
            if gateway.remove_upstream(&name) {
                print_message(&format!("removed `{name}`"));
            }
        }
        for (name, server) in changes.set {
            if set(gateway, &mut configured, &name, server, options, args).await {
                print_message(&format!("added `{name}`"));
            }
        }
    }
}

/// Adds a server, or replaces the one of the same name. Returns `false` if it is left out.
async fn set(
    gateway: &Gateway,
    configured: &mut Configured,
    name: &str,
    server: Result<Configuration, ConfigError>,
    options: &Options,
    args: &Args,
) -> bool {
    let set = match configured.upstream(name, server, options, &environment(args)) {
        Ok(upstream) => {
            let set = gateway.set_upstream(upstream.lazy()).await;
            set.map_err(|error| invalid(&error))
        }
        Err(error) => Err(error),
    };
    if let Err(error) = &set {
        configured.forget(name);
        gateway.leave_out(name, error.to_string());
    }
    set.is_ok()
}
