//! [`Catalog`]: the skills of a source at one time, with the digests of their files.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;

use mcp_extensions::skills::entry::{EntryError, SkillRules, describe, is_file_name, uri_below};
use mcp_extensions::skills::frontmatter::{self, FrontmatterError};
use mcp_extensions::skills::{DIRECTORY_TYPE, MAX_BYTES, MAX_FILES, SKILL_FILE};
use mcp_types::json::Object;
use mcp_types::{Resource, Skill, SkillResource, SkillResources};
use thiserror::Error;

use crate::media_type::media_type;
use crate::source::{FileVersion, SkillFile, SkillSource, Unusable};

/// What the URIs of skills begin with.
pub(crate) const SCHEME: &str = "skill://";

/// The maximum number of entries in the lists of files of all skills together.
const ENTRIES: usize = 100_000;
/// The maximum size of the frontmatter of all files `SKILL.md` together, in bytes. A longer file counts with
/// the maximum of its frontmatter.
const DESCRIBED: u64 = 64 << 20;

/// The skills of a source at one time.
#[derive(Default)]
pub(crate) struct Catalog {
    /// The skills, by URI.
    pub(crate) skills: BTreeMap<String, Skill>,
    /// The files of all skills, by URI.
    pub(crate) files: BTreeMap<String, ServedFile>,
    /// The files and directories in each directory, by URI.
    pub(crate) directories: BTreeMap<String, BTreeMap<String, Resource>>,
    /// Whether a skill is left out because a file could not be read, which may be over soon.
    pub(crate) is_incomplete: bool,
    /// Why skills and files are left out, by path.
    faults: BTreeMap<String, String>,
    /// What was read, by path.
    read: HashMap<String, ReadFile>,
    /// The files of the source, by path.
    listed: BTreeMap<String, SkillFile>,
    /// The number of entries in the lists of files of all skills.
    entries: usize,
    /// The size of what may be frontmatter, in bytes.
    described: u64,
}

/// A file that is served.
#[derive(Clone)]
pub(crate) struct ServedFile {
    pub(crate) path: String,
    pub(crate) resource: SkillResource,
}

/// What is known of a version of a file.
#[derive(Clone)]
struct ReadFile {
    version: FileVersion,
    resource: SkillResource,
    /// Of a `SKILL.md`.
    frontmatter: Option<Result<Object, FrontmatterError>>,
}

