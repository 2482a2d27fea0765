//! [`Action`]: what a command does, checked before a server is started.

use std::path::Path;

use mcp_client::types::json::Object;

use crate::args::{Command, Fetch};
use crate::failure::Failure;
use crate::values;

/// A command with its arguments.
pub(crate) enum Action<'a> {
    Discover,
    Tools,
    Call(NamedArguments<'a>),
    Resources,
    Read {
        uri: &'a str,
        media_type: Option<&'a str>,
        file: Option<&'a Path>,
    },
    Fetch(&'a str, &'a Fetch),
    Metadata(&'a str),
    Tree {
        uri: Option<&'a str>,
        depth: usize,
    },
    Prompts,
    Prompt(NamedArguments<'a>),
    Watch(&'a [String]),
}

/// A tool or a prompt with its arguments.
pub(crate) struct NamedArguments<'a> {
    pub(crate) name: &'a str,
    /// The arguments of `--args`.
    pub(crate) given: Object,
    /// The arguments `NAME=VALUE`, which override those of `--args`.
    pub(crate) words: Vec<(&'a str, &'a str)>,
}

impl<'a> Action<'a> {
    /// Checks a command and the words that do not name the server.
    pub(crate) fn new(command: &'a Command, words: &'a [String]) -> Result<Self, Failure> {
        Ok(match command {
            Command::Discover(_) => without_arguments(Self::Discover, words)?,
            Command::Tools(_) => without_arguments(Self::Tools, words)?,
            Command::Call(args) => {
                Self::Call(NamedArguments::new("tool", words, args.args.as_deref())?)
            }
            Command::Resources(_) => without_arguments(Self::Resources, words)?,
            Command::Read(args) => Self::Read {
                uri: single_argument("read", words)?,
                media_type: args.media_type.as_deref(),
                file: args.output.as_deref(),
            },
            Command::Fetch(args) => Self::Fetch(single_argument("fetch", words)?, args),
            Command::Metadata(_) => Self::Metadata(single_argument("metadata", words)?),
            Command::Tree(args) => match words {
                [] | [_] => Self::Tree {
                    uri: words.first().map(String::as_str),
                    depth: args.depth,
                },
                _ => return Err(Failure::Usage("`tree` expects one URI at most".to_owned())),
            },
            Command::Prompts(_) => without_arguments(Self::Prompts, words)?,
            Command::Prompt(args) => {
                Self::Prompt(NamedArguments::new("prompt", words, args.args.as_deref())?)
            }
            Command::Watch(_) => Self::Watch(words),
            Command::Login(_) | Command::Logout(_) | Command::Auth(_) => {
                let message = "this command connects to no server";
                return Err(Failure::Usage(message.to_owned()));
            }
        })
    }
}

fn single_argument<'a>(command: &str, words: &'a [String]) -> Result<&'a str, Failure> {
    match words {
        [uri] => Ok(uri),
        _ => Err(Failure::Usage(format!(
            "`{command}` expects one URI, found {}",
            words.len()
        ))),
    }
}

fn without_arguments<'a>(action: Action<'a>, words: &[String]) -> Result<Action<'a>, Failure> {
    match words {
        [] => Ok(action),
        [word, ..] => {
            let message = format!("unexpected argument `{word}`: a program comes after `--`");
            Err(Failure::Usage(message))
        }
    }
}

impl<'a> NamedArguments<'a> {
    fn new(what: &str, words: &'a [String], args: Option<&str>) -> Result<Self, Failure> {
        let Some((name, words)) = words.split_first() else {
            return Err(Failure::Usage(format!(
                "no {what} is named: expected its name after the server"
            )));
        };
        let words = words.iter().map(|word| values::split(word));
        Ok(Self {
            name,
            words: words.collect::<Result<_, _>>()?,
            given: values::read_args(args)?,
        })
    }
}
