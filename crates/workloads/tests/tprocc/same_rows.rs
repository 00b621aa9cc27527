//! The procedures of `spec` against the client-side TPC-C, on the same data with the same inputs.

use engine::{Completion, Workload};
use workloads::{
    tpcc::{
        self, LoadMethod, LoadProgress, Table, Tpcc,
        input::{Input, Kind, Terminal},
        random::{NuRandConstants, stream, uniform},
    },
    tprocc::{CallMode, Output, Profile, RunOptions, Tprocc},
};

use crate::support::*;

/// Transactions of each kind that are compared.
const EACH: usize = 60;

/// Inputs from several terminals, all kinds taking turns. One New-Order in ten rolls back, so that
/// some do.
fn inputs() -> Vec<Input> {
    let mut rng = stream(7, &[]);
    let constants = NuRandConstants::for_run(7, NuRandConstants::for_load(SEED).c_last);
    let mut inputs = Vec::new();
    for turn in 0..EACH {
        for kind in Kind::ALL {
            let terminal = Terminal {
                profile: tpcc::Profile::Spec,
                warehouses: 2,
                warehouse: uniform(&mut rng, 1, 2),
                district: uniform(&mut rng, 1, 10),
                constants,
            };
            let mut input = terminal.draw(kind, &mut rng);
            if let Input::NewOrder { lines, .. } = &mut input
                && turn % 10 == 0
            {
                lines.last_mut().unwrap().item = tpcc::input::UNUSED_ITEM;
            }
            inputs.push(input);
        }
    }
    inputs
}

/// What the terminal would see must agree as well.
fn assert_agree(by_client: &tpcc::Output, by_procedure: Output, input: &Input) {
    let agree = match (by_client, by_procedure) {
        (tpcc::Output::NewOrder(placed), Output::NewOrder(order)) => {
            placed.map(|placed| placed.order) == order
        }
        (
            tpcc::Output::Payment { customer, balance_before_cents },
            Output::Payment { customer: payer, balance_cents },
        ) => {
            let Input::Payment { amount_cents, .. } = input else { panic!("{input:?}") };
            *customer == payer && balance_before_cents - i64::from(*amount_cents) == balance_cents
        }
        (
            tpcc::Output::OrderStatus { customer, order, lines },
            Output::OrderStatus { customer: asker, order: last, lines: count },
        ) => *customer == asker && Some(*order) == last && Some(*lines as u32) == count,
        (tpcc::Output::Delivery { delivered }, Output::Delivery(count)) => {
            Some(*delivered) == count
        }
        (tpcc::Output::StockLevel { low_stock }, Output::StockLevel(count)) => *low_stock == count,
        _ => false,
    };
    assert!(agree, "{input:?}: {by_client:?} and {by_procedure:?}");
}

pub(crate) fn the_procedures_of_spec_leave_the_same_rows_as_the_client(bench: &Bench) {
    let by_client = bench.target("by_client");
    // The procedures' tables order names by their bytes, and who is in the middle depends on it.
    let server = client::Target { database: None, ..by_client.clone() };
    run(&server, "CREATE DATABASE by_client CHARACTER SET latin1 COLLATE latin1_bin");
    let options = tpcc::LoadOptions {
        profile: tpcc::Profile::Spec,
        warehouses: 2,
        seed: SEED,
        connections: 2,
        method: LoadMethod::Auto,
    };
    tpcc::load(&by_client, &options, &LoadProgress::default()).unwrap();
    // A data set of its own: the shared one may have been run on.
    let by_procedure = bench.target("by_procedure");
    let options = workloads::tprocc::LoadOptions { warehouses: 2, ..options_of_spec() };
    workloads::tprocc::load(&by_procedure, &options, &LoadProgress::default()).unwrap();
    let data = wait(tpcc::DataSet::expect(&by_client, None)).unwrap();
    let client = Tpcc::new(by_client.clone(), data, tpcc::RunOptions::default()).unwrap();
    let data = wait(workloads::tprocc::DataSet::expect(&by_procedure, None, None)).unwrap();
    let called = |call| {
        let options = RunOptions { call, ..RunOptions::default() };
        Tprocc::new(by_procedure.clone(), data.clone(), options).unwrap()
    };
    let (prepared, plain) = (called(CallMode::Prepared), called(CallMode::Plain));
    let mut back = 0;
    wait(async {
        let mut client = client.open(0, 0).await.unwrap();
        let mut sessions = [prepared.open(0, 0).await.unwrap(), plain.open(0, 0).await.unwrap()];
        // Both ways of calling take turns of all five kinds.
        for (turn, input) in inputs().iter().enumerate() {
            let by_client = client.run(input).await.unwrap_or_else(|e| panic!("{e}: {input:?}"));
            let session = &mut sessions[turn / Kind::ALL.len() % 2];
            let called = session.run(input).await.unwrap_or_else(|e| panic!("{e}: {input:?}"));
            assert_agree(&by_client, called, input);
            back += usize::from(called.completion() == Completion::RolledBack);
        }
    });
    assert!(back >= EACH / 10, "{back} New-Orders rolled back");
    for table in Table::ALL {
        if fingerprint(&by_client, table) != fingerprint(&by_procedure, table) {
            panic!("{table:?} differs: {:?}", first_difference(&by_client, &by_procedure, table));
        }
    }
}

fn options_of_spec() -> workloads::tprocc::LoadOptions {
    options(Profile::Spec)
}

/// The first rows that differ when both tables are read in the same order.
fn first_difference(
    one: &client::Target,
    other: &client::Target,
    table: Table,
) -> Option<(String, String)> {
    let columns = comparable_columns(table);
    let name = table.name(tpcc::Profile::Spec);
    let sql = format!("SELECT {} FROM {name} ORDER BY 1, 2, 3, 4, 5", columns.join(", "));
    let (one, other) = (query(one, &sql), query(other, &sql));
    one.into_iter().zip(other).find(|(one, other)| one != other)
}
