//! The barrier against `oracles/ipc/barrier.csv`, which has it in fifty digits.

use signorini_ipc::BarrierSeed;
use signorini_testkit::data;

#[test]
fn conformance_barrier_in_fifty_digits() {
    let Some(path) = data::oracle("ipc/barrier.csv") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = |name: &str| head.iter().position(|h| *h == name).unwrap();
    let [d, dmin, dhat] = ["d", "dmin", "dhat"].map(column);
    let exact = ["b_exact", "db_exact", "ddb_exact"].map(column);
    let mut count = 0;
    for line in lines {
        let row: Vec<f64> = line.split(',').map(|x| x.parse().unwrap_or(f64::NAN)).collect();
        let p = BarrierSeed {
            dt: 1.0,
            distance: row[d],
            range: row[dhat],
            separation: row[dmin],
            stiffness: 1.0,
        };
        let s = row[d] * row[d] - row[dmin] * row[dmin];
        if s <= 0.0 {
            continue;
        }
        let ours = p.potential(row[d] * row[d]);
        let range = row[dhat] * (2.0 * row[dmin] + row[dhat]);
        // s − S in doubles is known to a part ε S/|s − S|, the separation to ε d²/s; b is quadratic in both.
        let lost = 1e-15 * (1.0 + range / (s - range).abs() + (row[d] * row[d] + range) / s);
        for k in 0..3 {
            let expected = row[exact[k]];
            let same = ours[k] == expected;
            assert!(
                same || (ours[k] - expected).abs() <= 8.0 * lost * expected.abs() + 1e-300,
                "{k}: {} {expected} at {line}",
                ours[k]
            );
        }
        count += 1;
    }
    assert!(count > 1000, "{count} rows");
}
