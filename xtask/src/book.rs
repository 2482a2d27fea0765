//! `cargo xtask book`: makes the book of the pages that `docs/SUMMARY.md` names.
//!
//! Pages stand beside the code that they describe, and some of them are the documentation of Rust
//! modules as well. The command copies them to a folder in which their relative links are the same,
//! rewrites the links that only rustdoc or the repository understands, and calls mdBook.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail, ensure};

use crate::workspace;

/// The version of mdBook that is installed if there is no program `mdbook`.
const MDBOOK: &str = "^0.5";

/// The libraries whose documentation is a part of the book.
const LIBRARIES: [&str; 4] = ["mcp-types", "mcp-server", "mcp-client", "mcp-gateway"];

pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    let open = match arguments {
        [] => false,
        [option] if option == "--open" => true,
        _ => bail!("usage: cargo xtask book [--open]"),
    };
    let folder = workspace::target()?.join("book");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    Book::read()?.write(&folder)?;
    let mdbook = mdbook()?;
    let mut build = Command::new(mdbook);
    build.arg("build").arg(&folder);
    ensure!(build.status()?.success(), "mdBook failed");
    document(&folder.join("html/api"))?;
    let first = folder.join("html/index.html");
    println!("{}", first.display());
    if open {
        let opener = if cfg!(target_os = "macos") {
            "open"
        } else {
            "xdg-open"
        };
        Command::new(opener).arg(&first).status().context(opener)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns mdBook, which is installed in the target folder if the system has none.
fn mdbook() -> Result<PathBuf> {
    if Command::new("mdbook").arg("--version").output().is_ok() {
        return Ok("mdbook".into());
    }
    let tools = workspace::target()?.join("tools");
    let program = tools.join("bin/mdbook");
    if !program.is_file() {
        let mut install = Command::new(workspace::cargo());
        install.args([
            "install",
            "mdbook",
            "--locked",
            "--version",
            MDBOOK,
            "--root",
        ]);
        let status = install.arg(&tools).status()?;
        ensure!(status.success(), "mdBook could not be installed");
    }
    Ok(program)
}

/// Writes the documentation of the libraries to a folder of the book.
fn document(folder: &Path) -> Result<()> {
    let mut doc = Command::new(workspace::cargo());
    doc.args(["doc", "--no-deps", "--all-features", "--quiet"]);
    doc.current_dir(workspace::root());
    for library in LIBRARIES {
        doc.args(["--package", library]);
    }
    ensure!(
        doc.status()?.success(),
        "the documentation does not compile"
    );
    copy_folder(&workspace::target()?.join("doc"), folder)
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| workspace::display_path(from))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

/// The book, with the paths of its pages in the repository.
struct Book {
    root: PathBuf,
    summary: String,
    pages: BTreeSet<PathBuf>,
    /// The address of the repository, if the packages state it.
    repository: Option<String>,
}

impl Book {
    fn read() -> Result<Self> {
        let root = workspace::root();
        let text = workspace::read(&root.join("docs/SUMMARY.md"))?;
        let mut pages = BTreeSet::new();
        let summary = rewrite_links(&text, |target| {
            let page = resolve(Path::new("docs"), target);
            let rewritten = page.display().to_string();
            pages.insert(page);
            Some(rewritten)
        });
        let metadata = workspace::metadata(&["--no-deps"])?;
        let packages = metadata["packages"].as_array().into_iter().flatten();
        let mut addresses = packages.filter_map(|package| package["repository"].as_str());
        let repository = addresses.next().map(str::to_owned);
        Ok(Self {
            root,
            summary,
            pages,
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
                .with_context(|| format!("docs/SUMMARY.md names {}", page.display()))?;
            let mut pictures = Vec::new();
            let text = insert_program(&text, |program| {
                let program = resolve(parent(page), program);
                workspace::read(&self.root.join(program))
            })?;
            let text = rewrite_links(&text, |target| self.rewrite(page, target, &mut pictures));
            write(&source.join(page), text.as_bytes())?;
            for picture in pictures {
                write(&source.join(&picture), &fs::read(self.root.join(&picture))?)?;
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
            return Some(Self::item(page, file));
        }
        let path = resolve(parent(page), file);
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
    fn item(page: &Path, path: &str) -> String {
        let up = "../".repeat(page.components().count() - 1);
        let library = match page.components().nth(1) {
            Some(Component::Normal(name)) if page.starts_with("mcp-server") => {
                if name == "gateway" {
                    "mcp_gateway"
                } else {
                    "mcp_server"
                }
            }
            _ if page.starts_with("mcp-client") => "mcp_client",
            _ => "mcp_types",
        };
        let path = path.split_once('@').map_or(path, |(_, path)| path);
        let (library, path) = match path.split_once("::") {
            Some(("crate" | "super", path)) => (library, path),
            Some((other, path)) if other.starts_with("mcp_") => (other, path),
            _ => (library, path),
        };
        format!("{up}api/{library}/index.html?search={path}")
    }
}

/// Returns the page of a guide that a link of rustdoc names.
fn guide_page(target: &str) -> Option<&str> {
    let page = target
        .strip_prefix("super::")
        .or_else(|| target.strip_prefix("crate::guide::"))?;
    (!page.contains("::")).then_some(page)
}

fn parent(page: &Path) -> &Path {
    page.parent().unwrap_or(Path::new(""))
}

/// Returns the path in the repository of a relative link in a folder.
fn resolve(folder: &Path, target: &str) -> PathBuf {
    let mut path = folder.to_path_buf();
    for part in Path::new(target).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            Component::Normal(part) => path.push(part),
            _ => {}
        }
    }
    path
}

fn write(file: &Path, content: &[u8]) -> Result<()> {
    fs::create_dir_all(parent(file))?;
    fs::write(file, content).with_context(|| workspace::display_path(file))
}

/// Replaces `<!-- program: FILE -->` by the program, which rustdoc includes itself.
fn insert_program(text: &str, read: impl Fn(&str) -> Result<String>) -> Result<String> {
    let mut written = String::new();
    for line in text.split_inclusive('\n') {
        let marker = line.trim().strip_prefix("<!-- program: ");
        match marker.and_then(|rest| rest.strip_suffix(" -->")) {
            Some(file) => written.push_str(&format!("```rust\n{}```\n", read(file)?)),
            None => written.push_str(line),
        }
    }
    Ok(written)
}

/// Replaces the targets of `[text](target)` outside of code blocks. Without a target, the text
/// remains.
fn rewrite_links(text: &str, mut rewrite: impl FnMut(&str) -> Option<String>) -> String {
    let mut written = String::new();
    for (index, block) in blocks(text).into_iter().enumerate() {
        if index % 2 == 1 {
            written.push_str(block);
            continue;
        }
        let mut rest = block;
        while let Some(at) = rest.find("](") {
            let (before, after) = (&rest[..at], &rest[at + 2..]);
            let Some(end) = after.find(')') else { break };
            match (rewrite(&after[..end]), before.rfind('[')) {
                (Some(target), _) => written.push_str(&format!("{before}]({target})")),
                (None, Some(open)) => {
                    written.push_str(&before[..open]);
                    written.push_str(&before[open + 1..]);
                }
                (None, None) => written.push_str(before),
            }
            rest = &after[end + 1..];
        }
        written.push_str(rest);
    }
    written
}

/// Divides a page into prose and code blocks, which alternate: the first part is prose.
fn blocks(text: &str) -> Vec<&str> {
    let mut blocks = Vec::new();
    let mut begin = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let fence = line.trim_start().starts_with("```");
        let in_code = blocks.len() % 2 == 1;
        if fence && !in_code {
            blocks.push(&text[begin..at]);
            begin = at;
        }
        at += line.len();
        if fence && in_code {
            blocks.push(&text[begin..at]);
            begin = at;
        }
    }
    blocks.push(&text[begin..]);
    blocks
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
