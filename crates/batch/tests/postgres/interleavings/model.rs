//! Model of a shared batch: the valid changes of its tables, from one visible state to the next.

use std::collections::{BTreeMap, BTreeSet};

use podqueue_batch::State;
use podqueue_batch::store::Input;
use podqueue_pgserver::{Executed, Session};

/// The statements that read the tables of a batch, by name.
const READ: [(&str, &str); 4] = [
    (
        "batch",
        "SELECT 'batch', inputs, (SELECT count(*) FROM podqueue.run WHERE batch = $1)
         FROM podqueue.batch WHERE id = $1",
    ),
    (
        "inputs",
        "SELECT 'input', idx, state, attempt, owner, job_id FROM podqueue.input WHERE batch = $1",
    ),
    (
        "processes",
        "SELECT 'process', id, last_change, moved FROM podqueue.process WHERE batch = $1",
    ),
    (
        "recovered",
        "SELECT 'recovered', process, last_change FROM podqueue.recovered WHERE batch = $1",
    ),
];

/// Prepares a connection for models.
pub fn prepare(session: &mut Session) {
    for (name, sql) in READ {
        session.query(&format!("PREPARE read_{name} (bigint) AS {sql}"));
    }
}

/// An input, as its row has it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    state: State,
    attempt: u64,
    owner: Option<i64>,
    job: String,
}

/// Visible state of the tables of a batch.
#[derive(Clone, Debug, Default)]
struct Tables {
    inputs: BTreeMap<u64, Row>,
    /// The number of the last change of each process, and the sums of what it has moved.
    processes: BTreeMap<i64, (u64, Vec<i64>)>,
    taken: BTreeMap<i64, u64>,
    added: i64,
    runs: u64,
}

/// Model of the batch, and its violations.
#[derive(Debug, Default)]
pub struct Model {
    batch: i64,
    tables: Tables,
    /// The store that each process is of.
    stores: BTreeMap<i64, usize>,
    /// The last changes of the processes when a store observed them last.
    observed: BTreeMap<usize, BTreeMap<i64, u64>>,
    /// The inputs that are submitted, or may have been, by their attempts.
    attempts: BTreeSet<(u64, u64)>,
    pub violations: Vec<String>,
    /// Number of changes, of recoveries, and of observations.
    pub changes: u64,
    pub recoveries: u64,
    pub observations: u64,
}

