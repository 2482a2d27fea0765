//! Accessors for skills.

use crate::json::Value;
use crate::{Skill, SkillResource, SkillResources};

impl Skill {
    /// Returns its name, or empty text if the frontmatter has none. Several skills may have the
    /// same.
    #[must_use]
    pub fn name(&self) -> &str {
        self.text("name")
    }

    /// Returns what it is for, and when to use it. Empty if the frontmatter does not say it.
    #[must_use]
    pub fn description(&self) -> &str {
        self.text("description")
    }

    fn text(&self, name: &str) -> &str {
        let text = self.frontmatter.get(name).and_then(Value::as_str);
        text.unwrap_or_default()
    }

    /// Returns its files; none if they are generated.
    #[must_use]
    pub fn files(&self) -> &[SkillResource] {
        match &self.resources {
            SkillResources::Files(files) => files,
            SkillResources::Dynamic(_) => &[],
        }
    }

    /// Returns `true` if the server generates its content, so that there are no digests.
    #[must_use]
    pub fn is_dynamic(&self) -> bool {
        matches!(self.resources, SkillResources::Dynamic(_))
    }
}

impl SkillResource {
    /// Returns the size in bytes. A negative size, which is not valid, counts as zero.
    #[must_use]
    pub fn byte_count(&self) -> u64 {
        u64::try_from(self.size).unwrap_or_default()
    }
}
