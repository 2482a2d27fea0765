//! Checks that the files that cannot be generated name each proposal and extension.

use anyhow::Result;

use crate::workspace;

/// The files, and what to do in them. All proposals have one feature, so the last one names only
/// extensions.
const FILES: [(&str, &str); 4] = [
    ("mcp-types/src/lib.rs", "document it with its feature"),
    ("mcp-types/README.md", "document it with its feature"),
    ("mcp-types/tests/common/mod.rs", "add it to `enabled`"),
    ("lab/types/Cargo.toml", "enable its feature"),
];

/// Returns what is missing, with the step of `CONTRIBUTING.md` that was forgotten.
pub(super) fn unnamed() -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for (folder, files) in [
        ("schema/proposals", &FILES[..3]),
        ("schema/extensions", &FILES),
    ] {
        for name in workspace::names(&workspace::root().join(folder), Some(".json"))? {
            faults.extend(missing(&name, files)?);
        }
    }
    Ok(faults)
}

fn missing(name: &str, files: &[(&str, &str)]) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for (file, action) in files {
        let text = workspace::read(&workspace::root().join(file))?;
        // With delimiters, so that a name within another one does not count.
        let named = [format!("`{name}`"), format!("\"{name}\"")];
        if !named.iter().any(|named| text.contains(named)) {
            faults.push(format!(
                "{file} does not name `{name}`: {action} (CONTRIBUTING.md, \"A new proposal or extension\", step 4)"
            ));
        }
    }
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgotten_proposal_is_reported_for_each_file() {
        assert_eq!(unnamed().expect("readable"), Vec::<String>::new());
        let faults = missing("no-such-proposal", &FILES).expect("readable");
        assert_eq!(faults.len(), FILES.len());
        assert!(
            faults.iter().all(|fault| fault.contains("step 4")),
            "{faults:?}"
        );
    }
}
