import { type Hex, quantity, zeroAddress } from "@effect-klaytn/transaction/Hex"
import { type Result, succeed } from "@effect-klaytn/transaction/Result"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Record from "effect/Record"
import * as PersonalMessage from "ox/PersonalMessage"
import * as TypedData from "ox/TypedData"
import type { Chain } from "../../Chain.js"
import { ethSend, type SendArguments } from "../rpc/CallArguments.js"
import { estimate } from "../rpc/execution.js"
import { Numeral } from "../rpc/Json.js"
import {
  type Failure,
  failure,
  fromResult,
  inNamespaces,
  invalidParams,
  method,
  type Methods,
  type Run
} from "../rpc/Method.js"
import { address, data, type Decoded, fail, isRecord, make } from "../rpc/ParamDecoder.js"
import { ethSigned } from "../rpc/transactionForm.js"
import { unsignedForm } from "../rpc/unsignedForm.js"
import { suggestedPrice, suggestedTip } from "../suggestedPrices.js"
import { chainSends } from "./chainSends.js"
import type { DevRpcState } from "./DevRpcState.js"
import { personalMethods } from "./personalMethods.js"
import { reorgMethods } from "./reorgMethods.js"
import { signAsSender, signDigest, signersOf, standIn } from "./signingKeys.js"
import { submitFilled } from "./submitFilled.js"

/** The type of a transaction: the one that its sender names, or else the one that the other fields imply. */
const typeOf = ({ accessList = [], authorizationList, gasPrice, type }: SendArguments): bigint => {
  if (type !== undefined) return type
  if (authorizationList !== undefined) return 4n
  if (gasPrice === undefined) return 2n
  return accessList.length > 0 ? 1n : 0n
}

/** The prices of a transaction with a dynamic fee: of those that its sender left out, what a node suggests. */
const feesOf = (chain: Chain, args: SendArguments, price: bigint) =>
  Effect.gen(function*() {
    const { gasPrice, maxFeePerGas = gasPrice ?? price } = args
    const { maxPriorityFeePerGas = gasPrice === undefined ? yield* suggestedTip(chain) : 0n } = args
    if (gasPrice === undefined && maxFeePerGas < price / 2n) {
      return yield* failure(`maxFeePerGas (${quantity(maxFeePerGas)}) < BaseFee (${price})`)
    }
    if (maxFeePerGas < maxPriorityFeePerGas) {
      return yield* failure(
        `maxFeePerGas (${quantity(maxFeePerGas)}) < maxPriorityFeePerGas (${quantity(maxPriorityFeePerGas)})`
      )
    }
    return { maxFeePerGas, maxPriorityFeePerGas }
  })

/** Makes a transaction, and adds the fields that its sender left out. */
const fill = (chain: Chain, from: Hex, args: SendArguments) =>
  Effect.gen(function*() {
    const { gas, gasPrice, maxFeePerGas, maxPriorityFeePerGas, ...call } = args
    const { accessList = [], authorizationList = [], data = "0x", input = data, to, value = 0n } = call
    const { chainId } = chain
    const type = typeOf(args)
    if (args.chainId !== undefined && args.chainId !== BigInt(chainId)) {
      return yield* failure(`chainId does not match node's (have=${args.chainId}, want=${chainId})`)
    }
    if (type > 2n && type !== 4n) return yield* failure("undefined tx type")
    if (gasPrice !== undefined && (maxFeePerGas ?? maxPriorityFeePerGas) !== undefined) {
      return yield* failure("both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified")
    }
    const common = {
      nonce: args.nonce ?? (yield* chain.pendingNonce(from)),
      // `call` names no price: whether the sender can pay is checked when the transaction is submitted.
      gas: gas ?? (yield* estimate(chain, call, "latest", {})),
      value,
      input,
      ...(to !== undefined && { to })
    }
    const price = yield* suggestedPrice(chain)
    const dynamic = { ...common, chainId, accessList, ...(yield* feesOf(chain, args, price)) }
    const priced = { ...common, gasPrice: gasPrice ?? price }
    if (type === 4n && to === undefined) return yield* failure("a transaction that sets code needs a receiver")
    const made: Result<Transaction.Transaction> = type === 4n && to !== undefined
      ? Transaction.make({ type: "EthereumSetCode", ...dynamic, to, authorizationList })
      : type === 2n
      ? Transaction.make({ type: "EthereumDynamicFee", ...dynamic })
      : type === 1n
      ? Transaction.make({ type: "EthereumAccessList", ...priced, chainId, accessList })
      : Transaction.make({ type: "LegacyTransaction", ...priced })
    return yield* fromResult(made, invalidParams)
  })

