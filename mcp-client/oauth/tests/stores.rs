//! Where tokens are kept.

use std::fs;
use std::time::Duration;

use mcp_client_oauth::{
    Dpop, FileStore, Logout, MemoryStore, OAuth, OAuthClient, Secret, StoreKey, TokenStore,
};

use super::auth_servers::*;

fn folder(name: &str) -> std::path::PathBuf {
    std::env::temp_dir().join(format!("mcp-oauth-{name}-{}", std::process::id()))
}

#[tokio::test]
async fn stored_tokens_are_used_by_the_next_program() {
    let folder = folder("stored");
    let servers = AuthServers::start().await;
    let first = oauth()
        .store(FileStore::new(&folder))
        .build()
        .expect("valid");
    connect(&servers, &first).await.expect("connected");
    let second = OAuth::stored_tokens()
        .store(FileStore::new(&folder))
        .build()
        .expect("valid");
    connect(&servers, &second).await.expect("connected");
    let other = OAuth::stored_tokens()
        .store(FileStore::new(&folder))
        .user("eve")
        .build()
        .expect("valid");
    refused(&servers, &other).await;
    assert_eq!(servers.count("/authorize"), 1);

    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &std::path::Path| fs::metadata(path).expect("there").permissions().mode();
        assert_eq!(mode(&folder) & 0o777, 0o700);
        for file in fs::read_dir(&folder).expect("a folder") {
            assert_eq!(mode(&file.expect("a file").path()) & 0o777, 0o600);
        }
    }
    fs::remove_dir_all(&folder).expect("removed");
}

#[tokio::test]
async fn tokens_of_another_configuration_are_not_used() {
    let servers = AuthServers::start().await;
    let store = MemoryStore::new();
    let user = oauth().store(store.clone()).build().expect("valid");
    user.login(&servers.server()).await.expect("logged in");
    let without_user = || OAuth::stored_tokens().store(store.clone());
    let issuer = servers.origin();
    for other in [
        without_user().issuer("https://other.example"),
        without_user().dpop(Dpop::Required),
        without_user().client(OAuthClient::new("other").issuer(&issuer)),
    ] {
        refused(&servers, &other.build().expect("valid")).await;
    }
    let own = without_user().issuer(&issuer).build().expect("valid");
    connect(&servers, &own).await.expect("connected");

    let robot = OAuthClient::new("robot").secret("robot-secret");
    let robot = OAuth::client_credentials(robot.issuer(&issuer));
    let robot = robot.store(store.clone()).build().expect("valid");
    connect(&servers, &robot).await.expect("connected");
    let asked = servers.asked("/token");
    let grant = asked[asked.len() - 1].form("grant_type");
    assert_eq!(grant.as_deref(), Some("client_credentials"));
    // The tokens of the program are not those of a user.
    refused(&servers, &without_user().build().expect("valid")).await;
    for key in store.keys().await.expect("read") {
        let value = store.load(&key).await.expect("read").expect("stored");
        assert!(!value.expose().contains("robot-secret"), "{key}");
    }
    let outcome = robot.logout(&servers.server()).await.expect("logged out");
    assert!(matches!(outcome, Logout::Revoked), "{outcome:?}");
}

#[tokio::test]
async fn lock_is_held_until_it_is_dropped() {
    let folder = folder("lock");
    held(FileStore::new(&folder), FileStore::new(&folder)).await;
    fs::remove_dir_all(&folder).expect("removed");
    let memory = MemoryStore::new();
    held(memory.clone(), memory).await;
}

