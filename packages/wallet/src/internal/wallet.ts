/** From the inputs of the wallet to the requests of the contract. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Input from "@effect-klaytn/core/Input"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Account from "../Account.js"
import * as FeeDelegation from "../FeeDelegation.js"
import { NotSent } from "../SendOutcome.js"
import type { SendPlan } from "../SendPlan.js"
import type * as Wallet from "../Wallet.js"
import * as WalletApi from "../WalletApi.js"
import * as keys from "./keys.js"
import { FeeRatio, Gas, HowMany, Nonce } from "./limits.js"
import * as lists from "./lists.js"
import * as parts from "./parts.js"
import * as pools from "./pools.js"
import * as registration from "./registration.js"
import * as sending from "./sending.js"

const status = {
  status: Schema.optional(
    Input.oneOf(Account.Status, "a status is one of enabled, disabled, all and corrupted")
  )
}

const SendValueInput = Schema.Struct({
  from: Address.FromInput,
  to: Address.FromInput,
  value: Amount.Peb,
  memo: Schema.optional(Schema.String.pipe(Schema.minLength(1, {
    message: () => "leave memo out for a transaction without one"
  }))),
  payer: FeeDelegation.FeePayer,
  nonce: Schema.optional(Nonce),
  gasLimit: Schema.optional(Gas),
  feeRatio: Schema.optional(FeeRatio),
  submit: Schema.optional(Schema.Boolean)
})

const ChunkSize = Schema.Struct({
  chunkSize: Schema.optional(Schema.Number.pipe(Schema.filter(
    (size) => Number.isSafeInteger(size) && size >= 1,
    { message: () => "the size of a chunk is a whole number, 1 or more" }
  )))
})

export const make = (options: Wallet.MakeOptions) =>
  Effect.gen(function*() {
    const sender = yield* parts.make(options)
    const { client } = sender
    const { settings } = client
    const { list } = client
    /** The header of an operation: the pool in force, or of the configuration if the document lists the header. */
    const header = ({ name }: { readonly name: string }, listed: boolean) =>
      Effect.map(pools.account(settings, name, listed), pools.header)
    const read = {
      sendValue: Input.decode(WalletApi.sendValue.name, SendValueInput),
      count: Input.decode(WalletApi.createKeys.name, HowMany),
      accountsToRegister: Input.decode(WalletApi.registerAccounts.name, registration.input(settings.chain)),
      chunkSize: Input.decode(WalletApi.registerAccounts.name, ChunkSize)
    }

    const plan = (given: Wallet.SendValueInput) =>
      Effect.gen(function*() {
        const operation = WalletApi.sendValue.name
        const { feeRatio, from, gasLimit, memo, nonce, payer, submit, to, value } = yield* read.sendValue(given)
        const way = yield* FeeDelegation.CurrentWay
        const pool = yield* way === "paths" && payer._tag === "UserFeePayer"
          ? pools.withFeePayer(settings, operation)
          : pools.account(settings, operation, true)
        return yield* sending.plan(sender, operation, {
          request: { _tag: "Value", from, to, value, ...(memo === undefined ? {} : { memo }) },
          payer,
          way,
          pool,
          nonce,
          gasLimit,
          feeRatio,
          submit: submit ?? true
        })
      })

    const execute = (plan: SendPlan, approved?: string) =>
      sending.execute(sender, WalletApi.sendValue.name, plan, approved)

    const createKeys = (count: number) =>
      Stream.unwrap(Effect.gen(function*() {
        const wanted = yield* read.count(count)
        const operation = WalletApi.createKeys.name
        const headers = pools.header(yield* pools.account(settings, operation, false))
        return keys.create(operation, wanted, (size) =>
          client.call(WalletApi.createKeys, { headers, payload: { size } }).pipe(
            Effect.map((answer) => answer.items),
            parts.guarded(sender, WalletApi.createKeys, { opaque: false })
          ))
      }))

    const registerAccounts: Wallet.Service["registerAccounts"] = (given, options = {}) =>
      Stream.unwrap(Effect.gen(function*() {
        const { chunkSize = 100 } = yield* read.chunkSize(options)
        const wanted = yield* read.accountsToRegister(given)
        const operation = WalletApi.registerAccounts.name
        const headers = pools.header(yield* pools.account(settings, operation, false))
        return registration.register(
          wanted,
          chunkSize,
          (payload) =>
            client.call(WalletApi.registerAccounts, { headers, payload }).pipe(
              parts.guarded(sender, WalletApi.registerAccounts, registration.changeOf(payload, settings.chain))
            )
        )
      }))

    return {
      getAccounts: list(WalletApi.getAccounts, { ...lists.fields, ...status }, ({ status, ...input }, call) =>
        Effect.flatMap(header(WalletApi.getAccounts, false), (headers) =>
          lists.orEmpty(call({ urlParams: { ...lists.parameters(input), status }, headers })))),
      createAccount: Effect.gen(function*() {
        const pool = yield* pools.account(settings, WalletApi.createAccount.name, true)
        return yield* client.call(WalletApi.createAccount, { headers: pools.header(pool) }).pipe(
          parts.guarded(sender, WalletApi.createAccount, { opaque: false })
        )
      }),
      getFeePayers: list(WalletApi.getFeePayers, lists.fields, (input, call) =>
        Effect.flatMap(header(WalletApi.getFeePayers, false), (headers) =>
          lists.orEmpty(call({ urlParams: lists.parameters(input), headers })))),
      plan,
      execute,
      sendValue: (input: Wallet.SendValueInput) =>
        plan(input).pipe(
          Effect.mapError((reason) =>
            new NotSent({ reason })
          ),
          Effect.flatMap((plan) =>
            execute(plan)
          )
        ),
      createKeys,
      registerAccounts
    }
  })
