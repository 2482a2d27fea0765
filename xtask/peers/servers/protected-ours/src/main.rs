//! The example `protected` of `mcp-server`.

#[path = "../../../../../mcp-server/examples/protected.rs"]
mod protected;

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    protected::main()
}