/// Checks that two views of one store exclude each other.
async fn held(one: impl TokenStore, two: impl TokenStore + 'static) {
    let key = key_of("https://a.example");
    let lock = one.lock(&key).await.expect("locked");
    let waiting = tokio::spawn({
        let key = key.clone();
        async move { two.lock(&key).await.map(drop) }
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!waiting.is_finished());
    // Another key has another lock.
    let other = key_of("https://b.example");
    one.lock(&other).await.expect("locked");
    assert!(!waiting.is_finished());
    drop(lock);
    waiting.await.expect("no panic").expect("locked");
}

fn key_of(issuer: &str) -> StoreKey {
    let text = format!(r#"{{"Client":{{"issuer":"{issuer}"}}}}"#);
    serde_json::from_str(&text).expect("a key")
}

#[tokio::test]
async fn reader_sees_the_old_value_or_the_new_one() {
    let folder = folder("atomic");
    let (one, two) = (FileStore::new(&folder), FileStore::new(&folder));
    let key = key_of("https://a.example");
    let text = |count: usize| Secret::new(format!("{count} {}", "x".repeat(64 << 10)));
    one.save(&key, &text(0)).await.expect("saved");
    let writing = tokio::spawn({
        let key = key.clone();
        async move {
            for count in 1..200 {
                one.save(&key, &text(count)).await.expect("saved");
            }
        }
    });
    let mut last = 0;
    while !writing.is_finished() {
        let value = two.load(&key).await.expect("whole").expect("there");
        let count = value.expose().split(' ').next().expect("a number");
        let count: usize = count.parse().expect("a number");
        assert!(count >= last);
        last = count;
    }
    writing.await.expect("no panic");
    fs::remove_dir_all(&folder).expect("removed");
}

#[tokio::test]
async fn file_of_another_key_is_not_used_and_failures_leave_nothing_behind() {
    let folder = folder("files");
    let store = FileStore::new(&folder);
    let (one, two) = (key_of("https://a.example"), key_of("https://b.example"));
    let path = |key: &StoreKey| {
        let name = mcp_oauth::sha256(key.to_string().as_bytes());
        folder.join(format!("{name}.json"))
    };
    store.save(&one, &Secret::new("one")).await.expect("saved");
    fs::copy(path(&one), path(&two)).expect("copied");
    assert_eq!(store.load(&two).await.expect("read"), None);
    fs::remove_file(path(&two)).expect("removed");
    // Nothing can replace a folder.
    fs::create_dir(path(&two)).expect("created");
    let failed = store.save(&two, &Secret::new("two")).await;
    let error = failed.expect_err("a folder").to_string();
    assert!(error.contains(&*path(&two).to_string_lossy()), "{error}");
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 2);
    fs::remove_dir_all(&folder).expect("removed");
}

#[tokio::test]
async fn damaged_file_is_an_error_that_names_it_and_shows_nothing_of_it() {
    let folder = folder("damaged");
    let store = FileStore::new(&folder);
    let key = key_of("https://a.example");
    store.save(&key, &Secret::new("one")).await.expect("saved");
    store.save(&key, &Secret::new("two")).await.expect("saved");
    assert_eq!(
        store.load(&key).await.expect("loaded"),
        Some(Secret::new("two"))
    );
    assert_eq!(
        store.keys().await.expect("read"),
        std::slice::from_ref(&key)
    );
    let file = fs::read_dir(&folder)
        .expect("a folder")
        .next()
        .expect("a file")
        .expect("a file")
        .path();
    fs::write(&file, "{\"key\": \"secret-text\"").expect("written");
    let error = store.load(&key).await.expect_err("damaged").to_string();
    assert!(
        error.contains(&*file.to_string_lossy()) && !error.contains("secret-text"),
        "{error}"
    );
    fs::write(&file, "x".repeat(2 << 20)).expect("written");
    let error = store.load(&key).await.expect_err("too large").to_string();
    assert!(error.contains("too large"), "{error}");
    store.remove(&key).await.expect("removed");
    assert_eq!(store.load(&key).await.expect("nothing"), None);
    store.remove(&key).await.expect("nothing to do");
    fs::remove_dir_all(&folder).expect("removed");
}

#[cfg(unix)]
#[tokio::test]
async fn folder_and_files_that_others_can_access_are_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder("modes");
    let store = FileStore::new(&folder);
    let key = key_of("https://a.example");
    let set = |path: &std::path::Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("changed");
    };
    fs::create_dir(&folder).expect("created");
    for mode in [0o777, 0o770, 0o702] {
        set(&folder, mode);
        for error in [
            store
                .save(&key, &Secret::new("x"))
                .await
                .expect_err("unsafe"),
            store.load(&key).await.expect_err("unsafe"),
            store.keys().await.expect_err("unsafe"),
            store.lock(&key).await.err().expect("unsafe"),
        ] {
            let error = error.to_string();
            let is_named = error.contains(&*folder.to_string_lossy());
            assert!(is_named && error.contains(&format!("{mode:o}")), "{error}");
        }
    }
    // Others may see the names.
    set(&folder, 0o755);
    store.save(&key, &Secret::new("x")).await.expect("saved");
    let file = fs::read_dir(&folder).expect("a folder").next();
    let file = file.expect("a file").expect("a file").path();
    set(&file, 0o640);
    let error = store.load(&key).await.expect_err("readable").to_string();
    assert!(error.contains("expected 600"), "{error}");
    set(&file, 0o600);
    store.load(&key).await.expect("loaded").expect("a value");
    // Only root can give files away.
    if std::os::unix::fs::chown(&file, Some(12345), None).is_ok() {
        let error = store.load(&key).await.expect_err("foreign").to_string();
        assert!(error.contains("belongs to another user"), "{error}");
        std::os::unix::fs::chown(&folder, Some(12345), None).expect("changed");
        let error = store.keys().await.expect_err("foreign").to_string();
        assert!(error.contains("belongs to another user"), "{error}");
    }
    fs::remove_dir_all(&folder).expect("removed");
}

