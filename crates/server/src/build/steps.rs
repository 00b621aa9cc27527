//! The steps of a build, each taken only where its stamp does not say that it has been.

use std::{
    ffi::OsStr,
    fs::{self, File, OpenOptions, TryLockError},
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use super::{
    Step,
    error::BuildError,
    patch::{self, remove_dir},
    record::{self, Build, Ingredients, Source, StepTime, check_name},
    runner::{BuildProgress, Runner},
};
use crate::{home::Home, record::write_private};

/// The steps in their order.
const ALL: [Step; 5] = [Step::Unpack, Step::Patch, Step::Configure, Step::Compile, Step::Install];

/// What is to be built.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// The build's name.
    pub name: String,
    /// The tarball.
    pub source: PathBuf,
    /// Patches, in the order in which they are applied, with their first directory stripped.
    pub patches: Vec<PathBuf>,
    /// Arguments of CMake.
    pub cmake_args: Vec<String>,
    /// Where to install the server; in the build's directory without one.
    pub prefix: Option<PathBuf>,
    /// Boost, for servers that want it; a tree that brings it along needs none.
    pub boost: Option<PathBuf>,
    /// How many compilers at once.
    pub jobs: usize,
}

/// A server that is built and installed, and not registered yet.
#[derive(Clone, Debug)]
pub struct Built {
    dir: PathBuf,
    ingredients: Ingredients,
}

impl Built {
    /// Asks the server what it is, and makes it known by its name.
    ///
    /// # Errors
    /// The prefix holds no server that runs.
    pub async fn register(self, built_at: String) -> Result<Build, BuildError> {
        record::register(&self.dir, self.ingredients, built_at).await
    }
}

impl Build {
    /// Builds a server, going on where an earlier build of the same was. A build that fails leaves
    /// what it has done; a server of the same name stays installed until the new one is.
    ///
    /// # Errors
    /// [`BuildError::Patch`] before anything is patched; [`BuildError::Failed`] with the first
    /// error and the last lines of a step; [`BuildError::Interrupted`].
    pub fn make(
        home: &Home,
        options: &BuildOptions,
        progress: &BuildProgress,
    ) -> Result<Built, BuildError> {
        check_name(&options.name)?;
        check_arguments(options)?;
        let dir = home.builds().join(&options.name);
        let create = |dir: &Path| {
            fs::create_dir_all(dir).map_err(|error| BuildError::io("create", dir, error))
        };
        create(&dir.join("stamps"))?;
        let _lock = lock(&dir, &options.name)?;
        progress.at(Step::Unpack, None);
        let source = Source::of(&options.source)?;
        let patches: Vec<Source> =
            options.patches.iter().map(|path| Source::of(path)).collect::<Result<_, _>>()?;
        let runner = Runner { log: dir.join("build.log"), progress };
        let mut work = Work { dir: &dir, options, runner, steps: Vec::new() };
        let inputs = work.tree(&source, &patches)?;
        let (compiler, prefix) = work.server(&inputs)?;
        let ingredients = Ingredients {
            name: options.name.clone(),
            source,
            patches,
            cmake_args: options.cmake_args.clone(),
            compiler,
            prefix,
            steps: work.steps,
        };
        Ok(Built { dir, ingredients })
    }
}

struct Work<'a> {
    dir: &'a Path,
    options: &'a BuildOptions,
    runner: Runner<'a>,
    steps: Vec<StepTime>,
}

