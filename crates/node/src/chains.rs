//! Known chains: the built-in rows, followed by rows from `--chains FILE` for your own log. The file only appends and
//! never changes a row.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, bail};
use superroot_accumulate::RegistryAppend;
use superroot_chain::{ChainRegistry, ChainSpec, registry};
use superroot_types::{BlockNumber, ChainKey};

use crate::cli::style::WARNING;

pub(crate) const FLAG: &str = "--chains";
pub(crate) const VARIABLE: &str = "SUPERROOT_CHAINS";
/// Row of a demo's own chain.
pub(crate) const DEMO_ROWS: &str = include_str!("demo_contracts/rows.toml");
/// Largest `--chains` file, in bytes.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// File name for extra rows, next to a recording.
pub(crate) const BESIDE_RECORDING: &str = "chains.toml";

static KNOWN: OnceLock<ChainRegistry> = OnceLock::new();
/// Rows after the built-in ones, as text.
static OWN: OnceLock<String> = OnceLock::new();

pub(crate) fn known() -> &'static ChainRegistry {
    KNOWN.get_or_init(|| ChainRegistry::builtin().clone())
}

/// Finds a chain by id, name, alias or CAIP-2 name.
pub(crate) fn find(text: &str) -> anyhow::Result<&'static ChainSpec> {
    let why = "no such chain; try an id, `ethereum`, `eip155:1`, and for a chain of one's own name \
               the file of its row with --chains FILE";
    known().find(text).with_context(|| format!("{text:?}: {why}"))
}

/// Parses the chains in `field` (`--chain`): repeated, or separated by commas.
pub(crate) fn chosen(names: &[String], field: &'static str) -> anyhow::Result<Vec<ChainKey>> {
    let names = names.iter().flat_map(|names| names.split(',')).map(str::trim);
    names.map(|name| find(name).map(ChainSpec::key).context(field)).collect()
}

/// Chains withdrawn by a `--chains` table, with the first number no longer taken.
pub(crate) fn withdrawn() -> impl Iterator<Item = (&'static ChainSpec, BlockNumber)> {
    known().rows().iter().filter_map(|row| Some((row, row.withdrawn_from()?)))
}

/// Removes withdrawn chains and reports them.
pub(crate) fn leave_withdrawn<T>(chains: &mut Vec<(ChainSpec, T)>) {
    for (row, from) in withdrawn() {
        let before = chains.len();
        chains.retain(|(one, _)| one.key() != row.key());
        if chains.len() < before {
            tell_withdrawn(row, from);
        }
    }
}

pub(crate) fn tell_withdrawn(row: &ChainSpec, from: BlockNumber) {
    say!("{WARNING}not followed{WARNING:#}  {}: withdrawn from block {from} on", row.name);
}

/// Position after the built-in rows; `None` for a built-in row.
pub(crate) fn own_row(chain: ChainKey) -> Option<usize> {
    let (place, _) = known().by_key(chain)?;
    (place >= ChainRegistry::builtin().rows().len()).then_some(place)
}

/// Installs rows from the flag or environment before the command line is parsed, because arguments may name these
/// chains.
pub(crate) fn install(
    arguments: impl IntoIterator<Item = OsString>,
    variable: Option<OsString>,
) -> anyhow::Result<()> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let file = named(&arguments).or(variable.filter(|file| !file.is_empty()));
    let files = match file {
        Some(file) => vec![PathBuf::from(file)],
        None => beside(&arguments),
    };
    let has_contracts = has_contracts(&arguments);
    if files.is_empty() && !has_contracts {
        return Ok(());
    }
    let (registry, text) = extended(&files, has_contracts.then_some(DEMO_ROWS))?;
    if KNOWN.set(registry).is_err() || OWN.set(text).is_err() {
        bail!("the chains were read before {FLAG} could be");
    }
    Ok(())
}

/// Reports the additions to the existing log by the next SuperRoot. Additions from a `--chains` file need the
/// operator's permission, because a row or rule never leaves a log.
pub(crate) fn take_up(appended: &[RegistryAppend], is_allowed: bool) -> anyhow::Result<()> {
    let own = appended.iter().filter(|one| is_own(one)).map(ToString::to_string);
    let own: Vec<String> = own.collect();
    if !own.is_empty() && !is_allowed {
        bail!(
            "the rows of {FLAG} have what the standing log has not: {}; it would enter the log for \
             good: say --append-rows if that is meant",
            own.join("; ")
        );
    }
    for one in appended {
        anstream::eprintln!(
            "{WARNING}appends{WARNING:#}  {one}: from the next SuperRoot on the log keeps it for good"
        );
    }
    Ok(())
}

