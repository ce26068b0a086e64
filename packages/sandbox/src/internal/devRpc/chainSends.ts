import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import { type Hex, zeroAddress } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { fromTypeInt, isEthereum, type TransactionType } from "@effect-klaytn/transaction/TransactionType"
import * as Effect from "effect/Effect"
import type { Chain } from "../../Chain.js"
import { type Failure, failure, fromResult, method, type Methods, type Run } from "../rpc/Method.js"
import { text } from "../rpc/ParamDecoder.js"
import { klaySigned } from "../rpc/transactionForm.js"
import { suggestedPrice, suggestedTip } from "../suggestedPrices.js"
import { type ChainArguments, chainSend, fieldFault } from "./chainArguments.js"
import type { DevRpcState } from "./DevRpcState.js"
import { signAsFeePayer, signAsSender, signersOf, standIn } from "./signingKeys.js"
import { submitFilled } from "./submitFilled.js"

/** The gas of a transaction that names none: that of a node. */
const defaultGas = 90_000n

/** Fills in what a node fills in: nonce, gas, prices and, for Ethereum's types, the chain. */
const withDefaults = (chain: Chain, args: ChainArguments) =>
  Effect.gen(function*() {
    const { from = zeroAddress, gas = defaultGas, typeInt = 0 } = args
    const type = fromTypeInt(typeInt)
    const price = yield* suggestedPrice(chain)
    const isTyped = type !== undefined && isEthereum(type)
    const hasTip = type === "EthereumDynamicFee" || type === "EthereumSetCode"
    const nonce = args.nonce ?? (yield* chain.pendingNonce(from))
    const filled = { ...(!hasTip && { gasPrice: price }), ...args, from, typeInt, gas, nonce }
    if (!isTyped) return filled
    const { chainId = BigInt(chain.chainId) } = args
    if (!hasTip) return { ...filled, chainId }
    const { maxFeePerGas = price, maxPriorityFeePerGas = yield* suggestedTip(chain) } = args
    if (maxFeePerGas < price / 2n) {
      return yield* failure(`maxFeePerGas (${maxFeePerGas}) < BaseFee (${price})`)
    }
    if (maxFeePerGas < maxPriorityFeePerGas) {
      return yield* failure(`maxFeePerGas (${maxFeePerGas}) < maxPriorityFeePerGas (${maxPriorityFeePerGas})`)
    }
    return { ...filled, chainId, maxFeePerGas, maxPriorityFeePerGas }
  })

/** The fields of a transaction of Ethereum's types, all of which have a default. */
const ethereumBody = (type: TransactionType, args: ChainArguments) =>
  Effect.gen(function*() {
    const { accessList = [], authorizationList = [], chainId, data, input, to, value = 0n, ...rest } = args
    const isLegacy = type === "LegacyTransaction"
    if (isLegacy && data !== undefined && input !== undefined && data !== input) {
      return yield* failure(
        "Both \"data\" and \"input\" are set and not equal. Please use \"input\" to pass transaction call data."
      )
    }
    const bytes = (isLegacy ? data ?? input : input) ?? "0x"
    if (isLegacy && to === undefined && bytes === "0x") {
      return yield* failure("contract creation without any data provided")
    }
    return {
      ...rest,
      to,
      value,
      input: bytes,
      ...(!isLegacy && { chainId: Number(chainId), accessList }),
      ...(type === "EthereumSetCode" && { authorizationList })
    }
  })

/** The unsigned transaction of a node's arguments. */
const transactionOf = (chain: Chain, args: ChainArguments): Effect.Effect<Transaction.Transaction, Failure> =>
  Effect.gen(function*() {
    const filled = yield* withDefaults(chain, args)
    const type = fromTypeInt(filled.typeInt)
    const isEthereums = type !== undefined && (type === "LegacyTransaction" || isEthereum(type))
    const fault = isEthereums ? undefined : fieldFault(filled)
    if (fault !== undefined) return yield* failure(fault)
    if (type === undefined) return yield* failure("undefined tx type")
    const { key: encoded, signatures: _, typeInt: __, ...fields } = filled
    const key = encoded === undefined ? undefined : yield* fromResult(AccountKey.decode(encoded))
    const body = isEthereums ? yield* ethereumBody(type, fields) : { ...fields, ...(key !== undefined && { key }) }
    // A cast: `make` checks the fields of every type.
    return yield* fromResult(Transaction.make({ ...body, type } as Transaction.Input<TransactionType>))
  })

