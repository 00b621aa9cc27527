//! The eight tables of TPC-H, clause 1.4.1: names, columns, keys.

use std::{fmt, str::FromStr};

/// A table of TPC-H.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Table {
    /// REGION.
    Region,
    /// NATION.
    Nation,
    /// PART.
    Part,
    /// SUPPLIER.
    Supplier,
    /// CUSTOMER.
    Customer,
    /// PARTSUPP.
    PartSupp,
    /// ORDERS.
    Orders,
    /// LINEITEM.
    LineItem,
}

impl Table {
    /// All eight, parents before children.
    pub const ALL: [Self; 8] = [
        Self::Region,
        Self::Nation,
        Self::Part,
        Self::Supplier,
        Self::Customer,
        Self::PartSupp,
        Self::Orders,
        Self::LineItem,
    ];

    /// Its name in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Region => "region",
            Self::Nation => "nation",
            Self::Part => "part",
            Self::Supplier => "supplier",
            Self::Customer => "customer",
            Self::PartSupp => "partsupp",
            Self::Orders => "orders",
            Self::LineItem => "lineitem",
        }
    }

    /// Its columns with their types, in the order of the specification. Identifiers are BIGINT,
    /// so that every scale factor has room; decimals have the fifteen digits of clause 1.3.1.
    fn definition(self) -> &'static str {
        match self {
            Self::Region => "r_regionkey BIGINT, r_name CHAR(25), r_comment VARCHAR(152)",
            Self::Nation => {
                "n_nationkey BIGINT, n_name CHAR(25), n_regionkey BIGINT, n_comment VARCHAR(152)"
            }
            Self::Part => {
                "p_partkey BIGINT, p_name VARCHAR(55), p_mfgr CHAR(25), p_brand CHAR(10), \
                 p_type VARCHAR(25), p_size INTEGER, p_container CHAR(10), \
                 p_retailprice DECIMAL(15,2), p_comment VARCHAR(23)"
            }
            Self::Supplier => {
                "s_suppkey BIGINT, s_name CHAR(25), s_address VARCHAR(40), s_nationkey BIGINT, \
                 s_phone CHAR(15), s_acctbal DECIMAL(15,2), s_comment VARCHAR(101)"
            }
            Self::Customer => {
                "c_custkey BIGINT, c_name VARCHAR(25), c_address VARCHAR(40), c_nationkey BIGINT, \
                 c_phone CHAR(15), c_acctbal DECIMAL(15,2), c_mktsegment CHAR(10), \
                 c_comment VARCHAR(117)"
            }
            Self::PartSupp => {
                "ps_partkey BIGINT, ps_suppkey BIGINT, ps_availqty INTEGER, \
                 ps_supplycost DECIMAL(15,2), ps_comment VARCHAR(199)"
            }
            Self::Orders => {
                "o_orderkey BIGINT, o_custkey BIGINT, o_orderstatus CHAR(1), \
                 o_totalprice DECIMAL(15,2), o_orderdate DATE, o_orderpriority CHAR(15), \
                 o_clerk CHAR(15), o_shippriority INTEGER, o_comment VARCHAR(79)"
            }
            Self::LineItem => {
                "l_orderkey BIGINT, l_partkey BIGINT, l_suppkey BIGINT, l_linenumber INTEGER, \
                 l_quantity DECIMAL(15,2), l_extendedprice DECIMAL(15,2), \
                 l_discount DECIMAL(15,2), l_tax DECIMAL(15,2), l_returnflag CHAR(1), \
                 l_linestatus CHAR(1), l_shipdate DATE, l_commitdate DATE, l_receiptdate DATE, \
                 l_shipinstruct CHAR(25), l_shipmode CHAR(10), l_comment VARCHAR(44)"
            }
        }
    }

    /// The columns of its primary key, clause 1.4.2.2.
    pub(super) fn key(self) -> &'static [&'static str] {
        match self {
            Self::Region => &["r_regionkey"],
            Self::Nation => &["n_nationkey"],
            Self::Part => &["p_partkey"],
            Self::Supplier => &["s_suppkey"],
            Self::Customer => &["c_custkey"],
            Self::PartSupp => &["ps_partkey", "ps_suppkey"],
            Self::Orders => &["o_orderkey"],
            Self::LineItem => &["l_orderkey", "l_linenumber"],
        }
    }

    /// Its columns in the order in which rows have them, separated by commas.
    pub(super) fn columns(self) -> String {
        let words = self.definition().split(", ");
        words.filter_map(|column| column.split(' ').next()).collect::<Vec<_>>().join(",")
    }

    /// The statement that makes it where it is missing. Foreign keys are optional (clause 1.4.2.3)
    /// and left out.
    pub(super) fn create(self) -> String {
        let columns = self.definition().replace(", ", " NOT NULL, ");
        let (name, key) = (self.name(), self.key().join(", "));
        format!(
            "CREATE TABLE IF NOT EXISTS {name} ({columns} NOT NULL, PRIMARY KEY ({key})) \
             ENGINE=InnoDB"
        )
    }
}

impl FromStr for Table {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let name = text.to_ascii_lowercase();
        Self::ALL.into_iter().find(|table| table.name() == name).ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            format!("`{text}` is no table of TPC-H; there are {known}")
        })
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lineitem_has_the_sixteen_columns_of_clause_1_4_1() {
        let columns = Table::LineItem.columns();
        assert_eq!(columns.split(',').count(), 16);
        assert!(columns.starts_with("l_orderkey,l_partkey,l_suppkey,l_linenumber,l_quantity,"));
        let made = Table::LineItem.create();
        assert!(made.contains("l_comment VARCHAR(44) NOT NULL"), "{made}");
        assert!(made.ends_with("PRIMARY KEY (l_orderkey, l_linenumber)) ENGINE=InnoDB"), "{made}");
    }

    #[test]
    fn every_key_is_made_of_columns_and_every_name_is_read_back() {
        for table in Table::ALL {
            let columns = table.columns();
            assert!(table.key().iter().all(|key| columns.split(',').any(|column| column == *key)));
            assert_eq!(table.name().to_uppercase().parse(), Ok(table));
        }
        let error = "sbtest".parse::<Table>().map_err(|error| error.to_string());
        assert!(error.is_err_and(|words| words.contains("lineitem")));
    }
}