impl Work<'_> {
    /// Unpacks and patches. Directories tell how far that went: `unpacked` is the bare tree,
    /// `patching` one that nobody can trust, `source` the patched one. Returns what went in.
    fn tree(&mut self, source: &Source, patches: &[Source]) -> Result<String, BuildError> {
        let bare = format!("source {}\n", source.sha256);
        let sums = patches.iter().map(|patch| format!("patch {}\n", patch.sha256));
        let patched = bare.clone() + &sums.collect::<String>();
        let (unpacked, tree) = (self.dir.join("unpacked"), self.dir.join("source"));
        if tree.is_dir() && self.is_done(Step::Patch, &patched) {
            self.skip(Step::Unpack);
            self.skip(Step::Patch);
            return Ok(patched);
        }
        if unpacked.is_dir() && self.is_done(Step::Unpack, &bare) {
            self.skip(Step::Unpack);
        } else {
            self.timed(Step::Unpack, |work| work.unpack(&source.path, &unpacked))?;
            self.stamp(Step::Unpack, &bare)?;
        }
        self.timed(Step::Patch, |work| work.patch(&unpacked, &tree, patches))?;
        self.stamp(Step::Patch, &patched)?;
        Ok(patched)
    }

    fn unpack(&self, tarball: &Path, unpacked: &Path) -> Result<(), BuildError> {
        let draft = self.dir.join("unpacking");
        for dir in [&draft, unpacked] {
            remove_dir(dir)?;
        }
        fs::create_dir(&draft).map_err(|error| BuildError::io("create", &draft, error))?;
        let file = format!("--file={}", tarball.display());
        let arguments = ["--extract", "--no-same-owner", &file];
        self.runner.run(Step::Unpack, "tar", &arguments, &draft)?;
        let top = top_of(&draft).ok_or_else(|| BuildError::Source {
            path: tarball.to_owned(),
            reason: "it does not hold one directory that holds everything".into(),
        })?;
        if !top.join("CMakeLists.txt").is_file() {
            let reason = "there is no CMakeLists.txt in its top directory".into();
            return Err(BuildError::Source { path: tarball.to_owned(), reason });
        }
        rename(&draft, unpacked)
    }

    fn patch(&self, unpacked: &Path, tree: &Path, patches: &[Source]) -> Result<(), BuildError> {
        self.runner.progress.at(Step::Patch, None);
        let paths: Vec<PathBuf> = patches.iter().map(|patch| patch.path.clone()).collect();
        let top = top_of(unpacked).unwrap_or_else(|| unpacked.to_owned());
        patch::try_all(&paths, &top, &self.dir.join("trial"))?;
        let patching = self.dir.join("patching");
        for dir in [&patching, tree] {
            remove_dir(dir)?;
        }
        rename(unpacked, &patching)?;
        let top = top_of(&patching).unwrap_or_else(|| patching.clone());
        patch::apply_all(&paths, &top, &self.runner)?;
        rename(&patching, tree)
    }

    /// Configures, compiles, installs. Returns the compiler and the prefix.
    fn server(&mut self, tree_inputs: &str) -> Result<(String, PathBuf), BuildError> {
        let tree = self.dir.join("source");
        let top = top_of(&tree).unwrap_or(tree);
        let build = self.dir.join("build");
        let prefix = self.options.prefix.clone().unwrap_or_else(|| self.dir.join("prefix"));
        let prefix =
            std::path::absolute(&prefix).map_err(|error| BuildError::io("find", &prefix, error))?;
        let arguments = self.cmake_arguments(&top, &build, &prefix)?;
        let inputs = format!("{tree_inputs}{}\n", arguments.join("\n"));
        if build.is_dir() && self.is_done(Step::Configure, &inputs) {
            self.skip(Step::Configure);
        } else {
            // What CMake remembers of other arguments would go on being true.
            remove_dir(&build)?;
            fs::create_dir(&build).map_err(|error| BuildError::io("create", &build, error))?;
            self.timed(Step::Configure, |work| {
                work.runner.run(Step::Configure, "cmake", &arguments, work.dir)
            })?;
            self.stamp(Step::Configure, &inputs)?;
        }
        let jobs = self.options.jobs.to_string();
        let mut make = |step: Step, target: &[&str]| {
            if self.is_done(step, &inputs) {
                self.skip(step);
                return Ok(());
            }
            let build = build.to_string_lossy();
            let words = [&["--build", &build, "--parallel", &jobs], target].concat();
            self.timed(step, |work| work.runner.run(step, "cmake", &words, work.dir))?;
            self.stamp(step, &inputs)
        };
        make(Step::Compile, &[])?;
        make(Step::Install, &["--target", "install"])?;
        Ok((compiler(&build), prefix))
    }

    fn cmake_arguments(
        &self,
        top: &Path,
        build: &Path,
        prefix: &Path,
    ) -> Result<Vec<String>, BuildError> {
        let mut arguments = vec![
            "-S".to_owned(),
            top.display().to_string(),
            "-B".to_owned(),
            build.display().to_string(),
            format!("-DCMAKE_INSTALL_PREFIX={}", prefix.display()),
        ];
        // MySQL's tarballs that bring Boost along have it there.
        let bundled = Some(top.join("boost")).filter(|dir| dir.is_dir());
        let given = self.options.cmake_args.iter().any(|arg| arg.contains("WITH_BOOST"));
        if let (Some(boost), false) = (self.options.boost.clone().or(bundled), given) {
            let boost =
                boost.canonicalize().map_err(|error| BuildError::io("find", &boost, error))?;
            arguments.push(format!("-DWITH_BOOST={}", boost.display()));
        }
        arguments.extend(self.options.cmake_args.iter().cloned());
        Ok(arguments)
    }

    fn timed(
        &mut self,
        step: Step,
        take: impl FnOnce(&Self) -> Result<(), BuildError>,
    ) -> Result<(), BuildError> {
        let begun = Instant::now();
        // What follows from this step has to be done again.
        for later in ALL.into_iter().skip_while(|other| *other != step) {
            // A stamp that stays is of other inputs, or of none.
            let _ = fs::remove_file(self.stamp_path(later));
        }
        take(self)?;
        let took_s = begun.elapsed().as_secs_f64();
        self.steps.push(StepTime { step, took_s, was_done: false });
        Ok(())
    }

    fn skip(&mut self, step: Step) {
        self.steps.push(StepTime { step, took_s: 0.0, was_done: true });
    }

    fn stamp_path(&self, step: Step) -> PathBuf {
        self.dir.join("stamps").join(step.to_string())
    }

    fn is_done(&self, step: Step, inputs: &str) -> bool {
        fs::read_to_string(self.stamp_path(step)).is_ok_and(|stamp| stamp == inputs)
    }

    fn stamp(&self, step: Step, inputs: &str) -> Result<(), BuildError> {
        let path = self.stamp_path(step);
        write_private(&path, inputs.as_bytes()).map_err(|e| BuildError::io("write", &path, e))
    }
}

