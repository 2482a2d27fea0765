//! `OpenAPI` documents as tools.
