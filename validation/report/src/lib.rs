//! Reports: pages that run something, and the suite that writes their results.
//!
//! A page ([`Page`]) runs something and gives a [`PageOutput`]: headings, prose, figures ([`Plot`]), tables, films and [`Claim`]s, statements that
//! can fail, in the order in which a reader meets them.
//!
//! ```
//! use signorini_report::suite::{self, SuiteOptions};
//! use signorini_report::{Budget, Claim, Context, Group, Mark, Page, PageError, PageOutput, Plot, Resume, Verdict};
//!
//! /// A stone falls, by steps of the symplectic Euler scheme.
//! struct Fall;
//!
//! impl Page for Fall {
//!     fn id(&self) -> &'static str {
//!         "analytic/fall"
//!     }
//!     fn title(&self) -> &'static str {
//!         "Free fall"
//!     }
//!     fn lead(&self) -> &'static str {
//!         "A stone falls from rest; its height over time follows the closed form."
//!     }
//!     fn cost(&self) -> [f64; 3] {
//!         [0.0; 3]
//!     }
//!     fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
//!         let (g, dt, steps) = (9.81, 1e-3, ctx.sized([1000, 1000, 2000]));
//!         let (mut z, mut v, mut path) = (0.0, 0.0, Vec::new());
//!         for k in 1..=steps {
//!             v -= g * dt;
//!             z += v * dt;
//!             path.push((f64::from(k) * dt, z));
//!         }
//!         let t = f64::from(steps) * dt;
//!         let mut out = PageOutput::new([format!("A stone falls for {t} s, with steps of {dt} s.")]);
//!         out.heading("Height");
//!         let mut plot = Plot::new("height", "Height over time", "t [s]", "z [m]");
//!         plot.add("steps", Mark::Line, path);
//!         plot.add_closed_form((0..=20).map(|k| t * f64::from(k) / 20.0).map(|t| (t, -0.5 * g * t * t)).collect());
//!         out.plot(plot);
//!         out.claim(Claim::relative("depth", "depth after the fall", 0.5 * g * t * t, -z, 0.01, "m"));
//!         Ok(out)
//!     }
//! }
//!
//! # let folder = std::env::temp_dir().join(format!("signorini-report-example-{}", std::process::id()));
//! let outcome = suite::run(
//!     &[&Fall],
//!     &[&Fall],
//!     &SuiteOptions {
//!         budget: Budget::Quick,
//!         groups: vec![Group { prefix: "analytic/", main: None, title: "Closed forms", text: "", missing: &[] }],
//!         out: folder.clone(),
//!         root: ".".into(),
//!         resume: Resume::Stopped,
//!         limit_s: None,
//!         jobs: 1,
//!         keep: false,
//!     },
//! )?;
//! assert!(outcome.passed() && outcome.index.is_file());
//! assert_eq!(outcome.records[0].count(Verdict::Holds), 1);
//!
//! let results: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(folder.join("results.json"))?)?;
//! assert_eq!(results[0]["id"], "analytic/fall/depth");
//! assert_eq!(results[0]["expected"]["value"], 4.905);
//! assert!((results[0]["measured"].as_f64().unwrap_or_default() - 4.90991).abs() < 1e-5);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Files
//!
//! [`suite::run`] writes a folder:
//!
//! | file | contents |
//! |---|---|
//! | `index.html` | gallery of pages by group; deviations, skipped claims, substitutes. It is there from the start and grows with each page |
//! | `results.json` | list of all claims of all pages in the folder, whichever run made them |
//! | `suite.json` | the run: pages that it has to make, and whether it ended; a run that was killed goes on, also when others ran since |
//! | `suite.lock` | held while a suite writes to the folder |
//! | `<page>/index.html` | the page, with its figures inside |
//! | `<page>/record.json` | title, wall time, machine, revision and claims of the page, for a suite that resumes |
//! | `<page>/<figure>.svg`, `<figure>.json` | a figure, its axes and its curves |
//! | `<page>/<figure>_narrow.svg` | the figure for narrow screens, with its legend below |
//! | `<page>/<figure>_card.svg` | the figure that stands for the page, smaller and without legend, for its card of the index |
//! | `<page>/<name>.jsonl`, `<page>/state.json` | finished parts of a long page ([`KeptParts`]), and the last kept state of a long run, for a suite that goes on |
//! | `<page>/panic.json` | a panic of the page: runs of the same revision mark it as failed, `--anew` runs it again |
//! | `<page>/<film>.html` | a motion to watch |
//!
//! A page that is run anew removes its own figures, pictures and films of before that it does not write again.
//!
//! # `results.json`
//!
//! A list of [`Claim`]s. Numbers have all digits of double precision.
//!
//! | field | type | meaning |
//! |---|---|---|
//! | `id` | text | id of the page, slash, id of the claim |
//! | `claim` | text | the statement |
//! | `expected` | object or null | `{"at_most": x}`, `{"at_least": x}`, `{"between": [low, high]}`, `{"value": x, "relative": t}` for \|measured − x\| ≤ t·\|x\| or `{"value": x, "absolute": t}` for \|measured − x\| ≤ t; null where words decide, where the claim was skipped, and where a number is not finite |
//! | `expected_text` | text | `expected` in words for people |
//! | `measured` | number or null | number of this run; null where words decide, where the claim was skipped, and where it is not finite |
//! | `measured_text` | text | `measured` for people, at most four digits; `NaN`, `inf` or `-inf` where it is not finite |
//! | `unit` | text | unit of both |
//! | `rule` | text | rule that decides, stated before the run; it begins with "required" where no theory gives the bound |
//! | `verdict` | text | `holds`, `deviates` or `skipped` |
//! | `substitute` | text or null | stand-in for data of the paper |
//! | `why` | text or null | reason of a deviation or of a skip |
//! | `paper` | text or null | number that the paper states for this quantity, with its unit, where `expected` is another bound |
//! | `wall_s` | number | wall time of the page \[s\] |
//! | `timed` | boolean | whether the claim judges times of the machine, which other work may decide |
//! | `source` | text | origin of the number that decides: `published` (a number of a paper), `theory` (a closed form, an invariant, another method or an independent reference) or `own` (a bound of this project) |
//! | `size` | text | `quick`, `standard` or `full` |
//! | `revision` | text | revision of the code; with `+` and a hash of the program where files were changed since |
//! | `date` | text | end of the run of the page, UTC (RFC 3339) |

mod baseline;
pub mod claim;
pub mod environment;
pub mod error;
pub mod history;
mod index_file;
pub mod kept_parts;
pub mod kept_results;
pub mod output;
pub mod page;
pub mod page_file;
mod panics;
pub mod planned;
pub mod plot;
mod plot_layout;
mod progress;
pub mod record;
mod run_state;
pub mod side_by_side;
pub mod suite;
mod templates;
pub mod trials;

pub use claim::{Claim, Expected, Verdict};
pub use error::PageError;
pub use index_file::{Group, MainClaim};
pub use kept_parts::KeptParts;
pub use kept_results::KeptResults;
pub use output::{Film, PageOutput, Part, Picture, Table};
pub use page::{Budget, Context, Page};
pub use plot::{Mark, Plot, Series};
pub use run_state::Resume;
pub use side_by_side::side_by_side;
