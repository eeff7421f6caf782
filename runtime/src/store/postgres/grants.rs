//! The table `_nouns_grants`: the tokens, and the sessions that are stored in the database.

use tokio_postgres::Row as ServerRow;

use super::handle::PostgresHandle;
use crate::{
    base::grant_secret::SecretDigest,
    model::GrantKind,
    plan::grant::{Grant, GrantChange, GrantScopes, PasswordMark, SWEPT_MAX, USE_SECONDS},
    store::failure::Failure,
};

/// The name of the table among those with counters. Its counters count the ended grants.
pub(super) const TABLE: &str = "_nouns_grants";

/// Finds the grant whose secret has a digest, if it is of a kind.
pub(super) const FIND: &str = "SELECT \"kind\", \"id\", \"account\", \"password\", \"name\", \"scopes\", \"persistent\", \"created_at\", \"expires_at\", \"used_at\" \
    FROM \"_nouns_grants\" WHERE \"digest\" = $1 AND \"kind\" = $2";
/// Finds all grants of a kind that an account has, the newest first.
pub(super) const ALL: &str = "SELECT \"kind\", \"id\", \"account\", \"password\", \"name\", \"scopes\", \"persistent\", \"created_at\", \"expires_at\", \"used_at\" \
    FROM \"_nouns_grants\" WHERE \"account\" = $1 AND \"kind\" = $2 ORDER BY \"created_at\" DESC, \"id\"";

const ADD: &str = "INSERT INTO \"_nouns_grants\" \
    (\"digest\", \"kind\", \"id\", \"account\", \"password\", \"name\", \"scopes\", \"persistent\", \
     \"created_at\", \"expires_at\", \"used_at\") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

/// Rows that another transaction has locked are left to it.
const SWEEP: &str = "DELETE FROM \"_nouns_grants\" WHERE \"digest\" = ANY(ARRAY(SELECT \"digest\" FROM \"_nouns_grants\" \
    WHERE \"expires_at\" <= $1 ORDER BY \"expires_at\" LIMIT $2 FOR UPDATE SKIP LOCKED))";

/// Deletes the oldest grants of an account, so that one more fits.
const MAKE_ROOM: &str = "DELETE FROM \"_nouns_grants\" WHERE \"digest\" = ANY(ARRAY(SELECT \"digest\" FROM \"_nouns_grants\" \
    WHERE \"account\" = $1 AND \"kind\" = $2 ORDER BY \"created_at\" DESC, \"id\" OFFSET $3))";

const END: &str =
    "DELETE FROM \"_nouns_grants\" WHERE \"kind\" = $1 AND \"account\" = $2 AND \"id\" = $3";

const USE: &str = "UPDATE \"_nouns_grants\" SET \"used_at\" = $2 WHERE \"digest\" = $1 AND \"used_at\" <= $2::bigint - $3::bigint";

const KEEP: &str = "UPDATE \"_nouns_grants\" SET \"password\" = $3 \
    WHERE \"account\" = $1 AND \"kind\" = 'token' AND \"password\" = $2";

/// The grants that a change has changed, and those that it has ended besides.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ChangedGrants {
    pub(super) count: u64,
    pub(super) ended: u64,
}

/// Makes a change in the open transaction.
pub(super) fn change(
    handle: &mut PostgresHandle,
    change: &GrantChange,
) -> Result<ChangedGrants, Failure> {
    match change {
        GrantChange::Add { digest, grant, most } => {
            let others = i64::from(most.saturating_sub(1));
            let swept = handle.change(SWEEP, &[&grant.created_at, &i64::from(SWEPT_MAX)])?;
            let kind = grant.kind.word();
            let displaced = handle.change(MAKE_ROOM, &[&grant.account, &kind, &others])?;
            let count = add(handle, *digest, grant)?;
            Ok(ChangedGrants { count, ended: swept + displaced })
        }
        GrantChange::End { kind, account, id } => {
            let count = handle.change(END, &[&kind.word(), account, id])?;
            Ok(ChangedGrants { count, ended: count })
        }
        GrantChange::Use(uses) => {
            let mut count = 0;
            // All transactions lock the rows in the same order.
            let mut uses: Vec<_> = uses.iter().collect();
            uses.sort_unstable_by_key(|(digest, _)| digest.0);
            for (digest, at) in uses {
                count += handle.change(USE, &[&&digest.0[..], at, &USE_SECONDS])?;
            }
            Ok(ChangedGrants { count, ended: 0 })
        }
        GrantChange::Keep { account, before, after } => {
            let count = handle.change(KEEP, &[account, &&before.0[..], &&after.0[..]])?;
            Ok(ChangedGrants { count, ended: 0 })
        }
    }
}

fn add(handle: &mut PostgresHandle, digest: SecretDigest, grant: &Grant) -> Result<u64, Failure> {
    handle.change(
        ADD,
        &[
            &&digest.0[..],
            &grant.kind.word(),
            &grant.id,
            &grant.account,
            &&grant.password.0[..],
            &grant.name,
            &i32::from(grant.scopes.0),
            &grant.is_persistent,
            &grant.created_at,
            &grant.expires_at,
            &grant.used_at,
        ],
    )
}

/// Returns the grant in a row.
pub(super) fn read(row: &ServerRow) -> Result<Grant, Failure> {
    let broken = || Failure::internal("a stored grant cannot be read");
    let kind = match row.get::<_, &str>(0) {
        "session" => GrantKind::Session,
        "token" => GrantKind::Token,
        _ => return Err(broken()),
    };
    Ok(Grant {
        kind,
        id: row.get(1),
        account: row.get(2),
        password: PasswordMark(row.get::<_, &[u8]>(3).try_into().map_err(|_| broken())?),
        name: row.get(4),
        scopes: GrantScopes(u8::try_from(row.get::<_, i32>(5)).map_err(|_| broken())?),
        is_persistent: row.get(6),
        created_at: row.get(7),
        expires_at: row.get(8),
        used_at: row.get(9),
    })
}
