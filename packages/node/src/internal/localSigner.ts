/** Signers with keys in this process. */
import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import { HexData, noData } from "@effect-klaytn/core/HexEncoding"
import { InvalidInput, type ReadError } from "@effect-klaytn/core/ServiceError"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as PrivateKey from "@effect-klaytn/transaction/PrivateKey"
import * as Result from "@effect-klaytn/transaction/Result"
import type { Signature } from "@effect-klaytn/transaction/Signature"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { KlaytnNode, type Service } from "../KlaytnNode.js"
import type { RpcError } from "../RpcError.js"
import type * as Signer from "../Signer.js"
import { NotSent, SendUnknown, SigningFailed } from "../SignerError.js"
import * as rawTransaction from "./rawTransaction.js"
import * as sendRequest from "./sendRequest.js"
import * as settling from "./settling.js"

const toHex = (text: string): Hex => `0x${text.slice(2)}`

/** The keys of one account, checked. */
interface Account {
  readonly address: Address.Address
  readonly privateKeys: ReadonlyArray<Redacted.Redacted<Hex>>
}

const refuse = (path: ReadonlyArray<string>, problem: string): InvalidInput =>
  InvalidInput.at("node.signer", [...path], problem)

const isKey = (key: unknown): key is Redacted.Redacted<Hex> => {
  const value = Redacted.isRedacted(key) ? Redacted.value(key) : undefined
  return typeof value === "string" && PrivateKey.toKeyBytes(toHex(value)).ok && value.startsWith("0x")
}

const readAddress = Schema.decodeUnknownEither(Address.FromInput)

const accountOf = (
  keys: Signer.Keys,
  path: ReadonlyArray<string>
): Either.Either<Account, InvalidInput> => {
  const privateKeys = keys.privateKeys.filter(isKey)
  const [first] = privateKeys
  if (first === undefined || privateKeys.length !== keys.privateKeys.length) {
    return Either.left(
      refuse([...path, "privateKeys"], "expected private keys, at least one, each made with Redacted.make")
    )
  }
  if (keys.address === undefined && privateKeys.length > 1) {
    return Either.left(refuse([...path, "address"], "an account with several keys needs its address"))
  }
  const own = PrivateKey.toAddress(Redacted.value(first))
  return Either.mapBoth(readAddress(keys.address ?? (own.ok ? own.value : "")), {
    onLeft: () => refuse([...path, "address"], "expected an address in one case, or with a correct checksum"),
    onRight: (address): Account => ({ address, privateKeys })
  })
}

/** A request with everything that is needed to sign it. */
interface Filled {
  readonly nonce: bigint
  readonly gas: bigint
  readonly gasPrice: bigint
  readonly from: Hex
  readonly value: bigint
  readonly to: Hex | undefined
  readonly input: Hex
  /** Whether the receiver has code. Without code, the input is a memo. */
  readonly isCall: boolean
}

const bodyOf = ({ input, isCall, to, ...rest }: Filled): Result.Result<Transaction.Transaction> => {
  if (to === undefined) {
    return Transaction.make({ type: "SmartContractDeploy", ...rest, input, humanReadable: false, codeFormat: 0 })
  }
  if (input === "0x") return Transaction.make({ type: "ValueTransfer", ...rest, to })
  return isCall
    ? Transaction.make({ type: "SmartContractExecution", ...rest, to, input })
    : Transaction.make({ type: "ValueTransferMemo", ...rest, to, input })
}

const delegatedBodyOf = (
  { input, isCall, to, ...rest }: Filled,
  feePayer: Hex
): Result.Result<Transaction.FeeDelegatedTransaction> => {
  if (to === undefined) {
    const code = { input, humanReadable: false, codeFormat: 0 }
    return Transaction.make({ type: "FeeDelegatedSmartContractDeploy", ...rest, ...code, feePayer })
  }
  if (input === "0x") return Transaction.make({ type: "FeeDelegatedValueTransfer", ...rest, to, feePayer })
  return isCall
    ? Transaction.make({ type: "FeeDelegatedSmartContractExecution", ...rest, to, input, feePayer })
    : Transaction.make({ type: "FeeDelegatedValueTransferMemo", ...rest, to, input, feePayer })
}

