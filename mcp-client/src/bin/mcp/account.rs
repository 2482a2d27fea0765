//! How the program authorizes itself, and the commands `login`, `logout` and `auth`.

use std::env::{self, VarError};
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::SystemTime;

use mcp_client::oauth::{
    AuthorizationUrl, FileStore, Logout, Loopback, OAuth, OAuthBuilder, OAuthClient, OAuthError,
    OAuthFault, Secret, StepUp, TokenStatus, UserAgent,
};
use mcp_client::types::json::Object;
use mcp_client::{Http, is_loopback_url};

use crate::args::{AccountOptions, Auth, Command, Options};
use crate::ask::Answers;
use crate::connect;
use crate::failure::Failure;
use crate::output::{Output, print_message};
use crate::paste::PasteOrLoopback;

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
    if let Some(name) = &options.account.token_env {
        let token = variable(name)?;
        if url.starts_with("http:") && !is_loopback_url(url) {
            let message = "the token of `--token-env` is not sent over plain `http` to another machine; \
                           use `https`, or `--header` if everybody may read it";
            return Err(Failure::Usage(message.to_owned()));
        }
        return Ok(server.header("authorization", format!("Bearer {}", token.expose())));
    }
    // The address has to be visible.
    let can_log_in = !options.account.no_login && io::stderr().is_terminal();
    let agent = can_log_in.then(|| agent(&options.account));
    Ok(server.auth(oauth(options, agent, answers)?))
}

/// Runs a command that connects to no server of the protocol.
pub(crate) async fn run(
    options: &Options,
    command: &Command,
    output: Output,
) -> Result<(), Failure> {
    match command {
        Command::Login(server) => {
            let agent = PasteOrLoopback(agent(&options.account));
            let scopes = server.scope.iter();
            let builder = scopes.fold(builder(options, Some(agent))?, OAuthBuilder::scope);
            let Err(error) = builder.build()?.login(&server.url).await else {
                print_message(&format!("logged in to {}", shown(&server.url)));
                return Ok(());
            };
            let has_no_metadata = matches!(error.fault, OAuthFault::NotFound(_));
            if has_no_metadata && connect::is_open(options, command, &server.url, output).await? {
                print_message(&format!("no login is needed for {}", shown(&server.url)));
                return Ok(());
            }
            Err(error.into())
        }
        Command::Logout(server) => {
            let url = shown(&server.url);
            let outcome = stored(options)?.logout(&server.url).await?;
            if let Logout::Absent = outcome {
                return Err(Failure::Absent(format!("there is no token for {url}")));
            }
            print_message(&format!("logged out of {url}"));
            if let Logout::Forgotten { error } = outcome {
                print_message(&unrevoked(error.as_ref()));
            }
            Ok(())
        }
        Command::Auth(Auth::Status) => status(&stored(options)?.status().await?, output),
        _ => Ok(()),
    }
}

/// Explains why a logout has only forgotten the token.
fn unrevoked(error: Option<&OAuthError>) -> String {
    let reason = match error {
        None => "the authorization server does not revoke tokens".to_owned(),
        Some(error) => match &error.fault {
            OAuthFault::NoClient(issuer) => format!(
                "the authorization server requires the secret of the client, which is not stored\n\
                 hint: revoke the token in your account at {issuer}; the next time, log out with \
                 `--client-id ID --client-secret-env NAME --issuer {issuer}`"
            ),
            _ => error.to_string(),
        },
    };
    format!("the token was not revoked and stays valid until it expires: {reason}")
}

/// Returns the authorization with the stored tokens only, which sends no user to a login.
fn stored(options: &Options) -> Result<OAuth, Failure> {
    Ok(builder(options, None::<Loopback>)?.build()?)
}

fn oauth(
    options: &Options,
    agent: Option<impl UserAgent + 'static>,
    answers: Answers,
) -> Result<OAuth, Failure> {
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
    answer.is_ok_and(|answer| matches!(answer.to_ascii_lowercase().as_str(), "y" | "yes"))
}

fn builder(
    options: &Options,
    agent: Option<impl UserAgent + 'static>,
) -> Result<OAuthBuilder, Failure> {
    let client = client(options)?;
    let builder = match client {
        Some(client) if options.account.client_credentials => OAuth::client_credentials(client),
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
    let builder = match &options.account.issuer {
        Some(issuer) => builder.issuer(issuer),
        None => builder,
    };
    let issuers = options.account.server.assume_pkce.iter();
    let builder = issuers.fold(builder, OAuthBuilder::assume_pkce);
    // The authorization server may have a certificate of the same authority as the server.
    let policy = connect::policy(options)?
        .size(1 << 20)
        .time(options.timeout);
    let builder = builder
        .client_name("mcp (command line)")
        .legacy_servers(options.account.server.legacy_oauth)
        .policy(policy);
    Ok(builder.store(FileStore::new(folder()?)))
}

fn client(options: &Options) -> Result<Option<OAuthClient>, Failure> {
    let Some(id) = &options.account.client_id else {
        return Ok(None);
    };
    let client = OAuthClient::new(id);
    Ok(Some(match &options.account.client_secret_env {
        Some(name) => client.secret(variable(name)?),
        None => client,
    }))
}

fn variable(name: &str) -> Result<Secret, Failure> {
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
fn shown(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

/// Shows the address for the login, and opens a browser.
fn agent(options: &AccountOptions) -> Loopback {
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
fn folder() -> Result<PathBuf, Failure> {
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

fn status(all: &[TokenStatus], output: Output) -> Result<(), Failure> {
    if output.json {
        let all: Vec<Object> = all.iter().map(to_json).collect();
        return Ok(output.value(&all)?);
    }
    if all.is_empty() {
        print_message("there are no tokens");
    }
    for token in all {
        output.line(shown(&token.server))?;
        output.line(&format!("  issuer {}", token.issuer))?;
        output.line(&format!("  client {}", token.client_id))?;
        if !token.scopes.is_empty() {
            output.line(&format!("  scopes {}", token.scopes.join(" ")))?;
        }
        output.line(&format!("  {}", lifetime(token)))?;
    }
    Ok(())
}

fn lifetime(token: &TokenStatus) -> String {
    let renewed = if token.can_refresh {
        "is refreshed"
    } else {
        "needs a new login"
    };
    let Some(at) = token.expires_at else {
        return "expires at an unknown time".to_owned();
    };
    match at.duration_since(SystemTime::now()) {
        Ok(left) if left.as_secs() >= 120 => {
            format!("expires in {} min, then {renewed}", left.as_secs() / 60)
        }
        Ok(left) => format!("expires in {} s, then {renewed}", left.as_secs()),
        Err(_) => format!("has expired and {renewed}"),
    }
}

fn to_json(token: &TokenStatus) -> Object {
    let mut members = Object::from([
        ("server", shown(&token.server)),
        ("issuer", token.issuer.as_str()),
        ("clientId", token.client_id.as_str()),
    ]);
    members.insert("scopes", token.scopes.clone());
    members.insert("canRefresh", token.can_refresh);
    members.insert("isBound", token.is_bound);
    let at = token.expires_at;
    let at = at.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
    if let Some(at) = at {
        members.insert("expiresAt", at.as_secs());
    }
    members
}
