//! Strings, numbers, names and arbitrary JSON.

use serde_json::{Map, Value};

use super::dice::RandomSource;

/// Strings that are known to break decoders.
const STRINGS: [&str; 22] = [
    "",
    " ",
    "a",
    "0",
    "-1",
    "1.0",
    "null",
    "true",
    "{}",
    "[1]",
    "text",
    "tab\tline\nreturn\r",
    "quote\" back\\slash /",
    "\u{0}",
    "\u{1}\u{8}\u{c}\u{1f}\u{7f}",
    "\u{2028}\u{2029}",
    "\u{feff}mark",
    "é e\u{301} ß İ",
    "日本語",
    "🦀👩‍👩‍👧",
    "\u{10ffff}\u{e000}\u{d7ff}",
    "$ref",
];

/// Strings for base64 and URI formats. Other strings are valid, too, and are also generated.
const BYTES: [&str; 5] = ["", "AA==", "aGVsbG8=", "not base64!", "/+//"];
const URIS: [&str; 5] = [
    "file:///tmp/a%20b",
    "https://example.com/?q=1#f",
    "urn:x:y",
    "no uri",
    "app://{id}/{+path}",
];

/// Names that no definition declares, but that look plausible.
const NAMES: [&str; 14] = [
    "x",
    "",
    "$schema",
    "$comment",
    "__proto__",
    "com.example/key",
    "io.modelcontextprotocol/unheard-of",
    "Type",
    "METHOD",
    "result_type",
    "name ",
    "naïve",
    "\"",
    "0",
];

const INTEGERS: [i64; 17] = [
    0,
    1,
    -1,
    2,
    10,
    100,
    255,
    -32_768,
    65_536,
    i32::MAX as i64 + 1,
    9_007_199_254_740_991,
    9_007_199_254_740_993,
    -9_007_199_254_740_993,
    i64::MAX,
    i64::MAX - 1,
    i64::MIN,
    i64::MIN + 1,
];

/// No negative zero, which JSON encoders write differently, and at most 15 digits, which every
/// parser reads exactly.
const FLOATS: [f64; 12] = [
    0.6,
    0.1,
    -0.5,
    1.5,
    0.3333,
    1e-7,
    -2.5e-9,
    1e300,
    -1e300,
    1e-300,
    123_456_789.25,
    0.999_999,
];

const LETTERS: [&str; 10] = ["a", "Z", "0", "_", "-", ".", "/", " ", "ü", "字"];

/// The largest magnitude below which every integer is a float.
const EXACT: i64 = 1 << 53;

impl RandomSource<'_> {
    /// Generates a string of `min` to `max` characters.
    pub(crate) fn string(
        &mut self,
        min: usize,
        max: Option<usize>,
        format: Option<&str>,
    ) -> String {
        let mut text = match (self.below(20), format) {
            (0, _) => {
                let piece = *self.pick(&STRINGS);
                piece.repeat(300)
            }
            (1..=7, _) => (*self.pick(&STRINGS)).to_owned(),
            (8..=15, Some("byte")) => (*self.pick(&BYTES)).to_owned(),
            (8..=15, Some("uri" | "uri-template")) => (*self.pick(&URIS)).to_owned(),
            _ => self.letters(),
        };
        while text.chars().count() < min {
            let letter: &&str = self.pick(&LETTERS);
            text.push_str(letter);
        }
        match max {
            Some(max) => text.chars().take(max).collect(),
            None => text,
        }
    }

    fn letters(&mut self) -> String {
        let length = self.below(12);
        (0..length).map(|_| *self.pick(&LETTERS)).collect()
    }

    /// Generates the name of an undeclared member.
    pub(crate) fn name(&mut self, taken: impl Fn(&str) -> bool) -> String {
        loop {
            let name = match self.below(4) {
                0 => self.string(0, Some(40), None),
                1 => self.letters(),
                _ => (*self.pick(&NAMES)).to_owned(),
            };
            if !taken(&name) {
                return name;
            }
        }
    }

    /// Generates an integer within the bounds and the range of `i64`.
    pub(crate) fn integer(&mut self, min: Option<i64>, max: Option<i64>) -> i64 {
        let (min, max) = (min.unwrap_or(i64::MIN), max.unwrap_or(i64::MAX));
        for _ in 0..8 {
            let number = match self.below(4) {
                0 => self.bits(),
                1 => self.bits() % 1000,
                _ => *self.pick(&INTEGERS),
            };
            if (min..=max).contains(&number) {
                return number;
            }
        }
        if self.chance(50) { min } else { max }
    }

    /// Generates a number within the bounds: an integer or a float.
    pub(crate) fn number(&mut self, min: Option<f64>, max: Option<f64>, integral: bool) -> Value {
        let (min, max) = (
            min.unwrap_or(f64::NEG_INFINITY),
            max.unwrap_or(f64::INFINITY),
        );
        for _ in 0..8 {
            let number = if self.chance(30) {
                Value::from(self.integer(None, None))
            } else if integral && self.chance(10) {
                self.integral(None, None)
            } else {
                Value::from(self.float())
            };
            if number.as_f64().is_some_and(|n| (min..=max).contains(&n)) {
                return number;
            }
        }
        let end = if max.is_finite() && self.chance(50) {
            max
        } else {
            min
        };
        whole(end).map_or_else(|| Value::from(end), Value::from)
    }

    fn float(&mut self) -> f64 {
        if self.chance(60) {
            return *self.pick(&FLOATS);
        }
        let thousandths = i32::try_from(self.bits() % 1_000_000).unwrap_or(1) * 2 + 1;
        f64::from(thousandths) / 1000.0
    }

    /// Generates an integer that is written as a float, such as `1.0`.
    pub(crate) fn integral(&mut self, min: Option<i64>, max: Option<i64>) -> Value {
        let (min, max) = (
            min.unwrap_or(-EXACT).max(-EXACT),
            max.unwrap_or(EXACT).min(EXACT),
        );
        let number = if self.chance(50) {
            1
        } else {
            self.bits() % 1_000_000
        }
        .clamp(min, max);
        // Within 53 bits, so the conversion is exact.
        #[allow(clippy::cast_precision_loss)]
        Value::from(number as f64)
    }

    /// Generates any JSON with at most `depth` levels.
    pub(crate) fn any(&mut self, depth: usize, integral: bool) -> Value {
        match self.below(if depth == 0 { 8 } else { 11 }) {
            0 => Value::Null,
            1 => Value::Bool(self.chance(50)),
            2 => Value::from(self.integer(None, None)),
            3 => Value::from(if self.chance(50) {
                u64::MAX
            } else {
                u64::MAX / 2 + 1
            }),
            4 | 5 => self.number(None, None, integral),
            6 | 7 => Value::String(self.string(0, None, None)),
            8 => (0..self.below(4))
                .map(|_| self.any(depth - 1, integral))
                .collect(),
            _ => {
                let mut members = Map::new();
                for _ in 0..self.below(4) {
                    let name = self.name(|_| false);
                    members.insert(name, self.any(depth - 1, integral));
                }
                Value::Object(members)
            }
        }
    }
}

/// Returns the float as an integer, if it is one in the range of `i64`.
pub(crate) fn whole(number: f64) -> Option<i64> {
    // The range of `i64`. Its upper end is the first float beyond.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
    ((i64::MIN as f64..-(i64::MIN as f64)).contains(&number) && number.fract() == 0.0)
        .then_some(number as i64)
}
