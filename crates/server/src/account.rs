//! The account that an instance is reached by: root, from this machine only, with a random
//! password that lives in one file and travels in no argument.

use std::fmt::Write as _;

use client::Secret;
use rand::{Rng, RngExt, distr::Alphanumeric};

/// Length of the password: 32 of 62 characters are 190 bits.
const PASSWORD_CHARS: usize = 32;

/// Hosts that root comes from: the socket, and both loopback addresses, since names are not
/// resolved.
const HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// The account's name.
pub(crate) const USER: &str = "root";

/// A password of letters and digits, which no quoting can spoil.
pub(crate) fn random_password(rng: &mut impl Rng) -> Secret {
    let text: String = rng.sample_iter(Alphanumeric).take(PASSWORD_CHARS).map(char::from).collect();
    Secret::new(text)
}

/// SQL for the init file of `mysqld --initialize-insecure`, one statement a line. The account
/// gets the version's own authentication: `caching_sha2_password` since 8.0.
pub(crate) fn mysql_sql(password: &Secret) -> String {
    let password = password.expose();
    let mut sql = String::new();
    for host in HOSTS {
        // Initialisation has made root@localhost. Writing to a String cannot fail.
        let verb = if host == "localhost" { "ALTER" } else { "CREATE" };
        let _ = writeln!(sql, "{verb} USER '{USER}'@'{host}' IDENTIFIED BY '{password}';");
        if verb == "CREATE" {
            for right in ["ALL PRIVILEGES ON *.*", "PROXY ON ''@''"] {
                let _ = writeln!(sql, "GRANT {right} TO '{USER}'@'{host}' WITH GRANT OPTION;");
            }
        }
    }
    sql
}

/// SQL to follow MariaDB's system tables in its bootstrap, where account statements are not yet
/// available. The tables' own script has made root for every host of [`HOSTS`] and for the
/// machine's name, without a password.
pub(crate) fn mariadb_sql(password: &Secret) -> String {
    let hosts: Vec<_> = HOSTS.iter().map(|host| format!("'{host}'")).collect();
    let (hosts, password) = (hosts.join(","), password.expose());
    format!(
        "DELETE FROM mysql.global_priv WHERE User='' OR \
         (User='{USER}' AND Host NOT IN ({hosts}));\n\
         DELETE FROM mysql.proxies_priv WHERE Host NOT IN ({hosts});\n\
         UPDATE mysql.global_priv SET Priv=JSON_SET(Priv,'$.plugin','mysql_native_password',\
         '$.authentication_string',PASSWORD('{password}')) WHERE User='{USER}';\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_long_plain_and_never_the_same() {
        let mut rng = rand::rng();
        let (one, other) = (random_password(&mut rng), random_password(&mut rng));
        assert_eq!(one.expose().len(), PASSWORD_CHARS);
        assert!(one.expose().chars().all(|c| c.is_ascii_alphanumeric()));
        assert_ne!(one.expose(), other.expose());
    }

    #[test]
    fn every_host_gets_the_password_on_a_line_of_its_own() {
        let sql = mysql_sql(&Secret::new("pw"));
        for host in HOSTS {
            let account = format!("USER 'root'@'{host}' IDENTIFIED BY 'pw';");
            assert_eq!(sql.lines().filter(|line| line.ends_with(&account)).count(), 1);
            assert!(mariadb_sql(&Secret::new("pw")).contains(&format!("'{host}'")));
        }
    }
}
