//! Builds a server from its definition. The only place that lists the features.

use std::sync::{Arc, OnceLock, RwLock};

use mcp_types::peer_text::Chain;
use mcp_types::{
    CallToolRequest, CompleteRequest, GetPromptRequest, ListPromptsRequest,
    ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest, ReadResourceRequest,
    Request,
};

#[cfg(feature = "apps")]
use crate::extensions::apps;
use crate::features::completions::handlers::Completions;
use crate::features::definition_error::check_icons;
use crate::features::{completions, logging, prompts, resources, subscriptions, tools};
#[cfg(feature = "proposals")]
use crate::proposals::{
    hooks,
    https_url::{config::HttpUrls, issue::Urls},
    resources::blocks,
};
use crate::protocol::changes::Hub;
use crate::protocol::core::Core;
use crate::protocol::detached::DetachedTable;
use crate::protocol::dispatch::lifecycle;
use crate::protocol::dispatch::registry::Registry;
use crate::protocol::error::{BuildError, BuildErrors};
#[cfg(feature = "http")]
use crate::protocol::metrics::counters::Counters;
use crate::protocol::metrics::operations::OperationCounter;
use crate::protocol::quota::Peers;
use crate::protocol::seal::{KeySlot, Keys};
use crate::protocol::store::access::Stores;
use crate::server::builder::ServerBuilder;
use crate::server::catalogs::Catalogs;
use crate::server::handle::Server;
#[cfg(feature = "http")]
use crate::stores::memory::events::MemoryEvents;
use crate::stores::memory::values::MemoryValues;
use crate::util::signal::CancelSignal;

impl ServerBuilder {
    /// Checks the definition and builds the server.
    ///
    /// # Errors
    ///
    /// All errors that are found in the definition.
    pub fn build(self) -> Result<Server, BuildErrors> {
        let ServerBuilder {
            info,
            instructions,
            limits,
            error_detail,
            lists_permitted_only,
            stores,
            states,
            mut layers,
            mut task_layers,
            mut inner_layers,
            built,
            errors: conversions,
            mut registry,
            mut definitions,
            keys,
            #[cfg(feature = "proposals")]
            urls,
        } = self;
        #[cfg(feature = "proposals")]
        let urls = issued_urls(urls, &registry, stores.are_set())?;
        layers.append(&mut task_layers);
        let inner = layers.len();
        layers.append(&mut inner_layers);
        definitions.apply_tool_settings();
        let mut errors = std::mem::take(&mut registry.errors);
        errors.append(&mut definitions.errors);
        let (catalogs, mut completions) = definitions.into_catalogs(
            #[cfg(feature = "proposals")]
            urls,
        );
        errors.extend(completions.missing(&states));
        let (prompts, resources) = (&catalogs.prompts, &catalogs.resources);
        errors.extend(completions.unknown(prompts, resources, &registry));
        #[cfg(feature = "apps")]
        errors.extend(apps::definitions::faults(
            &registry,
            &catalogs.tools,
            &catalogs.resources.definitions,
        ));
        register(&mut registry, &catalogs, completions);
        #[cfg(feature = "proposals")]
        errors.extend(hooks::unhandled(&registry));
        errors.extend(registry.missing(&states));
        errors.extend(catalogs.tools.missing(&states));
        errors.extend(catalogs.prompts.missing(&states));
        errors.extend(catalogs.resources.definitions.missing(&states));
        let invalid = |reason| BuildError::Invalid {
            kind: "server",
            name: info.name.clone(),
            reason,
        };
        if let Err(error) = check_icons(info.icons.as_ref()) {
            errors.push(invalid(error.to_string()));
        }
        let limits = limits.checked().map_err(|error| errors.push(error));
        let info_text = mcp_types::json::to_raw(&info).map_err(|error| {
            errors.push(invalid(error.to_string()));
        });
        let (Ok(limits), Ok(info_text), true) = (limits, info_text, errors.is_empty()) else {
            return Err(BuildErrors(errors));
        };
        if keys.is_none() && stores.are_set() {
            tracing::warn!(
                "processes share a store, but this one has random keys: the others refuse its \
                 request state and cursors. Set `ServerBuilder::keys` to the same in all of them"
            );
        }
        let keys = match keys {
            Some(keys) => keys,
            None => Keys::generate().map_err(|error| random(&error))?,
        };
        let catalogs = Arc::new(catalogs);
        let stores = Stores::new(
            stores,
            Arc::new(MemoryValues::default()),
            #[cfg(feature = "http")]
            Arc::new(MemoryEvents::new(limits.kept_events)),
            limits.store_time,
        );
        let core = Arc::new(Core {
            info,
            info_text,
            instructions: RwLock::new(instructions),
            about: registry.about,
            peers: Peers::new(&limits),
            limits,
            error_detail,
            lists_permitted_only,
            errors: conversions,
            states,
            layers,
            routes: registry.routes,
            hub: Hub::default(),
            #[cfg(feature = "proposals")]
            withhold: blocks::withhold_of_block,
            stores,
            stopping: CancelSignal::default(),
            detached: DetachedTable::default(),
            stopping_since: OnceLock::new(),
            background: OnceLock::new(),
            unknown_methods: OperationCounter::default(),
            #[cfg(feature = "http")]
            counters: Counters::default(),
            keys: KeySlot::new(keys),
            assembly: Arc::<Catalogs>::clone(&catalogs),
        });
        if let Some(bus) = &core.stores.bus {
            bus.attach(&core);
            #[cfg(feature = "proposals")]
            if let Some(urls) = &catalogs.urls {
                bus.attach(urls);
            }
        }
        for built in built {
            built(&core, inner);
        }
        Ok(Server { core, catalogs })
    }
}

