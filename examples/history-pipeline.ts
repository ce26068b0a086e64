/** Stream an account's history over all pages, filter and fold it, and handle each failure by its tag. */
import * as Amount from "@effect-klaytn/core/Amount"
import type { StreamError } from "@effect-klaytn/core/ServiceError"
import * as BalanceChange from "@effect-klaytn/history/BalanceChange"
import * as TransactionGrouping from "@effect-klaytn/history/TransactionGrouping"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import assert from "node:assert/strict"
import { account, Service, token, unknownPreset } from "./support/Service.js"

/** How much of a token came in, in its smallest unit. */
const received = (address: string) =>
  Effect.gen(function*() {
    const history = yield* TransferHistory.TransferHistory
    return yield* history.getTransfersByEoa.items({ address, only: "to", kinds: ["ft"], size: 2 }).pipe(
      Stream.mapConcat((transfer) => BalanceChange.of(transfer, address)),
      // A page may hold records that were not asked for, so count only those that match.
      Stream.filter((moved) => moved.asset === "ft" && moved.contract === token && moved.amount > 0n),
      Stream.runFold(0n, (sum, moved) => sum + moved.amount)
    )
  })

/** What the account paid in fees: once for each transaction, however many transfers it made. */
const fees = (address: string) =>
  Effect.gen(function*() {
    const history = yield* TransferHistory.TransferHistory
    return yield* history.getTransfersByEoa.items({ address }).pipe(
      TransactionGrouping.fromTransfers,
      Stream.filter((transaction) => transaction.from === address && transaction.feePayer === undefined),
      Stream.runFold(0n, (sum, transaction) => sum + (transaction.fee ?? 0n))
    )
  })

/** The first transfer that a preset finds. */
const newest = (preset: number) =>
  Effect.gen(function*() {
    const history = yield* TransferHistory.TransferHistory
    return yield* Stream.runHead(history.getTransfers.items({ presets: [preset], size: 1 }))
  })

/** The result as a sentence. Every possible failure is handled; leaving one out is a type error. */
const tell = <R>(answer: Effect.Effect<string, StreamError, R>): Effect.Effect<string, never, R> =>
  answer.pipe(Effect.catchTags({
    InvalidInput: (error) => Effect.succeed(`fix ${error.path.join(".")}: ${error.problem}`),
    NotFound: (error) => Effect.succeed(`nothing there (code ${error.code})`),
    Rejected: (error) => Effect.succeed(`refused: ${error.serviceMessage}`),
    Unauthorized: (error) => Effect.succeed(`check the credential ${error.fingerprint}`),
    RateLimited: (error) => Effect.succeed(`come back in ${error.retryAfterMillis} ms`),
    Unavailable: () => Effect.succeed("come back later"),
    TransportFailed: (error) => Effect.succeed(`check the network: ${error.reason}`),
    TimedOut: (error) => Effect.succeed(`took longer than ${error.limitMillis} ms`),
    MalformedResponse: (error) => Effect.succeed(`report ${error.path.join(".")}: expected ${error.expected}`),
    RedirectRefused: (error) => Effect.succeed(`the service moved to ${error.location}`),
    PagingStalled: (error) => Effect.succeed(`the list goes round after ${error.pages} pages`)
  }))

const program = Effect.gen(function*() {
  const lines = {
    received: yield* tell(Effect.map(received(account), (sum) => `${sum} of the token's smallest unit`)),
    fees: yield* tell(Effect.map(fees(account), Amount.format)),
    preset: yield* tell(Effect.map(newest(unknownPreset), (found) => found._tag)),
    typo: yield* tell(Effect.map(received(account.slice(0, -1)), String))
  }
  for (const [what, line] of Object.entries(lines)) console.log(`${what.padEnd(10)}${line}`)
  assert.deepEqual(lines, {
    received: "1050 of the token's smallest unit",
    fees: "0.001523115 KLAY",
    preset: "nothing there (code 1040400)",
    typo: "fix address: expected an address as 0x and 40 hexadecimal digits"
  })
})

await Effect.runPromise(Effect.provide(program, Service))