#[tokio::test]
async fn temporary_files_of_a_crash_are_removed() {
    let folder = folder("crash");
    let store = FileStore::new(&folder);
    let key = key_of("https://a.example");
    // A file of another program.
    let foreign = folder.join("report.2.tmp");
    let leave_behind = || {
        let name = |part: &str| format!("{}.{}.tmp", part.repeat(43), "r".repeat(43));
        let (old, new) = (folder.join(name("a")), folder.join(name("b")));
        fs::write(&new, "tokens").expect("written");
        for path in [&old, &foreign] {
            fs::write(path, "tokens").expect("written");
            let hour_ago = std::time::SystemTime::now() - Duration::from_secs(3600);
            let file = fs::File::options().write(true).open(path).expect("opened");
            file.set_modified(hour_ago).expect("changed");
        }
        (old, new)
    };
    store.save(&key, &Secret::new("x")).await.expect("saved");
    let (old, new) = leave_behind();
    store.save(&key, &Secret::new("x")).await.expect("saved");
    // Another process may be about to rename the new one.
    assert!(!old.exists() && new.exists());
    let (old, new) = leave_behind();
    store.remove(&key).await.expect("removed");
    assert!(!old.exists() && new.exists() && foreign.exists());
    fs::remove_dir_all(&folder).expect("removed");
}

#[tokio::test]
async fn damaged_files_do_not_affect_other_servers_and_are_replaced() {
    for kind in ["Server", "Tokens", "Client"] {
        let folder = folder(&format!("damaged-{kind}"));
        let (one, two) = (AuthServers::start().await, AuthServers::start().await);
        let program = || {
            oauth()
                .store(FileStore::new(&folder))
                .build()
                .expect("valid")
        };
        for servers in [&one, &two] {
            program().login(&servers.server()).await.expect("logged in");
        }
        for file in fs::read_dir(&folder).expect("a folder") {
            let path = file.expect("a file").path();
            let text = fs::read_to_string(&path).expect("text");
            if text.contains(&format!("\"{kind}\"")) && text.contains(&one.origin()) {
                fs::write(&path, "{\"key\": damaged").expect("written");
            }
        }
        let status = program().status().await.expect("read");
        let is_two = status.iter().any(|status| status.server == two.server());
        assert!(is_two, "{kind}: {status:?}");
        assert_eq!(status.len(), if kind == "Client" { 2 } else { 1 }, "{kind}");
        program().logout(&one.server()).await.expect("logged out");
        program().login(&one.server()).await.expect("logged in");
        assert_eq!(program().status().await.expect("read").len(), 2, "{kind}");
        fs::remove_dir_all(&folder).expect("removed");
    }
}
