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
  DECLARE done, name_count, fetched INTEGER DEFAULT 0;
  DECLARE district_name, warehouse_name VARCHAR(11);
  DECLARE new_data VARCHAR(500);
  DECLARE history_data VARCHAR(30);
  DECLARE violation CONDITION FOR SQLSTATE '23000';
  DECLARE namesakes CURSOR FOR
    SELECT c_first, c_middle, c_id, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
        c_credit, c_credit_lim, c_discount, c_balance, c_since
      FROM customer
      WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_last = p_c_last ORDER BY c_first;
  DECLARE CONTINUE HANDLER FOR NOT FOUND SET done = 1;
  DECLARE EXIT HANDLER FOR violation ROLLBACK;

  START TRANSACTION;
  UPDATE warehouse SET w_ytd = w_ytd + p_h_amount WHERE w_id = p_w_id;
  SELECT w_street_1, w_street_2, w_city, w_state, w_zip, w_name
    INTO p_w_street_1, p_w_street_2, p_w_city, p_w_state, p_w_zip, warehouse_name
    FROM warehouse WHERE w_id = p_w_id;
  UPDATE district SET d_ytd = d_ytd + p_h_amount WHERE d_w_id = p_w_id AND d_id = p_d_id;
  SELECT d_street_1, d_street_2, d_city, d_state, d_zip, d_name
    INTO p_d_street_1, p_d_street_2, p_d_city, p_d_state, p_d_zip, district_name
    FROM district WHERE d_w_id = p_w_id AND d_id = p_d_id;
  IF byname = 1 THEN
    SELECT COUNT(c_id) INTO name_count FROM customer
      WHERE c_last = p_c_last AND c_d_id = p_c_d_id AND c_w_id = p_c_w_id;
    OPEN namesakes;
    IF MOD(name_count, 2) = 1 THEN
      SET name_count = name_count + 1;
    END IF;
    WHILE fetched <= name_count / 2 DO
      FETCH namesakes INTO p_c_first, p_c_middle, p_c_id, p_c_street_1, p_c_street_2, p_c_city,
        p_c_state, p_c_zip, p_c_phone, p_c_credit, p_c_credit_lim, p_c_discount, p_c_balance,
        p_c_since;
      SET fetched = fetched + 1;
    END WHILE;
    CLOSE namesakes;
  ELSE
    SELECT c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
        c_credit, c_credit_lim, c_discount, c_balance, c_since
      INTO p_c_first, p_c_middle, p_c_last, p_c_street_1, p_c_street_2, p_c_city, p_c_state,
        p_c_zip, p_c_phone, p_c_credit, p_c_credit_lim, p_c_discount, p_c_balance, p_c_since
      FROM customer WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_id = p_c_id;
  END IF;
  SET p_c_balance = p_c_balance + p_h_amount;
  SET history_data = CONCAT(warehouse_name, ' ', district_name);
  IF p_c_credit = 'BC' THEN
    SELECT c_data INTO p_c_data FROM customer
      WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_id = p_c_id;
    SET new_data = CONCAT(CAST(p_c_id AS CHAR), ' ', CAST(p_c_d_id AS CHAR), ' ',
      CAST(p_c_w_id AS CHAR), ' ', CAST(p_d_id AS CHAR), ' ', CAST(p_w_id AS CHAR), ' ',
      CAST(FORMAT(p_h_amount, 2) AS CHAR), CAST(timestamp AS CHAR), history_data);
    SET new_data = SUBSTR(CONCAT(new_data, p_c_data), 1, 500 - LENGTH(new_data));
    UPDATE customer SET c_balance = p_c_balance, c_data = new_data
      WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_id = p_c_id;
  ELSE
    UPDATE customer SET c_balance = p_c_balance
      WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_id = p_c_id;
  END IF;
  INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, h_data)
    VALUES (p_c_d_id, p_c_w_id, p_c_id, p_d_id, p_w_id, timestamp, p_h_amount, history_data);
  COMMIT;
END
