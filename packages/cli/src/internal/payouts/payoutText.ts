/** Payouts, and the report of a day, as a table, as a page and as CSV: amounts in KLAY or the token's unit, times in UTC. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as CsvCell from "@effect-klaytn/exports/CsvCell"
import type { DayReport, Difference } from "@effect-klaytn/payouts/DayReport"
import type { Payout, PayoutWithHistory, RecordedChange } from "@effect-klaytn/payouts/Payout"
import * as TokenPayout from "@effect-klaytn/payouts/TokenPayout"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { jsonLine } from "../terminal/printed.js"
import { counted } from "../terminal/progress.js"
import * as Screen from "../terminal/Screen.js"

/** What a token reports about its amounts. */
interface Unit {
  readonly symbol: string
  readonly decimals: number
}

/** The units of tokens; undefined for a token that did not answer. */
export type Units = Map<Address.Address, Unit | undefined>

/** The tokens that some payouts move. */
export const tokensOf = (payouts: ReadonlyArray<Payout>): ReadonlyArray<Address.Address> =>
  payouts.flatMap(({ content }) => Option.toArray(Option.map(TokenPayout.fromContent(content), ({ token }) => token)))

/** Asks tokens for their units, each once, for at most 5 seconds. Those that don't answer are shown in their smallest unit. */
export const learnUnits = (units: Units, tokens: ReadonlyArray<Address.Address>) =>
  Effect.forEach(
    new Set(tokens.filter((token) => !units.has(token))),
    (token) =>
      Effect.all({ symbol: TokenPayout.symbol(token), decimals: TokenPayout.decimals(token) }).pipe(
        Effect.option,
        Effect.map((unit) => units.set(token, Option.getOrUndefined(unit)))
      ),
    { concurrency: 8, discard: true }
  ).pipe(Effect.timeoutOption("5 seconds"))

/** An amount in its unit: KLAY, or that of a token. */
const amountIn = (token: Address.Address | undefined, amount: bigint, units: Units) => {
  if (token === undefined) return { amount: Amount.toKlay(amount), unit: "KLAY" }
  const unit = units.get(token)
  return unit === undefined
    ? { amount: String(amount), unit: `smallest units of ${Address.checksum(token)}` }
    // Any contract may call itself KLAY, or as another token does.
    : { amount: Amount.toDecimal(amount, unit.decimals), unit: `${unit.symbol} (token ${Address.checksum(token)})` }
}

const movedBy = ({ content }: Payout, units: Units) => {
  const { amount, to, token } = Option.getOrElse(TokenPayout.fromContent(content), () => {
    const { to, value = 0n } = content.request
    return { amount: value, to, token: undefined }
  })
  return { ...amountIn(token, amount, units), token, to }
}

/** What moves, in KLAY or in the smallest unit of a token. */
export const amountOf = (payout: Payout): string => {
  const { amount, unit } = movedBy(payout, new Map())
  return `${amount} ${unit}`
}

/** The account that is paid. */
export const receiverOf = (payout: Payout): Address.Address => movedBy(payout, new Map()).to

const timeOf = (millis: number): string => `${new Date(millis).toISOString().slice(0, 19)}Z`

/** What states may have, in the states that have it. */
const detailsOf = ({ state }: Payout): {
  readonly _tag: Payout["state"]["_tag"]
  readonly transactionHash?: string | undefined
  readonly problem?: string | undefined
  readonly block?: number | undefined
  readonly nonce?: number | undefined
} => state

/** The transaction, and its block if there is one. */
const transactionOf = (payout: Payout): string | undefined => {
  const { block, transactionHash: hash } = detailsOf(payout)
  return hash === undefined || block === undefined ? hash : `${hash} in block ${block}`
}

/** A payout on one line: its state, and its problem or its transaction. */
export const line = (payout: Payout, isJson: boolean): string => {
  if (isJson) return jsonLine(payout)
  const detail = detailsOf(payout).problem ?? transactionOf(payout) ?? ""
  return `${[payout.key, payout.state._tag, detail].map(Screen.clean).join("  ")}\n`
}

