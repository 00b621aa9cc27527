//! The nine tables: names, rows and columns by profile.

use super::profile::Profile;

/// A table of TPC-C, clause 1.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Table {
    /// WAREHOUSE.
    Warehouse,
    /// DISTRICT.
    District,
    /// CUSTOMER.
    Customer,
    /// HISTORY.
    History,
    /// NEW-ORDER.
    NewOrder,
    /// ORDER.
    Orders,
    /// ORDER-LINE.
    OrderLine,
    /// ITEM.
    Item,
    /// STOCK.
    Stock,
}

impl Table {
    /// All nine, parents before children.
    pub const ALL: [Self; 9] = [
        Self::Item,
        Self::Warehouse,
        Self::District,
        Self::Customer,
        Self::Stock,
        Self::History,
        Self::Orders,
        Self::NewOrder,
        Self::OrderLine,
    ];

    /// Its name in the database.
    pub fn name(self, profile: Profile) -> &'static str {
        let (spec, benchmarksql) = match self {
            Self::Warehouse => ("warehouse", "bmsql_warehouse"),
            Self::District => ("district", "bmsql_district"),
            Self::Customer => ("customer", "bmsql_customer"),
            Self::History => ("history", "bmsql_history"),
            Self::NewOrder => ("new_order", "bmsql_new_order"),
            // ORDER is a word of SQL.
            Self::Orders => ("orders", "bmsql_oorder"),
            Self::OrderLine => ("order_line", "bmsql_order_line"),
            Self::Item => ("item", "bmsql_item"),
            Self::Stock => ("stock", "bmsql_stock"),
        };
        match profile {
            Profile::Spec => spec,
            Profile::BenchmarkSql => benchmarksql,
        }
    }

    /// The columns that the loader fills, in the order in which it writes them.
    pub fn loaded_columns(self, profile: Profile) -> &'static str {
        match self {
            Self::Warehouse => "w_id,w_name,w_street_1,w_street_2,w_city,w_state,w_zip,w_tax,w_ytd",
            Self::District => {
                "d_w_id,d_id,d_name,d_street_1,d_street_2,d_city,d_state,d_zip,d_tax,d_ytd,\
                 d_next_o_id"
            }
            Self::Customer => {
                "c_w_id,c_d_id,c_id,c_first,c_middle,c_last,c_street_1,c_street_2,c_city,c_state,\
                 c_zip,c_phone,c_since,c_credit,c_credit_lim,c_discount,c_balance,c_ytd_payment,\
                 c_payment_cnt,c_delivery_cnt,c_data"
            }
            Self::History => match profile {
                Profile::Spec => "h_c_id,h_c_d_id,h_c_w_id,h_d_id,h_w_id,h_date,h_amount,h_data",
                Profile::BenchmarkSql => {
                    "hist_id,h_c_id,h_c_d_id,h_c_w_id,h_d_id,h_w_id,h_date,h_amount,h_data"
                }
            },
            Self::NewOrder => "no_w_id,no_d_id,no_o_id",
            Self::Orders => "o_w_id,o_d_id,o_id,o_c_id,o_entry_d,o_carrier_id,o_ol_cnt,o_all_local",
            Self::OrderLine => {
                "ol_w_id,ol_d_id,ol_o_id,ol_number,ol_i_id,ol_supply_w_id,ol_delivery_d,\
                 ol_quantity,ol_amount,ol_dist_info"
            }
            Self::Item => "i_id,i_im_id,i_name,i_price,i_data",
            Self::Stock => {
                "s_w_id,s_i_id,s_quantity,s_dist_01,s_dist_02,s_dist_03,s_dist_04,s_dist_05,\
                 s_dist_06,s_dist_07,s_dist_08,s_dist_09,s_dist_10,s_ytd,s_order_cnt,\
                 s_remote_cnt,s_data"
            }
        }
    }
}
