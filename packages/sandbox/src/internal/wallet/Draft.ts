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

type Made = Result<Transaction.Transaction>

/** The transaction of a draft, unsigned. */
export const transactionOf = (
  { action, feeRatio, from, gas }: Draft,
  { feePayer, gasPrice, nonce }: Filling
): Made => {
  const common = { nonce, gasPrice, gas, from }
  const variant = (
    basic: () => Made,
    delegated: (payer: { readonly feePayer: Hex }) => Made,
    shared: (payer: { readonly feePayer: Hex; readonly feeRatio: number }) => Made
  ): Made =>
    feePayer === undefined ? basic() : feeRatio === undefined ? delegated({ feePayer }) : shared({ feePayer, feeRatio })
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
    case "value": {
      const { memo, to, value } = action
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
    case "deploy": {
      const { input, value } = action
      const fields = { ...common, value, input, humanReadable: false, codeFormat: 0 }
      return variant(
        () => Transaction.make({ type: "SmartContractDeploy", ...fields }),
        (payer) => Transaction.make({ type: "FeeDelegatedSmartContractDeploy", ...fields, ...payer }),
        (payer) => Transaction.make({ type: "FeeDelegatedSmartContractDeployWithRatio", ...fields, ...payer })
      )
    }
    case "execute": {
      const { input, to, value } = action
      const fields = { ...common, to, value, input }
      return variant(
        () => Transaction.make({ type: "SmartContractExecution", ...fields }),
        (payer) => Transaction.make({ type: "FeeDelegatedSmartContractExecution", ...fields, ...payer }),
        (payer) => Transaction.make({ type: "FeeDelegatedSmartContractExecutionWithRatio", ...fields, ...payer })
      )
    }
    case "cancel":
      return variant(
        () => Transaction.make({ type: "Cancel", ...common }),
        (payer) => Transaction.make({ type: "FeeDelegatedCancel", ...common, ...payer }),
        (payer) => Transaction.make({ type: "FeeDelegatedCancelWithRatio", ...common, ...payer })
      )
    case "anchor": {
      const fields = { ...common, input: action.input }
      return variant(
        () => Transaction.make({ type: "ChainDataAnchoring", ...fields }),
        (payer) => Transaction.make({ type: "FeeDelegatedChainDataAnchoring", ...fields, ...payer }),
        (payer) => Transaction.make({ type: "FeeDelegatedChainDataAnchoringWithRatio", ...fields, ...payer })
      )
    }
    case "update": {
      const fields = { ...common, key: action.key }
      return variant(
        () => Transaction.make({ type: "AccountUpdate", ...fields }),
        (payer) => Transaction.make({ type: "FeeDelegatedAccountUpdate", ...fields, ...payer }),
        (payer) => Transaction.make({ type: "FeeDelegatedAccountUpdateWithRatio", ...fields, ...payer })
      )
    }
  }
}
