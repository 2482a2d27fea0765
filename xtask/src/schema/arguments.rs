//! The arguments of a subcommand.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail};

use super::{USAGE, store};

/// Words, and options with a value.
pub(super) struct Arguments<'a> {
    pub(super) words: Vec<&'a str>,
    options: BTreeMap<&'static str, &'a str>,
}

impl<'a> Arguments<'a> {
    /// Parses `count` words and any of the options.
    ///
    /// # Errors
    ///
    /// Returns an error for another number of words, and for an option that is unknown, repeated or
    /// without a value.
    pub(super) fn parse(args: &'a [String], count: usize, known: &[&'static str]) -> Result<Self> {
        let mut words = Vec::new();
        let mut options = BTreeMap::new();
        let mut rest = args.iter().map(String::as_str);
        while let Some(word) = rest.next() {
            let (name, given) = match word.split_once('=') {
                Some((name, value)) if word.starts_with("--") => (name, Some(value)),
                _ => (word, None),
            };
            if let Some(option) = known.iter().find(|option| **option == name) {
                let value = given.or_else(|| rest.next());
                let value = value.with_context(|| format!("`{name}` needs a value\n\n{USAGE}"))?;
                if options.insert(*option, value).is_some() {
                    bail!("`{name}` is there twice\n\n{USAGE}");
                }
            } else if word.starts_with("--") {
                bail!("unknown option `{word}`\n\n{USAGE}");
            } else {
                words.push(word);
            }
        }
        if words.len() != count {
            bail!(
                "{count} argument(s) expected, {} found\n\n{USAGE}",
                words.len()
            );
        }
        Ok(Self { words, options })
    }

    pub(super) fn option(&self, name: &str) -> Option<&'a str> {
        self.options.get(name).copied()
    }

    /// Returns the file, which is the only word, and the value of `--revision`.
    ///
    /// # Errors
    ///
    /// Returns an error if one is missing, or if the revision is not a valid name.
    pub(super) fn file_and_revision(&self) -> Result<(&'a str, &'a str)> {
        let file = self.words.first().copied();
        let file = file.with_context(|| USAGE.to_owned())?;
        let revision = self
            .option("--revision")
            .with_context(|| format!("`--revision` is missing\n\n{USAGE}"))?;
        store::check_name(revision)?;
        Ok((file, revision))
    }
}
