//! Clients in JavaScript and Python: their own tests against a running demo, their types, and the first use of their pages.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::clients::key;
use crate::support::{Service, operator};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Folder with what a client needs, where `make sdk` puts it; `None`, said loudly, where it is missing.
fn installed(language: &str, list: &str) -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let folder = target.unwrap_or_else(|| root().join("target")).join("sdk").join(language);
    if !folder.join(list).is_file() {
        eprintln!("SKIPPED: the client in {language}, run `make sdk`");
        return None;
    }
    Some(std::path::absolute(folder).unwrap())
}

/// A demo, and what the clients' tests take from it.
struct Demo {
    service: Service,
    data: tempfile::TempDir,
    tx: String,
    log_key: String,
}

impl Demo {
    async fn start() -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut command = operator::demo(data.path());
        command.args(["--seed", "9"]).env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
        // pins move over several SuperRoots
        command.env("SUPERROOT__ACCUMULATE__BEAT_MS", "500");
        let service = Service::start(&mut command, "ready");
        service.ready().await;
        let screen = service.screen.lock().unwrap().clone();
        let tx = screen.split_once("/v5/proof/tx/ethereum/").unwrap().1;
        let tx = tx.split_whitespace().next().unwrap().to_owned();
        let mut page = service.json("/v5/superroot").await;
        while page["sequence"].as_u64() < Some(3) {
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            page = service.json("/v5/superroot").await;
        }
        let log_key = page["publication"]["keys"][0].as_str().unwrap().to_owned();
        Self { service, data, tx, log_key }
    }

    fn environment(&self, command: &mut Command) {
        command.env("SUPERROOT_URL", &self.service.url);
        command.env("SUPERROOT_API_KEY", key(self.data.path(), "protocol"));
        command.env("SUPERROOT_TX", &self.tx).env("SUPERROOT_LOG_KEY", &self.log_key);
        command.env("SUPERROOT_BIN", env!("CARGO_BIN_EXE_superroot"));
    }
}

/// Checkout with its own copy of `sdk/js`, so that packages are found next to it and nothing is written into the sources.
fn checkout(work: &Path, modules: &Path) -> PathBuf {
    for entry in std::fs::read_dir(root()).unwrap().map(|entry| entry.unwrap()) {
        if entry.file_name() != "sdk" {
            std::os::unix::fs::symlink(entry.path(), work.join(entry.file_name())).unwrap();
        }
    }
    let folder = work.join("sdk/js");
    std::fs::create_dir_all(folder.parent().unwrap()).unwrap();
    let mut copy = Command::new("cp");
    run(copy.arg("-r").arg(root().join("sdk/js")).arg(&folder));
    for made in ["node_modules", "types"] {
        let _ = std::fs::remove_dir_all(folder.join(made));
    }
    std::os::unix::fs::symlink(modules, folder.join("node_modules")).unwrap();
    folder
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{command:?}: {said}");
    said
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        entries.filter(|path| path.to_string_lossy().ends_with(ending)).collect();
    files.sort();
    assert!(!files.is_empty(), "no {ending} in {}", folder.display());
    files
}

#[tokio::test(flavor = "multi_thread")]
async fn the_client_in_javascript_passes_its_own_tests_against_a_demo() {
    let Some(modules) = installed("js", "installed.json") else { return };
    let work = tempfile::tempdir().unwrap();
    let folder = checkout(work.path(), &modules.join("node_modules"));
    let demo = Demo::start().await;
    let mut tests = Command::new("node");
    tests.args(["--test", "--test-reporter=tap"]).args(files(&folder.join("test"), ".test.mjs"));
    demo.environment(tests.current_dir(&folder).env("TZ", "UTC"));
    let said = run(&mut tests);
    let is_whole = said.contains("\n# fail 0") && said.contains("\n# cancelled 0");
    assert!(is_whole, "{said}");
    // of a young demo some chains have no evidence yet; what else is skipped lacks the recordings
    if std::env::var_os("SUPERROOT_DATA").is_some() {
        let skipped: Vec<_> = said.lines().filter(|line| line.contains("# SKIP")).collect();
        let is_early = |line: &&str| line.contains("the service has no evidence of it");
        assert!(skipped.iter().all(is_early) && skipped.len() <= 4, "{skipped:?}");
    }
    assert!(demo.service.stop().success());
}