const noSignature: Signature = { v: 0n, r: 0n, s: 0n }

const signaturesOf = ({ privateKeys }: Account): ReadonlyArray<Signature> => privateKeys.map(() => noSignature)

/** What the signatures and the fee payer cost, beyond what a node's estimate includes. */
const extraGas = (filled: Filled, sender: Account, payer: Account | undefined): Result.Result<bigint> =>
  Result.flatMap(bodyOf(filled), (plain) => {
    const base = Transaction.intrinsicGas(plain)
    const signatures = signaturesOf(sender)
    return payer === undefined
      ? Result.succeed(Transaction.intrinsicGas({ ...plain, signatures }) - base)
      : Result.map(
        delegatedBodyOf(filled, payer.address),
        (body) => Transaction.intrinsicGas({ ...body, signatures, feePayerSignatures: signaturesOf(payer) }) - base
      )
  })

const signWithAll = <T extends Transaction.Transaction>(
  transaction: T,
  { privateKeys }: Account,
  sign: (transaction: T, privateKey: Hex) => Result.Result<T>
): Result.Result<T> =>
  privateKeys.reduce<Result.Result<T>>(
    (signed, key) => Result.flatMap(signed, (one) => sign(one, Redacted.value(key))),
    Result.succeed(transaction)
  )

const signed = (
  filled: Filled,
  chainId: number,
  sender: Account,
  payer: Account | undefined
): Result.Result<Transaction.Transaction> => {
  if (payer === undefined) {
    return Result.flatMap(
      bodyOf(filled),
      (body) => signWithAll(body, sender, (one, privateKey) => Transaction.signAsSender(one, { chainId, privateKey }))
    )
  }
  const feePayer = payer.address
  return Result.flatMap(delegatedBodyOf(filled, feePayer), (body) =>
    Result.flatMap(
      signWithAll(body, sender, (one, privateKey) => Transaction.signAsSender(one, { chainId, privateKey })),
      (one) =>
        signWithAll(one, payer, (two, privateKey) => Transaction.signAsFeePayer(two, { chainId, privateKey, feePayer }))
    ))
}

const toHash = Schema.decodeSync(Hash.FromWire)
const toData = Schema.decodeSync(HexData)

class LocalSigner implements Signer.LocalSigner {
  readonly address: Address.Address
  /** One send at a time takes a nonce and is submitted. */
  private readonly turn = Effect.unsafeMakeSemaphore(1)
  /** The nonce after those that were accepted, for a node that does not count them yet. */
  private next = 0n

  constructor(private readonly sender: Account, private readonly payer: Account | undefined) {
    this.address = sender.address
  }

  readonly prepare = (input: Signer.Request) =>
    Effect.gen(this, function*() {
      const node = yield* KlaytnNode
      const [filled, since] = yield* Effect.mapError(
        this.fill(node, input),
        (error) => error._tag === "SigningFailed" ? error : new NotSent({ from: this.address, reason: error })
      )
      return yield* this.sign(filled, since, node.chain)
    })

  readonly submit = (prepared: Signer.Prepared, options?: Signer.Options) =>
    Effect.gen(this, function*() {
      const waiting = yield* settling.waitingOf(this.address, options)
      return yield* Effect.flatten(this.submitOnce(prepared, waiting))
    })

  readonly send = (input: Signer.Request, options?: Signer.Options) =>
    Effect.gen(this, function*() {
      const waiting = yield* settling.waitingOf(this.address, options)
      const rest = yield* this.turn.withPermits(1)(
        Effect.flatMap(this.prepare(input), (prepared) => this.submitOnce(prepared, waiting))
      )
      return yield* rest
    })

  toJSON(): unknown {
    return { address: this.address }
  }

