//! Tests of this crate in one program, which is built once; tests of allocations are programs of their own.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at what they do not expect"
)]

mod common;
mod narrow_common;
mod pressure_common;

mod analytic_curvature;
mod analytic_height_field;
mod analytic_mass;
mod analytic_narrow_extents;
mod analytic_narrow_patch;
mod analytic_narrow_surface;
mod analytic_pressure_fields;
mod analytic_pressure_surface;
mod analytic_pressure_walls;
mod analytic_sharp;
mod analytic_surface_pairs;
mod analytic_volume_meshes;
mod conformance_collision_queries;
mod conformance_meshes;
mod conformance_narrow_oracle;
mod conformance_pressure_errors;
mod conformance_stencils;
mod property_boxes;
mod property_collision_times;
mod property_hull;
mod property_mesh_files;
mod property_narrow_aligned_edges;
mod property_narrow_caps;
mod property_narrow_distance;
mod property_narrow_half_space;
mod property_narrow_overlap;
mod property_narrow_patch;
mod property_narrow_patch_tilts;
mod property_narrow_separating_axes;
mod property_narrow_sunken;
mod property_narrow_surface_codes;
mod property_narrow_surface_overlaps;
mod property_narrow_surface_placements;
mod property_narrow_surface_points;
mod property_narrow_surface_solids;
mod property_neighbours;
mod property_pressure_paths;
mod property_pressure_surface;
mod property_rays;
mod property_signed_distance;
mod property_signed_distance_faces;
mod property_stencils;
mod property_surface_pairs;
mod property_time_apart;
mod regression_collision_round_off;
