CREATE PROCEDURE PAYMENT (
  p_w_id INTEGER,
  p_d_id INTEGER,
  p_c_w_id INTEGER,
  p_c_d_id INTEGER,
  INOUT p_c_id INTEGER,
  byname INTEGER,
  p_h_amount DECIMAL(6,2),
  INOUT p_c_last VARCHAR(16) CHARACTER SET latin1 COLLATE latin1_bin,
  OUT p_w_street_1 VARCHAR(20),
  OUT p_w_street_2 VARCHAR(20),
  OUT p_w_city VARCHAR(20),
  OUT p_w_state CHAR(2),
  OUT p_w_zip CHAR(9),
  OUT p_d_street_1 VARCHAR(20),
  OUT p_d_street_2 VARCHAR(20),
  OUT p_d_city VARCHAR(20),
  OUT p_d_state CHAR(2),
  OUT p_d_zip CHAR(9),
  OUT p_c_first VARCHAR(16),
  OUT p_c_middle CHAR(2),
  OUT p_c_street_1 VARCHAR(20),
  OUT p_c_street_2 VARCHAR(20),
  OUT p_c_city VARCHAR(20),
  OUT p_c_state CHAR(2),
  OUT p_c_zip CHAR(9),
  OUT p_c_phone CHAR(16),
  OUT p_c_since DATETIME,
  INOUT p_c_credit CHAR(2),
  OUT p_c_credit_lim DECIMAL(12,2),
  OUT p_c_discount DECIMAL(4,4),
  INOUT p_c_balance DECIMAL(12,2),
  OUT p_c_data VARCHAR(500),
  IN timestamp DATETIME
)
SQL SECURITY INVOKER COMMENT '{version}'
BEGIN
  DECLARE name_count, place INTEGER DEFAULT 0;
  DECLARE missing INTEGER DEFAULT 0;
  DECLARE district_name, warehouse_name VARCHAR(10);
  DECLARE CONTINUE HANDLER FOR NOT FOUND SET missing = 1;

  START TRANSACTION;
  UPDATE warehouse SET w_ytd = w_ytd + p_h_amount WHERE w_id = p_w_id;
  SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip
    INTO warehouse_name, p_w_street_1, p_w_street_2, p_w_city, p_w_state, p_w_zip
    FROM warehouse WHERE w_id = p_w_id;
  UPDATE district SET d_ytd = d_ytd + p_h_amount WHERE d_w_id = p_w_id AND d_id = p_d_id;
  SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip
    INTO district_name, p_d_street_1, p_d_street_2, p_d_city, p_d_state, p_d_zip
    FROM district WHERE d_w_id = p_w_id AND d_id = p_d_id;
  IF byname = 1 THEN
    SELECT COUNT(*) INTO name_count FROM customer
      WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_last = p_c_last;
    -- Of n namesakes the one at n/2, rounded up (clause 2.5.2.2).
    SET place = GREATEST((name_count + 1) DIV 2 - 1, 0);
    SELECT c_id INTO p_c_id FROM customer
      WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_last = p_c_last
      ORDER BY c_first LIMIT place, 1;
  END IF;
  SELECT c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
      c_since, c_credit, c_credit_lim, c_discount, c_balance
    INTO p_c_first, p_c_middle, p_c_last, p_c_street_1, p_c_street_2, p_c_city, p_c_state,
      p_c_zip, p_c_phone, p_c_since, p_c_credit, p_c_credit_lim, p_c_discount, p_c_balance
    FROM customer WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_id = p_c_id FOR UPDATE;
  IF missing THEN
    ROLLBACK;
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'PAYMENT: no such warehouse, district or customer';
  END IF;
  SET p_c_balance = p_c_balance - p_h_amount;
  IF p_c_credit = 'BC' THEN
    SELECT c_data INTO p_c_data FROM customer
      WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_id = p_c_id FOR UPDATE;
    SET p_c_data = LEFT(CONCAT_WS(' ', p_c_id, p_c_d_id, p_c_w_id, p_d_id, p_w_id, p_h_amount,
      p_c_data), 500);
    UPDATE customer SET c_balance = c_balance - p_h_amount,
        c_ytd_payment = c_ytd_payment + p_h_amount, c_payment_cnt = c_payment_cnt + 1,
        c_data = p_c_data
      WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_id = p_c_id;
    -- The terminal shows 200 characters (clause 2.5.3.4).
    SET p_c_data = LEFT(p_c_data, 200);
  ELSE
    UPDATE customer SET c_balance = c_balance - p_h_amount,
        c_ytd_payment = c_ytd_payment + p_h_amount, c_payment_cnt = c_payment_cnt + 1
      WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_id = p_c_id;
  END IF;
  INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
    VALUES (p_c_id, p_c_d_id, p_c_w_id, p_d_id, p_w_id, timestamp, p_h_amount,
      CONCAT(warehouse_name, '    ', district_name));
  COMMIT;
END
