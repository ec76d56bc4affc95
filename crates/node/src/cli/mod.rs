//! Command line: one file per command.

mod admin;
mod audit;
mod backfill;
mod backup;
mod inspect;
mod key;
mod mcp;
mod node_wait;
mod operate;
pub(crate) mod output;
mod pages;
mod progress;
mod prove;
mod record;
mod report;
mod restore;
mod resume;
mod serve;
mod sheet;
pub(crate) mod style;
mod timeout;
mod trust;
mod verify;
pub(crate) mod wallet;
mod watch;
mod witness;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::{CommandFactory, Parser, Subcommand};
use tracing_subscriber::filter::{LevelFilter, ParseError, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use self::output::{print, stdout};
use crate::screen::terminal::LogWriter;
use crate::{chains, stop};

/// Serve and verify proofs and data of many chains that a stranger checks by hashing alone.
#[derive(Debug, Parser)]
#[command(name = "superroot", version, arg_required_else_help = true)]
struct Cli {
    /// Log lines: error, warn, info, debug, or a filter such as `warn,superroot_collect=debug`.
    #[arg(
        id = "every.log",
        long = "log",
        global = true,
        env = "SUPERROOT_LOG",
        default_value = "warn",
        value_name = "FILTER"
    )]
    log: String,
    /// Write log lines as JSON.
    #[arg(id = "every.log_json", long = "log-json", global = true)]
    log_json: bool,
    /// Extra chain definitions for your own log, added to the built-in ones.
    #[arg(id = "every.chains", long = "chains", global = true, env = chains::VARIABLE, value_name = "FILE")]
    chains: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the service.
    Serve(serve::ServeArgs),
    /// Run the whole service on simulated chains, without configuration.
    Demo(serve::DemoArgs),
    /// Serve a folder of recorded blocks as a JSON-RPC node.
    Replay(serve::ReplayArgs),
    /// Record verified blocks from a node into a folder for `serve --replay`.
    Record(record::RecordArgs),
    /// Fetch a proof from a service, verify the proof, and write the file.
    Prove(prove::ProveArgs),
    /// Verify a proof file, offline, by hashing alone.
    Verify(verify::VerifyArgs),
    /// Serve tools to an agent over standard input and output (MCP); every proof is verified here.
    Mcp(mcp::McpArgs),
    /// Print the contents of a proof file, without verification.
    Inspect(inspect::InspectArgs),
    /// Show live events from a service, line by line.
    Watch(watch::WatchArgs),
    /// Manage trusted SuperRoots.
    Trust(trust::TrustArgs),
    /// Replay a log from the first SuperRoot, and compare the views of several services.
    Audit(audit::AuditArgs),
    /// Read every row of a data folder and report damage.
    Fsck(operate::FsckArgs),
    /// Recompute every SuperRoot of a data folder and compare.
    Recompute(operate::RecomputeArgs),
    /// Fetch older blocks of a chain into a data folder; a service may run on the folder.
    Backfill(backfill::BackfillArgs),
    /// Fetch missing, damaged or newly watched parts of stored blocks in a data folder.
    Repair(backfill::RepairArgs),
    /// Copy a whole data folder; a service may run on the folder.
    Backup(backup::BackupArgs),
    /// Bring an older copy of a data folder up to date with its own log, so that it cannot fork the log.
    Restore(restore::RestoreArgs),
    /// Resume a halted chain, after a person has checked the reason.
    Resume(resume::ResumeArgs),
    /// Manage accounts, keys, subscriptions and invoices, whether or not a service runs on the folder.
    Admin(admin::AdminArgs),
    /// Cosign logs, as long as each has one history (C2SP tlog-witness).
    Witness(witness::WitnessArgs),
    /// Create, show or import a signing key for a log or witness.
    #[command(subcommand)]
    Key(key::KeyCommand),
    /// Create a wallet file and sign with the wallet, so that a script can prove the wallet to a service.
    #[command(subcommand)]
    Wallet(wallet::WalletCommand),
    /// Print the effective configuration, without secrets.
    CheckConfig(operate::CheckConfigArgs),
    /// Print a completion script for a shell.
    Completions {
        /// Shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page of the program or a command.
    Man(pages::ManArgs),
}

