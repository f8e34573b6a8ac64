//! Parsers for values of flags that only the command line has.

/// Millimetres of a length: "85 mm", "8.5 cm", "3.5 in".
pub fn parse_length(text: &str) -> Result<f64, String> {
    let units = [("mm", 1.0), ("cm", 10.0), ("in", 25.4)];
    let length = units.iter().find_map(|(unit, millimetres)| {
        let number: f64 = text.trim().strip_suffix(unit)?.trim_end().parse().ok()?;
        Some(number * millimetres)
    });
    match length {
        Some(length) if (20.0..=1000.0).contains(&length) => Ok(length),
        Some(_) => Err("a figure is from 20 mm to 1 m wide".to_owned()),
        None => Err("write a length with its unit, for example \"85 mm\" or \"3.5 in\"".to_owned()),
    }
}

/// A size of text in points.
pub fn parse_points(text: &str) -> Result<f64, String> {
    match text.trim().trim_end_matches("pt").trim_end().parse() {
        Ok(points) if (4.0..=40.0).contains(&points) => Ok(points),
        _ => Err("write a size from 4 to 40 points, for example 8".to_owned()),
    }
}
