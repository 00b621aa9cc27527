//! The variants of an experiment, each whole.

use super::{
    error::Fault,
    layers, matrix,
    reader::Reader,
    sections::{OF_VARIANTS, readable},
    settings,
    tree::{Item, Node, Table},
    vocabulary::{Vocabulary, Workload, nearest},
};
use crate::experiment::spec::{Arm, Options, ServerSpec, WorkloadSpec};

/// Most variants of an experiment.
pub(super) const ARMS_MAX: usize = 256;

/// Keys of the section `server`.
const OF_SERVERS: [&str; 11] = [
    "flavour",
    "mysqld",
    "basedir",
    "build",
    "instances",
    "settings",
    "cores",
    "memory",
    "cpus",
    "sized",
    "data-dir",
];

/// Most servers that a variant runs at the same time.
const INSTANCES_MAX: u64 = 16;

/// The key of section `workload` that names another kind of trial.
const KIND: &str = "kind";

/// Name of the only variant of a file that names none.
const ONLY: &str = "default";

/// A variant before its sections are read: its name, its note, its path and what it is laid over
/// the file.
pub(super) struct Draft {
    pub(super) name: String,
    pub(super) note: String,
    pub(super) sections: Table,
}

/// The variants that a file lists, or the product of its matrix, or a single one.
pub(super) fn all(document: &Table, over: &[Table], words: &Vocabulary) -> Result<Vec<Arm>, Fault> {
    let is_of_arms = |key: &str| {
        OF_VARIANTS.contains(&key) || words.sections.iter().any(|section| section == key)
    };
    let mut common = document.clone();
    common.retain(|key, _| is_of_arms(key));
    let drafts = drafts(document, words)?;
    let mut arms: Vec<Arm> = Vec::new();
    for draft in drafts {
        let mut sections = laid_over(&common, &draft.sections);
        for layer in over {
            let mut layer = layer.clone();
            layer.retain(|key, _| is_of_arms(key));
            sections = layers::with(sections, &layer);
        }
        arms.push(arm(draft, &sections, words)?);
    }
    Ok(arms)
}

fn drafts(document: &Table, words: &Vocabulary) -> Result<Vec<Draft>, Fault> {
    let top = super::sections::top(document, words)?;
    let listed = top.tables("variant")?;
    if let Some(item) = document.get("matrix") {
        if !listed.is_empty() {
            let out = "a matrix makes the variants itself; leave one of the two out";
            return Err(Fault::at(item.place, format!("`matrix` beside [[variant]]: {out}")));
        }
        return matrix::drafts(&top, words);
    }
    if document.contains_key("variant") && listed.is_empty() {
        return Err(top.refuse("variant", "it is empty; leave it out for a single variant"));
    }
    if listed.len() > ARMS_MAX {
        return Err(top.refuse("variant", format!("there are more than {ARMS_MAX}")));
    }
    if listed.is_empty() {
        let (name, note) = (ONLY.to_owned(), String::new());
        return Ok(vec![Draft { name, note, sections: Table::new() }]);
    }
    listed.iter().map(|(path, table)| draft(path, table, words)).collect()
}

fn draft(path: &str, table: &Table, words: &Vocabulary) -> Result<Draft, Fault> {
    let known = ["name", "note"].into_iter().chain(OF_VARIANTS);
    let known: Vec<&str> = known.chain(words.sections.iter().map(String::as_str)).collect();
    let reader = Reader::of(path, table, &known)?;
    let missing = || reader.refuse("name", "a variant needs a name");
    let mut sections = table.clone();
    sections.retain(|key, _| !["name", "note"].contains(&key.as_str()));
    Ok(Draft {
        name: readable(&reader, "name")?.ok_or_else(missing)?,
        note: reader.text("note")?.unwrap_or_default(),
        sections,
    })
}

/// A variant's sections over the file's. Options of one workload say nothing to another: a variant
/// with a workload of its own has its own `data` and `workload`, whole.
fn laid_over(common: &Table, own: &Table) -> Table {
    let workload = |sections: &Table| {
        let Node::Table(data) = &sections.get("data")?.node else { return None };
        Some(data.get("workload")?.value())
    };
    let mut common = common.clone();
    if workload(own).is_some_and(|own| Some(own) != workload(&common)) {
        common.remove("data");
        common.remove("workload");
    }
    layers::with(common, own)
}

fn arm(draft: Draft, sections: &Table, words: &Vocabulary) -> Result<Arm, Fault> {
    let known: Vec<&str> =
        OF_VARIANTS.into_iter().chain(words.sections.iter().map(String::as_str)).collect();
    let reader = Reader::of("", sections, &known)?;
    let host = reader.section("host", &["profile"])?;
    let host = host.map(|host| host.word("profile")).transpose()?.flatten();
    let (data, workload) = workloads(&reader, words)?;
    let others = words
        .sections
        .iter()
        .filter_map(|key| sections.get(key).map(|item: &Item| (key.clone(), item.value())));
    Ok(Arm {
        name: draft.name,
        note: draft.note,
        server: server(&reader)?,
        host,
        data,
        workload,
        others: others.collect(),
    })
}

