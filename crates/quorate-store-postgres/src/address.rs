//! Where the database is: one host or several, of which one takes writes.

use std::str::FromStr;

use quorate_runtime::ports::StoreError;
use sqlx::postgres::PgConnectOptions;

/// How a statement or a lock that waits in vain ends, so that a node never hangs on a half-dead server, and none that
/// stands still in the middle of a transaction keeps others from its games.
const SESSION: [(&str, &str); 3] = [
    ("lock_timeout", "4s"),
    ("statement_timeout", "30s"),
    ("idle_in_transaction_session_timeout", "3s"),
];

/// The hosts of an address, such as `postgres://name:word@one:5432,two:5432/quorate`.
pub(crate) fn hosts(address: &str, node: &str) -> Result<Vec<PgConnectOptions>, StoreError> {
    let wrong = |cause: String| {
        StoreError::Failed {
        cause: format!(
            "the address of the database cannot be read ({cause}): it looks like postgres://name:word@one:5432,two:5432/quorate"
        )
        .into(),
    }
    };
    let (scheme, rest) = address
        .split_once("://")
        .ok_or_else(|| wrong("it has no ://".to_owned()))?;
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let (user, names) = match authority.rsplit_once('@') {
        Some((user, names)) => (format!("{user}@"), names),
        None => (String::new(), authority),
    };
    let each = names.split(',').map(|host| {
        let one = format!("{scheme}://{user}{host}{path}");
        let options = PgConnectOptions::from_str(&one).map_err(|e| wrong(e.to_string()))?;
        Ok(options
            .application_name(&format!("quorate {node}"))
            .options(SESSION))
    });
    each.collect()
}

/// The address without its password, to be shown.
pub(crate) fn shown(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else {
        return address.to_owned();
    };
    match rest.rsplit_once('@') {
        Some((user, rest)) => {
            let name = user.split(':').next().unwrap_or_default();
            format!("{scheme}://{name}@{rest}")
        }
        None => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_has_its_own_port_and_all_share_the_rest() {
        let hosts = hosts("postgres://anna:word@one:5432,two:5433/games", "n1").unwrap();
        let told: Vec<_> = hosts
            .iter()
            .map(|h| {
                (
                    h.get_host(),
                    h.get_port(),
                    h.get_username(),
                    h.get_database(),
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                ("one", 5432, "anna", Some("games")),
                ("two", 5433, "anna", Some("games"))
            ]
        );
    }

    #[test]
    fn a_socket_is_a_host_too() {
        let hosts = hosts("postgres:///games?host=/run/db&user=anna", "n1").unwrap();
        assert_eq!(hosts.len(), 1);
        assert!(hosts[0].get_socket().is_some());
    }

    #[test]
    fn what_is_no_address_is_told_so() {
        let error = hosts("games", "n1").unwrap_err();
        assert!(error.to_string().contains("postgres://"), "{error}");
        assert!(hosts("postgres://one:port/games", "n1").is_err());
    }

    #[test]
    fn the_password_is_not_shown() {
        assert_eq!(
            shown("postgres://anna:word@one,two/games"),
            "postgres://anna@one,two/games"
        );
        assert_eq!(shown("postgres://one/games"), "postgres://one/games");
    }
}
