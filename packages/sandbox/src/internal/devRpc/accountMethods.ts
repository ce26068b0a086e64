import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import type { Result } from "@effect-klaytn/transaction/Result"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as PersonalMessage from "ox/PersonalMessage"
import * as Secp256k1 from "ox/Secp256k1"
import * as Signature from "ox/Signature"
import * as TypedData from "ox/TypedData"
import type { Chain } from "../../Chain.js"
import * as DevAccount from "../../DevAccount.js"
import { ethSend, type SendArguments } from "../rpc/CallArguments.js"
import { estimate } from "../rpc/execution.js"
import { Numeral } from "../rpc/Json.js"
import {
  type Failure,
  failure,
  fromResult,
  invalidParams,
  method,
  type Methods,
  type RpcFailure
} from "../rpc/Method.js"
import { address, data, type Decoded, fail, isRecord, make } from "../rpc/ParamDecoder.js"
import type { DevRpcState } from "./DevRpcState.js"

const unknownAccount = (owner: Hex): RpcFailure =>
  failure(`unknown account ${owner}: the sandbox holds no key of it, and it is not impersonated`)

/** The type of a transaction: the one that its sender names, or else the one that the other fields imply. */
const typeOf = ({ accessList = [], authorizationList, gasPrice, type }: SendArguments): bigint => {
  if (type !== undefined) return type
  if (authorizationList !== undefined) return 4n
  if (gasPrice === undefined) return 2n
  return accessList.length > 0 ? 1n : 0n
}

/** Makes a transaction, and adds the fields that its sender left out. */
const fill = (chain: Chain, from: Hex, args: SendArguments) =>
  Effect.gen(function*() {
    const { gas, gasPrice, maxFeePerGas, maxPriorityFeePerGas, ...call } = args
    const { accessList = [], authorizationList = [], data = "0x", input = data, to, value = 0n } = call
    const { chainId } = chain
    const type = typeOf(args)
    if (args.chainId !== undefined && args.chainId !== BigInt(chainId)) {
      return yield* invalidParams(`the chain is ${chainId}, not ${args.chainId}`)
    }
    if (type > 2n && type !== 4n) return yield* failure("undefined tx type")
    if (gasPrice !== undefined && (maxFeePerGas ?? maxPriorityFeePerGas) !== undefined) {
      return yield* failure("both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified")
    }
    const common = {
      nonce: args.nonce ?? (yield* chain.pendingNonce(from)),
      // `call` names no price: whether the sender can pay is checked when the transaction is submitted.
      gas: gas ?? (yield* estimate(chain, call, "latest", undefined)),
      value,
      input,
      ...(to !== undefined && { to })
    }
    const { baseFeePerGas } = yield* chain.nextBlock
    const tip = maxPriorityFeePerGas ?? 0n
    const dynamic = {
      ...common,
      chainId,
      accessList,
      maxFeePerGas: maxFeePerGas ?? gasPrice ?? baseFeePerGas + tip,
      maxPriorityFeePerGas: tip
    }
    const priced = { ...common, gasPrice: gasPrice ?? baseFeePerGas }
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

const signWith = (chain: Chain, transaction: Transaction.Transaction, { privateKey }: DevAccount.DevAccount) =>
  fromResult(
    Transaction.signAsSender(transaction, { chainId: chain.chainId, privateKey: Redacted.value(privateKey) }),
    invalidParams
  )

/** Signs in place of an address whose key is unknown. The key differs by address, so that hashes do. */
const standIn = (owner: Hex): DevAccount.DevAccount => DevAccount.derive("impersonated", owner)

const send = (
  state: DevRpcState,
  chain: Chain,
  args: SendArguments,
  isUnsigned = false
): Effect.Effect<Hex, Failure> =>
  Effect.gen(function*() {
    const { from } = args
    if (from === undefined) return yield* invalidParams("the sender `from` is missing")
    const isImpersonated = isUnsigned || state.isImpersonated(from)
    const account = isImpersonated ? standIn(from) : state.account(from)
    if (account === undefined) return yield* unknownAccount(from)
    const signed = yield* signWith(chain, yield* fill(chain, from, args), account)
    return yield* isImpersonated ? chain.submitAs(signed, from) : chain.submit(signed)
  }).pipe(Effect.catchTag("TransactionRejected", ({ message }) => failure(message)))

const sign = (state: DevRpcState, owner: Hex, payload: Hex): Effect.Effect<Hex, RpcFailure> => {
  const account = state.account(owner)
  if (account === undefined) return unknownAccount(owner)
  const privateKey = fromBytes(Redacted.value(account.privateKey))
  return Effect.sync(() => Signature.toHex(Secp256k1.sign({ payload, privateKey })))
}

const signMessage = (state: DevRpcState, owner: Hex, message: Hex) =>
  sign(state, owner, PersonalMessage.getSignPayload(message))

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

/** Accounts that send and sign without a key of the caller's: those of the sandbox, and for sends impersonated ones. */
export const accountMethods = (state: DevRpcState): Methods => {
  const accounts = method([], () => Effect.sync(() => state.accounts().map((account) => account.address)))
  return {
    eth_accounts: accounts,
    eth_requestAccounts: accounts,
    eth_sendTransaction: method([ethSend], (chain, args) => send(state, chain, args)),
    eth_sendUnsignedTransaction: method([ethSend], (chain, args) => send(state, chain, args, true)),
    eth_signTransaction: method([ethSend], (chain, args) =>
      Effect.gen(function*() {
        const { from } = args
        const account = from === undefined ? undefined : state.account(from)
        if (account === undefined) return yield* unknownAccount(from ?? "0x")
        const signed = yield* signWith(chain, yield* fill(chain, account.address, args), account)
        return yield* fromResult(Transaction.encode(signed, { form: "eth" }), invalidParams)
      })),
    personal_sign: method([data, address], (_, message, owner) => signMessage(state, owner, message)),
    eth_sign: method([address, data], (_, owner, message) => signMessage(state, owner, message)),
    eth_signTypedData_v4: method([address, typedDigest], (_, owner, digest) => sign(state, owner, digest))
  }
}
