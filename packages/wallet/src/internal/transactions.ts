/** From the inputs of the transactions to plans, sends and reads. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Input from "@effect-klaytn/core/Input"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as FeeDelegation from "../FeeDelegation.js"
import { TransactionRequest } from "../TransactionRequest.js"
import type * as Transactions from "../Transactions.js"
import * as Api from "../TransactionsApi.js"
import type { MakeOptions } from "../Wallet.js"
import * as fields from "./fields.js"
import * as sending from "./sending.js"

const name = "wallet.send"

const readSend = Input.decode(
  name,
  Schema.Struct({
    request: TransactionRequest,
    payer: FeeDelegation.FeePayer,
    nonce: Schema.optional(fields.Nonce),
    gasLimit: Schema.optional(fields.Gas),
    feeRatio: Schema.optional(fields.FeeRatio),
    submit: Schema.optional(Schema.Boolean)
  })
)

const contractCall = {
  to: Address.FromInput,
  method: Schema.NonEmptyString,
  arguments: Schema.Array(Schema.Struct({ type: Schema.NonEmptyString, value: Schema.Unknown })),
  from: Schema.optional(Address.FromInput),
  value: Schema.optional(Amount.Peb),
  gas: Schema.optional(fields.Gas)
}

export const make = (options: MakeOptions) =>
  Effect.gen(function*() {
    const context = yield* sending.makeContext(options)
    const { client } = context
    const sends = sending.make(context, name, (input: Transactions.SendInput) =>
      Effect.gen(function*() {
        const { feeRatio, gasLimit, nonce, payer, request, submit = true } = yield* readSend(input)
        const pool = yield* payer._tag === "UserFeePayer" ? client.bothPools(name) : client.accountPool(name)
        return { request, payer, feePayerStyle: "paths" as const, pool, nonce, gasLimit, feeRatio, submit }
      }))
    return {
      ...sends,
      getTransaction: client.operation(Api.getTransaction, fields.transactionHash, ({ transactionHash }) => ({
        path: { hash: transactionHash }
      })),
      callContract: client.operation(
        Api.callContract,
        contractCall,
        ({ arguments: values, method, ...payload }, headers) => ({
          headers,
          payload: { ...payload, data: { methodName: method, arguments: values } }
        })
      )
    }
  })
