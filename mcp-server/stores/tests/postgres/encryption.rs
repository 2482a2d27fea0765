//! TLS, and passwords that are never sent.

use std::sync::Arc;

use mcp_server::ValueStore;
use mcp_stores::rustls::{self, ClientConfig, RootCertStore};
use mcp_stores::{Postgres, PostgresBuilder, PostgresError};

use super::cluster::Cluster;
use super::{cluster_or_return, put};

/// Returns the settings with which the certificate of the server is trusted.
fn trusting(cluster: &Cluster) -> PostgresBuilder {
    let mut roots = RootCertStore::empty();
    roots
        .add(cluster.certificate.clone())
        .expect("a certificate");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider);
    let config = config.with_safe_default_protocol_versions();
    let config = config.expect("versions").with_root_certificates(roots);
    Postgres::builder().tls(config.with_no_client_auth())
}

#[tokio::test]
async fn certificates_are_verified() {
    let cluster = cluster_or_return!();
    let url = cluster.url().replace("disable", "require");
    let error = Postgres::connect(&url).await.err();
    assert!(
        matches!(error, Some(PostgresError::Connect(_))),
        "{error:?}"
    );

    let store = trusting(&cluster).connect(&url).await.expect("connected");
    store.put(put("key", b"value")).await.expect("written");
    let client = cluster.client().await;
    let encrypted = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
        WHERE ssl AND application_name = 'mcp-server'";
    let encrypted: i64 = client.query_one(encrypted, &[]).await.expect("read").get(0);
    assert!(encrypted > 0);
}

#[tokio::test]
async fn scram_is_used_with_and_without_tls() {
    let cluster = cluster_or_return!();
    let create = "SET password_encryption = 'scram-sha-256';
        CREATE ROLE shop LOGIN PASSWORD 'right';
        GRANT CREATE ON DATABASE postgres TO shop";
    let client = cluster.client().await;
    client.batch_execute(create).await.expect("created");
    let stored = "SELECT rolpassword FROM pg_authid WHERE rolname = 'shop'";
    let stored: String = client.query_one(stored, &[]).await.expect("read").get(0);
    assert!(stored.starts_with("SCRAM-SHA-256$"), "{stored}");

    let url = |password| {
        let url = cluster.url_with(password);
        url.replace("//postgres:", "//shop:")
    };
    // With TLS, the authentication is bound to the certificate.
    let bound = |password| url(password).replace("disable", "require&channel_binding=require");
    let plain = Postgres::connect(&url("right")).await.expect("connected");
    plain.put(put("key", b"value")).await.expect("written");
    let encrypted = trusting(&cluster).connect(&bound("right")).await;
    let found = encrypted.expect("connected").get("key").await;
    assert!(found.expect("read").is_some());

    for error in [
        Postgres::connect(&url("wrong")).await.err(),
        trusting(&cluster).connect(&bound("wrong")).await.err(),
    ] {
        assert!(
            matches!(error, Some(PostgresError::Authentication(_))),
            "{error:?}"
        );
    }
}
