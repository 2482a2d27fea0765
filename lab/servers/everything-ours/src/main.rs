//! The example `everything` of `mcp-server`. With the feature `jemalloc`, it gives memory back to
//! the system.

// The package of `mcp-server` does not depend on the allocator, because it takes long to compile.
#[path = "../../../../mcp-server/examples/everything/main.rs"]
mod everything;

use std::error::Error;

// The allocator of glibc rarely gives memory back to the system that many connections used at once.
// This one does so within seconds; `docs/security.md` compares them.
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> Result<(), Box<dyn Error>> {
    everything::main()
}
