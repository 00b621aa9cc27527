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
  OUT os_o_carrier_id INTEGER
)
SQL SECURITY INVOKER COMMENT '{version}'
BEGIN
  DECLARE item_id, supply_w_id, quantity, amount INTEGER;
  DECLARE delivery_d DATETIME;
  DECLARE done, name_count, fetched, line INTEGER DEFAULT 0;
  DECLARE order_status VARCHAR(100) DEFAULT '';
  DECLARE items, supplies, quantities, amounts VARCHAR(200) DEFAULT 'CSV,';
  DECLARE deliveries VARCHAR(420) DEFAULT 'CSV,';
  DECLARE violation CONDITION FOR SQLSTATE '23000';
  DECLARE namesakes CURSOR FOR
    SELECT c_balance, c_first, c_middle, c_id FROM customer
      WHERE c_last = os_c_last AND c_d_id = os_d_id AND c_w_id = os_w_id ORDER BY c_first;
  DECLARE lines_of_order CURSOR FOR
    SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line
      WHERE ol_o_id = os_o_id AND ol_d_id = os_d_id AND ol_w_id = os_w_id;
  DECLARE EXIT HANDLER FOR violation ROLLBACK;
  DECLARE CONTINUE HANDLER FOR NOT FOUND SET done = 1;

  START TRANSACTION;
  IF byname = 1 THEN
    SELECT COUNT(c_id) INTO name_count FROM customer
      WHERE c_last = os_c_last AND c_d_id = os_d_id AND c_w_id = os_w_id;
    IF MOD(name_count, 2) = 1 THEN
      SET name_count = name_count + 1;
    END IF;
    OPEN namesakes;
    WHILE fetched <= name_count / 2 DO
      FETCH namesakes INTO os_c_balance, os_c_first, os_c_middle, os_c_id;
      SET fetched = fetched + 1;
    END WHILE;
    CLOSE namesakes;
  ELSE
    SELECT c_balance, c_first, c_middle, c_last
      INTO os_c_balance, os_c_first, os_c_middle, os_c_last
      FROM customer WHERE c_id = os_c_id AND c_d_id = os_d_id AND c_w_id = os_w_id;
  END IF;
  SET done = 0;
  SELECT o_id, o_carrier_id, o_entry_d INTO os_o_id, os_o_carrier_id, os_entdate
    FROM (SELECT o_id, o_carrier_id, o_entry_d FROM orders
      WHERE o_d_id = os_d_id AND o_w_id = os_w_id AND o_c_id = os_c_id
      ORDER BY o_id DESC) AS sb LIMIT 1;
  IF done THEN
    SET order_status = 'No orders for customer';
  END IF;
  SET done = 0;
  OPEN lines_of_order;
  REPEAT
    FETCH lines_of_order INTO item_id, supply_w_id, quantity, amount, delivery_d;
    IF NOT done THEN
      SET items = CONCAT(items, ',', CAST(line AS CHAR), ',', CAST(item_id AS CHAR));
      SET supplies = CONCAT(supplies, ',', CAST(line AS CHAR), ',', CAST(supply_w_id AS CHAR));
      SET quantities = CONCAT(quantities, ',', CAST(line AS CHAR), ',', CAST(quantity AS CHAR));
      SET amounts = CONCAT(amounts, ',', CAST(line AS CHAR), ',', CAST(amount AS CHAR));
      SET deliveries = CONCAT(deliveries, ',', CAST(line AS CHAR), ',', CAST(delivery_d AS CHAR));
      SET line = line + 1;
    END IF;
  UNTIL done END REPEAT;
  CLOSE lines_of_order;
  COMMIT;
END
