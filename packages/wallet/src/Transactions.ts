/**
 * Sends every kind of transaction that the service supports, paid by the sender, by the service, or by a fee payer of
 * your own. Also gets receipts, and reads from contracts.
 *
 * **Not in the API document**: the API document names only the value transfer, which `Wallet` sends. All paths and
 * bodies here were seen in public clients of the service, which may answer differently, or not at all.
 *
 * **Details**
 *
 * The table shows a service of the style `paths`, see `FeePayerStyle` of core. A service of the style `document`
 * differs only for value transfers, see `FeeDelegation`.
 *
 * | Kind | The sender pays | The service pays | A user fee payer pays |
 * |---|---|---|---|
 * | `Value` | `POST /v2/tx/value` | `POST /v2/tx/fd/value` | `POST /v2/tx/fd-user/value` |
 * | `Legacy` | `POST /v2/tx/legacy` | | |
 * | `Deploy` | `POST /v2/tx/contract/deploy` | `.../fd/contract/deploy` | `.../fd-user/contract/deploy` |
 * | `Execute` | `POST /v2/tx/contract/execute` | `.../fd/contract/execute` | `.../fd-user/contract/execute` |
 * | `Anchor` | `POST /v2/tx/anchor` | `.../fd/anchor` | `.../fd-user/anchor` |
 * | `Cancel` | `DELETE /v2/tx` | `DELETE /v2/tx/fd` | `DELETE /v2/tx/fd-user` |
 * | `AccountUpdate` | `PUT /v2/tx/account` | `PUT /v2/tx/fd/account` | `PUT /v2/tx/fd-user/account` |
 * | `Rlp` | `POST /v2/tx/rlp` | `POST /v2/tx/fd/rlp` | `POST /v2/tx/fd-user/rlp` |
 *
 * `getTransaction` is `GET /v2/tx/{transaction-hash}` and `callContract` is `POST /v2/tx/contract/call`; both change nothing
 * and may be repeated.
 *
 * Sends have the outcomes of `SendOutcome`, and are subject to the same policy. A signed raw
 * transaction is safe to repeat, whatever its nonce: sign with `submit: false`, keep the `rlp`, and submit it as `Rlp`.
 *
 * **Example** (call a contract; the service pays part of the fee)
 *
 * ```ts
 * import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
 * import * as Transactions from "@effect-klaytn/wallet/Transactions"
 * import * as Effect from "effect/Effect"
 *
 * export const program = Effect.gen(function*() {
 *   const transactions = yield* Transactions.Transactions
 *   return yield* transactions.send({
 *     request: {
 *       _tag: "Execute",
 *       from: "0x1111111111111111111111111111111111111111",
 *       to: "0x2222222222222222222222222222222222222222",
 *       input: "0xd0e30db0"
 *     },
 *     payer: FeeDelegation.service,
 *     feeRatio: 30,
 *     nonce: 7
 *   })
 * })
 * ```
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import type { HexData } from "@effect-klaytn/core/HexEncoding"
import * as Input from "@effect-klaytn/core/Input"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { InvalidInput, ReadError, ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fields from "./internal/contract/fields.js"
import * as sending from "./internal/sends/sending.js"
import type { LookupFailed, NotSent, PlanChanged, Sending, SendUnknown, Submission } from "./SendOutcome.js"
import type { SendPlan } from "./SendPlan.js"
import type { SendRecord } from "./SendRecord.js"
import { TransactionRequest } from "./TransactionRequest.js"
import type { Receipt } from "./TransactionResult.js"
import * as Api from "./TransactionsApi.js"

const transaction = {
  /** What the transaction does. */
  request: TransactionRequest,
  ...fields.send
}

/**
 * Input of `send` and `plan`.
 *
 * @category models
 */
export interface SendInput extends Input.Of<typeof transaction> {}

