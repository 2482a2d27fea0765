//! Checks that `CHANGELOG.md` describes the version.

use super::Findings;

const UNRELEASED: &str = "Unreleased";

pub(super) fn check(text: &str, version: &str, findings: &mut Findings) {
    if has_entries(text, version) {
        return;
    }
    if has_entries(text, UNRELEASED) {
        let what = format!("CHANGELOG.md has the changes of {version} as `{UNRELEASED}`");
        findings.warnings.push(what);
    } else {
        let what = format!(
            "CHANGELOG.md: no entry below `## [{version}]`, the version in Cargo.toml, \
            or below `## [{UNRELEASED}]`"
        );
        findings.faults.push(what);
    }
}

/// Returns `true` if the section `## [NAME]`, with or without a date, has a list.
fn has_entries(text: &str, name: &str) -> bool {
    let heading = format!("## [{name}]");
    let after = text.lines().skip_while(|line| !line.starts_with(&heading));
    let mut section = after.skip(1).take_while(|line| !line.starts_with("## "));
    section.any(|line| line.starts_with("- "))
}

#[cfg(test)]
mod tests {
    use super::{Findings, check};

    fn found(text: &str) -> (usize, usize) {
        let mut findings = Findings::default();
        check(text, "0.2.0", &mut findings);
        (findings.faults.len(), findings.warnings.len())
    }

    #[test]
    fn a_version_needs_an_entry() {
        let older = "## [0.1.0] - 2026-12-01\n\n- older\n";
        let released = format!("## [Unreleased]\n\n## [0.2.0] - 2027-01-01\n\n- new\n\n{older}");
        assert_eq!(found(&released), (0, 0));
        assert_eq!(
            found(&format!("## [Unreleased]\n\n- new\n\n{older}")),
            (0, 1)
        );
        assert_eq!(found(&format!("## [Unreleased]\n\n{older}")), (1, 0));
        assert_eq!(found(&format!("## [0.2.0]\n\n{older}")), (1, 0));
    }
}
