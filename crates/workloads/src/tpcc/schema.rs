//! Tables, indexes and foreign keys, by profile.

use super::{profile::Profile, table::Table};

/// A table of BenchmarkSQL that is none of the nine: what it keeps about its data.
pub(super) const BENCHMARKSQL_CONFIG: &str = "bmsql_config";

/// The tables that a profile makes, parents before children.
pub(super) fn names(profile: Profile) -> Vec<&'static str> {
    let config = (profile == Profile::BenchmarkSql).then_some(BENCHMARKSQL_CONFIG);
    Table::ALL.iter().map(|table| table.name(profile)).chain(config).collect()
}

/// The statement that makes `table`, primary key included. A clustered key costs nothing while
/// rows arrive in its order, and everything when it is added afterwards.
pub(super) fn create_table(profile: Profile, table: Table) -> String {
    let name = table.name(profile);
    let columns = match profile {
        Profile::Spec => columns(profile, table).to_owned(),
        Profile::BenchmarkSql => columns(profile, table).replace("DATETIME", "TIMESTAMP NULL"),
    };
    format!("CREATE TABLE IF NOT EXISTS {name} ({columns}) ENGINE=InnoDB")
}

fn columns(profile: Profile, table: Table) -> &'static str {
    match table {
        Table::Warehouse => {
            "w_id INT NOT NULL, w_name VARCHAR(10), w_street_1 VARCHAR(20), \
             w_street_2 VARCHAR(20), w_city VARCHAR(20), w_state CHAR(2), w_zip CHAR(9), \
             w_tax DECIMAL(4,4), w_ytd DECIMAL(12,2), PRIMARY KEY (w_id)"
        }
        Table::District => {
            "d_w_id INT NOT NULL, d_id INT NOT NULL, d_name VARCHAR(10), \
             d_street_1 VARCHAR(20), d_street_2 VARCHAR(20), d_city VARCHAR(20), \
             d_state CHAR(2), d_zip CHAR(9), d_tax DECIMAL(4,4), d_ytd DECIMAL(12,2), \
             d_next_o_id INT, PRIMARY KEY (d_w_id, d_id)"
        }
        Table::Customer => {
            "c_w_id INT NOT NULL, c_d_id INT NOT NULL, c_id INT NOT NULL, \
             c_first VARCHAR(16), c_middle CHAR(2), c_last VARCHAR(16), \
             c_street_1 VARCHAR(20), c_street_2 VARCHAR(20), c_city VARCHAR(20), \
             c_state CHAR(2), c_zip CHAR(9), c_phone CHAR(16), c_since DATETIME, \
             c_credit CHAR(2), c_credit_lim DECIMAL(12,2), c_discount DECIMAL(4,4), \
             c_balance DECIMAL(12,2), c_ytd_payment DECIMAL(12,2), c_payment_cnt INT, \
             c_delivery_cnt INT, c_data VARCHAR(500), PRIMARY KEY (c_w_id, c_d_id, c_id)"
        }
        Table::History => match profile {
            Profile::Spec => {
                "h_c_id INT, h_c_d_id INT, h_c_w_id INT, h_d_id INT, h_w_id INT, \
                 h_date DATETIME, h_amount DECIMAL(6,2), h_data VARCHAR(24)"
            }
            Profile::BenchmarkSql => {
                "hist_id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, h_c_id INT, h_c_d_id INT, \
                 h_c_w_id INT, h_d_id INT, h_w_id INT, h_date DATETIME, \
                 h_amount DECIMAL(6,2), h_data VARCHAR(24)"
            }
        },
        Table::NewOrder => {
            "no_w_id INT NOT NULL, no_d_id INT NOT NULL, no_o_id INT NOT NULL, \
             PRIMARY KEY (no_w_id, no_d_id, no_o_id)"
        }
        Table::Orders => {
            "o_w_id INT NOT NULL, o_d_id INT NOT NULL, o_id INT NOT NULL, o_c_id INT, \
             o_entry_d DATETIME, o_carrier_id INT, o_ol_cnt INT, o_all_local INT, \
             PRIMARY KEY (o_w_id, o_d_id, o_id)"
        }
        Table::OrderLine => {
            "ol_w_id INT NOT NULL, ol_d_id INT NOT NULL, ol_o_id INT NOT NULL, \
             ol_number INT NOT NULL, ol_i_id INT NOT NULL, ol_supply_w_id INT, \
             ol_delivery_d DATETIME, ol_quantity INT, ol_amount DECIMAL(6,2), \
             ol_dist_info CHAR(24), PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)"
        }
        Table::Item => {
            "i_id INT NOT NULL, i_im_id INT, i_name VARCHAR(24), i_price DECIMAL(5,2), \
             i_data VARCHAR(50), PRIMARY KEY (i_id)"
        }
        Table::Stock => {
            "s_w_id INT NOT NULL, s_i_id INT NOT NULL, s_quantity INT, s_dist_01 CHAR(24), \
             s_dist_02 CHAR(24), s_dist_03 CHAR(24), s_dist_04 CHAR(24), s_dist_05 CHAR(24), \
             s_dist_06 CHAR(24), s_dist_07 CHAR(24), s_dist_08 CHAR(24), s_dist_09 CHAR(24), \
             s_dist_10 CHAR(24), s_ytd INT, s_order_cnt INT, s_remote_cnt INT, \
             s_data VARCHAR(50), PRIMARY KEY (s_w_id, s_i_id)"
        }
    }
}

/// Something added to a table after its rows: a secondary index or a foreign key. Built from
/// sorted rows it costs a fraction of what keeping it up row by row would.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Addition {
    /// The table it belongs to.
    pub(super) table: Table,
    /// Its name, by which a resumed load finds out whether it is there.
    pub(super) name: &'static str,
    /// What follows `ADD` in ALTER TABLE, with `{parent}` for the referenced table's name.
    clause: &'static str,
    parent: Option<Table>,
}

