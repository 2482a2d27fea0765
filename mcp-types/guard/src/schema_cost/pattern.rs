//! [`Pattern`]: the cost of a regular expression, estimated from its text before it is compiled.

use super::CostError;

/// The maximum length of a pattern in bytes.
const LENGTH: usize = 4_096;
/// The maximum number of states of the automaton of a pattern, which take 25 to 70 bytes each.
const STATES: usize = 4_096;
/// The number of states for the largest properties of Unicode, such as `\p{L}`.
const PROPERTY: usize = 320;
/// The number of states for a class that contains most characters, such as `.`.
const ANY: usize = 13;
/// The approximate number of bytes by which whitespace grows when it is translated for the engine.
const WHITESPACE: usize = 192;

/// The cost of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    /// An estimate of the number of states of its automaton.
    pub(super) states: usize,
    /// Set if matching may backtrack. Lookarounds behind a leading `^` run once, so a pattern with
    /// no others is matched in linear time.
    pub(super) backtracks: bool,
    /// The number of bytes that are read to translate the pattern: the engine parses it again after
    /// each class that it replaces.
    pub(super) translation: usize,
}

/// A group that is being read, or the whole pattern.
#[derive(Default)]
struct Group {
    /// All parts but the last one.
    before: Part,
    /// The last part, which a quantifier repeats.
    last: Part,
    /// Set if the group matches texts of any length.
    unbounded: bool,
    looks_around: bool,
}

#[derive(Clone, Copy, Default)]
struct Part {
    states: usize,
    /// Set if the part contains a lookaround that reads texts of any length.
    reads_on: bool,
}

impl Part {
    fn add(&mut self, other: Self) {
        self.states = self.states.saturating_add(other.states);
        self.reads_on |= other.reads_on;
    }
}

impl Group {
    fn push(&mut self, part: Part) {
        self.before.add(std::mem::replace(&mut self.last, part));
    }

    fn literal(&mut self, states: usize) {
        self.push(Part {
            states,
            reads_on: false,
        });
    }

    fn sum(&self) -> Part {
        let mut sum = self.before;
        sum.add(self.last);
        sum
    }
}

impl Pattern {
    /// Estimates the cost of a pattern. Its syntax is checked only as far as the engine reads more
    /// than ECMAScript: such syntax is refused, except for named groups with a `P` and the flags
    /// `i`, `m` and `s`.
    pub(super) fn of(pattern: &str) -> Result<Self, CostError> {
        if pattern.len() > LENGTH {
            return Err(CostError::Costly("a pattern has more than 4096 bytes"));
        }
        Scanner {
            rest: pattern,
            // The engine translates the classes of ECMAScript only in patterns without lookarounds
            // and references; in others, they are those of Unicode.
            unicode: needs_backtracking(pattern),
            open: Vec::new(),
            group: Group::default(),
            at_start: false,
            backtracks: false,
            classes: 0,
            length: pattern.len(),
            folds: 1,
            behind_quantifier: usize::MAX,
        }
        .scan()
    }
}

/// Returns `true` for a pattern with a lookaround or a reference to a group.
fn needs_backtracking(pattern: &str) -> bool {
    let refers = |pair: &[u8]| matches!(pair, [b'\\', b'1'..=b'9' | b'k']);
    ["(?=", "(?!", "(?<=", "(?<!"]
        .iter()
        .any(|group| pattern.contains(group))
        || pattern.as_bytes().windows(2).any(refers)
}

struct Scanner<'a> {
    rest: &'a str,
    unicode: bool,
    /// The groups around the current one.
    open: Vec<Group>,
    group: Group,
    /// Set behind a leading `^` and the lookarounds that follow it.
    at_start: bool,
    backtracks: bool,
    /// The number of classes that the engine translates one by one.
    classes: usize,
    length: usize,
    /// The factor for patterns that ignore case.
    folds: usize,
    /// The length of what follows the last quantifier.
    behind_quantifier: usize,
}

