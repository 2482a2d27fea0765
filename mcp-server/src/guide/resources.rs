//! Resources: how they are described and listed, and what a server that opts into proposals says.
