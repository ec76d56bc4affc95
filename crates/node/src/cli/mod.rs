//! The command line: one file per command.

mod admin;
mod audit;
mod backfill;
mod backup;
mod inspect;
mod key;
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

/// Proofs and data of many chains that a stranger checks by hashing alone.
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
    /// Writes log lines as JSON.
    #[arg(id = "every.log_json", long = "log-json", global = true)]
    log_json: bool,
    /// Rows of a log of one's own, appended to the chains of this build.
    #[arg(id = "every.chains", long = "chains", global = true, env = chains::VARIABLE, value_name = "FILE")]
    chains: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs the service.
    Serve(serve::ServeArgs),
    /// Runs the whole service on simulated chains, nothing to configure.
    Demo(serve::DemoArgs),
    /// Serves a folder of recorded blocks as a JSON-RPC node.
    Replay(serve::ReplayArgs),
    /// Records blocks of a node, verified, into a folder for `serve --replay`.
    Record(record::RecordArgs),
    /// Fetches a proof from a service, verifies it, and writes it to a file.
    Prove(prove::ProveArgs),
    /// Verifies a proof file, offline, by hashing alone.
    Verify(verify::VerifyArgs),
    /// Prints what a proof file holds, without judging it.
    Inspect(inspect::InspectArgs),
    /// Shows what happens, line by line, as a service tells it.
    Watch(watch::WatchArgs),
    /// Keeps the SuperRoots that you trust.
    Trust(trust::TrustArgs),
    /// Replays a log from its first SuperRoot, and compares what several services show of it.
    Audit(audit::AuditArgs),
    /// Reads every row of a data folder and reports what is damaged.
    Fsck(operate::FsckArgs),
    /// Computes every SuperRoot of a data folder anew and compares.
    Recompute(operate::RecomputeArgs),
    /// Fetches older blocks of a chain into a data folder; a service may run on it.
    Backfill(backfill::BackfillArgs),
    /// Fetches what is missing, spoilt or newly watched of the blocks that a data folder holds.
    Repair(backfill::RepairArgs),
    /// Copies a data folder, whole; a service may run on it.
    Backup(backup::BackupArgs),
    /// Has an older copy of a data folder catch up with its own log, so that it does not fork it.
    Restore(restore::RestoreArgs),
    /// Lets a halted chain go on, after a person has looked at why it halted.
    Resume(resume::ResumeArgs),
    /// Accounts, keys, subscriptions, invoices: the operator's hand; a service may run on the folder.
    Admin(admin::AdminArgs),
    /// Cosigns what logs publish, as long as each has one history (C2SP tlog-witness).
    Witness(witness::WitnessArgs),
    /// Makes, shows and takes in the key that a log or a witness signs with.
    #[command(subcommand)]
    Key(key::KeyCommand),
    /// Makes a wallet in a file and signs with it, so that a script can prove it to a service.
    #[command(subcommand)]
    Wallet(wallet::WalletCommand),
    /// Prints the configuration as it will be used, without secrets.
    CheckConfig(operate::CheckConfigArgs),
    /// Prints a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Prints the manual page, or that of a command.
    Man(pages::ManArgs),
}

impl Command {
    const fn is_service(&self) -> bool {
        matches!(self, Self::Serve(_) | Self::Demo(_) | Self::Replay(_) | Self::Witness(_))
    }
}

/// Reads the command line and runs the command.
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

/// How long threads that still work are waited for at the end.
const LAST_WAIT: Duration = Duration::from_secs(2);

/// Runs a command that waits for the network.
fn block_on<T>(command: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    // fails only when it was installed already
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let done = runtime.block_on(command);
    // what still runs on a thread may take as long as it likes: a store is whole after any end
    runtime.shutdown_timeout(LAST_WAIT);
    done
}

/// Does work that may be stopped at any moment and begun again.
async fn unless_stopped<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::select! {
        done = work => done,
        stopped = stop::requested() => {
            stopped.context("cannot listen for signals")?;
            bail!("stopped; what was taken stays, and the same command goes on from there")
        }
    }
}

/// What is logged by a filter such as `info,superroot_collect=debug`. Libraries say what no operator asked for, addresses
/// of clients too: more than their warnings is heard where the filter names them.
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
