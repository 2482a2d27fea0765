//! Serves the objects of a bucket in an S3-compatible store over standard input and output: `cargo
//! run -p mcp-server --all-features --example object-store -- https://bucket.s3.amazonaws.com`
//!
//! Clients of the proposal `https-url` get presigned URLs: the store itself serves ranges and
//! conditional requests, and this program is not involved. `--help` describes the options.

pub(crate) mod bucket;
pub(crate) mod signature;

use std::error::Error;

use clap::Parser;
use mcp_server::types::{Resource, ResourceType};
use mcp_server::{
    HandlerError, ListAt, PresignedUrl, Proposal, ResourcePage, ResourceStream, ResourceUri,
    Server, ServerBuilder, State, TemplateDef, Variables,
};
use percent_encoding::utf8_percent_encode;
use serde::Deserialize;

use bucket::{Bucket, Object};
use signature::{Credentials, PATH};

#[derive(Deserialize)]
struct At {
    key: String,
}

fn objects() -> TemplateDef {
    let objects = TemplateDef::new("object:///{+key}", "object");
    objects
        .handler(read)
        .describe(describe)
        .list(list)
        .presign(presign)
}

fn uri(key: &str) -> String {
    format!("object:///{}", utf8_percent_encode(key, PATH))
}

/// The version is the entity tag and not the version id of the object, which lists do not have. The
/// media type is derived from the key, because lists do not have the one of the object either.
fn resource(object: Object) -> Resource {
    let mut resource = Resource::new(uri(&object.key), &*object.key)
        .resource_type(ResourceType::Document)
        .version(object.etag)
        .size(object.size);
    let media_type = mime_guess::from_path(&object.key).first_raw();
    resource.mime_type = media_type.map(Into::into);
    resource
}

/// Returns the key, unless the URI is not the one that lists have, such as one with `..%2F`.
fn checked(At { key }: At, requested: String) -> Result<String, HandlerError> {
    if uri(&key) == requested && !key.is_empty() {
        Ok(key)
    } else {
        Err(HandlerError::resource_not_found(requested))
    }
}

async fn describe(
    object: Resource,
    Variables(at): Variables<At>,
    State(bucket): State<Bucket>,
) -> Result<Resource, HandlerError> {
    let found = bucket.head(checked(at, object.uri.clone())?).await?;
    let found = found.ok_or_else(|| HandlerError::resource_not_found(object.uri))?;
    Ok(resource(found))
}

async fn read(
    at: At,
    ResourceUri(uri): ResourceUri,
    State(bucket): State<Bucket>,
) -> Result<ResourceStream, HandlerError> {
    let bytes = bucket.get(&checked(at, uri.clone())?).await?;
    let bytes = bytes.ok_or_else(|| HandlerError::resource_not_found(uri))?;
    Ok(ResourceStream::new(bytes))
}

/// The list of the store has everything that `describe` returns, and only the URLs are added.
async fn list(at: ListAt, State(bucket): State<Bucket>) -> Result<ResourcePage, HandlerError> {
    let after = at.after.clone().unwrap_or_default();
    let found = bucket.list(&after, at.limit()).await?;
    let page = at.page(found.into_iter().map(resource), |last| last.name.clone());
    Ok(page.complete())
}

async fn presign(
    object: Resource,
    Variables(At { key }): Variables<At>,
    State(bucket): State<Bucket>,
) -> Result<Option<PresignedUrl>, HandlerError> {
    bucket.presign(&key, object.mime_type.as_deref()).map(Some)
}

/// Adds the objects of a bucket to a server.
pub(crate) fn add_objects(builder: ServerBuilder, bucket: Bucket) -> ServerBuilder {
    builder
        .proposals(Proposal::ALL.iter().copied())
        .state(bucket)
        .add_resource_template(objects())
}

/// Serves the objects of a bucket to clients of the Model Context Protocol.
///
/// The environment variables `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY` have the credentials.
#[derive(Parser)]
#[command(name = "object-store", version)]
struct Options {
    /// The URL of the bucket, with its name in the host or in the path.
    bucket: String,

    /// The URL of the bucket for clients, if it is another one. It has to be `https`.
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,

    #[arg(long, default_value = "us-east-1")]
    region: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let credentials = Credentials {
        access_key: std::env::var("AWS_ACCESS_KEY_ID")?,
        secret_key: std::env::var("AWS_SECRET_ACCESS_KEY")?,
        region: options.region,
    };
    let public = options.public_url.as_ref().unwrap_or(&options.bucket);
    let bucket = Bucket::new(&options.bucket, public, credentials)?;
    let builder = Server::builder("object-store", env!("CARGO_PKG_VERSION")).page_size(100);
    let server = add_objects(builder, bucket).build()?;
    Ok(server.serve_stdio().await?)
}
