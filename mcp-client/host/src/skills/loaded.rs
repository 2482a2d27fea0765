//! [`LoadedSkill`]: a verified `SKILL.md`, and access to the other files.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use mcp_extensions::skills::MAX_BYTES;
use mcp_extensions::skills::entry::{Mismatch, SkillRules, is_file_name, uri_below, verify};
use mcp_extensions::skills::frontmatter;
use mcp_types::uri::is_equivalent;
use mcp_types::{
    AnyResourceContents, ReadResourceRequest, ReadResourceRequestParams, Skill, SkillResource,
};

use super::error::SkillError;
use super::id::SkillId;
use mcp_client::Client;

/// A skill whose `SKILL.md` is verified, with the description from which it was loaded. Keep it as
/// long as the skill is in use: files that the server adds or changes later are not read.
pub struct LoadedSkill {
    client: Client,
    id: SkillId,
    skill: Skill,
    text: String,
    /// The bytes that were read, if the content is generated.
    read: AtomicU64,
}

impl LoadedSkill {
    pub(super) async fn load(
        client: Client,
        id: SkillId,
        skill: Skill,
    ) -> Result<Self, SkillError> {
        let mut loaded = Self {
            client,
            id,
            skill,
            text: String::new(),
            read: AtomicU64::new(0),
        };
        let uri = loaded.skill.uri.clone();
        let bytes = loaded.read(&uri).await?;
        let invalid = |source| SkillError::Frontmatter {
            uri: uri.clone(),
            source,
        };
        let found = frontmatter::parse(&bytes).map_err(invalid)?;
        if let Some(member) = frontmatter::difference(&found, &loaded.skill.frontmatter) {
            let member = member.to_owned();
            return Err(SkillError::FrontmatterDiffers { uri, member });
        }
        let text = String::from_utf8(bytes);
        loaded.text = text.map_err(|_| invalid(frontmatter::FrontmatterError::NotText))?;
        Ok(loaded)
    }

    /// Returns the identity of the skill.
    #[must_use]
    pub fn id(&self) -> &SkillId {
        &self.id
    }

    /// Returns the description from which the skill was loaded, with its files.
    #[must_use]
    pub fn skill(&self) -> &Skill {
        &self.skill
    }

    /// Returns the text of `SKILL.md`, with its frontmatter.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Reads and verifies a file of the skill. It is named by its URI, or by its path in the folder
    /// of the skill, such as `references/FORMS.md`. The `SKILL.md` of another skill is a file as any
    /// other.
    ///
    /// # Errors
    ///
    /// See [`SkillError`].
    pub async fn read(&self, path: &str) -> Result<Vec<u8>, SkillError> {
        if self.skill.is_dynamic() {
            return self.read_generated(path).await;
        }
        let wanted = path.strip_prefix("./").unwrap_or(path);
        let is_wanted = |file: &&SkillResource| {
            file.uri == path || self.skill.path_of(&file.uri).as_deref() == Some(wanted)
        };
        let listed = self.skill.files().iter().find(is_wanted);
        let listed = listed.ok_or_else(|| unlisted(path))?;
        self.read_listed(listed).await
    }

    async fn read_listed(&self, file: &SkillResource) -> Result<Vec<u8>, SkillError> {
        let bytes = self.fetch(&file.uri, false).await?;
        if verify(file, &bytes).is_ok() {
            return Ok(bytes);
        }
        // A cached content may be older than the list.
        let bytes = if self.client.has_cache() {
            self.fetch(&file.uri, true).await?
        } else {
            bytes
        };
        let uri = file.uri.clone();
        match verify(file, &bytes) {
            Ok(()) => Ok(bytes),
            Err(Mismatch::Size(listed)) => Err(SkillError::Size {
                uri,
                listed,
                found: bytes.len() as u64,
            }),
            Err(Mismatch::Digest) => Err(SkillError::Digest { uri }),
        }
    }

    async fn read_generated(&self, path: &str) -> Result<Vec<u8>, SkillError> {
        let own = self.skill.path_of(path);
        let names = own
            .as_deref()
            .unwrap_or(path.strip_prefix("./").unwrap_or(path));
        if !names.split('/').all(is_file_name) {
            return Err(unlisted(path));
        }
        let uri = uri_below(&format!("{}/", self.skill.folder()), names);
        let bytes = self.fetch(&uri, false).await?;
        let length = bytes.len() as u64;
        if self
            .read
            .fetch_add(length, Ordering::Relaxed)
            .saturating_add(length)
            > MAX_BYTES
        {
            let uri = self.skill.uri.clone();
            return Err(SkillError::TooLarge { uri });
        }
        Ok(bytes)
    }

    /// Reads a resource that has one content.
    async fn fetch(&self, uri: &str, fresh: bool) -> Result<Vec<u8>, SkillError> {
        let params = ReadResourceRequestParams::new(uri, self.client.meta());
        let mut call = self.client.request::<ReadResourceRequest>(params);
        if fresh {
            call = call.fresh();
        }
        let contents = call.await?.contents;
        let other = || SkillError::Contents {
            uri: uri.to_owned(),
        };
        let [content] = <[AnyResourceContents; 1]>::try_from(contents).map_err(|_| other())?;
        if !is_equivalent(content.uri(), uri) {
            return Err(other());
        }
        match content {
            AnyResourceContents::Text(text) => Ok(text.text.into_bytes()),
            AnyResourceContents::Blob(blob) => blob.blob.decode().map_err(|_| other()),
            _ => Err(other()),
        }
    }
}

fn unlisted(path: &str) -> SkillError {
    SkillError::Unlisted {
        path: path.to_owned(),
    }
}

impl fmt::Debug for LoadedSkill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedSkill")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
