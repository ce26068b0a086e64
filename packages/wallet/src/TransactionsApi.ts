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
import { Count } from "./internal/contract/fields.js"
import { Receipt, TransactionResult } from "./TransactionResult.js"
import { PoolHeader, SendHeader } from "./WalletApi.js"

const { get, post, put, del } = Operation.of("wallet", [ErrorBody.BadRequest])

const common = {
  /** The address of the sender. */
  from: Address.FromWire,
  /** The nonce of the sender. If it is 0 or absent, the service uses the next (seen). */
  nonce: Schema.optional(Count),
  /** How much gas the transaction may use. If it is 0 or absent, the service chooses (seen). */
  gas: Schema.optional(Count),
  /** Whether the transaction is sent; otherwise it is only signed, and returned. */
  submit: Schema.optional(Schema.Boolean)
}

const feeRatio = {
  /** The percentage of the fee that the fee payer pays, 1 to 99; without it, all. */
  feeRatio: Schema.optional(Count)
}

const feePayer = {
  ...feeRatio,
  /** The address of the fee payer. */
  feePayer: Address.FromWire
}

const to = {
  /** The address of the receiver, or of the contract that is called. */
  to: Address.FromWire
}

const value = {
  /** The amount of coin, in peb. */
  value: Schema.optional(Amount.FromQuantity)
}

const input = {
  /** The data of the transaction: call data, code or what is anchored. */
  input: HexEncoding.HexDataFromWire
}

const bodies = {
  value: {
    ...common,
    ...to,
    /** The amount of coin, in peb. */
    value: Amount.FromQuantity,
    /** Text that is written into the transaction: its UTF-8 bytes, even if it looks like hexadecimal (seen). */
    memo: Schema.optional(Schema.String)
  },
  legacy: {
    ...common,
    /** The address of the receiver, or of the contract that is called; absent to create a contract. */
    to: Schema.optional(Address.FromWire),
    ...value,
    /** The call data, or the code of the contract to create. */
    input: Schema.optional(HexEncoding.HexDataFromWire)
  },
  deploy: { ...common, ...value, ...input },
  execute: { ...common, ...to, ...value, ...input },
  cancel: {
    ...common,
    /** The transaction to cancel, instead of its nonce. */
    transactionHash: Schema.optional(Hash.FromWire)
  },
  anchor: { ...common, ...input },
  accountUpdate: {
    ...common,
    /** The key that the account gets. */
    accountKey: AccountKeyBody
  },
  rlp: {
    /** The transaction, encoded, with or without signatures. */
    rlp: HexEncoding.HexDataFromWire,
    /** The address of the sender. */
    from: Schema.optional(Address.FromWire),
    /** Whether the transaction is sent; otherwise it is only signed, and returned. */
    submit: Schema.optional(Schema.Boolean)
  }
} as const

const transaction = <Fields extends Schema.Struct.Fields>(fields: Fields) => ({
  headers: SendHeader,
  payload: Schema.Struct(fields),
  success: TransactionResult
})

/**
 * The sender pays.
 *
 * @category endpoints
 */
export const basic = {
  /** Sends a transaction of the oldest form; without `to` it creates a contract; the sender pays the fee. */
  legacy: post("sendLegacy", "/v2/tx/legacy", transaction(bodies.legacy)),
  /** Creates a contract from the code in `input`; the sender pays the fee. */
  deploy: post("deploy", "/v2/tx/contract/deploy", transaction(bodies.deploy)),
  /** Calls the contract at `to` with the call data in `input`; the sender pays the fee. */
  execute: post("execute", "/v2/tx/contract/execute", transaction(bodies.execute)),
  /** Replaces a waiting transaction, given by its `nonce` or its `transactionHash`; the sender pays the fee. */
  cancel: del("cancel", "/v2/tx", transaction(bodies.cancel)),
  /**
   * Anchors the data in `input`; the sender pays the fee. Ordinary nodes refuse it, see the kind `Anchor` of
   * `TransactionRequest`.
   */
  anchor: post("anchor", "/v2/tx/anchor", transaction(bodies.anchor)),
  /** Gives the account another key; the wallet can't use the account after that (seen); the sender pays the fee. */
  accountUpdate: put("updateAccount", "/v2/tx/account", transaction(bodies.accountUpdate)),
  /** Sends a transaction that was built elsewhere, unsigned or signed; the sender pays the fee. */
  rlp: post("sendRlp", "/v2/tx/rlp", transaction(bodies.rlp))
} as const

/**
 * The service's global fee payer pays, or shares the fee.
 *
 * @category endpoints
 */
