/** Payouts as a table, as a page and as CSV: amounts in KLAY or the token's unit, times in UTC. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import type { Payout, PayoutWithHistory, RecordedChange } from "@effect-klaytn/payouts/Payout"
import * as TokenPayout from "@effect-klaytn/payouts/TokenPayout"
import { stringify } from "csv-stringify/sync"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { jsonLine } from "../terminal/printed.js"
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
export const amountIn = (token: Address.Address | undefined, amount: bigint, units: Units) => {
  if (token === undefined) return { amount: Amount.toKlay(amount), unit: "KLAY" }
  const unit = units.get(token)
  return unit === undefined
    ? { amount: String(amount), unit: `smallest units of ${Address.checksum(token)}` }
    : { amount: Amount.toDecimal(amount, unit.decimals), unit: unit.symbol }
}

const movedBy = ({ content }: Payout, units: Units) => {
  const { amount, to, token } = Option.getOrElse(TokenPayout.fromContent(content), () => {
    const { to, value = 0n } = content.request
    return { amount: value, to, token: undefined }
  })
  return { ...amountIn(token, amount, units), token, to }
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

const csvColumns = [
  "key",
  "state",
  "amount",
  "unit",
  "token",
  "from",
  "to",
  "created",
  "updated",
  "transaction",
  "block",
  "nonce",
  "problem"
]

/** Payouts as CSV. A text that a spreadsheet would take for a formula begins with an apostrophe. */
export const csv = (payouts: ReadonlyArray<Payout>, units: Units, hasHeader: boolean): string =>
  stringify(
    payouts.map((payout) => {
      const { amount, to, token, unit } = movedBy(payout, units)
      const { content, createdAt, key, state, updatedAt } = payout
      const { block, nonce, problem, transactionHash: transaction } = detailsOf(payout)
      return {
        key,
        state: state._tag,
        amount,
        unit,
        token,
        from: content.request.from,
        to,
        created: timeOf(createdAt),
        updated: timeOf(updatedAt),
        transaction,
        block,
        nonce,
        problem
      }
    }),
    { columns: csvColumns, header: hasHeader, escape_formulas: true }
  )

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
export const page = (output: Screen.Output, payout: PayoutWithHistory, units: Units): string => {
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
