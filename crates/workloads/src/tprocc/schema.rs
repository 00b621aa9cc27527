//! HammerDB's nine tables for MySQL and MariaDB. There are no foreign keys; the two secondary
//! indexes are made with their tables.

use super::profile::Profile;
use crate::tpcc::Table;

/// How the tables are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableOptions {
    /// Storage engine, a plain word.
    pub engine: String,
    /// Partitions of ORDER-LINE by hash of its warehouse; 0 for none.
    pub partitions: u32,
    /// Gives HISTORY an invisible AUTO_INCREMENT key, which group replication, Galera and
    /// `sql_require_primary_key` ask for. MySQL 8.0.30 or MariaDB 10.3 and later.
    pub history_key: bool,
}

impl Default for TableOptions {
    fn default() -> Self {
        Self { engine: "InnoDB".into(), partitions: 0, history_key: false }
    }
}

/// Fewest warehouses that HammerDB partitions for.
const PARTITIONED_FROM: u32 = 200;

/// Partitions that HammerDB makes for so many warehouses when it is asked to partition: one for
/// each hundred, none below 200.
pub fn usual_partitions(warehouses: u32) -> u32 {
    if warehouses < PARTITIONED_FROM { 0 } else { (warehouses + 50) / 100 }
}

/// True for a word that can stand where the storage engine is named.
pub fn is_engine_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The statement that makes a table. Text is latin1 and compared by its bytes, as HammerDB's
/// `BINARY` columns in its latin1 database are, whatever the database's own character set.
pub(super) fn create_table(profile: Profile, options: &TableOptions, table: Table) -> String {
    let name = table.name(crate::tpcc::Profile::Spec);
    let columns = columns(profile, options, table);
    let engine = &options.engine;
    let partition = match (table, options.partitions) {
        (Table::OrderLine, count) if count > 0 => {
            format!(" PARTITION BY HASH (ol_w_id) PARTITIONS {count}")
        }
        _ => String::new(),
    };
    format!(
        "CREATE TABLE IF NOT EXISTS {name} ({columns}) ENGINE={engine} \
         DEFAULT CHARACTER SET latin1 COLLATE latin1_bin{partition}"
    )
}

