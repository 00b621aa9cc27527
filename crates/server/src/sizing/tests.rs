#![allow(clippy::unwrap_used)]
use super::*;
use host::resources::{Disk, DiskKind, Probe};
use proptest::prelude::*;

const GB: u64 = 1 << 30;

fn release(text: &str) -> Release {
    let comment = if text.contains("MariaDB") { "Debian" } else { "MySQL" };
    Release::parse(&format!("mysqld  Ver {text} for Linux on x86_64 ({comment})")).unwrap()
}

fn machine(cpus: f64, memory_bytes: u64) -> Resources {
    let disk = Disk {
        kind: DiskKind::Solid,
        name: Some("nvme0n1".into()),
        free_bytes: Some(2000 * GB),
        measured: None,
    };
    Resources {
        cpus,
        memory_bytes,
        available_bytes: memory_bytes / 100 * 97,
        is_limit: false,
        files_max: 1 << 20,
        disk,
    }
}

fn settings(pairs: &[(&str, &str)]) -> Settings {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn sized(resources: &Resources, release: &Release, given: &[(&str, &str)]) -> Sizing {
    let settings = settings(given);
    Sizing::of(resources, &Wishes { release, settings: &settings, connections: None }).unwrap()
}

fn value<'a>(sizing: &'a Sizing, name: &str) -> Option<&'a str> {
    sizing.options.iter().find(|it| it.name == name).map(|it| it.value.as_str())
}

#[test]
fn a_large_machine_is_sized_as_the_manual_says() {
    let sizing = sized(&machine(64.0, 256 * GB), &release("8.4.3"), &[]);
    for (name, expected) in [
        ("innodb_buffer_pool_size", "192G"),
        ("innodb_buffer_pool_instances", "16"),
        ("innodb_page_cleaners", "16"),
        ("innodb_redo_log_capacity", "64G"),
        ("innodb_log_buffer_size", "64M"),
        ("innodb_io_capacity", "10000"),
        ("innodb_read_io_threads", "16"),
        ("innodb_purge_threads", "4"),
        ("max_connections", "1000"),
        ("table_open_cache", "4000"),
        ("open_files_limit", "9010"),
        ("thread_cache_size", "1000"),
    ] {
        assert_eq!(value(&sizing, name), Some(expected), "{name}");
    }
    assert!(sizing.options.iter().all(|it| !it.reason.is_empty() && !it.source.is_empty()));
}

#[test]
fn each_release_gets_the_words_that_it_knows() {
    let names = |version: &str| -> Vec<String> {
        let sizing = sized(&machine(8.0, 32 * GB), &release(version), &[]);
        sizing.options.into_iter().map(|it| it.name).collect()
    };
    let has = |version: &str, name: &str| names(version).iter().any(|it| it == name);
    assert!(has("9.7.4", "innodb_redo_log_capacity"));
    assert!(!has("9.7.4", "innodb_log_file_size"));
    assert!(has("8.0.20", "innodb_log_files_in_group"));
    assert!(has("10.11.6-MariaDB", "innodb_log_file_size"));
    assert!(!has("10.11.6-MariaDB", "innodb_log_files_in_group"));
    assert!(!has("10.11.6-MariaDB", "innodb_buffer_pool_instances"));
    assert!(has("10.4.30-MariaDB", "innodb_page_cleaners"));
}

#[test]
fn what_was_decided_stays_and_the_rest_goes_round_it() {
    let given = [("max-connections", "4000"), ("innodb_log_file_size", "1G")];
    let sizing = sized(&machine(4.0, 16 * GB), &release("10.11.6-MariaDB"), &given);
    assert_eq!(value(&sizing, "max_connections"), None);
    assert_eq!(value(&sizing, "innodb_log_file_size"), None, "sized by another name");
    let roomy = sized(&machine(4.0, 16 * GB), &release("10.11.6-MariaDB"), &[]);
    assert!(sizing.memory.pool_bytes < roomy.memory.pool_bytes, "4,000 sessions take room");
    let all = sizing.under(&settings(&given));
    assert_eq!(all.get("max-connections").map(String::as_str), Some("4000"));
    assert!(!all.contains_key("max_connections"), "the same option twice");
}

