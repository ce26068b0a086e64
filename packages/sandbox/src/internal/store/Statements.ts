import type { Driver, Statement } from "./Driver.js"

const kept = 64

/** Prepares a statement once; the few shapes that searches take are prepared before anybody notices. */
export class Statements {
  readonly #driver: Driver
  readonly #prepared = new Map<string, Statement>()

  constructor(driver: Driver) {
    this.#driver = driver
  }

  prepare(sql: string): Statement {
    const known = this.#prepared.get(sql)
    if (known !== undefined) return known
    if (this.#prepared.size >= kept) this.#prepared.clear()
    const statement = this.#driver.prepare(sql)
    this.#prepared.set(sql, statement)
    return statement
  }
}