fn check_arguments(options: &BuildOptions) -> Result<(), BuildError> {
    let owned = |arg: &&String| arg.contains("CMAKE_INSTALL_PREFIX");
    match options.cmake_args.iter().find(owned) {
        Some(argument) => {
            let (argument, reason) = (argument.clone(), "name the directory with --prefix");
            Err(BuildError::Argument { argument, reason })
        }
        None => Ok(()),
    }
}

/// The one directory in a directory.
fn top_of(dir: &Path) -> Option<PathBuf> {
    let mut entries = fs::read_dir(dir).ok()?.flatten();
    let top = entries.next()?.path();
    (entries.next().is_none() && top.is_dir()).then_some(top)
}

fn rename(from: &Path, to: &Path) -> Result<(), BuildError> {
    fs::rename(from, to).map_err(|error| BuildError::io("write", to, error))
}

fn lock(dir: &Path, name: &str) -> Result<File, BuildError> {
    let path = dir.join("lock");
    let failed = |error| BuildError::io("lock", &path, error);
    let mut options = OpenOptions::new();
    let file = options.create(true).truncate(false).write(true).open(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(BuildError::Busy(name.to_owned())),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// The C++ compiler that CMake chose, in its own words.
fn compiler(build: &Path) -> String {
    let told = || {
        let cache = fs::read_to_string(build.join("CMakeCache.txt")).ok()?;
        let line = cache.lines().find(|line| line.starts_with("CMAKE_CXX_COMPILER:"))?;
        let program: &OsStr = line.split_once('=')?.1.as_ref();
        let output = Command::new(program).arg("--version").output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().next().map(str::to_owned)
    };
    told().unwrap_or_else(|| "unknown".to_owned())
}
