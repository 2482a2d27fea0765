//! [`Editor`]: reads lines, at a terminal with a history.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config};
use tokio::sync::oneshot;

use super::complete::{Completions, Names};
use crate::authorization::folder;
use crate::edit::file::private_folder;
use crate::failure::Failure;
use crate::secrets::has_secret;

/// The number of lines of the history.
const LINES: usize = 1000;

/// A line of the user.
pub(super) enum Line {
    Text(String),
    Interrupted,
    End,
}

pub(super) struct Editor {
    lines: rustyline::Editor<Completions, FileHistory>,
    history: Option<PathBuf>,
    interactive: bool,
}

impl Editor {
    pub(super) fn new(names: Arc<Mutex<Names>>, has_history: bool) -> Result<Self, Failure> {
        let interactive = io::stdin().is_terminal();
        let config = Config::builder()
            .max_history_size(LINES)
            .map_err(failed)?
            .history_ignore_space(true)
            .completion_type(CompletionType::List)
            .build();
        let mut editor = rustyline::Editor::with_config(config).map_err(failed)?;
        editor.set_helper(Some(Completions(names)));
        let history = (interactive && has_history).then(folder).transpose()?;
        let history = history.map(|folder| folder.join("history"));
        if let Some(path) = &history {
            // The file of the history does not exist before the first use.
            let _ = editor.load_history(path);
        }
        Ok(Self {
            lines: editor,
            history,
            interactive,
        })
    }

    pub(super) fn is_interactive(&self) -> bool {
        self.interactive
    }

    /// Reads a line, in a thread of its own: the connection stays alive meanwhile.
    pub(super) async fn read(mut self) -> Result<(Self, Line), Failure> {
        let (sender, read) = oneshot::channel();
        // A read cannot be cancelled; the thread ends with the program.
        std::thread::spawn(move || {
            let line = self.lines.readline("mcp> ");
            // Fails if the shell has ended meanwhile.
            let _ = sender.send((self, line));
        });
        let (mut editor, line) = read.await.map_err(io::Error::other)?;
        let line = match line {
            Ok(line) => {
                editor.remember(&line);
                Line::Text(line)
            }
            Err(ReadlineError::Interrupted) => Line::Interrupted,
            Err(ReadlineError::Eof) => Line::End,
            Err(error) => return Err(failed(error)),
        };
        Ok((editor, line))
    }

    /// Adds a line to the history, unless a part of it looks like a secret.
    fn remember(&mut self, line: &str) {
        let Some(path) = self.history.as_ref().filter(|_| !has_secret(line)) else {
            return;
        };
        let added = self.lines.add_history_entry(line);
        let saved = added.and_then(|is_new| {
            if is_new {
                private_folder(path.parent().unwrap_or(path))?;
                self.lines.append_history(path)?;
            }
            Ok(())
        });
        if let Err(error) = saved {
            tracing::warn!(%error, "the history is not saved");
        }
    }
}

fn failed(error: ReadlineError) -> Failure {
    match error {
        ReadlineError::Io(error) => error.into(),
        error => io::Error::other(error).into(),
    }
}