#[test]
fn what_was_sized_is_sized_anew_and_what_it_was_told_besides_stays() {
    let my = release("9.7.4");
    let small = machine(8.0, 64 * GB).limited(&Size { cpus: None, memory_bytes: Some(GB) });
    let told = settings(&[("sync_binlog", "0")]);
    let (mut present, none) = Sizing::anew(&small, &my, &told, &Settings::new()).unwrap();
    assert_eq!(none, [""; 0]);
    assert_eq!(present["performance_schema"], "OFF");
    assert!(present.keys().all(|name| OPTIONS.contains(&name.as_str())), "{present:?}");
    present.extend(told);

    let given = settings(&[("max-connections", "50")]);
    let (set, stale) = Sizing::anew(&machine(8.0, 64 * GB), &my, &present, &given).unwrap();
    assert_eq!(set["innodb_buffer_pool_size"], "48G");
    assert_eq!(set["max-connections"], "50");
    assert!(!set.contains_key("sync_binlog") && !set.contains_key("max_connections"));
    assert_eq!(stale, ["performance_schema"]);
}

#[test]
fn a_small_instance_fits_and_one_that_cannot_is_told() {
    let gigabyte = machine(2.0, 24 * GB).limited(&Size { cpus: Some(1.0), memory_bytes: Some(GB) });
    let sizing = sized(&gigabyte, &release("9.7.4"), &[]);
    assert!(sizing.memory.spent_bytes() <= GB, "{:?}", sizing.memory);
    let tiny = gigabyte.limited(&Size { cpus: None, memory_bytes: Some(200 << 20) });
    let none = Settings::new();
    let wishes = Wishes { release: &release("9.7.4"), settings: &none, connections: Some(100) };
    let error = Sizing::of(&tiny, &wishes).unwrap_err().to_string();
    assert!(error.contains("200 MB") && error.contains("100 connections"), "{error}");
}

#[test]
fn a_measured_disk_decides_how_fast_pages_are_flushed() {
    let mut resources = machine(8.0, 32 * GB);
    resources.disk.measured =
        Some(Probe { reads_per_s: Some(9000.0), writes_per_s: 8765.0, is_direct: true });
    let sizing = sized(&resources, &release("9.7.4"), &[]);
    assert_eq!(value(&sizing, "innodb_io_capacity"), Some("4350"));
    assert_eq!(value(&sizing, "innodb_io_capacity_max"), Some("8700"));
    let half = sized(&resources.share(0.5), &release("9.7.4"), &[]);
    assert_eq!(value(&half, "innodb_io_capacity_max"), Some("4300"));
}

#[test]
fn settings_beyond_the_machine_name_option_limit_and_way_out() {
    let small = Resources { files_max: 20_000, ..machine(4.0, 8 * GB) };
    let my = release("9.7.4");
    for (given, words) in [
        (("innodb_buffer_pool_size", "150G"), ["innodb_buffer_pool_size = 150G", "8 GB"]),
        (("innodb-buffer-pool-size", "7800M"), ["innodb_buffer_pool_size", "or less"]),
        (("innodb_redo_log_capacity", "4T"), ["innodb_redo_log_capacity", "2000 GB"]),
        (("table_open_cache", "30000"), ["table_open_cache = 30000", "ulimit"]),
        (("open_files_limit", "65535"), ["open_files_limit", "20000"]),
        (("max_connections", "30000"), ["max_connections", "20000"]),
    ] {
        let error = check(&settings(&[given]), &my, &small).unwrap_err().to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    }
    check(&settings(&[("innodb_buffer_pool_size", "6G")]), &my, &small).unwrap();
    let files = [("innodb_log_file_size", "100G"), ("innodb_log_files_in_group", "32")];
    assert!(check(&settings(&files), &my, &small).is_err(), "3,200 GB of redo");
}