const isTypedWithoutPrice = (
  { gasPrice, maxFeePerGas, maxPriorityFeePerGas, typeInt = 0 }: ChainArguments
): boolean => {
  const type = fromTypeInt(typeInt)
  return type !== undefined && isEthereum(type) && gasPrice === undefined &&
    (maxFeePerGas === undefined || maxPriorityFeePerGas === undefined)
}

/** The unsigned transaction, and who signs it. */
const filled = (chain: Chain, state: DevRpcState, args: ChainArguments, passphrase: string | undefined) =>
  Effect.gen(function*() {
    if (isTypedWithoutPrice(args)) return yield* failure("missing gasPrice or maxFeePerGas/maxPriorityFeePerGas")
    const { from = zeroAddress } = args
    const transaction = yield* transactionOf(chain, args)
    const signers = state.isImpersonated(from)
      ? [standIn(from)]
      : yield* signersOf(chain, state, from, Transaction.senderRole(transaction), passphrase)
    return { transaction, signers }
  })

const sign = (chain: Chain, state: DevRpcState, args: ChainArguments, passphrase: string | undefined) =>
  Effect.flatMap(
    filled(chain, state, args, passphrase),
    ({ signers, transaction }) => signAsSender(chain, transaction, signers)
  )

const send = (
  chain: Chain,
  state: DevRpcState,
  args: ChainArguments,
  passphrase: string | undefined
): Effect.Effect<Hex, Failure> => {
  const { from = zeroAddress } = args
  return submitFilled({
    chain,
    state,
    from,
    args,
    isUnsigned: state.isImpersonated(from),
    fill: (given) => filled(chain, state, given, passphrase)
  })
}

const signPayment = (chain: Chain, state: DevRpcState, args: ChainArguments, passphrase: string | undefined) =>
  Effect.gen(function*() {
    const unsigned = yield* transactionOf(chain, args)
    if (!Transaction.isFeeDelegatedTransaction(unsigned) || unsigned.feePayer === undefined) {
      return yield* failure("invalid fee payer is set")
    }
    const transaction = { ...unsigned, signatures: args.signatures ?? [] }
    const signers = yield* signersOf(chain, state, unsigned.feePayer, "feePayer", passphrase)
    return yield* signAsFeePayer(chain, transaction, signers)
  })

/** What a fee payer signs is complete: the sender has signed it. */
const lackOf = ({ gas, gasPrice, nonce, signatures, typeInt }: ChainArguments): string | undefined => {
  if (typeInt === undefined) return "tx should have a type value"
  if (nonce === undefined) return "nonce of the sender is not set"
  if (gas === undefined) return "gas limit is not set"
  if (gasPrice === undefined) return "gas price is not set"
  return signatures === undefined ? "sender signature is not set" : undefined
}

/** A signed transaction with its bytes, as a node shows both. */
const shown = (transaction: Transaction.Transaction): Effect.Effect<unknown, Failure> =>
  Effect.map(fromResult(Transaction.encode(transaction)), (raw) => ({ raw, tx: klaySigned(transaction) }))

const submit = (
  chain: Chain,
  state: DevRpcState,
  args: ChainArguments,
  transaction: Transaction.Transaction
): Effect.Effect<Hex, Failure> =>
  Effect.catchTag(
    args.from !== undefined && state.isImpersonated(args.from)
      ? chain.submitAs(transaction, args.from)
      : chain.submit(transaction),
    "TransactionRejected",
    ({ message }) => failure(message)
  )

/**
 * Signs and sends transactions of every type of the chain, as a node does for its accounts, by the names of the methods without
 * a namespace. `takesPassphrase`: they take the passphrase of the account as a second parameter.
 */
export const chainSends = (state: DevRpcState, takesPassphrase: boolean): Methods => {
  const made = (run: (chain: Chain, args: ChainArguments, passphrase: string | undefined) => Run) =>
    takesPassphrase
      ? method([chainSend, text], run)
      : method([chainSend], (chain, args) => run(chain, args, undefined))
  return {
    sendTransaction: made((chain, args, passphrase) => send(chain, state, args, passphrase)),
    signTransaction: made((chain, args, passphrase) => Effect.flatMap(sign(chain, state, args, passphrase), shown)),
    sendTransactionAsFeePayer: made((chain, args, passphrase) => {
      const lack = lackOf(args)
      return lack === undefined
        ? Effect.flatMap(signPayment(chain, state, args, passphrase), (signed) => submit(chain, state, args, signed))
        : failure(lack)
    }),
    signTransactionAsFeePayer: made((chain, args, passphrase) =>
      Effect.flatMap(signPayment(chain, state, args, passphrase), shown)
    )
  }
}
