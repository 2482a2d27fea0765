//! How the program authorizes itself.

use std::env::{self, VarError};
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use mcp_client::{Http, is_loopback_url};
use mcp_client_oauth::{
    AuthorizationUrl, FileStore, Loopback, OAuth, OAuthBuilder, OAuthClient, Secret, StepUp,
    UserAgent,
};

use crate::args::{AccountOptions, Options};
use crate::failure::Failure;
use crate::network;
use crate::output::print_message;
use crate::questions::ask::{Answers, is_yes};

/// Overrides the folder of the tokens.
const FOLDER: &str = "MCP_AUTH_DIR";

/// Adds the authorization to a server.
pub(crate) fn authorize(
    server: Http,
    url: &str,
    options: &Options,
    answers: Answers,
) -> Result<Http, Failure> {
    let mut headers = options.header.iter();
    if headers.any(|(name, _)| name.eq_ignore_ascii_case("authorization")) {
        return Ok(server);
    }
    if let Some(name) = &options.common.account.token_env {
        let token = variable(name)?;
        if url.starts_with("http:") && !is_loopback_url(url) {
            let message = "the token of `--token-env` is not sent over plain `http` to another machine; \
                           use `https`, or `--header` if everybody may read it";
            return Err(Failure::Usage(message.to_owned()));
        }
        return Ok(server.header("authorization", format!("Bearer {}", token.expose())));
    }
    Ok(server.auth(oauth(options, answers)?))
}

/// Returns the authorization with the tokens of logins.
pub(crate) fn oauth(options: &Options, answers: Answers) -> Result<OAuth, Failure> {
    // The address has to be visible.
    let can_log_in = !options.common.account.no_login && io::stderr().is_terminal();
    let agent = can_log_in.then(|| agent(&options.common.account));
    let builder = builder(options, agent)?;
    let builder = builder.confirm_step_up(move |step_up| confirm(answers.clone(), step_up));
    Ok(builder.build()?)
}

/// Asks the user at the terminal whether to log in again.
async fn confirm(answers: Answers, step_up: StepUp) -> bool {
    if !io::stdin().is_terminal() {
        return false;
    }
    let question = format!(
        "{} demands the scopes `{}`. Log in again? [y/N]",
        shown(&step_up.server),
        step_up.scopes.join(" ")
    );
    let Ok(permit) = answers.turn().await else {
        return false;
    };
    let answer = permit.ask(&question).await;
    answer.is_ok_and(|answer| is_yes(&answer))
}

pub(crate) fn builder(
    options: &Options,
    agent: Option<impl UserAgent + 'static>,
) -> Result<OAuthBuilder, Failure> {
    let client = client(options)?;
    let builder = match client {
        Some(client) if options.common.account.client_credentials => {
            OAuth::client_credentials(client)
        }
        client => {
            let builder = match agent {
                Some(agent) => OAuth::authorization_code(agent),
                None => OAuth::stored_tokens(),
            };
            match client {
                Some(client) => builder.client(client),
                None => builder,
            }
        }
    };
    let builder = match &options.common.account.issuer {
        Some(issuer) => builder.issuer(issuer),
        None => builder,
    };
    let issuers = options.common.account.server.assume_pkce.iter();
    let builder = issuers.fold(builder, OAuthBuilder::assume_pkce);
    // The authorization server may have a certificate of the same authority as the server.
    let policy = network::policy(options)?
        .size(1 << 20)
        .time(options.common.timeout);
    let builder = builder
        .client_name("mcp (command line)")
        .legacy_servers(options.common.account.server.legacy_oauth)
        .policy(policy);
    let folder = folder()?;
    #[cfg(feature = "keyring")]
    if env::var_os(FOLDER).is_none() {
        let store = mcp_client_oauth::KeyringStore::new("mcp", folder.join("keyring"));
        return Ok(builder.store(store));
    }
    Ok(builder.store(FileStore::new(folder)))
}

fn client(options: &Options) -> Result<Option<OAuthClient>, Failure> {
    let Some(id) = &options.common.account.client_id else {
        return Ok(None);
    };
    let client = OAuthClient::new(id);
    Ok(Some(match &options.common.account.client_secret_env {
        Some(name) => client.secret(variable(name)?),
        None => client,
    }))
}

/// Returns the secret in a variable of the environment.
pub(crate) fn variable(name: &str) -> Result<Secret, Failure> {
    env::var(name).map(Secret::new).map_err(|error| {
        // The error itself would show the value.
        let fault = match error {
            VarError::NotPresent => "it is not set",
            VarError::NotUnicode(_) => "it is not UTF-8",
        };
        let message = format!("cannot read the environment variable `{name}`: {fault}");
        Failure::Usage(message)
    })
}

/// Returns the URL of a server for messages: without its query, which may be a secret.
pub(crate) fn shown(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

/// Shows the address for the login, and opens a browser.
pub(crate) fn agent(options: &AccountOptions) -> Loopback {
    let no_browser = options.no_browser;
    let agent = Loopback::new(move |url| {
        let address = url.as_str();
        print_message(&format!(
            "To log in, open this address in a browser:\n{address}"
        ));
        if !no_browser && has_browser() {
            open_browser(url);
        }
        Ok(())
    });
    match options.login_port {
        Some(port) => agent.port(port),
        None => agent,
    }
}

/// Opens a browser without a shell. The address is `https`, or `http` on this machine.
fn open_browser(url: &AuthorizationUrl) {
    if let Err(error) = open::that_detached(url.as_str()) {
        // The user has seen the address.
        tracing::debug!(%error, "no browser was opened");
    }
}

/// Returns `true` if there is a graphical session. Without one, a browser for text could take over
/// the terminal.
fn has_browser() -> bool {
    let is_desktop = cfg!(any(windows, target_os = "macos"));
    let mut displays = ["DISPLAY", "WAYLAND_DISPLAY"].into_iter();
    is_desktop || displays.any(|name| env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// Returns the folder of the tokens, in the place that the system has for data of programs.
pub(crate) fn folder() -> Result<PathBuf, Failure> {
    let absolute = |name: &str| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    if let Some(folder) = env::var_os(FOLDER) {
        return Ok(PathBuf::from(folder));
    }
    let data = if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        absolute("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        let data = absolute("XDG_DATA_HOME");
        data.or_else(|| absolute("HOME").map(|home| home.join(".local/share")))
    };
    data.map(|data| data.join("mcp").join("tokens"))
        .ok_or_else(|| {
            let message =
                format!("no folder for tokens is known; name one in the variable `{FOLDER}`");
            Failure::Usage(message)
        })
}
