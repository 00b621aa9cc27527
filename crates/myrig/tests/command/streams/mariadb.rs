//! A real server under the daemon.

use super::{entry, has, status};
use crate::support::{Server, until};
use std::path::Path;
use streams::Lifetime;

#[test]
fn the_files_of_a_real_mariadb_get_their_hints_as_they_appear() {
    let server = Server::own("");
    let dir = server.fact("data_dir");
    let dir = Path::new(&dir);
    let rig = &server.rig;
    rig.run(&format!("streams start -i {} --rules-for mariadb", dir.display())).good();
    has(&dir.join("ibdata1"), Lifetime::Short);
    has(&dir.join("ib_logfile0"), Lifetime::None);
    server.query("CREATE DATABASE hinted");
    server.query("CREATE TABLE hinted.t (a INT PRIMARY KEY) ENGINE=InnoDB");
    has(&dir.join("hinted/t.ibd"), Lifetime::Long);
    // A table that is built anew is another file, renamed into its place.
    server.query("ALTER TABLE hinted.t ADD COLUMN b INT, ALGORITHM=COPY");
    has(&dir.join("hinted/t.ibd"), Lifetime::Long);
    server.query("INSERT INTO hinted.t VALUES (1, 1)");
    until("all of them have theirs", || {
        let shown = status(rig);
        shown["files"].as_array().unwrap().iter().all(|file| file["wanted"] == file["real"])
    });
    let shown = status(rig);
    assert_eq!(entry(&shown, "/ib_logfile0")["real"], "none");
    assert!(shown["rules_error"].is_null() && shown["figures"]["failures"] == 0, "{shown}");
    rig.run("streams stop").good();
}
