/**
 * The contract of the transactions that the service offers in addition to the API document's value transfer, of
 * receipts, and of contract reads.
 *
 * **Not in the API document**: everything here was seen in public clients of the service, which may answer differently,
 * or not at all.
 *
 * **Details**
 *
 * There are three families with the same bodies: {@link basic}, paid by the sender; {@link fd}, paid by the service's
 * global fee payer; and {@link fdUser}, paid by a fee payer of the customer. If `nonce` is 0 or absent, the service
 * uses the account's next. If `gas` is 0 or absent, it uses a default: 1000000 in the examples, 9000000 for a
 * deployment. `feeRatio` is the percentage that the fee payer pays, 1 to 99; if absent, all of it. The basic value
 * transfer is `WalletApi.sendValue`.
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as ErrorBody from "@effect-klaytn/core/ErrorBody"
import * as Hash from "@effect-klaytn/core/Hash"
import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import * as Operation from "@effect-klaytn/core/Operation"
import * as Schema from "effect/Schema"
import { AccountKeyBody } from "./AccountKeyBody.js"
import { Count } from "./internal/fields.js"
import { Receipt, TransactionResult } from "./TransactionResult.js"
import { PoolHeader } from "./WalletApi.js"

const { get, post, put, del } = Operation.of("wallet", [ErrorBody.BadRequest])

const common = {
  from: Address.FromWire,
  nonce: Schema.optional(Count),
  gas: Schema.optional(Count),
  submit: Schema.optional(Schema.Boolean)
}

const feeRatio = { feeRatio: Schema.optional(Count) }

const feePayer = { ...feeRatio, feePayer: Address.FromWire }

const value = Schema.optional(Amount.FromQuantity)

const bodies = {
  value: { ...common, to: Address.FromWire, value: Amount.FromQuantity, memo: Schema.optional(Schema.String) },
  legacy: {
    ...common,
    to: Schema.optional(Address.FromWire),
    value,
    input: Schema.optional(HexEncoding.HexDataFromWire)
  },
  deploy: { ...common, value, input: HexEncoding.HexDataFromWire },
  execute: { ...common, to: Address.FromWire, value, input: HexEncoding.HexDataFromWire },
  cancel: { ...common, transactionHash: Schema.optional(Hash.FromWire) },
  anchor: { ...common, input: HexEncoding.HexDataFromWire },
  accountUpdate: { ...common, accountKey: AccountKeyBody },
  rlp: {
    rlp: HexEncoding.HexDataFromWire,
    from: Schema.optional(Address.FromWire),
    submit: Schema.optional(Schema.Boolean)
  }
} as const

const transaction = <Fields extends Schema.Struct.Fields>(fields: Fields) => ({
  headers: PoolHeader,
  payload: Schema.Struct(fields),
  success: TransactionResult
})

/**
 * The sender pays.
 *
 * @category endpoints
 */
export const basic = {
  legacy: post("sendLegacy", "/v2/tx/legacy", transaction(bodies.legacy)),
  deploy: post("deploy", "/v2/tx/contract/deploy", transaction(bodies.deploy)),
  execute: post("execute", "/v2/tx/contract/execute", transaction(bodies.execute)),
  cancel: del("cancel", "/v2/tx", transaction(bodies.cancel)),
  anchor: post("anchor", "/v2/tx/anchor", transaction(bodies.anchor)),
  accountUpdate: put("updateAccount", "/v2/tx/account", transaction(bodies.accountUpdate)),
  rlp: post("sendRlp", "/v2/tx/rlp", transaction(bodies.rlp))
} as const

/**
 * The service's global fee payer pays, or shares the fee.
 *
 * @category endpoints
 */
export const fd = {
  value: post("fdSendValue", "/v2/tx/fd/value", transaction({ ...bodies.value, ...feeRatio })),
  deploy: post("fdDeploy", "/v2/tx/fd/contract/deploy", transaction({ ...bodies.deploy, ...feeRatio })),
  execute: post("fdExecute", "/v2/tx/fd/contract/execute", transaction({ ...bodies.execute, ...feeRatio })),
  cancel: del("fdCancel", "/v2/tx/fd", transaction({ ...bodies.cancel, ...feeRatio })),
  anchor: post("fdAnchor", "/v2/tx/fd/anchor", transaction({ ...bodies.anchor, ...feeRatio })),
  accountUpdate: put("fdUpdateAccount", "/v2/tx/fd/account", transaction({ ...bodies.accountUpdate, ...feeRatio })),
  rlp: post("fdSendRlp", "/v2/tx/fd/rlp", transaction({ ...bodies.rlp, ...feeRatio }))
} as const

/**
 * A fee payer of the customer pays, or shares the fee. The header `x-krn` names both pools, or neither.
 *
 * @category endpoints
 */
export const fdUser = {
  value: post("fdUserSendValue", "/v2/tx/fd-user/value", transaction({ ...bodies.value, ...feePayer })),
  deploy: post("fdUserDeploy", "/v2/tx/fd-user/contract/deploy", transaction({ ...bodies.deploy, ...feePayer })),
  execute: post("fdUserExecute", "/v2/tx/fd-user/contract/execute", transaction({ ...bodies.execute, ...feePayer })),
  cancel: del("fdUserCancel", "/v2/tx/fd-user", transaction({ ...bodies.cancel, ...feePayer })),
  anchor: post("fdUserAnchor", "/v2/tx/fd-user/anchor", transaction({ ...bodies.anchor, ...feePayer })),
  accountUpdate: put(
    "fdUserUpdateAccount",
    "/v2/tx/fd-user/account",
    transaction({ ...bodies.accountUpdate, ...feePayer })
  ),
  rlp: post("fdUserSendRlp", "/v2/tx/fd-user/rlp", transaction({ ...bodies.rlp, ...feePayer }))
} as const

/**
 * Gets the receipt of a transaction.
 *
 * @category endpoints
 */
export const getTransaction = get("getTransaction", "/v2/tx/:hash", {
  path: { hash: Hash.FromWire },
  success: Receipt
})

/**
 * Calls a contract without changing anything.
 *
 * @category endpoints
 */
export const callContract = post("callContract", "/v2/tx/contract/call", {
  headers: PoolHeader,
  payload: Schema.Struct({
    from: Schema.optional(Address.FromWire),
    to: Address.FromWire,
    value: Schema.optional(Amount.FromQuantity),
    gas: Schema.optional(Count),
    data: Schema.Struct({
      methodName: Schema.String,
      arguments: Schema.Array(Schema.Struct({ type: Schema.String, value: Schema.Unknown }))
    })
  }),
  success: Schema.Struct({ data: HexEncoding.HexDataFromWire, result: HexEncoding.HexDataFromWire }),
  safety: "safe"
})
