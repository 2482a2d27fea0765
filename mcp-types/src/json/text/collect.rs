//! Collects all errors of a text, instead of the first one.
//!
//! In this mode, an object or a list that finds an error notes it, skips the value at fault, and
//! goes on with the next one. It notes the error with its own position and a path that begins there.
//! [`all_faults`] then finds the paths to these positions with one more pass over the text, so that
//! nothing of this costs time when values are decoded.

use std::borrow::Cow;

use super::super::super::error::{DecodeError, ErrorKind, Path, Segment, shortened};
use super::{Decode, Elements, Entries, Position, Result, Text};

/// An error, with the position of the array or object from which its path begins.
pub(super) struct Noted {
    at: usize,
    error: DecodeError,
}

/// The errors so far, and how many there may be.
pub(super) struct Faults {
    noted: Vec<Noted>,
    limit: usize,
}

impl Text<'_> {
    /// Returns the position of the next value in the text.
    #[inline]
    pub(crate) fn offset(&mut self) -> usize {
        self.peek();
        self.at
    }

    /// Returns `true` if errors are collected.
    #[inline]
    pub(crate) fn collects(&self) -> bool {
        self.faults.is_some()
    }

    /// Returns `true` if types refuse what they accept beyond their schema.
    #[inline]
    pub(crate) fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Returns how many errors were noted.
    pub(crate) fn fault_count(&self) -> usize {
        self.faults.as_ref().map_or(0, |faults| faults.noted.len())
    }

    /// Notes an error whose path begins at the array or object at a position.
    ///
    /// Returns the error if errors are not collected, if there are too many, or if it is one of the
    /// text.
    #[cold]
    pub(crate) fn note(&mut self, at: usize, error: DecodeError) -> Result<()> {
        match &mut self.faults {
            Some(faults)
                if error.kind() == ErrorKind::Data && faults.noted.len() < faults.limit =>
            {
                faults.noted.push(Noted { at, error });
                Ok(())
            }
            _ => Err(error),
        }
    }

    /// Runs a function that fails with the first error, to find out whether a value is valid.
    pub(crate) fn strictly<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let faults = self.faults.take();
        let value = read(self);
        self.faults = faults;
        value
    }
}

impl Elements<'_, '_> {
    /// Returns the position of the current element.
    #[inline]
    pub(crate) fn position(&self) -> Position {
        self.text.position()
    }

    /// Goes on after an error in the current element, if errors are collected. `list` and `element`
    /// are the positions of both.
    #[cold]
    pub(crate) fn recover(
        &mut self,
        list: usize,
        element: Position,
        error: DecodeError,
    ) -> Result<()> {
        self.text.note(list, error)?;
        self.text.rewind(element);
        self.text.skip()
    }

    /// Returns `true` if errors are collected.
    #[inline]
    pub(crate) fn collects(&self) -> bool {
        self.text.collects()
    }
}

impl Entries<'_, '_> {
    /// Goes on after an error in the value of the current member, if errors are collected. `object`
    /// is the position of the object, and `behind` the one behind the name of the member.
    #[cold]
    pub(crate) fn recover(
        &mut self,
        object: usize,
        behind: Position,
        error: DecodeError,
    ) -> Result<()> {
        let noted = self.text.faults.as_ref().and_then(|it| it.noted.last());
        // An error of a value whose parts have errors may be a consequence of them.
        if noted.is_none_or(|noted| noted.at < behind.at) {
            self.text.note(object, error)?;
        }
        self.text.rewind(behind);
        self.text.colon()?;
        self.text.skip()
    }

    /// Notes an error of the object, if errors are collected.
    #[cold]
    pub(crate) fn note(&mut self, object: usize, error: DecodeError) -> Result<()> {
        self.text.note(object, error)
    }
}

