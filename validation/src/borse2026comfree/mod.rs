//! Figures of borse2026comfree, effects of our switches, explicit against implicit.

mod comfree_icf;
mod error_control;
mod fig02;
mod fig03;
mod fig05;
mod fig06;
mod fig07;
mod fig08;
mod modes;
mod plants;
mod records;
mod robots;
mod runs;
mod scenes;
mod study;
mod table1;
mod table2;
mod throughput;

use signorini_report::Page;
use signorini_report::trials::PlanModel;

/// The pages in order.
pub fn pages() -> Vec<&'static dyn Page> {
    vec![
        &fig02::Fig02,
        &fig03::Fig03,
        &fig05::Fig05,
        &fig06::Fig06,
        &fig07::Fig07,
        &fig08::Fig08,
        &table1::Table1,
        &table2::Table2,
        &plants::Plants,
        &modes::Modes,
        &robots::Robots,
        &comfree_icf::ComfreeIcf,
        &error_control::ErrorControl,
    ]
}

/// Plan models on pages of tables; quick runs have the first.
const MODELS: [PlanModel; 2] = [PlanModel::ComFree, PlanModel::Icf];

/// Name of a plan model in texts.
fn plan_model(model: PlanModel) -> &'static str {
    match model {
        PlanModel::ComFree => "projected Gauss–Seidel, up to 12 sweeps",
        PlanModel::Icf => "ICF",
        PlanModel::Published => "projected Gauss–Seidel with the published sampler",
        PlanModel::OneEvaluation => "ComFree, one evaluation (mean mass)",
        PlanModel::Other => "MuJoCo",
    }
}
