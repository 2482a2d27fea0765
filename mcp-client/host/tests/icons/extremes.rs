//! Every limit of an icon policy at its largest value, which means unlimited, and at zero.

use mcp_client::FetchError;
use mcp_client::types::Icon;
use mcp_host::icons::{self, IconError, IconPolicy};

use super::embedded::PNG;
use super::loading::{INFO, client};
use mcp_testkit::soon;
use mcp_testkit::web::{Reply, Web};

const EMBEDDED: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ";

#[tokio::test]
async fn largest_values_mean_no_limit() {
    let mut web = Web::start().await;
    let policy = web.policy();
    let client = client(&mut web, INFO, policy).await;
    for policy in [
        IconPolicy::new().size(usize::MAX),
        IconPolicy::new().pixels(u32::MAX),
        IconPolicy::new().size(usize::MAX).pixels(u32::MAX),
    ] {
        web.answer(Reply::ok("image/png", PNG));
        let at = Icon::new(format!("https://{}/icon.png", web.address()));
        let image = soon(icons::load(&client, &at).policy(policy.clone())).await;
        assert_eq!(image.expect("an image").bytes, PNG);
        soon(icons::load(&client, &Icon::new(EMBEDDED)).policy(policy))
            .await
            .expect("an image");
    }
}

#[tokio::test]
async fn zero_limits_reject_every_image() {
    let mut web = Web::start().await;
    let policy = web.policy();
    let client = client(&mut web, INFO, policy).await;
    let at = Icon::new(format!("https://{}/icon.png", web.address()));
    let none = IconPolicy::new().size(0);
    web.answer(Reply::ok("image/png", PNG));
    let found = soon(icons::load(&client, &at).policy(none.clone())).await;
    assert!(
        matches!(
            found,
            Err(IconError::Fetch(FetchError::TooLarge { limit: 0, .. }))
        ),
        "{found:?}"
    );
    let found = soon(icons::load(&client, &Icon::new(EMBEDDED)).policy(none)).await;
    assert!(
        matches!(found, Err(IconError::TooLarge { limit: 0 })),
        "{found:?}"
    );
    let flat = IconPolicy::new().pixels(0);
    web.answer(Reply::ok("image/png", PNG));
    for icon in [&at, &Icon::new(EMBEDDED)] {
        let found = soon(icons::load(&client, icon).policy(flat.clone())).await;
        assert!(
            matches!(found, Err(IconError::Pixels { limit: 0, .. })),
            "{found:?}"
        );
    }
}
