//! [`Line`]: a formatter for compact JSON in one line that can add a member to the `_meta` of the
//! outermost object, or separate the members of that object.

use std::io::{self, Write};

use serde_json::ser::{CharEscape, CompactFormatter, Formatter};
use serde_json::value::RawValue;

const META: &str = "_meta";

/// The formatter for `serde_json`.
pub(super) struct Line<'a>(Option<Watch<'a>>);

impl<'a> Line<'a> {
    pub(super) fn new() -> Self {
        Self(None)
    }

    /// Creates a formatter that adds a member to the `_meta` of the outermost object, unless
    /// `_meta` has that member already. A missing `_meta` is created.
    pub(super) fn adding(name: &'a str, value: &'a RawValue) -> Self {
        Self::watching(Purpose::Add { name, value })
    }

    /// Creates a formatter that writes a line break instead of the comma between members of the
    /// outermost object and of its `_meta`, and one at the beginning and the end of `_meta`.
    pub(super) fn separating() -> Self {
        Self::watching(Purpose::Separate)
    }

    fn watching(purpose: Purpose<'a>) -> Self {
        Self(Some(Watch {
            purpose,
            depth: 0,
            key: Key::None,
            meta: Meta::Missing,
            first: true,
        }))
    }
}

/// Why the outermost object is watched.
enum Purpose<'a> {
    /// To add a member to its `_meta`.
    Add { name: &'a str, value: &'a RawValue },
    /// To separate its members.
    Separate,
}

/// The state of the outermost object so far.
struct Watch<'a> {
    purpose: Purpose<'a>,
    /// The number of open objects and arrays.
    depth: usize,
    key: Key,
    meta: Meta,
    /// `true` while the relevant object (the outermost one or its `_meta`) has no members yet.
    first: bool,
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

impl Watch<'_> {
    /// Returns `true` if the members that are being written belong to the outermost object or to
    /// its `_meta`.
    fn matters(&self) -> bool {
        let within = matches!(self.meta, Meta::Incomplete | Meta::Complete);
        self.depth == 1 || (self.depth == 2 && within)
    }

    fn wanted(&self) -> &str {
        match self.purpose {
            Purpose::Add { name, .. } if self.depth != 1 => name,
            _ => META,
        }
    }

    /// Returns `true` if a line break stands before the next member, or before the end of `_meta`.
    fn separates(&self, first: bool) -> bool {
        let within = matches!(self.purpose, Purpose::Separate) && self.matters();
        within && (!first || self.depth == 2)
    }

    fn open_object(&mut self) {
        self.depth += 1;
        if self.matters() {
            self.first = true;
        }
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.matters() {
            self.first = false;
        }
    }

    fn begin_key(&mut self) {
        if self.matters() {
            self.first = false;
            self.key = Key::Begun;
        }
    }

    /// Receives a part of a string. It is the whole string unless something in it is escaped.
    fn text(&mut self, part: &str) {
        self.key = match self.key {
            Key::None => Key::None,
            Key::Begun if part == self.wanted() => Key::Wanted,
            _ => Key::Other,
        };
    }

    fn escape(&mut self) {
        if self.key != Key::None {
            self.key = Key::Other;
        }
    }

    fn end_key(&mut self) {
        let wanted = self.key == Key::Wanted;
        match (self.key, self.depth) {
            (Key::None, _) => {}
            (_, 1) if wanted => self.meta = Meta::Incomplete,
            (_, 1) if self.meta != Meta::Missing => self.meta = Meta::Passed,
            (_, 2) if wanted => self.meta = Meta::Complete,
            _ => {}
        }
        self.key = Key::None;
    }

    /// Adds the missing member, or the last separator, when the object ends.
    fn complete(&mut self, writer: &mut (impl Write + ?Sized)) -> io::Result<()> {
        let Purpose::Add { name, value } = self.purpose else {
            let ends_meta = self.separates(true);
            return writer.write_all(if ends_meta { b"\n" } else { b"" });
        };
        let (open, close) = match (self.depth, self.meta) {
            (1, Meta::Missing) => ("\"_meta\":{", "}"),
            (2, Meta::Incomplete) => ("", ""),
            _ => return Ok(()),
        };
        if !self.first {
            writer.write_all(b",")?;
        }
        writer.write_all(open.as_bytes())?;
        serde_json::to_writer(&mut *writer, name)?;
        writer.write_all(b":")?;
        raw(writer, value.get())?;
        writer.write_all(close.as_bytes())
    }
}

/// Writes raw JSON without line breaks. Otherwise the text of a peer could end the current line and
/// start another message.
fn raw(writer: &mut (impl Write + ?Sized), text: &str) -> io::Result<()> {
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
        if let Some(watch) = &mut self.0 {
            watch.depth += 1;
        }
        writer.write_all(b"[")
    }

    #[inline]
    fn end_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        if let Some(watch) = &mut self.0 {
            watch.close();
        }
        writer.write_all(b"]")
    }

    #[inline]
    fn begin_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        if let Some(watch) = &mut self.0 {
            watch.open_object();
        }
        writer.write_all(b"{")
    }

    #[inline]
    fn end_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        if let Some(watch) = &mut self.0 {
            watch.complete(writer)?;
            watch.close();
        }
        writer.write_all(b"}")
    }

    #[inline]
    fn begin_object_key<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        if let Some(watch) = &mut self.0 {
            watch.begin_key();
        }
        match &self.0 {
            Some(watch) if watch.separates(first) => writer.write_all(b"\n"),
            _ if first => Ok(()),
            _ => writer.write_all(b","),
        }
    }

    #[inline]
    fn end_object_key<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        if let Some(watch) = &mut self.0 {
            watch.end_key();
        }
        Ok(())
    }

    #[inline]
    fn write_string_fragment<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if let Some(watch) = &mut self.0 {
            watch.text(fragment);
        }
        writer.write_all(fragment.as_bytes())
    }

    fn write_char_escape<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        if let Some(watch) = &mut self.0 {
            watch.escape();
        }
        CompactFormatter.write_char_escape(writer, escape)
    }

    fn write_raw_fragment<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        // The outermost value: its members are not known.
        if let Some(Watch {
            purpose: Purpose::Separate,
            depth: 0,
            ..
        }) = self.0
        {
            writer.write_all(b"\n")?;
        }
        raw(writer, fragment)
    }
}
