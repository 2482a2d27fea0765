//! The example `protected` of `mcp-server-oauth`.

#[path = "../../../../mcp-server/oauth/examples/protected.rs"]
mod protected;

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    protected::main()
}
