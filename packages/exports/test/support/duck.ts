/** DuckDB, which reads what an export has left. */
import { DuckDBInstance } from "@duckdb/node-api"
import * as Effect from "effect/Effect"

/** Runs statements in a directory, and reads a query. */
export const duck = (directory: string, statements: string, query: string) =>
  Effect.promise(async () => {
    const instance = await DuckDBInstance.create(":memory:", { file_search_path: directory })
    const connection = await instance.connect()
    await connection.run(statements)
    const reader = await connection.runAndReadAll(query)
    const read = {
      names: reader.columnNames(),
      types: reader.columnTypes().map(String),
      rows: reader.getRowObjectsJson()
    }
    connection.closeSync()
    instance.closeSync()
    return read
  })
