//! Charts: bars or a line, with the numbers as a table for those who cannot or will not look.

use std::fmt::Write as _;

use askama::Template;

use crate::ui::html::writes_html;

/// A point of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// What it belongs to: a week, a day, an event.
    pub label: String,
    /// How much.
    pub value: i64,
}

/// One series over time.
#[derive(Clone, Debug, PartialEq, Template)]
#[template(path = "ui/chart.html")]
pub struct Chart {
    /// The element's id.
    pub id: String,
    /// What is shown: "Proposals a week".
    pub title: String,
    /// Oldest first.
    pub points: Vec<Point>,
    /// A tracked value is a line, a count per period is bars.
    pub as_line: bool,
}

const WIDTH: f64 = 640.0;
const LEFT: f64 = 36.0;
const BASE: f64 = 156.0;
const TOP: f64 = 10.0;

impl Chart {
    fn most(&self) -> i64 {
        let most = self
            .points
            .iter()
            .map(|p| p.value)
            .max()
            .unwrap_or(0)
            .max(1);
        let step = 10_i64.pow(most.ilog10());
        (most + step - 1) / step * step
    }

    fn least(&self) -> i64 {
        self.points
            .iter()
            .map(|p| p.value)
            .min()
            .unwrap_or(0)
            .min(0)
    }

    #[allow(clippy::cast_precision_loss)] // A drawing of 640 units needs no more than 52 bits.
    fn y(&self, value: i64) -> f64 {
        let (least, most) = (self.least() as f64, self.most() as f64);
        let share = (value as f64 - least) / (most - least).max(1.0);
        ((BASE - share * (BASE - TOP)) * 10.0).round() / 10.0
    }

    #[allow(clippy::cast_precision_loss)]
    fn x(&self, index: usize) -> f64 {
        let step = (WIDTH - LEFT) / self.points.len().max(1) as f64;
        ((LEFT + step * index as f64) * 10.0).round() / 10.0
    }

    #[allow(clippy::cast_precision_loss)]
    fn bar_width(&self) -> f64 {
        ((WIDTH - LEFT) / self.points.len().max(1) as f64 * 0.72 * 10.0).round() / 10.0
    }

    fn line(&self) -> String {
        let mut path = String::new();
        for (index, point) in self.points.iter().enumerate() {
            let letter = if index == 0 { 'M' } else { 'L' };
            let (x, y) = (self.x(index), self.y(point.value));
            let _ = write!(path, "{letter}{x} {y}");
        }
        path
    }

    fn bars(&self) -> String {
        let (width, floor) = (self.bar_width(), self.y(0));
        let mut path = String::new();
        for (index, point) in self.points.iter().enumerate() {
            let (x, y) = (self.x(index), self.y(point.value));
            let _ = write!(path, "M{x} {floor}V{y}h{width}V{floor}z");
        }
        path
    }

    fn summary(&self) -> String {
        let (Some(first), Some(last)) = (self.points.first(), self.points.last()) else {
            return format!("{}: nothing yet", self.title);
        };
        let most = self.points.iter().map(|p| p.value).max().unwrap_or(0);
        format!(
            "{}: from {} ({}) to {} ({}), at most {most}",
            self.title, first.value, first.label, last.value, last.label
        )
    }
}

writes_html!(Chart);
