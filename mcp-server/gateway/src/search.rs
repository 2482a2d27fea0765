//! Search in place of long lists of tools.
