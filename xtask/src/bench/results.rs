//! What criterion measured, and each figure's ratio to the reference in its group.
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

/// One benchmark: criterion's group, function and parameter, and its times in nanoseconds.
#[derive(Debug, Clone)]
pub struct Measurement {
    group: String,
    function: String,
    parameter: Option<String>,
    median: f64,
    /// Confidence interval of the median.
    interval: [f64; 2],
    throughput: Option<Throughput>,
}

/// What one iteration works through.
#[derive(Debug, Clone, PartialEq)]
struct Throughput {
    amount: f64,
    bytes: bool,
}

impl Measurement {
    /// What was measured.
    pub fn function(&self) -> &str {
        &self.function
    }

    /// With which parameter, if it has several.
    pub fn parameter(&self) -> Option<&str> {
        self.parameter.as_deref()
    }

    /// In nanoseconds.
    pub fn median(&self) -> f64 {
        self.median
    }

    fn is_reference(&self) -> bool {
        self.function == "bound" || self.function.starts_with("reference")
    }

    /// The time divided by that of a reference.
    fn ratio(&self, reference: &Self) -> f64 {
        self.median / reference.median
    }

    /// Amount a second, as a person reads it.
    fn rate(&self) -> String {
        let Some(throughput) = &self.throughput else { return String::new() };
        let unit = if throughput.bytes { "B/s" } else { "/s" };
        let rate = throughput.amount / self.median * 1e9;
        let (scaled, prefix) = match rate {
            rate if rate >= 1e9 => (rate / 1e9, "G"),
            rate if rate >= 1e6 => (rate / 1e6, "M"),
            rate if rate >= 1e3 => (rate / 1e3, "k"),
            rate => (rate, ""),
        };
        format!("{scaled:.2} {prefix}{unit}")
    }
}

/// The references of a measurement: those of its group with the same parameter.
fn references<'a>(all: &'a [Measurement], one: &'a Measurement) -> impl Iterator<Item = &'a Measurement> {
    all.iter().filter(|other| {
        !one.is_reference() && other.is_reference() && other.group == one.group && other.parameter == one.parameter
    })
}

/// Reads all figures below a criterion folder, sorted by name.
///
/// # Errors
/// If a file of criterion's cannot be read.
pub fn collect(folder: &Path) -> Result<Vec<Measurement>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            }
        }
        if folder.ends_with("new") && folder.join("benchmark.json").is_file() {
            let measurement = read(&folder).with_context(|| format!("what criterion wrote in {}", folder.display()))?;
            found.push(measurement);
        }
    }
    found.sort_by(|a, b| (&a.group, &a.parameter, &a.function).cmp(&(&b.group, &b.parameter, &b.function)));
    Ok(found)
}

fn read(folder: &Path) -> Result<Measurement> {
    let load = |name: &str| -> Result<Value> { Ok(serde_json::from_slice(&fs::read(folder.join(name))?)?) };
    let (about, estimates) = (load("benchmark.json")?, load("estimates.json")?);
    let text = |name: &str| about[name].as_str().map(str::to_owned);
    let median = &estimates["median"];
    let number = |value: &Value| value.as_f64().context("a number is missing");
    let throughput = ["Elements", "Bytes"]
        .into_iter()
        .find_map(|kind| Some(Throughput { amount: about["throughput"][kind].as_f64()?, bytes: kind == "Bytes" }));
    Ok(Measurement {
        group: text("group_id").context("no group_id")?,
        function: text("function_id").unwrap_or_default(),
        parameter: text("value_str"),
        median: number(&median["point_estimate"])?,
        interval: [
            number(&median["confidence_interval"]["lower_bound"])?,
            number(&median["confidence_interval"]["upper_bound"])?,
        ],
        throughput,
    })
}

