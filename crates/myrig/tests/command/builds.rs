//! `myrig server build`, on a small CMake project that stands in for a server.

use crate::{
    documents::is,
    support::{Rig, until},
};
use rustix::process::Signal;
use serde_json::json;
use std::{fs, path::PathBuf, process::Command};

const CMAKE: &str = "\
cmake_minimum_required(VERSION 3.10)
project(server CXX)
if(NOT WITH_BOOST)
  message(FATAL_ERROR \"where is Boost?\")
endif()
add_executable(mysqld sql/main.cc)
install(TARGETS mysqld DESTINATION bin)
";

const MAIN: &str = "\
#include <cstdio>
int main() {
    std::puts(\"mysqld  Ver 8.0.20 for Linux on x86_64 (Source distribution)\");
    return 0;
}
";

/// What a published patch does: it changes the source, and shows.
const PATCH: &str = "\
--- a/sql/main.cc
+++ b/sql/main.cc
@@ -1,5 +1,5 @@
 #include <cstdio>
 int main() {
-    std::puts(\"mysqld  Ver 8.0.20 for Linux on x86_64 (Source distribution)\");
+    std::puts(\"mysqld  Ver 8.0.20-patched for Linux on x86_64 (Source distribution)\");
     return 0;
 }
";

/// A tarball and a patch, in a rig.
struct Source {
    rig: Rig,
}

impl Source {
    fn new(main: &str) -> Self {
        let rig = Rig::new();
        let top = rig.dir().join("mysql-8.0.20");
        fs::create_dir_all(top.join("sql")).unwrap();
        fs::create_dir_all(top.join("boost")).unwrap();
        fs::write(top.join("CMakeLists.txt"), CMAKE).unwrap();
        fs::write(top.join("sql/main.cc"), main).unwrap();
        let mut tar = Command::new("tar");
        tar.args(["-czf", "mysql-boost-8.0.20.tar.gz", "mysql-8.0.20"]).current_dir(rig.dir());
        assert!(tar.status().unwrap().success());
        fs::write(rig.dir().join("good.patch"), PATCH).unwrap();
        fs::write(rig.dir().join("bad.patch"), PATCH.replace("puts", "printf")).unwrap();
        Self { rig }
    }

    fn line(&self, more: &str) -> String {
        format!("server build --source mysql-boost-8.0.20.tar.gz --name b {more}")
    }

    fn dir(&self) -> PathBuf {
        self.rig.home().join("builds/b")
    }

    fn steps(&self, more: &str) -> Vec<(String, bool)> {
        let built = self.rig.run(&format!("{} --json", self.line(more))).good().json();
        let steps = built["steps"].as_array().unwrap();
        let step = |step: &serde_json::Value| {
            (step["step"].as_str().unwrap().to_owned(), step["was_done"] == true)
        };
        steps.iter().map(step).collect()
    }
}

#[test]
fn a_server_is_built_patched_registered_and_used() {
    let source = Source::new(MAIN);
    let rig = &source.rig;
    let words = ["bad.patch", "hunk #1 of sql/main.cc", "line 1", "printf", "nothing was changed"];
    rig.run(&source.line("--patch good.patch --patch bad.patch")).ends(3).says(&words);
    assert!(!source.dir().join("source").exists());

    let built = rig.run(&format!("{} --json", source.line("--patch good.patch --jobs 2")));
    let built = built.good().json();
    is(&built, "myrig.build/1");
    assert_eq!((&built["flavour"], &built["version"]), (&json!("MySQL"), &json!("8.0.20")));
    assert_eq!(built["patches"].as_array().unwrap().len(), 1);
    assert_eq!(built["source"]["sha256"].as_str().unwrap().len(), 64);
    let mysqld = PathBuf::from(built["mysqld"].as_str().unwrap());
    let says = Command::new(&mysqld).output().unwrap().stdout;
    assert!(String::from_utf8(says).unwrap().contains("8.0.20-patched"));

    let listed = rig.run("server builds --json").good().json();
    is(&listed, "myrig.builds/1");
    assert_eq!(listed["builds"][0]["name"], "b");
    // The stand-in is content with whatever it is told.
    let made = rig.run("server init x --build b --json").good().json();
    assert_eq!((&made["flavour"], &made["version"]), (&json!("MySQL"), &json!("8.0.20")));
    rig.run("server init x --build none").ends(3).says(&["no build `none`"]);
}

#[test]
fn what_is_done_is_not_done_again() {
    let source = Source::new(MAIN);
    let all = ["unpack", "patch", "configure", "compile", "install"];
    let done = |steps: &[(String, bool)]| -> Vec<bool> {
        assert!(steps.iter().map(|(step, _)| step.as_str()).eq(all), "{steps:?}");
        steps.iter().map(|(_, done)| *done).collect()
    };
    assert_eq!(done(&source.steps("")), [false; 5]);
    assert_eq!(done(&source.steps("")), [true; 5]);
    assert_eq!(done(&source.steps("--cmake-arg -DX=1")), [true, true, false, false, false]);
    let patched = source.steps("--patch good.patch --cmake-arg -DX=1");
    assert_eq!(done(&patched), [false; 5]);
}

#[test]
fn a_failure_shows_the_compilers_error_and_ctrl_c_ends_the_compiler() {
    let broken = Source::new(&MAIN.replace("std::puts", "std::no_such_thing"));
    let log = broken.dir().join("build.log").display().to_string();
    let words = ["compile failed", "main.cc", "error:", "no_such_thing", &log];
    broken.rig.run(&broken.line("")).ends(3).says(&words);
    broken.rig.run(&broken.line("--cmake-arg -DWITH_BOOST=")).ends(3).says(&["where is Boost?"]);
    broken
        .rig
        .run(&broken.line("--cmake-arg -DCMAKE_INSTALL_PREFIX=/x"))
        .ends(2)
        .says(&["--prefix"]);

    // A compiler that takes for ever: the project waits for a file that never comes.
    let slow = Source::new(MAIN);
    let wait = "add_custom_target(wait ALL COMMAND tail -f /dev/null)\n";
    let lists = slow.rig.dir().join("mysql-8.0.20/CMakeLists.txt");
    fs::write(&lists, CMAKE.to_owned() + wait).unwrap();
    let mut tar = Command::new("tar");
    tar.args(["-czf", "mysql-boost-8.0.20.tar.gz", "mysql-8.0.20"]).current_dir(slow.rig.dir());
    assert!(tar.status().unwrap().success());
    let running = slow.rig.start(&slow.line(""));
    let log = slow.dir().join("build.log");
    let text = || fs::read_to_string(&log).unwrap_or_default();
    until("the compile is under way", || text().contains("== compile"));
    running.signal(Signal::INT);
    running.wait().ends(3).says(&["interrupted", "goes on"]);
    slow.rig.nothing_runs();
    assert!(slow.dir().join("build/CMakeCache.txt").exists(), "what was done stays");
}
