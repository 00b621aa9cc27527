CREATE PROCEDURE NEWORD (
  no_w_id INTEGER,
  no_max_w_id INTEGER,
  no_d_id INTEGER,
  no_c_id INTEGER,
  no_o_ol_cnt INTEGER,
  OUT no_c_discount DECIMAL(4,4),
  OUT no_c_last VARCHAR(16),
  OUT no_c_credit VARCHAR(2),
  OUT no_d_tax DECIMAL(4,4),
  OUT no_w_tax DECIMAL(4,4),
  INOUT no_d_next_o_id INTEGER,
  IN timestamp DATETIME
)
SQL SECURITY INVOKER COMMENT '{version}'
BEGIN
  DECLARE order_id, line, item_id, supply_w_id, quantity, all_local, unlucky INTEGER;
  DECLARE item_name VARCHAR(24);
  DECLARE item_price DECIMAL(5,2);
  DECLARE item_data, stock_data VARCHAR(50);
  DECLARE stock_quantity DECIMAL(6);
  DECLARE amount DECIMAL(6,2);
  DECLARE dist_01, dist_02, dist_03, dist_04, dist_05, dist_06, dist_07, dist_08, dist_09, dist_10,
    dist_info CHAR(24);
  DECLARE violation CONDITION FOR SQLSTATE '23000';
  -- NULL in the order's number is how a rollback shows at the client.
  DECLARE EXIT HANDLER FOR violation BEGIN ROLLBACK; SET no_d_next_o_id = NULL; END;
  DECLARE EXIT HANDLER FOR NOT FOUND BEGIN ROLLBACK; SET no_d_next_o_id = NULL; END;

  SET all_local = 1;
  SELECT c_discount, c_last, c_credit, w_tax
    INTO no_c_discount, no_c_last, no_c_credit, no_w_tax
    FROM customer, warehouse
    WHERE warehouse.w_id = no_w_id AND customer.c_w_id = no_w_id
      AND customer.c_d_id = no_d_id AND customer.c_id = no_c_id;
  START TRANSACTION;
  SELECT d_next_o_id, d_tax INTO no_d_next_o_id, no_d_tax
    FROM district WHERE d_id = no_d_id AND d_w_id = no_w_id FOR UPDATE;
  UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_id = no_d_id AND d_w_id = no_w_id;
  SET order_id = no_d_next_o_id;
  SET unlucky = FLOOR(1 + (RAND() * 99));
  SET line = 1;
  WHILE line <= no_o_ol_cnt DO
    IF line = no_o_ol_cnt AND unlucky = 1 THEN
      SET item_id = 100001;
    ELSE
      SET item_id = FLOOR(1 + (RAND() * 100000));
    END IF;
    SET supply_w_id = no_w_id;
    IF FLOOR(1 + (RAND() * 100)) <= 1 THEN
      SET all_local = 0;
      WHILE supply_w_id = no_w_id AND no_max_w_id != 1 DO
        SET supply_w_id = FLOOR(1 + (RAND() * no_max_w_id));
      END WHILE;
    END IF;
    SET quantity = FLOOR(1 + (RAND() * 10));
    SELECT i_price, i_name, i_data INTO item_price, item_name, item_data
      FROM item WHERE i_id = item_id;
    SELECT s_quantity, s_data, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06,
        s_dist_07, s_dist_08, s_dist_09, s_dist_10
      INTO stock_quantity, stock_data, dist_01, dist_02, dist_03, dist_04, dist_05, dist_06,
        dist_07, dist_08, dist_09, dist_10
      FROM stock WHERE s_i_id = item_id AND s_w_id = supply_w_id;
    IF stock_quantity > quantity THEN
      SET stock_quantity = stock_quantity - quantity;
    ELSE
      SET stock_quantity = stock_quantity - quantity + 91;
    END IF;
    UPDATE stock SET s_quantity = stock_quantity
      WHERE s_i_id = item_id AND s_w_id = supply_w_id;
    SET amount = quantity * item_price * (1 + no_w_tax + no_d_tax) * (1 - no_c_discount);
    CASE no_d_id
      WHEN 1 THEN SET dist_info = dist_01;
      WHEN 2 THEN SET dist_info = dist_02;
      WHEN 3 THEN SET dist_info = dist_03;
      WHEN 4 THEN SET dist_info = dist_04;
      WHEN 5 THEN SET dist_info = dist_05;
      WHEN 6 THEN SET dist_info = dist_06;
      WHEN 7 THEN SET dist_info = dist_07;
      WHEN 8 THEN SET dist_info = dist_08;
      WHEN 9 THEN SET dist_info = dist_09;
      WHEN 10 THEN SET dist_info = dist_10;
    END CASE;
    INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id,
        ol_quantity, ol_amount, ol_dist_info)
      VALUES (order_id, no_d_id, no_w_id, line, item_id, supply_w_id, quantity, amount, dist_info);
    SET line = line + 1;
  END WHILE;
  INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local)
    VALUES (order_id, no_d_id, no_w_id, no_c_id, timestamp, no_o_ol_cnt, all_local);
  INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (order_id, no_d_id, no_w_id);
  COMMIT;
END
