//! [`Skills`]: which skills a server offers, and its settings for them.

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use mcp_internal::skills::IDENTIFIER;
use mcp_types::CacheScope;
use serde_json::json;

use super::folder::SkillFolder;
use super::handlers::Handlers;
use super::served::ServedSkills;
use super::source::SkillSource;
use crate::features::catalog::CacheHints;
use crate::features::resources::listed::ListAt;
use crate::features::resources::request::ResourceUri;
use crate::features::resources::templates::definition::TemplateDef;
use crate::protocol::core::Context;
use crate::protocol::dispatch::extension::ServerExtension;
use crate::protocol::error::BuildError;
use crate::protocol::handler::params::Params;

/// The minimum time between two checks for changes.
const LEAST_INTERVAL: Duration = Duration::from_millis(100);
const INTERVAL: Duration = Duration::from_secs(2);
/// The number of skills, or of names in a directory, on a page. A skill with the maximum number of
/// files has some 80 KB.
const PAGE_SIZE: NonZeroUsize = NonZeroUsize::new(50).unwrap();

/// The skills that a server offers, for [`ServerBuilder::skills`](crate::ServerBuilder::skills). A
/// path is converted into the skills of [that folder](Self::folder).
///
/// ```no_run
/// use std::time::Duration;
///
/// use mcp_server::types::CacheScope;
/// use mcp_server::{Server, Skills};
///
/// let skills = Skills::folder("skills/")
///     .check_every(Duration::from_secs(10))
///     .cache(Duration::from_secs(60), CacheScope::Public);
/// let server = Server::builder("docs", "1.0.0").skills(skills).build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
#[must_use = "skills are not offered until they are added to a server"]
pub struct Skills {
    source: Result<Arc<dyn SkillSource>, (PathBuf, io::Error)>,
    interval: Duration,
    hints: CacheHints,
    page_size: NonZeroUsize,
}

/// The parts of a server that offer skills.
pub(crate) struct SkillParts {
    pub(crate) extension: ServerExtension,
    /// The files.
    pub(crate) template: TemplateDef,
}

impl Skills {
    /// Offers the skills of a source.
    pub fn new(source: impl SkillSource) -> Self {
        Self::with(Ok(Arc::new(source)))
    }

    /// Offers the skills in a folder: each folder below it with a file `SKILL.md` is a skill. If the
    /// folder does not exist, `build` returns an error.
    ///
    /// Links are not followed: a skill with a link in its folder is left out, as are those that
    /// break a rule of the Agent Skills format or a limit. The reason is logged at the level `WARN`.
    /// Files whose name begins with a dot are ignored.
    pub fn folder(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        Self::with(match SkillFolder::open(path) {
            Ok(folder) => Ok(Arc::new(folder)),
            Err(error) => Err((path.to_owned(), error)),
        })
    }

    fn with(source: Result<Arc<dyn SkillSource>, (PathBuf, io::Error)>) -> Self {
        Self {
            source,
            interval: INTERVAL,
            hints: CacheHints::default(),
            page_size: PAGE_SIZE,
        }
    }

    /// Sets the time between two checks for changes: 2 seconds by default, and at least 100
    /// milliseconds.
    pub fn check_every(mut self, interval: Duration) -> Self {
        self.interval = interval.max(LEAST_INTERVAL);
        self
    }

    /// Sets for how long, and for whom, caches may keep the list of skills and the files: not at all
    /// by default.
    pub fn cache(mut self, ttl: Duration, scope: CacheScope) -> Self {
        self.hints = CacheHints::new(ttl, scope);
        self
    }

    /// Sets the number of skills on a page of the list, and of names on a page of a directory: 50
    /// by default. Zero has no effect.
    pub fn page_size(mut self, items: usize) -> Self {
        self.page_size = NonZeroUsize::new(items).unwrap_or(self.page_size);
        self
    }

    /// Creates the parts of the server.
    pub(crate) fn into_parts(self) -> Result<SkillParts, BuildError> {
        let source = self.source.map_err(|(path, error)| BuildError::Invalid {
            kind: "folder of skills",
            name: path.display().to_string(),
            reason: error.to_string(),
        })?;
        let skills = Arc::new(ServedSkills::new(source, self.interval));
        let handlers = Handlers {
            skills: Arc::clone(&skills),
            hints: self.hints.clone(),
            page_size: self.page_size,
        };
        let [list, get, read_directory, read, list_resources] =
            std::array::from_fn(|_| handlers.clone());
        let extension = ServerExtension::new(IDENTIFIER)
            .settings(&json!({ "directoryRead": true }))
            .on(move |params: Params<_>, cx: Context| list.clone().list(params, cx))
            .on(move |params: Params<_>, cx: Context| get.clone().get(params, cx))
            .on(move |params: Params<_>, cx: Context| {
                read_directory.clone().read_directory(params, cx)
            })
            .on_built(move |core, _| skills.watch(core));
        let mut template = TemplateDef::new("skill://{+path}", "skills")
            .title("Files of skills")
            .handler(move |uri: ResourceUri, cx: Context| read.clone().read(uri, cx))
            .list(move |at: ListAt, cx: Context| list_resources.clone().list_resources(at, cx));
        template.hints = self.hints;
        Ok(SkillParts {
            extension,
            template,
        })
    }
}

impl From<&str> for Skills {
    fn from(path: &str) -> Self {
        Self::folder(path)
    }
}

impl From<String> for Skills {
    fn from(path: String) -> Self {
        Self::folder(path)
    }
}

impl From<&Path> for Skills {
    fn from(path: &Path) -> Self {
        Self::folder(path)
    }
}

impl From<PathBuf> for Skills {
    fn from(path: PathBuf) -> Self {
        Self::folder(path)
    }
}
