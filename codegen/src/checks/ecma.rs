//! Translates regular expressions of ECMA-262 for the crate `regex`.
//!
//! A schema's expressions have the meaning of ECMA-262 with the flag `u`. Characters that this flag does not
//! allow without a backslash, or with one, and that have one meaning without the flag, have that one. Each part
//! is written anew, so that nothing of it has a meaning that only the crate knows.

use std::fmt::Write as _;
use std::iter::Peekable;
use std::str::Chars;

mod property;
#[cfg(test)]
mod tests;

/// The characters of `\s`: white space and line terminators.
const SPACE: &str = r"\x{9}-\x{D}\x{20}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}";
const WORD: &str = "0-9A-Z_a-z";
const DIGIT: &str = "0-9";

/// The characters that `.` does not match.
const LINE_ENDS: &str = r"\x{A}\x{D}\x{2028}\x{2029}";

/// How many groups may be inside each other, as the crate has it.
const MOST_GROUPS: usize = 250;

/// Translates an expression of ECMA-262 to the syntax of the crate `regex`.
///
/// Returns `None` if the expression is invalid, or if the crate cannot express it exactly: it looks
/// around, refers to a group, or has groups that are nested too deeply.
pub(super) fn translate(source: &str) -> Option<String> {
    let mut translator = Translator {
        rest: source.chars().peekable(),
        out: String::new(),
        depth: 0,
    };
    translator.alternatives()?;
    translator.rest.next().is_none().then_some(translator.out)
}

struct Translator<'a> {
    rest: Peekable<Chars<'a>>,
    out: String,
    /// How many groups are open.
    depth: usize,
}

/// A member of a class of characters.
enum Member {
    Char(char),
    /// A set in the syntax of the crate, such as `\d`.
    Set(String),
}

