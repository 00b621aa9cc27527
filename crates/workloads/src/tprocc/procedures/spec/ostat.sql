CREATE PROCEDURE OSTAT (
  os_w_id INTEGER,
  os_d_id INTEGER,
  INOUT os_c_id INTEGER,
  byname INTEGER,
  INOUT os_c_last VARCHAR(16) CHARACTER SET latin1 COLLATE latin1_bin,
  OUT os_c_first VARCHAR(16),
  OUT os_c_middle CHAR(2),
  OUT os_c_balance DECIMAL(12,2),
  OUT os_o_id INTEGER,
  OUT os_entdate DATETIME,
  OUT os_o_carrier_id INTEGER,
  OUT os_lines INTEGER
)
SQL SECURITY INVOKER COMMENT '{version}'
BEGIN
  DECLARE item_id, supply_w_id, quantity INTEGER;
  DECLARE amount DECIMAL(6,2);
  DECLARE delivery_d DATETIME;
  DECLARE name_count, place INTEGER DEFAULT 0;
  DECLARE missing INTEGER DEFAULT 0;
  DECLARE lines_of_order CURSOR FOR
    SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line
      WHERE ol_w_id = os_w_id AND ol_d_id = os_d_id AND ol_o_id = os_o_id;
  DECLARE CONTINUE HANDLER FOR NOT FOUND SET missing = 1;

  START TRANSACTION;
  IF byname = 1 THEN
    SELECT COUNT(*) INTO name_count FROM customer
      WHERE c_w_id = os_w_id AND c_d_id = os_d_id AND c_last = os_c_last;
    -- Of n namesakes the one at n/2, rounded up (clause 2.6.2.2).
    SET place = GREATEST((name_count + 1) DIV 2 - 1, 0);
    SELECT c_id INTO os_c_id FROM customer
      WHERE c_w_id = os_w_id AND c_d_id = os_d_id AND c_last = os_c_last
      ORDER BY c_first LIMIT place, 1;
  END IF;
  SELECT c_balance, c_first, c_middle, c_last
    INTO os_c_balance, os_c_first, os_c_middle, os_c_last
    FROM customer WHERE c_w_id = os_w_id AND c_d_id = os_d_id AND c_id = os_c_id;
  SELECT o_id, o_entry_d, o_carrier_id INTO os_o_id, os_entdate, os_o_carrier_id
    FROM orders WHERE o_w_id = os_w_id AND o_d_id = os_d_id AND o_c_id = os_c_id
    ORDER BY o_id DESC LIMIT 1;
  IF missing THEN
    ROLLBACK;
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'OSTAT: no such customer or order';
  END IF;
  SET os_lines = 0;
  OPEN lines_of_order;
  WHILE NOT missing DO
    FETCH lines_of_order INTO item_id, supply_w_id, quantity, amount, delivery_d;
    SET os_lines = os_lines + 1 - missing;
  END WHILE;
  CLOSE lines_of_order;
  COMMIT;
END
