/**
 * An account of the hosted wallet as a `Signer` of `@effect-klaytn/node`: programs and `Contract` use it like a signer with
 * keys in the process, and the keys stay at the service.
 *
 * This module needs `@effect-klaytn/node`, which is an optional peer of this package.
 *
 * **Details**
 *
 * A request becomes a send of `Transactions`, with its plan, its policy and its record. The service chooses what the request
 * leaves out: the nonce, the gas limit, and always the gas price. The outcomes are those of `Signer`:
 *
 * | Of `Transactions` | Of `Signer` |
 * |---|---|
 * | `Sent` | waits for the receipt: the success, or `FailedInBlock` |
 * | `NotSent` with the proof `unsent` or `refused` | `NotSent`; `SigningFailed` if the policy refused |
 * | `NotSent` with the proof `block` | `Superseded` |
 * | `NotSent` with the proof `lookup`: another copy may have been accepted | `SendUnknown` |
 * | `Pending`: signers of a multisig account are missing | `SendUnknown` with the reason `signatures` |
 * | `SendUnknown` | one look-up; `SendUnknown` if that shows nothing |
 *
 * The service signs each copy of a request anew, so another hash with the nonce may be the same payment. Therefore another
 * transaction with the nonce is compared by its content before a send is called `Superseded`.
 *
 * **Gotchas**
 *
 * Without a nonce, a send with an unknown outcome is recognised by its content, and an identical send of another program at the
 * same time looks the same. Pass a nonce, for example from `NonceSource`, if there may be one. The service reads nonce 0 as
 * none, so it is refused here.
 *
 * **Example** (writes to a contract; the service pays the fee)
 *
 * ```ts
 * import * as Contract from "@effect-klaytn/node/Contract"
 * import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
 * import * as HostedSigner from "@effect-klaytn/wallet/HostedSigner"
 * import * as Effect from "effect/Effect"
 *
 * const abi = ["function transfer(address to, uint256 value) returns (bool)"] as const
 *
 * export const pay = (from: string, token: string, to: `0x${string}`) =>
 *   Effect.gen(function*() {
 *     const signer = yield* HostedSigner.make({ address: from, payer: FeeDelegation.service })
 *     const contract = yield* Contract.make({ address: token, abi })
 *     return yield* contract.write("transfer", [to, 5n], { signer }).pipe(
 *       Effect.catchTag("SendUnknown", (unknown) => signer.reconcile(unknown))
 *     )
 *   })
 * ```
 */
import * as Address from "@effect-klaytn/core/Address"
import { HexDataFromWire, noData } from "@effect-klaytn/core/HexEncoding"
import * as Input from "@effect-klaytn/core/Input"
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import { KlaytnNode, type Service as Node } from "@effect-klaytn/node/KlaytnNode"
import * as RpcError from "@effect-klaytn/node/RpcError"
import * as Signer from "@effect-klaytn/node/Signer"
import { hexToBytes } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as fields from "./internal/contract/fields.js"
import type * as Outcome from "./SendOutcome.js"
import { SendRecord } from "./SendRecord.js"
import * as Lookup from "./TransactionLookup.js"
import type { TransactionRequestInput } from "./TransactionRequest.js"
import { type SendInput, type Service, Transactions } from "./Transactions.js"
import * as WalletCode from "./WalletCode.js"

/**
 * A signer for an account of the hosted wallet.
 *
 * @category models
 */
export interface HostedSigner extends Signer.Signer<Signer.AnyRequest> {
  /**
   * Looks again for a send with an unknown outcome, by the record in the error: also for one without a hash, and in a later
   * program. Looks once for the transaction, and then waits for its receipt. Fails with `SendUnknown` if nothing is known yet.
   */
  readonly reconcile: (
    unknown: Signer.SendUnknown,
    options?: Signer.Options
  ) => Effect.Effect<
    Signer.Sent,
    InvalidInput | Exclude<Signer.SendError, Signer.SigningFailed | Signer.NotSent>,
    KlaytnNode
  >
}

const account = {
  /** An account of the current pool. In one case or with a correct checksum. */
  address: Address.FromInput,
  payer: fields.send.payer,
  feeRatio: fields.send.feeRatio
}

/**
 * The account, and who pays its fees.
 *
 * @category models
 */
export interface Options extends Input.Of<typeof account> {}

type Account = Schema.Struct.Type<typeof account>

type SubmitError = Exclude<Signer.SendError, Signer.FailedInBlock>

const operation = "wallet.signer"

const decodeOptions = Input.decode(operation, Schema.Struct(account))

const refuse = (path: string, problem: string) => Effect.fail(InvalidInput.at(operation, [path], problem))

