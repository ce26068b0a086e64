import type { AccountKey } from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { Result } from "@effect-klaytn/transaction/Result"
import * as Transaction from "@effect-klaytn/transaction/Transaction"

/** What a transaction does. A memo is its bytes as input. */
export type Action =
  | { readonly kind: "legacy"; readonly to: Hex | undefined; readonly value: bigint; readonly input: Hex }
  | { readonly kind: "value"; readonly to: Hex; readonly value: bigint; readonly memo: Hex | undefined }
  | { readonly kind: "deploy"; readonly value: bigint; readonly input: Hex }
  | { readonly kind: "execute"; readonly to: Hex; readonly value: bigint; readonly input: Hex }
  | { readonly kind: "cancel" }
  | { readonly kind: "anchor"; readonly input: Hex }
  | { readonly kind: "update"; readonly key: AccountKey }

/** Who pays the fee: the sender, the global fee payer of the service, or a fee payer of the customer. */
export type Payer =
  | { readonly kind: "sender" }
  | { readonly kind: "service" }
  | { readonly kind: "user"; readonly address: Hex }

/** A transaction as requested: everything but what the service fills in. */
export interface Draft {
  readonly from: Hex
  /** Default: the account's next. */
  readonly nonce: bigint | undefined
  readonly gas: bigint
  /** False: sign, but don't send. */
  readonly submit: boolean
  readonly action: Action
  readonly payer: Payer
  /** Percent that the fee payer pays; absent when it pays all, or nothing. */
  readonly feeRatio: number | undefined
}

/** What the service fills in. */
export interface Filling {
  readonly nonce: bigint
  /** peb for one unit of gas. */
  readonly gasPrice: bigint
  /** Absent when the sender pays. */
  readonly feePayer: Hex | undefined
}

type ActionOf<K extends Action["kind"]> = Extract<Action, { readonly kind: K }>

type Made = Result<Transaction.Transaction>

/** What all transactions hold but the legacy one. */
interface Common {
  readonly nonce: bigint
  readonly gasPrice: bigint
  readonly gas: bigint
  readonly from: Hex
}

interface Delegated {
  readonly feePayer: Hex
}

interface Shared extends Delegated {
  readonly feeRatio: number
}

/** Makes one of a type's three variants: the sender pays, another account does, or both share the fee. */
type Variant = (basic: () => Made, delegated: (payer: Delegated) => Made, shared: (payer: Shared) => Made) => Made

const variantFor = (feePayer: Hex | undefined, feeRatio: number | undefined): Variant => (basic, delegated, shared) =>
  feePayer === undefined ? basic() : feeRatio === undefined ? delegated({ feePayer }) : shared({ feePayer, feeRatio })

const valueTransfer = ({ memo, to, value }: ActionOf<"value">, common: Common, variant: Variant): Made => {
  const fields = { ...common, to, value }
  if (memo === undefined) {
    return variant(
      () => Transaction.make({ type: "ValueTransfer", ...fields }),
      (payer) => Transaction.make({ type: "FeeDelegatedValueTransfer", ...fields, ...payer }),
      (payer) => Transaction.make({ type: "FeeDelegatedValueTransferWithRatio", ...fields, ...payer })
    )
  }
  const withMemo = { ...fields, input: memo }
  return variant(
    () => Transaction.make({ type: "ValueTransferMemo", ...withMemo }),
    (payer) => Transaction.make({ type: "FeeDelegatedValueTransferMemo", ...withMemo, ...payer }),
    (payer) => Transaction.make({ type: "FeeDelegatedValueTransferMemoWithRatio", ...withMemo, ...payer })
  )
}

const deployment = ({ input, value }: ActionOf<"deploy">, common: Common, variant: Variant): Made => {
  const fields = { ...common, value, input, humanReadable: false, codeFormat: 0 }
  return variant(
    () => Transaction.make({ type: "SmartContractDeploy", ...fields }),
    (payer) => Transaction.make({ type: "FeeDelegatedSmartContractDeploy", ...fields, ...payer }),
    (payer) => Transaction.make({ type: "FeeDelegatedSmartContractDeployWithRatio", ...fields, ...payer })
  )
}

const execution = ({ input, to, value }: ActionOf<"execute">, common: Common, variant: Variant): Made => {
  const fields = { ...common, to, value, input }
  return variant(
    () => Transaction.make({ type: "SmartContractExecution", ...fields }),
    (payer) => Transaction.make({ type: "FeeDelegatedSmartContractExecution", ...fields, ...payer }),
    (payer) => Transaction.make({ type: "FeeDelegatedSmartContractExecutionWithRatio", ...fields, ...payer })
  )
}

const anchoring = ({ input }: ActionOf<"anchor">, common: Common, variant: Variant): Made => {
  const fields = { ...common, input }
  return variant(
    () => Transaction.make({ type: "ChainDataAnchoring", ...fields }),
    (payer) => Transaction.make({ type: "FeeDelegatedChainDataAnchoring", ...fields, ...payer }),
    (payer) => Transaction.make({ type: "FeeDelegatedChainDataAnchoringWithRatio", ...fields, ...payer })
  )
}

const keyUpdate = ({ key }: ActionOf<"update">, common: Common, variant: Variant): Made => {
  const fields = { ...common, key }
  return variant(
    () => Transaction.make({ type: "AccountUpdate", ...fields }),
    (payer) => Transaction.make({ type: "FeeDelegatedAccountUpdate", ...fields, ...payer }),
    (payer) => Transaction.make({ type: "FeeDelegatedAccountUpdateWithRatio", ...fields, ...payer })
  )
}

const cancellation = (common: Common, variant: Variant): Made =>
  variant(
    () => Transaction.make({ type: "Cancel", ...common }),
    (payer) => Transaction.make({ type: "FeeDelegatedCancel", ...common, ...payer }),
    (payer) => Transaction.make({ type: "FeeDelegatedCancelWithRatio", ...common, ...payer })
  )

/** The transaction of a draft, unsigned. */
export const transactionOf = (
  { action, feeRatio, from, gas }: Draft,
  { feePayer, gasPrice, nonce }: Filling
): Made => {
  const common = { nonce, gasPrice, gas, from }
  const variant = variantFor(feePayer, feeRatio)
  switch (action.kind) {
    case "legacy": {
      const { input, to, value } = action
      return Transaction.make({
        type: "LegacyTransaction",
        nonce,
        gasPrice,
        gas,
        ...(to !== undefined && { to }),
        value,
        input
      })
    }
    case "value":
      return valueTransfer(action, common, variant)
    case "deploy":
      return deployment(action, common, variant)
    case "execute":
      return execution(action, common, variant)
    case "cancel":
      return cancellation(common, variant)
    case "anchor":
      return anchoring(action, common, variant)
    case "update":
      return keyUpdate(action, common, variant)
  }
}
