/** Signers with keys in this process. */
import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import { HexData } from "@effect-klaytn/core/HexEncoding"
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import { type Hex, isHex } from "@effect-klaytn/transaction/Hex"
import * as PrivateKey from "@effect-klaytn/transaction/PrivateKey"
import * as Result from "@effect-klaytn/transaction/Result"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { KlaytnNode, type Service } from "../../KlaytnNode.js"
import { NotSent, PriceTooHigh, SendUnknown, SigningFailed } from "../../SignerError.js"
import * as rawTransaction from "../calls/rawTransaction.js"
import type { Account, Accounts } from "./drafts.js"
import * as drafts from "./drafts.js"
import * as sendRequest from "./sendRequest.js"
import * as settling from "./settling.js"

const refuse = (path: ReadonlyArray<string>, problem: string): InvalidInput =>
  InvalidInput.at("node.signer", [...path], problem)

const isKey = (key: unknown): key is Redacted.Redacted<Hex> => {
  const value = Redacted.isRedacted(key) ? Redacted.value(key) : undefined
  return isHex(value) && PrivateKey.toKeyBytes(value).ok
}

/** The keys of an account as a caller gives them. */
interface Keys {
  readonly address?: string | undefined
  readonly privateKeys: ReadonlyArray<Redacted.Redacted<string>>
}

const accountOf = (keys: Keys, path: ReadonlyArray<string>): Either.Either<Account, InvalidInput> => {
  const given: unknown = Predicate.hasProperty(keys, "privateKeys") ? keys.privateKeys : undefined
  const list = Array.isArray(given) ? given : []
  const privateKeys = list.filter(isKey)
  const [first] = privateKeys
  if (first === undefined || privateKeys.length !== list.length) {
    return Either.left(
      refuse([...path, "privateKeys"], "expected private keys, at least one, each made with Redacted.make")
    )
  }
  if (keys.address === undefined && privateKeys.length > 1) {
    return Either.left(refuse([...path, "address"], "an account with several keys needs its address"))
  }
  const own = PrivateKey.toAddress(Redacted.value(first))
  return Either.mapBoth(Address.make(keys.address ?? (own.ok ? own.value : "")), {
    onLeft: () => refuse([...path, "address"], "expected an address in one case, or with a correct checksum"),
    onRight: (address): Account => ({ address, privateKeys })
  })
}

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
  transaction: Transaction.Transaction,
  chainId: number,
  { payer, sender }: Accounts
): Result.Result<Transaction.Transaction> =>
  Result.flatMap(
    signWithAll(transaction, sender, (one, privateKey) => Transaction.signAsSender(one, { chainId, privateKey })),
    (one) =>
      payer === undefined || !Transaction.isFeeDelegatedTransaction(one) ? Result.succeed(one) : signWithAll(
        one,
        payer,
        (two, privateKey) => Transaction.signAsFeePayer(two, { chainId, privateKey, feePayer: payer.address })
      )
  )

const toHash = Schema.decodeSync(Hash.FromWire)
const toData = Schema.decodeSync(HexData)

/** A transaction that is signed. */
interface Prepared extends settling.Submission {
  readonly nonce: bigint
  readonly raw: HexData
  readonly since: bigint
}

/** Takes any request, and checks which. The public module says which request a signer is given. */
class LocalSigner {
  readonly address: Address.Address
  /** One send at a time takes a nonce and is submitted. */
  readonly #turn = Effect.unsafeMakeSemaphore(1)
  /** The nonce after those that were accepted, for a node that does not count them yet. */
  #next = 0n

  constructor(private readonly accounts: Accounts, private readonly maxGasPrice: bigint) {
    this.address = accounts.sender.address
  }

  readonly prepare = (input: unknown) =>
    Effect.gen(this, function*() {
      const node = yield* KlaytnNode
      const { since, transaction } = yield* Effect.mapError(
        this.#fill(node, input),
        (error) => error._tag === "SigningFailed" ? error : new NotSent({ from: this.address, reason: error })
      )
      return yield* this.#sign(transaction, since, node.chain)
    })

