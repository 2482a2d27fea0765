//! [`Completions`]: completes commands and names.

use std::sync::{Arc, Mutex, PoisonError};

use clap::CommandFactory;
use mcp_client::{Client, List, Paged};
use mcp_types::peer_text::is_unsafe;
use rustyline::completion::{Completer, Pair};
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};

use crate::args::Mcp;
use crate::output::exact::to_json;
use crate::schema::reader::fields;

/// The maximum number of elements of a list that are completed.
const ELEMENTS: usize = 10_000;

/// Commands of the shell itself.
const OWN: [&str; 3] = ["exit", "help", "quit"];

/// The names that a server has.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Tools with their arguments.
    tools: Vec<(String, Vec<String>)>,
    /// Prompts with their arguments.
    prompts: Vec<(String, Vec<String>)>,
    uris: Vec<String>,
}

/// Completes what a user types.
pub(super) struct Completions(pub(super) Arc<Mutex<Names>>);

/// Requests the names of a server. Lists that it does not have stay empty.
pub(super) async fn load(client: &Client, names: &Mutex<Names>) {
    let capabilities = to_json(&client.server_capabilities());
    let has = |name: &str| capabilities.get(name).is_some();
    let mut found = Names::default();
    if has("tools") {
        for tool in elements(client.tools()).await {
            let arguments = fields(&to_json(&tool.input_schema)).into_iter();
            let arguments = arguments.map(|field| field.name).collect();
            found.tools.push((tool.name, arguments));
        }
    }
    if has("prompts") {
        for prompt in elements(client.prompts()).await {
            let arguments = prompt.arguments.into_iter().flatten();
            let arguments = arguments.map(|argument| argument.name).collect();
            found.prompts.push((prompt.name, arguments));
        }
    }
    if has("resources") {
        let resources = elements(client.resources()).await.into_iter();
        found.uris = resources.map(|resource| resource.uri).collect();
    }
    *names.lock().unwrap_or_else(PoisonError::into_inner) = found;
}

/// Returns the elements until an error; commands report it.
async fn elements<R: Paged>(mut list: List<R>) -> Vec<R::Item> {
    let mut items = Vec::new();
    while items.len() < ELEMENTS {
        match list.next().await {
            Some(Ok(item)) => items.push(item),
            Some(Err(mcp_client::CallError::Element { .. })) => {}
            Some(Err(_)) | None => break,
        }
    }
    items
}

impl Names {
    /// Returns what can follow some words.
    fn after(&self, words: &[&str]) -> Vec<String> {
        let names = |all: &[(String, Vec<String>)]| {
            all.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>()
        };
        let arguments = |all: &[(String, Vec<String>)], name: &str, given: &[&str]| {
            let found = all.iter().find(|(known, _)| known == name);
            let arguments = found.into_iter().flat_map(|(_, arguments)| arguments);
            let is_given = |argument: &str| {
                let mut given = given.iter();
                given.any(|word| {
                    word.split_once('=')
                        .is_some_and(|(name, _)| name == argument)
                })
            };
            arguments
                .filter(|argument| !is_given(argument))
                .map(|argument| format!("{argument}="))
                .collect()
        };
        match words {
            [] => {
                let program = Mcp::command();
                let commands = program.get_subcommands();
                let connecting = commands.filter(|command| !is_outside(command.get_name()));
                let connecting = connecting.map(|command| command.get_name().to_owned());
                connecting.chain(OWN.map(str::to_owned)).collect()
            }
            ["call" | "tools"] => names(&self.tools),
            ["prompt" | "complete"] => names(&self.prompts),
            ["read" | "fetch" | "metadata" | "tree" | "watch"] => self.uris.clone(),
            ["call", tool, given @ ..] => arguments(&self.tools, tool, given),
            ["prompt" | "complete", prompt, given @ ..] => arguments(&self.prompts, prompt, given),
            _ => Vec::new(),
        }
    }
}

/// Returns `true` for commands that the shell does not run.
fn is_outside(command: &str) -> bool {
    matches!(
        command,
        "auth"
            | "check"
            | "completions"
            | "explain"
            | "gateway"
            | "install"
            | "login"
            | "logout"
            | "man"
            | "record"
            | "replay"
            | "servers"
            | "shell"
            | "tasks"
            | "uninstall"
    )
}

impl Completer for Completions {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let before = line.get(..position).unwrap_or_default();
        let start = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let (words, typed) = before.split_at(start);
        let words: Vec<&str> = words.split_whitespace().collect();
        let names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let matching = names.after(&words).into_iter();
        let matching = matching.filter(|name| name.starts_with(typed) && is_plain(name));
        let pairs = matching.map(|name| Pair {
            display: name.clone(),
            // A value follows the name of an argument without a space.
            replacement: if name.ends_with('=') {
                name
            } else {
                format!("{name} ")
            },
        });
        Ok((start, pairs.collect()))
    }
}

/// Returns `true` for names that a shell reads as one word, and a terminal shows as they are.
fn is_plain(name: &str) -> bool {
    !name.contains(|c: char| is_unsafe(c) || c.is_whitespace() || "\"'\\#".contains(c))
}

impl Helper for Completions {}
impl Highlighter for Completions {}
impl Hinter for Completions {
    type Hint = String;
}
impl Validator for Completions {}
