//! Time over size as an SVG, both axes logarithmic.
use std::fmt::Write;

use super::results::Measurement;

/// As wide as the site's pictures, whose text is large enough on a telephone.
const WIDTH: f64 = 440.0;
/// Left, top, right and bottom of the field that the lines are in; names are below it.
const FIELD: [f64; 4] = [58.0, 10.0, 420.0, 310.0];
/// From one name to the next.
const ROW: f64 = 20.0;
/// Okabe and Ito's colours, which people with colour blindness can tell apart.
const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#999999"];

/// What a reader chooses by a way of sharing, for the functions of the benchmark that is plotted on the site.
const CHOICES: [(&str, &str); 9] = [
    ("reference copy_staged", "copy through the host"),
    ("allocate", "GPU memory of OpenCL"),
    ("allocate_hip", "GPU memory of HIP"),
    ("allocate_host", "host memory of OpenCL"),
    ("allocate_managed", "managed memory of HIP"),
    ("import", "a dma-buf"),
    ("import_hip", "a dma-buf, by HIP"),
    ("view", "a cl_mem that exists"),
    ("view_pages", "the program's pages"),
];

/// Times of one function over sizes, from the smallest on.
struct Line<'m> {
    name: &'m str,
    points: Vec<(f64, f64)>,
}

/// A line for each function whose parameter is a number of bytes; `None` if there is none.
pub fn svg(measurements: &[Measurement]) -> Option<String> {
    let mut lines: Vec<Line> = Vec::new();
    for one in measurements {
        let Some(bytes) = one.parameter().and_then(|bytes| bytes.parse::<f64>().ok()) else { continue };
        match lines.iter_mut().find(|line| line.name == one.function()) {
            Some(line) => line.points.push((bytes, one.median())),
            None => lines.push(Line { name: one.function(), points: vec![(bytes, one.median())] }),
        }
    }
    let sizes = lines.iter().flat_map(|line| line.points.iter().map(|(bytes, _)| *bytes));
    let times = lines.iter().flat_map(|line| line.points.iter().map(|(_, time)| *time));
    let (x, y) = (Axis::over(sizes, 4.0)?, Axis::over(times, 10.0)?);
    // The slowest at the largest size comes first, so that names are in the order of the lines' ends.
    lines.iter_mut().for_each(|line| line.points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    let end = |line: &Line| line.points.last().map_or(0.0, |(_, time)| *time);
    lines.sort_by(|a, b| end(b).total_cmp(&end(a)).then(a.name.cmp(b.name)));
    Some(draw(&lines, &x, &y))
}

/// A logarithmic axis, from a power of `step` to another.
struct Axis {
    step: f64,
    first: i32,
    last: i32,
}

impl Axis {
    fn over(values: impl Iterator<Item = f64>, step: f64) -> Option<Axis> {
        let (least, most) = values.fold((f64::MAX, f64::MIN), |(least, most), v| (least.min(v), most.max(v)));
        if least > most || least <= 0.0 {
            return None;
        }
        // Rounded, so that a power itself is not taken for a little more or less.
        let power = |value: f64| (value.ln() / step.ln() * 1e9).round() / 1e9;
        let first = power(least).floor() as i32;
        Some(Axis { step, first, last: (power(most).ceil() as i32).max(first + 1) })
    }

    /// From 0 to 1.
    fn at(&self, value: f64) -> f64 {
        (value.ln() / self.step.ln() - f64::from(self.first)) / f64::from(self.last - self.first)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        (self.first..=self.last).map(|power| self.step.powi(power))
    }
}

fn draw(lines: &[Line], x: &Axis, y: &Axis) -> String {
    let [left, top, right, bottom] = FIELD;
    let (to_x, to_y) = (|v| left + (right - left) * x.at(v), |v| bottom - (bottom - top) * y.at(v));
    let height = bottom + 40.0 + ROW * lines.len() as f64;
    // Without a background: the site inverts it where the page is dark.
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n"
    );
    let mut add = |text: String| writeln!(svg, "{text}").expect("strings can be written to");
    for (number, bytes) in x.ticks().enumerate() {
        let at = to_x(bytes);
        add(format!("<path d=\"M{at:.1} {top}V{bottom}\" stroke=\"#d0d0d0\"/>"));
        // There is room for the size at every second line.
        if number % 2 == 0 {
            add(format!("<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>", bottom + 17.0, size(bytes)));
        }
    }
    for time in y.ticks() {
        let at = to_y(time);
        add(format!("<path d=\"M{left} {at:.1}H{right}\" stroke=\"#d0d0d0\"/>"));
        add(format!("<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>", left - 8.0, at + 4.0, duration(time)));
    }
    for (number, line) in lines.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let points: Vec<String> =
            line.points.iter().map(|(bytes, time)| format!("{:.1},{:.1}", to_x(*bytes), to_y(*time))).collect();
        let dashes = if number < COLOURS.len() { "" } else { " stroke-dasharray=\"6 4\"" };
        let points = points.join(" ");
        add(format!("<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>"));
        let at = bottom + 40.0 + ROW * number as f64;
        let (start, end) = (left, left + 26.0);
        add(format!("<path d=\"M{start} {at}H{end}\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>"));
        add(format!("<text x=\"{}\" y=\"{}\">{}</text>", end + 8.0, at + 4.0, escaped(&title(line.name))));
    }
    svg + "</svg>\n"
}

