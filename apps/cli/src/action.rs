//! [`Action`]: what a command does, checked before a server is started.

use std::path::Path;

use mcp_client::types::json::Object;

use crate::args::{Check, Command, Fetch, Icons, Read, Server, Shell, TasksCommand, WithArguments};
use crate::failure::Failure;
use crate::values;

/// A command with its arguments.
pub(crate) enum Action<'a> {
    Discover,
    /// Checks the server, and calls this tool with these arguments to change a resource.
    Check(&'a Check, Option<(&'a str, Object)>),
    Shell(&'a Shell),
    /// Lists the tools whose names contain one of the words.
    Tools(&'a [String]),
    Call(NamedArguments<'a>),
    /// Calls a tool of this server, and does not wait.
    Begin(NamedArguments<'a>, &'a Server),
    /// A command for the task with this id.
    Task(&'a TasksCommand, &'a str),
    /// Lists the resources that match a filter.
    Resources(Option<Object>),
    Read(&'a str, &'a Read),
    Fetch(&'a str, &'a Fetch),
    Metadata(&'a str),
    Tree {
        uri: Option<&'a str>,
        depth: usize,
    },
    Icons(&'a Icons),
    /// Lists the skills, and verifies them if `true`.
    Skills(bool),
    Prompts,
    Prompt(NamedArguments<'a>),
    Watch(&'a [String]),
    Complete(NamedArguments<'a>),
    Ping,
    /// A method with its params.
    Request(&'a str, Object),
}

/// A tool or a prompt with its arguments.
pub(crate) struct NamedArguments<'a> {
    pub(crate) name: &'a str,
    /// The arguments of `--args`.
    pub(crate) given: Object,
    /// The arguments `NAME=VALUE`, which override those of `--args`.
    pub(crate) words: Vec<(&'a str, &'a str)>,
    /// Where to write images and other binary contents.
    pub(crate) file: Option<&'a Path>,
}

impl<'a> Action<'a> {
    /// Checks a command and the words that do not name the server.
    pub(crate) fn new(command: &'a Command, words: &'a [String]) -> Result<Self, Failure> {
        Ok(match command {
            Command::Discover(_) => without_arguments(Self::Discover, words)?,
            Command::Check(args) => {
                let write = match args.write.as_deref() {
                    Some([tool, arguments]) => {
                        Some((tool.as_str(), values::object("--write", arguments)?))
                    }
                    _ => None,
                };
                without_arguments(Self::Check(args, write), words)?
            }
            Command::Shell(args) => without_arguments(Self::Shell(args), words)?,
            Command::Tools(_) => Self::Tools(words),
            Command::Call(args) => {
                let named = NamedArguments::with("tool", words, &args.named)?;
                if args.background {
                    Self::Begin(named, &args.named.request.server)
                } else {
                    Self::Call(named)
                }
            }
            Command::Tasks(command) => Self::Task(command, single_argument("tasks", "id", words)?),
            Command::Resources(args) => {
                let filter = args.filter.as_deref();
                let filter = filter.map(|text| values::object("--filter", text));
                without_arguments(Self::Resources(filter.transpose()?), words)?
            }
            Command::Read(args) => Self::Read(single_argument("read", "URI", words)?, args),
            Command::Icons(args) => without_arguments(Self::Icons(args), words)?,
            Command::Fetch(args) => Self::Fetch(single_argument("fetch", "URI", words)?, args),
            Command::Metadata(_) => Self::Metadata(single_argument("metadata", "URI", words)?),
            Command::Tree(args) => match words {
                [] | [_] => Self::Tree {
                    uri: words.first().map(String::as_str),
                    depth: args.depth,
                },
                _ => return Err(Failure::Usage("`tree` expects one URI at most".to_owned())),
            },
            Command::Skills(args) => without_arguments(Self::Skills(args.verify), words)?,
            Command::Prompts(_) => without_arguments(Self::Prompts, words)?,
            Command::Prompt(args) => Self::Prompt(NamedArguments::with("prompt", words, args)?),
            Command::Watch(_) => Self::Watch(words),
            Command::Complete(_) => Self::Complete(NamedArguments::new("prompt", words)?),
            Command::Ping(_) => without_arguments(Self::Ping, words)?,
            Command::Request(args) => {
                let method = single_argument("request", "method", words)?;
                Self::Request(method, values::read_args(args.args.as_deref())?)
            }
            // `Command::server` lists them.
            _ => {
                let message = "this command connects to no server";
                return Err(Failure::Usage(message.to_owned()));
            }
        })
    }
}

fn single_argument<'a>(command: &str, what: &str, words: &'a [String]) -> Result<&'a str, Failure> {
    match words {
        [word] => Ok(word),
        _ => Err(Failure::Usage(format!(
            "`{command}` expects one {what}, found {}",
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
    fn with(what: &str, words: &'a [String], args: &'a WithArguments) -> Result<Self, Failure> {
        let mut named = Self::new(what, words)?;
        named.given = values::read_args(args.request.args.as_deref())?;
        named.file = args.output.as_deref();
        Ok(named)
    }

    /// Returns a name without arguments.
    pub(crate) fn named(name: &'a str) -> Self {
        Self {
            name,
            given: Object::new(),
            words: Vec::new(),
            file: None,
        }
    }

    fn new(what: &str, words: &'a [String]) -> Result<Self, Failure> {
        let Some((name, words)) = words.split_first() else {
            return Err(Failure::Usage(format!(
                "no {what} is named: expected its name after the server"
            )));
        };
        let words = words.iter().map(|word| values::split(word));
        Ok(Self {
            words: words.collect::<Result<_, _>>()?,
            ..Self::named(name)
        })
    }
}
