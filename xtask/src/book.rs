//! `cargo xtask book`: makes the book of the pages that `docs/SUMMARY.md` names.
//!
//! Pages stand beside the code that they describe, and some of them are the documentation of Rust
//! modules as well. The command copies them to a folder in which their relative links are the same,
//! rewrites the links that only rustdoc or the repository understands, and calls mdBook.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use clap::Args;

use crate::markdown::{Kind, Page, Part, guide_page, replace, resolve, rewrite_links};
use crate::workspace::Member;
use crate::{process, workspace};

/// The page that names all others.
const SUMMARY: &str = "docs/SUMMARY.md";

/// The version of mdBook that is installed if there is no program `mdbook`.
const MDBOOK: &str = "^0.5";

/// Makes the book of docs/SUMMARY.md
#[derive(Args)]
pub(crate) struct Options {
    /// Shows the book in a browser
    #[arg(long)]
    open: bool,
}

pub(crate) fn run(options: &Options) -> Result<bool> {
    let folder = workspace::target()?.join("book");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    Book::read()?.write(&folder)?;
    let mdbook = mdbook()?;
    process::run(Command::new(mdbook).arg("build").arg(&folder))?;
    document(&folder.join("html/api"))?;
    let first = folder.join("html/index.html");
    println!("{}", first.display());
    if options.open {
        let opener = if cfg!(target_os = "macos") {
            "open"
        } else {
            "xdg-open"
        };
        process::run(Command::new(opener).arg(&first))?;
    }
    Ok(true)
}

/// Returns mdBook, which is installed in the target folder if the system has none.
fn mdbook() -> Result<PathBuf> {
    if process::succeeds_quietly(Command::new("mdbook").arg("--version")) {
        return Ok("mdbook".into());
    }
    let tools = workspace::target()?.join("tools");
    let program = tools.join("bin/mdbook");
    if !program.is_file() {
        let mut install = workspace::cargo();
        install.args(["install", "mdbook", "--locked", "--version", MDBOOK]);
        process::run(install.arg("--root").arg(&tools))?;
    }
    Ok(program)
}

/// Writes the documentation of the libraries to a folder of the book.
fn document(folder: &Path) -> Result<()> {
    let mut doc = workspace::cargo();
    doc.args(["doc", "--no-deps", "--all-features", "--quiet"]);
    doc.current_dir(workspace::root());
    for library in workspace::members()?
        .iter()
        .filter(|member| member.is_library)
    {
        doc.args(["--package", &library.name]);
    }
    process::run(&mut doc)?;
    workspace::copy(&workspace::target()?.join("doc"), folder)
}

/// The book, with the paths of its pages in the repository.
struct Book {
    root: PathBuf,
    summary: String,
    pages: BTreeSet<PathBuf>,
    members: Vec<Member>,
    /// The address of the repository, if the packages state it.
    repository: Option<String>,
}

impl Book {
    fn read() -> Result<Self> {
        let root = workspace::root();
        let text = workspace::read(&root.join(SUMMARY))?;
        let mut pages = BTreeSet::new();
        let summary = rewrite_links(&text, |target| {
            let page = resolve(Path::new(SUMMARY), target);
            let rewritten = page.display().to_string();
            pages.insert(page);
            Some(rewritten)
        });
        let metadata = workspace::metadata(&["--no-deps"])?;
        let repository = workspace::packages(&metadata)
            .find_map(|package| package["repository"].as_str())
            .map(str::to_owned);
        Ok(Self {
            root,
            summary,
            pages,
            members: workspace::members()?,
            repository,
        })
    }

    fn write(&self, folder: &Path) -> Result<()> {
        let source = folder.join("src");
        fs::create_dir_all(&source)?;
        fs::copy(self.root.join("docs/book.toml"), folder.join("book.toml"))?;
        fs::write(source.join("SUMMARY.md"), &self.summary)?;
        for page in &self.pages {
            let text = workspace::read(&self.root.join(page))
                .with_context(|| format!("{SUMMARY} names {}", page.display()))?;
            let mut pictures = Vec::new();
            let text = insert_program(&text, |program| {
                workspace::read(&self.root.join(resolve(page, program)))
            })?;
            let text = rewrite_links(&text, |target| self.rewrite(page, target, &mut pictures));
            workspace::write(&source.join(page), text.as_bytes())?;
            for picture in pictures {
                workspace::write(&source.join(&picture), &fs::read(self.root.join(&picture))?)?;
            }
        }
        Ok(())
    }

