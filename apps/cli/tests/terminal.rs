//! Interactive use at a terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use mcp_client::types::Revision;

use crate::support::program::mcp;
use crate::support::pseudo_terminal;

use super::subject;

/// How long a user waits for some output. Far more than any test needs.
const PATIENCE: Duration = Duration::from_secs(30);

/// A user at a terminal in which `mcp` runs, which is killed when this value is dropped.
pub(crate) struct User {
    terminal: File,
    /// What the terminal shows. It ends with the program.
    shown: Receiver<Vec<u8>>,
    child: Child,
    seen: String,
}

impl User {
    pub(crate) fn runs(arguments: &[&str]) -> Self {
        Self::starts(arguments, &[], false, None)
    }

    /// The same, with a folder for tokens and the history.
    pub(crate) fn runs_in(folder: &Path, arguments: &[&str]) -> Self {
        Self::starts(arguments, &[], true, Some(folder))
    }

    /// The same, for a user who does not want colours.
    pub(crate) fn without_colours(arguments: &[&str]) -> Self {
        Self::runs_with(arguments, &[])
    }

    /// The same, with arguments for the subject.
    pub(crate) fn runs_with(arguments: &[&str], subjects: &[&str]) -> Self {
        Self::starts(arguments, subjects, true, None)
    }

    fn starts(arguments: &[&str], subjects: &[&str], plain: bool, folder: Option<&Path>) -> Self {
        let mut command: Command = mcp();
        command.env("TERM", "xterm").env_remove("NO_COLOR");
        if plain {
            command.env("NO_COLOR", "1");
        }
        if let Some(folder) = folder {
            command.env("MCP_AUTH_DIR", folder);
        }
        command.args(arguments).arg("--").arg(subject());
        command.args(subjects);
        Self::at(command)
    }

    /// The same for any command.
    pub(crate) fn at(mut command: Command) -> Self {
        let (terminal, child) = pseudo_terminal::start(&mut command);
        let mut screen = terminal.try_clone().expect("the same terminal");
        let (sender, shown) = mpsc::channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            // The end of a terminal is reported as an error.
            while let Ok(count @ 1..) = screen.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self {
            terminal,
            shown,
            child,
            seen: String::new(),
        }
    }

    /// Reads the output until it contains this text, or ends.
    pub(crate) fn sees(&mut self, wanted: &str) {
        while !self.seen.contains(wanted) {
            let Ok(bytes) = self.shown.recv_timeout(PATIENCE) else {
                panic!("no {wanted:?} in {:?}", self.seen);
            };
            self.seen += &String::from_utf8_lossy(&bytes);
        }
    }

    /// Reads the output to its end and returns it.
    pub(crate) fn sees_all(mut self) -> String {
        let mut seen = Vec::new();
        loop {
            match self.shown.recv_timeout(PATIENCE) {
                Ok(bytes) => seen.extend(bytes),
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(error) => panic!("{error}: {:?}", String::from_utf8_lossy(&seen)),
            }
        }
        self.child.wait().expect("it ends");
        String::from_utf8_lossy(&seen).into_owned()
    }

    /// Types a line.
    pub(crate) fn types(&mut self, line: &str) {
        self.seen.clear();
        writeln!(self.terminal, "{line}").expect("typed");
    }

    pub(crate) fn ends(mut self, code: i32) {
        while self.shown.recv_timeout(PATIENCE).is_ok() {}
        assert_eq!(self.child.wait().expect("it ends").code(), Some(code));
    }
}

impl Drop for User {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn binary_resource_is_not_printed_but_explained() {
    let seen = User::runs(&["read", "test://bytes"]).sees_all();
    assert!(seen.contains("bytes]"), "{seen}");
    assert!(seen.contains("`--output FILE`"), "{seen}");
}

#[test]
fn form_is_prompted_field_by_field() {
    for revision in [Revision::LATEST.as_str(), "2025-11-25"] {
        let mut user = User::runs(&["call", "order", "--revision", revision]);
        user.sees("The server asks: What will it be?");
        user.sees("dish (string) - Of the day:");
        user.types("");
        user.sees("The server needs it.");
        user.types("12");
        user.sees("portions (integer):");
        user.types("many");
        user.sees("Expected a value of the type integer.");
        user.types("2");
        user.sees("salad (boolean, optional):");
        user.types("yes");
        user.sees("Send this to the server? [y/N]");
        user.types("y");
        user.sees(r#"{"dish":"12","portions":2,"salad":true}"#);
        user.ends(0);
    }
}

#[test]
fn unconfirmed_form_is_declined() {
    let mut user = User::runs(&["call", "order"]);
    for (question, answer) in [("dish", "soup"), ("portions", "1"), ("salad", "")] {
        user.sees(question);
        user.types(answer);
    }
    user.sees("[y/N]");
    user.types("");
    user.sees("declined");
    user.ends(0);
}

#[test]
fn end_of_input_cancels_a_form() {
    let mut user = User::runs(&["call", "order"]);
    user.sees("dish");
    user.terminal.write_all(b"\x04").expect("typed");
    user.sees("cancelled");
    user.ends(0);
}

#[test]
fn url_elicitation_shows_the_url_and_asks_for_consent() {
    let mut user = User::runs(&["call", "page"]);
    user.sees("The server asks: Please pay.");
    user.sees("https://example.com/pay");
    user.sees("Will you open it? [y/N]");
    user.types("y");
    user.sees("Accepted");
    user.ends(0);
}

#[test]
fn control_characters_of_results_are_escaped_on_a_terminal() {
    for arguments in [
        &["call", "coloured"][..],
        &["tools"],
        &["call", "coloured", "--json"],
    ] {
        let mut user = User::without_colours(arguments);
        user.sees("2J");
        assert!(user.seen.contains("[31mred"), "{:?}", user.seen);
        let obeyed = |c: char| c.is_control() && c != '\n' && c != '\r';
        assert!(!user.seen.contains(obeyed), "{:?}", user.seen);
        user.ends(0);
    }
}

#[test]
fn progress_is_shown_as_a_bar() {
    let mut user = User::runs(&["call", "half", "--timeout", "2"]);
    user.sees("[###############---------------]  50% half of it");
    user.sees("timed out");
    user.ends(5);
}
