CREATE PROCEDURE NEWORD (
  no_w_id INTEGER,
  no_d_id INTEGER,
  no_c_id INTEGER,
  no_o_ol_cnt INTEGER,
  -- A line in sixteen digits: OL_NUMBER 2, OL_SUPPLY_W_ID 6, OL_I_ID 6, OL_QUANTITY 2; in the
  -- order of the stock's key, so that two orders never wait for each other's rows crosswise.
  no_lines VARCHAR(240) CHARACTER SET latin1 COLLATE latin1_bin,
  OUT no_c_discount DECIMAL(4,4),
  OUT no_c_last VARCHAR(16),
  OUT no_c_credit VARCHAR(2),
  OUT no_d_tax DECIMAL(4,4),
  OUT no_w_tax DECIMAL(4,4),
  -- NULL after the rollback for an unused item (clause 2.4.2.3).
  INOUT no_d_next_o_id INTEGER,
  OUT no_total DECIMAL(12,2),
  IN timestamp DATETIME
)
SQL SECURITY INVOKER COMMENT '{version}'
new_order: BEGIN
  DECLARE order_id, at, item_id, supply_w_id, quantity, stock_quantity INTEGER;
  DECLARE all_local INTEGER DEFAULT 1;
  DECLARE missing INTEGER DEFAULT 0;
  DECLARE item_name VARCHAR(24);
  DECLARE item_price DECIMAL(5,2);
  DECLARE item_data, stock_data VARCHAR(50);
  DECLARE amount, total DECIMAL(12,2) DEFAULT 0;
  DECLARE dist_info CHAR(24);
  DECLARE CONTINUE HANDLER FOR NOT FOUND SET missing = 1;

  START TRANSACTION;
  SELECT d_tax, d_next_o_id INTO no_d_tax, order_id
    FROM district WHERE d_w_id = no_w_id AND d_id = no_d_id FOR UPDATE;
  SELECT c_discount, c_last, c_credit, w_tax
    INTO no_c_discount, no_c_last, no_c_credit, no_w_tax
    FROM customer JOIN warehouse ON w_id = c_w_id
    WHERE c_w_id = no_w_id AND c_d_id = no_d_id AND c_id = no_c_id;
  IF missing THEN
    ROLLBACK;
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'NEWORD: no such district or customer';
  END IF;
  UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = no_w_id AND d_id = no_d_id;
  SET at = 1;
  WHILE at <= 16 * no_o_ol_cnt DO
    IF SUBSTR(no_lines, at + 2, 6) <> no_w_id THEN
      SET all_local = 0;
    END IF;
    SET at = at + 16;
  END WHILE;
  INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local)
    VALUES (order_id, no_d_id, no_w_id, no_c_id, timestamp, no_o_ol_cnt, all_local);
  INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (order_id, no_d_id, no_w_id);
  SET at = 1;
  WHILE at <= 16 * no_o_ol_cnt DO
    SET supply_w_id = SUBSTR(no_lines, at + 2, 6);
    SET item_id = SUBSTR(no_lines, at + 8, 6);
    SET quantity = SUBSTR(no_lines, at + 14, 2);
    SELECT i_price, i_name, i_data INTO item_price, item_name, item_data
      FROM item WHERE i_id = item_id;
    IF missing THEN
      ROLLBACK;
      SET no_d_next_o_id = NULL;
      LEAVE new_order;
    END IF;
    SELECT s_quantity, s_data, ELT(no_d_id, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05,
        s_dist_06, s_dist_07, s_dist_08, s_dist_09, s_dist_10)
      INTO stock_quantity, stock_data, dist_info
      FROM stock WHERE s_w_id = supply_w_id AND s_i_id = item_id FOR UPDATE;
    IF missing THEN
      ROLLBACK;
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'NEWORD: no such stock';
    END IF;
    UPDATE stock
      SET s_quantity = IF(stock_quantity >= quantity + 10, stock_quantity - quantity,
          stock_quantity - quantity + 91),
        s_ytd = s_ytd + quantity, s_order_cnt = s_order_cnt + 1,
        s_remote_cnt = s_remote_cnt + (supply_w_id <> no_w_id)
      WHERE s_w_id = supply_w_id AND s_i_id = item_id;
    SET amount = quantity * item_price;
    SET total = total + amount;
    INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id,
        ol_quantity, ol_amount, ol_dist_info)
      VALUES (order_id, no_d_id, no_w_id, SUBSTR(no_lines, at, 2), item_id, supply_w_id, quantity,
        amount, dist_info);
    SET at = at + 16;
  END WHILE;
  COMMIT;
  SET no_d_next_o_id = order_id;
  SET no_total = total * (1 - no_c_discount) * (1 + no_w_tax + no_d_tax);
END
