import { Amount } from "@effect-klaytn/core"
import { BalanceChange, TransferHistory } from "@effect-klaytn/history"
import { Demo } from "@effect-klaytn/sandbox"
import { Console, Effect, Stream } from "effect"

const program = Effect.gen(function*() {
  const { getTransfersByEoa } = yield* TransferHistory.make()
  const incoming = getTransfersByEoa.items({ address: Demo.bob, only: "to", size: 2 })
  const received = yield* incoming.pipe(
    Stream.filter((one) => one._tag === "FtTransfer"),
    Stream.tap((one) => Console.log(`+${one.formattedValue} ${one.contract.symbol}`)),
    Stream.mapConcat((one) => BalanceChange.of(one, Demo.bob)),
    Stream.runFold(0n, (sum, { amount }) => sum + amount)
  )
  yield* Console.log(`bob received ${Amount.toDecimal(received, 2)} APL`)
}).pipe(Effect.catchTag("RateLimited", () => Console.log("try again in a minute")))

await Effect.runPromise(Effect.provide(program, Demo.layer))
