//! Tables: invocations of the macros in the support code that implement what is mechanical.
//!
//! They are laid out here, since a formatter leaves the arguments of a macro as they are.

use super::docs;
use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// The widest line of a table.
const WIDTH: usize = 100;

/// A table: the invocation of a macro with rows. Also lays out other code.
#[derive(Default)]
pub(super) struct Table {
    text: String,
    indent: usize,
}

impl Table {
    /// Starts the invocation of a macro.
    pub(super) fn new(name: &str) -> Self {
        Self {
            text: format!("{name}! {{\n"),
            indent: 1,
        }
    }

    /// Adds a line.
    pub(super) fn line(&mut self, line: &str) {
        for part in line.lines() {
            if part.is_empty() {
                self.text.push('\n');
                continue;
            }
            let space = "    ".repeat(self.indent);
            self.text.push_str(&format!("{space}{part}\n"));
        }
    }

    /// Adds the documentation of the next row.
    pub(super) fn docs(&mut self, text: &str) {
        for line in docs::wrap(text).lines() {
            self.line(format!("/// {line}").trim_end());
        }
    }

    /// Adds the condition of the next row on a line of its own.
    pub(super) fn condition(&mut self, condition: Option<&TokenStream>) {
        if let Some(condition) = condition {
            self.line(&inline(condition));
        }
    }

    /// Adds a list in parentheses, on as many lines as it needs.
    pub(super) fn list(&mut self, start: &str, items: &[String], end: &str) {
        let space = if start.ends_with('{') && !items.is_empty() {
            " "
        } else {
            ""
        };
        let one = format!("{start}{space}{}{space}{end}", items.join(", "));
        if one.len() + 4 * self.indent <= WIDTH {
            self.line(&one);
            return;
        }
        self.line(start);
        self.indent += 1;
        self.fill(items);
        self.indent -= 1;
        self.line(end);
    }

    /// Adds items that are separated by commas, as many to a line as fit.
    pub(super) fn fill(&mut self, items: &[String]) {
        let mut line = String::new();
        for item in items {
            let wraps = line.len() + item.len() + 2 + 4 * self.indent > WIDTH;
            if !line.is_empty() && wraps {
                self.line(line.trim_end());
                line.clear();
            }
            line.push_str(item);
            line.push_str(", ");
        }
        if !line.is_empty() {
            self.line(line.trim_end());
        }
    }

    /// Opens a block.
    pub(super) fn open(&mut self, line: &str) {
        self.line(line);
        self.indent += 1;
    }

    /// Closes a block.
    pub(super) fn close(&mut self, line: &str) {
        self.indent -= 1;
        self.line(line);
    }

    /// Returns the lines of code that is not an invocation.
    pub(super) fn text(self) -> String {
        self.text
    }

    /// Returns the invocation.
    pub(super) fn finish(mut self) -> String {
        self.text.push_str("}\n");
        self.text
    }
}

/// Writes tokens on one line, with the usual spaces.
pub(super) fn inline(tokens: &TokenStream) -> String {
    let mut text = String::new();
    write(tokens, &mut text);
    text
}

/// Whether a space belongs before the next token.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    Nothing,
    /// An identifier or a literal, which needs a space before another one.
    Word,
    Space,
}

fn write(tokens: &TokenStream, text: &mut String) {
    let mut before = Before::Nothing;
    let mut operator = String::new();
    // Whether the parameters of a closure were opened.
    let mut closure = false;
    for token in tokens.clone() {
        if let TokenTree::Punct(punct) = &token {
            operator.push(punct.as_char());
            if punct.spacing() == Spacing::Joint && punct.as_char() != '\'' {
                continue;
            }
            before = match operator.as_str() {
                "|" if closure => {
                    text.push('|');
                    Before::Space
                }
                _ => punctuation(&operator, before, text),
            };
            closure ^= operator == "|";
            operator.clear();
            continue;
        }
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{ ", " }"),
                    Delimiter::None => ("", ""),
                };
                let spaced = before == Before::Space || (before == Before::Word && open == "{ ");
                let (open, close) = if group.stream().is_empty() {
                    (open.trim_end(), close.trim_start())
                } else {
                    (open, close)
                };
                text.push_str(if spaced { " " } else { "" });
                text.push_str(open);
                write(&group.stream(), text);
                text.push_str(close);
            }
            word => {
                if before != Before::Nothing {
                    text.push(' ');
                }
                text.push_str(&word.to_string());
            }
        }
        before = Before::Word;
    }
}

fn punctuation(operator: &str, before: Before, text: &mut String) -> Before {
    match operator {
        "," | ";" => {
            text.push_str(operator);
            Before::Space
        }
        "||" => {
            text.push_str(if before == Before::Space { " ||" } else { "||" });
            Before::Space
        }
        "=" | "=>" | "->" | "==" | "!=" | "&&" => {
            text.push(' ');
            text.push_str(operator);
            Before::Space
        }
        ":" => {
            text.push(':');
            Before::Space
        }
        ">" | ">>" => {
            text.push_str(operator);
            Before::Word
        }
        _ => {
            if before == Before::Space {
                text.push(' ');
            }
            text.push_str(operator);
            Before::Nothing
        }
    }
}