impl Scanner<'_> {
    fn scan(mut self) -> Result<Pattern, CostError> {
        self.at_start = self.rest.starts_with('^');
        while let Some(next) = self.next() {
            match next {
                '^' | '$' => self.group.literal(1),
                '(' => self.open_group()?,
                ')' => self.close_group()?,
                '|' => {
                    self.at_start &= !self.open.is_empty();
                    self.group.literal(1);
                }
                // A possessive quantifier.
                '+' if self.behind_quantifier == self.rest.len() + 1 => return Err(BEYOND),
                '*' | '+' => self.repeat(1, true)?,
                '?' => self.repeat(1, false)?,
                '{' => match self.bounds() {
                    Some((count, unbounded)) => self.repeat(count, unbounded)?,
                    None if self.starts_with_bounds() => return Err(BEYOND),
                    None => self.atom(1),
                },
                '[' => {
                    let states = self.class()?;
                    self.atom(states);
                }
                '.' => self.atom(ANY),
                '\\' => {
                    let states = self.escape()?;
                    self.atom(states);
                }
                character => self.atom(character.len_utf8()),
            }
        }
        while !self.open.is_empty() {
            self.close_group()?;
        }
        let states = self.group.sum().states.saturating_mul(self.folds);
        if states > STATES {
            return Err(CostError::Costly(
                "the automaton of a pattern has more than 4096 states",
            ));
        }
        Ok(Pattern {
            states,
            backtracks: self.backtracks,
            translation: self.length.saturating_mul(1 + self.classes),
        })
    }

    fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let next = characters.next();
        self.rest = characters.as_str();
        next
    }

    fn skip(&mut self, prefix: &str) -> bool {
        let rest = self.rest.strip_prefix(prefix);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Adds a part that consumes text.
    fn atom(&mut self, states: usize) {
        self.at_start &= !self.open.is_empty();
        self.group.literal(states);
    }

    fn open_group(&mut self) -> Result<(), CostError> {
        if self.rest.starts_with('*') {
            return Err(BEYOND);
        }
        let looks_around = ["?=", "?!", "?<=", "?<!"]
            .iter()
            .any(|group| self.skip(group));
        if looks_around {
            // The lookarounds at the start are not below another group.
            self.backtracks |= !(self.at_start && self.open.is_empty());
        } else {
            self.at_start &= !self.open.is_empty();
            if self.skip("?") {
                self.name_or_flags()?;
            }
        }
        let inner = Group {
            looks_around,
            ..Group::default()
        };
        self.open.push(std::mem::replace(&mut self.group, inner));
        Ok(())
    }

    /// Reads what follows `(?` in a group that is no lookaround: a name, or flags.
    fn name_or_flags(&mut self) -> Result<(), CostError> {
        if self.skip("<") || self.skip("P<") {
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
            let name = self.rest.split_once('>');
            let (_, rest) = name
                .filter(|(name, _)| name.chars().all(is_part))
                .ok_or(BEYOND)?;
            self.rest = rest;
            return Ok(());
        }
        let end = self.rest.find([':', ')']).ok_or(BEYOND)?;
        let (flags, rest) = self.rest.split_at(end);
        if !flags
            .chars()
            .all(|flag| matches!(flag, 'i' | 'm' | 's' | '-'))
        {
            return Err(BEYOND);
        }
        if flags.contains('i') {
            self.folds = 2;
        }
        self.rest = rest;
        self.skip(":");
        Ok(())
    }

    fn close_group(&mut self) -> Result<(), CostError> {
        let Some(outer) = self.open.pop() else {
            return Ok(());
        };
        let inner = std::mem::replace(&mut self.group, outer);
        let mut part = inner.sum();
        part.states = part.states.saturating_add(1);
        if !inner.looks_around {
            self.group.unbounded |= inner.unbounded;
        } else if inner.unbounded {
            part.reads_on = true;
            if self.group.looks_around || self.open.iter().any(|group| group.looks_around) {
                return Err(READS_AGAIN);
            }
        }
        self.group.push(part);
        Ok(())
    }

    /// Repeats the last part.
    fn repeat(&mut self, count: usize, unbounded: bool) -> Result<(), CostError> {
        let last = &mut self.group.last;
        if last.reads_on && (unbounded || count > 1) {
            return Err(READS_AGAIN);
        }
        // Each copy has a state that decides whether there is a further one.
        last.states = last.states.saturating_add(1).saturating_mul(count.max(1));
        self.group.unbounded |= unbounded;
        self.behind_quantifier = self.rest.len();
        Ok(())
    }

    /// Reads the numbers of a quantifier, if the text is one.
    fn bounds(&mut self) -> Option<(usize, bool)> {
        let (inner, rest) = self.rest.split_once('}')?;
        let (least, most) = inner.split_once(',').unwrap_or((inner, inner));
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| text.parse().unwrap_or(usize::MAX))
        };
        let least = number(least)?;
        let bounds = if most.is_empty() {
            (least, true)
        } else {
            (number(most)?.max(least), false)
        };
        self.rest = rest;
        Some(bounds)
    }

    /// Returns `true` if bounds follow that only the engine reads as such, as in `{,3}` and `{ 3
    /// }`.
    fn starts_with_bounds(&self) -> bool {
        let is_part = |c: char| c.is_ascii_digit() || c == ',' || c.is_whitespace();
        let bounds = self.rest.split_once('}');
        bounds.is_some_and(|(inner, _)| !inner.is_empty() && inner.chars().all(is_part))
    }

    /// Reads a class up to its closing bracket, as the engine does: classes nest, and a bracket
    /// that closes an empty class belongs to it.
    fn class(&mut self) -> Result<usize, CostError> {
        let mut states = if self.skip("^") { ANY } else { 1 };
        self.skip("]");
        let mut nesting = 1;
        while let Some(next) = self.next() {
            match next {
                ']' if nesting == 1 => break,
                ']' => nesting -= 1,
                '[' => {
                    nesting += 1;
                    states += if self.skip("^") { ANY } else { 1 };
                    self.skip("]");
                }
                '\\' => states += self.escape()? - 1,
                next => states += 2 * (next.len_utf8() - 1),
            }
        }
        Ok(states)
    }

    /// Reads the rest of an escape.
    fn escape(&mut self) -> Result<usize, CostError> {
        let replaced = ['d', 'D', 's', 'S', 'w', 'W', 'c'];
        self.classes += usize::from(self.rest.starts_with(replaced));
        Ok(match self.next() {
            Some('p' | 'P') => {
                // The name is one letter or in braces.
                if self.next() == Some('{') {
                    let (_, rest) = self.rest.split_once('}').unwrap_or_default();
                    self.rest = rest;
                }
                PROPERTY
            }
            Some('w' | 'W') if self.unicode => PROPERTY,
            Some('d' | 'D') if self.unicode => PROPERTY / 8,
            Some('s' | 'S') => {
                self.length += WHITESPACE;
                2 * ANY
            }
            Some('D' | 'W') => ANY,
            Some(kind @ ('u' | 'x')) => {
                self.code_point(if kind == 'u' { 4 } else { 2 });
                4
            }
            Some('c') => 4,
            Some('1'..='9' | 'k') => {
                self.backtracks = true;
                self.group.unbounded = true;
                2
            }
            Some('A' | 'b' | 'B' | 'd' | 'f' | 'n' | 'r' | 't' | 'v' | 'w' | 'z' | 'Z') => 1,
            Some(letter) if letter.is_ascii_alphabetic() => return Err(BEYOND),
            _ => 1,
        })
    }

    /// Reads the digits of an escaped character, which are not repeated by what follows them.
    fn code_point(&mut self, most: usize) {
        if self.rest.starts_with('{') {
            let closed = self.rest.split_once('}');
            self.rest = closed.map_or(self.rest, |(_, rest)| rest);
            return;
        }
        let digits = self.rest.bytes().take(most);
        let count = digits.take_while(u8::is_ascii_hexdigit).count();
        self.rest = self.rest.get(count..).unwrap_or_default();
    }
}

const BEYOND: CostError = CostError::Costly("a pattern uses syntax beyond ECMAScript");

const READS_AGAIN: CostError =
    CostError::Costly("a pattern repeats or nests a lookaround that reads texts of any length");

#[cfg(test)]
mod tests;
