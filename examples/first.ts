import { Amount } from "@effect-klaytn/core"
import { BalanceChange, TransferHistory } from "@effect-klaytn/history"
import { Demo } from "@effect-klaytn/sandbox"
import { Console, Effect, Stream } from "effect"

const program = Effect.gen(function*() {
  const history = yield* TransferHistory.make()

  const received = yield* history.getTransfersByEoa.items({ address: Demo.bob, only: "to", size: 2 }).pipe(
    Stream.filter((transfer) => transfer._tag === "FtTransfer"),
    Stream.tap((transfer) => Console.log(`+${transfer.formattedValue} ${transfer.contract.symbol}`)),
    Stream.mapConcat((transfer) => BalanceChange.of(transfer, Demo.bob)),
    Stream.runFold(0n, (sum, { amount }) => sum + amount)
  )
  yield* Console.log(`bob received ${Amount.toDecimal(received, 2)} APL`)
}).pipe(Effect.catchTag("RateLimited", () => Console.log("too many requests: try again in a minute")))

await Effect.runPromise(Effect.provide(program, Demo.layer))