/// Decodes a text as a type, and returns all errors, at most `limit`, in the order in which they
/// were found.
///
/// Types accept exactly what their schema accepts, so what [`from_str`](super::super::from_str)
/// accepts beyond it is an error here: see the leniencies in the documentation of the crate. A text
/// without errors is one that `from_str` accepts; if `from_str` does not, it returns the first error.
///
/// The value at fault is skipped, and decoding goes on behind it. So a missing tag of a union, or a
/// value of the wrong type, is one error, whatever is in the value. If a value fits
/// no variant of a union, the errors are those that the first possible variant reports. A text that
/// is not JSON has one error.
///
/// The time is linear in the length of the text, as that of decoding it; a few values at fault are
/// decoded twice.
#[must_use]
pub fn all_faults<T: Decode>(text: &str, limit: usize) -> Vec<DecodeError> {
    collect(text, limit, &mut |text| T::vacant().decode(text))
}

/// Takes a trait object so that it is compiled once.
fn collect(
    text: &str,
    limit: usize,
    decode: &mut dyn FnMut(&mut Text<'_>) -> Result<()>,
) -> Vec<DecodeError> {
    if let Err(error) = Text::expect_value(text) {
        return vec![error];
    }
    let mut source = Text::new(text);
    let noted = Vec::new();
    source.faults = Some(Faults { noted, limit });
    source.is_exact = true;
    let last = decode(&mut source).err();
    let faults = source.faults.take().map_or_else(Vec::new, |it| it.noted);
    let mut faults = with_paths(text, faults);
    faults.extend(last);
    faults.truncate(limit);
    faults
}

/// Completes the paths of errors.
fn with_paths(text: &str, noted: Vec<Noted>) -> Vec<DecodeError> {
    let mut positions: Vec<usize> = noted.iter().map(|noted| noted.at).collect();
    positions.sort_unstable();
    positions.dedup();
    let mut paths = Vec::with_capacity(positions.len());
    let mut finder = Finder {
        text: Text::new(text),
        positions: &positions,
        path: Vec::new(),
        paths: &mut paths,
    };
    // The text is JSON.
    let _ = finder.value();
    let complete = |noted: Noted| {
        let outer = positions.binary_search(&noted.at).ok();
        let outer = outer.and_then(|index| paths.get(index));
        let inner = noted.error.path().segments().iter().cloned();
        let path = outer.map(Path::segments).into_iter().flatten().cloned();
        let path = path.chain(inner).collect();
        noted.error.with_path(path)
    };
    noted.into_iter().map(complete).collect()
}

/// Finds the paths of arrays and objects.
struct Finder<'a, 'de> {
    text: Text<'de>,
    /// Their positions that were not passed yet.
    positions: &'a [usize],
    path: Vec<Segment>,
    /// The paths of those that were passed.
    paths: &'a mut Vec<Path>,
}

impl Finder<'_, '_> {
    fn value(&mut self) -> Result<()> {
        let first = self.text.peek();
        if let Some((position, rest)) = self.positions.split_first()
            && *position == self.text.at
        {
            self.paths.push(self.path.iter().cloned().collect());
            self.positions = rest;
        }
        let (is_object, close) = match first {
            _ if self.positions.is_empty() => return Ok(()),
            Some(b'{') => (true, b'}'),
            Some(b'[') => (false, b']'),
            _ => return self.text.skip(),
        };
        self.text.enter()?;
        let mut index = 0;
        while self.text.next_in(close, index == 0)? {
            let segment = if is_object {
                let start = self.text.position();
                let name = self.text.name().map(Cow::into_owned);
                self.text.rewind(start);
                self.text.skip_name()?;
                // A name that is no text is that of no object with errors inside.
                Segment::Member(shortened(name.unwrap_or_default()))
            } else {
                Segment::Index(index)
            };
            self.path.push(segment);
            self.value()?;
            self.path.pop();
            if self.positions.is_empty() {
                return Ok(());
            }
            index += 1;
        }
        self.text.leave(close)
    }
}