/// `GPU memory of HIP: allocate_hip`.
fn title(function: &str) -> String {
    match CHOICES.iter().find(|(name, _)| *name == function) {
        Some((_, choice)) => format!("{choice}: {}", function.trim_start_matches("reference ")),
        None => function.to_owned(),
    }
}

fn size(bytes: f64) -> String {
    match bytes {
        b if b >= 1_073_741_824.0 => format!("{} GiB", b / 1_073_741_824.0),
        b if b >= 1_048_576.0 => format!("{} MiB", b / 1_048_576.0),
        b if b >= 1024.0 => format!("{} KiB", b / 1024.0),
        b => format!("{b} B"),
    }
}

fn duration(nanoseconds: f64) -> String {
    match nanoseconds {
        t if t >= 0.999e9 => format!("{:.0} s", t / 1e9),
        t if t >= 0.999e6 => format!("{:.0} ms", t / 1e6),
        t if t >= 0.999e3 => format!("{:.0} us", t / 1e3),
        t => format!("{t:.0} ns"),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(function: &str, bytes: Option<&str>, time: f64) -> Measurement {
        Measurement::new("a round", function, bytes, time)
    }

    #[test]
    fn each_function_is_a_line_from_corner_to_corner() {
        let all = [
            measured("a<b", Some("4096"), 1e3),
            measured("a<b", Some("65536"), 1e5),
            measured("flat", Some("65536"), 1e3),
            measured("flat", Some("4096"), 1e3),
            measured("no size", None, 1.0),
        ];
        let svg = svg(&all).expect("two lines");
        let [left, top, right, bottom] = FIELD;
        let [rising, flat] = [(top, "#0072b2"), (bottom, "#d55e00")].map(|(end, colour)| {
            format!("<polyline points=\"{left:.1},{bottom:.1} {right:.1},{end:.1}\" fill=\"none\" stroke=\"{colour}\"")
        });
        assert!(svg.contains(&rising) && svg.contains(&flat), "{svg}");
        for text in [">4 KiB<", ">64 KiB<", ">1 us<", ">10 us<", ">100 us<", ">a&lt;b<", ">flat<"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        assert!(!svg.contains("no size"));
        assert_eq!(super::svg(&all[4..]), None);
    }

    #[test]
    fn names_say_what_a_reader_chooses() {
        assert_eq!(title("allocate_hip"), "GPU memory of HIP: allocate_hip");
        assert_eq!(title("reference copy_staged"), "copy through the host: copy_staged");
        assert_eq!(title("a<b"), "a<b");
    }

    #[test]
    fn sizes_and_times_have_units() {
        assert_eq!([512.0, 1024.0, 4194304.0, 1073741824.0].map(size), ["512 B", "1 KiB", "4 MiB", "1 GiB"]);
        assert_eq!([10.0, 1e3, 1e7, 1e9].map(duration), ["10 ns", "1 us", "10 ms", "1 s"]);
    }
}
