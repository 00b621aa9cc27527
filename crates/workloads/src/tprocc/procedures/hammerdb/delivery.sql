CREATE PROCEDURE DELIVERY (
  d_w_id INTEGER,
  d_o_carrier_id INTEGER,
  IN timestamp DATETIME
)
SQL SECURITY INVOKER COMMENT '{version}'
BEGIN
  DECLARE order_id, district_id, customer_id, total INTEGER;
  DECLARE result VARCHAR(100);
  DECLARE violation CONDITION FOR SQLSTATE '23000';
  DECLARE EXIT HANDLER FOR violation ROLLBACK;

  SET district_id = 1;
  START TRANSACTION;
  WHILE district_id <= 10 DO
    SELECT no_o_id INTO order_id FROM new_order
      WHERE no_w_id = d_w_id AND no_d_id = district_id LIMIT 1;
    DELETE FROM new_order
      WHERE no_w_id = d_w_id AND no_d_id = district_id AND no_o_id = order_id;
    SELECT o_c_id INTO customer_id FROM orders
      WHERE o_id = order_id AND o_d_id = district_id AND o_w_id = d_w_id;
    UPDATE orders SET o_carrier_id = d_o_carrier_id
      WHERE o_id = order_id AND o_d_id = district_id AND o_w_id = d_w_id;
    UPDATE order_line SET ol_delivery_d = timestamp
      WHERE ol_o_id = order_id AND ol_d_id = district_id AND ol_w_id = d_w_id;
    SELECT SUM(ol_amount) INTO total FROM order_line
      WHERE ol_o_id = order_id AND ol_d_id = district_id AND ol_w_id = d_w_id;
    UPDATE customer SET c_balance = c_balance + total
      WHERE c_id = customer_id AND c_d_id = district_id AND c_w_id = d_w_id;
    SET result = CONCAT(district_id, ' ', order_id, ' ', timestamp);
    SET district_id = district_id + 1;
  END WHILE;
  COMMIT;
END
