//! The resources of the server: the root, a template for everything below it, and completion of
//! paths.

use std::sync::Arc;

use mcp_server::types::json::{Object, Value};
use mcp_server::types::rpc::ErrorObject;
use mcp_server::types::{
    AnyResourceContents, Base64Text, BlobResourceContents, Completion, Resource,
    TextResourceContents,
};
use mcp_server::{
    Completing, Context, HandlerError, ListAt, ReadByUrl, ResourceBody, ResourceDef, ResourcePage,
    ResourceStream, ResourceUri, ServerBuilder, State, TemplateDef,
};
use tokio::fs::File;

use super::facts::Facts;
use super::place::{self, Place};
use super::tree::{Tree, TreeError};
use super::walk::{self, PageRequest};
use super::{describe, media, members};

/// The template for everything below the root.
const TEMPLATE: &str = "file:///{+path}";
/// The maximum number of values of a completion.
const COMPLETED: usize = 100;

/// The state of the handlers: a tree, and the limits for reading.
#[derive(Clone)]
pub(crate) struct Offer {
    pub(crate) tree: Arc<Tree>,
    /// The maximum size of a file that is read over the protocol, in bytes.
    pub(crate) max_read: u64,
    /// `true` if files have URLs, at which larger files are read, too.
    pub(crate) has_urls: bool,
    /// `true` if the server describes each file of a list.
    pub(crate) describe_each: bool,
}

impl Offer {
    /// Adds the resources to a server.
    pub(crate) fn add_to(self, builder: ServerBuilder) -> ServerBuilder {
        let root = ResourceDef::new(place::ROOT, "/")
            .title("All files")
            .description("The folder that is served. Its members are listed, and all below it.")
            .mime_type(media::FOLDER)
            .icon(media::icon(Some(media::FOLDER)))
            .kind("directory")
            .collection();
        let root = root.handler(read).describe(describe_root).list(list);
        let files = TemplateDef::new(TEMPLATE, "file")
            .title("File or folder")
            .description("A path below the folder that is served; that of a folder ends with `/`.")
            .handler(read)
            .describe(describe)
            .list(list);
        builder
            .state(self)
            .add_resource(root)
            .add_resource_template(files)
            .complete_resource(TEMPLATE, "path", complete)
    }

    /// Runs an operation of the file system on a thread that may block.
    async fn run<T: Send + 'static>(
        &self,
        uri: &str,
        work: impl FnOnce(&Tree) -> Result<T, TreeError> + Send + 'static,
    ) -> Result<T, HandlerError> {
        let tree = Arc::clone(&self.tree);
        let done = tokio::task::spawn_blocking(move || work(&tree)).await?;
        done.map_err(|error| to_handler_error(error, uri, self.has_urls))
    }
}

async fn describe(
    definition: Resource,
    State(offer): State<Offer>,
) -> Result<Resource, HandlerError> {
    let uri = definition.uri;
    let asked = uri.clone();
    offer
        .run(&uri, move |tree| {
            let (place, facts) = resolve(tree, &asked)?;
            describe::resource(tree, &place, &facts)
        })
        .await
}

async fn describe_root(
    definition: Resource,
    State(offer): State<Offer>,
) -> Result<Resource, HandlerError> {
    let (title, description) = (definition.title.clone(), definition.description.clone());
    let mut resource = describe(definition, State(offer)).await?;
    (resource.title, resource.description) = (title, description);
    Ok(resource)
}

async fn read(
    ResourceUri(uri): ResourceUri,
    State(offer): State<Offer>,
    cx: Context,
) -> Result<ResourceBody, HandlerError> {
    let asked = uri.clone();
    let by_url = cx.extension::<ReadByUrl>().is_some();
    let most = offer.max_read;
    offer
        .run(&uri, move |tree| {
            let (place, facts) = resolve(tree, &asked)?;
            if facts.is_folder {
                let texts = members::read(tree, &place)?.into_iter();
                let texts = texts.map(|(place, _, text)| {
                    contents(place.to_uri(false), &place, text.into_bytes())
                });
                return Ok(ResourceBody::Contents(texts.collect()));
            }
            if by_url && facts.size > most {
                let file = tree.open_file(&place)?.into_std();
                return Ok(ResourceStream::seekable(File::from_std(file)).into());
            }
            let (bytes, _) = tree.read(&place, most)?;
            Ok(vec![contents(asked, &place, bytes)].into())
        })
        .await
}

