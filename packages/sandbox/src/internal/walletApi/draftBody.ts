import type { FeePayerStyle } from "@effect-klaytn/core/FeePayerStyle"
import { attempt } from "@effect-klaytn/local-chain/ChainError"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import type { basic, fd } from "@effect-klaytn/wallet/TransactionsApi"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Payer } from "../store/WalletRecord.js"
import { accountKeyOf } from "../wallet/accountKeyOf.js"
import type { ChainWallet } from "../wallet/ChainWallet.js"
import type { Draft } from "../wallet/Draft.js"
import type { Failure, WalletRequest } from "./WalletRequest.js"

/** The body of an operation. */
type Body<Operation extends { readonly request: { readonly payload: { readonly Type: unknown } } }> =
  Operation["request"]["payload"]["Type"]

/** What all bodies have. */
interface SharedFields {
  readonly from: Hex
  readonly nonce?: number | undefined
  readonly gas?: number | undefined
  readonly gasLimit?: number | undefined
  readonly submit?: boolean | undefined
  readonly feeRatio?: number | undefined
}

/** Units of gas of a transaction for which the request names none. */
export const defaultGas = 1_000_000
const defaultDeployGas = 9_000_000

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

/** The fee payer that the body names pays; without one the sender. */
export const byNamed = byNamedOr("sender")

/** Who pays for `POST /v2/tx/value`: without a fee payer the service's own by the document, else the sender. */
export const byStyle = (style: FeePayerStyle) => byNamedOr(style === "document" ? "global" : "sender")

/** The percentage of a body; 0 is none. */
export const feeRatioOf = ({ refusals }: WalletRequest, { feeRatio }: { readonly feeRatio?: number | undefined }) => {
  if (feeRatio === undefined || feeRatio === 0) return Effect.succeed(undefined)
  return feeRatio > 99 ? refusals.fail("feeRatioOutOfRange") : Effect.succeed(feeRatio)
}

/** Makes drafts of decoded bodies. */
export const make = (request: WalletRequest) => {
  const draftOf = (body: SharedFields, payer: Payer, plain: Draft["plain"], gas = defaultGas) =>
    Effect.map(payer === "sender" ? Effect.succeed(undefined) : feeRatioOf(request, body), (feeRatio): Draft => ({
      from: body.from,
      nonce: body.nonce === undefined || body.nonce === 0 ? undefined : BigInt(body.nonce),
      gas: BigInt(body.gasLimit || body.gas || gas),
      submit: body.submit === true,
      plain,
      payer,
      feeRatio
    }))

  const of =
    <Fields>(plainOf: (body: Fields) => Draft["plain"], gas?: number) => (body: SharedFields & Fields, payer: Payer) =>
      draftOf(body, payer, plainOf(body), gas)

  return {
    /** A transfer of coin. A memo is text, whatever it looks like: its bytes are the input. An empty one is none. */
    value: of(({ memo = "", to, value }: Body<typeof fd.value>) => (common) =>
      memo === ""
        ? Transaction.make({ type: "ValueTransfer", ...common, to, value })
        : Transaction.make({
          type: "ValueTransferMemo",
          ...common,
          to,
          value,
          input: `0x${Buffer.from(memo, "utf8").toString("hex")}`
        })
    ),

    /** The oldest form. */
    legacy: of(({ input, to, value }: Body<typeof basic.legacy>) => (common) =>
      Transaction.make({
        type: "LegacyTransaction",
        ...common,
        ...(to !== undefined && { to }),
        value: value ?? 0n,
        input: input ?? "0x"
      })
    ),

    /** The creation of a contract. */
    deploy: of(({ input, value }: Body<typeof basic.deploy>) => (common) =>
      Transaction.make({
        type: "SmartContractDeploy",
        ...common,
        value: value ?? 0n,
        input,
        humanReadable: false,
        codeFormat: 0
      }), defaultDeployGas),

    /** A call of a contract. */
    execute: of(({ input, to, value }: Body<typeof basic.execute>) => (common) =>
      Transaction.make({ type: "SmartContractExecution", ...common, to, value: value ?? 0n, input })
    ),

    /** Data for the chain to keep. */
    anchor: of(({ input }: Body<typeof basic.anchor>) => (common) =>
      Transaction.make({ type: "ChainDataAnchoring", ...common, input })
    ),

    /** A cancellation of what has the nonce or the hash. */
    cancel: (body: SharedFields & Body<typeof basic.cancel>, payer: Payer, wallet: ChainWallet) =>
      Effect.flatMap(
        draftOf(body, payer, (common) => Transaction.make({ type: "Cancel", ...common })),
        (draft) => cancellation(request, wallet, body, draft)
      ),

    /** Another key for the account. */
    update: (body: SharedFields & Body<typeof basic.accountUpdate>, payer: Payer) =>
      Effect.flatMap(
        Effect.mapError(accountKeyOf(body.accountKey), (problem) =>
          problem === "legacy in a role"
            ? request.refusals.of("legacyInRoleBased")
            : request.refusals.of("badAccountKey", problem.message)),
        (key) => draftOf(body, payer, (common) => Transaction.make({ type: "AccountUpdate", ...common, key }))
      )
  }
}

/** Sender, nonce and gas of a transaction in a block or in the pool. */
const findTransaction = (wallet: ChainWallet, hash: Hex) =>
  Effect.gen(function*() {
    const mined = yield* wallet.chain.transaction(hash)
    if (Option.isSome(mined)) return mined
    const waiting = yield* wallet.chain.pendingTransaction(hash)
    return yield* attempt("cancel", () =>
      Option.flatMap(waiting, ({ from, raw }) => {
        const decoded = Transaction.decode(raw)
        return decoded.ok ? Option.some({ from, nonce: decoded.value.nonce, gas: decoded.value.gas }) : Option.none()
      }))
  })

/** The draft of a cancellation; nonce (0 included) and gas (inferred) may be those of a transaction named by its hash. */
const cancellation = (
  { refusals }: WalletRequest,
  wallet: ChainWallet,
  body: SharedFields & Body<typeof basic.cancel>,
  draft: Draft
): Effect.Effect<Draft, Failure> =>
  Effect.gen(function*() {
    if (draft.nonce !== undefined) return draft
    if (body.transactionHash === undefined) return yield* refusals.fail("empty", "nonce")
    const found = Option.getOrUndefined(yield* findTransaction(wallet, body.transactionHash))
    if (found === undefined || found.from !== body.from) return yield* refusals.fail("unknownTransaction")
    return { ...draft, nonce: found.nonce, gas: body.gas ? draft.gas : found.gas }
  })
