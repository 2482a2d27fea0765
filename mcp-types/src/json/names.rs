//! Names of members that messages often have. They are not copied when a message is decoded.

mod declared;

use lean_string::LeanString;

use declared::DECLARED;

/// The keywords of JSON Schema that the schemas of tools often have.
const KEYWORDS: &[&str] = &[
    "$defs",
    "$id",
    "$ref",
    "$schema",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "default",
    "deprecated",
    "description",
    "else",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "if",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "required",
    "then",
    "title",
    "type",
    "uniqueItems",
];

/// A name with up to this number of bytes is stored in place, so that a copy allocates nothing.
const SHORT: usize = size_of::<LeanString>();

/// The number of slots, a power of two.
const SLOTS: usize = 1024;

/// All names, each in the first free slot from the one that [`slot`] returns. Other slots are empty.
static TABLE: [&str; SLOTS] = {
    let mut table = [""; SLOTS];
    let mut count = 0;
    let mut lists: &[&[&'static str]] = &[DECLARED, KEYWORDS];
    while let [list, more @ ..] = lists {
        let mut names = *list;
        while let [name, rest @ ..] = names {
            let mut at = slot(name);
            while !table[at].is_empty() {
                at = (at + 1) % SLOTS;
            }
            table[at] = name;
            count += 1;
            names = rest;
        }
        lists = more;
    }
    assert!(count <= SLOTS / 2, "a search would read too many slots");
    table
};

/// Returns the slot at which the search for a name begins.
#[inline]
const fn slot(name: &str) -> usize {
    let bytes = name.as_bytes();
    let (start, end) = match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        (Some(start), Some(end)) => (u64::from_le_bytes(*start), u64::from_le_bytes(*end)),
        _ => match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
            (Some(start), Some(end)) => (
                u32::from_le_bytes(*start) as u64,
                u32::from_le_bytes(*end) as u64,
            ),
            _ => match bytes {
                [start, .., end] => (*start as u64, *end as u64),
                [only] => (*only as u64, 0),
                [] => (0, 0),
            },
        },
    };
    // The factor is that of a multiplicative hash: 2^64 divided by the golden ratio. The highest bits depend
    // on all others.
    let mixed = (start ^ end.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let [.., low, high] = mixed.to_le_bytes();
    (u16::from_le_bytes([low, high]) >> (u16::BITS - SLOTS.trailing_zeros())) as usize
}

/// Returns a name as it is stored: a long one that is known by reference, any other as a copy.
#[inline]
pub(super) fn stored(name: &str) -> LeanString {
    if name.len() <= SHORT {
        LeanString::from(name)
    } else {
        long(name)
    }
}

#[inline(never)]
fn long(name: &str) -> LeanString {
    match known(name) {
        Some(known) => LeanString::from_static_str(known),
        None => LeanString::from(name),
    }
}

/// Searches a name.
#[inline]
fn known(name: &str) -> Option<&'static str> {
    let mut at = slot(name);
    loop {
        let known = *TABLE.get(at)?;
        if known == name {
            return Some(known);
        }
        if known.is_empty() {
            return None;
        }
        at = (at + 1) % SLOTS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_names_are_found_and_others_are_not() {
        for name in DECLARED.iter().chain(KEYWORDS) {
            assert_eq!(known(name), Some(*name));
            let other = format!("{name}.");
            assert_eq!(known(&other), None);
            assert_eq!(stored(&other), other);
            assert_eq!(stored(name), *name);
        }
        for other in [
            "x",
            "xy",
            "xyz",
            "a name that nothing declares",
            "\u{1f600}",
        ] {
            assert_eq!(known(other), None);
        }
        assert_eq!(stored(""), "");
    }

    #[test]
    fn search_is_short() {
        let longest = DECLARED.iter().chain(KEYWORDS).map(|name| {
            let at = TABLE.iter().position(|known| known == name).unwrap();
            (at + SLOTS - slot(name)) % SLOTS
        });
        assert!(longest.max().unwrap() < 16);
    }
}
