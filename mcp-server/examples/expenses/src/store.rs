//! The expenses of all users, in a SQLite database.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_server::{HandlerError, Principal};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An id is never used twice, so that a URI never names another expense later.
const TABLE: &str = "CREATE TABLE IF NOT EXISTS expense (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    owner TEXT NOT NULL,
    day TEXT NOT NULL,
    cents INTEGER NOT NULL,
    category TEXT NOT NULL,
    note TEXT)";

/// What the user of a tool fills in. The comments become descriptions for the model.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct NewExpense {
    /// The day, such as 2026-11-28
    #[schemars(extend("format" = "date"))]
    day: String,
    /// The amount in cents
    #[schemars(range(min = 1))]
    cents: u32,
    /// One word, such as "food" or "travel"
    #[schemars(length(min = 1, max = 40))]
    category: String,
    /// What it was for
    #[schemars(length(max = 200))]
    note: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Expense {
    pub(crate) id: i64,
    pub(crate) day: String,
    pub(crate) cents: i64,
    pub(crate) category: String,
    pub(crate) note: Option<String>,
}

impl Expense {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            day: row.get(1)?,
            cents: row.get(2)?,
            category: row.get(3)?,
            note: row.get(4)?,
        })
    }
}

/// A connection that all handlers share.
#[derive(Clone)]
pub(crate) struct Store(Arc<Mutex<Connection>>);

impl Store {
    /// Opens a file, which is created if it does not exist. The file `:memory:` is in memory.
    pub(crate) fn open(file: impl AsRef<Path>) -> rusqlite::Result<Self> {
        let connection = Connection::open(file)?;
        connection.execute(TABLE, [])?;
        Ok(Self(Arc::new(Mutex::new(connection))))
    }

    pub(crate) async fn add(
        &self,
        Principal(owner): Principal,
        new: NewExpense,
    ) -> Result<Expense, HandlerError> {
        const INSERT: &str = "INSERT INTO expense (owner, day, cents, category, note)
            VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id, day, cents, category, note";
        self.run(move |db| {
            let values = params![owner, new.day, new.cents, new.category, new.note];
            db.query_row(INSERT, values, Expense::from_row)
        })
        .await
    }

    /// Returns at most `limit` expenses with ids above `after`, in the order of their ids.
    pub(crate) async fn list(
        &self,
        Principal(owner): Principal,
        category: Option<String>,
        after: i64,
        limit: i64,
    ) -> Result<Vec<Expense>, HandlerError> {
        const LIST: &str = "SELECT id, day, cents, category, note FROM expense
            WHERE owner = ?1 AND (?2 IS NULL OR category = ?2) AND id > ?3 ORDER BY id LIMIT ?4";
        self.run(move |db| {
            let mut query = db.prepare(LIST)?;
            let values = params![owner, category, after, limit];
            query.query_map(values, Expense::from_row)?.collect()
        })
        .await
    }

    /// Returns the number of expenses and their sum in cents.
    pub(crate) async fn total(
        &self,
        Principal(owner): Principal,
        category: Option<String>,
    ) -> Result<(i64, i64), HandlerError> {
        const TOTAL: &str = "SELECT count(*), coalesce(sum(cents), 0) FROM expense
            WHERE owner = ?1 AND (?2 IS NULL OR category = ?2)";
        self.run(move |db| {
            let values = params![owner, category];
            db.query_row(TOTAL, values, |row| Ok((row.get(0)?, row.get(1)?)))
        })
        .await
    }

    pub(crate) async fn find(
        &self,
        Principal(owner): Principal,
        id: i64,
    ) -> Result<Option<Expense>, HandlerError> {
        const FIND: &str = "SELECT id, day, cents, category, note FROM expense
            WHERE owner = ?1 AND id = ?2";
        self.run(move |db| {
            let found = db.query_row(FIND, params![owner, id], Expense::from_row);
            found.optional()
        })
        .await
    }

    /// Returns `false` if the user has no such expense.
    pub(crate) async fn delete(
        &self,
        Principal(owner): Principal,
        id: i64,
    ) -> Result<bool, HandlerError> {
        const DELETE: &str = "DELETE FROM expense WHERE owner = ?1 AND id = ?2";
        self.run(move |db| Ok(db.execute(DELETE, params![owner, id])? > 0))
            .await
    }

    /// Runs a query on a thread that may block: SQLite does.
    async fn run<T: Send + 'static>(
        &self,
        query: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, HandlerError> {
        let connection = Arc::clone(&self.0);
        let run = move || query(&connection.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(tokio::task::spawn_blocking(run).await??)
    }
}