impl Translator<'_> {
    fn eat(&mut self, wanted: char) -> bool {
        self.rest.next_if_eq(&wanted).is_some()
    }

    /// Translates up to the end or to a closing parenthesis.
    fn alternatives(&mut self) -> Option<()> {
        while let Some(next) = self.rest.peek().copied() {
            match next {
                ')' => break,
                '|' => {
                    self.rest.next();
                    self.out.push('|');
                }
                _ => self.term()?,
            }
        }
        Some(())
    }

    /// Translates an assertion, or an atom with its quantifier.
    fn term(&mut self) -> Option<()> {
        match self.rest.next()? {
            '^' => {
                self.out.push_str(r"\A");
                return Some(());
            }
            '$' => {
                self.out.push_str(r"\z");
                return Some(());
            }
            '.' => {
                let _ = write!(self.out, "[^{LINE_ENDS}]");
            }
            '(' => self.group()?,
            '[' => self.class()?,
            '\\' if self.eat('b') => {
                self.out.push_str(r"(?-u:\b)");
                return Some(());
            }
            '\\' if self.eat('B') => {
                self.out.push_str(r"(?-u:\B)");
                return Some(());
            }
            '\\' => match self.escape()? {
                Member::Char(c) => push_char(&mut self.out, c),
                Member::Set(set) => {
                    let _ = write!(self.out, "[{set}]");
                }
            },
            // Nothing to repeat, or nothing to close.
            '*' | '+' | '?' | ']' => return None,
            // Without the flag, braces around anything but counts are characters.
            '{' if self.counts().is_some() => return None,
            c => push_char(&mut self.out, c),
        }
        self.quantifier();
        Some(())
    }

    fn quantifier(&mut self) {
        match self.rest.peek() {
            Some(sign @ ('*' | '+' | '?')) => {
                self.out.push(*sign);
                self.rest.next();
            }
            Some('{') => {
                let mut ahead = self.rest.clone();
                ahead.next();
                let mut inner = Translator {
                    rest: ahead,
                    out: String::new(),
                    depth: self.depth,
                };
                let Some(counts) = inner.counts() else {
                    return;
                };
                let _ = write!(self.out, "{{{counts}}}");
                self.rest = inner.rest;
            }
            _ => return,
        }
        // Whether as little as possible is repeated does not change what matches.
        self.eat('?');
    }

    /// Reads the counts of a quantifier after `{`, and the `}`. Returns `None` if there are no counts.
    fn counts(&mut self) -> Option<String> {
        let mut ahead = self.rest.clone();
        let mut counts = String::new();
        loop {
            match ahead.next()? {
                '}' => break,
                c @ ('0'..='9' | ',') => counts.push(c),
                _ => return None,
            }
        }
        let (least, most) = counts.split_once(',').unwrap_or((&counts, ""));
        if least.is_empty() || most.contains(',') {
            return None;
        }
        self.rest = ahead;
        Some(counts)
    }

    /// Translates a group, of which the parenthesis was read.
    fn group(&mut self) -> Option<()> {
        if self.eat('?') {
            match self.rest.next()? {
                ':' => {}
                '<' => {
                    let is_start = |c: char| c.is_alphabetic() || matches!(c, '_' | '$');
                    let first = self.rest.next()?;
                    let is_name = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '$');
                    while self.rest.next_if(is_name).is_some() {}
                    if !is_start(first) || !self.eat('>') {
                        return None;
                    }
                }
                // Looks around, or sets flags.
                _ => return None,
            }
        }
        if self.depth == MOST_GROUPS {
            return None;
        }
        self.depth += 1;
        self.out.push_str("(?:");
        self.alternatives()?;
        self.depth -= 1;
        self.out.push(')');
        self.eat(')').then_some(())
    }

    /// Translates an escape, of which the backslash was read, that stands for characters.
    fn escape(&mut self) -> Option<Member> {
        let set = |text: &str| Some(Member::Set(text.to_owned()));
        let c = match self.rest.next()? {
            'd' => return set(DIGIT),
            'D' => return set("^0-9").map(negated),
            'w' => return set(WORD),
            'W' => return set("^0-9A-Z_a-z").map(negated),
            's' => return set(SPACE),
            'S' => return Some(Member::Set(format!("[^{SPACE}]"))),
            letter @ ('p' | 'P') => return self.property(letter),
            't' => '\t',
            'n' => '\n',
            'v' => '\u{b}',
            'f' => '\u{c}',
            'r' => '\r',
            '0' if !self.rest.peek().is_some_and(char::is_ascii_digit) => '\0',
            'c' => {
                let letter = self.rest.next().filter(char::is_ascii_alphabetic)?;
                char::from(u8::try_from(letter).ok()? % 32)
            }
            'x' => char::from_u32(self.hexadecimal(2)?)?,
            'u' => self.unicode()?,
            c if c.is_ascii_alphanumeric() => return None,
            c => c,
        };
        Some(Member::Char(c))
    }

    fn hexadecimal(&mut self, digits: usize) -> Option<u32> {
        (0..digits).try_fold(0, |value, _| {
            Some(value * 16 + self.rest.next()?.to_digit(16)?)
        })
    }

    /// Reads a code point behind `\u`. Half of a surrogate pair is no text.
    fn unicode(&mut self) -> Option<char> {
        if self.eat('{') {
            let mut value: u32 = 0;
            loop {
                match self.rest.next()? {
                    '}' => return char::from_u32(value),
                    digit => value = value.checked_mul(16)?.checked_add(digit.to_digit(16)?)?,
                }
            }
        }
        let first = self.hexadecimal(4)?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first);
        }
        if !self.eat('\\') || !self.eat('u') {
            return None;
        }
        let second = self.hexadecimal(4)?.checked_sub(0xdc00)?;
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + second).filter(|_| second < 0x400)
    }

    /// Translates a property of Unicode. Names are those of ECMA-262, which has them in one spelling.
    fn property(&mut self, letter: char) -> Option<Member> {
        if !self.eat('{') {
            return None;
        }
        let mut name = String::new();
        loop {
            match self.rest.next()? {
                '}' => break,
                c => name.push(c),
            }
        }
        property::is_known(&name).then(|| Member::Set(format!("\\{letter}{{{name}}}")))
    }

    /// Translates a class of characters, of which the bracket was read.
    fn class(&mut self) -> Option<()> {
        let is_negated = self.eat('^');
        let mut set = String::new();
        while !self.eat(']') {
            let first = self.member()?;
            let mut ahead = self.rest.clone();
            let is_range = ahead.next() == Some('-') && ahead.next().is_some_and(|c| c != ']');
            match first {
                Member::Char(first) if is_range => {
                    self.rest.next();
                    match self.member()? {
                        Member::Char(last) if first <= last => {
                            push_char(&mut set, first);
                            set.push('-');
                            push_char(&mut set, last);
                        }
                        Member::Char(_) => return None,
                        // Without the flag, it is no range.
                        Member::Set(last) => {
                            push_char(&mut set, first);
                            set.push_str(r"\-");
                            set.push_str(&last);
                        }
                    }
                }
                Member::Char(c) => push_char(&mut set, c),
                Member::Set(inner) => {
                    set.push_str(&inner);
                    if is_range {
                        self.rest.next();
                        set.push_str(r"\-");
                    }
                }
            }
        }
        match (is_negated, set.is_empty()) {
            (false, true) => self.out.push_str(r"[^\x{0}-\x{10FFFF}]"),
            (true, true) => self.out.push_str(r"[\x{0}-\x{10FFFF}]"),
            (negated, false) => {
                let sign = if negated { "^" } else { "" };
                let _ = write!(self.out, "[{sign}{set}]");
            }
        }
        Some(())
    }

    fn member(&mut self) -> Option<Member> {
        match self.rest.next()? {
            '\\' if self.eat('b') => Some(Member::Char('\u{8}')),
            '\\' => self.escape(),
            c => Some(Member::Char(c)),
        }
    }
}

/// Puts a set into brackets of its own.
fn negated(set: Member) -> Member {
    match set {
        Member::Set(set) => Member::Set(format!("[{set}]")),
        other @ Member::Char(_) => other,
    }
}

fn push_char(out: &mut String, c: char) {
    if c.is_alphanumeric()
        || matches!(
            c,
            ' ' | '_' | '/' | ':' | ',' | ';' | '@' | '%' | '"' | '\''
        )
    {
        out.push(c);
    } else {
        let _ = write!(out, "\\x{{{:X}}}", u32::from(c));
    }
}