const columns = ["KEY", "STATE", "AMOUNT", "TO", "TIME", "TRANSACTION"]

const row = (units: Units) => (payout: Payout): ReadonlyArray<string> => {
  const { amount, to, unit } = movedBy(payout, units)
  const { problem = "", transactionHash = problem } = detailsOf(payout)
  return [
    payout.key,
    payout.state._tag,
    `${amount} ${unit}`,
    Address.checksum(to),
    timeOf(payout.updatedAt),
    transactionHash
  ].map(Screen.clean)
}

/** Payouts as a table; on a terminal that is too narrow, a paragraph for each. */
export const table = (
  output: Screen.Output,
  payouts: ReadonlyArray<Payout>,
  units: Units,
  hasHeader: boolean
): string => {
  const rows = payouts.map(row(units))
  const lines = Screen.table(hasHeader && rows.length > 0 ? [columns, ...rows] : rows)
  if (!output.isTerminal || lines.every(({ length }) => length <= output.columns)) return Screen.lines(lines)
  return Screen.lines(rows.flatMap(([key = "", state = "", amount = "", to = "", time = "", last = ""]) => [
    `${Screen.styled(output, "bold", key)}  ${state}`,
    ...[`${amount} to ${to}`, time, last].filter((text) => text !== "").flatMap((text) =>
      Screen.prose(output, `  ${text}`)
    )
  ]))
}

/** The columns of the CSV, and what they have of a payout. */
const csvColumns: Readonly<Record<string, (payout: Payout, moved: ReturnType<typeof movedBy>) => unknown>> = {
  key: ({ key }) => key,
  state: ({ state }) => state._tag,
  amount: (_, { amount }) => amount,
  unit: (_, { unit }) => unit,
  token: (_, { token }) => token,
  from: ({ content }) => content.request.from,
  to: (_, { to }) => to,
  created: ({ createdAt }) => timeOf(createdAt),
  updated: ({ updatedAt }) => timeOf(updatedAt),
  transaction: (payout) => detailsOf(payout).transactionHash,
  block: (payout) => detailsOf(payout).block,
  nonce: (payout) => detailsOf(payout).nonce,
  problem: (payout) => detailsOf(payout).problem
}

/** Payouts as CSV. A text that a spreadsheet would take for a formula begins with an apostrophe. */
export const csv = (payouts: ReadonlyArray<Payout>, units: Units, hasHeader: boolean): string => {
  const rows = payouts.map((payout) => {
    const moved = movedBy(payout, units)
    return Object.values(csvColumns).map((cellOf) => cellOf(payout, moved))
  })
  return CsvCell.lines(rows, { header: hasHeader ? Object.keys(csvColumns) : undefined, lineEnd: "\n" })
}

const wordsOf = (value: unknown): string =>
  Predicate.isReadonlyRecord(value) ? Object.values(value).map(String).join(" ") : String(value)

/** The fields of an event, apart from its name. */
const detailOf = (event: PayoutWithHistory["history"][number]["event"]): string =>
  Object.entries(event)
    .filter(([name, value]) => name !== "_tag" && value !== undefined)
    .map(([name, value]) => `${name} ${wordsOf(value)}`)
    .join(", ")

/** A change on one line; on a terminal, with whole words. */
export const change = (output: Screen.Output, { at, event, key, state }: RecordedChange): ReadonlyArray<string> =>
  Screen.prose(
    output,
    [timeOf(at), key, state._tag, event._tag, detailOf(event)].map(Screen.clean).join("  ").trimEnd()
  )

const payerOf = ({ content: { payer } }: Payout): string => {
  switch (payer._tag) {
    case "UserFeePayer":
      return Address.checksum(payer.address)
    case "ServiceFeePayer":
      return "service"
    case "SenderPays":
      return "sender"
  }
}

