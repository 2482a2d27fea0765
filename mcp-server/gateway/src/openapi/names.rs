//! Names that every client and model accepts.

use std::collections::{HashMap, HashSet};

/// The longest name. Model providers accept no longer ones.
const CHARS: usize = 64;

/// Gives out names of at most 64 letters, digits, `_` and `-`, each once.
#[derive(Default)]
pub(super) struct Names {
    used: HashSet<String>,
    /// The last number that was appended to a name.
    numbers: HashMap<String, u32>,
}

impl Names {
    /// Returns the name, with other characters replaced and with a number if it is taken.
    pub(super) fn take(&mut self, wanted: &str) -> String {
        let name = clean(wanted);
        if self.used.insert(name.clone()) {
            return name;
        }
        let number = self.numbers.entry(name.clone()).or_insert(1);
        loop {
            *number = number.saturating_add(1);
            let suffix = format!("_{number}");
            let kept = name.len().min(CHARS - suffix.len());
            let candidate = format!("{}{suffix}", &name[..kept]);
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
    let text = text.trim();
    match text.char_indices().nth(chars) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
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
        assert_eq!(names.take(&long), format!("{}_2", "x".repeat(62)));
    }
}
