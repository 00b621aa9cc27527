//! `myrig demo`: the experiment `demo`, with the keys that one asks for first as options.

use crate::{
    args::{DemoArgs, RunExperimentArgs, show_duration},
    experiment,
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
};

pub(crate) fn run(args: &DemoArgs, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    experiment::run(&as_experiment(args), paths, output)
}

fn as_experiment(args: &DemoArgs) -> RunExperimentArgs {
    RunExperimentArgs {
        experiment: Some("demo".into()),
        scale: None,
        destroy_data: Vec::new(),
        overrides: overrides(args),
        plan: args.plan,
        label: "demo".into(),
        report: args.report.clone(),
        resume: None,
        cleanup: None,
        keep: false,
    }
}

/// What was typed, as keys of the experiment file.
fn overrides(args: &DemoArgs) -> Vec<String> {
    let DemoArgs { installation, warehouses, connections, ramp_up, duration, runs, .. } = args;
    let program =
        |path: &Option<std::path::PathBuf>| path.as_ref().map(|it| it.display().to_string());
    let number = |number: &Option<u32>| number.map(|number| number.to_string());
    let typed = [
        ("server.mysqld", program(&installation.mysqld)),
        ("server.basedir", program(&installation.basedir)),
        ("server.build", installation.build.clone()),
        ("data.warehouses", number(warehouses)),
        ("workload.connections", number(connections)),
        ("workload.ramp-up", ramp_up.map(show_duration)),
        ("workload.duration", duration.map(show_duration)),
        ("repeat.runs", number(runs)),
    ];
    typed.into_iter().filter_map(|(key, value)| Some(format!("{key}={}", value?))).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser;

    #[test]
    fn options_are_keys_of_the_file_and_what_is_not_typed_is_the_file_s() {
        let typed = |words: &str| {
            let words = ["myrig", "demo"].into_iter().chain(words.split_whitespace());
            let Command::Demo(args) = Cli::try_parse_from(words).unwrap().command else {
                panic!("`demo` is no demonstration");
            };
            overrides(&args)
        };
        assert_eq!(typed(""), [""; 0]);
        assert_eq!(
            typed("--mysqld /opt/mysqld -w 2 -c 4 --ramp-up 1s --duration 90 --runs 2"),
            [
                "server.mysqld=/opt/mysqld",
                "data.warehouses=2",
                "workload.connections=4",
                "workload.ramp-up=1s",
                "workload.duration=90s",
                "repeat.runs=2",
            ]
        );
    }
}
