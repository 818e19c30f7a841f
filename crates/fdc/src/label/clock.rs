//! The time as it is stored with answers.

use std::time::{SystemTime, UNIX_EPOCH};

/// Now, UTC in ISO 8601 to the microsecond, so that answers sort by it.
pub(super) fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let since = since.unwrap_or_default();
    iso(since.as_secs(), since.subsec_micros())
}

/// Days to a date after Howard Hinnant's chrono-compatible algorithms (2013): years begin in March.
fn iso(seconds: u64, micros: u32) -> String {
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
}

#[cfg(test)]
mod tests {
    use super::iso;

    /// As `date -u -d @N` prints them.
    #[test]
    fn known_moments() {
        assert_eq!(iso(0, 0), "1970-01-01T00:00:00.000000Z");
        assert_eq!(iso(951_782_400, 5), "2000-02-29T00:00:00.000005Z");
        assert_eq!(iso(1_794_747_599, 999_999), "2026-11-15T12:59:59.999999Z");
        assert_eq!(iso(4_107_542_399, 0), "2100-02-28T23:59:59.000000Z");
    }
}
