//! The chains that this process knows: those of the build, and behind them the rows of `--chains
//! FILE`, for a log of one's own. Rows are only ever appended, so the file adds and never changes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, bail};
use superroot_chain::{ChainRow, Registry, registry};
use superroot_types::ChainKey;

/// The flag that names a file of rows.
pub(crate) const FLAG: &str = "--chains";
/// The environment variable that does.
pub(crate) const VARIABLE: &str = "SUPERROOT_CHAINS";
/// Largest file of rows, in bytes.
const FILE_BYTES_MAX: u64 = 1 << 20;

static KNOWN: OnceLock<Registry> = OnceLock::new();

/// The rows this process goes by.
pub(crate) fn known() -> &'static Registry {
    KNOWN.get_or_init(|| Registry::builtin().clone())
}

/// The chain of that id, name, alias or CAIP-2 name.
pub(crate) fn find(text: &str) -> anyhow::Result<&'static ChainRow> {
    let why = "no such chain; try an id, `ethereum`, `eip155:1`";
    known().find(text).with_context(|| format!("{text:?}: {why}"))
}

/// The chains that `--chain` names.
pub(crate) fn chosen(names: &[String]) -> anyhow::Result<Vec<ChainKey>> {
    names.iter().map(|name| find(name).map(ChainRow::key).context("--chain")).collect()
}

/// Takes up the rows that the flag or the environment name, before the command line is read: its
/// values may name these chains.
pub(crate) fn install(
    arguments: impl IntoIterator<Item = OsString>,
    variable: Option<OsString>,
) -> anyhow::Result<()> {
    let Some(file) = named(arguments).or(variable.filter(|file| !file.is_empty())) else {
        return Ok(());
    };
    let registry = extended(&PathBuf::from(file))?;
    if KNOWN.set(registry).is_err() {
        bail!("the chains were read before {FLAG} could be");
    }
    Ok(())
}

/// The value of the last `--chains VALUE` or `--chains=VALUE`.
fn named(arguments: impl IntoIterator<Item = OsString>) -> Option<OsString> {
    let (mut found, mut expected) = (None, false);
    for argument in arguments {
        if expected {
            found = Some(argument);
            expected = false;
        } else if argument == "--" {
            break;
        } else if argument == FLAG {
            expected = true;
        } else if let Some(value) = argument.to_str().and_then(|text| text.strip_prefix(FLAG))
            && let Some(value) = value.strip_prefix('=')
        {
            found = Some(value.into());
        }
    }
    found
}

/// The rows of the build and, appended, those of the file.
fn extended(file: &Path) -> anyhow::Result<Registry> {
    let shown = file.display();
    let about = || format!("cannot read the chains of {shown}");
    let size = std::fs::metadata(file).with_context(about)?.len();
    if size > FILE_BYTES_MAX {
        bail!("{shown} has {size} bytes, expected at most {FILE_BYTES_MAX}");
    }
    let text = std::fs::read_to_string(file).with_context(about)?;
    // by itself first, so that an error's line is one of the file
    text.parse::<toml::Table>().with_context(|| format!("{shown} is no TOML"))?;
    let first = Registry::builtin().rows().len();
    Registry::parse(&format!("{}\n{text}", registry::ROWS))
        .with_context(|| format!("{shown} (its first [[chain]] is row {first})"))
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
        status = "collected"
        encodings = [{ from = 0, name = "ethereum" }]
        evidence = "node_quorum"
        block_time_ms = 1000
        rules = [{ from = 0, code = 0x0001 }]
    "#;

    fn read(text: &str) -> anyhow::Result<Registry> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("chains.toml");
        std::fs::write(&file, text).unwrap();
        extended(&file)
    }

    #[test]
    fn rows_of_a_file_stand_behind_those_of_the_build() {
        let registry = read(ROW).unwrap();
        let builtin = Registry::builtin().rows();
        assert_eq!(&registry.rows()[..builtin.len()], builtin);
        assert_eq!(registry.find("anvil").map(|row| row.id.0), Some(31337));
        assert_eq!(registry.rows().len(), builtin.len() + 1);
    }

    #[test]
    fn rows_that_contradict_are_refused_with_row_and_field() {
        for (from, to, expected) in [
            ("id = 31337", "id = 8453", "row 27: id 8453 already leads to row"),
            ("\"anvil\"", "\"base\"", "row 27: slug base already leads to row"),
            ("aliases = []", "aliases = [\"eth\"]", "row 27: aliases eth already leads to row 0"),
            ("\"evm\"", "\"tape\"", "row 27: family"),
            ("status = \"collected\"", "status = \"perhaps\"", "row 27: status"),
            ("block_time_ms = 1000", "block_time_ms = 0", "row 27: block_time_ms"),
            ("[[chain]]", "[[chains]]", "chains"),
            ("[[chain]]", "[[chain", "is no TOML"),
        ] {
            let error = format!("{:#}", read(&ROW.replace(from, to)).unwrap_err());
            assert!(error.contains(expected), "{from} -> {to}: {error}");
        }
        assert!(read(&ROW.repeat(2)).is_err());
        assert!(extended(Path::new("/nowhere/chains.toml")).is_err());
    }

    #[test]
    fn more_rows_than_slots_are_refused() {
        let row = |n: u32| {
            let row = ROW.replace("31337", &(40_000 + n).to_string());
            row.replace("\"Anvil\"", &format!("\"Anvil {n}\""))
                .replace("\"anvil\"", &format!("\"anvil-{n}\""))
        };
        let rows = |count| (0..count).map(row).collect::<String>();
        assert_eq!(read(&rows(18)).unwrap().rows().len(), 45);
        assert!(format!("{:#}", read(&rows(19)).unwrap_err()).contains("45"));
    }

    #[test]
    fn the_flag_is_found_wherever_it_stands() {
        let named = |line: &str| named(line.split(' ').map(OsString::from));
        assert_eq!(named("superroot serve --chains a.toml"), Some("a.toml".into()));
        assert_eq!(named("superroot --chains=a.toml serve"), Some("a.toml".into()));
        assert_eq!(named("superroot --chains a --chains b serve"), Some("b".into()));
        assert_eq!(named("superroot serve --chain ethereum"), None);
        assert_eq!(named("superroot verify -- --chains"), None);
        assert_eq!(named("superroot serve --chains"), None);
    }
}
