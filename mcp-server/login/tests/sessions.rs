//! Users see and end their sessions; clients end theirs.

use super::client::send_form;
use super::provider::{ada, bob};
use super::setup::*;

#[tokio::test]
async fn user_sees_and_ends_sessions() {
    let setup = Setup::new().await;
    let (one, other) = (setup.client().await, setup.client().await);
    let mut browser = setup.browser();
    let first = one.log_in(&mut browser).await;
    let second = other.log_in(&mut browser).await;
    setup.provider.user(bob());
    let of_bob = one.log_in(&mut setup.browser()).await;
    setup.provider.user(ada());
    let page = browser.open(&format!("{PUBLIC}/sessions")).await;
    assert_eq!(page.body.matches("Test client").count(), 2, "{}", page.body);
    assert!(page.body.contains("Ada Lovelace"), "{}", page.body);
    let ids: Vec<_> = page.body.split("name=\"end\" value=\"").skip(1).collect();
    let id = ids[0].split('"').next().expect("quoted").to_owned();
    let page = browser.press(&page, "end", &id).await;
    assert_eq!(page.body.matches("Test client").count(), 1, "{}", page.body);
    let mut ended = 0;
    for tokens in [&first, &second] {
        ended += usize::from(call_tool(setup.address, "whoami", &tokens.access).await.0 == 401);
    }
    assert_eq!(ended, 1);
    // The session of another user is none of this page.
    let (action, fields) = page.form();
    let form = fields
        .iter()
        .find(|(name, _)| name == "form")
        .expect("a token")
        .1
        .clone();
    let mut others = setup.browser();
    setup.provider.user(bob());
    let page = others.open(&format!("{PUBLIC}/sessions")).await;
    let id = page
        .body
        .split("name=\"end\" value=\"")
        .nth(1)
        .expect("a session");
    let id = id.split('"').next().expect("quoted").to_owned();
    setup.provider.user(ada());
    browser
        .post(&action, &[("form", &form), ("end", &id)])
        .await;
    whoami_of(setup.address, &of_bob.access).await;
    // All of them, everywhere.
    let page = browser.open(&format!("{PUBLIC}/sessions")).await;
    let page = browser.press(&page, "end", "all").await;
    assert!(page.body.contains("No program has access"), "{}", page.body);
    for tokens in [&first, &second] {
        assert_eq!(
            call_tool(setup.address, "whoami", &tokens.access).await.0,
            401
        );
        assert_eq!(one.refresh(&tokens.refresh).await.0, 400);
    }
    whoami_of(setup.address, &of_bob.access).await;
}

#[tokio::test]
async fn sessions_are_ended_only_by_the_own_page() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    let mut browser = setup.browser();
    let tokens = client.log_in(&mut browser).await;
    let page = browser.open(&format!("{PUBLIC}/sessions")).await;
    let (action, fields) = page.form();
    let form = fields[0].1.clone();
    let all = [("form", &*form), ("end", "all")];
    for wrong in [&[("end", "all")][..], &[("end", "all"), ("form", "x")]] {
        assert_eq!(browser.post_once(&action, wrong).await.status, 400);
    }
    assert_eq!(setup.browser().post_once(&action, &all).await.status, 400);
    let headers = [
        ("Content-Type", "application/x-www-form-urlencoded"),
        ("Sec-Fetch-Site", "cross-site"),
    ];
    let body = format!("form={form}&end=all");
    assert_eq!(
        browser
            .request("POST", &action, &headers, &body)
            .await
            .status,
        400
    );
    whoami_of(setup.address, &tokens.access).await;
    browser.post(&action, &all).await;
    assert_eq!(
        call_tool(setup.address, "whoami", &tokens.access).await.0,
        401
    );
}

#[tokio::test]
async fn client_revokes_its_session_by_either_token() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    let other = setup.client().await;
    for by_access in [true, false] {
        let tokens = client.log_in(&mut setup.browser()).await;
        let token = if by_access {
            &tokens.access
        } else {
            &tokens.refresh
        };
        let form = [("token", &**token), ("token_type_hint", "access_token")];
        // Another client cannot revoke it, and learns nothing.
        assert_eq!(other.send("/revoke", &form, &[]).await.0.status, 200);
        whoami_of(setup.address, &tokens.access).await;
        assert_eq!(client.send("/revoke", &form, &[]).await.0.status, 200);
        assert_eq!(
            call_tool(setup.address, "whoami", &tokens.access).await.0,
            401
        );
        assert_eq!(client.refresh(&tokens.refresh).await.0, 400);
        assert_eq!(client.send("/revoke", &form, &[]).await.0.status, 200);
    }
    assert_eq!(
        client
            .send("/revoke", &[("token", "unknown")], &[])
            .await
            .0
            .status,
        200
    );
    assert_eq!(client.send("/revoke", &[], &[]).await.0.status, 400);
    let (head, _) = send_form(setup.address, "/revoke", &[("token", "x")], &[]).await;
    assert_eq!(head.status, 401);
}

#[tokio::test]
async fn number_of_sessions_of_a_user_is_limited() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    let first = client.log_in(&mut setup.browser()).await;
    whoami_of(setup.address, &first.access).await;
    let mut last = first.clone();
    for _ in 0..50 {
        last = client.log_in(&mut setup.browser()).await;
    }
    whoami_of(setup.address, &last.access).await;
    let mut browser = setup.browser();
    let page = browser.open(&format!("{PUBLIC}/sessions")).await;
    assert_eq!(page.body.matches("Test client").count(), 50);
}
