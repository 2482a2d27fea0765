//! [`List`]: the elements of a list over all its pages.

mod page;
mod paged;

use std::collections::HashSet;
use std::fmt;
use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::iter::Peekable;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::vec;

use futures_core::Stream;
use mcp_types::Cursor;
use mcp_types::rpc::INVALID_PARAMS;

use crate::features::calls::Call;
use crate::protocol::error::{CallError, ElementError, ListError};
use crate::protocol::limits::Limits;

pub use page::Page;
pub use paged::Paged;

impl<R: Paged> Call<R> {
    /// One page of which malformed elements do not hide the others. Awaiting the call itself
    /// refuses a page with the first of them.
    ///
    /// # Errors
    ///
    /// See [`CallError`]; also where a page is malformed elsewhere than in an element.
    pub async fn page(self) -> Result<Page<R>, CallError> {
        self.finish(page::read, Page::result_mut).await
    }

    /// Turns the call into a list of this page and all that follow. Timeout, progress and `_meta` of
    /// the call apply to the request of each page.
    pub fn list(self) -> List<R> {
        let limits = self.limits();
        List {
            bounds: Bounds::new(limits),
            first: self.clone(),
            next: Some(self),
            asking: None,
            items: Vec::new().into_iter(),
            faults: Vec::new().into_iter().peekable(),
            at: 0,
            ending: None,
        }
    }
}

/// The elements of a list, over all its pages, in the order of the server. The first page is
/// asked for with the first element, each further one when the elements before it are used up.
///
/// ```
/// # use mcp_client::{CallError, Client};
/// # async fn show(client: Client) -> Result<(), CallError> {
/// let mut tools = client.tools();
/// while let Some(tool) = tools.next().await {
///     match tool {
///         Ok(tool) => println!("{}", tool.name),
///         // The list goes on behind an element that is malformed.
///         Err(error) => eprintln!("{error}"),
///     }
/// }
///
/// let listed = client.tools().all().await?;
/// println!("{} tools, {} malformed", listed.items.len(), listed.faults.len());
/// # Ok(())
/// # }
/// ```
///
/// A malformed element is a [`CallError::Element`], and the list goes on. Any other error ends it.
/// A server that sends the same cursor twice, or more than [`Limits`] allow, is a
/// [`CallError::List`]; the elements that came before it are given first.
///
/// Dropping a future of [`next`](Self::next) loses nothing: the next one continues the request for
/// the page. Dropping the list cancels that request.
#[must_use = "no page is asked for until an element is"]
pub struct List<R: Paged> {
    first: Call<R>,
    /// Asks for the page that follows; absent behind the last one.
    next: Option<Call<R>>,
    asking: Option<Asking<R>>,
    items: vec::IntoIter<R::Item>,
    faults: Peekable<vec::IntoIter<ElementError>>,
    /// Elements of the page that were given.
    at: usize,
    /// What is wrong behind this page.
    ending: Option<ListError>,
    bounds: Bounds,
}

/// The request for a page.
type Asking<R> = Pin<Box<dyn Future<Output = Result<Page<R>, CallError>> + Send>>;

/// All elements of a list.
#[derive(Debug)]
#[non_exhaustive]
pub struct Listed<T> {
    /// The elements that are sound, in the order of the server.
    pub items: Vec<T>,
    /// The elements that are not.
    pub faults: Vec<ElementError>,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            faults: Vec::new(),
        }
    }
}

impl<R: Paged> List<R> {
    /// Returns the call that requests the page with which this list goes on, instead of all pages.
    /// At the beginning that is the first page.
    ///
    /// Like every [`Call`], it takes a timeout or metadata; [`Call::list`] turns it into a list
    /// again, whose pages are all requested that way.
    pub fn one_page(self) -> Call<R> {
        self.next.unwrap_or(self.first)
    }

    /// The next element; `None` behind the last one, and behind an error that ends the list.
    ///
    /// # Errors
    ///
    /// [`CallError::Element`] for an element that is malformed; any other error ends the list.
    pub async fn next(&mut self) -> Option<Result<R::Item, CallError>> {
        std::future::poll_fn(|cx| self.poll(cx)).await
    }

