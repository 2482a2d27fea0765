//! Prints the model of a revision as JSON, for generators of other languages:
//!
//! ```text
//! cargo run -p codegen --example model -- 2026-07-28 > model.json
//! ```
//!
//! `docs/reference/model.md` describes the form.

mod files;

use std::error::Error;
use std::io::Write as _;

fn main() -> Result<(), Box<dyn Error>> {
    let revision = std::env::args().nth(1);
    let revision = revision.ok_or("expected the name of a revision, such as 2026-07-28")?;
    let model = files::project()?.export(&revision)?;
    let text = serde_json::to_string_pretty(&model)?;
    writeln!(std::io::stdout(), "{text}")?;
    Ok(())
}
