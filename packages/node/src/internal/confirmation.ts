/** Polls for a receipt until there is one or time runs out. */
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Input from "@effect-klaytn/core/Input"
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
    const clock = yield* Effect.clock
    const start = Deadline.now(clock)

    const expired = Effect.gen(function*() {
      const [known, block] = yield* Effect.all([
        Effect.match(node.klay.getTransactionByHash(transactionHash), {
          onFailure: () => "unclear" as const,
          onSuccess: (found) => Option.isSome(found) ? "pending" as const : "unknown" as const
        }),
        Effect.option(node.klay.blockNumber())
      ], { concurrency: "unbounded" })
      return yield* new NotConfirmed({
        transactionHash,
        waitedMillis: Deadline.now(clock) - start,
        known,
        ...(Option.isSome(block) ? { block: block.value } : {})
      })
    })

    while (true) {
      const receipt = yield* node.klay.getTransactionReceipt(transactionHash)
      if (Option.isSome(receipt)) return receipt.value
      const left = start + within - Deadline.now(clock)
      if (left <= 0) return yield* expired
      yield* Effect.sleep(Math.min(every, left))
    }
  })