impl Command {
    const fn is_service(&self) -> bool {
        matches!(self, Self::Serve(_) | Self::Demo(_) | Self::Replay(_) | Self::Witness(_))
    }
}

pub(crate) fn main() -> ExitCode {
    // arguments may name the chains of that file, so it is read before them
    let installed = chains::install(std::env::args_os(), std::env::var_os(chains::VARIABLE));
    let ended = installed.and_then(|()| match Cli::try_parse() {
        // what runs until it is stopped ends as it would have, whoever listens
        Ok(cli) if cli.command.is_service() => run(cli),
        Ok(cli) => output::end(run(cli)),
        Err(error) if error.use_stderr() => error.exit(),
        // help and the version
        Err(help) => print(&mut stdout(), &help.render().ansi().to_string(), ExitCode::SUCCESS),
    });
    ended.unwrap_or_else(|error| {
        // some of it is what nodes and services say
        let words = format!("error: {error:#}");
        words.lines().for_each(|line| say!("{}", style::plain(line)));
        ExitCode::from(2)
    })
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    init_log(&cli.log, cli.log_json);
    let out = &mut stdout();
    match cli.command {
        Command::Serve(args) => block_on(serve::serve(args))?,
        Command::Demo(args) => block_on(serve::demo(args))?,
        Command::Replay(args) => block_on(serve::replay(args))?,
        Command::Record(args) => block_on(unless_stopped(record::run(args)))?,
        Command::Prove(args) => return block_on(prove::run(args, out)),
        Command::Verify(args) => return verify::run(&args, out),
        Command::Mcp(args) => block_on(mcp::run(args))?,
        Command::Inspect(args) => return inspect::run(&args, out),
        Command::Watch(args) => return block_on(watch::run(args, out)),
        Command::Trust(args) => return block_on(trust::run(args, out)),
        Command::Audit(args) => return block_on(unless_stopped(audit::run(args, out))),
        Command::Fsck(args) => return operate::fsck(&args),
        Command::Recompute(args) => return operate::recompute(&args),
        Command::Backfill(args) => block_on(unless_stopped(backfill::backfill(args)))?,
        Command::Repair(args) => block_on(unless_stopped(backfill::repair(args)))?,
        Command::Backup(args) => block_on(unless_stopped(backup::run(args)))?,
        Command::Restore(args) => return block_on(restore::run(args, out)),
        Command::Resume(args) => block_on(resume::run(&args))?,
        Command::Admin(args) => return block_on(admin::run(args, out)),
        Command::Witness(args) => block_on(witness::run(args))?,
        Command::Key(command) => return key::run(command, out),
        Command::Wallet(command) => return wallet::run(command, out),
        // a source is made of each chain's nodes, as `serve` makes it; nobody is asked
        Command::CheckConfig(args) => {
            return block_on(async { operate::check_config(&args, out) });
        }
        Command::Completions { shell } => return pages::completions(shell, Cli::command(), out),
        Command::Man(args) => return pages::man(&args, Cli::command(), out),
    }
    Ok(ExitCode::SUCCESS)
}

const LAST_WAIT: Duration = Duration::from_secs(2);

fn block_on<T>(command: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    // fails only when it was installed already
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let done = runtime.block_on(command);
    // what still runs on a thread may take as long as it likes: a store is whole after any end
    runtime.shutdown_timeout(LAST_WAIT);
    done
}

/// Runs work that can be stopped and restarted at any time.
async fn unless_stopped<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::select! {
        done = work => done,
        stopped = stop::requested() => {
            stopped.context("cannot listen for signals")?;
            bail!("stopped; what was taken stays, and the same command goes on from there")
        }
    }
}

