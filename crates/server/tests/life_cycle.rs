//! An instance's life with real servers, when all goes well.

#![allow(clippy::unwrap_used)]

mod support;

use std::{fs, os::unix::fs::PermissionsExt, path::Path, time::SystemTime};

use client::{Connection, Secret};
use server::{
    Flavour, InitOptions, Installation, Instance, Settings, StartOptions, Status, Stopped, Via,
    scratch::{ScratchServer, Unavailable},
};
use support::*;

on_both!(
    an_instance_lives_from_init_to_remove,
    the_password_is_needed_and_in_no_argument_or_log,
    settings_go_over_the_base,
    the_base_needs_no_settings,
    the_port_can_be_changed_at_a_start,
    a_scratch_server_leaves_nothing,
);

async fn an_instance_lives_from_init_to_remove(installation: Installation) {
    let place = Place::new();
    let mut instance = place.instance(&installation).await;
    assert_eq!(instance.status(), Status::Stopped);
    assert_eq!(instance.stop(DEADLINE).await.unwrap(), Stopped::WasStopped);

    let serving = instance.start(&start()).await.unwrap();
    assert_eq!(serving.port, instance.port());
    assert!(serving.since.unwrap() <= SystemTime::now() + std::time::Duration::from_secs(2));
    // Another value, as another command would have it.
    let seen = Instance::open(&place.home, &name("a")).unwrap();
    assert_eq!(seen.status(), Status::Running(serving.clone()));

    let version = installation.release().version.to_string();
    for via in [Via::Socket, Via::Tcp] {
        let target = instance.target(via).unwrap();
        let told = query(&target, "SELECT VERSION()").await;
        assert!(told[0].starts_with(&version), "{told:?}");
    }
    let target = instance.target(Via::Tcp).unwrap();
    query(&target, "CREATE DATABASE kept").await;

    assert_eq!(instance.stop(DEADLINE).await.unwrap(), Stopped::Ended { pid: serving.pid });
    assert_eq!(instance.status(), Status::Stopped);
    let entry = format!("/proc/{}", serving.pid);
    until("not even a zombie is left", || !Path::new(&entry).exists()).await;
    for file in ["mysqld.sock", "mysqld.pid", "run.json"] {
        assert!(!instance.dir().join(file).exists(), "{file}");
    }

    instance.start(&start()).await.unwrap();
    assert_eq!(query(&target, "SHOW DATABASES LIKE 'kept'").await, ["kept"]);
    instance.stop(DEADLINE).await.unwrap();
    instance.remove().await.unwrap();
    assert_eq!(Instance::list(&place.home).unwrap().len(), 0);
    let left: Vec<_> = fs::read_dir(place.home.servers()).unwrap().flatten().collect();
    assert_eq!(left.iter().filter(|entry| entry.path().is_dir()).count(), 0, "{left:?}");
}

async fn the_password_is_needed_and_in_no_argument_or_log(installation: Installation) {
    let place = Place::new();
    let draft = place.home.servers().join(".init-a/root.password");
    let mut watched = 0;
    let mut instance = {
        let making = place.instance(&installation);
        tokio::pin!(making);
        loop {
            tokio::select! {
                made = &mut making => break made,
                () = tokio::time::sleep(std::time::Duration::from_millis(20)) => {
                    if let Ok(password) = fs::read_to_string(&draft)
                        && !password.is_empty()
                    {
                        assert!(!all_arguments().contains(password.trim()));
                        watched += 1;
                    }
                }
            }
        }
    };
    assert!(watched > 0, "initialisation was seen at work");
    instance.start(&start()).await.unwrap();
    let password = fs::read_to_string(instance.password_file()).unwrap();
    let password = password.trim();
    assert_eq!(password.len(), 32);
    assert!(!all_arguments().contains(password));
    for file in ["log/mysqld.log", "log/init.log", "my.cnf", "instance.json", "run.json"] {
        let text = fs::read_to_string(instance.dir().join(file)).unwrap();
        assert!(!text.contains(password), "{file}");
    }
    assert!(!instance.dir().join("init.sql").exists());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&instance.password_file()), 0o600);
    for dir in ["", "data", "tmp", "log"] {
        assert_eq!(mode(&instance.dir().join(dir)), 0o700, "{dir:?}");
    }

    let plugin = match installation.release().flavour {
        Flavour::MariaDb => "mysql_native_password",
        Flavour::MySql | Flavour::Percona => "caching_sha2_password",
    };
    let sql = "SELECT host, plugin FROM mysql.user WHERE user = 'root' ORDER BY host";
    let accounts = query(&instance.target(Via::Socket).unwrap(), sql).await;
    let expected = ["127.0.0.1", "::1", "localhost"].map(|host| format!("{host} {plugin}"));
    assert_eq!(accounts, expected);
    for (via, password) in [(Via::Socket, ""), (Via::Tcp, ""), (Via::Tcp, "wrong")] {
        let mut target = instance.target(via).unwrap();
        target.password = Secret::new(password);
        let error = Connection::connect(&target).await.err().unwrap();
        assert_eq!(error.code(), 1045, "{via:?}: {error}");
    }
}

