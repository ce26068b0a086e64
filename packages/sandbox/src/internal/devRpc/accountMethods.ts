import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
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
import { type Failure, failure, invalidParams, method, type Methods, type RpcFailure } from "../rpc/Method.js"
import { address, data, type Decoded, fail, isRecord, make } from "../rpc/ParamDecoder.js"
import type { DevRpcState } from "./DevRpcState.js"

const unknownAccount = (owner: Hex): RpcFailure =>
  failure(`unknown account ${owner}: the sandbox holds no key of it, and it is not impersonated`)

/** A transaction with all that its sender left out. */
const fill = (chain: Chain, from: Hex, args: SendArguments) =>
  Effect.gen(function*() {
    const { chainId, gasPrice, maxFeePerGas, maxPriorityFeePerGas, type } = args
    if (chainId !== undefined && chainId !== BigInt(chain.chainId)) {
      return yield* invalidParams(`the chain is ${chain.chainId}, not ${chainId}`)
    }
    if (type !== undefined && type > 2n && type !== 4n) return yield* failure("undefined tx type")
    if (gasPrice !== undefined && (maxFeePerGas ?? maxPriorityFeePerGas) !== undefined) {
      return yield* failure("both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified")
    }
    const nonce = args.nonce ?? (yield* chain.pendingNonce(from))
    // What the sender can pay for is checked when the transaction is submitted, not while its gas is estimated.
    const { gas: limit, gasPrice: _price, maxFeePerGas: _most, maxPriorityFeePerGas: _tip, ...call } = args
    const gas = limit ?? (yield* estimate(chain, call, "latest", undefined))
    const { accessList = [], authorizationList, to, value = 0n } = args
    const common = {
      nonce,
      gas,
      value,
      input: args.input ?? args.data ?? "0x" as const,
      ...(to !== undefined && { to })
    }
    const { baseFeePerGas } = yield* chain.nextBlock
    const price = gasPrice ?? baseFeePerGas
    const prices = {
      maxFeePerGas: maxFeePerGas ?? baseFeePerGas + (maxPriorityFeePerGas ?? 0n),
      maxPriorityFeePerGas: maxPriorityFeePerGas ?? 0n
    }
    const setsCode = type === 4n || (type === undefined && authorizationList !== undefined)
    if (setsCode && to === undefined) return yield* failure("a transaction that sets code needs a receiver")
    const made = setsCode && to !== undefined
      ? Transaction.make({
        type: "EthereumSetCode",
        chainId: chain.chainId,
        ...prices,
        accessList,
        authorizationList: authorizationList ?? [],
        ...common,
        to
      })
      : type === 1n || (type === undefined && gasPrice !== undefined && accessList.length > 0)
      ? Transaction.make({ type: "EthereumAccessList", chainId: chain.chainId, gasPrice: price, accessList, ...common })
      : type === 0n || gasPrice !== undefined
      ? Transaction.make({ type: "LegacyTransaction", gasPrice: price, ...common })
      : Transaction.make({
        type: "EthereumDynamicFee",
        chainId: chain.chainId,
        ...prices,
        accessList,
        ...common
      })
    return made.ok ? made.value : yield* invalidParams(made.error.message)
  })

const signWith = (chain: Chain, transaction: Transaction.Transaction, { privateKey }: DevAccount.DevAccount) => {
  const signed = Transaction.signAsSender(transaction, {
    chainId: chain.chainId,
    privateKey: Redacted.value(privateKey)
  })
  return signed.ok ? Effect.succeed(signed.value) : invalidParams(signed.error.message)
}

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
  }).pipe(Effect.catchTag("TransactionRejected", ({ message }) => Effect.fail(failure(message))))

const sign = (state: DevRpcState, owner: Hex, payload: Hex): Effect.Effect<Hex, RpcFailure> => {
  const account = state.account(owner)
  if (account === undefined) return unknownAccount(owner)
  return Effect.sync(() => {
    const privateKey = fromBytes(Redacted.value(account.privateKey))
    return Signature.toHex(Secp256k1.sign({ payload, privateKey }))
  })
}

/** Typed data as a library reads it: numbers that JavaScript would change are text. */
const plainOf = (value: unknown): unknown =>
  value instanceof Numeral
    ? value.text
    : Array.isArray(value)
    ? value.map(plainOf)
    : isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plainOf(field)]))
    : value

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
        const raw = Transaction.encode(signed, { form: "eth" })
        return raw.ok ? raw.value : yield* invalidParams(raw.error.message)
      })),
    personal_sign: method(
      [data, address],
      (_, message, owner) => sign(state, owner, PersonalMessage.getSignPayload(message))
    ),
    eth_sign: method(
      [address, data],
      (_, owner, message) => sign(state, owner, PersonalMessage.getSignPayload(message))
    ),
    eth_signTypedData_v4: method([address, typedDigest], (_, owner, digest) => sign(state, owner, digest))
  }
}
