//! The step `links`: checks that the links in all Markdown files lead to existing files and headings,
//! and that `docs/features.md` leads to an explanation and to an example of each feature.

mod features;

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use anyhow::Result;

use crate::markdown::{Page, Part, guide_page, resolve};
use crate::workspace;

/// Returns the links that lead nowhere, and the features without an explanation or an example.
pub(super) fn broken() -> Result<Vec<String>> {
    let pages = Pages::read()?;
    let mut faults = pages.broken();
    faults.extend(features::faults(&pages));
    Ok(faults)
}

/// All Markdown files, by their paths in the repository.
struct Pages {
    root: PathBuf,
    pages: BTreeMap<PathBuf, Page>,
}

impl Pages {
    fn read() -> Result<Self> {
        let root = workspace::root();
        let mut pages = BTreeMap::new();
        for name in workspace::known_files(&["*.md"])? {
            let page = Page::parse(&workspace::read(&root.join(&name))?);
            pages.insert(name.into(), page);
        }
        Ok(Self { root, pages })
    }

    fn broken(&self) -> Vec<String> {
        let links = self
            .pages
            .iter()
            .flat_map(|(path, page)| page.links().map(move |target| (path, target)));
        links
            .filter_map(|(path, target)| self.resolve(path, target).err())
            .collect()
    }

    /// Returns the parts after a heading, up to the next one.
    fn section(&self, page: &Path, anchor: &str) -> impl Iterator<Item = &Part> {
        let page = self.pages.get(page);
        page.and_then(|page| page.section(anchor))
            .into_iter()
            .flatten()
    }

    /// Returns the file and the anchor that a link of a page leads to, or `None` if it leads out of
    /// the repository or to an item, which rustdoc checks.
    fn resolve<'a>(
        &self,
        page: &Path,
        target: &'a str,
    ) -> Result<Option<(PathBuf, Option<&'a str>)>, String> {
        if target.contains("://") || target.starts_with("mailto:") {
            return Ok(None);
        }
        let (file, anchor) = match target.split_once('#') {
            Some((file, anchor)) => (file, Some(anchor)),
            None => (target, None),
        };
        let path = match guide_page(file) {
            Some(other) => page.with_file_name(format!("{other}.md")),
            None if file.is_empty() => page.to_path_buf(),
            None => resolve(page, file),
        };
        let fault = |what: &str| Err(format!("{}: {target} {what}", page.display()));
        if !self.root.join(&path).exists() {
            return match is_item(file) {
                true if is_in_rustdoc(page) => Ok(None),
                true => fault("names an item, but the page is not part of rustdoc"),
                false => fault("does not exist"),
            };
        }
        if let Some(anchor) = anchor
            && let Some(other) = self.pages.get(&path)
            && other.section(anchor).is_none()
        {
            return fault("names a heading that does not exist");
        }
        Ok(Some((path, anchor)))
    }
}

/// Returns `true` for paths of Rust items such as `crate::Server`, `tracing` and `fn@serve`.
fn is_item(target: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "_:@!()<>".contains(c);
    !target.is_empty() && guide_page(target).is_none() && target.chars().all(is_part)
}

/// Returns `true` if rustdoc includes the page.
fn is_in_rustdoc(page: &Path) -> bool {
    let parts: Vec<_> = page.components().map(Component::as_os_str).collect();
    parts.iter().skip(1).any(|folder| *folder == "docs")
        || parts.iter().any(|part| *part == "src")
        || page == Path::new("apps/gateway/README.md")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(pages: &[(&str, &str)]) -> Pages {
        let pages = pages.iter();
        Pages {
            root: workspace::root(),
            pages: pages
                .map(|(path, text)| (path.into(), Page::parse(text)))
                .collect(),
        }
    }

    #[test]
    fn links_that_lead_nowhere_are_faults() {
        let readme = "# A\n[a](docs/b.md) [b](#a) [c](#b) [d](https://example.com/x) [e](LICENSE-MIT)\n\
                      `[f](g.md)` [h](docs/commands.md#commands) [i](docs/commands.md#j) [k](crate::L)";
        let commands = "# Commands\n";
        let pages = pages(&[("README.md", readme), ("docs/commands.md", commands)]);
        let expected = [
            "README.md: docs/b.md does not exist",
            "README.md: #b names a heading that does not exist",
            "README.md: docs/commands.md#j names a heading that does not exist",
            "README.md: crate::L names an item, but the page is not part of rustdoc",
        ];
        assert_eq!(pages.broken(), expected);
    }

    #[test]
    fn links_of_rustdoc_are_accepted_in_guides() {
        let offers = "[a](crate::Server) [b](super::state#groups) [c](super::state#none) \
                      [d](super::none) [e](tracing) [f](std::error::Error::source)";
        let state = "# State\n## Groups\n";
        let pages = pages(&[
            ("mcp-server/docs/offers.md", offers),
            ("mcp-server/docs/state.md", state),
        ]);
        let expected = [
            "mcp-server/docs/offers.md: super::state#none names a heading that does not exist",
            "mcp-server/docs/offers.md: super::none does not exist",
        ];
        assert_eq!(pages.broken(), expected);
    }
}
