//! The language of the tables of options: how an option is seen in what a command does, and what compares the two.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::Duration;

use crate::common::{output, queens};
use queens::ledger::Ledger;
use queens::ledger::store::{self, Store};
use queens::{Isa, available_threads};
use serde_json::Value;
use tempfile::TempDir;

use Expect::{
    Differs, Ends, Equal, Exit, Field, File, Length, Lines, Loses, Never, NotZero, Out, Refused, Same, Saves, Silent,
    Stops, Text,
};

/// How an option is seen. A field is named by its path in the object of `--json`, as in `terms/0/isa`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expect {
    /// A field has this value.
    Field(&'static str, &'static str),
    /// A field is this text.
    Text(&'static str, &'static str),
    /// A field is a number, and not 0.
    NotZero(&'static str),
    /// Two fields are the same number, and not 0.
    Equal(&'static str, &'static str),
    /// A field is an array of this length.
    Length(&'static str, usize),
    /// A field has another value than without the option.
    Differs(&'static str),
    /// Stdout has this text.
    Out(&'static str),
    /// Stdout has this many lines.
    Lines(usize),
    /// The last object on stderr is the only end, and has all the work done.
    Ends,
    /// Stderr is empty.
    Silent,
    /// There is a file of this name, which begins with this text.
    File(&'static str, &'static str),
    /// Exit code 2, nothing on stdout, and an error of one line with this sentence.
    Refused(&'static str),
    /// This exit code, and this sentence on stderr.
    Exit(i32, &'static str),
    /// A long run has more in its checkpoint than it began with, before it has ended.
    Saves,
    /// A long run ends before its time, is saved and says so.
    Stops,
    /// A long run ends before its time, and nothing is saved.
    Loses,
    /// The option changes nothing here.
    Same,
    /// The form, or what goes with the option, is refused with this sentence whether the option is there or not.
    Never(&'static str),
}

/// A form of a command.
pub(crate) struct Form {
    pub(crate) name: &'static str,
    /// What comes after the name of the command.
    pub(crate) line: &'static str,
    /// The same for a count of half a second at least on one thread of any machine; empty where no row needs it.
    pub(crate) long: &'static str,
    pub(crate) exit: i32,
}

pub(crate) const fn form(name: &'static str, line: &'static str) -> Form {
    Form { name, line, long: "", exit: 0 }
}

/// An option with its value, other options that go with it, and how it is seen in each of the forms.
pub(crate) struct Row<const FORMS: usize> {
    pub(crate) option: &'static str,
    pub(crate) with: &'static str,
    pub(crate) expected: [Expect; FORMS],
}

pub(crate) const fn row<const FORMS: usize>(option: &'static str, expected: [Expect; FORMS]) -> Row<FORMS> {
    Row { option, with: "", expected }
}

pub(crate) const fn row_with<const FORMS: usize>(
    option: &'static str,
    with: &'static str,
    expected: [Expect; FORMS],
) -> Row<FORMS> {
    Row { option, with, expected }
}

/// What every command has, and `every_command_has_the_options_of_all` tries.
pub(crate) const OF_ALL: [&str; 3] = ["--color", "--help", "--version"];

pub(crate) const LEDGER: &str = "queens ledger";

pub(crate) const TWICE: Expect = Refused("cannot be used multiple times");

/// Compares every row with what the command does, and the rows with the options that there are.
pub(crate) fn check<const FORMS: usize>(command: &'static str, forms: &[Form; FORMS], rows: &[Row<FORMS>]) {
    let spellings = options(command);
    let listed: BTreeSet<&str> = rows.iter().map(|row| name(row.option)).collect();
    for names in &spellings {
        let has_row = names.iter().any(|name| listed.contains(name.as_str()));
        let is_excepted = names.iter().any(|name| OF_ALL.contains(&name.as_str()));
        assert!(has_row || is_excepted, "'queens {command}' has {names:?}, of which tests/options.rs has no row");
    }
    let known = |row: &str| spellings.iter().flatten().any(|name| name == row);
    assert!(listed.iter().all(|row| known(row)), "'queens {command}' has not all of {listed:?}");

    let runs = Runs { command, made: RefCell::default() };
    let mut failures = Vec::new();
    for row in rows {
        let names = spellings.iter().find(|names| names.iter().any(|of| of == name(row.option))).unwrap();
        for (place, (form, expected)) in forms.iter().zip(row.expected).enumerate() {
            // By each of its names in turn.
            let spelled = row.option.replacen(name(row.option), &names[place % names.len()], 1);
            if let Some(failure) = runs.failure(form, row, &spelled, expected) {
                failures.push(format!("{command} {} in the form '{}': {failure}", row.option, form.name));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

pub(crate) fn name(option: &str) -> &str {
    option.split([' ', '=']).next().unwrap()
}

/// The names of each option of a command, as the program tells a shell.
pub(crate) fn options(command: &str) -> Vec<Vec<String>> {
    let (_, script, _) = output(Path::new("."), "completions fish");
    let of = format!("complete -c queens -n \"__fish_queens_using_subcommand {command}\" ");
    let lines = script.lines().filter_map(|line| line.strip_prefix(&of));
    let names = lines.filter_map(|line| {
        let words: Vec<&str> = line.split(" -d ").next()?.split_whitespace().collect();
        let named = |pair: &[&str]| match pair[0] {
            "-s" => Some(format!("-{}", pair[1])),
            "-l" => Some(format!("--{}", pair[1])),
            _ => None,
        };
        Some(words.windows(2).filter_map(named).collect::<Vec<_>>())
    });
    let names: Vec<Vec<String>> = names.filter(|names| !names.is_empty()).collect();
    assert!(names.len() > OF_ALL.len(), "no options of {command} in:\n{script}");
    names
}

/// What a run has left.
pub(crate) struct Seen {
    pub(crate) folder: TempDir,
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Runs of a command, each made once.
pub(crate) struct Runs {
    pub(crate) command: &'static str,
    pub(crate) made: RefCell<HashMap<String, Rc<Seen>>>,
}

impl Runs {
    pub(crate) fn run(&self, line: &str) -> Rc<Seen> {
        let line = format!("{} {line}", self.command).trim().to_owned();
        let seen = self.made.borrow().get(&line).cloned();
        seen.unwrap_or_else(|| {
            let folder = with_files(&line);
            let (code, out, err) = output(folder.path(), &line);
            let seen = Rc::new(Seen { folder, code, out, err });
            self.made.borrow_mut().insert(line, Rc::clone(&seen));
            seen
        })
    }

    /// Why the option is not seen as expected.
    pub(crate) fn failure<const FORMS: usize>(
        &self,
        form: &Form,
        row: &Row<FORMS>,
        spelled: &str,
        expected: Expect,
    ) -> Option<String> {
        let is_long = matches!(expected, Saves | Stops | Loses);
        let line = if is_long { form.long } else { form.line };
        let has = |option: &str| !option.is_empty() && line.split(' ').any(|word| word == name(option));
        let with = if has(row.with) { String::new() } else { row.with.replace("{form}", form.name) };
        // The object is not asked for where that is the option.
        let json = if expected.is_of_json() && name(row.option) != "--json" { " --json" } else { "" };
        let without = format!("{line} {with}{json}");
        // A second time where the parser is to refuse that.
        let is_own = has(row.option) && !matches!(expected, Refused(_));
        let line = if is_own { without.clone() } else { format!("{line} {with} {spelled}{json}") };
        if is_long {
            let holds = self.long(&line, expected);
            return (!holds).then(|| format!("{expected:?} is not seen\n    queens {} {line}", self.command));
        }
        let seen = self.run(&line);
        let told = format!("    queens {} {line}\n    {:?}\n    {}{}", self.command, seen.code, seen.out, seen.err);
        let base = if is_own { None } else { Some(self.run(&without)) };
        if !expected.holds(&seen, base.as_deref(), form.exit) {
            return Some(format!("{expected:?} is not seen\n{told}"));
        }
        let is_default = [("--isa", Isa::best() == Isa::Portable), ("--threads", available_threads() == 5)]
            .iter()
            .any(|&(option, is_default)| is_default && name(row.option) == option);
        let by_chance = base.is_some_and(|base| expected.holds(&base, None, form.exit));
        (by_chance && !is_default && !matches!(expected, Same | Differs(_) | Never(_)))
            .then(|| format!("{expected:?} is seen without it too\n{told}"))
    }

    pub(crate) fn long(&self, line: &str, expected: Expect) -> bool {
        let line = format!("{} {line}", self.command);
        let folder = with_files(&line);
        if matches!(expected, Stops) {
            // Where a machine is so busy that no task is finished there may be nothing to save: it gets more time.
            return (0..10).map(|doubled| line.replace("50ms", &format!("{}ms", 50 << doubled))).any(|line| {
                let (code, _, err) = output(folder.path(), &line);
                matches!(code, Some(75 | 1)) && err.contains("the time is up: saved ")
            });
        }
        if matches!(expected, Loses) {
            let (code, _, err) = output(folder.path(), &line);
            return code == Some(1) && err.contains("the time is up: nothing was saved");
        }
        let checkpoint = line.split(' ').skip_while(|word| *word != "--checkpoint").nth(1).unwrap();
        let checkpoint = folder.path().join(checkpoint);
        // At its end a run saves too.
        let unfinished = || store::read(&checkpoint).ok().filter(|ledger| !ledger.is_complete());
        let reached = || unfinished().map_or((0, 0), |ledger| ledger.reached());
        let before = reached();
        let mut child = queens(folder.path(), &line).spawn().unwrap();
        loop {
            let has_more = reached() > before;
            if child.try_wait().unwrap().is_some() {
                return false;
            }
            if has_more {
                child.kill().unwrap();
                child.wait().unwrap();
                return true;
            }
            sleep(Duration::from_millis(2));
        }
    }
}

impl Expect {
    pub(crate) fn is_of_json(self) -> bool {
        matches!(self, Field(..) | Text(..) | NotZero(_) | Equal(..) | Length(..) | Differs(_))
    }

    /// Whether it is seen, beside the run without the option.
    pub(crate) fn holds(self, seen: &Seen, base: Option<&Seen>, exit: i32) -> bool {
        let Seen { folder, code, out, err } = seen;
        let object = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
        let of = |out: &str, field: &str| object(out).pointer(&format!("/{field}")).cloned().unwrap_or_default();
        let field = |field: &str| of(out, field);
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let is_right = match self {
            Field(name, value) => text(&field(name)) == value,
            Text(name, value) => field(name) == value,
            NotZero(name) => field(name).as_u64().is_some_and(|number| number > 0),
            Equal(one, other) => field(one).as_u64().is_some_and(|number| number > 0) && field(one) == field(other),
            Length(name, length) => field(name).as_array().is_some_and(|array| array.len() == length),
            Differs(name) => !field(name).is_null() && base.is_some_and(|base| of(&base.out, name) != field(name)),
            Out(text) => out.starts_with(text) || out.contains(&format!("\n{text}")),
            Lines(lines) => out.lines().count() == lines,
            Ends => {
                let events: Vec<Value> = err.lines().map(object).collect();
                let ends = events
                    .iter()
                    .filter(|event| ["finished", "saved", "stopped"].iter().any(|end| event["event"] == *end));
                let is_all = |end: &Value| end["event"] == "finished" && end["share"] == 1.0 && end["left"] == 0.0;
                ends.count() == 1 && events.iter().any(is_all)
            }
            Silent => err.is_empty(),
            File(name, begins) => fs::read_to_string(folder.path().join(name)).is_ok_and(|of| of.starts_with(begins)),
            Same => base.is_some_and(|base| {
                (&base.err, base.code, base.out.lines().count()) == (err, *code, out.lines().count())
            }),
            Refused(sentence) | Never(sentence) => {
                let is_one_line = err.starts_with("error: ") && err.lines().count() == 1;
                return *code == Some(2) && out.is_empty() && is_one_line && err.contains(sentence);
            }
            Exit(other, sentence) => return *code == Some(other) && err.contains(sentence),
            Saves | Stops | Loses => unreachable!("a long run"),
        };
        is_right && *code == Some(exit)
    }
}

/// Ledgers of every form of a count, complete and with a third of the units, shards, saved results of the bench and a
/// b-file.
pub(crate) static FILES: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let run = |line: &str| {
        let (code, _, err) = output(path, line);
        assert!(code == Some(0) || line.contains("--max-time"), "{line}: {err}");
    };
    for (name, line) in [
        ("plain", "12"),
        ("prefix", "12 --prefix 3"),
        ("queens", "12 --queen 4,2"),
        ("half", "20 --symmetry half"),
        ("quarter", "33 --symmetry quarter"),
        ("shard", "12 --shard 1/2 --out unused"),
    ] {
        run(&format!("count {line} --checkpoint {name} -q"));
        let whole = store::read(&path.join(name)).unwrap();
        let mut part = Ledger::new(whole.fingerprint().clone(), whole.shard());
        for (unit, tally) in whole.tallies().step_by(3).take(18) {
            part.record(unit, tally).unwrap();
        }
        Store::open(path.join(format!("{name}.part"))).unwrap().save(&part).unwrap();
    }
    fs::copy(path.join("plain.part"), path.join("unique.part")).unwrap();
    run("count 15 --engine naive --threads 1 --checkpoint long.part --max-time 100ms");
    for k in [1, 2] {
        run(&format!("count 12 --shard {k}/2 --out s{k} -q"));
    }
    fs::write(path.join("b.txt"), "7 40\n8 92\n").unwrap();
    run("bench 5-6 --engine backtrack --runs 1 --threads 5 --json=saved.json");
    let mut fast: Value = serde_json::from_str(&fs::read_to_string(path.join("saved.json")).unwrap()).unwrap();
    for result in fast["results"].as_array_mut().unwrap() {
        for field in ["median", "fastest", "slowest"] {
            result[field] = 1e-12.into();
        }
    }
    fs::write(path.join("fast.json"), fast.to_string()).unwrap();
    folder
});

/// A folder with those files that the line names.
pub(crate) fn with_files(line: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for word in line.split(' ') {
        let file = FILES.path().join(word);
        if !word.is_empty() && file.is_file() {
            fs::copy(file, folder.path().join(word)).unwrap();
        }
    }
    folder
}