  /** Submits a transaction to the node; returns what is left to do: to wait for its outcome. */
  private submitOnce(prepared: Signer.Prepared, waiting: settling.Waiting) {
    return Effect.gen(this, function*() {
      const node = yield* KlaytnNode
      const { raw, ...facts } = prepared
      const { nonce } = prepared
      const answer = yield* Effect.either(node.klay.sendRawTransaction(raw))
      if (Either.isRight(answer)) {
        if (this.next <= nonce) this.next = nonce + 1n
        return this.forgetNextIfUnknown(
          settling.follow(prepared, waiting, new SendUnknown({ ...facts, reason: "receipt" }))
        )
      }
      const failure = answer.left
      if (rawTransaction.isProof(failure)) return yield* new NotSent({ ...facts, reason: failure })
      return this.forgetNextIfUnknown(
        settling.follow(prepared, settling.once, new SendUnknown({ ...facts, reason: "answer", failure }))
      )
    })
  }

  /** After a transaction that may be lost, the node alone says which nonce is the next. */
  private forgetNextIfUnknown<A, E extends { readonly _tag: string }, R>(
    outcome: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> {
    return Effect.tapError(outcome, (error) =>
      Effect.sync(() => {
        if (error._tag === "SendUnknown") this.next = 0n
      }))
  }

  private fill(
    node: Service,
    input: Signer.Request
  ): Effect.Effect<readonly [Filled, since: bigint], SigningFailed | InvalidInput | RpcError | ReadError> {
    return Effect.gen(this, function*() {
      const { request: { gas, gasPrice, nonce, ...rest } } = yield* sendRequest.decode(input)
      const from = this.address
      const { input: data = noData, to } = rest
      const [nextNonce, price, estimate, since, isCall] = yield* Effect.all([
        nonce === undefined ? node.klay.getTransactionCount(from, "pending") : Effect.succeed(nonce),
        gasPrice === undefined ? node.klay.gasPrice() : Effect.succeed(gasPrice),
        gas === undefined ? node.klay.estimateGas({ from, ...rest }) : Effect.succeed(gas),
        node.klay.blockNumber(),
        to === undefined || data === noData ? Effect.succeed(false) : node.klay.isContractAccount(to)
      ], { concurrency: "unbounded" })
      const filled: Filled = {
        nonce: nonce ?? (nextNonce > this.next ? nextNonce : this.next),
        gas: estimate,
        gasPrice: price,
        from,
        value: rest.value ?? 0n,
        to,
        input: toHex(data),
        isCall
      }
      if (gas !== undefined) return [filled, since] as const
      const extra = yield* this.orFail(extraGas(filled, this.sender, this.payer))
      return [{ ...filled, gas: estimate + extra }, since] as const
    })
  }

  private sign(filled: Filled, since: bigint, chainId: number): Effect.Effect<Signer.Prepared, SigningFailed> {
    return Effect.gen(this, function*() {
      const transaction = yield* this.orFail(signed(filled, chainId, this.sender, this.payer))
      const raw = yield* this.orFail(Transaction.encode(transaction))
      const hash = yield* this.orFail(Transaction.hash(transaction))
      const own = this.payer === undefined ? undefined : yield* this.orFail(Transaction.senderHash(transaction))
      return {
        from: this.address,
        nonce: filled.nonce,
        transactionHash: toHash(hash),
        ...(own === undefined ? {} : { senderTransactionHash: toHash(own) }),
        raw: toData(raw),
        since
      }
    })
  }

  private orFail<A>(result: Result.Result<A>): Effect.Effect<A, SigningFailed> {
    return result.ok
      ? Effect.succeed(result.value)
      : Effect.fail(new SigningFailed({ from: this.address, problem: result.error.message }))
  }
}

export const make = (
  keys: Signer.Keys & { readonly feePayer?: Signer.Keys | undefined }
): Effect.Effect<Signer.LocalSigner, InvalidInput> =>
  Effect.gen(function*() {
    const sender = yield* accountOf(keys, [])
    const payer = keys.feePayer === undefined ? undefined : yield* accountOf(keys.feePayer, ["feePayer"])
    return new LocalSigner(sender, payer)
  })
