import type { FeePayerStyle } from "@effect-klaytn/core/FeePayerStyle"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import type { Result } from "@effect-klaytn/transaction/Result"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import type { basic, fd } from "@effect-klaytn/wallet/TransactionsApi"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Payer } from "../../WalletRecord.js"
import { accountKeyOf } from "../wallet/accountKeyOf.js"
import { decodeStored, findTransaction } from "../wallet/signing.js"
import type { Failure, WalletRequest } from "./WalletRequest.js"

/** The fields that all transactions have. */
interface Common {
  readonly nonce: bigint
  /** peb for one unit of gas. */
  readonly gasPrice: bigint
  readonly gas: bigint
  readonly from: Hex
}

/** A transaction as requested, without the fields that the service fills in. */
export interface Draft {
  readonly from: Hex
  /** Default: the next nonce of the account. */
  readonly nonce: bigint | undefined
  readonly gas: bigint
  /** False: the transaction is signed, and not sent. */
  readonly submit: boolean
  /** Makes the transaction, unsigned and without a fee payer. */
  readonly plain: (common: Common) => Result<Transaction.Transaction>
  readonly payer: Payer
  /** The percentage that the fee payer pays; undefined if the fee payer pays all or nothing. */
  readonly feeRatio: number | undefined
}

/** The body of an operation. */
type Body<Operation extends { readonly request: { readonly payload: { readonly Type: unknown } } }> =
  Operation["request"]["payload"]["Type"]

/** The fields that all bodies have. */
interface SharedFields {
  readonly from: Hex
  readonly nonce?: number | undefined
  readonly gas?: number | undefined
  readonly gasLimit?: number | undefined
  readonly submit?: boolean | undefined
  readonly feeRatio?: number | undefined
}

/** The gas of a transaction if the request names none. */
export const defaultGas = 1_000_000

/** The sender pays. */
export const bySender = (): Payer => "sender"

/** The global fee payer of the service pays. */
export const byService = (): Payer => "global"

interface NamedPayer {
  readonly feePayer?: Hex | undefined
  readonly fee_payer?: Hex | undefined
}

const byNamedOr = (other: Payer) => ({ fee_payer: alternative, feePayer = alternative }: NamedPayer): Payer =>
  feePayer ?? other

/** The fee payer that the body names pays, or else the sender. */
export const byNamed = byNamedOr("sender")

/** For `POST /v2/tx/value`: the named fee payer pays, or else the service (in the style of the document) or the sender. */
export const byStyle = (style: FeePayerStyle) => byNamedOr(style === "document" ? "global" : "sender")

/** The percentage of a body; undefined for 0. */
export const feeRatioOf = ({ refusals }: WalletRequest, { feeRatio }: { readonly feeRatio?: number | undefined }) => {
  if (feeRatio === undefined || feeRatio === 0) return Effect.succeed(undefined)
  return feeRatio > 99 ? refusals.fail("feeRatioOutOfRange") : Effect.succeed(feeRatio)
}

const draftOf = (
  request: WalletRequest,
  body: SharedFields,
  payer: Payer,
  plain: Draft["plain"],
  gas = defaultGas
): Effect.Effect<Draft, Failure> =>
  Effect.map(payer === "sender" ? Effect.succeed(undefined) : feeRatioOf(request, body), (feeRatio) => ({
    from: body.from,
    nonce: body.nonce === undefined || body.nonce === 0 ? undefined : BigInt(body.nonce),
    gas: BigInt(body.gasLimit || body.gas || gas),
    submit: body.submit === true,
    plain,
    payer,
    feeRatio
  }))

/** Makes drafts of the decoded bodies of an operation. */
export type MakeDraft<Fields> = (
  request: WalletRequest,
  body: SharedFields & Fields,
  payer: Payer
) => Effect.Effect<Draft, Failure>

const makeDraft =
  <Fields>(plainOf: (body: Fields) => Draft["plain"], gas?: number): MakeDraft<Fields> => (request, body, payer) =>
    draftOf(request, body, payer, plainOf(body), gas)

/** A transfer of coin. The input is the bytes of the memo, even if the memo looks like hex. An empty memo is none. */
export const value = makeDraft(({ memo = "", to, value }: Body<typeof fd.value>) => (common) =>
  memo === ""
    ? Transaction.make({ type: "ValueTransfer", ...common, to, value })
    : Transaction.make({ type: "ValueTransferMemo", ...common, to, value, input: fromBytes(Buffer.from(memo, "utf8")) })
)

/** A transaction of the oldest type. */
export const legacy = makeDraft(({ input, to, value }: Body<typeof basic.legacy>) => (common) =>
  Transaction.make({
    type: "LegacyTransaction",
    ...common,
    ...(to !== undefined && { to }),
    value: value ?? 0n,
    input: input ?? "0x"
  })
)

/** The creation of a contract. */
export const deploy = makeDraft(
  ({ input, value }: Body<typeof basic.deploy>) => (common) =>
    Transaction.make({
      type: "SmartContractDeploy",
      ...common,
      value: value ?? 0n,
      input,
      humanReadable: false,
      codeFormat: 0
    }),
  9_000_000
)

/** A call of a contract. */
export const execute = makeDraft(({ input, to, value }: Body<typeof basic.execute>) => (common) =>
  Transaction.make({ type: "SmartContractExecution", ...common, to, value: value ?? 0n, input })
)

/** Data for the chain to keep. */
export const anchor = makeDraft(({ input }: Body<typeof basic.anchor>) => (common) =>
  Transaction.make({ type: "ChainDataAnchoring", ...common, input })
)

/** Another key for the account. */
export const update: MakeDraft<Body<typeof basic.accountUpdate>> = (request, body, payer) =>
  Effect.flatMap(
    Effect.mapError(accountKeyOf(body.accountKey), (problem) =>
      problem === "legacy in a role"
        ? request.refusals.of("legacyInRoleBased")
        : request.refusals.of("badAccountKey", problem.message)),
    (key) => draftOf(request, body, payer, (common) => Transaction.make({ type: "AccountUpdate", ...common, key }))
  )

/**
 * The cancellation of a transaction by its nonce or its hash. With a hash, nonce (0 included) and gas (inferred) are those of
 * the transaction.
 */
export const cancel: MakeDraft<Body<typeof basic.cancel>> = (request, body, payer) =>
  Effect.gen(function*() {
    const { refusals, wallet: { chain } } = request
    const draft = yield* draftOf(request, body, payer, (common) => Transaction.make({ type: "Cancel", ...common }))
    if (draft.nonce !== undefined) return draft
    if (body.transactionHash === undefined) return yield* refusals.fail("empty", "nonce")
    const found = Option.getOrUndefined(yield* findTransaction(chain, body.transactionHash))
    if (found === undefined || found.from !== body.from) return yield* refusals.fail("unknownTransaction")
    const { gas, nonce } = yield* decodeStored("cancel", found.raw)
    return { ...draft, nonce, gas: body.gas ? draft.gas : gas }
  })
