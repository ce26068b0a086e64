/** From the inputs of the wallet to the requests of the contract. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Input from "@effect-klaytn/core/Input"
import type * as Operation from "@effect-klaytn/core/Operation"
import { MalformedResponse } from "@effect-klaytn/core/ServiceError"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Account from "../Account.js"
import * as FeeDelegation from "../FeeDelegation.js"
import type * as Wallet from "../Wallet.js"
import * as Api from "../WalletApi.js"
import { harmless, poolHeader } from "./client.js"
import * as fields from "./fields.js"
import * as registration from "./registration.js"
import * as sending from "./sending.js"

const SendValueInput = Schema.Struct({
  from: Address.FromInput,
  to: Address.FromInput,
  value: Amount.Peb,
  memo: Schema.optional(Schema.String.pipe(Schema.minLength(1, {
    message: () => "leave memo out for a transaction without one"
  }))),
  payer: FeeDelegation.FeePayer,
  nonce: Schema.optional(fields.Nonce),
  gasLimit: Schema.optional(fields.Gas),
  feeRatio: Schema.optional(fields.FeeRatio),
  submit: Schema.optional(Schema.Boolean)
})

const readSendValue = Input.decode(Api.sendValue.name, SendValueInput)
const readKeyCount = Input.decode(Api.createKeys.name, fields.KeyCount)
const readChunkSize = Input.decode(
  Api.registerAccounts.name,
  Schema.Struct({
    chunkSize: Schema.optional(fields.whole("the size of a chunk is a whole number, 1 or more", 1))
  })
)

const status = {
  status: Schema.optional(
    Input.oneOf(Account.Status, "a status is one of enabled, disabled, all and corrupted")
  )
}

const noKeys = (asked: number): MalformedResponse =>
  new MalformedResponse({
    operation: Api.createKeys.name,
    retrySafe: true,
    attempts: [],
    status: 200,
    path: ["items"],
    expected: `${asked} keys`,
    actual: "none"
  })

/** Calls until all keys are created; an answer without a key ends the loop, so that it always terminates. */
const createKeys = <E>(
  count: number,
  call: (size: number) => Effect.Effect<ReadonlyArray<Account.Key>, E>
): Stream.Stream<Account.Key, E | MalformedResponse> =>
  Stream.paginateChunkEffect(count, (left) =>
    Effect.gen(function*() {
      if (left === 0) return [Chunk.empty<Account.Key>(), Option.none<number>()] as const
      const size = Math.min(left, Account.mostKeysInOneCall)
      const keys = yield* call(size)
      if (keys.length === 0) return yield* noKeys(size)
      const rest = left - keys.length
      return [Chunk.fromIterable(keys), rest > 0 ? Option.some(rest) : Option.none<number>()] as const
    }))

export const make = (options: Wallet.MakeOptions) =>
  Effect.gen(function*() {
    const context = yield* sending.makeContext(options)
    const { client } = context
    const { list } = client
    const { chain } = client.settings

    /** The header of an operation for which the document lists none: only the current pool is named. */
    const unlistedHeader = ({ name }: Operation.Described) => Effect.map(client.accountPool(name, false), poolHeader)

    const { execute, plan, prepare, send } = sending.make(context, Api.sendValue.name, (input: Wallet.SendValueInput) =>
      Effect.gen(function*() {
        const { feeRatio, from, gasLimit, memo, nonce, payer, submit = true, to, value } = yield* readSendValue(input)
        const feePayerStyle = yield* FeeDelegation.CurrentStyle
        const pool = yield* feePayerStyle === "paths" && payer._tag === "UserFeePayer"
          ? client.bothPools(Api.sendValue.name)
          : client.accountPool(Api.sendValue.name)
        return {
          request: { _tag: "Value", from, to, value, ...(memo === undefined ? {} : { memo }) } as const,
          payer,
          nonce,
          gasLimit,
          feeRatio,
          feePayerStyle,
          pool,
          submit
        }
      }))

    const registerAccounts: Wallet.Service["registerAccounts"] = (accounts, options = {}) =>
      Stream.unwrap(Effect.gen(function*() {
        const { chunkSize = 100 } = yield* readChunkSize(options)
        const registrations = yield* registration.read(accounts, chain)
        const headers = yield* unlistedHeader(Api.registerAccounts)
        return registration.register(registrations, chunkSize, (payload, change) =>
          client.call(Api.registerAccounts, { headers, payload }).pipe(
            client.guard(Api.registerAccounts.name, change)
          ))
      }))

    return {
      getAccounts: list(Api.getAccounts, { ...fields.list, ...status }, ({ status, ...input }, call) =>
        Effect.flatMap(unlistedHeader(Api.getAccounts), (headers) =>
          fields.orEmpty(call({ urlParams: { ...fields.listParameters(input), status }, headers })))),
      createAccount: client.operation(Api.createAccount, {}, (_, headers) => ({ headers }), harmless)({}),
      getFeePayers: list(Api.getFeePayers, fields.list, (input, call) =>
        Effect.flatMap(unlistedHeader(Api.getFeePayers), (headers) =>
          fields.orEmpty(call({ urlParams: fields.listParameters(input), headers })))),
      plan,
      prepare,
      execute,
      sendValue: send,
      createKeys: (count: number) =>
        Stream.unwrap(Effect.gen(function*() {
          const wanted = yield* readKeyCount(count)
          const headers = yield* unlistedHeader(Api.createKeys)
          return createKeys(wanted, (size) =>
            client.call(Api.createKeys, { headers, payload: { size } }).pipe(
              Effect.map(({ items }) =>
                items
              ),
              client.guard(Api.createKeys.name, harmless())
            ))
        })),
      registerAccounts
    }
  })