impl Addition {
    /// True for a foreign key, false for an index.
    pub(super) fn is_foreign_key(&self) -> bool {
        self.parent.is_some()
    }

    /// The statement that adds it.
    pub(super) fn statement(&self, profile: Profile) -> String {
        let parent = self.parent.map_or("", |table| table.name(profile));
        let clause = self.clause.replace("{parent}", parent);
        format!("ALTER TABLE {} ADD {clause}", self.table.name(profile))
    }
}

const fn index(table: Table, name: &'static str, clause: &'static str) -> Addition {
    Addition { table, name, clause, parent: None }
}

const fn foreign_key(
    table: Table,
    name: &'static str,
    parent: Table,
    clause: &'static str,
) -> Addition {
    Addition { table, name, clause, parent: Some(parent) }
}

const SPEC: [Addition; 2] = [
    index(
        Table::Customer,
        "customer_name",
        "INDEX customer_name (c_w_id, c_d_id, c_last, c_first)",
    ),
    index(
        Table::Orders,
        "orders_customer",
        "UNIQUE INDEX orders_customer (o_w_id, o_d_id, o_c_id, o_id)",
    ),
];

const BENCHMARKSQL: [Addition; 12] = [
    index(
        Table::Customer,
        "bmsql_customer_idx1",
        "INDEX bmsql_customer_idx1 (c_w_id, c_d_id, c_last, c_first)",
    ),
    index(
        Table::Orders,
        "bmsql_oorder_idx1",
        "UNIQUE INDEX bmsql_oorder_idx1 (o_w_id, o_d_id, o_c_id, o_id)",
    ),
    foreign_key(
        Table::District,
        "d_warehouse_fkey",
        Table::Warehouse,
        "CONSTRAINT d_warehouse_fkey FOREIGN KEY (d_w_id) REFERENCES {parent} (w_id)",
    ),
    foreign_key(
        Table::Customer,
        "c_district_fkey",
        Table::District,
        "CONSTRAINT c_district_fkey FOREIGN KEY (c_w_id, c_d_id) \
         REFERENCES {parent} (d_w_id, d_id)",
    ),
    foreign_key(
        Table::History,
        "h_customer_fkey",
        Table::Customer,
        "CONSTRAINT h_customer_fkey FOREIGN KEY (h_c_w_id, h_c_d_id, h_c_id) \
         REFERENCES {parent} (c_w_id, c_d_id, c_id)",
    ),
    foreign_key(
        Table::History,
        "h_district_fkey",
        Table::District,
        "CONSTRAINT h_district_fkey FOREIGN KEY (h_w_id, h_d_id) \
         REFERENCES {parent} (d_w_id, d_id)",
    ),
    foreign_key(
        Table::NewOrder,
        "no_order_fkey",
        Table::Orders,
        "CONSTRAINT no_order_fkey FOREIGN KEY (no_w_id, no_d_id, no_o_id) \
         REFERENCES {parent} (o_w_id, o_d_id, o_id)",
    ),
    foreign_key(
        Table::Orders,
        "o_customer_fkey",
        Table::Customer,
        "CONSTRAINT o_customer_fkey FOREIGN KEY (o_w_id, o_d_id, o_c_id) \
         REFERENCES {parent} (c_w_id, c_d_id, c_id)",
    ),
    foreign_key(
        Table::OrderLine,
        "ol_order_fkey",
        Table::Orders,
        "CONSTRAINT ol_order_fkey FOREIGN KEY (ol_w_id, ol_d_id, ol_o_id) \
         REFERENCES {parent} (o_w_id, o_d_id, o_id)",
    ),
    foreign_key(
        Table::OrderLine,
        "ol_stock_fkey",
        Table::Stock,
        "CONSTRAINT ol_stock_fkey FOREIGN KEY (ol_supply_w_id, ol_i_id) \
         REFERENCES {parent} (s_w_id, s_i_id)",
    ),
    foreign_key(
        Table::Stock,
        "s_warehouse_fkey",
        Table::Warehouse,
        "CONSTRAINT s_warehouse_fkey FOREIGN KEY (s_w_id) REFERENCES {parent} (w_id)",
    ),
    foreign_key(
        Table::Stock,
        "s_item_fkey",
        Table::Item,
        "CONSTRAINT s_item_fkey FOREIGN KEY (s_i_id) REFERENCES {parent} (i_id)",
    ),
];

/// What is added after the rows, in order.
pub(super) fn additions(profile: Profile) -> &'static [Addition] {
    match profile {
        Profile::Spec => &SPEC,
        Profile::BenchmarkSql => &BENCHMARKSQL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_loaded_column_is_a_column_of_the_table() {
        for profile in Profile::ALL {
            for table in Table::ALL {
                let statement = create_table(profile, table);
                for column in table.loaded_columns(profile).split(',') {
                    assert!(statement.contains(&format!("{column} ")), "{column}: {statement}");
                }
            }
        }
    }

    #[test]
    fn benchmarksql_has_its_ten_foreign_keys() {
        let keys = additions(Profile::BenchmarkSql).iter().filter(|a| a.is_foreign_key()).count();
        assert_eq!(keys, 10);
    }

    #[test]
    fn additions_name_themselves_and_their_parents() {
        for profile in Profile::ALL {
            for addition in additions(profile) {
                let statement = addition.statement(profile);
                assert!(statement.contains(addition.name), "{statement}");
                assert!(!statement.contains('{'), "{statement}");
            }
        }
    }
}
