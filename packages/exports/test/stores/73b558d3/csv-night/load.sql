-- Loads this export into DuckDB. In its directory: duckdb warehouse.duckdb < load.sql
-- Without these types DuckDB reads amounts as DOUBLE, which keeps 15 digits of them.
SET TimeZone = 'UTC';
CREATE OR REPLACE TABLE transfers AS
SELECT
  CASE WHEN "id" LIKE '''%' THEN substr("id", 2) ELSE "id" END AS "id",
  CASE WHEN "kind" LIKE '''%' THEN substr("kind", 2) ELSE "kind" END AS "kind",
  "block_number",
  "transaction_index",
  CASE WHEN "transaction_hash" LIKE '''%' THEN substr("transaction_hash", 2) ELSE "transaction_hash" END AS "transaction_hash",
  "equal_index",
  "part",
  "timestamp",
  "unix",
  CASE WHEN "from_address" LIKE '''%' THEN substr("from_address", 2) ELSE "from_address" END AS "from_address",
  CASE WHEN "to_address" LIKE '''%' THEN substr("to_address", 2) ELSE "to_address" END AS "to_address",
  CASE WHEN "contract" LIKE '''%' THEN substr("contract", 2) ELSE "contract" END AS "contract",
  CASE WHEN "token_name" LIKE '''%' THEN substr("token_name", 2) ELSE "token_name" END AS "token_name",
  CASE WHEN "token_symbol" LIKE '''%' THEN substr("token_symbol", 2) ELSE "token_symbol" END AS "token_symbol",
  "token_decimals",
  "token_id",
  "amount",
  TRY_CAST(amount AS DECIMAL(38, 0)) AS amount_decimal,
  CASE WHEN "status" LIKE '''%' THEN substr("status", 2) ELSE "status" END AS "status",
  CASE WHEN "operator" LIKE '''%' THEN substr("operator", 2) ELSE "operator" END AS "operator",
  CASE WHEN "sender" LIKE '''%' THEN substr("sender", 2) ELSE "sender" END AS "sender",
  "transaction_type",
  "fee",
  CASE WHEN "fee_payer" LIKE '''%' THEN substr("fee_payer", 2) ELSE "fee_payer" END AS "fee_payer",
  "fee_ratio",
  CASE WHEN "account" LIKE '''%' THEN substr("account", 2) ELSE "account" END AS "account",
  "window"
FROM read_csv([
    'parts/000000-1.csv',
    'parts/000001-1.csv',
    'parts/000002-1.csv',
    'parts/000003-1.csv',
    'parts/000004-1.csv',
    'parts/000005-1.csv',
    'parts/000006-1.csv',
    'parts/000007-1.csv',
    'parts/000008-1.csv',
    'parts/000009-1.csv'
  ],
  header = true, delim = ',', quote = '"', escape = '"', new_line = '\r\n', nullstr = '', allow_quoted_nulls = false,
  auto_detect = false,
  columns = {'id': 'VARCHAR', 'kind': 'VARCHAR', 'block_number': 'BIGINT', 'transaction_index': 'BIGINT', 'transaction_hash': 'VARCHAR', 'equal_index': 'BIGINT', 'part': 'BIGINT', 'timestamp': 'TIMESTAMPTZ', 'unix': 'BIGINT', 'from_address': 'VARCHAR', 'to_address': 'VARCHAR', 'contract': 'VARCHAR', 'token_name': 'VARCHAR', 'token_symbol': 'VARCHAR', 'token_decimals': 'BIGINT', 'token_id': 'VARCHAR', 'amount': 'VARCHAR', 'amount_decimal': 'VARCHAR', 'status': 'VARCHAR', 'operator': 'VARCHAR', 'sender': 'VARCHAR', 'transaction_type': 'BIGINT', 'fee': 'VARCHAR', 'fee_payer': 'VARCHAR', 'fee_ratio': 'BIGINT', 'account': 'VARCHAR', 'window': 'BIGINT'});
