/** From the inputs of the transactions to plans and sends. */
import * as Input from "@effect-klaytn/core/Input"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as FeeDelegation from "../FeeDelegation.js"
import { NotSent } from "../SendOutcome.js"
import type { SendPlan } from "../SendPlan.js"
import { TransactionRequest } from "../TransactionRequest.js"
import type * as Transactions from "../Transactions.js"
import type { MakeOptions } from "../Wallet.js"
import { FeeRatio, Gas, Nonce } from "./limits.js"
import * as parts from "./parts.js"
import * as pools from "./pools.js"
import * as sending from "./sending.js"

const operation = "wallet.send"

const SendInput = Schema.Struct({
  request: TransactionRequest,
  payer: FeeDelegation.FeePayer,
  nonce: Schema.optional(Nonce),
  gasLimit: Schema.optional(Gas),
  feeRatio: Schema.optional(FeeRatio),
  submit: Schema.optional(Schema.Boolean)
})

const read = Input.decode(operation, SendInput)

export const make = (options: MakeOptions) =>
  Effect.gen(function*() {
    const sender = yield* parts.make(options)
    const { settings } = sender.client

    const plan = (given: Transactions.SendInput) =>
      Effect.gen(function*() {
        const { feeRatio, gasLimit, nonce, payer, request, submit } = yield* read(given)
        const pool = yield* payer._tag === "UserFeePayer"
          ? pools.withFeePayer(settings, operation)
          : pools.account(settings, operation, true)
        return yield* sending.plan(sender, operation, {
          request,
          payer,
          way: "paths",
          pool,
          nonce,
          gasLimit,
          feeRatio,
          submit: submit ?? true
        })
      })

    const execute = (plan: SendPlan, approved?: string) => sending.execute(sender, operation, plan, approved)

    return {
      plan,
      execute,
      send: (input: Transactions.SendInput) =>
        plan(input).pipe(
          Effect.mapError((reason) => new NotSent({ reason })),
          Effect.flatMap((plan) => execute(plan))
        )
    }
  })