  readonly submit = (prepared: Prepared, options?: settling.Options) =>
    Effect.gen(this, function*() {
      const waiting = yield* settling.waitingOf(this.address, options)
      return yield* Effect.flatten(this.#submitOnce(prepared, waiting))
    })

  readonly send = (input: unknown, options?: settling.Options) =>
    Effect.gen(this, function*() {
      const waiting = yield* settling.waitingOf(this.address, options)
      return yield* Effect.flatten(
        this.#turn.withPermits(1)(
          Effect.flatMap(this.prepare(input), (prepared) => this.#submitOnce(prepared, waiting))
        )
      )
    })

  toJSON(): unknown {
    return { address: this.address }
  }

  /** Submits a transaction to the node; returns what is left to do: to wait for its outcome. */
  #submitOnce(prepared: Prepared, waiting: settling.Waiting) {
    return Effect.gen(this, function*() {
      const node = yield* KlaytnNode
      const { raw, ...facts } = prepared
      const answer = yield* Effect.either(node.klay.sendRawTransaction(raw))
      if (Either.isLeft(answer) && rawTransaction.isProof(answer.left)) {
        return yield* new NotSent({ ...facts, reason: answer.left })
      }
      if (Either.isRight(answer) && this.#next <= facts.nonce) this.#next = facts.nonce + 1n
      const unknown = Either.isRight(answer)
        ? new SendUnknown({ ...facts, reason: "receipt" })
        : new SendUnknown({ ...facts, reason: "answer", failure: answer.left })
      // Another transaction with the nonce waits or is in a block: a block will say which of the two is executed.
      const pause = Either.isRight(answer) || rawTransaction.isNonceTaken(answer.left) ? waiting : settling.once
      const outcome = settling.follow(prepared, pause, unknown)
      // After a transaction that may be lost, the node alone says which nonce is the next.
      return Effect.tapErrorTag(outcome, "SendUnknown", () => Effect.sync(() => this.#next = 0n))
    })
  }

  #fill(node: Service, input: unknown) {
    return Effect.gen(this, function*() {
      const checked = yield* sendRequest.decodeAny(input)
      const { gas, gasPrice, nonce } = checked.request
      const [nextNonce, price, since, draft] = yield* Effect.all([
        nonce === undefined ? node.klay.getTransactionCount(this.address, "pending") : Effect.succeed(nonce),
        gasPrice === undefined ? this.#price(node) : Effect.succeed(gasPrice),
        node.klay.blockNumber(),
        drafts.make(node, this.accounts, checked)
      ], { concurrency: "unbounded" })
      const common = { nonce: nonce ?? (nextNonce > this.#next ? nextNonce : this.#next), gasPrice: price }
      const transaction = yield* this.#orFail(drafts.unsigned(draft, this.accounts, common, gas))
      return { transaction, since }
    })
  }

  /** The price that the node says, within the bound. */
  #price(node: Service) {
    return Effect.gen(this, function*() {
      const { maxGasPrice } = this
      const gasPrice = yield* node.klay.gasPrice()
      if (gasPrice <= maxGasPrice) return gasPrice
      const newest = yield* Effect.option(node.klay.getHeaderByNumber("latest"))
      const { baseFeePerGas: baseFee } = Option.getOrElse(newest, () => ({ baseFeePerGas: undefined }))
      return yield* new PriceTooHigh({ gasPrice, maxGasPrice, ...(baseFee === undefined ? {} : { baseFee }) })
    })
  }

  #sign(unsigned: Transaction.Transaction, since: bigint, chainId: number): Effect.Effect<Prepared, SigningFailed> {
    return Effect.gen(this, function*() {
      const transaction = yield* this.#orFail(signed(unsigned, chainId, this.accounts))
      const raw = yield* this.#orFail(Transaction.encode(transaction))
      const hash = yield* this.#orFail(Transaction.hash(transaction))
      const own = Transaction.isFeeDelegatedTransaction(transaction)
        ? yield* this.#orFail(Transaction.senderHash(transaction))
        : undefined
      return {
        from: this.address,
        nonce: transaction.nonce,
        transactionHash: toHash(hash),
        ...(own === undefined ? {} : { senderTransactionHash: toHash(own) }),
        raw: toData(raw),
        since
      }
    })
  }

  #orFail<A>(result: Result.Result<A>): Effect.Effect<A, SigningFailed> {
    return result.ok
      ? Effect.succeed(result.value)
      : Effect.fail(new SigningFailed({ from: this.address, problem: result.error.message }))
  }
}

/** The chain's own upper bound of its base fee, as its network has it: 750 gkei. */
export const defaultMaxGasPrice = 750_000_000_000n

const boundOf = ({ maxGasPrice = defaultMaxGasPrice }: Bound): Either.Either<bigint, InvalidInput> =>
  typeof maxGasPrice === "bigint" && maxGasPrice > 0n
    ? Either.right(maxGasPrice)
    : Either.left(refuse(["maxGasPrice"], "expected a bigint above 0, in peb"))

interface Bound {
  readonly maxGasPrice?: bigint | undefined
}

interface KlaytnKeys extends Keys, Bound {
  readonly feePayer?: (Keys & { readonly ratio?: number | undefined }) | undefined
}

export const make = Effect.fnUntraced(
  function*({ feePayer, maxGasPrice, ...keys }: KlaytnKeys): Effect.fn.Return<LocalSigner, InvalidInput> {
    const sender = yield* accountOf(keys, [])
    const bound = yield* boundOf({ maxGasPrice })
    const payer = feePayer === undefined ? undefined : yield* accountOf(feePayer, ["feePayer"])
    const ratio = feePayer?.ratio
    if (ratio !== undefined && !(Number.isInteger(ratio) && ratio >= 1 && ratio <= 99)) {
      return yield* refuse(["feePayer", "ratio"], "expected a whole number from 1 to 99")
    }
    return new LocalSigner({ form: "klaytn", sender, payer, ratio }, bound)
  }
)

export const makeEthereum = Effect.fnUntraced(
  function*(privateKey: Redacted.Redacted<string>, options: Bound = {}): Effect.fn.Return<LocalSigner, InvalidInput> {
    const sender = yield* accountOf({ privateKeys: [privateKey] }, [])
    return new LocalSigner({ form: "ethereum", sender }, yield* boundOf(options))
  }
)
