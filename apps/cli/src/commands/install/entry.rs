//! [`entry`]: the entry of a server in a file, without secrets.

use jsonc_parser::cst::CstInputValue;
use mcp_gateway::config::{named_value, variables};

use crate::args::Install;
use crate::failure::Failure;
use crate::hints;
use crate::hosts::{Host, Variables};
use crate::secrets::{Place, is_secret_name, is_secret_value};

/// Variables that editors define, which are not in the environment.
const DEFINED: [&str; 3] = ["workspaceFolder", "workspaceFolderBasename", "userHome"];

/// Returns the entry for a program or a URL in the form of a host.
pub(super) fn entry(
    args: &Install,
    words: &[String],
    host: Option<Host>,
) -> Result<CstInputValue, Failure> {
    let mut members = Vec::new();
    let mut add = |name: &str, value: CstInputValue| members.push((name.to_owned(), value));
    let has_types = host.is_none_or(Host::has_types);
    match (words, args.program.split_first()) {
        ([], Some((command, arguments))) => {
            if !args.header.is_empty() {
                let message = "`--header` is only for URLs, but the server is a program";
                return Err(Failure::Usage(message.to_owned()));
            }
            let arguments: Result<Vec<_>, _> = arguments.iter().map(text).collect();
            let arguments = arguments?;
            refuse_secret_arguments(&arguments)?;
            if has_types {
                add("type", "stdio".into());
            }
            add("command", form(text(command)?, host)?.into());
            let arguments = arguments.iter().map(|text| Ok(form(text, host)?.into()));
            let arguments: Result<Vec<CstInputValue>, Failure> = arguments.collect();
            add("args", CstInputValue::Array(arguments?));
            if !args.env.is_empty() {
                add("env", values("--env", &args.env, host)?);
            }
            if let Some(folder) = &args.cwd {
                add("cwd", form(text(folder.as_os_str())?, host)?.into());
            }
        }
        ([url], None) if hints::is_url(url) => {
            if !args.env.is_empty() || args.cwd.is_some() {
                let message = "`--env` and `--cwd` are only for programs, but the server is a URL";
                return Err(Failure::Usage(message.to_owned()));
            }
            if host == Some(Host::ClaudeDesktop) {
                let message = "claude-desktop starts programs only from its file; \
                               add a URL in its settings, as a connector";
                return Err(Failure::Usage(message.to_owned()));
            }
            refuse_secret_url(url)?;
            if has_types {
                add("type", "http".into());
            }
            add("url", form(url, host)?.into());
            if !args.header.is_empty() {
                add("headers", values("--header", &args.header, host)?);
            }
        }
        _ => {
            let message = "expected a URL after the name, or `-- PROGRAM...`";
            return Err(Failure::Usage(message.to_owned()));
        }
    }
    Ok(CstInputValue::Object(members))
}

fn text<T: AsRef<std::ffi::OsStr> + ?Sized>(word: &T) -> Result<&str, Failure> {
    word.as_ref().to_str().ok_or_else(|| {
        let message = "an argument is not UTF-8, so it cannot be written to the file";
        Failure::Usage(message.to_owned())
    })
}

/// Returns headers or variables of the environment, none of which is a secret.
fn values(
    option: &str,
    values: &[(String, String)],
    host: Option<Host>,
) -> Result<CstInputValue, Failure> {
    let mut members: Vec<(String, CstInputValue)> = Vec::new();
    for (name, value) in values {
        if members.iter().any(|(given, _)| given == name) {
            let message = format!("`{option}` gives `{name}` twice");
            return Err(Failure::Usage(message));
        }
        if is_secret(name, value)? {
            return Err(refused(&format!("`{option}` with `{name}`"), name));
        }
        members.push((name.clone(), form(value, host)?.into()));
    }
    Ok(CstInputValue::Object(members))
}

/// Returns `true` for a value that may be a secret and does not come from a variable.
fn is_secret(name: &str, value: &str) -> Result<bool, Failure> {
    let has_variables = !names(value)?.is_empty();
    Ok(is_secret_value(value) || (is_secret_name(name, Place::Setting) && !has_variables))
}

fn refuse_secret_arguments(arguments: &[&str]) -> Result<(), Failure> {
    let mut before = "";
    for argument in arguments {
        let (name, value) = match named_value(argument) {
            Some((name, value)) => (name, value),
            None if before.starts_with('-') && !argument.starts_with('-') => (before, *argument),
            None => ("", *argument),
        };
        if is_secret(name, value)? {
            let what = if name.is_empty() {
                "an argument".to_owned()
            } else {
                format!("the argument after `{name}`")
            };
            return Err(refused(&what, name));
        }
        before = argument;
    }
    Ok(())
}

fn refuse_secret_url(url: &str) -> Result<(), Failure> {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        if is_secret(name, value)? {
            return Err(refused(&format!("`{name}` of the URL"), name));
        }
    }
    if is_secret_value(url) {
        return Err(refused("the user in the URL", "PASSWORD"));
    }
    Ok(())
}

fn refused(what: &str, name: &str) -> Failure {
    let letters = name.trim_start_matches('-').chars();
    let variable: String = letters
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let variable = match variable.to_ascii_uppercase() {
        empty if empty.is_empty() => "NAME".to_owned(),
        variable => variable,
    };
    Failure::Usage(format!(
        "{what} looks like a secret, which is not written to a file: \
         expected a variable that has it, such as '${{{variable}}}' in single quotes"
    ))
}

/// Returns the names of the variables in a text.
fn names(text: &str) -> Result<Vec<&str>, Failure> {
    variables(text).map_err(|fault| Failure::Usage(fault.to_string()))
}

/// Writes the variables of a text in the form of a host.
fn form(text: &str, host: Option<Host>) -> Result<String, Failure> {
    let names = names(text)?;
    let Some(host) = host.filter(|_| !names.is_empty()) else {
        return Ok(text.to_owned());
    };
    let refuse = |why: &str| Failure::Usage(format!("{} {why}", host.name()));
    match host.variables() {
        Variables::Absent => Err(refuse(
            "replaces no variables in its file, so a server there cannot get a value from one; \
             the server has to read it from elsewhere",
        )),
        Variables::Plain => Ok(text.replace("${env:", "${")),
        Variables::Prefixed if text.contains(":-") => {
            Err(refuse("has no defaults for variables: expected `${NAME}`"))
        }
        Variables::Prefixed => {
            let mut written = text.replace("${env:", "${");
            let is_environment = |name: &&str| !DEFINED.contains(name) && !name.contains(':');
            let mut names: Vec<&str> = names.into_iter().filter(is_environment).collect();
            names.sort_unstable();
            names.dedup();
            for name in names {
                let (plain, prefixed) = (format!("${{{name}}}"), format!("${{env:{name}}}"));
                written = written.replace(&plain, &prefixed);
            }
            Ok(written)
        }
    }
}