/** A count as a number, which is how the service takes it. */
const toNumber = (path: string, value: bigint | undefined): Effect.Effect<number | undefined, InvalidInput> => {
  const count = value === undefined ? undefined : Number(value)
  return count === undefined || Number.isSafeInteger(count)
    ? Effect.succeed(count)
    : refuse(path, "expected a bigint up to 2^53 - 1")
}

const toNonce = (path: string, value: bigint | undefined): Effect.Effect<number | undefined, InvalidInput> =>
  value === 0n ? refuse(path, "the service reads nonce 0 as none: leave it out") : toNumber(path, value)

const decodeBytes = Schema.decodeEither(HexDataFromWire)
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The text whose UTF-8 bytes these are: the only form in which the service takes the input of a value transfer. */
const toMemo = (bytes: string): Either.Either<string, unknown> =>
  Either.try(() => utf8.decode(hexToBytes(bytes.slice(2))))

/** A request in the form that the wallet sends. */
const toTransaction = Effect.fnUntraced(
  function*(
    node: Node,
    from: Address.Address,
    request: Signer.AnyRequest
  ): Effect.fn.Return<TransactionRequestInput, InvalidInput | RpcError.RpcError | ReadFailure> {
    if (request.cancel !== undefined) return { _tag: "Cancel", from, nonce: yield* toNonce("cancel", request.cancel) }
    if (request.accountKey !== undefined) return { _tag: "AccountUpdate", from, accountKey: request.accountKey }
    const { input = noData, to, value = 0n } = request
    if (to === undefined) {
      return input === noData
        ? yield* refuse("to", "give a receiver, or the code of a contract as input")
        : { _tag: "Deploy", from, input, value }
    }
    const bytes = yield* Effect.mapError(
      decodeBytes(input),
      () => InvalidInput.at(operation, ["input"], "expected bytes as 0x and hexadecimal digits")
    )
    // The chain takes a transfer to an account without code only.
    if (yield* node.klay.isContractAccount(to)) return { _tag: "Execute", from, to, input: bytes, value }
    if (bytes === noData) return { _tag: "Value", from, to, value }
    const memo = toMemo(bytes)
    return Either.isRight(memo)
      ? { _tag: "Value", from, to, value, memo: memo.right }
      : yield* refuse("input", "the receiver is no contract, and the service takes a memo of UTF-8 text only")
  }
)

type ReadFailure = Effect.Effect.Error<ReturnType<Node["klay"]["blockNumber"]>>

const toSend = Effect.fnUntraced(function*(node: Node, { address, ...payer }: Account, request: Signer.AnyRequest) {
  if (request.gasPrice !== undefined) yield* refuse("gasPrice", "the service chooses the gas price: leave it out")
  const gasLimit = yield* toNumber("gas", request.gas)
  const nonce = request.cancel === undefined ? yield* toNonce("nonce", request.nonce) : undefined
  return { request: yield* toTransaction(node, address, request), ...payer, gasLimit, nonce } satisfies SendInput
})

/** The failure of a call, under the tag that it has for all signers. */
const failureOf = (reason: Exclude<Outcome.SendUnknown["cause"], undefined>) => {
  if (reason._tag !== "InsufficientFunds") return reason
  const { refusal, who } = reason
  const serviceMessage = "code" in refusal ? WalletCode.nodeMessage(refusal) : undefined
  return new RpcError.InsufficientFunds({
    operation: refusal.operation,
    method: "klay_sendRawTransaction",
    code: -32000,
    serviceMessage: serviceMessage ?? refusal.message,
    retrySafe: false,
    ...(who === undefined ? {} : { who })
  })
}

/** What every failure of a send with an unknown outcome names. */
interface Known {
  readonly from: Address.Address
  readonly record: unknown
}

const encodeRecord = Schema.encodeSync(SendRecord)
const decodeRecord = Schema.decodeUnknownEither(SendRecord)

const ofNotSent = (known: Known, { proof, reason }: Outcome.NotSent): SubmitError => {
  const { from } = known
  switch (reason._tag) {
    case "NonceTaken":
      return superseded(from, reason.by)
    case "PlanChanged":
    case "SpendRefused":
      return new Signer.SigningFailed({ from, problem: reason.message })
    default: {
      const failure = failureOf(reason)
      return proof === "lookup"
        ? new Signer.SendUnknown({ ...known, reason: "answer", failure })
        : new Signer.NotSent({ from, reason: failure })
    }
  }
}

const superseded = (from: Address.Address, by: Outcome.FoundTransaction) =>
  new Signer.Superseded({
    from,
    nonce: BigInt(by.nonce),
    by: by.transactionHash,
    ...(by.block === undefined ? {} : { blockNumber: BigInt(by.block) })
  })

