//! Converts a value from one revision to another: `convert FROM TO TYPE`. Standard input has the
//! JSON. What the conversion changes is reported on standard error.

use std::error::Error;
use std::io::{self, Read};

use mcp_types::json::Limits;
use mcp_types::registry::Conversion;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [from, to, name] = words.as_slice() else {
        return Err("usage: convert FROM TO TYPE".into());
    };
    let limits = Limits::default();
    let mut bytes = Vec::new();
    // One more byte than is allowed, so that a longer text is an error.
    let most = limits.bytes as u64 + 1;
    io::stdin().take(most).read_to_end(&mut bytes)?;
    let text = limits.check(&bytes)?;

    let conversion = Conversion::new(from.parse()?, to.parse()?).state_target();
    let converted = conversion.convert(name, text)?;
    println!("{}", converted.text);
    for difference in &converted.differences {
        eprintln!("{difference}");
    }
    Ok(())
}
