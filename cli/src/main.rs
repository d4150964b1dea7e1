//! The `signorini` command line.

/// Prints a line; a reader that went away (`| head`) ends the program quietly.
macro_rules! say {
    ($($text:tt)*) => {
        $crate::print_line(format_args!($($text)*))
    };
}

mod areas;
mod compare;
mod control;
mod dual_cone;
mod inspect;
mod method;
mod model;
mod plan;
mod reproduce;
mod run;
mod run_points;
mod view;

use clap::{Parser, Subcommand};

/// Contact simulation research: run robots, compare solvers, reproduce the papers' figures.
#[derive(Parser)]
#[command(name = "signorini", version)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Simulate a model, or a scene file of material points beside one (.toml), and record it.
    Run(Box<run::Arguments>),
    /// Write a page that shows a recording.
    View(view::Arguments),
    /// Print a model: bodies, dynamics, contact parameters.
    Inspect(inspect::Arguments),
    /// Run one scene under several laws, accuracies and steps.
    Compare(compare::Arguments),
    /// Steer a task by sampling and record it.
    Plan(plan::Arguments),
    /// Run the validation suite or a part of it and write the report.
    Reproduce(reproduce::Arguments),
    /// List the pages of the validation suite.
    List,
}

fn print_line(text: std::fmt::Arguments<'_>) {
    use std::io::{ErrorKind, Write};
    if let Err(e) = writeln!(std::io::stdout(), "{text}") {
        if e.kind() != ErrorKind::BrokenPipe {
            eprintln!("error: standard output: {e}");
        }
        std::process::exit(i32::from(e.kind() != ErrorKind::BrokenPipe));
    }
}

/// Instructions that this program was built with (`.cargo/config.toml`) and the processor lacks; without this check the program would end on an instruction that is not there.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[inline(never)]
fn missing_instructions() -> Option<&'static str> {
    let known = raw_cpuid::CpuId::new().get_extended_feature_info().is_some_and(|f| f.has_avx2());
    (!known).then_some("AVX2")
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
fn missing_instructions() -> Option<&'static str> {
    None
}

/// Runs a command on a thread of the pool: its many short loops then wake no thread each time to hand themselves over.
fn in_pool(
    run: impl FnOnce() -> Result<bool, Box<dyn std::error::Error>> + Send,
) -> Result<bool, Box<dyn std::error::Error>> {
    rayon::join(|| run().map_err(|e| e.to_string()), || ()).0.map_err(Into::into)
}

fn main() -> std::process::ExitCode {
    if let Some(what) = missing_instructions() {
        eprintln!(
            "error: this program was built for processors with {what}, which this one has not; build it with RUSTFLAGS=\"-C target-cpu=x86-64\" in the environment"
        );
        return std::process::ExitCode::FAILURE;
    }
    let cli = Cli::parse();
    let result = match cli.command.unwrap_or_else(|| Command::Reproduce(reproduce::Arguments::default())) {
        Command::Run(a) if model::is_scene_of_points(&a.model.model) => in_pool(|| run_points::run(&a)),
        Command::Run(a) => run::run(&a),
        Command::View(a) => view::run(&a),
        Command::Inspect(a) if model::is_scene_of_points(&a.model.model) => {
            a.check_of_points().map_err(Into::into).and_then(|()| run_points::inspect(&a.model))
        }
        Command::Inspect(a) => inspect::run(&a),
        Command::Compare(a) => compare::run(&a),
        Command::Plan(a) => plan::run(&a),
        Command::Reproduce(a) => reproduce::run(&a),
        Command::List => {
            reproduce::list();
            Ok(true)
        }
    };
    match result {
        Ok(true) => std::process::ExitCode::SUCCESS,
        Ok(false) => std::process::ExitCode::FAILURE,
        Err(e) => {
            eprintln!("error: {e}");
            std::process::ExitCode::FAILURE
        }
    }
}