/** The hash of the transaction, if the verdict names one. */
const ofVerdict = (
  unknown: Signer.SendUnknown,
  verdict: Outcome.SendVerdict
): Either.Either<Signer.Submitted, Signer.Superseded | Signer.SendUnknown> => {
  switch (verdict._tag) {
    case "Executed":
    case "Waiting":
      return Either.right({ transactionHash: verdict.transaction.transactionHash, record: unknown.record })
    case "Superseded":
      return Either.left(superseded(unknown.from, verdict.transaction))
    default:
      return Either.left(unknown)
  }
}

/** One look-up for a send with an unknown outcome. */
const ofUnknown = (known: Known, error: Outcome.SendUnknown) => {
  const { cause, send: { hash } } = error
  const unknown = new Signer.SendUnknown({
    ...known,
    record: encodeRecord(error.send),
    reason: "answer",
    ...(hash === undefined ? {} : { transactionHash: hash }),
    ...(cause === undefined ? {} : { failure: failureOf(cause) })
  })
  return Effect.matchEffect(error.reconcile, {
    onFailure: () => Effect.fail(unknown),
    onSuccess: (verdict) => ofVerdict(unknown, verdict)
  })
}

/** Nothing was sent: the node could not be read, the request was refused, or the record could not be made. */
const unsent = (from: Address.Address) => (error: PrepareFailure): SubmitError => {
  switch (error._tag) {
    case "PlanChanged":
      return new Signer.SigningFailed({ from, problem: error.message })
    case "LookupFailed":
      return error.cause === undefined
        ? new Signer.SigningFailed({ from, problem: error.problem })
        : new Signer.NotSent({ from, reason: error.cause })
    default:
      return new Signer.NotSent({ from, reason: error })
  }
}

type PrepareFailure = InvalidInput | RpcError.RpcError | ReadFailure | Outcome.PlanChanged | Outcome.LookupFailed

const submit = Effect.fnUntraced(function*(transactions: Service, account: Account, request: Signer.AnyRequest) {
  const { address: from } = account
  const sendRecord = yield* Effect.gen(function*() {
    const node = yield* KlaytnNode
    const send = yield* toSend(node, account, request)
    return yield* transactions.prepare(yield* transactions.plan(send))
  }).pipe(Effect.mapError(unsent(from)))
  const known: Known = { from, record: encodeRecord(sendRecord) }
  return yield* Effect.matchEffect(transactions.execute(sendRecord), {
    onFailure: (error) => error._tag === "NotSent" ? Effect.fail(ofNotSent(known, error)) : ofUnknown(known, error),
    onSuccess: (end) =>
      end._tag === "Sent"
        ? Effect.succeed({ transactionHash: end.transactionHash, record: known.record })
        : Effect.fail(new Signer.SendUnknown({ ...known, reason: "signatures" }))
  })
})

/** Looks by the record, which finds the transaction under any hash, and then for the receipt. */
const makeReconcile = (lookup: Lookup.Service): HostedSigner["reconcile"] => (unknown, options) =>
  Effect.gen(function*() {
    const record = yield* decodeRecord(unknown.record)
    const verdict = yield* Effect.provideService(Lookup.reconcile(record), Lookup.TransactionLookup, lookup)
    return new Signer.SendUnknown({ ...unknown, ...(yield* ofVerdict(unknown, verdict)) })
  }).pipe(
    Effect.catchAll((error) => error._tag === "Superseded" ? Effect.fail(error) : Effect.succeed(unknown)),
    Effect.flatMap((known) => Signer.reconcile(known, options))
  )

/**
 * Makes a signer for an account of the hosted wallet.
 *
 * @category constructors
 */
export const make = (
  options: Options
): Effect.Effect<HostedSigner, InvalidInput, Transactions | Lookup.TransactionLookup> =>
  Effect.gen(function*() {
    const account = yield* decodeOptions(options)
    const transactions = yield* Transactions
    const reconcile = makeReconcile(yield* Lookup.TransactionLookup)
    const { address } = account
    const signer = Signer.make({ address, submit: (request) => submit(transactions, account, request) })
    return {
      address,
      send: (request, waiting) =>
        signer.send(request, waiting).pipe(
          // The transaction may be in a block under another hash.
          Effect.catchTag("SendUnknown", (unknown) =>
            unknown.reason === "receipt"
              ? Effect.catchTag(reconcile(unknown, { within: 0 }), "InvalidInput", () => Effect.fail(unknown))
              : Effect.fail(unknown))
        ),
      reconcile
    }
  })
