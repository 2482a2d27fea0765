//! The step `links`: checks that relative links in documents lead to existing files.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::workspace;

const DOCUMENTS: [&str; 18] = [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs/architecture.md",
    "docs/attacks.md",
    "docs/benchmarks.md",
    "docs/commands.md",
    "docs/guarantees.md",
    "docs/report.md",
    "docs/resources.md",
    "docs/security.md",
    "docs/unsaid.md",
    "mcp-client/README.md",
    "mcp-client/cli/README.md",
    "mcp-server/gateway/README.md",
    "mcp-server/README.md",
    "mcp-types/README.md",
    "schema/README.md",
];

/// Returns the links to files that do not exist.
pub(super) fn broken() -> Result<Vec<String>> {
    let root = workspace::root();
    let mut faults = Vec::new();
    for document in DOCUMENTS {
        let file = root.join(document);
        let text = fs::read_to_string(&file).context(document)?;
        let folder = file.parent().unwrap_or(&root);
        for target in targets(&text) {
            if !Path::new(folder).join(target).exists() {
                faults.push(format!("{document}: {target} does not exist"));
            }
        }
    }
    Ok(faults)
}

/// Returns the relative targets of `[text](target)`, without fragments.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| {
        let (target, _) = rest.split_once(')')?;
        let file = target.split('#').next().unwrap_or(target);
        (!file.is_empty() && !file.contains("://")).then_some(file)
    })
}

#[cfg(test)]
mod tests {
    use super::targets;

    #[test]
    fn external_links_and_fragments_are_ignored() {
        let text = "[a](b.md), [c](https://example.com/d), [e](#f) and [g](h/i.md#j) [k](l";
        assert_eq!(targets(text).collect::<Vec<_>>(), ["b.md", "h/i.md"]);
    }
}