/// Whether an addition comes from a `--chains` file.
fn is_own(appended: &RegistryAppend) -> bool {
    let built_in = ChainRegistry::builtin().rows().get(usize::from(appended.row()));
    match (built_in, appended) {
        (None, _) => true,
        (Some(_), RegistryAppend::Row { profile, .. }) => profile.withdrawn_from().is_some(),
        (Some(row), RegistryAppend::Rule { rule, .. }) => !row.rules.contains(rule),
    }
}

/// Writes the extra rows next to a recording, if the recorded chain is one. `serve --replay` and `replay` read the rows
/// there.
pub(crate) fn write_beside(folder: &Path, row: &ChainSpec) -> anyhow::Result<()> {
    if ChainRegistry::builtin().by_key(row.key()).is_some() {
        return Ok(());
    }
    let text = OWN.get().with_context(|| format!("{} has no row that can be written", row.name))?;
    let path = folder.join(BESIDE_RECORDING);
    let shown = path.display();
    match std::fs::read_to_string(&path) {
        Ok(held) if held == *text => Ok(()),
        Ok(_) => bail!("{shown} holds other rows, and recordings were made by them"),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            std::fs::write(&path, text).with_context(|| format!("cannot write {shown}"))
        }
        Err(error) => Err(error).with_context(|| format!("cannot read {shown}")),
    }
}

/// Row files next to the recordings in `--replay FOLDER` and `replay FOLDER`.
fn beside(arguments: &[OsString]) -> Vec<PathBuf> {
    let is_command = arguments.iter().skip(1).any(|argument| argument == "replay");
    let folder = |pair: &[OsString]| match pair[1]
        .to_str()
        .and_then(|text| text.strip_prefix("--replay="))
    {
        Some(folder) => Some(folder.into()),
        None => (is_command || pair[0] == "--replay").then(|| pair[1].clone()),
    };
    let folders = arguments.windows(2).filter_map(folder);
    let files = folders.map(|folder| Path::new(&folder).join(BESIDE_RECORDING));
    let files: BTreeSet<PathBuf> = files.filter(|file| file.is_file()).collect();
    files.into_iter().collect()
}

/// Value in the last `--chains VALUE` or `--chains=VALUE`.
fn named(arguments: &[OsString]) -> Option<OsString> {
    let own = arguments.split(|argument| argument == "--").next()?;
    let joined =
        |text: &OsString| Some(text.to_str()?.strip_prefix(FLAG)?.strip_prefix('=')?.into());
    let value =
        |pair: &[OsString]| (pair[0] == FLAG).then(|| pair[1].clone()).or_else(|| joined(&pair[1]));
    own.windows(2).rev().find_map(value)
}

/// Whether a demo with contracts is asked for: its own chain has a row.
fn has_contracts(arguments: &[OsString]) -> bool {
    let has = |word: &str| arguments.iter().skip(1).any(|argument| argument == word);
    has("demo") && has("--contracts")
}

