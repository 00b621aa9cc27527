//! The five procedures: their text, their version, putting them into a database and finding out
//! which are in one.

use super::{error::Error, profile::Profile};
use client::{Connection, Target};
use std::collections::BTreeMap;

/// Names of the procedures in the order of [`crate::tpcc::input::Kind::ALL`].
pub const NAMES: [&str; 5] = ["NEWORD", "PAYMENT", "OSTAT", "DELIVERY", "SLEV"];

const HAMMERDB: [&str; 5] = [
    include_str!("hammerdb/neword.sql"),
    include_str!("hammerdb/payment.sql"),
    include_str!("hammerdb/ostat.sql"),
    include_str!("hammerdb/delivery.sql"),
    include_str!("hammerdb/slev.sql"),
];
const SPEC: [&str; 5] = [
    include_str!("spec/neword.sql"),
    include_str!("spec/payment.sql"),
    include_str!("spec/ostat.sql"),
    include_str!("spec/delivery.sql"),
    include_str!("spec/slev.sql"),
];

/// What stands in the COMMENT of each procedure, for example `myrig tprocc hammerdb/1`.
pub fn version(profile: Profile) -> String {
    format!("myrig tprocc {}", profile.versioned())
}

/// The five CREATE PROCEDURE statements.
pub fn statements(profile: Profile) -> [String; 5] {
    let texts = match profile {
        Profile::HammerDb => HAMMERDB,
        Profile::Spec => SPEC,
    };
    texts.map(|text| text.replace("{version}", &version(profile)))
}

/// Drops what procedures of these names there are and makes those of `profile`.
///
/// # Errors
/// [`Error::NoCreateRoutine`] where the account may not; otherwise what the server said.
pub async fn install(
    connection: &mut Connection,
    target: &Target,
    profile: Profile,
) -> Result<(), Error> {
    drop_all(connection, target).await?;
    for (name, statement) in NAMES.iter().zip(statements(profile)) {
        let made = connection.run(&statement).await;
        made.map_err(|error| Error::routine(target, format!("making procedure {name}"), error))?;
    }
    Ok(())
}

/// Drops the procedures of these names.
///
/// # Errors
/// [`Error::NoCreateRoutine`] where the account may not; otherwise what the server said.
pub async fn drop_all(connection: &mut Connection, target: &Target) -> Result<(), Error> {
    for name in NAMES {
        let dropped = connection.run(&format!("DROP PROCEDURE IF EXISTS {name}")).await;
        let doing = format!("dropping procedure {name}");
        dropped.map_err(|error| Error::routine(target, doing, error))?;
    }
    Ok(())
}

/// Makes sure that the five are in the connection's database, and of this profile and version.
///
/// # Errors
/// [`Error::OtherProcedures`] names one that is missing or of another version.
pub async fn expect(
    connection: &mut Connection,
    target: &Target,
    profile: Profile,
) -> Result<(), Error> {
    let sql = "SELECT ROUTINE_NAME, ROUTINE_COMMENT FROM information_schema.ROUTINES \
               WHERE ROUTINE_SCHEMA = DATABASE() AND ROUTINE_TYPE = 'PROCEDURE'";
    let rows = connection.query(sql).await.map_err(Error::database("listing the procedures"))?;
    let found: BTreeMap<String, String> =
        rows.iter().filter_map(|row| Some((row.text(0)?, row.text(1)?))).collect();
    let wanted = version(profile);
    for name in NAMES {
        let comment = found.get(name);
        if comment != Some(&wanted) {
            let found = match comment.map(String::as_str) {
                // The server shows procedures only to those who may do something with them.
                None => "missing, or hidden from an account without EXECUTE".to_owned(),
                Some("") => "somebody else's".to_owned(),
                Some(comment) => format!("`{comment}`"),
            };
            let database = target.database.clone().unwrap_or_default();
            return Err(Error::OtherProcedures { database, name, found, wanted });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FNV-1a, 64 bits.
    fn hash(texts: [&str; 5]) -> u64 {
        texts.iter().flat_map(|text| text.bytes()).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        })
    }

    #[test]
    fn a_text_that_changed_has_another_version() {
        // Whoever changes a procedure gives the profile a new version and the new hash here.
        for (profile, texts, version, expected) in [
            (Profile::HammerDb, HAMMERDB, "hammerdb/1", 0x9924_84f8_86d6_6a25),
            (Profile::Spec, SPEC, "spec/1", 0x31c2_3bd3_36e7_fe6b),
        ] {
            assert_eq!((profile.versioned().as_str(), hash(texts)), (version, expected));
        }
    }

    #[test]
    fn each_statement_makes_the_procedure_of_its_name_and_says_its_version() {
        for profile in Profile::ALL {
            for (name, text) in NAMES.iter().zip(statements(profile)) {
                assert!(text.starts_with(&format!("CREATE PROCEDURE {name} (")), "{text}");
                assert!(text.contains(&format!("COMMENT 'myrig tprocc {profile}/1'")), "{text}");
            }
        }
    }

    #[test]
    fn the_signatures_of_hammerdb_have_its_numbers_of_parameters() {
        let parameters = |text: &str| {
            let end = text.find("SQL SECURITY").unwrap_or_default();
            text[..end].lines().filter(|line| line.starts_with("  ")).count()
        };
        assert_eq!(HAMMERDB.map(parameters), [12, 33, 11, 3, 4]);
    }
}
