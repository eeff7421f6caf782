//! The table `_nouns_grants`: the tokens, and the sessions that are stored in the database.

use rusqlite::{Connection, OptionalExtension as _, Row, types::Type};

use crate::{
    base::grant_secret::SecretDigest,
    model::GrantKind,
    plan::grant::{Grant, GrantChange, GrantScopes, PasswordMark, SWEPT_MAX, USE_SECONDS},
};

/// The name of the table among the tables with revisions.
pub(super) const TABLE: &str = "_nouns_grants";

const COLUMNS: &str = "\"kind\", \"id\", \"account\", \"password\", \"name\", \"scopes\", \"persistent\", \
                       \"created_at\", \"expires_at\", \"used_at\"";

const ADD: &str = "INSERT INTO \"_nouns_grants\" \
    (\"digest\", \"kind\", \"id\", \"account\", \"password\", \"name\", \"scopes\", \"persistent\", \
     \"created_at\", \"expires_at\", \"used_at\") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";

const SWEEP: &str = "DELETE FROM \"_nouns_grants\" WHERE \"digest\" IN \
    (SELECT \"digest\" FROM \"_nouns_grants\" WHERE \"expires_at\" <= ?1 ORDER BY \"expires_at\" LIMIT ?2)";

/// Deletes the oldest grants of an account, so that one more fits.
const MAKE_ROOM: &str = "DELETE FROM \"_nouns_grants\" WHERE \"digest\" IN \
    (SELECT \"digest\" FROM \"_nouns_grants\" WHERE \"account\" = ?1 AND \"kind\" = ?2 \
     ORDER BY \"created_at\" DESC, \"id\" LIMIT -1 OFFSET ?3)";

const END: &str =
    "DELETE FROM \"_nouns_grants\" WHERE \"kind\" = ?1 AND \"account\" = ?2 AND \"id\" = ?3";

const USE: &str = "UPDATE \"_nouns_grants\" SET \"used_at\" = ?2 WHERE \"digest\" = ?1 AND \"used_at\" <= ?2 - ?3";

const KEEP: &str = "UPDATE \"_nouns_grants\" SET \"password\" = ?3 \
                    WHERE \"account\" = ?1 AND \"kind\" = 'token' AND \"password\" = ?2";

/// Finds the grant of a kind whose secret has a digest.
pub(super) fn find(
    connection: &Connection,
    kind: GrantKind,
    digest: SecretDigest,
) -> rusqlite::Result<Option<Grant>> {
    let text =
        format!("SELECT {COLUMNS} FROM \"_nouns_grants\" WHERE \"digest\" = ?1 AND \"kind\" = ?2");
    let mut statement = connection.prepare_cached(&text)?;
    statement.query_row((digest.0, kind.word()), read).optional()
}

/// Returns all grants of a kind that an account has, the newest first.
pub(super) fn all(
    connection: &Connection,
    kind: GrantKind,
    account: &str,
) -> rusqlite::Result<Vec<Grant>> {
    let text = format!(
        "SELECT {COLUMNS} FROM \"_nouns_grants\" WHERE \"account\" = ?1 AND \"kind\" = ?2 \
         ORDER BY \"created_at\" DESC, \"id\""
    );
    let mut statement = connection.prepare_cached(&text)?;
    statement.query_map((account, kind.word()), read)?.collect()
}

/// Makes a change, and returns the number of grants that have changed.
pub(super) fn change(connection: &Connection, change: &GrantChange) -> rusqlite::Result<u64> {
    let run = |text: &str, values: &[&dyn rusqlite::ToSql]| {
        connection.prepare_cached(text)?.execute(values).map(|count| count as u64)
    };
    match change {
        GrantChange::Add { digest, grant, most } => {
            let (kind, others) = (grant.kind.word(), most.saturating_sub(1));
            run(SWEEP, &[&grant.created_at, &SWEPT_MAX])?;
            run(MAKE_ROOM, &[&grant.account, &kind, &others])?;
            run(
                ADD,
                &[
                    &digest.0,
                    &kind,
                    &grant.id,
                    &grant.account,
                    &grant.password.0,
                    &grant.name,
                    &grant.scopes.0,
                    &grant.is_persistent,
                    &grant.created_at,
                    &grant.expires_at,
                    &grant.used_at,
                ],
            )
        }
        GrantChange::End { kind, account, id } => run(END, &[&kind.word(), account, id]),
        GrantChange::Use(uses) => {
            let one = |(digest, at): &(SecretDigest, i64)| run(USE, &[&digest.0, at, &USE_SECONDS]);
            uses.iter().map(one).sum()
        }
        GrantChange::Keep { account, before, after } => run(KEEP, &[account, &before.0, &after.0]),
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<Grant> {
    let kind = match row.get_ref(0)?.as_str()? {
        "session" => GrantKind::Session,
        "token" => GrantKind::Token,
        _ => return Err(rusqlite::Error::InvalidColumnType(0, "kind".into(), Type::Text)),
    };
    Ok(Grant {
        kind,
        id: row.get(1)?,
        account: row.get(2)?,
        password: PasswordMark(row.get(3)?),
        name: row.get(4)?,
        scopes: GrantScopes(row.get(5)?),
        is_persistent: row.get(6)?,
        created_at: row.get(7)?,
        expires_at: row.get(8)?,
        used_at: row.get(9)?,
    })
}
