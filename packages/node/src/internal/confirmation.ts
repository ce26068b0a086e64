/** Asking for a receipt until there is one or time runs out. */
import * as Hash from "@effect-klaytn/core/Hash"
import * as Input from "@effect-klaytn/core/Input"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Confirmation from "../Confirmation.js"
import { KlaytnNode } from "../KlaytnNode.js"
import { NotConfirmed } from "../NotConfirmed.js"

const decode = Input.decode("node.waitForReceipt", Schema.Struct({ transactionHash: Hash.FromWire }))

export const waitForReceipt = (given: string, options: Confirmation.Options = {}) =>
  Effect.gen(function*() {
    const node = yield* KlaytnNode
    const { transactionHash } = yield* decode({ transactionHash: given })
    const within = Duration.toMillis(options.within ?? "1 minute")
    const every = Duration.toMillis(options.every ?? "1 second")
    const start = yield* Clock.currentTimeMillis

    const expired = Effect.gen(function*() {
      const [known, block, end] = yield* Effect.all([
        Effect.match(node.klay.getTransactionByHash(transactionHash), {
          onFailure: () => "unclear" as const,
          onSuccess: (found) => Option.isSome(found) ? "pending" as const : "unknown" as const
        }),
        Effect.option(node.klay.blockNumber()),
        Clock.currentTimeMillis
      ], { concurrency: "unbounded" })
      return yield* new NotConfirmed({
        transactionHash,
        waitedMillis: end - start,
        known,
        block: Option.getOrUndefined(block)
      })
    })

    while (true) {
      const receipt = yield* node.klay.getTransactionReceipt(transactionHash)
      if (Option.isSome(receipt)) return receipt.value
      const now = yield* Clock.currentTimeMillis
      const left = start + within - now
      if (left <= 0) return yield* expired
      yield* Effect.sleep(Math.min(every, left))
    }
  })
