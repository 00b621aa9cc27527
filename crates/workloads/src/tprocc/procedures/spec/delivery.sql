CREATE PROCEDURE DELIVERY (
  d_w_id INTEGER,
  d_o_carrier_id INTEGER,
  IN timestamp DATETIME,
  OUT d_delivered INTEGER
)
SQL SECURITY INVOKER COMMENT '{version}'
BEGIN
  DECLARE order_id, customer_id INTEGER;
  DECLARE district_id INTEGER DEFAULT 1;
  DECLARE missing INTEGER DEFAULT 0;
  DECLARE total DECIMAL(12,2);
  DECLARE CONTINUE HANDLER FOR NOT FOUND SET missing = 1;

  SET d_delivered = 0;
  START TRANSACTION;
  WHILE district_id <= 10 DO
    SET missing = 0;
    SELECT no_o_id INTO order_id FROM new_order
      WHERE no_w_id = d_w_id AND no_d_id = district_id ORDER BY no_o_id LIMIT 1 FOR UPDATE;
    IF NOT missing THEN
      DELETE FROM new_order
        WHERE no_w_id = d_w_id AND no_d_id = district_id AND no_o_id = order_id;
      UPDATE orders SET o_carrier_id = d_o_carrier_id
        WHERE o_w_id = d_w_id AND o_d_id = district_id AND o_id = order_id;
      SELECT o_c_id INTO customer_id FROM orders
        WHERE o_w_id = d_w_id AND o_d_id = district_id AND o_id = order_id;
      UPDATE order_line SET ol_delivery_d = timestamp
        WHERE ol_w_id = d_w_id AND ol_d_id = district_id AND ol_o_id = order_id;
      SELECT SUM(ol_amount) INTO total FROM order_line
        WHERE ol_w_id = d_w_id AND ol_d_id = district_id AND ol_o_id = order_id;
      UPDATE customer
        SET c_balance = c_balance + total, c_delivery_cnt = c_delivery_cnt + 1
        WHERE c_w_id = d_w_id AND c_d_id = district_id AND c_id = customer_id;
      IF missing THEN
        ROLLBACK;
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'DELIVERY: no such order';
      END IF;
      SET d_delivered = d_delivered + 1;
    END IF;
    SET district_id = district_id + 1;
  END WHILE;
  COMMIT;
END