/// Built-in rows extended by own rows and files, and the text behind the built-in rows. Identical texts count once.
fn extended(files: &[PathBuf], own: Option<&str>) -> anyhow::Result<(ChainRegistry, String)> {
    let mut texts: Vec<String> = own.iter().map(|own| (*own).to_owned()).collect();
    for file in files {
        let text = rows_of(file)?;
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let text = texts.join("\n");
    let first = ChainRegistry::builtin().rows().len();
    let shown = files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ");
    let registry = ChainRegistry::parse(&format!("{}\n{text}", registry::ROWS))
        .with_context(|| format!("{shown} (its first [[chain]] is row {first})"))?;
    Ok((registry, text))
}

fn rows_of(file: &Path) -> anyhow::Result<String> {
    let shown = file.display();
    let about = || format!("cannot read the chains of {shown}");
    let size = std::fs::metadata(file).with_context(about)?.len();
    if size > FILE_BYTES_MAX {
        bail!("{shown} has {size} bytes, expected at most {FILE_BYTES_MAX}");
    }
    let text = std::fs::read_to_string(file).with_context(about)?;
    // by itself first, so that an error's line is one of the file
    text.parse::<toml::Table>().with_context(|| format!("{shown} is no TOML"))?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row that can be appended; each test bends one thing.
    const ROW: &str = r#"
        [[chain]]
        id = 31337
        name = "Anvil"
        slug = "anvil"
        family = "evm"
        caip2 = "eip155:31337"
        aliases = []
        encodings = [{ from = 0, name = "ethereum" }]
        evidence = "node_quorum"
        block_time_ms = 1000
        rules = [{ from = 0, code = 0x0001 }]
    "#;

    fn read(text: &str) -> anyhow::Result<ChainRegistry> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("chains.toml");
        std::fs::write(&file, text).unwrap();
        Ok(extended(&[file], None)?.0)
    }

    #[test]
    fn chains_are_chosen_one_by_one_or_between_commas() {
        let chosen = |names: &[&str]| {
            let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
            let keys = chosen(&names, "--chain").map_err(|error| format!("{error:#}"))?;
            Ok::<_, String>(keys.iter().map(|key| key.id.0).collect::<Vec<_>>())
        };
        assert_eq!(chosen(&["base,1", "bsc"]), Ok(vec![8453, 1, 56]));
        assert_eq!(chosen(&["base, eip155:1"]), Ok(vec![8453, 1]));
        for wrong in ["base,", ",", "base,atlantis", ""] {
            assert!(chosen(&[wrong]).unwrap_err().contains("no such chain"), "{wrong}");
        }
    }

    #[test]
    fn rows_of_a_file_stand_behind_those_of_the_build() {
        let registry = read(ROW).unwrap();
        let builtin = ChainRegistry::builtin().rows();
        assert_eq!(&registry.rows()[..builtin.len()], builtin);
        assert_eq!(registry.find("anvil").map(|row| row.id.0), Some(31337));
        assert_eq!(registry.rows().len(), builtin.len() + 1);
    }

    #[test]
    fn rows_that_contradict_are_refused_with_row_and_field() {
        for (from, to, expected) in [
            ("31337", "8453", "row 27: id 8453 already leads to row"),
            ("\"anvil\"", "\"base\"", "row 27: slug base already leads to row"),
            ("aliases = []", "aliases = [\"eth\"]", "row 27: aliases eth already leads to row 0"),
            ("\"evm\"", "\"tape\"", "row 27: family"),
            ("eip155:31337", "eip155:5", "row 27: caip2"),
            ("block_time_ms = 1000", "block_time_ms = 0", "row 27: block_time_ms"),
            ("[[chain]]", "[[chains]]", "chains"),
            ("[[chain]]", "[[chain", "is no TOML"),
        ] {
            let error = format!("{:#}", read(&ROW.replace(from, to)).unwrap_err());
            assert!(error.contains(expected), "{from} -> {to}: {error}");
        }
        assert!(read(&ROW.repeat(2)).is_err());
        assert!(extended(&["/nowhere/chains.toml".into()], None).is_err());
    }

    #[test]
    fn rows_beside_recordings_are_taken_up_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for (name, text) in [("a", ROW), ("b", ROW), ("c", &ROW.replace("31337", "31338"))] {
            std::fs::create_dir(path(name)).unwrap();
            std::fs::write(path(name).join(BESIDE_RECORDING), text).unwrap();
        }
        std::fs::create_dir(path("none")).unwrap();
        let files = |line: &[&str]| {
            let words = line.iter().map(|word| match word.strip_prefix('@') {
                Some(name) => path(name).into_os_string(),
                None => word.into(),
            });
            beside(&words.collect::<Vec<_>>())
        };
        let of = |names: &[&str]| -> Vec<PathBuf> {
            names.iter().map(|name| path(name).join(BESIDE_RECORDING)).collect()
        };
        assert_eq!(
            files(&["superroot", "serve", "--replay", "@b", "--replay", "@a"]),
            of(&["a", "b"])
        );
        assert_eq!(files(&["superroot", "replay", "@c"]), of(&["c"]));
        assert_eq!(files(&["superroot", "serve", "--replay", "@none"]), of(&[]));
        assert_eq!(files(&["superroot", "record", "-o", "@a"]), of(&[]));
        assert_eq!(files(&["superroot", "serve", "--data", "@a"]), of(&[]));
        let joined = format!("--replay={}", path("a").display());
        assert_eq!(files(&["superroot", "serve", &joined]), of(&["a"]));
        let rows = extended(&of(&["a", "b"]), None).unwrap().0.rows().len();
        assert_eq!(rows, ChainRegistry::builtin().rows().len() + 1, "the same rows count once");
        let error = format!("{:#}", extended(&of(&["a", "c"]), None).unwrap_err());
        assert!(error.contains("row 28: "), "rows that contradict are refused: {error}");
    }

    #[test]
    fn the_flag_is_found_wherever_it_stands() {
        let named = |line: &str| named(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert_eq!(named("superroot serve --chains a.toml"), Some("a.toml".into()));
        assert_eq!(named("superroot --chains=a.toml serve"), Some("a.toml".into()));
        assert_eq!(named("superroot --chains a --chains b serve"), Some("b".into()));
        assert_eq!(named("superroot serve --chain ethereum"), None);
        assert_eq!(named("superroot verify -- --chains"), None);
        assert_eq!(named("superroot serve --chains"), None);
    }
}