impl Model {
    /// A new batch of this number of inputs.
    pub fn begin(session: &mut Session, name: &str, inputs: usize) -> Self {
        let sql = format!(
            "WITH new AS (
                INSERT INTO podqueue.batch (name, inputs) VALUES ('{name}', {inputs}) RETURNING id),
            added AS (
                INSERT INTO podqueue.input (batch, idx, line, body, digest)
                SELECT id, idx, idx + 1, 'a', decode(repeat('07', 16), 'hex')
                FROM new, generate_series(0, {inputs} - 1) AS idx)
            SELECT id FROM new"
        );
        let batch = session.query(&sql)[0][0].parse().unwrap();
        let mut model = Self { batch, ..Self::default() };
        model.tables = model.read(session);
        model
    }

    fn violated(&mut self, what: impl Into<String>) {
        self.violations.push(what.into());
    }

    fn read(&self, session: &mut Session) -> Tables {
        let batch = self.batch;
        let sql = READ.map(|name| format!("EXECUTE read_{} ({batch});", name.0)).concat();
        let mut tables = Tables::default();
        for row in session.query(&sql) {
            let number = |column: usize| row[column].parse::<i64>().unwrap();
            let positive = |column: usize| row[column].parse::<u64>().unwrap();
            match row[0].as_str() {
                "batch" => (tables.added, tables.runs) = (number(1), positive(2)),
                "input" => {
                    let state = State::ALL[usize::try_from(number(2)).unwrap()];
                    let owner = row[4].parse().ok();
                    let input = Row { state, attempt: positive(3), owner, job: row[5].clone() };
                    tables.inputs.insert(positive(1), input);
                }
                "process" => {
                    let moved = row[3].trim_matches(['{', '}']).split(',');
                    let moved = moved.map(|it| it.parse().unwrap()).collect();
                    tables.processes.insert(number(1), (positive(2), moved));
                }
                _ => drop(tables.taken.insert(number(1), positive(2))),
            }
        }
        tables
    }

    /// Called after each step of a store.
    pub fn observe(&mut self, session: &mut Session, step: Executed<'_>) {
        let store = step.process;
        if step.sql.starts_with("SELECT id, last_change, lease_until") {
            let last = self.tables.processes.iter().map(|(id, (last, _))| (*id, *last)).collect();
            self.observed.insert(store, last);
            self.observations += 1;
        }
        if !step.is_visible || step.sql.starts_with("SELECT") {
            return;
        }
        let after = self.read(session);
        let before = std::mem::replace(&mut self.tables, after.clone());
        self.check_processes(store, &before, &after);
        self.check_inputs(&before, &after);
        self.check_sums(&after);
    }

    fn check_processes(&mut self, store: usize, before: &Tables, after: &Tables) {
        let mut changed = None;
        for (id, (last, _)) in &after.processes {
            match before.processes.get(id) {
                None => {
                    if self.stores.insert(*id, store).is_some() || *last != 0 {
                        self.violated(format!("process {id} joins again"));
                    }
                }
                Some(old) if old.0 != *last || before.processes[id].1 != after.processes[id].1 => {
                    if self.stores.get(id) != Some(&store) {
                        self.violated(format!("store {store} changes the process of another one"));
                    }
                    if old.0 >= *last {
                        self.violated(format!("change {last} is made again, after {}", old.0));
                    }
                    if changed.replace(*id).is_some() {
                        self.violated("two processes change at once");
                    }
                    self.changes += 1;
                }
                Some(_) => {}
            }
        }
        let is_equal = before.inputs == after.inputs
            && (before.added, before.runs) == (after.added, after.runs)
            && before.taken == after.taken;
        if changed.is_none() && !is_equal {
            self.violated("something changes without a change of a process");
        }
        for (id, (last, _)) in &before.processes {
            if after.processes.contains_key(id) {
                continue;
            }
            self.recoveries += 1;
            if after.taken.get(id) != Some(last) {
                self.violated(format!("process {id} disappears at change {last}"));
            }
            let seen = self.observed.get(&store).and_then(|seen| seen.get(id));
            if seen != Some(last) {
                let why = format!("a process is recovered at change {last}, observed at {seen:?}");
                self.violated(why);
            }
        }
        for (id, last) in &before.taken {
            if after.taken.get(id) != Some(last) || after.processes.contains_key(id) {
                self.violated(format!("process {id}, which was recovered, changes"));
            }
        }
        self.check_owners(changed, before, after);
    }

    /// An input is changed by its owner, or by the process that recovers its owner.
    fn check_owners(&mut self, changed: Option<i64>, before: &Tables, after: &Tables) {
        for (index, row) in &after.inputs {
            let is_owned = matches!(row.state, State::Intent | State::Submitted);
            if is_owned != row.owner.is_some() {
                self.violated(format!("input {index} is {} with owner {:?}", row.state, row.owner));
            }
            if row.owner.is_some_and(|owner| !after.processes.contains_key(&owner)) {
                self.violated(format!("input {index} belongs to a process that is gone"));
            }
            let Some(old) = before.inputs.get(index).filter(|old| *old != row) else { continue };
            let is_recovered = old.owner.is_some_and(|id| !after.processes.contains_key(&id));
            if old.owner.is_some() && old.owner != changed && !is_recovered {
                self.violated(format!(
                    "input {index} is changed by another process than its owner"
                ));
            }
            if row.owner.is_some() && row.owner != changed {
                self.violated(format!("input {index} is given to another process"));
            }
        }
    }

    fn check_inputs(&mut self, before: &Tables, after: &Tables) {
        for (index, row) in &after.inputs {
            let Some(old) = before.inputs.get(index).filter(|old| *old != row) else { continue };
            use State::{Intent, Pending, Submitted, Unknown};
            let (was, is) = (old.attempt, row.attempt);
            let key = (*index, is);
            let is_valid = match (old.state, row.state) {
                (Pending, Intent) => {
                    if !self.attempts.insert(key) {
                        self.violated(format!("input {index} is submitted twice as attempt {is}"));
                    }
                    is == was + 1 && row.job.is_empty()
                }
                (Intent | Unknown, Pending) if is + 1 == was => {
                    self.attempts.remove(&(*index, was))
                }
                (Intent | Unknown, Pending) | (Intent, Unknown) => is == was,
                (Intent | Unknown | State::Failed | State::TimedOut, Submitted) => {
                    is == was && !row.job.is_empty()
                }
                (Submitted, Submitted) => is == was && old.job == row.job,
                (from, Pending) if from.is_final() && from != State::Completed => is == was,
                (Pending | Intent | Submitted | Unknown, to) if to.is_final() => is == was,
                _ => false,
            };
            if !is_valid {
                let (from, to) = (old.state, row.state);
                self.violated(format!("input {index} goes from {from} {was} to {to} {is}"));
            }
        }
    }

    fn check_sums(&mut self, after: &Tables) {
        for (code, state) in State::ALL.into_iter().enumerate() {
            let moved: i64 = after.processes.values().map(|(_, moved)| moved[code]).sum();
            let sum = moved + if state == State::Pending { after.added } else { 0 };
            let rows = after.inputs.values().filter(|row| row.state == state).count();
            if usize::try_from(sum) != Ok(rows) {
                self.violated(format!("{rows} inputs are {state}, and their count is {sum}"));
            }
        }
    }

    /// A store, whose last change has this position, believes that these inputs are its own.
    pub fn check_beliefs(&mut self, position: &str, what: &str, claims: &[Input], jobs: &[Input]) {
        let id = position.split_whitespace().next().and_then(|id| id.parse().ok()).unwrap();
        if !self.tables.processes.contains_key(&id) {
            self.violated(format!("{what} succeeds in a process that was recovered"));
            return;
        }
        for (state, believed) in [(State::Intent, claims), (State::Submitted, jobs)] {
            let mut believed: Vec<_> = believed.iter().map(|it| (it.index, it.attempt)).collect();
            believed.sort_unstable();
            let owns = |(index, row): (&u64, &Row)| {
                (row.owner == Some(id) && row.state == state).then_some((*index, row.attempt))
            };
            let owned: Vec<_> = self.tables.inputs.iter().filter_map(owns).collect();
            if believed != owned {
                let lists = format!("it believes to have {believed:?}, and has {owned:?}");
                self.violated(format!("{what} leaves a process with {state} inputs: {lists}"));
            }
        }
    }

    /// Everything has ended.
    pub fn check_end(&mut self, session: &mut Session) {
        let after = self.read(session);
        self.check_sums(&after);
        for (index, row) in &after.inputs {
            if !row.state.is_final() {
                self.violated(format!("input {index} never ends: it is {}", row.state));
            }
        }
    }
}
