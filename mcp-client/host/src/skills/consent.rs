//! [`ConsentRequest`], and the [`Consents`] that were given.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_types::uri::canonical;
use mcp_types::{Skill, SkillResources};

use super::id::SkillId;

/// The question whether a skill may be loaded.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ConsentRequest {
    /// The skill.
    pub id: SkillId,
    /// What the server says of it. Its text is not trustworthy.
    pub skill: Skill,
    /// The loaded skill whose folder contains this one. Its consent does not include this skill.
    pub enclosing: Option<SkillId>,
    /// Whether there was consent to another version of the skill.
    pub has_changed: bool,
}

/// The skills that were loaded, and those that the user consented to.
#[derive(Default)]
pub(super) struct Consents(Mutex<ConsentState>);

#[derive(Default)]
struct ConsentState {
    /// In canonical form.
    loaded: BTreeSet<String>,
    /// The digests of the files, by the URI of the skill.
    agreed: HashMap<String, BTreeMap<String, String>>,
}

impl Consents {
    fn lock(&self) -> MutexGuard<'_, ConsentState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the URI of a loaded skill whose folder contains another one.
    pub(super) fn enclosing(&self, skill: &Skill) -> Option<String> {
        let given = self.lock();
        let uri = canonical(&skill.uri);
        let mut loaded = given.loaded.iter();
        let encloses = |outer: &&String| {
            let folder = outer.strip_suffix("SKILL.md").unwrap_or(outer);
            **outer != *uri && uri.starts_with(folder)
        };
        loaded.find(encloses).cloned()
    }

    /// Returns whether the user consented to exactly these files, and to any version of the skill.
    pub(super) fn find(&self, skill: &Skill) -> (bool, bool) {
        let given = self.lock();
        let agreed = given.agreed.get(&skill.uri);
        (
            agreed.is_some() && agreed == digests(skill).as_ref(),
            agreed.is_some(),
        )
    }

    /// Stores a consent. A consent to generated content is not stored.
    pub(super) fn agree(&self, skill: &Skill) {
        if let Some(digests) = digests(skill) {
            self.lock().agreed.insert(skill.uri.clone(), digests);
        }
    }

    pub(super) fn set_loaded(&self, skill: &Skill) {
        let uri = canonical(&skill.uri).into_owned();
        self.lock().loaded.insert(uri);
    }
}

fn digests(skill: &Skill) -> Option<BTreeMap<String, String>> {
    let SkillResources::Files(files) = &skill.resources else {
        return None;
    };
    let pairs = files
        .iter()
        .map(|file| (file.uri.clone(), file.digest.clone()));
    Some(pairs.collect())
}
