//! mail-auth as a peer: reads commands from standard input and prints the seconds of CPU that each took.
//! `reports FILE ROUNDS` parses the report in a file, and prints its records, too. `spf FILE ROUNDS` evaluates the cases in
//! a file of lines: `zone NAME TXT`, then `case IP SENDER`, with records that are parsed in each evaluation, as ours are.
use mail_auth::common::parse::TxtRecordParser;
use mail_auth::report::Report;
use mail_auth::spf::Spf;
use mail_auth::spf::verify::SpfParameters;
use mail_auth::{MX, MessageAuthenticator, Parameters, ResolverCache, SpfResult, Txt};
use std::borrow::Borrow;
use std::collections::HashMap;
use std::fs;
use std::hash::Hash;
use std::io::{BufRead, stdin};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::time::Instant;

struct Records(HashMap<String, String>);

impl ResolverCache<String, Txt> for Records {
    fn get<Q>(&self, name: &Q) -> Option<Txt>
    where
        String: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let text = self.0.get(name)?;
        Some(Txt::Spf(Arc::new(Spf::parse(text.as_bytes()).expect("a record"))))
    }
    fn remove<Q>(&self, _: &Q) -> Option<Txt>
    where
        String: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        None
    }
    fn insert(&self, key: String, _: Txt, _: Instant) {
        panic!("{key} is not in the zone");
    }
}

struct Nothing;

impl<K, V> ResolverCache<K, V> for Nothing {
    fn get<Q>(&self, _: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        None
    }
    fn remove<Q>(&self, _: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        None
    }
    fn insert(&self, _: K, _: V, _: Instant) {}
}

/// Seconds of CPU that this process has taken: the fields 14 and 15 of its status, in hundredths.
fn cpu_seconds() -> f64 {
    let status = fs::read_to_string("/proc/self/stat").expect("Linux");
    let rest = status.rsplit(')').next().expect("fields");
    let fields: Vec<&str> = rest.split_whitespace().collect();
    (fields[11].parse::<f64>().expect("user") + fields[12].parse::<f64>().expect("system")) / 100.0
}

fn reports(file: &str, rounds: usize) -> String {
    let xml = fs::read(file).expect("the report");
    let start = cpu_seconds();
    let mut records = 0;
    for _ in 0..rounds {
        records = Report::parse_xml(&xml).expect("a report").records().len();
    }
    format!("{} {records}", cpu_seconds() - start)
}

fn spf(file: &str, rounds: usize) -> String {
    let text = fs::read_to_string(file).expect("the cases");
    let mut records = Records(HashMap::new());
    let mut cases: Vec<(IpAddr, &str, &str)> = Vec::new();
    for line in text.lines() {
        let mut words = line.splitn(3, ' ');
        match (words.next(), words.next(), words.next()) {
            (Some("zone"), Some(name), Some(record)) => {
                records.0.insert(format!("{name}."), record.to_string());
            }
            (Some("case"), Some(ip), Some(sender)) => {
                let domain = sender.split('@').nth(1).expect("a domain");
                cases.push((ip.parse().expect("an address"), sender, domain));
            }
            _ => panic!("{line}"),
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("tokio");
    runtime.block_on(async {
        let resolver = MessageAuthenticator::new_cloudflare().expect("a resolver");
        let start = cpu_seconds();
        let mut passed = 0;
        for _ in 0..rounds {
            for (ip, sender, domain) in &cases {
                let parameters: Parameters<'_, SpfParameters<'_>, Records, Nothing, Nothing, Nothing, Nothing> =
                    Parameters {
                        params: SpfParameters::verify_mail_from(*ip, domain, "mx.test", sender),
                        cache_txt: Some(&records),
                        cache_mx: None::<&Nothing>,
                        cache_ptr: None::<&Nothing>,
                        cache_ipv4: None::<&Nothing>,
                        cache_ipv6: None::<&Nothing>,
                    };
                let output = resolver.check_host(parameters).await;
                passed += usize::from(output.result() == SpfResult::Pass);
            }
        }
        format!("{} {}", cpu_seconds() - start, passed / rounds)
    })
}

// The caches are told apart by their values.
#[allow(dead_code)]
type Caches = (Arc<Vec<MX>>, Arc<Vec<Ipv4Addr>>, Arc<Vec<Ipv6Addr>>);

fn main() {
    for line in stdin().lock().lines() {
        let line = line.expect("a line");
        let words: Vec<&str> = line.split(' ').collect();
        let rounds = words[2].parse().expect("rounds");
        match words[0] {
            "reports" => println!("{}", reports(words[1], rounds)),
            "spf" => println!("{}", spf(words[1], rounds)),
            other => panic!("{other}"),
        }
    }
}