    /// Returns where a link of a page leads in the book. For a file outside of the book, this is its
    /// address in the repository, or `None` if the packages state no repository.
    fn rewrite(&self, page: &Path, target: &str, pictures: &mut Vec<PathBuf>) -> Option<String> {
        if target.contains("://") || target.starts_with('#') || target.starts_with("mailto:") {
            return Some(target.to_owned());
        }
        let (file, fragment) = match target.split_once('#') {
            Some((file, fragment)) => (file, format!("#{fragment}")),
            None => (target, String::new()),
        };
        if let Some(guide) = guide_page(file) {
            return Some(format!("{guide}.md{fragment}"));
        }
        if file.contains("::") || file.contains('@') {
            return Some(self.item(page, file));
        }
        let path = resolve(page, file);
        if self.pages.contains(&path) {
            return Some(target.to_owned());
        }
        let extension = path.extension().unwrap_or_default();
        if extension == "svg" || extension == "png" {
            pictures.push(path);
            return Some(target.to_owned());
        }
        let repository = self.repository.as_ref()?;
        Some(format!(
            "{repository}/blob/main/{}{fragment}",
            path.display()
        ))
    }

    /// Returns the address of an item that rustdoc finds by its path.
    fn item(&self, page: &Path, path: &str) -> String {
        let up = "../".repeat(page.components().count() - 1);
        let own = self
            .members
            .iter()
            .filter(|member| page.starts_with(&member.folder));
        let own = own.max_by_key(|member| member.folder.len());
        let library = own.map_or_else(|| "mcp_types".to_owned(), |own| own.name.replace('-', "_"));
        let path = path.split_once('@').map_or(path, |(_, path)| path);
        let (library, path) = match path.split_once("::") {
            Some(("crate" | "super", path)) => (&*library, path),
            Some((other, path)) if other.starts_with("mcp_") => (other, path),
            _ => (&*library, path),
        };
        format!("{up}api/{library}/index.html?search={path}")
    }
}

/// Replaces `<!-- program: FILE -->` by the program, which rustdoc includes itself.
fn insert_program(text: &str, read: impl Fn(&str) -> Result<String>) -> Result<String> {
    let mut edits = Vec::new();
    for Part { kind, range } in Page::parse(text).parts {
        if let Kind::Comment(comment) = kind
            && let Some(file) = comment.strip_prefix("program: ")
        {
            edits.push((range, format!("```rust\n{}```\n", read(file)?)));
        }
    }
    Ok(replace(text, edits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn book() -> Book {
        Book {
            root: PathBuf::new(),
            summary: String::new(),
            pages: ["docs/start.md", "mcp-server/docs/state.md"]
                .map(PathBuf::from)
                .into(),
            members: vec![Member {
                name: "mcp-server".to_owned(),
                folder: "mcp-server".to_owned(),
                is_published: true,
                is_library: true,
            }],
            repository: None,
        }
    }

    #[test]
    fn links_of_rustdoc_and_of_the_repository_lead_into_the_book() {
        let page = Path::new("mcp-server/docs/offers.md");
        let text = "[a](super::state#groups) [b](crate::Server::until) [c](../../docs/start.md) \
                    [`d`](../src/lib.rs)\n```text\n[e](f.md)\n```\n";
        let book = book();
        let written = rewrite_links(text, |target| book.rewrite(page, target, &mut Vec::new()));
        let api = "../../api/mcp_server/index.html?search=Server::until";
        assert_eq!(
            written,
            format!(
                "[a](state.md#groups) [b]({api}) [c](../../docs/start.md) `d`\n\
                 ```text\n[e](f.md)\n```\n"
            )
        );
    }

    #[test]
    fn a_program_replaces_its_marker() -> Result<()> {
        let text = "Before\n<!-- program: ../a.rs -->\nAfter\n";
        let written = insert_program(text, |file| Ok(format!("// {file}\n")))?;
        assert_eq!(written, "Before\n```rust\n// ../a.rs\n```\nAfter\n");
        Ok(())
    }
}
