/** The transaction of a request: its type, and the gas that it needs. */
import type * as Address from "@effect-klaytn/core/Address"
import { noData } from "@effect-klaytn/core/HexEncoding"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Result from "@effect-klaytn/transaction/Result"
import type { Signature } from "@effect-klaytn/transaction/Signature"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { Service } from "../../KlaytnNode.js"
import type { ReadFailure } from "../errors/failure.js"
import type { AnyChecked, Checked } from "./sendRequest.js"

/** The keys of one account, checked. */
export interface Account {
  readonly address: Address.Address
  readonly privateKeys: ReadonlyArray<Redacted.Redacted<Hex>>
}

/** Who signs, and with which family of types. */
export interface Accounts {
  readonly form: "klaytn" | "ethereum"
  readonly sender: Account
  readonly payer?: Account | undefined
  /** The percentage that the fee payer pays. */
  readonly ratio?: number | undefined
}

/** What every transaction has beside its content. */
interface Common {
  readonly nonce: bigint
  readonly gasPrice: bigint
}

/** A transaction without nonce and price. */
export interface Draft {
  /** The gas of the execution, if there is one; it includes what a plain transaction costs. */
  readonly estimate: bigint | undefined
  readonly plain: (common: Common & { readonly gas: bigint }) => Result.Result<Transaction.Transaction>
}

const ethereum = (
  node: Service,
  { input = noData, to, value = 0n }: Checked
): Effect.Effect<Draft["plain"], ReadFailure> =>
  Effect.map(node.klay.maxPriorityFeePerGas(), (tip) => ({ gasPrice, ...rest }) =>
    Transaction.make({
      type: "EthereumDynamicFee",
      ...rest,
      chainId: node.chain,
      maxFeePerGas: gasPrice,
      maxPriorityFeePerGas: tip < gasPrice ? tip : gasPrice,
      ...(to === undefined ? {} : { to }),
      value,
      input,
      accessList: []
    }))

const klaytn = (
  node: Service,
  from: Hex,
  { input = noData, to, value = 0n }: Checked
): Effect.Effect<Draft["plain"], ReadFailure> => {
  if (to === undefined) {
    const code = { value, input, humanReadable: false, codeFormat: 0 }
    return Effect.succeed((rest) => Transaction.make({ type: "SmartContractDeploy", ...rest, from, ...code }))
  }
  // The chain takes a transfer to an account without code, whose input is a memo, and a call to one with code.
  return Effect.map(node.klay.isContractAccount(to), (isCall) => (rest) =>
    isCall
      ? Transaction.make({ type: "SmartContractExecution", ...rest, from, to, value, input })
      : input === noData
      ? Transaction.make({ type: "ValueTransfer", ...rest, from, to, value })
      : Transaction.make({ type: "ValueTransferMemo", ...rest, from, to, value, input }))
}

/** Reads what the transaction's type depends on, and estimates the gas of its execution unless the request has it. */
export const make = (
  node: Service,
  { form, sender: { address: from } }: Accounts,
  checked: AnyChecked
): Effect.Effect<Draft, ReadFailure> => {
  switch (checked._tag) {
    case "Cancellation":
      return Effect.succeed({
        estimate: undefined,
        plain: (rest) => Transaction.make({ type: "Cancel", ...rest, from })
      })
    case "KeyUpdate": {
      const { accountKey: key } = checked.request
      return Effect.succeed({
        estimate: undefined,
        plain: (rest) => Transaction.make({ type: "AccountUpdate", ...rest, from, key })
      })
    }
    case "Request": {
      const { gas, gasPrice: _, nonce: __, ...request } = checked.request
      return Effect.all({
        estimate: gas === undefined ? node.klay.estimateGas({ from, ...request }) : Effect.succeed(gas),
        plain: form === "ethereum" ? ethereum(node, request) : klaytn(node, from, request)
      })
    }
  }
}

const noSignature: Signature = { v: 0n, r: 0n, s: 0n }

const signaturesOf = ({ privateKeys }: Account): ReadonlyArray<Signature> => privateKeys.map(() => noSignature)

/** The gas that is used before execution starts, once all have signed. */
const intrinsicGas = (transaction: Transaction.Transaction, { payer, sender }: Accounts): bigint =>
  Transaction.intrinsicGas(
    Transaction.isFeeDelegatedTransaction(transaction) && payer !== undefined
      ? { ...transaction, signatures: signaturesOf(sender), feePayerSignatures: signaturesOf(payer) }
      : { ...transaction, signatures: signaturesOf(sender) }
  )

/** The transaction, ready to be signed. An estimate does not include what further signatures and the fee payer cost. */
export const unsigned = (
  { estimate, plain }: Draft,
  accounts: Accounts,
  common: Common,
  gas: bigint | undefined
): Result.Result<Transaction.Transaction> => {
  const { payer, ratio: feeRatio } = accounts
  const withGas = (limit: bigint): Result.Result<Transaction.Transaction> => {
    const made = plain({ ...common, gas: limit })
    return payer === undefined ? made : Result.flatMap(made, (one) =>
      Transaction.delegate(one, {
        feePayer: payer.address,
        ...(feeRatio === undefined ? {} : { feeRatio })
      }))
  }
  if (gas !== undefined) return withGas(gas)
  const first = estimate ?? 0n
  return Result.flatMap(plain({ ...common, gas: first }), (alone) =>
    Result.flatMap(withGas(first), (whole) => {
      const needed = intrinsicGas(whole, accounts)
      const limit = estimate === undefined ? needed : estimate + needed - Transaction.intrinsicGas(alone)
      // An estimate may be less than the floor for the bytes of the call or of the code, which the chain asks for too.
      const floor = needed - Transaction.intrinsicGas(whole) + Transaction.floorGas(whole)
      return withGas(limit < floor ? floor : limit)
    }))
}
