import type { Driver } from "./Driver.js"

/** Runs synchronous writes in one transaction: all of them are stored, or none if one throws. */
export const atomically = <A>(driver: Driver, write: () => A): A => {
  driver.exec("BEGIN IMMEDIATE")
  try {
    const result = write()
    driver.exec("COMMIT")
    return result
  } catch (cause) {
    // The database may already have rolled back on its own; the original cause is what matters.
    try {
      driver.exec("ROLLBACK")
    } catch { /* No transaction is open any more. */ }
    throw cause
  }
}
