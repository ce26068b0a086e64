import type { Hex } from "@effect-klaytn/transaction/Hex"
import { amount, amountBlob, blob, hex, integer } from "./Cell.js"
import type { Driver } from "./Driver.js"

interface Sums {
  balance: bigint
  tokens: number
  updated: number
}

/** Makes up the sums and counts of a contract from what its holders have. */
export const tally = (driver: Driver, c: number, contract: Hex): void => {
  const address = blob(contract)
  const owners = new Map<Hex, Sums>()
  for (
    const row of driver.prepare(`SELECT owner, balance, updated FROM holdings_${c} WHERE contract = ?1`).all(address)
  ) {
    const sums = owners.get(hex(row, 0)) ?? { balance: 0n, tokens: 0, updated: 0 }
    sums.balance += amount(row, 1)
    sums.tokens += 1
    sums.updated = Math.max(sums.updated, integer(row, 2))
    owners.set(hex(row, 0), sums)
  }
  driver.prepare(`DELETE FROM ownings_${c} WHERE contract = ?1`).run(address)
  const write = driver.prepare(
    `INSERT INTO ownings_${c} (contract, owner, balance, tokens, updated) VALUES (?1, ?2, ?3, ?4, ?5)`
  )
  let supply = 0n
  for (const [owner, { balance, tokens, updated }] of owners) {
    write.run(address, blob(owner), amountBlob(balance), tokens, updated)
    supply += balance
  }
  driver.prepare(`UPDATE contracts_${c} SET supply = ?2, holders = ?3 WHERE address = ?1`)
    .run(address, amountBlob(supply), owners.size)
}

/** The same for every contract of a chain. */
export const tallyAll = (driver: Driver, c: number): void => {
  for (const row of driver.prepare(`SELECT address FROM contracts_${c}`).all()) tally(driver, c, hex(row, 0))
}
