//! [`Line`]: a formatter for compact JSON in one line that can add a member to the `_meta` of the
//! outermost object.

use std::io::{self, Write};

use serde_json::ser::{CharEscape, CompactFormatter, Formatter};
use serde_json::value::RawValue;

const META: &str = "_meta";

/// The formatter for `serde_json`.
pub(super) struct Line<'a>(Option<Addition<'a>>);

impl<'a> Line<'a> {
    pub(super) fn new() -> Self {
        Self(None)
    }

    /// Creates a formatter that adds a member to the `_meta` of the outermost object, unless
    /// `_meta` has that member already. A missing `_meta` is created.
    pub(super) fn adding(name: &'a str, value: &'a RawValue) -> Self {
        Self(Some(Addition {
            name,
            value,
            depth: 0,
            key: Key::None,
            meta: Meta::Missing,
            is_first: true,
        }))
    }
}

/// A member that is added to the `_meta` of the outermost object, and the state of that object so far.
struct Addition<'a> {
    name: &'a str,
    value: &'a RawValue,
    /// The number of open objects and arrays.
    depth: usize,
    key: Key,
    meta: Meta,
    /// `true` while the relevant object (the outermost one or its `_meta`) has no members yet.
    is_first: bool,
}

/// The state of the `_meta` of the outermost object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meta {
    Missing,
    /// It is the last member so far and does not have the member to add.
    Incomplete,
    /// It is the last member so far and has the member to add.
    Complete,
    Passed,
}

/// The state of the name that is being written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    /// No relevant name.
    None,
    Begun,
    /// The name that is searched for, provided that it ends here.
    Wanted,
    Other,
}

impl Addition<'_> {
    /// Returns `true` if the members that are being written belong to the outermost object or to
    /// its `_meta`.
    fn matters(&self) -> bool {
        let is_within = matches!(self.meta, Meta::Incomplete | Meta::Complete);
        self.depth == 1 || (self.depth == 2 && is_within)
    }

    fn open(&mut self) {
        self.depth += 1;
        if self.matters() {
            self.is_first = true;
        }
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.matters() {
            self.is_first = false;
        }
    }

    fn begin_key(&mut self) {
        if self.matters() {
            self.is_first = false;
            self.key = Key::Begun;
        }
    }

    /// Receives a part of a string. It is the whole string unless something in it is escaped.
    fn text(&mut self, part: &str) {
        let wanted = if self.depth == 1 { META } else { self.name };
        self.key = match self.key {
            Key::None => Key::None,
            Key::Begun if part == wanted => Key::Wanted,
            _ => Key::Other,
        };
    }

    fn escape(&mut self) {
        if self.key != Key::None {
            self.key = Key::Other;
        }
    }

    fn end_key(&mut self) {
        let is_wanted = self.key == Key::Wanted;
        match (self.key, self.depth) {
            (Key::None, _) => {}
            (_, 1) if is_wanted => self.meta = Meta::Incomplete,
            (_, 1) if self.meta != Meta::Missing => self.meta = Meta::Passed,
            (_, 2) if is_wanted => self.meta = Meta::Complete,
            _ => {}
        }
        self.key = Key::None;
    }

    /// Adds the member when an object ends, if it is missing there.
    fn complete(&mut self, writer: &mut (impl Write + ?Sized)) -> io::Result<()> {
        let (open, close) = match (self.depth, self.meta) {
            (1, Meta::Missing) => ("\"_meta\":{", "}"),
            (2, Meta::Incomplete) => ("", ""),
            _ => return Ok(()),
        };
        if !self.is_first {
            writer.write_all(b",")?;
        }
        writer.write_all(open.as_bytes())?;
        serde_json::to_writer(&mut *writer, self.name)?;
        writer.write_all(b":")?;
        write_raw(writer, self.value.get())?;
        writer.write_all(close.as_bytes())
    }
}

/// Writes raw JSON without line breaks. Otherwise the text of a peer could end the current line and
/// start another message.
fn write_raw(writer: &mut (impl Write + ?Sized), text: &str) -> io::Result<()> {
    // The usual case. `contains` is much faster than a check of each character.
    let bytes = text.as_bytes();
    if !bytes.contains(&b'\n') && !bytes.contains(&b'\r') {
        return writer.write_all(bytes);
    }
    // A line break in JSON is white space, because it is escaped within strings.
    for (at, part) in text.split(['\n', '\r']).enumerate() {
        if at > 0 {
            writer.write_all(b" ")?;
        }
        writer.write_all(part.as_bytes())?;
    }
    Ok(())
}

impl Formatter for Line<'_> {
    #[inline]
    fn begin_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        if let Some(addition) = &mut self.0 {
            addition.open();
        }
        writer.write_all(b"[")
    }

    #[inline]
    fn end_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        if let Some(addition) = &mut self.0 {
            addition.close();
        }
        writer.write_all(b"]")
    }

    #[inline]
    fn begin_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        if let Some(addition) = &mut self.0 {
            addition.open();
        }
        writer.write_all(b"{")
    }

    #[inline]
    fn end_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        if let Some(addition) = &mut self.0 {
            addition.complete(writer)?;
            addition.close();
        }
        writer.write_all(b"}")
    }

    #[inline]
    fn begin_object_key<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        if let Some(addition) = &mut self.0 {
            addition.begin_key();
        }
        if first {
            Ok(())
        } else {
            writer.write_all(b",")
        }
    }

    #[inline]
    fn end_object_key<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        if let Some(addition) = &mut self.0 {
            addition.end_key();
        }
        Ok(())
    }

    #[inline]
    fn write_string_fragment<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if let Some(addition) = &mut self.0 {
            addition.text(fragment);
        }
        writer.write_all(fragment.as_bytes())
    }

    fn write_char_escape<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        if let Some(addition) = &mut self.0 {
            addition.escape();
        }
        CompactFormatter.write_char_escape(writer, escape)
    }

    fn write_raw_fragment<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        write_raw(writer, fragment)
    }
}