#[test]
fn the_client_in_javascript_has_types_and_the_tables_of_this_build() {
    let Some(modules) = installed("js", "installed.json") else { return };
    let work = tempfile::tempdir().unwrap();
    let folder = checkout(work.path(), &modules.join("node_modules"));
    for script in ["chains.mjs", "words.mjs", "markets.mjs", "schema.mjs"] {
        let path = format!("scripts/{script}");
        run(Command::new("node").arg(path).arg("--check").current_dir(&folder));
    }
    let compiler = modules.join("node_modules/typescript/bin/tsc");
    run(Command::new("node").arg(compiler).args(["-p", "."]).current_dir(&folder));
    for entry in
        ["index.d.ts", "verify/index.d.ts", "finality/index.d.ts", "viem.d.ts", "ethers.d.ts"]
    {
        assert!(folder.join("types").join(entry).is_file(), "{entry}");
    }
}

/// What a new user does: an empty folder, the package as npm would ship it, the ten lines of its page.
#[tokio::test(flavor = "multi_thread")]
async fn the_package_in_an_empty_folder_proves_a_first_event() {
    let Some(modules) = installed("js", "installed.json") else { return };
    let work = tempfile::tempdir().unwrap();
    let folder = checkout(work.path(), &modules.join("node_modules"));
    let packed = run(Command::new("npm").args(["pack", "--silent"]).current_dir(&folder));
    let archive = folder.join(packed.lines().last().unwrap().trim());
    // as npm unpacks it, with its dependencies next to it
    let user = work.path().join("user");
    let package = user.join("node_modules/@superroot/client");
    std::fs::create_dir_all(&package).unwrap();
    let unpack = ["--strip-components=1", "-xzf"];
    run(Command::new("tar").args(unpack).arg(archive).arg("-C").arg(&package));
    let noble = modules.join("node_modules/@noble");
    std::os::unix::fs::symlink(noble, user.join("node_modules/@noble")).unwrap();
    std::fs::copy(folder.join("test/live.mjs"), user.join("live.mjs")).unwrap();
    let demo = Demo::start().await;
    let mut first = Command::new("node");
    demo.environment(first.arg("live.mjs").current_dir(&user));
    let said = run(first.env("SUPERROOT_CLIENT", "@superroot/client"));
    assert!(said.contains("\"superRoot\"") && !said.contains("SKIPPED"), "{said}");
    let mut verify = crate::support::superroot();
    verify.args(["verify", "event.srproof", "--key", &demo.log_key]).current_dir(&user);
    let (code, screen) = operator::run(verify.env("XDG_CONFIG_HOME", user.join("config")));
    assert_eq!(code, 0, "{screen}");
    assert!(demo.service.stop().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_client_in_python_passes_its_own_tests_against_a_demo() {
    let Some(venv) = installed("python", "installed.txt") else { return };
    let python = venv.join("bin/python");
    let folder = root().join("sdk/python");
    for tool in ["tools/chains.py", "tools/markets.py"] {
        run(Command::new(&python).args([tool, "--check"]).current_dir(&folder));
    }
    let cache = tempfile::tempdir().unwrap();
    let mypy = ["-m", "mypy", "--strict", "--cache-dir"];
    run(Command::new(&python).args(mypy).arg(cache.path()).current_dir(&folder));
    let demo = Demo::start().await;
    let mut tests = Command::new(&python);
    tests.args(["-B", "-m", "unittest", "discover", "-s", "tests"]).current_dir(&folder);
    demo.environment(&mut tests);
    let said = run(&mut tests);
    assert!(said.contains("\nOK") && !said.contains("skipped"), "{said}");
    assert!(demo.service.stop().success());
}