/// Returns what issues the URLs of resources, if the program opted into the proposal.
#[cfg(feature = "proposals")]
fn issued_urls(
    urls: Option<HttpUrls>,
    registry: &Registry,
    is_shared: bool,
) -> Result<Option<Arc<Urls>>, BuildError> {
    let opted_in = registry.offers(mcp_types::Proposal::HttpsUrl);
    if !opted_in && urls.is_some() {
        tracing::warn!("no URLs are handed out: the program did not opt into the proposal");
    }
    let urls = urls.filter(|_| opted_in);
    if is_shared && urls.as_ref().is_some_and(|urls| urls.keys.is_none()) {
        tracing::warn!(
            "processes share a store, but this one has random keys for URLs of resources: the \
             others refuse its URLs. Set `HttpUrls::keys` to the same in all of them"
        );
    }
    let urls = urls.map(Urls::new).transpose();
    Ok(urls.map_err(|error| random(&error))?.map(Arc::new))
}

fn random(error: &crate::protocol::seal::SealError) -> BuildError {
    BuildError::Random(Chain(error).to_string())
}

/// Registers the features, and declares the capabilities.
fn register(registry: &mut Registry, catalogs: &Catalogs, completions: Completions) {
    let Catalogs {
        tools,
        prompts,
        resources,
        ..
    } = catalogs;
    lifecycle::register(registry);
    logging::register(registry);
    subscriptions::register(registry, resources);
    tools::register(registry, tools, resources);
    resources::register(registry, resources);
    prompts::register(registry, prompts, resources);
    completions::register(registry, completions, prompts, resources);
    announce_proposals(registry);
    declare_handled(registry);
}

/// Declares the capabilities that follow from the application's handlers.
fn declare_handled(registry: &mut Registry) {
    let handles = |registry: &Registry, methods: &[&str]| {
        methods.iter().any(|method| registry.has_route(method))
    };
    let tools = [ListToolsRequest::METHOD, CallToolRequest::METHOD];
    if handles(registry, &tools) {
        registry.about.capabilities.tools.get_or_insert_default();
    }
    let prompts = [ListPromptsRequest::METHOD, GetPromptRequest::METHOD];
    if handles(registry, &prompts) {
        registry.about.capabilities.prompts.get_or_insert_default();
    }
    let resources = [
        ListResourcesRequest::METHOD,
        ListResourceTemplatesRequest::METHOD,
        ReadResourceRequest::METHOD,
    ];
    if handles(registry, &resources) {
        registry
            .about
            .capabilities
            .resources
            .get_or_insert_default();
    }
    if handles(registry, &[CompleteRequest::METHOD]) {
        registry
            .about
            .capabilities
            .completions
            .get_or_insert_default();
    }
}

/// Declares the proposals that the program opted into.
fn announce_proposals(registry: &mut Registry) {
    for proposal in &registry.about.proposals {
        proposal.announce(&mut registry.about.capabilities.experimental);
    }
}
