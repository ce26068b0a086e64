/** The report of a day as a page and as CSV. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import type { DayReport, Difference } from "@effect-klaytn/payouts/DayReport"
import { stringify } from "csv-stringify/sync"
import { counted } from "../terminal/progress.js"
import * as Screen from "../terminal/Screen.js"
import { amountIn, type Units } from "./payoutText.js"

/** The tokens whose units the texts need. */
export const tokensOf = ({ differences, totals }: DayReport): ReadonlyArray<Address.Address> =>
  [...totals, ...differences.filter((one) => one._tag === "Differs")].flatMap(({ token }) => token ?? [])

const sumOf = (fees: ReadonlyArray<{ readonly fee: bigint }>): bigint => fees.reduce((sum, { fee }) => sum + fee, 0n)

/** A value of a field that differs: amounts in their unit, and everything else as it is. */
const valueOf = ({ field, token }: Extract<Difference, { readonly _tag: "Differs" }>, text: string, units: Units) => {
  if (field !== "amount" || !/^\d+$/.test(text)) return text
  const { amount, unit } = amountIn(token, BigInt(text), units)
  return `${amount} ${unit}`
}

const moved = ({ input, to, value }: Extract<Difference, { readonly _tag: "Unexplained" }>): string => {
  const receiver = to === undefined ? "a new contract" : Address.checksum(to)
  return `moves ${Amount.format(value)} to ${receiver}${input === "0x" ? "" : ` with the input ${input.slice(0, 10)}`}`
}

/** A difference as one sentence. */
const sentence = (difference: Difference, units: Units): string => {
  switch (difference._tag) {
    case "NotOnChain":
      return `${difference.key}: the database has ${difference.transactionHash} in block ${difference.block}; the chain has ` +
        "no such transaction"
    case "ClaimedTwice":
      return `${
        difference.keys.join(", ")
      }: the database names one transaction for all of them, ${difference.transactionHash}`
    case "Unexplained":
      return `no payment: ${difference.transactionHash} in block ${difference.block} ${moved(difference)} ` +
        `(nonce ${difference.nonce} of ${Address.checksum(difference.from)})`
    case "Differs": {
      const { chain, database, field, key, transactionHash } = difference
      const [left, right] = [database, chain].map((text) => valueOf(difference, text, units))
      return `${key}: ${field} is ${left} in the database and ${right} on the chain (${transactionHash})`
    }
  }
}

/** The report as a page. */
export const page = (output: Screen.Output, report: DayReport, units: Units): string => {
  const { blocks, chain, day, differences, fees, isOver, movedNothing, timeZone, totals } = report
  const rows = totals.map(({ amount, count, fee, state, token }) => {
    const moved = amountIn(token, amount, units)
    return [state, String(count), `${moved.amount} ${moved.unit}`, Amount.format(fee)].map(Screen.clean)
  })
  const paid = fees.map(({ count, fee, paidBy }) => [
    `  ${Address.checksum(paidBy)}`,
    `${Amount.format(fee)} for ${counted(count, "transaction")}`
  ])
  const span = blocks === undefined ? "no blocks" : `blocks ${blocks.first} to ${blocks.last}`
  return Screen.lines([
    `${Screen.styled(output, "bold", `${day} (${timeZone})`)}  chain ${chain}, ${span}${
      isOver ? "" : ", not over yet"
    }`,
    "",
    ...(rows.length === 0 ? ["no payments"] : Screen.table([["STATE", "COUNT", "AMOUNT", "FEES"], ...rows])),
    "",
    `fees: ${Amount.format(sumOf(fees))}`,
    ...Screen.table(paid).flatMap((line) => Screen.prose(output, line)),
    ...(movedNothing.count === 0
      ? []
      : Screen.prose(
        output,
        `of that, ${Amount.format(movedNothing.fee)} for ${
          counted(movedNothing.count, "transaction")
        } that moved nothing: ` +
          "an opened account, a filled nonce or a cancellation"
      )),
    "",
    differences.length === 0
      ? Screen.styled(output, "green", "database and chain agree")
      : Screen.styled(output, "red", counted(differences.length, "difference")),
    ...differences.flatMap((one) => Screen.prose(output, `  ${Screen.clean(sentence(one, units))}`))
  ])
}

const columns = ["record", "day", "zone", "token", "unit", "state", "count", "amount", "fee", "account", "text"]

/** The report as CSV: a line for each total, each account that paid fees, and each difference. Fees are in KLAY. */
export const csv = (report: DayReport, units: Units): string => {
  const { day, differences, fees, movedNothing, timeZone: zone, totals } = report
  const lines = [
    ...totals.map(({ amount, count, fee, state, token }) => ({
      record: "total",
      token,
      state,
      count,
      ...amountIn(token, amount, units),
      fee: Amount.toKlay(fee)
    })),
    { record: "moved nothing", count: movedNothing.count, fee: Amount.toKlay(movedNothing.fee) },
    ...fees.map(({ count, fee, paidBy }) => ({ record: "fees", account: paidBy, count, fee: Amount.toKlay(fee) })),
    ...differences.map((one) => ({ record: "difference", text: sentence(one, units) }))
  ]
  return stringify(lines.map((line) => ({ ...line, day, zone })), { columns, header: true, escape_formulas: true })
}
