//! Opens the page of `schema diff --format html` in a browser.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::{schema, workspace};

/// Checks that the page of the two newest revisions is shown, and that its script runs. Returns the
/// runs that failed.
pub(super) fn run(chromium: &Path) -> Result<Vec<String>> {
    let revisions = workspace::revisions(&workspace::root().join("schema"))?;
    let [.., old, new] = revisions.as_slice() else {
        return Ok(Vec::new());
    };
    let page = schema::comparison(old, new, schema::Format::Html)?;
    let file = workspace::target()?.join("comparison.html");
    std::fs::write(&file, &page).with_context(|| file.display().to_string())?;
    // With a fragment, the browser scrolls to a definition.
    let output = Command::new(chromium)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .arg(format!("file://{}#breaking", file.display()))
        .output()
        .context("cannot run Chromium")?;
    let shown = String::from_utf8_lossy(&output.stdout);
    let checked = check(&page, &shown);
    println!(
        "comparison of {old} with {new}: {}",
        if checked.is_ok() { "ok" } else { "failed" }
    );
    Ok(checked
        .err()
        .map(|error| format!("{error:#}"))
        .into_iter()
        .collect())
}

fn check(page: &str, shown: &str) -> Result<()> {
    let articles = |text: &str| text.matches("<article").count();
    ensure!(articles(page) > 0, "the page shows no definition");
    ensure!(
        articles(page) == articles(shown),
        "the browser dropped definitions"
    );
    let filter = shown.split('<').find(|tag| tag.contains("id=\"filter\""));
    let filter = filter.context("the page has no filter")?;
    ensure!(
        !filter.contains("hidden"),
        "the script of the page did not run"
    );
    Ok(())
}
