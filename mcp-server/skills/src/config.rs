//! [`Skills`]: which skills a server offers, and its settings for them.

use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mcp_extensions::skills::IDENTIFIER;
use mcp_server::{
    Context, ListAt, Params, ResourceUri, ServerBuilder, ServerExtension, TemplateDef,
};
use mcp_types::CacheScope;
use serde_json::json;

use crate::folder::SkillFolder;
use crate::handlers::Handlers;
use crate::served::ServedSkills;
use crate::source::SkillSource;

/// The minimum time between two checks for changes.
const LEAST_INTERVAL: Duration = Duration::from_millis(100);
const INTERVAL: Duration = Duration::from_secs(2);
/// The number of skills, or of names in a directory, on a page. A skill with the maximum number of
/// files has some 80 KB.
const PAGE_SIZE: NonZeroUsize = NonZeroUsize::new(50).unwrap();

/// The skills that a server offers, with their settings. [`OfferSkills::skills`] adds them to a server.
///
/// ```no_run
/// use std::time::Duration;
///
/// use mcp_server::Server;
/// use mcp_server::types::CacheScope;
/// use mcp_skills::{OfferSkills as _, Skills};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let skills = Skills::folder("skills/")?
///     .check_every(Duration::from_secs(10))
///     .cache(Duration::from_secs(60), CacheScope::Public);
/// let server = Server::builder("docs", "1.0.0").skills(skills).build()?;
/// # drop(server);
/// # Ok(())
/// # }
/// ```
#[must_use = "skills are not offered until they are added to a server"]
pub struct Skills {
    source: Arc<dyn SkillSource>,
    interval: Duration,
    ttl: Duration,
    scope: CacheScope,
    page_size: NonZeroUsize,
}

/// Adds [`Skills`] to a [`ServerBuilder`], which is the only implementor.
pub trait OfferSkills {
    /// Offers skills for agents, by the extension `io.modelcontextprotocol/skills`: its methods, and a
    /// template of resources for the files. The server reads the skills again when they change, and
    /// announces the changes.
    #[must_use]
    fn skills(self, skills: Skills) -> Self;
}

impl OfferSkills for ServerBuilder {
    fn skills(self, skills: Skills) -> Self {
        let served = Arc::new(ServedSkills::new(skills.source, skills.interval));
        let handlers = Handlers {
            skills: Arc::clone(&served),
            ttl_ms: i64::try_from(skills.ttl.as_millis()).unwrap_or(i64::MAX),
            scope: skills.scope,
            page_size: skills.page_size,
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
            .on_built(move |server| served.watch(server));
        let template = TemplateDef::new("skill://{+path}", "skills")
            .title("Files of skills")
            .cache(skills.ttl, skills.scope)
            .handler(move |uri: ResourceUri, cx: Context| read.clone().read(uri, cx))
            .list(move |at: ListAt, cx: Context| list_resources.clone().list_resources(at, cx));
        self.extension(extension).add_resource_template(template)
    }
}

impl Skills {
    /// Offers the skills of a source.
    pub fn new(source: impl SkillSource) -> Self {
        Self {
            source: Arc::new(source),
            interval: INTERVAL,
            ttl: Duration::ZERO,
            scope: CacheScope::Private,
            page_size: PAGE_SIZE,
        }
    }

    /// Offers the skills in a folder: each folder below it with a file `SKILL.md` is a skill.
    ///
    /// Links are not followed: a skill with a link in its folder is left out, as are those that
    /// break a rule of the Agent Skills format or a limit. The reason is logged at the level `WARN`.
    /// Files whose name begins with a dot are ignored.
    ///
    /// # Errors
    ///
    /// The folder cannot be opened. The text of the error has its path.
    pub fn folder(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let opened = SkillFolder::open(path).map_err(|error| {
            let path = path.display();
            io::Error::new(
                error.kind(),
                format!("the folder of skills `{path}`: {error}"),
            )
        });
        opened.map(Self::new)
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
        (self.ttl, self.scope) = (ttl, scope);
        self
    }

    /// Sets the number of skills on a page of the list, and of names on a page of a directory: 50
    /// by default. Zero has no effect. Pages of `resources/list` have as many skills, unless
    /// [`ServerBuilder::page_size`] is set.
    pub fn page_size(mut self, items: usize) -> Self {
        self.page_size = NonZeroUsize::new(items).unwrap_or(self.page_size);
        self
    }
}
