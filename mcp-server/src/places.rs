//! [`Places`]: how many subscriptions each peer may have.

use std::collections::HashMap;
#[cfg(feature = "http")]
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::context::{Context, Principal};
use crate::limits::Limits;

/// Who a subscription counts for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Holder {
    /// A pair of byte streams, by what its requests share.
    Connection(usize),
    /// Who is authenticated.
    Principal(String),
    /// Where an HTTP client is, for IPv6 its network.
    #[cfg(feature = "http")]
    Address(IpAddr),
    /// HTTP clients that cannot be told apart.
    #[cfg(feature = "http")]
    Anyone,
}

impl Holder {
    fn of(cx: &Context) -> Self {
        if let Some(principal) = cx.extension::<Principal>() {
            return Self::Principal(principal.0.clone());
        }
        #[cfg(feature = "http")]
        if cx.extension::<http::request::Parts>().is_some() {
            let address = cx.extension::<crate::PeerAddress>();
            return address.map_or(Self::Anyone, |address| Self::Address(network(address.0)));
        }
        Self::Connection(Arc::as_ptr(&cx.call.extensions).addr())
    }
}

/// What is given to one customer of a network: an address, or the upper half of one of IPv6.
#[cfg(feature = "http")]
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
    }
}

/// The places for subscriptions.
pub(crate) struct Places {
    each: usize,
    all: usize,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    all: usize,
    holders: HashMap<Holder, usize>,
}

impl Places {
    pub(crate) fn new(limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            each: limits.subscriptions,
            all: limits.all_subscriptions,
            taken: Mutex::default(),
        })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many are in use.
    #[cfg(feature = "http")]
    pub(crate) fn in_use(&self) -> usize {
        self.taken().all
    }

    /// A place for a request, until it is dropped; `None` where the peer or all together have no
    /// more.
    pub(crate) fn take(self: &Arc<Self>, cx: &Context) -> Option<Place> {
        let holder = Holder::of(cx);
        {
            let mut taken = self.taken();
            let has = taken.holders.get(&holder).copied().unwrap_or(0);
            if taken.all >= self.all || has >= self.each {
                return None;
            }
            taken.all += 1;
            taken.holders.insert(holder.clone(), has + 1);
        }
        Some(Place {
            places: Arc::clone(self),
            holder,
        })
    }
}

/// A place that is taken.
pub(crate) struct Place {
    places: Arc<Places>,
    holder: Holder,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        taken.all -= 1;
        if let Some(has) = taken.holders.get_mut(&self.holder) {
            *has -= 1;
            if *has == 0 {
                taken.holders.remove(&self.holder);
            }
        }
    }
}