/// Log targets for a filter such as `info,superroot_collect=debug`. Library messages below a warning, with client
/// addresses among them, appear only if the filter names the library.
fn logged(filter: &str) -> Result<Targets, ParseError> {
    let asked: Targets = filter.parse()?;
    let level = asked.default_level().unwrap_or(LevelFilter::OFF);
    let others = Targets::new().with_default(level.min(LevelFilter::WARN));
    Ok(others.with_target("superroot", level).with_targets(asked.iter()))
}

fn init_log(filter: &str, json: bool) {
    let (filter, problem) = match logged(filter) {
        Ok(filter) => (filter, None),
        Err(error) => (Targets::new().with_default(LevelFilter::WARN), Some(error.to_string())),
    };
    let log = fmt::layer().with_writer(|| LogWriter).with_ansi(console::user_attended_stderr());
    let logged = tracing_subscriber::registry().with(filter);
    if json {
        logged.with(log.json()).init();
    } else {
        logged.with(log.with_target(false)).init();
    }
    if let Some(problem) = problem {
        tracing::warn!("the log filter is not one, so warnings are logged: {problem}");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use clap::CommandFactory;
    use tracing::Level;

    use super::*;

    fn check(command: &clap::Command) {
        for one in command.get_subcommands() {
            for argument in one.get_arguments() {
                let id = argument.get_id().as_str();
                assert!(!id.starts_with("every."), "{}: {id}", one.get_name());
            }
            check(one);
        }
    }

    /// An argument under the id of one that all commands take would be read as the other's value.
    #[test]
    fn what_all_commands_take_has_ids_that_no_command_has() {
        let all = Cli::command();
        let of_all = all.get_arguments().filter(|argument| argument.is_global_set());
        let ids: Vec<_> = of_all.map(|argument| argument.get_id().as_str()).collect();
        assert_eq!(ids, ["every.log", "every.log_json", "every.chains"]);
        check(&all);
        Cli::command().debug_assert();
    }

    /// What a command has done stands, whatever a thread of it still does.
    #[test]
    fn a_thread_that_does_not_end_keeps_no_command_from_its_end() {
        let (release, held) = mpsc::channel::<()>();
        let (told, done) = mpsc::channel();
        std::thread::spawn(move || {
            let command = async move {
                let (begun, works) = tokio::sync::oneshot::channel();
                tokio::task::spawn_blocking(move || {
                    let _ = begun.send(());
                    held.recv()
                });
                works.await?;
                anyhow::Ok(7)
            };
            let _ = told.send(block_on(command));
        });
        let done = done.recv_timeout(Duration::from_secs(60)).expect("the thread was waited for");
        assert_eq!(done.unwrap(), 7);
        drop(release);
    }

    /// Who asks for everything hears this program; its libraries are heard when they warn, or when they are
    /// asked for by name.
    #[test]
    fn libraries_are_quiet_unless_they_warn_or_are_named() {
        let filter = |asked: &str| logged(asked).unwrap();
        assert!(!filter("error").would_enable("fjall", &Level::WARN));
        for asked in ["info", "debug", "trace"] {
            let filter = filter(asked);
            for own in ["superroot", "superroot::run", "superroot_store::embedded"] {
                assert!(filter.would_enable(own, &Level::INFO), "{asked}: {own}");
            }
            for engine in ["fjall::worker_pool", "lsm_tree", "axum::serve", "hyper_util", "sfa"] {
                assert!(!filter.would_enable(engine, &Level::INFO), "{asked}: {engine}");
                assert!(filter.would_enable(engine, &Level::WARN), "{asked}: {engine}");
            }
        }
        let named = filter("warn,fjall=debug");
        assert!(named.would_enable("fjall::worker_pool", &Level::DEBUG));
        assert!(!named.would_enable("lsm_tree", &Level::INFO));
        assert!(!named.would_enable("superroot::run", &Level::INFO));
    }
}