const contractCall = {
  /** The contract. */
  to: Address.FromInput,
  /** The name of the method. */
  method: Schema.NonEmptyString,
  /**
   * `type` is an ABI type such as `uint256` or `address[]`; `value` is what the service accepts for it: a number, string,
   * boolean or array. Write large numbers as strings.
   */
  arguments: Schema.Array(Schema.Struct({ type: Schema.NonEmptyString, value: Schema.Unknown })),
  /** The caller that is simulated. */
  from: Schema.optional(Address.FromInput),
  /** The simulated amount, in peb. */
  value: Schema.optional(Amount.Peb),
  /** The gas limit. */
  gas: Schema.optional(fields.Gas)
}

/**
 * Input of `callContract`.
 *
 * @category models
 */
export interface ContractCallInput extends Input.Of<typeof contractCall> {}

/**
 * Input of `getTransaction`.
 *
 * @category models
 */
export interface TransactionInput extends Input.Of<typeof fields.transactionHash> {}

/**
 * The operations.
 *
 * @category models
 */
export interface Service {
  /** Sends a transaction: `plan` and `execute` in one. */
  readonly send: Sending<SendInput>
  /** Prepares a transaction for review. Sends nothing. */
  readonly plan: (input: SendInput) => Effect.Effect<SendPlan, InvalidInput>
  /** Makes the record of a plan, see `Wallet`. */
  readonly prepare: (plan: SendPlan) => Effect.Effect<SendRecord, PlanChanged | LookupFailed>
  /**
   * Carries out an unchanged plan, see `Wallet`. `name` is sent as `Idempotency-Key`: a gateway of your own pays once for it, whatever the
   * nonce, and answers with the transaction that has paid; the outcome is `Sent` with its nonce. It makes no call repeatable, since the
   * service may not know it.
   */
  readonly execute: (
    plan: SendPlan | SendRecord,
    approved?: string,
    name?: string
  ) => Effect.Effect<Submission, NotSent | SendUnknown>
  /** The receipt of a transaction; an unknown one fails with `Rejected` and code 1065000. */
  readonly getTransaction: (input: TransactionInput) => Effect.Effect<Receipt, ReadError>
  /** Calls a method of a contract without changing anything. Returns the encoded call and its result. */
  readonly callContract: (
    input: ContractCallInput
  ) => Effect.Effect<{ readonly data: HexData; readonly result: HexData }, ServiceError>
}

/**
 * The transactions as a service.
 *
 * @category services
 */
export class Transactions extends Context.Tag("@effect-klaytn/wallet/Transactions")<Transactions, Service>() {}

/**
 * Options of {@link make} and {@link layer}: a policy and look-ups, as for `Wallet`.
 *
 * @category models
 */
export interface Options extends sending.Options {}

const name = "wallet.send"

const readSend = Input.decode(name, Schema.Struct(transaction))

/**
 * Makes a client. Fails with `InvalidInput` if the configuration has no base address for `wallet`, or the policy is
 * invalid.
 *
 * @category constructors
 */
export const make = (options: Options = {}): ServiceClient.Make<Service> =>
  Effect.gen(function*() {
    const context = yield* sending.makeContext(options)
    const { client } = context
    return {
      ...sending.make(context, name, readSend),
      getTransaction: client.read(Api.getTransaction, fields.transactionHash, { transactionHash: "hash" }),
      callContract: client.read(Api.callContract, contractCall, {
        arguments: (values, { method }) => ({ data: { methodName: method, arguments: values } }),
        method: { with: "arguments" }
      })
    }
  })

/**
 * Provides a client as a layer. Each call creates a layer with its own client.
 *
 * @category layers
 */
export const layer = ServiceClient.layer(Transactions, make)

/**
 * Provides a client as a layer, configured from the environment; see `ClientConfig.layerConfig` for the variables. Each
 * call creates a layer with its own client.
 *
 * @category layers
 */
export const layerConfig = ServiceClient.layerConfig(Transactions, "wallet", make)
