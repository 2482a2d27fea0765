//! Escaping and truncation of text sent by a peer, for logs and terminals.

use std::error::Error;
use std::fmt::{self, Display, Formatter, Write};

/// The maximum number of characters that [`PeerText`] writes.
const TEXT_CHARS: usize = 200;

/// The maximum number of characters that [`PeerDisplay`] writes. Larger, because an error that
/// quotes the peer also contains text of its own.
const DISPLAY_CHARS: usize = 1000;

/// Displays text that a peer sent, safe for one line of a log.
///
/// Writes at most the first 200 characters and appends `…` where it cuts off the rest. Characters
/// that [`is_unsafe`] names are written as `\u{1b}`. The cost does not depend on the length of the
/// text.
///
/// ```
/// use mcp_types::peer_text::PeerText;
///
/// let sent = "done\n\u{1b}[31mERROR all is lost";
/// assert_eq!(PeerText(sent).to_string(), r"done\u{a}\u{1b}[31mERROR all is lost");
/// ```
#[derive(Clone, Copy)]
pub struct PeerText<'a>(pub &'a str);

impl Display for PeerText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut rest = self.0.chars();
        for character in rest.by_ref().take(TEXT_CHARS) {
            write_escaped(f, character)?;
        }
        match rest.next() {
            Some(_) => f.write_char('…'),
            None => Ok(()),
        }
    }
}

/// The same as its `Display`, so that `?` in a field of `tracing` is as safe as `%`.
impl fmt::Debug for PeerText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

/// Displays text that a peer sent and that is already bounded, such as a line of its logs. The text
/// is escaped as by [`PeerText`], but not truncated.
#[derive(Clone, Copy)]
pub struct PeerLine<'a>(pub &'a str);

impl Display for PeerLine<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| write_escaped(f, c))
    }
}

/// The same as its `Display`.
impl fmt::Debug for PeerLine<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

/// Displays a value whose `Display` may quote a peer, such as an error. The text is escaped as by
/// [`PeerText`], but up to 1,000 characters are written.
#[derive(Clone, Copy)]
pub struct PeerDisplay<T>(pub T);

impl<T: Display> Display for PeerDisplay<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut bounded = Bounded {
            to: f,
            left: DISPLAY_CHARS,
            cut: false,
        };
        let written = write!(bounded, "{}", self.0);
        // `Bounded` returns an error when it is full, so that the value stops writing.
        match (bounded.cut, written) {
            (true, _) => f.write_char('…'),
            (false, written) => written,
        }
    }
}

/// The same as its `Display`.
impl<T: Display> fmt::Debug for PeerDisplay<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

/// Displays an error and its sources in one line of a log: truncated and escaped as by [`PeerDisplay`].
pub struct Chain<'a>(pub &'a (dyn Error + 'static));

impl Display for Chain<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        PeerDisplay(WithSources(self.0)).fmt(f)
    }
}

/// Displays the whole texts of an error and its sources, separated by colons.
pub struct WithSources<'a>(pub &'a (dyn Error + 'static));

impl Display for WithSources<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut source = self.0.source();
        while let Some(error) = source {
            write!(f, ": {error}")?;
            source = error.source();
        }
        Ok(())
    }
}

/// Escapes what is written to it, and returns an error after `left` characters.
struct Bounded<'a, 'b> {
    to: &'a mut Formatter<'b>,
    left: usize,
    cut: bool,
}

impl Write for Bounded<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            if self.left == 0 {
                self.cut = true;
                return Err(fmt::Error);
            }
            self.left -= 1;
            write_escaped(self.to, character)?;
        }
        Ok(())
    }
}

/// Writes `character`, escaped as `\u{..}` if it [`is_unsafe`].
///
/// # Errors
///
/// Returns the errors of `to`.
pub fn write_escaped(to: &mut impl Write, character: char) -> fmt::Result {
    if is_unsafe(character) {
        write!(to, "\\u{{{:x}}}", u32::from(character))
    } else {
        to.write_char(character)
    }
}

/// Returns `true` for a character that can forge a line of a log or take control of a terminal:
/// control characters (U+0000 to U+001F, U+007F to U+009F), line and paragraph separators (U+2028,
/// U+2029), and the embeddings, overrides and isolates that reorder text (U+202A to U+202E, U+2066
/// to U+2069).
#[must_use]
pub fn is_unsafe(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmless_text_is_written_as_it_is() {
        assert_eq!(
            PeerText("Grüße, 世界 👋 \\ \"").to_string(),
            "Grüße, 世界 👋 \\ \""
        );
        assert_eq!(PeerText("").to_string(), "");
    }

    #[test]
    fn control_characters_separators_and_bidi_controls_are_escaped() {
        let sent =
            "a\0\t\r\n\u{1b}[2J\u{7f}\u{9b}\u{2028}\u{2029}\u{202a}\u{202e}\u{2066}\u{2069}z";
        let written = r"a\u{0}\u{9}\u{d}\u{a}\u{1b}[2J\u{7f}\u{9b}\u{2028}\u{2029}\u{202a}\u{202e}\u{2066}\u{2069}z";
        assert_eq!(PeerText(sent).to_string(), written);
        assert_eq!(format!("{:?}", PeerText(sent)), written);
        assert_eq!(PeerLine(sent).to_string(), written);
        assert_eq!(format!("{:?}", PeerLine(sent)), written);
        assert_eq!(PeerDisplay(sent).to_string(), written);
        assert_eq!(format!("{:?}", PeerDisplay(sent)), written);
    }

    #[test]
    fn long_text_is_cut_off_after_200_characters() {
        let exact = "é".repeat(200);
        assert_eq!(PeerText(&exact).to_string(), exact);
        assert_eq!(
            PeerText(&format!("{exact}é")).to_string(),
            format!("{exact}…")
        );
    }

    #[test]
    fn long_values_are_cut_off_after_1000_characters() {
        let exact = "é".repeat(1000);
        assert_eq!(PeerDisplay(&exact).to_string(), exact);
        assert_eq!(
            PeerDisplay(format!("{exact}é")).to_string(),
            format!("{exact}…")
        );
    }
}
