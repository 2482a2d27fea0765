//! Interactive use at a terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command};

use mcp_client::types::Revision;

use crate::support::program::mcp;
use crate::support::pseudo_terminal;

use super::subject;

/// A user at a terminal in which `mcp` runs.
pub(crate) struct User {
    terminal: File,
    child: Child,
    seen: String,
}

impl User {
    pub(crate) fn runs(arguments: &[&str]) -> Self {
        Self::starts(arguments, &[], false)
    }

    /// The same, for a user who does not want colours.
    pub(crate) fn without_colours(arguments: &[&str]) -> Self {
        Self::runs_with(arguments, &[])
    }

    /// The same, with arguments for the subject.
    pub(crate) fn runs_with(arguments: &[&str], subjects: &[&str]) -> Self {
        Self::starts(arguments, subjects, true)
    }

    fn starts(arguments: &[&str], subjects: &[&str], plain: bool) -> Self {
        let mut command: Command = mcp();
        command.env("TERM", "xterm").env_remove("NO_COLOR");
        if plain {
            command.env("NO_COLOR", "1");
        }
        command.args(arguments).arg("--").arg(subject());
        command.args(subjects);
        let (terminal, child) = pseudo_terminal::start(&mut command);
        Self {
            terminal,
            child,
            seen: String::new(),
        }
    }

    /// Reads the output until it contains this text, or ends.
    pub(crate) fn sees(&mut self, wanted: &str) {
        let mut bytes = [0; 4096];
        while !self.seen.contains(wanted) {
            let count = self.terminal.read(&mut bytes).unwrap_or_default();
            assert!(count > 0, "no {wanted:?} in {:?}", self.seen);
            self.seen += &String::from_utf8_lossy(&bytes[..count]);
        }
    }

    /// Reads the output to its end and returns it.
    pub(crate) fn sees_all(mut self) -> String {
        let mut seen = Vec::new();
        let mut bytes = [0; 4096];
        // The end of a terminal is reported as an error.
        while let Ok(count @ 1..) = self.terminal.read(&mut bytes) {
            seen.extend_from_slice(&bytes[..count]);
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
        assert_eq!(self.child.wait().expect("it ends").code(), Some(code));
    }
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
    user.sees("no response");
    user.ends(5);
}