/// Prints one line a measurement.
pub fn print(measurements: &[Measurement]) {
    println!();
    for one in measurements {
        let name = match &one.parameter {
            Some(parameter) => format!("{} / {} / {parameter}", one.group, one.function),
            None => format!("{} / {}", one.group, one.function),
        };
        let ratios: Vec<String> = references(measurements, one)
            .map(|reference| format!("{} x {}", factor(one.ratio(reference)), reference.function))
            .collect();
        println!("{name:<60} {:>12}  {:>14}  {}", time(one.median), one.rate(), ratios.join(", "));
    }
}

/// A ratio with its leading digits, however small it is.
fn factor(ratio: f64) -> String {
    match ratio {
        ratio if ratio < 0.1 => format!("1/{:.0}", 1.0 / ratio),
        ratio => format!("{ratio:.2}"),
    }
}

fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        t if t >= 1e9 => format!("{:.2} s ", t / 1e9),
        t if t >= 1e6 => format!("{:.2} ms", t / 1e6),
        t if t >= 1e3 => format!("{:.2} us", t / 1e3),
        t => format!("{t:.2} ns"),
    }
}

/// The figures for programs.
pub fn json(measurements: &[Measurement]) -> Value {
    let entries = measurements.iter().map(|one| {
        let ratios: serde_json::Map<String, Value> = references(measurements, one)
            .map(|reference| (reference.function.clone(), json!(one.ratio(reference))))
            .collect();
        json!({
            "group": one.group,
            "function": one.function,
            "parameter": one.parameter,
            "median_ns": one.median,
            "median_interval_ns": one.interval,
            "throughput": one.throughput.as_ref().map(|throughput| json!({
                "amount": throughput.amount,
                "unit": if throughput.bytes { "bytes" } else { "elements" },
            })),
            "ratio_to": ratios,
        })
    });
    entries.collect()
}

#[cfg(test)]
impl Measurement {
    pub fn new(group: &str, function: &str, parameter: Option<&str>, median: f64) -> Measurement {
        let (group, function, parameter) = (group.to_owned(), function.to_owned(), parameter.map(str::to_owned));
        Measurement { group, function, parameter, median, interval: [median; 2], throughput: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measurement(group: &str, function: &str, median: f64) -> Measurement {
        let throughput = Some(Throughput { amount: 64.0, bytes: true });
        Measurement {
            group: group.into(),
            function: function.into(),
            parameter: None,
            median,
            interval: [median; 2],
            throughput,
        }
    }

    #[test]
    fn ratios_are_to_the_reference_of_the_same_group() {
        let all = [measurement("a", "aql", 22.0), measurement("a", "bound", 20.0), measurement("b", "bound", 1.0)];
        let json = json(&all);
        assert_eq!(json[0]["ratio_to"], json!({ "bound": 1.1 }));
        assert_eq!(json[1]["ratio_to"], json!({}));
        assert_eq!(json[2]["ratio_to"], json!({}));
    }

    #[test]
    fn small_ratios_are_fractions() {
        assert_eq!((factor(1.104), factor(0.32), factor(0.004)), ("1.10".into(), "0.32".into(), "1/250".into()));
    }

    #[test]
    fn rates_have_units() {
        assert_eq!(measurement("a", "b", 32.0).rate(), "2.00 GB/s");
    }

    #[test]
    fn criterions_files_are_read() {
        let folder = std::env::temp_dir().join(format!("xtask-bench-{}", std::process::id()));
        let new = folder.join("1 producer/bound/new");
        fs::create_dir_all(&new).unwrap();
        let about = r#"{"group_id":"1 producer","function_id":"bound","value_str":null,"throughput":{"Elements":3}}"#;
        fs::write(new.join("benchmark.json"), about).unwrap();
        let estimates =
            r#"{"median":{"confidence_interval":{"lower_bound":1.5,"upper_bound":2.5},"point_estimate":2.0}}"#;
        fs::write(new.join("estimates.json"), estimates).unwrap();
        let found = collect(&folder);
        fs::remove_dir_all(&folder).unwrap();
        let found = found.unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].group.as_str(), found[0].median, found[0].interval), ("1 producer", 2.0, [1.5, 2.5]));
        assert_eq!(found[0].rate(), "1.50 G/s");
    }
}
