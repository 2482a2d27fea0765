//! OpenAPI documents as tools.
