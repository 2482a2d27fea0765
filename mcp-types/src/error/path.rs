//! Paths in a JSON document: their text form and its parser.

use std::fmt::{self, Write as _};

/// One step of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Segment {
    /// The member of an object with this name.
    Member(String),
    /// The element of an array with this index, counted from zero.
    Index(usize),
}

/// The position of a value in a JSON document, displayed as a JSON path: `$`, `$.tools[3].name`,
/// `$._meta['io.modelcontextprotocol/x']`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Path {
    segments: Vec<Segment>,
}

impl Path {
    /// Returns the path of the document itself, `$`.
    #[must_use]
    pub const fn root() -> Self {
        Self {
            segments: Vec::new(),
        }
    }

    /// Returns the steps, starting at the root.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Returns `true` if this is the path of the document itself.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.segments.is_empty()
    }

    /// Adds a step at the front, for a document that is a part of a larger one.
    pub fn prepend(&mut self, segment: Segment) {
        // Paths are not longer than the nesting limit, so moving the other steps is cheap.
        self.segments.insert(0, segment);
    }

    /// Adds a step at the end.
    pub fn push(&mut self, segment: Segment) {
        self.segments.push(segment);
    }

    /// Parses the text form that `Display` writes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = text.strip_prefix('$')?;
        let mut path = Self::root();
        while !rest.is_empty() {
            let (segment, tail) = if let Some(tail) = rest.strip_prefix('.') {
                let ends = |byte| matches!(byte, b'.' | b'[');
                let end = tail.bytes().position(ends).unwrap_or(tail.len());
                let (name, tail) = tail.split_at_checked(end)?;
                (
                    Segment::Member(is_plain(name).then(|| name.to_owned())?),
                    tail,
                )
            } else if let Some(tail) = rest.strip_prefix("['") {
                let (name, tail) = take_quoted(tail)?;
                (Segment::Member(name), tail)
            } else {
                let (digits, tail) = rest.strip_prefix('[')?.split_once(']')?;
                let canonical = digits == "0" || !digits.starts_with(['0', '+']);
                (
                    Segment::Index(canonical.then(|| digits.parse().ok())??),
                    tail,
                )
            };
            path.segments.push(segment);
            rest = tail;
        }
        Some(path)
    }

    /// Writes ` (at $.path)`, or nothing for the root.
    pub(crate) fn write_suffix(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_root() {
            Ok(())
        } else {
            write!(f, " (at {self})")
        }
    }
}

impl FromIterator<Segment> for Path {
    fn from_iter<I: IntoIterator<Item = Segment>>(segments: I) -> Self {
        Self {
            segments: segments.into_iter().collect(),
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('$')?;
        for segment in &self.segments {
            match segment {
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Member(name) if is_plain(name) => write!(f, ".{name}")?,
                Segment::Member(name) => write_quoted(f, name)?,
            }
        }
        Ok(())
    }
}

/// Returns `true` if a name needs no quotes.
fn is_plain(name: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$');
    let mut bytes = name.bytes();
    bytes.next().is_some_and(letter) && bytes.all(|byte| letter(byte) || byte.is_ascii_digit())
}

fn write_quoted(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    f.write_str("['")?;
    for c in name.chars() {
        match c {
            '\'' | '\\' => f.write_char('\\')?,
            c if c.is_control() => {
                write!(f, "\\u{{{:x}}}", u32::from(c))?;
                continue;
            }
            _ => {}
        }
        f.write_char(c)?;
    }
    f.write_str("']")
}

/// Parses a name up to its closing `']`. Returns the name and the rest of the text.
fn take_quoted(text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut rest = text;
    loop {
        let mut chars = rest.chars();
        match chars.next()? {
            '\'' => return Some((name, chars.as_str().strip_prefix(']')?)),
            '\\' => match chars.next()? {
                'u' => {
                    let (hex, tail) = chars.as_str().strip_prefix('{')?.split_once('}')?;
                    name.push(char::from_u32(u32::from_str_radix(hex, 16).ok()?)?);
                    rest = tail;
                    continue;
                }
                c @ ('\'' | '\\') => name.push(c),
                _ => return None,
            },
            c => name.push(c),
        }
        rest = chars.as_str();
    }
}
