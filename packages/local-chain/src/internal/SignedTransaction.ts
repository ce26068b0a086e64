import { flatMap, type Result } from "@effect-klaytn/transaction/Result"
import type { Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import type { Signer } from "@effect-klaytn/transaction/Signature"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import { InvalidRequest } from "../ChainError.js"
import type { DevAccount } from "../DevAccount.js"
import type { SendRequest } from "../SendRequest.js"

/** A transaction and its signers. */
export interface SignedTransaction {
  readonly transaction: Transaction.Transaction
  readonly signers: { readonly sender: Signer; readonly feePayer?: Signer }
}

/** The inputs of signing that come from the chain. */
export interface SigningContext {
  readonly chainId: number
  readonly gasPrice: bigint
  readonly curve: Secp256k1
  readonly nonce: bigint
}

const defaultGas = 10_000_000n
const transferGas = 1_000_000n

const signerOf = ({ address, publicKey }: DevAccount): Signer => ({ address, publicKey })

/** The transaction of a request without its fee payer. */
const plain = (request: SendRequest, { gasPrice, nonce }: SigningContext): Result<Transaction.Transaction> => {
  const common = {
    nonce: request.nonce ?? nonce,
    gasPrice,
    gas: request.gas ?? (request.kind === "transfer" ? transferGas : defaultGas),
    from: request.from.address
  }
  switch (request.kind) {
    case "transfer": {
      const { memo, to, value } = request
      return memo === undefined
        ? Transaction.make({ type: "ValueTransfer", ...common, to, value })
        : Transaction.make({ type: "ValueTransferMemo", ...common, to, value, input: memo })
    }
    case "execute": {
      const { data: input, to, value = 0n } = request
      return Transaction.make({ type: "SmartContractExecution", ...common, to, value, input })
    }
    case "deploy": {
      const { code: input, value = 0n } = request
      const form = { humanReadable: false, codeFormat: 0 } as const
      return Transaction.make({ type: "SmartContractDeploy", ...common, ...form, value, input })
    }
    case "updateKey":
      return Transaction.make({ type: "AccountUpdate", ...common, key: request.key })
    case "cancel":
      return Transaction.make({ type: "Cancel", ...common })
    case "anchor":
      return Transaction.make({ type: "ChainDataAnchoring", ...common, input: request.data })
  }
}

/** Builds the transaction of a request and signs it for real, as sender and, if there is one, as fee payer. */
export const sign = (
  request: SendRequest,
  context: SigningContext
): Either.Either<SignedTransaction, InvalidRequest> => {
  const { feePayer, feeRatio, from } = request
  if (feePayer === undefined && feeRatio !== undefined) {
    return Either.left(new InvalidRequest({ message: "a fee ratio needs a fee payer" }))
  }
  const optionsOf = ({ privateKey }: DevAccount) => ({ ...context, privateKey: Redacted.value(privateKey) })
  const signed = flatMap(plain(request, context), (unsigned): Result<Transaction.Transaction> => {
    if (feePayer === undefined) return Transaction.signAsSender(unsigned, optionsOf(from))
    const payer = { feePayer: feePayer.address, ...(feeRatio !== undefined && { feeRatio }) }
    const sent = flatMap(Transaction.delegate(unsigned, payer), (one) => Transaction.signAsSender(one, optionsOf(from)))
    return flatMap(sent, (one) => Transaction.signAsFeePayer(one, optionsOf(feePayer)))
  })
  if (!signed.ok) return Either.left(new InvalidRequest({ message: signed.error.message }))
  const signers = { sender: signerOf(from), ...(feePayer !== undefined && { feePayer: signerOf(feePayer) }) }
  return Either.right({ transaction: signed.value, signers })
}
