//! [`List`]: the elements of a list over all its pages.

mod page;
mod repair;

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
use crate::protocol::error::{CallError, DroppedMember, ElementError, ListError};
use crate::protocol::limits::Limits;

pub use page::Page;
pub use page::Paged;

impl<R: Paged> Call<R> {
    /// Requests one page, without its malformed elements. Awaiting the call itself fails if an
    /// element is malformed.
    ///
    /// # Errors
    ///
    /// See [`CallError`]. A page that is malformed outside of its elements is an error, too.
    pub async fn page(self) -> Result<Page<R>, CallError> {
        self.finish(page::read).await
    }

    /// Turns the call into a list of this page and all that follow. Timeout, progress and `_meta`
    /// of the call apply to the request of each page.
    pub fn list(self) -> List<R> {
        let limits = self.limits();
        List {
            bounds: ListLimits::new(limits),
            first: self.clone(),
            next: Some(self),
            request: None,
            items: Vec::new().into_iter(),
            faults: Vec::new().into_iter().peekable(),
            dropped: Vec::new(),
            index: 0,
            ending: None,
        }
    }
}

/// The elements of a list, over all its pages, in the order of the server. Each page is requested
/// when its first element is.
///
/// ```
/// # use mcp_client::{CallError, Client};
/// # async fn show(client: Client) -> Result<(), CallError> {
/// let mut tools = client.tools();
/// while let Some(tool) = tools.next().await {
///     match tool {
///         Ok(tool) => println!("{}", tool.name),
///         // The list continues after a malformed element.
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
/// A malformed element is a [`CallError::Element`], after which the list continues. Any other error
/// ends it. An element whose icons, titles or annotations are malformed is returned without them,
/// see [`take_dropped`](Self::take_dropped). If the server sends the same cursor twice, or more than [`Limits`] allow, the list ends
/// with a [`CallError::List`] after the received elements.
///
/// Dropping a future of [`next`](Self::next) loses nothing: the next one continues the request for
/// the page. Dropping the list cancels that request.
#[must_use = "no page is requested before an element is"]
pub struct List<R: Paged> {
    first: Call<R>,
    /// The call for the next page; absent after the last one.
    next: Option<Call<R>>,
    /// The pending request for a page.
    request: Option<PageRequest<R>>,
    items: vec::IntoIter<R::Item>,
    faults: Peekable<vec::IntoIter<ElementError>>,
    dropped: Vec<DroppedMember>,
    /// The index of the next element of the page.
    index: usize,
    /// The error that follows the elements of this page.
    ending: Option<ListError>,
    bounds: ListLimits,
}

type PageRequest<R> = Pin<Box<dyn Future<Output = Result<Page<R>, CallError>> + Send>>;

/// All elements of a list.
#[derive(Debug)]
#[non_exhaustive]
pub struct Listed<T> {
    /// The valid elements, in the order of the server.
    pub items: Vec<T>,
    /// The malformed elements.
    pub faults: Vec<ElementError>,
    /// The members that were left out of elements.
    pub dropped: Vec<DroppedMember>,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            faults: Vec::new(),
            dropped: Vec::new(),
        }
    }
}

impl<R: Paged> List<R> {
    /// Returns the call that requests the next page of this list, instead of all pages.
    /// At the beginning that is the first page.
    ///
    /// Like every [`Call`], it takes a timeout or metadata; [`Call::list`] turns it into a list
    /// again, whose pages are all requested with them.
    pub fn one_page(self) -> Call<R> {
        self.next.unwrap_or(self.first)
    }

    /// Returns the next element; `None` after the last one and after an error that ends the list.
    ///
    /// # Errors
    ///
    /// [`CallError::Element`] for an element that is malformed; any other error ends the list.
    pub async fn next(&mut self) -> Option<Result<R::Item, CallError>> {
        std::future::poll_fn(|cx| self.poll(cx)).await
    }

    /// Returns the members that were left out of the elements of the pages received since the last
    /// call: malformed ones that only decorate, such as an icon, and invalid output schemas.
    pub fn take_dropped(&mut self) -> Vec<DroppedMember> {
        std::mem::take(&mut self.dropped)
    }

    /// Returns all remaining elements. If the server rejects its own cursor, the list has changed
    /// meanwhile, and is requested again from the beginning.
    ///
    /// # Errors
    ///
    /// The error that ends the list early. The elements before it are lost;
    /// [`until_error`](Self::until_error) and [`next`](Self::next) return them.
    pub async fn all(self) -> Result<Listed<R::Item>, CallError> {
        let (listed, end) = self.until_error().await;
        end.map(|()| listed)
    }

    /// Returns the remaining elements, like [`all`](Self::all), and the error that ended the list
    /// early, if there is one. The elements are then incomplete.
    pub async fn until_error(mut self) -> (Listed<R::Item>, Result<(), CallError>) {
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
                Err(error) => {
                    listed.dropped = self.dropped;
                    return (listed, Err(error));
                }
            }
        }
        listed.dropped = self.dropped;
        (listed, Ok(()))
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
            let request = match &mut self.request {
                Some(request) => request,
                None => match &self.next {
                    Some(call) => self.request.insert(Box::pin(call.clone().page())),
                    None => return Poll::Ready(None),
                },
            };
            let page = match request.as_mut().poll(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(page) => page,
            };
            self.request = None;
            let call = self.next.take();
            match page {
                Ok(page) => self.set_page(page, call),
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
    }

    /// Returns the next element of the page, valid or malformed.
    fn element(&mut self) -> Option<Result<R::Item, CallError>> {
        let index = self.index;
        self.index += 1;
        match self.faults.next_if(|fault| fault.index == index) {
            Some(source) => Some(Err(CallError::Element {
                method: R::METHOD,
                source: Box::new(source),
            })),
            None => self.items.next().map(Ok),
        }
    }

    /// Continues with a new page.
    fn set_page(&mut self, page: Page<R>, call: Option<Call<R>>) {
        let Page {
            result,
            faults,
            dropped,
            bytes,
        } = page;
        let (items, next) = R::split(result);
        let within_bounds = self.bounds.add(items.len() + faults.len(), bytes);
        self.items = items.into_iter();
        self.faults = faults.into_iter().peekable();
        self.dropped.extend(dropped);
        self.index = 0;
        if let Some(cursor) = next {
            match within_bounds.and_then(|()| self.bounds.add_cursor(&cursor)) {
                Ok(()) => {
                    self.next = call.map(|call| call.with(|params| R::start_at(params, cursor)));
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
            .field("ended", &(self.next.is_none() && self.request.is_none()))
            .finish_non_exhaustive()
    }
}

/// Checks the received pages of a list against the limits.
struct ListLimits {
    pages: usize,
    items: usize,
    bytes: usize,
    most: (usize, usize, usize),
    /// Hashes of the received cursors.
    seen: HashSet<u64>,
    hasher: RandomState,
}

impl ListLimits {
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

    /// Adds a page. Fails if no other page may follow.
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

    /// Adds a cursor. Fails if it was received before.
    fn add_cursor(&mut self, cursor: &Cursor) -> Result<(), ListError> {
        if self.seen.insert(self.hasher.hash_one(cursor)) {
            return Ok(());
        }
        let cursor = cursor.as_str().to_owned();
        Err(ListError::Repeats { cursor })
    }
}
