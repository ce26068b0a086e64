/** A service that is down for a moment, and one that stays down, seen from both the client and the service. */
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as ServiceError from "@effect-klaytn/core/ServiceError"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as Effect from "effect/Effect"
import { Market } from "./Market.js"
import { Narrator, Unexpected } from "./Narrator.js"
import type { Step } from "./Step.js"

const unavailable = { kind: "answer", status: 503 } as const

export const retry: Step = {
  title: "Retries, with a service that answers 503",
  run: Effect.gen(function*() {
    const { alice } = yield* Market
    const { control } = yield* Sandbox.Sandbox
    const history = yield* TransferHistory.TransferHistory
    const { expect, say } = yield* Narrator
    const call = history.getTransfersByEoa({ address: alice.address, size: 1 })
    const statuses = Effect.map(control.requests(), (requests) => requests.map(({ status }) => status))

    yield* control.clearRequests
    yield* control.addFault({ operation: "history.getTransfersByEoa", times: 2, action: unavailable })
    const page = yield* call
    const seen = yield* statuses
    yield* say(`two 503, then an answer; the service saw ${seen.join(", ")}`)
    yield* expect("one call, three attempts, one page", [seen, page.items.length], [[503, 503, 200], 1])

    yield* control.clearRequests
    yield* control.addFault({ operation: "history.getTransfersByEoa", times: 100, action: unavailable })
    const error = yield* call.pipe(
      RetryPolicy.withRetryPolicy(RetryPolicy.make({ attempts: 3, baseDelay: "20 millis" })),
      Effect.flip,
      Effect.mapError(() => new Unexpected({ message: "a service that answers nothing but 503 gave a page" }))
    )
    yield* control.clearFaults
    for (const line of ServiceError.format(error).split("\n")) yield* say(line)
    yield* expect("with three attempts at most it fails as Unavailable", error._tag, "Unavailable")
    yield* expect("the error tells the attempts that the service saw", error.attempts.map((one) => one.status), [
      503,
      503,
      503
    ])
    yield* expect("and there were no others", yield* statuses, [503, 503, 503])
  })
}