async fn settings_go_over_the_base(installation: Installation) {
    let place = Place::new();
    let mut settings = setting("max_connections", "77");
    settings.extend(setting("init_connect", "SET @a = '#' -- \\"));
    assert!(place.init(&installation, settings).await.is_err(), "a quote and a # at once");
    let mut settings = setting("max_connections", "77");
    settings.extend(setting("init_connect", "SET @a = 1 # \\ "));
    settings.extend(setting("innodb_flush_log_at_trx_commit", "1"));
    let mut instance = place.init(&installation, settings).await.unwrap();
    assert_eq!(instance.settings()["max_connections"], "77");
    instance.start(&start()).await.unwrap();
    let sql = "SELECT @@max_connections, @@init_connect, @@bind_address, @@skip_name_resolve, \
               @@log_bin, @@local_infile, @@character_set_server, @@default_storage_engine, \
               @@innodb_flush_log_at_trx_commit";
    let told = query(&instance.target(Via::Tcp).unwrap(), sql).await;
    assert_eq!(told, ["77 SET @a = 1 # \\  127.0.0.1 1 0 1 utf8mb4 InnoDB 1"]);
}

async fn the_port_can_be_changed_at_a_start(installation: Installation) {
    let place = Place::new();
    let mut instance = place.instance(&installation).await;
    let options = InitOptions::default();
    let again = Instance::init(&place.home, &name("a"), &installation, &options).await;
    assert!(matches!(again.unwrap_err(), server::Error::Exists(_)));

    let before = instance.port();
    let port = (20_000..)
        .find(|port| *port != before && std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok());
    let options = StartOptions { port, ..start() };
    let serving = instance.start(&options).await.unwrap();
    assert_eq!(Some(serving.port), port);
    let told = query(&instance.target(Via::Tcp).unwrap(), "SELECT @@port").await;
    assert_eq!(told, [serving.port.to_string()]);
    assert_eq!(Instance::open(&place.home, &name("a")).unwrap().port(), serving.port, "kept");
}

async fn a_scratch_server_leaves_nothing(installation: Installation) {
    let mut server = match ScratchServer::start(installation.release().flavour).await {
        Err(Unavailable::MySqlAbsent) => return,
        server => server.unwrap(),
    };
    assert_eq!(query(&server.target().unwrap(), "SELECT 1").await, ["1"]);
    assert_eq!(query(&server.socket_target().unwrap(), "SELECT 1").await, ["1"]);
    let dir = server.instance().dir().to_owned();
    assert!(any_server_below(&dir));
    drop(server);
    assert!(!dir.exists());
    assert!(!any_server_below(&dir));
}

/// The base as it is, with no setting over it, is taken without complaint.
async fn the_base_needs_no_settings(installation: Installation) {
    let place = Place::new();
    let options = InitOptions::default();
    let made = Instance::init(&place.home, &name("a"), &installation, &options).await;
    let mut instance = made.unwrap();
    assert_eq!(instance.settings(), &Settings::new());
    instance.start(&start()).await.unwrap();
    let sql = "SELECT @@innodb_flush_log_at_trx_commit, @@innodb_buffer_pool_size, \
               @@innodb_flush_method, @@max_connections";
    let told = query(&instance.target(Via::Tcp).unwrap(), sql).await;
    assert_eq!(told, ["1 536870912 O_DIRECT 1000"]);
    let log = fs::read_to_string(instance.log()).unwrap();
    assert!(!log.contains("[ERROR]") && !log.contains("unknown"), "{log}");
}
