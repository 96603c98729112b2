//! Test suite of every store. The tests know the trait alone, and a way to reopen the store.

use podqueue_batch::State;
use podqueue_batch::store::{
    Change, Claim, Commit, Ended, Event, Input, NewInput, OpenStore, RunRecord, Store, TextLocation,
};

pub fn stored(text: &str) -> NewInput {
    let location = TextLocation::Stored(text.as_bytes().to_vec());
    NewInput { line: 1, location, digest: [7; 16], same_as: None, rejection: None }
}

pub fn run() -> RunRecord {
    RunRecord {
        endpoint_id: "echo".into(),
        base_url: "http://127.0.0.1:1/v2".into(),
        policy: Some(r#"{"ttl":60000}"#.into()),
        ttl: Some(60_000),
        started_at: 5,
    }
}

pub fn claim(store: &mut impl Store, limit: usize) -> Vec<Input> {
    claim_bytes(store, limit, u64::MAX)
}

fn claim_bytes(store: &mut impl Store, limit: usize, bytes: u64) -> Vec<Input> {
    let run = match store.runs().unwrap().last() {
        Some((run, _)) => *run,
        None => store.begin_run(&run()).unwrap(),
    };
    store
        .commit(&Commit {
            claim: Some(Claim { limit, bytes, run, ..Claim::default() }),
            ..Commit::default()
        })
        .unwrap()
}

pub fn change(input: &Input, event: Event) -> Commit {
    let change = Change { index: input.index, attempt: input.attempt, event };
    Commit { changes: vec![change], ..Commit::default() }
}

pub fn ended(state: State) -> Event {
    let execution_ms = Some(20.0);
    Event::Ended(Ended { state, error: Some("why".into()), delay_ms: Some(1.0), execution_ms })
}

pub fn accepted() -> Event {
    Event::Accepted { job_id: "j".into(), at: 9 }
}

pub fn counts(store: &mut impl Store) -> String {
    let counts = store.tally().unwrap().counts;
    let some = State::ALL.into_iter().filter(|state| counts.of(*state) > 0);
    some.map(|state| format!("{} {}", counts.of(state), state.key())).collect::<Vec<_>>().join(", ")
}

pub fn an_input_passes_through_its_states<O: OpenStore>(open: impl Fn() -> O) {
    let mut store = open().open().unwrap();
    store.add(&[stored("a"), stored("b"), stored("c")], &[("source", "one".into())]).unwrap();
    assert_eq!(counts(&mut store), "3 pending");
    let claimed = claim(&mut store, 2);
    assert_eq!(
        claimed.iter().map(|it| (it.index, it.attempt)).collect::<Vec<_>>(),
        [(0, 1), (1, 1)]
    );
    assert_eq!(claimed[0].location, TextLocation::Stored(b"a".to_vec()));
    assert_eq!(counts(&mut store), "1 pending, 2 intent");

    store.commit(&change(&claimed[0], accepted())).unwrap();
    store.commit(&change(&claimed[0], Event::Seen { at: 12 })).unwrap();
    store.commit(&change(&claimed[1], Event::NotSent)).unwrap();
    drop(store);

    let mut store = open().open().unwrap();
    assert_eq!(counts(&mut store), "2 pending, 1 submitted");
    let submitted = store.inputs(&[State::Submitted], 0, 10).unwrap();
    assert_eq!(submitted[0].job_id.as_deref(), Some("j"));
    assert_eq!((submitted[0].submitted_at, submitted[0].seen_at), (Some(9), Some(12)));
    assert_eq!(store.runs().unwrap(), [(submitted[0].run.unwrap(), run())]);
    store.commit(&change(&submitted[0], ended(State::Completed))).unwrap();

    let again = claim(&mut store, 9);
    assert_eq!(again.iter().map(|it| (it.index, it.attempt)).collect::<Vec<_>>(), [(1, 1), (2, 1)]);
    store.commit(&change(&again[0], Event::Unknown("lost".into()))).unwrap();
    assert_eq!(store.move_all(&[State::Intent], State::Unknown).unwrap(), 1);
    assert_eq!(counts(&mut store), "1 completed, 2 unknown");
    let unknown = store.inputs(&[State::Unknown], 0, 10).unwrap();
    assert_eq!(unknown[0].error.as_deref(), Some("lost"));
    store.commit(&change(&unknown[0], Event::Resubmit)).unwrap();
    let again = claim(&mut store, 9);
    assert_eq!(again[0].attempt, 2, "it may have been accepted before");
    store.commit(&change(&again[0], Event::Unknown("lost".into()))).unwrap();
    store.commit(&change(&again[0], Event::NotSent)).unwrap();
    let again = claim(&mut store, 9);
    assert_eq!((again[0].attempt, again[0].error.as_deref()), (2, None), "it was not, after all");
    store.commit(&change(&again[0], Event::Unknown("lost".into()))).unwrap();
    assert_eq!(store.move_all(&[State::Unknown], State::Pending).unwrap(), 2);
    let again = claim(&mut store, 9);
    assert_eq!(again.iter().map(|it| it.error.as_deref()).collect::<Vec<_>>(), [None, None]);
    let tally = store.tally().unwrap();
    assert_eq!((tally.execution_ms, tally.delay_ms), (20.0, 1.0));
    assert_eq!(store.note("source").unwrap().as_deref(), Some("one"));
}

pub fn a_commit_takes_effect_as_a_whole_or_not_at_all<O: OpenStore>(open: impl Fn() -> O) {
    let mut store = open().open().unwrap();
    store.add(&[stored("a"), stored("b")], &[]).unwrap();
    let claimed = claim(&mut store, 1);
    for event in [Event::Seen { at: 1 }, ended(State::Completed)] {
        let mut commit = change(&claimed[0], accepted());
        commit.notes.push(("length", "1".into()));
        // Of an attempt that is not the last one.
        commit.changes.push(Change { index: 0, attempt: 0, event });
        commit.claim = Some(Claim {
            limit: 1,
            bytes: u64::MAX,
            run: claimed[0].run.unwrap(),
            ..Claim::default()
        });
        store.commit(&commit).unwrap_err();
        assert_eq!(counts(&mut store), "1 pending, 1 intent");
        assert_eq!(store.note("length").unwrap(), None);
    }
    store.commit(&change(&claimed[0], ended(State::Refused))).unwrap();
    for event in [Event::NotSent, Event::Unknown(String::new()), ended(State::Completed)] {
        store.commit(&change(&claimed[0], event)).unwrap_err();
    }
}

pub fn claims_stay_within_the_bound_of_all_charges<O: OpenStore>(open: impl Fn() -> O) {
    let mut store = open().open().unwrap();
    store.add(&["a"; 9].map(stored), &[]).unwrap();
    let run = store.begin_run(&run()).unwrap();
    let claim = |store: &mut O::Store, changes: Vec<Change>| {
        let max_charged_ms = Some(250.0);
        let claim = Claim { limit: 9, bytes: u64::MAX, run, reserve_ms: 100.0, max_charged_ms };
        let commit = Commit { changes, claim: Some(claim), ..Commit::default() };
        store.commit(&commit).unwrap()
    };
    let claimed = claim(&mut store, Vec::new());
    assert_eq!(claimed.len(), 2);
    assert_eq!(claim(&mut store, Vec::new()).len(), 0);
    assert_eq!(store.tally().unwrap().charged_ms, 200.0);

    // The changes of a commit make room for its claim.
    let not_sent = change(&claimed[0], Event::NotSent).changes;
    let again = claim(&mut store, not_sent);
    assert_eq!(again.iter().map(|it| (it.index, it.attempt)).collect::<Vec<_>>(), [(0, 1)]);
    store.commit(&change(&again[0], accepted())).unwrap();
    let completed = change(&again[0], ended(State::Completed)).changes;
    let third = claim(&mut store, completed);
    assert_eq!((third.len(), store.tally().unwrap().charged_ms), (1, 220.0));

    // What may have been executed stays charged, whatever becomes of it.
    let unknown = change(&claimed[1], Event::Unknown("lost".into())).changes;
    assert_eq!(claim(&mut store, unknown).len(), 0);
    store.commit(&change(&claimed[1], Event::Resubmit)).unwrap();
    store.move_all(&[State::Intent], State::Pending).unwrap();
    let tally = store.tally().unwrap();
    assert_eq!((tally.charged_ms, tally.timed, tally.squares_ms), (220.0, 1, 400.0));
    drop(store);
    let mut store = open().open().unwrap();
    assert_eq!(claim(&mut store, Vec::new()).len(), 0);
    let refused = ended(State::Refused);
    let pending = store.inputs(&[State::Pending], 0, 1).unwrap();
    store.commit(&change(&pending[0], refused)).unwrap();
    let charged = store.tally().unwrap().charged_ms;
    assert_eq!(charged, 220.0, "an attempt that is over is not taken back");
}

pub fn copies_are_not_claimed<O: OpenStore>(open: impl Fn() -> O) {
    let mut store = open().open().unwrap();
    let copy = NewInput { same_as: Some(0), ..stored("a") };
    store.add(&[stored("a"), copy.clone(), stored("b"), copy], &[]).unwrap();
    let claimed = claim(&mut store, 9);
    assert_eq!(claimed.iter().map(|it| it.index).collect::<Vec<_>>(), [0, 2]);
    let copies = store.copies(0).unwrap();
    assert_eq!(copies.iter().map(|it| it.index).collect::<Vec<_>>(), [1, 3]);
    store.commit(&change(&copies[0], ended(State::Completed))).unwrap();
    assert_eq!(counts(&mut store), "1 pending, 2 intent, 1 completed");
}

pub fn a_claim_ends_where_its_bytes_do<O: OpenStore>(open: impl Fn() -> O) {
    let mut store = open().open().unwrap();
    let in_file =
        |length| NewInput { location: TextLocation::File { offset: 0, length }, ..stored("") };
    let lengths = [4, 3, 3, 9, 1, 1, 1];
    store.add(&lengths[..4].iter().map(|it| in_file(*it)).collect::<Vec<_>>(), &[]).unwrap();
    store.add(&vec![stored("a"); 3], &[]).unwrap();
    for (limit, bytes, expected) in [(9, 0, 1), (9, 6, 2), (2, 99, 2), (9, 1, 1), (9, 9, 1)] {
        let claimed = claim_bytes(&mut store, limit, bytes);
        assert_eq!(claimed.len(), expected, "{limit} inputs, {bytes} bytes");
    }
    assert_eq!(counts(&mut store), "7 intent");
}

pub fn inputs_are_listed_page_by_page<O: OpenStore>(open: impl Fn() -> O) {
    let mut store = open().open().unwrap();
    let inputs: Vec<_> = (0..10).map(|n| stored(&n.to_string())).collect();
    store.add(&inputs[..4], &[]).unwrap();
    store.add(&inputs[4..], &[]).unwrap();
    for (states, expected) in
        [(&[State::Pending][..], 10), (&[State::Unknown, State::Intent], 0), (&[], 0)]
    {
        let (mut from, mut found) = (0, Vec::new());
        loop {
            let page = store.inputs(states, from, 3).unwrap();
            let Some(last) = page.last() else { break };
            from = last.index + 1;
            found.extend(page.into_iter().map(|input| input.index));
        }
        assert_eq!(found, (0..expected).collect::<Vec<_>>());
    }
}
