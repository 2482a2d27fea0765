//! [`Names`]: which upstream has a tool, a prompt or a resource.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::{GatewayError, short as short_text};
use crate::upstream::{Kind, Upstream};
use crate::uris::UriPrefix;

/// Between the prefix and the name of a tool or prompt.
const SEPARATOR: char = '_';

/// The maximum length of a prefix, so that prefixed names stay within what hosts accept.
const PREFIX_LENGTH: usize = 24;

/// The maximum length of the name of a tool or prompt with its prefix: what the interfaces of language
/// models accept.
const NAME_LENGTH: usize = 64;

/// The length of the digest at the end of a name that was too long.
const DIGEST_LENGTH: usize = 8;

/// The maximum number of such names that are remembered.
const SHORT_NAMES: usize = 20_000;

/// The prefix of an upstream.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    upstream: String,
    prefix: Option<String>,
    pub(crate) uris: UriPrefix,
    /// The names without the prefix of those that were too long.
    short: Arc<Mutex<HashMap<String, String>>>,
}

impl Names {
    /// Checks a prefix. An empty one means none.
    pub(crate) fn new(upstream: &str, prefix: &str) -> Result<Self, GatewayError> {
        let prefix = (!prefix.is_empty()).then(|| prefix.to_owned());
        if let Some(prefix) = &prefix {
            let mut letters = prefix.chars();
            let is_valid = letters
                .next()
                .is_some_and(|first| first.is_ascii_lowercase())
                && letters.all(|letter| matches!(letter, 'a'..='z' | '0'..='9' | '-'))
                && prefix.len() <= PREFIX_LENGTH;
            if !is_valid {
                return Err(GatewayError::Prefix {
                    upstream: upstream.to_owned(),
                    prefix: prefix.clone(),
                });
            }
        }
        let uris = UriPrefix::new(prefix.as_deref());
        Ok(Self {
            upstream: upstream.to_owned(),
            prefix,
            uris,
            short: Arc::default(),
        })
    }

    /// Turns the name of an upstream into a prefix.
    pub(crate) fn prefix_of(name: &str) -> String {
        let name = name.to_ascii_lowercase();
        let letters = name.chars().map(|letter| match letter {
            'a'..='z' | '0'..='9' => letter,
            _ => '-',
        });
        let prefix: String = letters
            .skip_while(|letter| !letter.is_ascii_lowercase())
            .collect();
        let prefix = prefix.get(..PREFIX_LENGTH).unwrap_or(&prefix);
        prefix.trim_end_matches('-').to_owned()
    }

    /// Returns `true` if a name or URI that clients see has the prefix.
    pub(crate) fn claims(&self, kind: Kind, name: &str) -> bool {
        self.prefix.is_some()
            && match kind {
                Kind::Tool | Kind::Prompt => self.original(name).is_some(),
                Kind::Resource | Kind::ResourceTemplate => self.uris.original(name).is_some(),
            }
    }

    pub(crate) fn prefix(&self) -> Option<&str> {
        self.prefix.as_deref()
    }

