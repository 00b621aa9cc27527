CREATE PROCEDURE SLEV (
  st_w_id INTEGER,
  st_d_id INTEGER,
  threshold INTEGER,
  OUT stock_count INTEGER
)
SQL SECURITY INVOKER COMMENT '{version}'
BEGIN
  DECLARE next_order INTEGER;

  START TRANSACTION;
  SELECT d_next_o_id INTO next_order FROM district WHERE d_w_id = st_w_id AND d_id = st_d_id;
  SELECT COUNT(DISTINCT s_i_id) INTO stock_count
    FROM order_line JOIN stock ON s_w_id = ol_w_id AND s_i_id = ol_i_id
    WHERE ol_w_id = st_w_id AND ol_d_id = st_d_id AND ol_o_id < next_order
      AND ol_o_id >= next_order - 20 AND s_quantity < threshold;
  COMMIT;
END