    /// All elements that are left. Where the server takes a cursor of its own for none, the list
    /// changed meanwhile: then everything is asked for once more.
    ///
    /// # Errors
    ///
    /// What ends the list before its end. [`next`](Self::next) also gives what came before.
    pub async fn all(mut self) -> Result<Listed<R::Item>, CallError> {
        let mut listed = Listed::default();
        let mut again = Some(self.first.clone().fresh());
        while let Some(element) = self.next().await {
            match element {
                Ok(item) => listed.items.push(item),
                Err(CallError::Element { source, .. }) => listed.faults.push(*source),
                Err(CallError::Refused { source, .. })
                    if source.code == INVALID_PARAMS
                        && self.bounds.pages > 0
                        && again.is_some() =>
                {
                    if let Some(first) = again.take() {
                        self = first.list();
                        listed = Listed::default();
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(listed)
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<R::Item, CallError>>> {
        let method = R::METHOD;
        loop {
            if let Some(element) = self.element() {
                return Poll::Ready(Some(element));
            }
            if let Some(source) = self.ending.take() {
                return Poll::Ready(Some(Err(CallError::List { method, source })));
            }
            let asking = match &mut self.asking {
                Some(asking) => asking,
                None => match &self.next {
                    Some(call) => self.asking.insert(Box::pin(call.clone().page())),
                    None => return Poll::Ready(None),
                },
            };
            let page = match asking.as_mut().poll(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(page) => page,
            };
            self.asking = None;
            let call = self.next.take();
            match page {
                Ok(page) => self.turn(page, call),
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
    }

    /// The next element of the page, sound or not.
    fn element(&mut self) -> Option<Result<R::Item, CallError>> {
        let at = self.at;
        self.at += 1;
        match self.faults.next_if(|fault| fault.index == at) {
            Some(source) => Some(Err(CallError::Element {
                method: R::METHOD,
                source: Box::new(source),
            })),
            None => self.items.next().map(Ok),
        }
    }

    /// Continues with a new page.
    fn turn(&mut self, page: Page<R>, call: Option<Call<R>>) {
        let Page {
            result,
            faults,
            bytes,
        } = page;
        let (items, next) = R::split(result);
        let came = self.bounds.add(items.len() + faults.len(), bytes);
        self.items = items.into_iter();
        self.faults = faults.into_iter().peekable();
        self.at = 0;
        if let Some(cursor) = next {
            match came.and_then(|()| self.bounds.meet(&cursor)) {
                Ok(()) => {
                    self.next = call.map(|call| call.with(|params| R::go_on(params, cursor)));
                }
                Err(error) => self.ending = Some(error),
            }
        }
    }
}

impl<R: Paged> Stream for List<R>
where
    R::Params: Unpin,
{
    type Item = Result<R::Item, CallError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll(cx)
    }
}

impl<R: Paged> fmt::Debug for List<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("List")
            .field("method", &R::METHOD)
            .field("ended", &(self.next.is_none() && self.asking.is_none()))
            .finish_non_exhaustive()
    }
}

/// The limits of a list, and how far it has got.
struct Bounds {
    pages: usize,
    items: usize,
    bytes: usize,
    most: (usize, usize, usize),
    /// Cursors that were given, each as a number that is unlike those of the others.
    seen: HashSet<u64>,
    hasher: RandomState,
}

impl Bounds {
    fn new(limits: &Limits) -> Self {
        Self {
            pages: 0,
            items: 0,
            bytes: 0,
            most: (limits.list_pages, limits.list_items, limits.list_bytes),
            seen: HashSet::new(),
            hasher: RandomState::new(),
        }
    }

    /// One more page; an error where no other may follow.
    fn add(&mut self, items: usize, bytes: usize) -> Result<(), ListError> {
        self.pages += 1;
        self.items += items;
        self.bytes += bytes;
        let (pages, items, bytes) = self.most;
        if self.pages >= pages || self.items >= items || self.bytes >= bytes {
            let (pages, items, bytes) = (self.pages, self.items, self.bytes);
            return Err(ListError::TooLong {
                pages,
                items,
                bytes,
            });
        }
        Ok(())
    }

    fn meet(&mut self, cursor: &Cursor) -> Result<(), ListError> {
        if self.seen.insert(self.hasher.hash_one(cursor)) {
            return Ok(());
        }
        let cursor = cursor.as_str().to_owned();
        Err(ListError::Repeats { cursor })
    }
}
