//! [`Names`]: the names of an object, one behind the other.

/// How many bytes of names need no allocation of their own.
const SHORT: usize = 30;

/// The names of the members of an object, as one text: an allocation for the object, not for each
/// member, is what makes decoding fast, and most objects do not even need that one.
#[derive(Clone)]
pub(in super::super) enum Names {
    Short { length: u8, bytes: [u8; SHORT] },
    Long(String),
}

impl Names {
    pub(in super::super) const fn new() -> Self {
        Self::Short {
            length: 0,
            bytes: [0; SHORT],
        }
    }

    #[inline]
    pub(in super::super) fn as_str(&self) -> &str {
        match self {
            // Whole names, one behind the other: that they are text is just not known here.
            Self::Short { length, bytes } => {
                let bytes = bytes.get(..usize::from(*length)).unwrap_or_default();
                std::str::from_utf8(bytes).unwrap_or_default()
            }
            Self::Long(text) => text,
        }
    }

    #[inline]
    pub(in super::super) fn len(&self) -> usize {
        match self {
            Self::Short { length, .. } => usize::from(*length),
            Self::Long(text) => text.len(),
        }
    }

    /// Adds a name behind the others.
    #[inline]
    pub(in super::super) fn push(&mut self, name: &str) {
        if let Self::Short { length, bytes } = self {
            let start = usize::from(*length);
            let end = start + name.len();
            if let Some(place) = bytes.get_mut(start..end)
                && let Ok(end) = u8::try_from(end)
            {
                place.copy_from_slice(name.as_bytes());
                *length = end;
                return;
            }
        }
        self.push_long(name);
    }

    #[inline(never)]
    fn push_long(&mut self, name: &str) {
        if let Self::Long(text) = self {
            text.push_str(name);
            return;
        }
        let before = self.as_str();
        let mut text = String::with_capacity((before.len() + name.len()).max(2 * SHORT));
        text.push_str(before);
        text.push_str(name);
        *self = Self::Long(text);
    }

    /// Takes a part out.
    pub(super) fn remove(&mut self, part: std::ops::Range<usize>) {
        let text = self.as_str();
        let before = text.get(..part.start).unwrap_or_default();
        let after = text.get(part.end..).unwrap_or_default();
        let mut rest = Self::new();
        rest.push(before);
        rest.push(after);
        *self = rest;
    }
}