fn columns(profile: Profile, options: &TableOptions, table: Table) -> String {
    match table {
        Table::Customer => "c_id INT NOT NULL, c_d_id INT NOT NULL, c_w_id INT NOT NULL, \
             c_first VARCHAR(16), c_middle CHAR(2), c_last VARCHAR(16), c_street_1 VARCHAR(20), \
             c_street_2 VARCHAR(20), c_city VARCHAR(20), c_state CHAR(2), c_zip CHAR(9), \
             c_phone CHAR(16), c_since DATETIME, c_credit CHAR(2), c_credit_lim DECIMAL(12,2), \
             c_discount DECIMAL(4,4), c_balance DECIMAL(12,2), c_ytd_payment DECIMAL(12,2), \
             c_payment_cnt INT, c_delivery_cnt INT, c_data VARCHAR(500), \
             PRIMARY KEY (c_w_id, c_d_id, c_id), KEY c_w_id (c_w_id, c_d_id, c_last, c_first)"
            .into(),
        Table::District => "d_id INT NOT NULL, d_w_id INT NOT NULL, d_ytd DECIMAL(12,2), \
             d_tax DECIMAL(4,4), d_next_o_id INT, d_name VARCHAR(10), d_street_1 VARCHAR(20), \
             d_street_2 VARCHAR(20), d_city VARCHAR(20), d_state CHAR(2), d_zip CHAR(9), \
             PRIMARY KEY (d_w_id, d_id)"
            .into(),
        Table::History => {
            let key = match options.history_key {
                true => ", id INT NOT NULL AUTO_INCREMENT INVISIBLE, PRIMARY KEY (id)",
                false => "",
            };
            format!(
                "h_c_id INT, h_c_d_id INT, h_c_w_id INT, h_d_id INT, h_w_id INT, \
                 h_date DATETIME, h_amount DECIMAL(6,2), h_data VARCHAR(24){key}"
            )
        }
        Table::Item => "i_id INT NOT NULL, i_im_id INT, i_name VARCHAR(24), \
             i_price DECIMAL(5,2), i_data VARCHAR(50), PRIMARY KEY (i_id)"
            .into(),
        Table::NewOrder => "no_w_id INT NOT NULL, no_d_id INT NOT NULL, no_o_id INT NOT NULL, \
             PRIMARY KEY (no_w_id, no_d_id, no_o_id)"
            .into(),
        Table::Orders => "o_id INT NOT NULL, o_w_id INT NOT NULL, o_d_id INT NOT NULL, \
             o_c_id INT, o_carrier_id INT, o_ol_cnt INT, o_all_local INT, o_entry_d DATETIME, \
             PRIMARY KEY (o_w_id, o_d_id, o_id), KEY o_w_id (o_w_id, o_d_id, o_c_id, o_id)"
            .into(),
        Table::OrderLine => {
            let amount = match profile {
                Profile::HammerDb => "INT",
                Profile::Spec => "DECIMAL(6,2)",
            };
            format!(
                "ol_w_id INT NOT NULL, ol_d_id INT NOT NULL, ol_o_id INT NOT NULL, \
                 ol_number INT NOT NULL, ol_i_id INT, ol_delivery_d DATETIME, \
                 ol_amount {amount}, ol_supply_w_id INT, ol_quantity INT, \
                 ol_dist_info CHAR(24), PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)"
            )
        }
        Table::Stock => "s_i_id INT NOT NULL, s_w_id INT NOT NULL, s_quantity INT, \
             s_dist_01 CHAR(24), s_dist_02 CHAR(24), s_dist_03 CHAR(24), s_dist_04 CHAR(24), \
             s_dist_05 CHAR(24), s_dist_06 CHAR(24), s_dist_07 CHAR(24), s_dist_08 CHAR(24), \
             s_dist_09 CHAR(24), s_dist_10 CHAR(24), s_ytd BIGINT, s_order_cnt INT, \
             s_remote_cnt INT, s_data VARCHAR(50), PRIMARY KEY (s_w_id, s_i_id)"
            .into(),
        Table::Warehouse => "w_id INT NOT NULL, w_ytd DECIMAL(12,2), w_tax DECIMAL(4,4), \
             w_name VARCHAR(10), w_street_1 VARCHAR(20), w_street_2 VARCHAR(20), \
             w_city VARCHAR(20), w_state CHAR(2), w_zip CHAR(9), PRIMARY KEY (w_id)"
            .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_follow_hammerdbs_rule() {
        for (warehouses, partitions) in [(1, 0), (199, 0), (200, 2), (249, 2), (250, 3), (1000, 10)]
        {
            assert_eq!(usual_partitions(warehouses), partitions, "{warehouses}");
        }
    }

    #[test]
    fn only_order_line_is_partitioned_and_only_history_gets_a_key() {
        let options = TableOptions { partitions: 4, history_key: true, ..TableOptions::default() };
        for table in Table::ALL {
            let sql = create_table(Profile::HammerDb, &options, table);
            assert_eq!(sql.contains("PARTITIONS 4"), table == Table::OrderLine, "{sql}");
            assert_eq!(sql.contains("INVISIBLE"), table == Table::History, "{sql}");
            let plain = create_table(Profile::HammerDb, &TableOptions::default(), table);
            assert!(!plain.contains("PARTITION") && !plain.contains("INVISIBLE"), "{plain}");
        }
    }

    #[test]
    fn every_loaded_column_is_a_column_of_the_table() {
        for table in Table::ALL {
            let sql = create_table(Profile::HammerDb, &TableOptions::default(), table);
            for column in table.loaded_columns(crate::tpcc::Profile::Spec).split(',') {
                assert!(sql.contains(&format!("{column} ")), "{column}: {sql}");
            }
        }
    }

    #[test]
    fn an_engine_is_a_plain_word() {
        assert!(is_engine_name("InnoDB") && is_engine_name("ROCKSDB"));
        assert!(!is_engine_name("") && !is_engine_name("InnoDB; DROP") && !is_engine_name("a b"));
    }
}