#[test]
fn a_published_listing_is_made_to_fit() {
    let mut listing = settings(&[
        ("max_connections", "2000"),
        ("innodb_log_file_size", "2048M"),
        ("innodb_log_files_in_group", "32"),
        ("innodb_buffer_pool_size", "150G"),
        ("innodb_buffer_pool_instances", "16"),
        ("innodb_page_cleaners", "16"),
        ("innodb_log_buffer_size", "2048M"),
        ("table_open_cache", "30000"),
        ("innodb_open_files", "10000"),
        ("innodb_flush_log_at_trx_commit", "1"),
    ]);
    let mut laptop = Resources { files_max: 20_000, ..machine(2.0, 8 * GB) };
    laptop.disk.free_bytes = Some(60 * GB);
    let before = listing.clone();
    let fitted = fit(&mut listing, &release("8.0.20"), &laptop);
    check(&listing, &release("8.0.20"), &laptop).unwrap();
    let names: Vec<&str> = fitted.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "innodb_log_buffer_size",
            "innodb_buffer_pool_instances",
            "innodb_page_cleaners",
            "innodb_buffer_pool_size",
            "innodb_log_file_size",
            "table_open_cache"
        ]
    );
    assert_eq!(listing["innodb_buffer_pool_size"], "3456M", "3 instances of 9 chunks");
    assert_eq!(listing["innodb_log_file_size"], "192M");
    assert_eq!(listing["innodb_flush_log_at_trx_commit"], "1");
    assert!(fitted.iter().all(|it| before[&it.name] == it.from && listing[&it.name] == it.to));
    let again = fit(&mut listing, &release("8.0.20"), &laptop);
    assert_eq!(again, [], "what fits is left alone");
    let mut whole = before.clone();
    let large = machine(96.0, 512 * GB);
    assert_eq!(fit(&mut whole, &release("8.0.20"), &large), []);
    assert_eq!(whole, before);
}

#[test]
fn numbers_of_option_files_are_read() {
    for (text, number) in
        [("1", Some(1)), ("64M", Some(64 << 20)), ("2g", Some(2 * GB)), ("1.5G", None), ("", None)]
    {
        assert_eq!(given::number(text), number, "{text}");
    }
    assert_eq!(written(GB * 3 / 2), "1536M");
    assert_eq!(written(5), "5");
}

proptest! {
    #[test]
    fn what_is_sized_fits(
        cpus in 0.1..256.0_f64, megabytes in 600..4_000_000_u64, maria: bool, limit: bool,
        connections in prop::option::of(1..5000_u32), files_max in 1024..1_000_000_u64,
    ) {
        let version = if maria { "10.11.6-MariaDB" } else { "9.7.4" };
        let release = release(version);
        let resources =
            Resources { is_limit: limit, files_max, ..machine(cpus, megabytes << 20) };
        let none = Settings::new();
        let wishes = Wishes { release: &release, settings: &none, connections };
        if let Ok(sizing) = Sizing::of(&resources, &wishes) {
            prop_assert!(sizing.memory.spent_bytes() <= resources.memory_bytes);
            let settings = sizing.settings();
            if connections.is_none_or(|count| u64::from(count) + 10 <= files_max) {
                prop_assert!(check(&settings, &release, &resources).is_ok());
            }
            let mut fitted = settings.clone();
            fit(&mut fitted, &release, &resources);
            prop_assert!(check(&fitted, &release, &resources).is_ok());
        }
    }

    #[test]
    fn any_listing_is_made_to_fit(
        values in prop::collection::vec("[0-9]{1,12}[KMGT]?", 9), megabytes in 1500..4_000_000_u64,
    ) {
        const NAMES: [&str; 9] = [
            "innodb_buffer_pool_size", "innodb_log_buffer_size", "innodb_redo_log_capacity",
            "max_connections", "table_open_cache", "open_files_limit", "innodb_open_files",
            "innodb_buffer_pool_instances", "sort_buffer_size",
        ];
        let pairs: Vec<_> = NAMES.into_iter().zip(values.iter().map(String::as_str)).collect();
        let mut listing = settings(&pairs);
        let resources = machine(4.0, megabytes << 20);
        fit(&mut listing, &release("8.4.3"), &resources);
        prop_assert!(check(&listing, &release("8.4.3"), &resources).is_ok(), "{listing:?}");
    }
}