/// A skill is left out.
#[derive(Debug, Error)]
enum SkillFault {
    #[error("`{path}`: {}", unusable.reason)]
    File { path: String, unusable: Unusable },
    #[error("`{path}` cannot be read: {source}")]
    Read { path: String, source: io::Error },
    #[error("all skills together have more than {0} {1}")]
    TooMany(u64, &'static str),
    #[error(transparent)]
    Entry(#[from] EntryError),
}

impl SkillFault {
    fn may_be_over_soon(&self) -> bool {
        match self {
            Self::File { unusable, .. } => unusable.may_be_over_soon,
            Self::Read { .. } => true,
            Self::TooMany(..) | Self::Entry(_) => false,
        }
    }
}

/// A change between two catalogs.
pub(crate) enum CatalogChange {
    /// The list of skills changed, or one of them.
    Skills,
    /// The file with this URI was changed, added or removed.
    File(String),
}

impl Catalog {
    /// Reads a source. Files that have the same version as in the catalog before are not read again,
    /// except the one whose path is `suspect`. Returns `None` if nothing changed.
    pub(crate) fn read(
        source: &dyn SkillSource,
        before: Option<&Self>,
        suspect: Option<&str>,
    ) -> io::Result<Option<Self>> {
        let files = source.files()?.into_iter();
        let files: BTreeMap<String, SkillFile> =
            files.map(|file| (file.path.clone(), file)).collect();
        let is_same = |before: &Self| !before.is_incomplete && before.listed == files;
        if suspect.is_none() && before.is_some_and(is_same) {
            return Ok(None);
        }
        let mut catalog = Self::default();
        let mut in_skills = BTreeSet::new();
        for path in files.keys() {
            let Some((folder, SKILL_FILE)) = path.rsplit_once('/') else {
                continue;
            };
            let own: Vec<&SkillFile> = below(&files, folder).collect();
            in_skills.extend(own.iter().map(|file| &*file.path));
            if let Err(fault) = catalog.add(folder, &own, source, before, suspect) {
                catalog.is_incomplete |= fault.may_be_over_soon();
                catalog.faults.insert(folder.to_owned(), fault.to_string());
            }
        }
        for file in files.values() {
            if let Err(unusable) = &file.state
                && !in_skills.contains(&*file.path)
            {
                catalog.is_incomplete |= unusable.may_be_over_soon;
                let reason = unusable.reason.clone();
                catalog.faults.insert(file.path.clone(), reason);
            }
        }
        if files.contains_key(SKILL_FILE) {
            let reason = "a skill needs a folder of its own".to_owned();
            catalog.faults.insert(SKILL_FILE.to_owned(), reason);
        }
        catalog.listed = files;
        Ok(Some(catalog))
    }

    fn add(
        &mut self,
        folder: &str,
        files: &[&SkillFile],
        source: &dyn SkillSource,
        before: Option<&Self>,
        suspect: Option<&str>,
    ) -> Result<(), SkillFault> {
        if files.len() > MAX_FILES {
            return Err(EntryError::Files(files.len()).into());
        }
        // Skills within skills list the same files again.
        if self.entries + files.len() > ENTRIES {
            let what = "entries in their lists of files";
            return Err(SkillFault::TooMany(ENTRIES as u64, what));
        }
        self.entries += files.len();
        let mut found = Vec::new();
        for file in files {
            let path = &file.path;
            let version = file.state.clone().and_then(|version| {
                let is_path = path.split('/').all(is_file_name);
                is_path.then_some(version).ok_or_else(|| Unusable {
                    reason: "it is no path".to_owned(),
                    may_be_over_soon: false,
                })
            });
            let version = version.map_err(|unusable| SkillFault::File {
                path: path.clone(),
                unusable,
            })?;
            found.push((path, version));
        }
        let bytes = found.iter().map(|(_, version)| version.size);
        let bytes = bytes.fold(0, u64::saturating_add);
        if bytes > MAX_BYTES {
            return Err(EntryError::Bytes(bytes).into());
        }
        let mut resources = Vec::new();
        let mut described = None;
        for (path, version) in found {
            let known = self.read.get(path);
            if known.is_none() && file_name(path) == SKILL_FILE {
                let size = version.size.min(frontmatter::LIMIT as u64);
                if self.described + size > DESCRIBED {
                    return Err(SkillFault::TooMany(DESCRIBED, "bytes of frontmatter"));
                }
                self.described += size;
            }
            let known = known.or_else(|| {
                let known = before?.read.get(path)?;
                (known.version == version && suspect != Some(path)).then_some(known)
            });
            let file = match known {
                Some(known) => known.clone(),
                None => ReadFile::new(path, version, source)?,
            };
            resources.push(file.resource.clone());
            if path.strip_prefix(folder) == Some("/SKILL.md") {
                described.clone_from(&file.frontmatter);
            }
            self.read.insert(path.clone(), file);
        }
        let frontmatter = described.unwrap_or(Err(FrontmatterError::Missing));
        let frontmatter = frontmatter.map_err(EntryError::from)?;
        let uri = uri_of(&format!("{folder}/{SKILL_FILE}"));
        let skill = Skill::new(uri.clone(), frontmatter, SkillResources::Files(resources));
        skill.check()?;
        for (file, resource) in files.iter().zip(skill.files()) {
            self.add_file(&file.path, resource.clone());
        }
        self.skills.insert(uri, skill);
        Ok(())
    }

    /// Adds a file, and the directories above it.
    fn add_file(&mut self, path: &str, resource: SkillResource) {
        let served = ServedFile {
            path: path.to_owned(),
            resource,
        };
        // A skill around this one has added it.
        if self.files.contains_key(&served.resource.uri) {
            return;
        }
        let mut child = served.describe();
        self.files.insert(served.resource.uri.clone(), served);
        let mut path = path;
        while let Some((folder, _)) = path.rsplit_once('/') {
            let uri = uri_of(folder);
            let names = self.directories.entry(uri.clone()).or_default();
            names.insert(child.uri.clone(), child);
            child = Resource::new(uri, file_name(folder)).mime_type(DIRECTORY_TYPE);
            path = folder;
        }
    }

    /// Returns the description of the `SKILL.md` of a skill, for lists of resources.
    pub(crate) fn describe(&self, skill: &Skill) -> Option<Resource> {
        let mut resource = self.files.get(&skill.uri)?.describe();
        skill.name().clone_into(&mut resource.name);
        Some(resource.description(skill.description()))
    }

    /// Returns what changed since the catalog before.
    pub(crate) fn changes(&self, before: &Self) -> Vec<CatalogChange> {
        let digest = |file: &ServedFile| file.resource.digest.clone();
        let uris: BTreeSet<&String> = self.files.keys().chain(before.files.keys()).collect();
        let differing = uris
            .into_iter()
            .filter(|uri| self.files.get(*uri).map(digest) != before.files.get(*uri).map(digest));
        let mut changes: Vec<_> = differing.cloned().map(CatalogChange::File).collect();
        if self.skills != before.skills {
            changes.push(CatalogChange::Skills);
        }
        changes
    }

    /// Logs what is left out, unless it was left out before for the same reason.
    pub(crate) fn log_faults(&self, before: Option<&Self>) {
        for (path, reason) in &self.faults {
            if before.and_then(|before| before.faults.get(path)) != Some(reason) {
                tracing::warn!(path, reason, "a skill is left out");
            }
        }
    }
}

impl ReadFile {
    fn new(path: &str, version: FileVersion, source: &dyn SkillSource) -> Result<Self, SkillFault> {
        let bytes = source.read(path, MAX_BYTES);
        let bytes = bytes.map_err(|source| SkillFault::Read {
            path: path.to_owned(),
            source,
        })?;
        let is_skill = file_name(path) == SKILL_FILE;
        Ok(Self {
            version,
            resource: describe(uri_of(path), &bytes),
            frontmatter: is_skill.then(|| frontmatter::parse(&bytes)),
        })
    }
}

impl ServedFile {
    pub(crate) fn media_type(&self) -> Option<&'static str> {
        media_type(&self.path)
    }

    fn describe(&self) -> Resource {
        let mut resource = Resource::new(self.resource.uri.clone(), file_name(&self.path));
        resource.mime_type = self.media_type().map(Into::into);
        resource.size = Some(self.resource.size);
        resource
    }
}

/// Returns the files in a folder, and in the folders below it.
fn below<'a>(
    files: &'a BTreeMap<String, SkillFile>,
    folder: &str,
) -> impl Iterator<Item = &'a SkillFile> {
    let prefix = format!("{folder}/");
    let from = files.range(prefix.clone()..).map(|(_, file)| file);
    from.take_while(move |file| file.path.starts_with(&prefix))
}

fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Returns the canonical URI of a path.
fn uri_of(path: &str) -> String {
    uri_below(SCHEME, path)
}
