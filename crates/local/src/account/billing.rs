//! Bills of the account: what objects cost while they ran on the service's clock, by period.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde_json::{Map, Value, json};

use super::ledger::{Charge, Part, Product};
use super::problem::Problem;
use super::request::Request;
use super::response::{Outcome, ok};
use super::wall_clock::WallClock;

const BUCKET_SIZES: [&str; 5] = ["hour", "day", "week", "month", "year"];
const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;
/// The time that a bill is of by default.
const DEFAULT_TIME: i64 = 30 * DAY;
/// The first second of the year 1: RFC 3339 has no earlier years.
const FIRST_SECOND: i64 = -62_135_596_800;
/// The largest number of periods that a bill has, which is the hours of more than a year: the
/// latest, if more are asked for.
const MAX_PERIODS: u64 = 10_000;
/// The largest number of records that a bill has: the latest.
const MAX_RECORDS: usize = 50_000;

/// An amount of a record, by its name: that of a part of a product.
type Column = (&'static str, Product, Part);

/// A bill: its amounts, and the names of the fields that identify an object.
pub(super) struct Bill {
    columns: &'static [Column],
    /// Amounts that are always 0.
    zeros: &'static [&'static str],
    /// The field with the id of an object, and that with the number of objects; none if records are
    /// not by object.
    object: Option<(&'static str, &'static str)>,
}

/// The bill of the account, over all products.
pub(super) const ACCOUNT: Bill = Bill {
    columns: &[
        ("podGpuAmount", Product::Pod, Part::Gpu),
        ("podCpuAmount", Product::Pod, Part::Cpu),
        ("podDiskAmount", Product::Pod, Part::Disk),
        ("serverlessGpuAmount", Product::Serverless, Part::Gpu),
        ("serverlessCpuAmount", Product::Serverless, Part::Cpu),
        ("serverlessDiskAmount", Product::Serverless, Part::Disk),
        ("storageStandardAmount", Product::NetworkVolume, Part::StandardStorage),
        ("storageHighPerformanceAmount", Product::NetworkVolume, Part::HighPerformanceStorage),
        ("clusterGpuAmount", Product::Cluster, Part::Gpu),
        ("clusterDiskAmount", Product::Cluster, Part::Disk),
        ("clusterNetworkingAmount", Product::Cluster, Part::Networking),
    ],
    zeros: &["serverlessFeeAmount", "endpointAmount"],
    object: None,
};

pub(super) const PODS: Bill = Bill {
    columns: &[
        ("gpuAmount", Product::Pod, Part::Gpu),
        ("cpuAmount", Product::Pod, Part::Cpu),
        ("diskAmount", Product::Pod, Part::Disk),
    ],
    zeros: &[],
    object: Some(("podId", "uniquePodCount")),
};

pub(super) const SERVERLESS: Bill = Bill {
    columns: &[
        ("gpuAmount", Product::Serverless, Part::Gpu),
        ("cpuAmount", Product::Serverless, Part::Cpu),
        ("diskAmount", Product::Serverless, Part::Disk),
    ],
    zeros: &["feeAmount"],
    object: Some(("serverlessId", "uniqueServerlessCount")),
};

/// The bill of public endpoints, of which the local service has none.
pub(super) const PUBLIC_ENDPOINTS: Bill = Bill { columns: &[], zeros: &[], object: None };

pub(super) const NETWORK_VOLUMES: Bill = Bill {
    columns: &[
        ("standardAmount", Product::NetworkVolume, Part::StandardStorage),
        ("highPerformanceAmount", Product::NetworkVolume, Part::HighPerformanceStorage),
    ],
    zeros: &[],
    object: Some(("networkVolumeId", "uniqueNetworkVolumeCount")),
};

pub(super) const CLUSTERS: Bill = Bill {
    columns: &[
        ("gpuAmount", Product::Cluster, Part::Gpu),
        ("diskAmount", Product::Cluster, Part::Disk),
        ("networkingAmount", Product::Cluster, Part::Networking),
    ],
    zeros: &[],
    object: Some(("clusterId", "uniqueClusterCount")),
};

/// The question of a bill.
struct BillQuery {
    start: Timestamp,
    end: Timestamp,
    bucket_size: &'static str,
}

impl BillQuery {
    fn read(request: &Request, time: &WallClock) -> Result<Self, Problem> {
        let bucket_size = request.choice("bucketSize", &BUCKET_SIZES)?.unwrap_or("day");
        let given = |name| {
            let date = request.time(name);
            date.map(|date| date.map(|date| date.max(at(FIRST_SECOND))))
        };
        let end = given("endTime")?.unwrap_or_else(|| time.date(time.now()));
        let start = given("startTime")?;
        let start = match request.integer("lastN", 1, u64::MAX)? {
            None => start.unwrap_or_else(|| at(end.as_second().saturating_sub(DEFAULT_TIME))),
            Some(last) => first_of(last.min(MAX_PERIODS), end, bucket_size),
        };
        if start > end {
            return Err(Problem::invalid("startTime must not be after endTime"));
        }
        let hours = end.as_second().saturating_sub(start.as_second()) / HOUR;
        let start = match hours.unsigned_abs() > MAX_PERIODS {
            true => start.max(first_of(MAX_PERIODS, end, bucket_size)),
            false => start,
        };
        Ok(Self { start, end, bucket_size })
    }
}

/// The beginning of a number of periods before a time.
fn first_of(periods: u64, end: Timestamp, bucket_size: &str) -> Timestamp {
    let last = bucket(end.as_second() - 1, bucket_size).0;
    at((1..periods).fold(last, |start, _| bucket(start - 1, bucket_size).0))
}

