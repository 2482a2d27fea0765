//! Skills for agents, by the extension `io.modelcontextprotocol/skills`.
//!
//! A skill is a folder with a file `SKILL.md`: instructions for an agent, which hosts load when they
//! need them, and files to which the instructions refer. Its name and description are in YAML at the
//! beginning of the file:
//!
//! ```text
//! skills/
//!   pdf-forms/
//!     SKILL.md
//!     references/FIELDS.md
//! ```
//!
//! ```text
//! ---
//! name: pdf-forms
//! description: Fills in the forms of PDF documents
//! ---
//! Fill in the fields by the rules in `references/FIELDS.md`.
//! ```
//!
//! [`ServerBuilder::skills`](crate::ServerBuilder::skills) offers all skills of a folder. This is a
//! complete server:
//!
//! ```no_run
//! use mcp_server::Server;
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let server = Server::builder("docs", "1.0.0").skills("skills/").build()?;
//!     server.serve_stdio().await?;
//!     Ok(())
//! }
//! ```
//!
//! Clients list the skills with `skills/list`, in pages, and read the files as resources:
//! `skill://pdf-forms/references/FIELDS.md`. The list of resources has the `SKILL.md` of each skill,
//! so clients without the extension find them, too. `resources/directory/read` lists a folder.
//!
//! # Which skills are served
//!
//! A skill is left out, and the log says why at the level `WARN`, if
//!
//! * its `SKILL.md` has no frontmatter that follows the rules of the Agent Skills format: a `name` of
//!   at most 64 lower-case letters, digits and hyphens, which is also the name of its folder, and a
//!   `description` of at most 1,024 characters. The YAML has at most 64 KiB, and no aliases;
//! * it has more than 512 files, or more than 16 MiB;
//! * its folder contains a link, a pipe, or a name that is not UTF-8.
//!
//! The others are served. Names that begin with a dot are ignored. A skill may be in a folder with
//! other skills (`billing/refunds/SKILL.md`), or within another skill, whose files then include its
//! own.
//!
//! # Changes
//!
//! The server looks for changes every two seconds, or [as set](crate::Skills::check_every). It reads
//! only files that changed, to compute their digests, on threads for blocking work. Clients that
//! subscribed are notified: of the list of resources, if a skill was added, removed or changed, and
//! of each changed file. What could not be read is read again after two seconds.
//!
//! Each content that is served has the digest that the list has at that time: a file that changed
//! since the last check is noticed when it is read, and the list is then brought up to date first.
//!
//! # Other sources
//!
//! Skills that are not in a folder come from a [`SkillSource`](crate::SkillSource), which lists files
//! and reads them. The rules above apply to them, too.
