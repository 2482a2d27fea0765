//! Names that every client and model accepts.

use std::collections::{HashMap, HashSet};

/// The longest name. Model providers accept no longer ones.
const CHARS: usize = 64;
/// The longest suffix of a name that is taken.
const SUFFIX: usize = "_4294967295".len();

/// Gives out names of at most 64 letters, digits, `_` and `-`, each once.
#[derive(Default)]
pub(super) struct Names {
    used: HashSet<String>,
    /// The last number that was appended to the beginning of a name.
    numbers: HashMap<String, u32>,
}

impl Names {
    /// Returns the name, with other characters replaced and with a number if it is taken.
    pub(super) fn take(&mut self, wanted: &str) -> String {
        let name = clean(wanted);
        if self.used.insert(name.clone()) {
            return name;
        }
        // Names with the same beginning share its numbers, so that none is tried twice.
        let start = &name[..name.len().min(CHARS - SUFFIX)];
        let number = self.numbers.entry(start.to_owned()).or_insert(1);
        loop {
            *number = number.saturating_add(1);
            let candidate = format!("{start}_{number}");
            if self.used.insert(candidate.clone()) {
                return candidate;
            }
        }
    }

    /// Returns `true` if the cleaned name was given out.
    pub(super) fn has(&self, wanted: &str) -> bool {
        self.used.contains(&clean(wanted))
    }
}

/// Replaces each run of other characters by `_`, and cuts off what is too long.
pub(super) fn clean(wanted: &str) -> String {
    let mut name = String::with_capacity(wanted.len().min(CHARS));
    let mut gap = false;
    for character in wanted.chars() {
        if name.len() >= CHARS {
            break;
        }
        if character.is_ascii_alphanumeric() || matches!(character, '_' | '-') {
            if gap && !name.is_empty() && name.len() + 1 < CHARS {
                name.push('_');
            }
            gap = false;
            name.push(character);
        } else {
            gap = true;
        }
    }
    if name.is_empty() {
        name.push_str("unnamed");
    }
    name
}

/// Cuts a text off after so many characters.
pub(super) fn shortened(text: &str, chars: usize) -> String {
    let text = beginning(text, chars).trim();
    match text.char_indices().nth(chars) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
}

/// Returns the beginning of a text, which has these characters and more. What follows is not looked at,
/// as many operations can share a long text.
pub(super) fn beginning(text: &str, chars: usize) -> &str {
    let mut end = text.len().min(8 * chars);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_clean_unique_and_at_most_64_bytes() {
        let mut names = Names::default();
        assert_eq!(names.take("pets/list all"), "pets_list_all");
        assert_eq!(names.take("pets.list.all"), "pets_list_all_2");
        assert_eq!(names.take("pets_list_all_2"), "pets_list_all_2_2");
        assert_eq!(names.take("{}"), "unnamed");
        assert_eq!(names.take("/größe/{id}"), "gr_e_id");
        let long = "x".repeat(100);
        assert_eq!(names.take(&long), "x".repeat(64));
        assert_eq!(names.take(&long), format!("{}_2", "x".repeat(53)));
    }

    /// The cost is not quadratic: this would take minutes.
    #[test]
    fn long_names_with_the_same_beginning_are_numbered_together() {
        let mut names = Names::default();
        for number in 0..100_000 {
            let name = format!("{}{:06}", "x".repeat(58), number / 2);
            names.take(&name);
        }
        assert_eq!(names.used.len(), 100_000);
        assert_eq!(names.numbers.len(), 1);
    }
}