const feeOf = ({ state }: Payout): string => {
  if (!("paidBy" in state) || state.paidBy === undefined) return ""
  return state.paidBy._tag === "NotKnown" ?
    ", paid by an account that is not known"
    : `, paid by ${Address.checksum(state.paidBy.address)}`
}

/** A payout as a page: what it moves, what became of it, and its history. */
export const page = (output: Screen.Output, payout: PayoutWithHistory, units: Units, limits: string): string => {
  const { amount, to, token, unit } = movedBy(payout, units)
  const { content, createdAt, history, key, state, updatedAt } = payout
  const fields: ReadonlyArray<readonly [name: string, text: string | undefined]> = [
    ["amount", `${amount} ${unit}`],
    ["token", token === undefined ? undefined : Address.checksum(token)],
    ["from", Address.checksum(content.request.from)],
    ["to", Address.checksum(to)],
    ["memo", content.request._tag === "Value" ? content.request.memo : undefined],
    ["chain", String(content.chain)],
    ["fee", `${payerOf(payout)}${feeOf(payout)}`],
    ["limits", limits],
    ["transaction", transactionOf(payout)],
    ["problem", detailsOf(payout).problem],
    ["created", timeOf(createdAt)],
    ["changed", timeOf(updatedAt)]
  ]
  const events = history.map(({ at, event }) => [timeOf(at), event._tag, detailOf(event)])
  return Screen.lines([
    `${Screen.styled(output, "bold", Screen.clean(key))}  ${state._tag}`,
    ...Screen.table(fields.flatMap(([name, text]) => text === undefined ? [] : [[`  ${name}`, Screen.clean(text)]])),
    "",
    ...Screen.table(events.map((cells) => cells.map(Screen.clean))).flatMap((line) => Screen.prose(output, `  ${line}`))
  ])
}

/** The tokens whose units a report needs. */
export const tokensOfReport = ({ differences, totals }: DayReport): ReadonlyArray<Address.Address> =>
  [...totals, ...differences.filter((one) => one._tag === "Differs")].flatMap(({ token }) => token ?? [])

const sumOf = (fees: ReadonlyArray<{ readonly fee: bigint }>): bigint => fees.reduce((sum, { fee }) => sum + fee, 0n)

/** A value of a field that differs: amounts in their unit, and everything else as it is. */
const valueOf = ({ field, token }: Extract<Difference, { readonly _tag: "Differs" }>, text: string, units: Units) => {
  if (field !== "amount" || !/^\d+$/.test(text)) return text
  const { amount, unit } = amountIn(token, BigInt(text), units)
  return `${amount} ${unit}`
}

/** What transactions do that move nothing, by their type. */
const deeds: ReadonlyMap<number | undefined, string> = new Map([
  [0x20, "changes the key of its account"],
  [0x21, "changes the key of its account"],
  [0x22, "changes the key of its account"],
  [0x7804, "changes which contract's code accounts run"]
])

const moved = ({ input, to, typeInt, value }: Extract<Difference, { readonly _tag: "Unexplained" }>): string => {
  const deed = deeds.get(typeInt)
  if (deed !== undefined) return deed
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

/** The report of a day as a page. */
export const reportPage = (output: Screen.Output, report: DayReport, units: Units): string => {
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

const reportColumns = [
  "record",
  "day",
  "zone",
  "token",
  "unit",
  "state",
  "count",
  "amount",
  "fee",
  "account",
  "text"
] as const

/** A line of the report's CSV: some of its columns. */
type ReportLine = Partial<Record<(typeof reportColumns)[number], unknown>>

/** The report as CSV: a line for each total, each account that paid fees, and each difference. Fees are in KLAY. */
export const reportCsv = (report: DayReport, units: Units): string => {
  const { day, differences, fees, movedNothing, timeZone: zone, totals } = report
  const lines: ReadonlyArray<ReportLine> = [
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
  const rows = lines.map((line) => reportColumns.map((name) => ({ ...line, day, zone })[name]))
  return CsvCell.lines(rows, { header: reportColumns, lineEnd: "\n" })
}