    /// Returns the name of a tool or prompt that clients see. One that is too long with the prefix
    /// ends with a digest instead, which is always the same.
    pub(crate) fn presented<'a>(&self, name: &'a str) -> Cow<'a, str> {
        let Some(prefix) = &self.prefix else {
            return name.into();
        };
        let whole = format!("{prefix}{SEPARATOR}{name}");
        if whole.len() <= NAME_LENGTH {
            return whole.into();
        }
        let presented = shortened(&whole);
        let mut short = self.short();
        if short.len() < SHORT_NAMES && !short.contains_key(&presented) {
            tracing::warn!(
                upstream = self.upstream,
                name = short_text(name),
                presented,
                "a name is too long with its prefix: expected at most {NAME_LENGTH} bytes"
            );
            short.insert(presented.clone(), name.to_owned());
        }
        presented.into()
    }

    /// Returns the name without the prefix. `None` if it has another prefix.
    pub(crate) fn original<'a>(&self, name: &'a str) -> Option<Cow<'a, str>> {
        let Some(prefix) = &self.prefix else {
            return Some(name.into());
        };
        if name.len() <= NAME_LENGTH
            && let Some(original) = self.short().get(name)
        {
            return Some(original.clone().into());
        }
        // Prefixes do not contain the separator, so no two of them match.
        let name = name.strip_prefix(&**prefix)?.strip_prefix(SEPARATOR)?;
        Some(name.into())
    }

    /// Returns `true` if a name that clients see may be one that was too long, and is not known: such
    /// as one that the gateway has listed before it was started again.
    pub(crate) fn may_be_short(&self, name: &str) -> bool {
        let digest = name.rsplit(SEPARATOR).next().unwrap_or_default();
        self.prefix.is_some()
            && self.original(name).is_some()
            && name.len() + 3 >= NAME_LENGTH
            && digest.len() == DIGEST_LENGTH
            && digest.bytes().all(|digit| digit.is_ascii_hexdigit())
            && !self.short().contains_key(name)
    }

    fn short(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.short.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Replaces the end of a name that is too long by a digest of the whole name.
fn shortened(name: &str) -> String {
    // FNV-1a: the same in every process and version. It does not matter if somebody can make two names
    // with the same digest, as both are those of one upstream.
    let digest = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |digest, byte| {
            (digest ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
    let digest = digest ^ (digest >> 32);
    let mut kept = NAME_LENGTH - DIGEST_LENGTH - 1;
    while !name.is_char_boundary(kept) {
        kept -= 1;
    }
    let begin = name.get(..kept).unwrap_or_default();
    format!("{begin}{SEPARATOR}{:08x}", digest & 0xffff_ffff)
}

/// Returns the prefix of an upstream: its own, or else one that is derived from its name if it has
/// to have one.
pub(crate) fn prefix(upstream: &Upstream, is_needed: bool) -> String {
    // A name without any letter is reported as an invalid prefix.
    let derived = || {
        let derived = Names::prefix_of(&upstream.name);
        is_needed.then(|| {
            Some(derived)
                .filter(|it| !it.is_empty())
                .unwrap_or(upstream.name.clone())
        })
    };
    upstream.prefix.clone().or_else(derived).unwrap_or_default()
}

/// Returns the names of all upstreams. One upstream needs no prefix.
pub(crate) fn names(upstreams: &[Upstream], is_changing: bool) -> Result<Vec<Names>, GatewayError> {
    if upstreams.is_empty() && !is_changing {
        return Err(GatewayError::NoUpstream);
    }
    let is_needed = upstreams.len() > 1 || is_changing;
    let names = upstreams
        .iter()
        .map(|upstream| Names::new(&upstream.name, &prefix(upstream, is_needed)));
    let names: Vec<Names> = names.collect::<Result<_, _>>()?;
    distinct(upstreams.iter().map(|upstream| &*upstream.name).zip(&names))?;
    Ok(names)
}

/// Removes upstreams that have an invalid prefix or that of an earlier one. Returns their names with
/// the errors.
pub(crate) fn remove_invalid(
    upstreams: &mut Vec<Upstream>,
    is_changing: bool,
) -> Vec<(String, GatewayError)> {
    let is_needed = upstreams.len() > 1 || is_changing;
    let mut kept: Vec<(String, Names)> = Vec::new();
    let mut removed = Vec::new();
    upstreams.retain(|upstream| {
        let names = Names::new(&upstream.name, &prefix(upstream, is_needed));
        let checked = names.and_then(|names| {
            let added = (&*upstream.name, &names);
            let known = kept.iter().map(|(name, names)| (&**name, names));
            distinct(known.chain([added]))?;
            Ok(names)
        });
        match checked {
            Ok(names) => {
                kept.push((upstream.name.clone(), names));
                true
            }
            Err(error) => {
                removed.push((upstream.name.clone(), error));
                false
            }
        }
    });
    removed
}

/// Checks that no two upstreams have the same prefix.
pub(crate) fn distinct<'a>(
    names: impl Iterator<Item = (&'a str, &'a Names)>,
) -> Result<(), GatewayError> {
    let mut known: HashMap<&str, &str> = HashMap::new();
    for (upstream, names) in names {
        let prefix = names.prefix().unwrap_or_default();
        if let Some(first) = known.insert(prefix, upstream) {
            return Err(GatewayError::SamePrefix {
                first: first.to_owned(),
                second: upstream.to_owned(),
                prefix: prefix.to_owned(),
            });
        }
    }
    Ok(())
}
