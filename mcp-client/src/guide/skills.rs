//! Skills of servers, by the extension `io.modelcontextprotocol/skills`.
//!
//! A skill is a folder with a file `SKILL.md`, which has instructions for an agent. A host shows the
//! names and descriptions to its model, loads a skill when the model needs it, and reads the other
//! files when the instructions refer to them. [`Client::skills`](crate::Client::skills) does this,
//! and verifies every file. A complete program, with a server in memory:
//!
//! ```
//! use std::io;
//!
//! use mcp_client::skills::{ConsentRequest, SkillsHost};
//! use mcp_client::{ByteStream, Client};
//! use mcp_server::{Server, SkillFile, SkillSource, Skills};
//!
//! # const GREET: &str = "---\nname: greet\ndescription: How to greet people\n---\nSee words.md.\n";
//! # struct Source;
//! # impl SkillSource for Source {
//! #     fn files(&self) -> io::Result<Vec<SkillFile>> {
//! #         let length = GREET.len() as u64;
//! #         Ok(vec![SkillFile::new("greet/SKILL.md", length, ""), SkillFile::new("greet/words.md", 5, "")])
//! #     }
//! #     fn read(&self, path: &str, _: u64) -> io::Result<Vec<u8>> {
//! #         Ok(if path.ends_with("words.md") { "Hello" } else { GREET }.into())
//! #     }
//! # }
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let server = Server::builder("docs", "1.0.0").skills(Skills::new(Source)).build()?;
//!     let transport = ByteStream::of(server.in_memory());
//!     let builder = Client::builder("host", "1.0.0").extension(SkillsHost::extension());
//!     let client = builder.connect(transport).await?;
//!
//!     let host = client.skills("docs-server").on_consent(|request: ConsentRequest| async move {
//!         println!("Load the skill {}?", request.id);
//!         true // the answer of the user
//!     });
//!     for skill in host.list()?.all().await?.items {
//!         println!("{}: {}", skill.name(), skill.description());
//!         let loaded = host.load(&skill).await?;
//!         println!("from {}:\n{}", loaded.id().server, loaded.text());
//!         let words = loaded.read("words.md").await?;
//!         assert_eq!(words, b"Hello");
//!         assert!(loaded.read("../other/SKILL.md").await.is_err());
//!     }
//!     Ok(())
//! }
//! ```
//!
//! # What is verified
//!
//! | when | what | otherwise |
//! | --- | --- | --- |
//! | before anything is read | the description of the skill: names, the place and number of its files, their digests and sizes | [`SkillError::Entry`](crate::skills::SkillError::Entry) |
//! | before a file is read | that the file is listed | [`Unlisted`](crate::skills::SkillError::Unlisted) |
//! | before its content is returned | its size and its digest | [`Size`](crate::skills::SkillError::Size), [`Digest`](crate::skills::SkillError::Digest) |
//! | before a skill is loaded | that the frontmatter in `SKILL.md` is the listed one | [`FrontmatterDiffers`](crate::skills::SkillError::FrontmatterDiffers) |
//!
//! After such an error, the skill may have changed:
//! [`SkillsHost::get`](crate::skills::SkillsHost::get) requests its current description, whose
//! [`load`](crate::skills::SkillsHost::load) asks for consent again.
//!
//! The server states the digests itself, so all of this only shows that it is consistent. The text of
//! a skill is text of the server: tell the model from which server it is, do not let it grant
//! permissions (`allowed-tools`), and do not run scripts of a skill without the consent of the user.
//!
//! # Consent
//!
//! [`SkillsHost::on_consent`](crate::skills::SkillsHost::on_consent) asks before a skill is loaded,
//! and again if its files have changed. Consent to a skill does not include skills in its folder:
//! they are files like any other, until they are loaded themselves with a consent of their own.
//!
//! # Generated skills
//!
//! The files of a skill may be `"dynamic"`: generated, and without digests. Such a skill is an error,
//! unless the host [permits](crate::skills::SkillsHost::allow_dynamic) them. Then its frontmatter is
//! still compared with the described one, any file in its folder can be read, up to 16 MiB in total,
//! and no consent is remembered.
//!
//! A file is one message: [`Limits::message_bytes`](crate::Limits) has to permit the largest file in
//! base64, which for the limit of 16 MiB is a third more.
