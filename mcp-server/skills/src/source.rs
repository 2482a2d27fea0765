//! [`SkillSource`]: where the files of skills come from.

use std::io;

/// A source of skills, for skills that are not in a folder.
///
/// Each directory with a file `SKILL.md` is a skill. The server calls both methods on threads for
/// blocking work, so they may block; [`block_on`](tokio::runtime::Handle::block_on) of the current
/// runtime runs async functions there.
///
/// ```
/// use std::io;
///
/// use mcp_server::Server;
/// use mcp_skills::{OfferSkills as _, SkillFile, SkillSource, Skills};
///
/// /// The skills that are compiled into the program.
/// struct Compiled(&'static [(&'static str, &'static str)]);
///
/// impl SkillSource for Compiled {
///     fn files(&self) -> io::Result<Vec<SkillFile>> {
///         let file = |(path, text): &(&str, &str)| SkillFile::new(*path, text.len() as u64, "1");
///         Ok(self.0.iter().map(file).collect())
///     }
///
///     fn read(&self, path: &str, _: u64) -> io::Result<Vec<u8>> {
///         let found = self.0.iter().find(|(known, _)| *known == path);
///         let (_, text) = found.ok_or(io::ErrorKind::NotFound)?;
///         Ok(text.as_bytes().to_vec())
///     }
/// }
///
/// let greet = "---\nname: greet\ndescription: How to greet people\n---\nSay hello.\n";
/// let skills = Compiled(Box::leak(Box::new([("greet/SKILL.md", greet)])));
/// let server = Server::builder("demo", "1.0.0").skills(Skills::new(skills)).build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
pub trait SkillSource: Send + Sync + 'static {
    /// Returns the files of all skills, in any order. The server calls this again
    /// [after each interval](crate::Skills::check_every), and announces what changed.
    ///
    /// # Errors
    ///
    /// The source is not available. The server logs this, and continues to serve the skills that it
    /// knows.
    fn files(&self) -> io::Result<Vec<SkillFile>>;

    /// Returns the content of a file. More than `limit` bytes are rejected, so no more than one
    /// byte above the limit needs to be read.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>>;
}

/// A file of a [`SkillSource`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillFile {
    pub(crate) path: String,
    pub(crate) state: Result<FileVersion, Unusable>,
}

/// What tells a version of a file from others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileVersion {
    pub(crate) size: u64,
    pub(crate) version: String,
}

/// Why a file is not served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unusable {
    pub(crate) reason: String,
    /// `true` if the system reported an error, so that another check may find the file.
    pub(crate) may_be_over_soon: bool,
}

impl SkillFile {
    /// Describes a file. The path has names that are separated by `/`, and begins with the
    /// directory of the skill: `billing/refunds/references/policy.md`. A file with the same size and
    /// version as before is not read again to find out what changed.
    pub fn new(path: impl Into<String>, size: u64, version: impl Into<String>) -> Self {
        let version = version.into();
        Self {
            path: path.into(),
            state: Ok(FileVersion { size, version }),
        }
    }

    /// Describes a file that is not served, such as a link. Skills with such a file are left out,
    /// and the reason is logged.
    pub fn unusable(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            state: Err(Unusable {
                reason: reason.into(),
                may_be_over_soon: false,
            }),
        }
    }

    /// Describes a file or folder that the system reports an error for. The source is read again soon.
    pub(crate) fn unreadable(path: String, error: &io::Error) -> Self {
        Self {
            path,
            state: Err(Unusable {
                reason: error.to_string(),
                may_be_over_soon: true,
            }),
        }
    }
}
