use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::{Mutex, atomic::AtomicBool};
use fdc_formats::collection::Collection;
use fdc_learn::protocol::Protocol;
use fdc_study::contender::{Contender, specifications};
use fdc_study::evaluate::{Bugs, Evaluation};
use fdc_study::measures::{At, MetricValues};
fn main() {
    let a: Vec<String> = std::env::args().skip(1).collect();
    let pool = Collection::read(&[PathBuf::from(&a[0])]).unwrap();
    let training = a.get(2).map(|p| Collection::read(&[PathBuf::from(p)]).unwrap());
    let e = Evaluation { contenders: specifications(&a[1]).iter().map(|s| Contender::parse(s).unwrap()).collect(), protocol: Some(Protocol::LeaveOneOut), tests: 10, seeds: 1, max_failing: Some(3), starters: None, ranking: Default::default() };
    let out = Mutex::new(BTreeMap::new());
    let t = std::time::Instant::now();
    e.evaluate(Bugs { pool: &pool, training: training.as_ref() }, &HashSet::new(), &AtomicBool::new(false), &|u, r| { out.lock().unwrap().insert((u.subject.clone(), u.version, u.metric.clone(), u.seed), r); });
    let runs: Vec<_> = out.into_inner().unwrap().into_values().flatten().collect();
    for v in MetricValues::gather(&runs) {
        let t = |k| v.total(At::Tests(k));
        let mut projects: BTreeMap<&str, ()> = BTreeMap::new();
        for b in v.bugs.keys() { projects.insert(&b.subject, ()); }
        let per: Vec<String> = projects.keys().map(|p| format!("{p} {:.3}", v.filtered(|b| b.subject == *p).area())).collect();
        println!("{:<34} area {:.4} | 1 {:.3} 3 {:.3} 5 {:.3} 10 {:.4} full {:.4} | acc@10tests {:?} | {}", v.metric, v.area(), t(1).ap, t(3).ap, t(5).ap, t(10).ap, v.total(At::Full).ap, t(10).acc.map(|x| (x * 10.0).round() / 10.0), per.join(" "));
    }
    eprintln!("{:?}", t.elapsed());
}