export const fd = {
  /** Sends value; the service's global fee payer pays the fee, or shares it. */
  value: post("fdSendValue", "/v2/tx/fd/value", transaction({ ...bodies.value, ...feeRatio })),
  /** Creates a contract from the code in `input`; the service's global fee payer pays the fee, or shares it. */
  deploy: post("fdDeploy", "/v2/tx/fd/contract/deploy", transaction({ ...bodies.deploy, ...feeRatio })),
  /**
   * Calls the contract at `to` with the call data in `input`; the service's global fee payer pays the fee, or shares
   * it.
   */
  execute: post("fdExecute", "/v2/tx/fd/contract/execute", transaction({ ...bodies.execute, ...feeRatio })),
  /**
   * Replaces a waiting transaction, given by its `nonce` or its `transactionHash`; the service's global fee payer
   * pays the fee, or shares it.
   */
  cancel: del("fdCancel", "/v2/tx/fd", transaction({ ...bodies.cancel, ...feeRatio })),
  /**
   * Anchors the data in `input`; the service's global fee payer pays the fee, or shares it. Ordinary nodes refuse it,
   * see the kind `Anchor` of `TransactionRequest`.
   */
  anchor: post("fdAnchor", "/v2/tx/fd/anchor", transaction({ ...bodies.anchor, ...feeRatio })),
  /**
   * Gives the account another key; the wallet can't use the account after that (seen); the service's global fee payer
   * pays the fee, or shares it.
   */
  accountUpdate: put("fdUpdateAccount", "/v2/tx/fd/account", transaction({ ...bodies.accountUpdate, ...feeRatio })),
  /**
   * Sends a transaction that was built elsewhere, unsigned or signed; the service's global fee payer pays the fee, or
   * shares it.
   */
  rlp: post("fdSendRlp", "/v2/tx/fd/rlp", transaction({ ...bodies.rlp, ...feeRatio }))
} as const

/**
 * A fee payer of the customer pays, or shares the fee. The header `x-krn` names both pools, or neither.
 *
 * @category endpoints
 */
export const fdUser = {
  /** Sends value; a fee payer of the customer pays the fee, or shares it. */
  value: post("fdUserSendValue", "/v2/tx/fd-user/value", transaction({ ...bodies.value, ...feePayer })),
  /** Creates a contract from the code in `input`; a fee payer of the customer pays the fee, or shares it. */
  deploy: post("fdUserDeploy", "/v2/tx/fd-user/contract/deploy", transaction({ ...bodies.deploy, ...feePayer })),
  /**
   * Calls the contract at `to` with the call data in `input`; a fee payer of the customer pays the fee, or shares it.
   */
  execute: post("fdUserExecute", "/v2/tx/fd-user/contract/execute", transaction({ ...bodies.execute, ...feePayer })),
  /**
   * Replaces a waiting transaction, given by its `nonce` or its `transactionHash`; a fee payer of the customer pays
   * the fee, or shares it.
   */
  cancel: del("fdUserCancel", "/v2/tx/fd-user", transaction({ ...bodies.cancel, ...feePayer })),
  /**
   * Anchors the data in `input`; a fee payer of the customer pays the fee, or shares it. Ordinary nodes refuse it, see
   * the kind `Anchor` of `TransactionRequest`.
   */
  anchor: post("fdUserAnchor", "/v2/tx/fd-user/anchor", transaction({ ...bodies.anchor, ...feePayer })),
  /**
   * Gives the account another key; the wallet can't use the account after that (seen); a fee payer of the customer
   * pays the fee, or shares it.
   */
  accountUpdate: put(
    "fdUserUpdateAccount",
    "/v2/tx/fd-user/account",
    transaction({ ...bodies.accountUpdate, ...feePayer })
  ),
  /**
   * Sends a transaction that was built elsewhere, unsigned or signed; a fee payer of the customer pays the fee, or
   * shares it.
   */
  rlp: post("fdUserSendRlp", "/v2/tx/fd-user/rlp", transaction({ ...bodies.rlp, ...feePayer }))
} as const

/**
 * Gets the receipt of a transaction.
 *
 * @category endpoints
 */
export const getTransaction = get("getTransaction", "/v2/tx/:hash", {
  path: {
    /** The hash of the transaction. */
    hash: Hash.FromWire
  },
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
    /** The address of the caller. */
    from: Schema.optional(Address.FromWire),
    /** The address of the contract. */
    to: Address.FromWire,
    ...value,
    /** How much gas the call may use. */
    gas: Schema.optional(Count),
    /** What is called. */
    data: Schema.Struct({
      /** The name of the function. */
      methodName: Schema.String,
      /** The arguments of the function. */
      arguments: Schema.Array(Schema.Struct({
        /** The type of the argument in the ABI, such as `address`. */
        type: Schema.String,
        /** The argument. */
        value: Schema.Unknown
      }))
    })
  }),
  success: Schema.Struct({
    /** The call data that was sent. */
    data: HexEncoding.HexDataFromWire,
    /** What the function returned, encoded. */
    result: HexEncoding.HexDataFromWire
  }),
  safety: "safe"
})
