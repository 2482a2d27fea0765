//! Creates and updates the tables and functions of a store.

use tokio_postgres::{Client, GenericClient};

use super::error::{DatabaseError, PostgresError};
use super::names::Names;

/// The major version of the tables. Releases that need another one cannot use them.
const MAJOR: i32 = 1;

/// What each minor version adds. Releases of earlier minor versions work with the result.
const STEPS: [&str; 1] = [include_str!("schema.sql")];

/// Creates or updates the tables, unless they are up to date. Processes that do so at the same time
/// wait for each other.
pub(crate) async fn migrate(client: &mut Client, names: &Names) -> Result<(), PostgresError> {
    let found = version(&*client, names).await.map_err(failed)?;
    if is_supported(found)? {
        return Ok(());
    }
    let transaction = client.transaction().await.map_err(failed)?;
    let lock = "SET LOCAL statement_timeout = '60s'; \
        SELECT pg_advisory_xact_lock(hashtextextended('@schema', 0))";
    let locked = transaction.batch_execute(&names.sql(lock)).await;
    locked.map_err(failed)?;
    let found = version(&transaction, names).await.map_err(failed)?;
    if is_supported(found)? {
        return Ok(());
    }
    let done = update(&transaction, names, found.map_or(0, |(_, minor)| minor)).await;
    done.map_err(failed)?;
    transaction.commit().await.map_err(failed)
}

fn failed(error: tokio_postgres::Error) -> PostgresError {
    PostgresError::Migration(DatabaseError::from(error).into())
}

/// The number of steps, which is the minor version of this release.
fn minor() -> i32 {
    i32::try_from(STEPS.len()).unwrap_or(i32::MAX)
}

/// Returns `true` if tables of this version need no update.
fn is_supported(found: Option<(i32, i32)>) -> Result<bool, PostgresError> {
    match found {
        Some((major, _)) if major != MAJOR => Err(PostgresError::IncompatibleTables {
            found: major,
            supported: MAJOR,
        }),
        Some((_, found)) => Ok(found >= minor()),
        None => Ok(false),
    }
}

/// Returns the version of the tables, or `None` if the tables do not exist.
async fn version(
    client: &(impl GenericClient + Sync),
    names: &Names,
) -> Result<Option<(i32, i32)>, tokio_postgres::Error> {
    // Not `to_regclass`, which does not see what was committed since the transaction began.
    let exists = names.sql(
        "SELECT EXISTS (
            SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
            WHERE nspname || '.' || relname = '@schema'
        )",
    );
    if !client.query_one(&exists, &[]).await?.try_get(0)? {
        return Ok(None);
    }
    let select = names.sql(r#"SELECT major, minor FROM "@schema""#);
    let row = client.query_one(&select, &[]).await?;
    Ok(Some((row.try_get(0)?, row.try_get(1)?)))
}

async fn update(
    client: &(impl GenericClient + Sync),
    names: &Names,
    from: i32,
) -> Result<(), tokio_postgres::Error> {
    let schema = names.schema();
    // Not `IF NOT EXISTS`, which needs the privilege to create schemas even if it exists.
    let exists = "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)";
    if !client.query_one(exists, &[&schema]).await?.try_get(0)? {
        let create = format!("CREATE SCHEMA \"{schema}\"");
        client.batch_execute(&create).await?;
    }
    let steps = STEPS.iter().skip(usize::try_from(from).unwrap_or(0));
    for step in steps {
        client.batch_execute(&names.sql(step)).await?;
    }
    let table = r#"
        CREATE TABLE IF NOT EXISTS "@schema" (
            single boolean PRIMARY KEY DEFAULT true CHECK (single), major int NOT NULL, minor int NOT NULL
        )"#;
    client.batch_execute(&names.sql(table)).await?;
    let set = r#"
        INSERT INTO "@schema" (major, minor) VALUES ($1, $2)
        ON CONFLICT (single) DO UPDATE SET minor = excluded.minor"#;
    client.execute(&names.sql(set), &[&MAJOR, &minor()]).await?;
    Ok(())
}