const send = (
  state: DevRpcState,
  chain: Chain,
  args: SendArguments,
  isUnsigned = false
): Effect.Effect<Hex, Failure> => {
  const { from = zeroAddress } = args
  const isImpersonated = isUnsigned || state.isImpersonated(from)
  return submitFilled({
    chain,
    state,
    from,
    args,
    isUnsigned: isImpersonated,
    fill: (given) =>
      Effect.gen(function*() {
        const signers = isImpersonated ? [standIn(from)] : yield* signersOf(chain, state, from, "transaction")
        return { signers, transaction: yield* fill(chain, from, given) }
      })
  })
}

/** A transaction of a nonce, signed for its sender, or that of an impersonated one. */
const signedFor = (state: DevRpcState) => (chain: Chain, args: SendArguments & { readonly nonce: bigint }) =>
  Effect.gen(function*() {
    const { from = zeroAddress } = args
    const isImpersonated = state.isImpersonated(from)
    const signers = isImpersonated ? [standIn(from)] : yield* signersOf(chain, state, from, "transaction")
    const transaction = yield* signAsSender(chain, yield* fill(chain, from, args), signers)
    return { transaction, from: isImpersonated ? from : undefined }
  })

const signMessage = (state: DevRpcState) => (chain: Chain, owner: Hex, message: Hex) =>
  signDigest(chain, state, owner, PersonalMessage.getSignPayload(message))

/** What a node does not fill in before it signs; undefined if nothing is missing. */
const lackOf = ({ gas, gasPrice, maxFeePerGas, maxPriorityFeePerGas, nonce }: SendArguments): string | undefined => {
  if (gas === undefined) return "gas not specified"
  if (gasPrice === undefined && (maxFeePerGas === undefined || maxPriorityFeePerGas === undefined)) {
    return "missing gasPrice or maxFeePerGas/maxPriorityFeePerGas"
  }
  return nonce === undefined ? "nonce not specified" : undefined
}

const signTransaction = (state: DevRpcState, chain: Chain, args: SendArguments): Run =>
  Effect.gen(function*() {
    const lack = lackOf(args)
    if (lack !== undefined) return yield* failure(lack)
    const { from = zeroAddress } = args
    const signers = yield* signersOf(chain, state, from, "transaction")
    const signed = yield* signAsSender(chain, yield* fill(chain, from, args), signers)
    const raw = yield* fromResult(Transaction.encode(signed, { form: "eth" }), invalidParams)
    return { raw, tx: ethSigned(signed) }
  })

const fillTransaction = (chain: Chain, args: SendArguments): Run =>
  Effect.gen(function*() {
    const filled = yield* fill(chain, args.from ?? zeroAddress, args)
    return { raw: yield* unsignedForm(succeed(filled)), tx: ethSigned(filled) }
  })

/** Typed data in the form that the library reads: numbers that JavaScript would change are text. */
const plainOf = (value: unknown): unknown => {
  if (value instanceof Numeral) return value.text
  if (Array.isArray(value)) return value.map(plainOf)
  return isRecord(value) ? Record.map(value, plainOf) : value
}

/** The digest of typed data, given as an object or as its JSON. */
const typedDigest = make((value): Decoded<Hex> => {
  try {
    const typed: unknown = typeof value === "string" ? JSON.parse(value) : plainOf(value)
    if (!isRecord(typed)) return fail("typed data is an object")
    // A cast: the library checks what it reads, and throws.
    return Either.right(TypedData.getSignPayload(typed as Parameters<typeof TypedData.getSignPayload>[0]))
  } catch {
    return fail("this is no typed data of EIP-712")
  }
})

/**
 * Accounts that send and sign without a key of the caller's: those of the sandbox, those that a caller has imported, and for
 * sends impersonated ones.
 */
export const accountMethods = (state: DevRpcState): Methods => {
  const accounts = method([], () => Effect.sync(() => state.allAccounts().map((account) => account.address)))
  const sign = method([address, data], signMessage(state))
  return {
    ...inNamespaces(["klay", "kaia"], { ...chainSends(state, false), accounts, sign }),
    ...personalMethods(state),
    ...reorgMethods(signedFor(state)),
    eth_accounts: accounts,
    eth_requestAccounts: accounts,
    eth_sendTransaction: method([ethSend], (chain, args) => send(state, chain, args)),
    eth_sendUnsignedTransaction: method([ethSend], (chain, args) => send(state, chain, args, true)),
    eth_signTransaction: method([ethSend], (chain, args) => signTransaction(state, chain, args)),
    eth_fillTransaction: method([ethSend], fillTransaction),
    eth_sign: sign,
    eth_signTypedData_v4: method(
      [address, typedDigest],
      (chain, owner, digest) => signDigest(chain, state, owner, digest)
    )
  }
}
