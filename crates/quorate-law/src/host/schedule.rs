//! Times that come again and again: "day 00:00", "Mon 12:00", "24 Dec 00:00".

use crate::declare::Schedule;

const WEEKDAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// Reads a time; in words, what is wrong with it.
pub(crate) fn schedule(text: &str) -> Result<Schedule, String> {
    read(text).ok_or_else(|| {
        format!(
            "\"{text}\" is no time: write \"day 00:00\", \"Mon 12:00\" or \"24 Dec 00:00\", in UTC"
        )
    })
}

fn read(text: &str) -> Option<Schedule> {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        ["day", clock] => Some(Schedule::Daily {
            minute: minute(clock)?,
        }),
        [day, clock] => Some(Schedule::Weekly {
            weekday: place(&WEEKDAYS, day)?,
            minute: minute(clock)?,
        }),
        [day, month, clock] => {
            let day: u8 = day.parse().ok().filter(|day| (1..=31).contains(day))?;
            let month = place(&MONTHS, month)?;
            Some(Schedule::Yearly {
                month,
                day,
                minute: minute(clock)?,
            })
        }
        _ => None,
    }
}

/// The place of a word among others, from 1; its first three letters are enough.
fn place(words: &[&str], word: &str) -> Option<u8> {
    let start = word.get(..3)?.to_lowercase();
    let index = words.iter().position(|known| *known == start)?;
    u8::try_from(index + 1).ok()
}

fn minute(clock: &str) -> Option<u16> {
    let (hour, minute) = clock.split_once(':')?;
    let hour: u16 = hour.parse().ok().filter(|hour| *hour < 24)?;
    let minute: u16 = minute.parse().ok().filter(|minute| *minute < 60)?;
    Some(hour * 60 + minute)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_three_forms() {
        assert_eq!(schedule("day 00:30"), Ok(Schedule::Daily { minute: 30 }));
        let thursday = Schedule::Weekly {
            weekday: 4,
            minute: 720,
        };
        assert_eq!(schedule("Thu 12:00"), Ok(thursday));
        let eve = Schedule::Yearly {
            month: 12,
            day: 24,
            minute: 0,
        };
        assert_eq!(schedule("24 Dec 00:00"), Ok(eve));
        for bad in ["day 24:00", "Foo 12:00", "32 Dec 00:00", "noon"] {
            assert!(schedule(bad).is_err(), "{bad}");
        }
    }
}