fn server(sections: &Reader<'_>) -> Result<ServerSpec, Fault> {
    let Some(reader) = sections.section("server", &OF_SERVERS)? else {
        return Ok(ServerSpec::default());
    };
    let flavours = [("mariadb", "mariadb"), ("mysql", "mysql"), ("percona", "percona")];
    let flavour = reader.choice("flavour", &flavours)?.map(str::to_owned);
    let path = |key: &str| Ok(reader.word(key)?.map(Into::into));
    let (mysqld, basedir) = (path("mysqld")?, path("basedir")?);
    let build = reader.word("build")?;
    let named = [("mysqld", mysqld.is_some()), ("basedir", basedir.is_some())];
    let mut named = named.into_iter().chain([("build", build.is_some())]).filter(|it| it.1);
    if let (Some((first, _)), Some((second, _))) = (named.next(), named.next()) {
        let words = format!("`{first}` says which server, too; leave one of them out");
        return Err(reader.refuse(second, words));
    }
    Ok(ServerSpec {
        settings: settings::read(&reader, flavour.as_deref())?,
        flavour,
        mysqld,
        basedir,
        build,
        instances: instances(&reader)?,
        cores: reader.number("cores")?,
        memory: reader.word_or_number("memory")?,
        cpus: reader.word_or_number("cpus")?,
        sized: reader.truth("sized")?.unwrap_or_default(),
        data_dir: path("data-dir")?,
    })
}

fn instances(reader: &Reader<'_>) -> Result<Option<u32>, Fault> {
    let number = reader.whole("instances", 1..=INSTANCES_MAX)?;
    Ok(number.and_then(|number| u32::try_from(number).ok()))
}

/// What is loaded and what is run on it.
fn workloads(
    sections: &Reader<'_>,
    words: &Vocabulary,
) -> Result<(WorkloadSpec, WorkloadSpec), Fault> {
    let missing = || Fault::whole("`data.workload` is missing; say which, such as \"tpcc\"");
    let all: Vec<&str> = words.workloads.iter().map(|it| it.name.as_str()).collect();
    let data = sections.table("data")?.ok_or_else(missing)?;
    let known_data = |options: &[String]| -> Vec<String> {
        let options = options.iter().map(String::as_str);
        ["workload"].into_iter().chain(options).map(str::to_owned).collect()
    };
    // Its name first: it says which other keys there are.
    let only_name: Table = data.iter().filter(|it| it.0 == "workload").map(cloned).collect();
    let path = sections.path("data");
    let name = Reader::of(&path, &only_name, &["workload"])?.word("workload")?;
    let name = name.ok_or_else(missing)?;
    let Some(workload) = words.workload(&name) else {
        let near = nearest(&name, &all);
        let words = format!("\"{name}\" is no workload{near}");
        return Err(Reader::of(&path, &only_name, &["workload"])?.refuse("workload", words));
    };
    let known = known_data(&workload.data);
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let mut data_options = options(&Reader::of(&path, data, &known)?, data)?;
    data_options.remove("workload");
    let load = load(sections, workload, words)?;
    Ok((WorkloadSpec { name, options: data_options }, load))
}

/// What is run on the data: the workload's own load, or what `workload.kind` names.
fn load(
    sections: &Reader<'_>,
    workload: &Workload,
    words: &Vocabulary,
) -> Result<WorkloadSpec, Fault> {
    let none = Table::new();
    let table = sections.table("workload")?.unwrap_or(&none);
    let path = sections.path("workload");
    // Its kind first: it says which other keys there are.
    let only_kind: Table = table.iter().filter(|it| it.0 == KIND).map(cloned).collect();
    let reader = Reader::of(&path, &only_kind, &[KIND])?;
    let kinds: Vec<&str> = words.kinds.iter().map(|it| it.name.as_str()).collect();
    let (name, known) = match reader.word(KIND)? {
        None if workload.load.is_empty() => {
            let (name, kinds) = (&workload.name, kinds.join("\", \""));
            let words = format!("`{name}` has no load of its own; say `{KIND} = \"{kinds}\"`");
            return Err(sections.refuse("workload", words));
        }
        None => (&workload.name, &workload.load),
        Some(wanted) => match words.kinds.iter().find(|it| it.name == wanted) {
            Some(kind) => (&kind.name, &kind.options),
            None => {
                let near = nearest(&wanted, &kinds);
                return Err(reader.refuse(KIND, format!("\"{wanted}\" is no kind of trial{near}")));
            }
        },
    };
    let known: Vec<&str> = known.iter().map(String::as_str).chain([KIND]).collect();
    let mut options = options(&Reader::of(&path, table, &known)?, table)?;
    options.remove(KIND);
    Ok(WorkloadSpec { name: name.clone(), options })
}

fn cloned((key, item): (&String, &Item)) -> (String, Item) {
    (key.clone(), item.clone())
}

/// Options of a command: values, and lists of them.
fn options(reader: &Reader<'_>, table: &Table) -> Result<Options, Fault> {
    let wrong = |key: &str, item: &Item| {
        let words = "give a string, a number, true, false, or a list of them";
        reader.refuse(key, format!("{} cannot be an option's value; {words}", item.kind()))
    };
    let option = |(key, item): (&String, &Item)| match &item.node {
        Node::Leaf(value) => Ok((key.clone(), value.clone())),
        Node::List(items) if items.iter().all(|it| matches!(it.node, Node::Leaf(_))) => {
            Ok((key.clone(), item.value()))
        }
        Node::List(_) | Node::Table(_) => Err(wrong(key, item)),
    };
    table.iter().map(option).collect()
}
