//! [`Wanted`]: what a command line asks for, checked before a server is started for it.

use std::path::Path;

use mcp_client::types::json::Object;

use crate::args::Command;
use crate::failure::Failure;
use crate::values;

pub(crate) enum Wanted<'a> {
    Discover,
    Tools,
    Call(Named<'a>),
    Resources,
    Read(&'a str, Option<&'a Path>),
    Prompts,
    Prompt(Named<'a>),
    Watch(&'a [String]),
}

/// A tool or a prompt with its arguments.
pub(crate) struct Named<'a> {
    pub(crate) name: &'a str,
    /// Those that come as a whole.
    pub(crate) given: Object,
    /// Those that come one by one, and win.
    pub(crate) words: Vec<(&'a str, &'a str)>,
}

impl<'a> Wanted<'a> {
    /// What a command wants with the words that do not name the server.
    pub(crate) fn new(command: &'a Command, words: &'a [String]) -> Result<Self, Failure> {
        Ok(match command {
            Command::Discover(_) => alone(Self::Discover, words)?,
            Command::Tools(_) => alone(Self::Tools, words)?,
            Command::Call(args) => Self::Call(Named::new("tool", words, args.args.as_deref())?),
            Command::Resources(_) => alone(Self::Resources, words)?,
            Command::Read(args) => match words {
                [uri] => Self::Read(uri, args.output.as_deref()),
                _ => return Err(Failure::Usage("`read` takes one URI".to_owned())),
            },
            Command::Prompts(_) => alone(Self::Prompts, words)?,
            Command::Prompt(args) => {
                Self::Prompt(Named::new("prompt", words, args.args.as_deref())?)
            }
            Command::Watch(_) => Self::Watch(words),
        })
    }
}

fn alone<'a>(wanted: Wanted<'a>, words: &[String]) -> Result<Wanted<'a>, Failure> {
    match words {
        [] => Ok(wanted),
        [word, ..] => {
            let message = format!("`{word}` is too much: a program comes after `--`");
            Err(Failure::Usage(message))
        }
    }
}

impl<'a> Named<'a> {
    fn new(what: &str, words: &'a [String], args: Option<&str>) -> Result<Self, Failure> {
        let Some((name, words)) = words.split_first() else {
            return Err(Failure::Usage(format!("no {what} is named")));
        };
        let words = words.iter().map(|word| values::split(word));
        Ok(Self {
            name,
            words: words.collect::<Result<_, _>>()?,
            given: values::given(args)?,
        })
    }
}
