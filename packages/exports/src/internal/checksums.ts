/** Checksums of rows, which don't depend on their order. */
import type { Row } from "../Row.js"
import { type Columns, lists } from "./columns.js"
import { digest } from "./digest.js"

const modulus = 2n ** 128n

export const sum = (checksums: ReadonlyArray<string>): string =>
  (checksums.reduce((total, checksum) => total + BigInt(`0x${checksum}`), 0n) % modulus).toString(16).padStart(32, "0")

/** Adds rows to a checksum. `window` is left out, so that the checksum does not depend on the plan. */
export const add = ({ transfers }: Columns, checksum: string, rows: ReadonlyArray<Row>): string => {
  const summed = transfers.filter(({ name }) => name !== "window")
  return sum([checksum, ...lists(summed, rows).map((values) => digest(JSON.stringify(values)))])
}
