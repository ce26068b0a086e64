import type { Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import type { Signer } from "@effect-klaytn/transaction/Signature"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import { InvalidRequest } from "../ChainError.js"
import type { DevAccount } from "../DevAccount.js"
import type { SendRequest } from "../SendRequest.js"

/** A transaction and who has just signed it. */
export interface SignedTransaction {
  readonly transaction: Transaction.Transaction
  readonly signers: { readonly sender: Signer; readonly feePayer?: Signer }
}

/** What signing needs to know of the chain. */
export interface SigningContext {
  readonly chainId: number
  readonly gasPrice: bigint
  readonly curve: Secp256k1
  readonly nonce: bigint
}

const defaultGas = 10_000_000n
const transferGas = 1_000_000n

const signerOf = ({ address, publicKey }: DevAccount): Signer => ({ address, publicKey })

/** The transaction of a request, unsigned. */
const build = (request: SendRequest, context: SigningContext) => {
  const common = {
    nonce: request.nonce ?? context.nonce,
    gasPrice: context.gasPrice,
    gas: request.gas ?? (request.kind === "transfer" ? transferGas : defaultGas),
    from: request.from.address
  }
  const delegation = { feePayer: request.feePayer?.address, feeRatio: request.feeRatio }
  const { feePayer, feeRatio } = delegation
  switch (request.kind) {
    case "transfer": {
      const fields = { ...common, to: request.to, value: request.value }
      if (request.memo !== undefined) {
        const memo = { ...fields, input: request.memo }
        if (feePayer === undefined) return Transaction.make({ type: "ValueTransferMemo", ...memo })
        return feeRatio === undefined
          ? Transaction.make({ type: "FeeDelegatedValueTransferMemo", ...memo, feePayer })
          : Transaction.make({ type: "FeeDelegatedValueTransferMemoWithRatio", ...memo, feePayer, feeRatio })
      }
      if (feePayer === undefined) return Transaction.make({ type: "ValueTransfer", ...fields })
      return feeRatio === undefined
        ? Transaction.make({ type: "FeeDelegatedValueTransfer", ...fields, feePayer })
        : Transaction.make({ type: "FeeDelegatedValueTransferWithRatio", ...fields, feePayer, feeRatio })
    }
    case "execute": {
      const fields = { ...common, to: request.to, value: request.value ?? 0n, input: request.data }
      if (feePayer === undefined) return Transaction.make({ type: "SmartContractExecution", ...fields })
      return feeRatio === undefined
        ? Transaction.make({ type: "FeeDelegatedSmartContractExecution", ...fields, feePayer })
        : Transaction.make({ type: "FeeDelegatedSmartContractExecutionWithRatio", ...fields, feePayer, feeRatio })
    }
    case "deploy": {
      const fields = {
        ...common,
        value: request.value ?? 0n,
        input: request.code,
        humanReadable: false,
        codeFormat: 0
      }
      if (feePayer === undefined) return Transaction.make({ type: "SmartContractDeploy", ...fields })
      return feeRatio === undefined
        ? Transaction.make({ type: "FeeDelegatedSmartContractDeploy", ...fields, feePayer })
        : Transaction.make({ type: "FeeDelegatedSmartContractDeployWithRatio", ...fields, feePayer, feeRatio })
    }
    case "updateKey": {
      const fields = { ...common, key: request.key }
      if (feePayer === undefined) return Transaction.make({ type: "AccountUpdate", ...fields })
      return feeRatio === undefined
        ? Transaction.make({ type: "FeeDelegatedAccountUpdate", ...fields, feePayer })
        : Transaction.make({ type: "FeeDelegatedAccountUpdateWithRatio", ...fields, feePayer, feeRatio })
    }
    case "cancel": {
      if (feePayer === undefined) return Transaction.make({ type: "Cancel", ...common })
      return feeRatio === undefined
        ? Transaction.make({ type: "FeeDelegatedCancel", ...common, feePayer })
        : Transaction.make({ type: "FeeDelegatedCancelWithRatio", ...common, feePayer, feeRatio })
    }
    case "anchor": {
      const fields = { ...common, input: request.data }
      if (feePayer === undefined) return Transaction.make({ type: "ChainDataAnchoring", ...fields })
      return feeRatio === undefined
        ? Transaction.make({ type: "FeeDelegatedChainDataAnchoring", ...fields, feePayer })
        : Transaction.make({ type: "FeeDelegatedChainDataAnchoringWithRatio", ...fields, feePayer, feeRatio })
    }
  }
}

/** Builds the transaction of a request and signs it for real, as sender and, if there is one, as fee payer. */
export const sign = (
  request: SendRequest,
  context: SigningContext
): Either.Either<SignedTransaction, InvalidRequest> => {
  if (request.feeRatio !== undefined && request.feePayer === undefined) {
    return Either.left(new InvalidRequest({ message: "a fee ratio needs a fee payer" }))
  }
  const made = build(request, context)
  if (!made.ok) return Either.left(new InvalidRequest({ message: made.error.message }))
  const key = { chainId: context.chainId, curve: context.curve, privateKey: Redacted.value(request.from.privateKey) }
  const sent = Transaction.signAsSender<Transaction.Transaction>(made.value, key)
  if (!sent.ok) return Either.left(new InvalidRequest({ message: sent.error.message }))
  const sender = signerOf(request.from)
  const { feePayer } = request
  if (feePayer === undefined || !Transaction.isFeeDelegatedTransaction(sent.value)) {
    return Either.right({ transaction: sent.value, signers: { sender } })
  }
  const paid = Transaction.signAsFeePayer<Transaction.FeeDelegatedTransaction>(sent.value, {
    ...key,
    privateKey: Redacted.value(feePayer.privateKey),
    feePayer: feePayer.address
  })
  return paid.ok
    ? Either.right({ transaction: paid.value, signers: { sender, feePayer: signerOf(feePayer) } })
    : Either.left(new InvalidRequest({ message: paid.error.message }))
}
