//! `mcp login`, `mcp logout` and `mcp auth`.

use std::time::SystemTime;

use mcp_client::types::json::Object;
use mcp_client_oauth::{
    Logout, Loopback, OAuth, OAuthBuilder, OAuthError, OAuthFault, TokenStatus,
};

use crate::args::{Auth, Command, Options, TasksCommand};
use crate::authorization::{agent, builder, shown};
use crate::commands::{install, manual, servers, tasks};
use crate::connect;
use crate::failure::Failure;
use crate::output::{Output, print_message};
use crate::questions::paste::PasteOrLoopback;

/// Runs a command that connects to no server of the protocol.
pub(crate) async fn run(
    options: &Options,
    command: &Command,
    output: Output,
) -> Result<(), Failure> {
    match command {
        Command::Login(server) => {
            let agent = PasteOrLoopback(agent(&options.common.account));
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
        Command::Auth(Auth::Status { .. }) => status(&stored(options)?.status().await?, output),
        Command::Tasks(TasksCommand::List { .. }) => tasks::list(output).await,
        Command::Completions(args) => manual::completions(args),
        Command::Man(args) => manual::man(args),
        Command::Servers(args) => servers::servers(args, output),
        Command::Install(args) => install::install(args),
        Command::Uninstall(args) => install::uninstall(args),
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
