//! The types of the Model Context Protocol.