async fn list(at: ListAt, State(offer): State<Offer>) -> Result<ResourcePage, HandlerError> {
    let (uri, is_deep) = match at.collection {
        Some(uri) => (uri, false),
        None => (place::ROOT.to_owned(), true),
    };
    let after =
        match at.after {
            Some(text) => Some(Place::from_text(&text).ok_or_else(|| {
                HandlerError::invalid_params("$.cursor: not a cursor of this list")
            })?),
            None => None,
        };
    let asked = uri.clone();
    let listed = offer.run(&uri, move |tree| {
        let (folder, facts) = resolve(tree, &asked)?;
        if !facts.is_folder {
            return Err(TreeError::NotFound);
        }
        let wanted = PageRequest {
            folder,
            is_deep,
            after,
            size: at.size,
        };
        let page = walk::page(tree, &wanted)?;
        let next = page.found.last().filter(|_| page.more);
        let next = next.map(|(place, _)| place.to_text());
        let mut resources = Vec::with_capacity(page.found.len());
        for (place, facts) in page.found {
            match describe::resource(tree, &place, &facts) {
                Ok(resource) => resources.push(resource),
                // The file was removed in the meantime.
                Err(TreeError::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        Ok((resources, next))
    });
    let (resources, next) = listed.await?;
    let listed = ResourcePage::new(resources);
    // What `describe` returns, too.
    let listed = if offer.describe_each {
        listed
    } else {
        listed.complete()
    };
    Ok(match next {
        Some(position) => listed.next(position),
        None => listed,
    })
}

/// Completes a path with the names in one folder.
async fn complete(
    typing: Completing,
    State(offer): State<Offer>,
) -> Result<Completion, HandlerError> {
    let typed = typing.value;
    let (folder, begun) = typed.rsplit_once('/').unwrap_or(("", &typed));
    let nothing = || Completion::new([]).total(0).has_more(false);
    let Some(folder) = Place::from_text(folder) else {
        return Ok(nothing());
    };
    let (uri, begun) = (folder.to_uri(true), begun.to_owned());
    let completed = offer.run(&uri, move |tree| {
        let open = match tree.folder(&folder) {
            Err(TreeError::NotFound) => return Ok(nothing()),
            open => open?,
        };
        let entries = tree.entries(&folder, &open)?;
        let (mut values, mut total) = (Vec::new(), 0);
        for entry in &*entries {
            if place::text(&entry.name).starts_with(&begun) {
                total += 1;
                if values.len() < COMPLETED {
                    let end = if entry.is_folder { "/" } else { "" };
                    let text = folder.join(&entry.name).to_text();
                    values.push(format!("{text}{end}"));
                }
            }
        }
        let more = total > values.len();
        let total = i64::try_from(total).unwrap_or(i64::MAX);
        Ok(Completion::new(values).total(total).has_more(more))
    });
    completed.await
}

/// Returns the file or folder that a URI names.
fn resolve(tree: &Tree, uri: &str) -> Result<(Place, Facts), TreeError> {
    let place = Place::from_uri(uri).ok_or(TreeError::NotFound)?;
    let facts = tree.facts(&place)?;
    // Each file and folder has one URI, so that subscriptions, versions and URLs belong to it.
    if place.to_uri(facts.is_folder) != uri {
        return Err(TreeError::NotFound);
    }
    Ok((place, facts))
}

/// Returns text if the bytes are UTF-8, and binary contents otherwise. Without an extension, the
/// media type is not known, here as in lists.
fn contents(uri: String, place: &Place, bytes: Vec<u8>) -> AnyResourceContents {
    let media_type = place.name().and_then(media::media_type).map(Into::into);
    match String::from_utf8(bytes) {
        Ok(text) => {
            let mut contents = TextResourceContents::new(uri, text);
            contents.mime_type = media_type;
            contents.into()
        }
        Err(error) => {
            let blob = Base64Text::encode(error.as_bytes());
            let mut contents = BlobResourceContents::new(uri, blob);
            contents.mime_type = media_type;
            contents.into()
        }
    }
}

/// Converts an error of the tree to the error that the client gets.
fn to_handler_error(error: TreeError, uri: &str, has_urls: bool) -> HandlerError {
    let data = Object::from([("uri", Value::from(uri))]);
    let failed =
        |message: String, data| HandlerError::from(ErrorObject::internal_error(message).data(data));
    match error {
        TreeError::NotFound | TreeError::Folder => HandlerError::resource_not_found(uri),
        TreeError::Changing => {
            failed("the file changes while it is read: try again".into(), data).temporary()
        }
        TreeError::TooLarge { size, limit } => {
            let mut data = data;
            data.insert("size", Value::from(size));
            data.insert("limit", Value::from(limit));
            let mut message = format!("the file has {size} bytes, and {limit} can be read at once");
            if has_urls {
                data.insert("instead", Value::from("httpUrl"));
                message.push_str(": fetch the `httpUrl` of the resource");
            }
            failed(message, data)
        }
        TreeError::Io(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            failed("the file may not be read".into(), data)
        }
        error @ TreeError::Io(_) => error.into(),
    }
}