fn at(second: i64) -> Timestamp {
    let second = second.clamp(FIRST_SECOND, Timestamp::MAX.as_second());
    Timestamp::from_second(second).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// The period with a second, from its first second to that after its last.
fn bucket(second: i64, size: &str) -> (i64, i64) {
    let whole = |length: i64, offset: i64| {
        let start = (second + offset).div_euclid(length) * length - offset;
        (start, start + length)
    };
    let of_date = |first: fn(Date) -> Date, length: jiff::Span| {
        let date = first(at(second).to_zoned(TimeZone::UTC).date());
        let start = |date: Date| date.to_zoned(TimeZone::UTC).map(|it| it.timestamp().as_second());
        let next = date.checked_add(length).and_then(start);
        let last = Timestamp::MAX.as_second();
        (start(date).unwrap_or(FIRST_SECOND), next.unwrap_or(last))
    };
    match size {
        "hour" => whole(HOUR, 0),
        // The epoch was a Thursday; a week begins on Monday.
        "week" => whole(7 * DAY, 3 * DAY),
        "month" => of_date(Date::first_of_month, 1.month()),
        "year" => of_date(Date::first_of_year, 1.year()),
        _ => whole(DAY, 0),
    }
}

impl Bill {
    /// The response to a request for this bill.
    pub(super) fn response(
        &self,
        request: &Request,
        time: &WallClock,
        charges: Vec<Charge>,
    ) -> Outcome {
        let query = BillQuery::read(request, time)?;
        let object = self.object.and_then(|(name, _)| request.query.get(name));
        let mut records = BTreeMap::<(i64, String), Vec<f64>>::new();
        for charge in charges.iter().filter(|it| object.is_none_or(|id| it.id == id)) {
            let is_of =
                |(_, product, part): &Column| (*product, *part) == (charge.product, charge.part);
            let Some(column) = self.columns.iter().position(is_of) else { continue };
            let id = if self.object.is_some() { charge.id.clone() } else { String::new() };
            for (start, seconds) in periods(charge, &query, time) {
                let amounts = records.entry((start, id.clone())).or_insert_with(|| self.nothing());
                amounts[column] += charge.hourly * seconds / HOUR as f64;
            }
            while records.len() > MAX_RECORDS {
                records.pop_first();
            }
        }
        let mut totals = self.nothing();
        for amounts in records.values() {
            totals.iter_mut().zip(amounts).for_each(|(total, amount)| *total += amount);
        }
        let ids: BTreeSet<&String> = records.keys().map(|(_, id)| id).collect();
        let mut question = json!({
            "startTime": query.start.to_string(),
            "endTime": query.end.to_string(),
            "bucketSize": query.bucket_size,
        });
        let mut metadata = json!({ "recordCount": records.len(), "totals": self.amounts(&totals) });
        if let Some((name, count)) = self.object {
            question[name] = json!(object);
            metadata[count] = json!(ids.len());
        }
        metadata["query"] = question;
        let record = |((start, id), amounts): (&(i64, String), &Vec<f64>)| {
            let mut record = self.amounts(amounts);
            let (start, end) = bucket(*start, query.bucket_size);
            record.insert("startTime".to_owned(), json!(at(start).to_string()));
            record.insert("endTime".to_owned(), json!(at(end).to_string()));
            if let Some((name, _)) = self.object {
                record.insert(name.to_owned(), json!(id));
            }
            Value::Object(record)
        };
        let records: Vec<_> = records.iter().map(record).collect();
        ok(json!({ "records": records, "metadata": metadata }))
    }

    fn nothing(&self) -> Vec<f64> {
        vec![0.0; self.columns.len()]
    }

    fn amounts(&self, amounts: &[f64]) -> Map<String, Value> {
        let total: f64 = amounts.iter().sum();
        let named = self.columns.iter().map(|(name, ..)| *name).zip(amounts.iter().copied());
        let zeros = self.zeros.iter().map(|name| (*name, 0.0));
        let all = named.chain(zeros).chain([("totalAmount", total)]);
        all.map(|(name, amount)| (name.to_owned(), json!(amount))).collect()
    }
}

/// The periods of a question that a charge is in, the latest first, and the seconds in each.
fn periods(charge: &Charge, query: &BillQuery, time: &WallClock) -> Vec<(i64, f64)> {
    let seconds = |date: Timestamp| date.as_nanosecond() as f64 / 1e9;
    let since = time.date(charge.since).max(query.start);
    let until = time.date(charge.until).min(query.end);
    let (first, mut last) = (seconds(since), seconds(until));
    let mut found = Vec::new();
    while last > first {
        // The period that ends at `last` or continues after it.
        let (start, _) = bucket(last.ceil() as i64 - 1, query.bucket_size);
        let begin = first.max(start as f64);
        found.push((start, last - begin));
        last = begin;
    }
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn a_period_begins_where_the_calendar_says() {
        let second: Timestamp = "2026-03-04T05:06:07Z".parse().unwrap();
        for (size, start, end) in [
            ("hour", "2026-03-04T05:00:00Z", "2026-03-04T06:00:00Z"),
            ("day", "2026-03-04T00:00:00Z", "2026-03-05T00:00:00Z"),
            ("week", "2026-03-02T00:00:00Z", "2026-03-09T00:00:00Z"),
            ("month", "2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z"),
            ("year", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"),
        ] {
            let (from, to) = bucket(second.as_second(), size);
            assert_eq!((at(from).to_string(), at(to).to_string()), (start.into(), end.into()));
        }
    }

    #[test]
    fn the_first_and_the_last_period_are_within_the_calendar() {
        for size in BUCKET_SIZES {
            for second in [FIRST_SECOND - 1, Timestamp::MAX.as_second() + 1] {
                let (from, to) = bucket(second, size);
                assert!(at(from) <= at(to), "{size} {second}");
            }
        }
    }
}
