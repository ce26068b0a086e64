import type { BadRequest, InternalError } from "@effect-klaytn/core/ErrorBody"
import type { FeePayerStyle } from "@effect-klaytn/core/FeePayerStyle"
import { attempt } from "@effect-klaytn/local-chain/ChainError"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import type { AccountKeyBody } from "@effect-klaytn/wallet/AccountKeyBody"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { accountKeyOf } from "../wallet/accountKeyOf.js"
import type { ChainWallet } from "../wallet/ChainWallet.js"
import type { Action, Draft, Payer } from "../wallet/Draft.js"
import type { WalletRefusals } from "./WalletRefusals.js"
import type { WalletRequest } from "./WalletRequest.js"

/** What all bodies have. */
interface SharedFields {
  readonly from: string
  readonly nonce?: number | undefined
  readonly gas?: number | undefined
  readonly gasLimit?: number | undefined
  readonly submit?: boolean | undefined
  readonly feeRatio?: number | undefined
  readonly feePayer?: string | undefined
  readonly fee_payer?: string | undefined
}

/** Text that the contract has read as hexadecimal; its brand is another than the chain's. */
export const hexOf = (text: string): Hex => `0x${text.slice(2)}`

/** Units of gas of a transaction for which the request names none. */
export const defaultGas = 1_000_000
const defaultDeployGas = 9_000_000

/** The sender pays. */
export const bySender = (): Payer => ({ kind: "sender" })

/** The global fee payer of the service pays. */
export const byService = (): Payer => ({ kind: "service" })

type NamedPayer = Pick<SharedFields, "feePayer" | "fee_payer">

/** The fee payer that the body names; without one, `other`. */
const byNamedOr = (other: () => Payer) => ({ fee_payer: alternative, feePayer = alternative }: NamedPayer): Payer =>
  feePayer === undefined ? other() : { kind: "user", address: hexOf(feePayer) }

/** The fee payer that the body names pays; without one the sender. */
export const byNamed = byNamedOr(bySender)

/** Who pays for `POST /v2/tx/value`: without a fee payer the service's own by the document, else the sender. */
export const byStyle = (style: FeePayerStyle): (body: NamedPayer) => Payer =>
  style === "document" ? byNamedOr(byService) : byNamed

/** The memo is text, whatever it looks like: its bytes are the input. An empty one is none. */
const memoOf = (memo: string | undefined): Hex | undefined =>
  memo === undefined || memo === "" ? undefined : `0x${Buffer.from(memo, "utf8").toString("hex")}`

type Read<Fields> = (body: SharedFields & Fields, payer: Payer) => Effect.Effect<Draft, BadRequest>

/** From bodies, as the contract reads them, to drafts. */
export const make = (refusals: WalletRefusals) => {
  /** The percentage of a body; 0 is none. */
  const feeRatioOf = (feeRatio: number | undefined): Effect.Effect<number | undefined, BadRequest> => {
    if (feeRatio === undefined || feeRatio === 0) return Effect.succeed(undefined)
    return feeRatio > 99 ? Effect.fail(refusals.feeRatioOutOfRange()) : Effect.succeed(feeRatio)
  }

  const draftOf = (
    body: SharedFields,
    payer: Payer,
    action: Action,
    gas = defaultGas
  ): Effect.Effect<Draft, BadRequest> =>
    Effect.map(feeRatioOf(payer.kind === "sender" ? undefined : body.feeRatio), (feeRatio) => ({
      from: hexOf(body.from),
      nonce: body.nonce === undefined || body.nonce === 0 ? undefined : BigInt(body.nonce),
      gas: BigInt(body.gasLimit || body.gas || gas),
      submit: body.submit === true,
      action,
      payer,
      feeRatio
    }))

  /** A transfer of coin. */
  const value: Read<{ readonly to: string; readonly value: bigint; readonly memo?: string | undefined }> = (
    body,
    payer
  ) => draftOf(body, payer, { kind: "value", to: hexOf(body.to), value: body.value, memo: memoOf(body.memo) })

  /** The oldest form. */
  const legacy: Read<
    { readonly to?: string | undefined; readonly value?: bigint | undefined; readonly input?: string | undefined }
  > = (body, payer) =>
    draftOf(body, payer, {
      kind: "legacy",
      to: body.to === undefined ? undefined : hexOf(body.to),
      value: body.value ?? 0n,
      input: hexOf(body.input ?? "0x")
    })

  /** The creation of a contract. */
  const deploy: Read<{ readonly input: string; readonly value?: bigint | undefined }> = (body, payer) =>
    draftOf(body, payer, { kind: "deploy", value: body.value ?? 0n, input: hexOf(body.input) }, defaultDeployGas)

  /** A call of a contract. */
  const execute: Read<{ readonly to: string; readonly input: string; readonly value?: bigint | undefined }> = (
    body,
    payer
  ) =>
    draftOf(body, payer, {
      kind: "execute",
      to: hexOf(body.to),
      value: body.value ?? 0n,
      input: hexOf(body.input)
    })

  /** Data for the chain to keep. */
  const anchor: Read<{ readonly input: string }> = (body, payer) =>
    draftOf(body, payer, { kind: "anchor", input: hexOf(body.input) })

  /** A cancellation of what has the nonce, 0 included. */
  const cancel: Read<{ readonly nonce: number | undefined }> = (body, payer) =>
    Effect.map(draftOf(body, payer, { kind: "cancel" }), (draft) => ({
      ...draft,
      nonce: body.nonce === undefined ? undefined : BigInt(body.nonce)
    }))

  /** Another key for the account. */
  const update: Read<{ readonly accountKey: AccountKeyBody }> = (body, payer) =>
    Effect.flatMap(
      Effect.mapError(
        accountKeyOf(body.accountKey),
        (problem) =>
          problem === "legacy in a role" ? refusals.legacyInRoleBased() : refusals.badAccountKey(problem.message)
      ),
      (key) => draftOf(body, payer, { kind: "update", key })
    )

  return { value, legacy, deploy, execute, anchor, cancel, update, feeRatioOf }
}

/** A transaction that is to be cancelled, as a body names it. */
interface CancellationBody {
  readonly from: string
  readonly nonce?: number | undefined
  readonly gas?: number | undefined
  readonly transactionHash?: string | undefined
}

/** Nonce and gas of a transaction of the chain, be it in a block or waiting for one. */
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

/** The body of a cancellation, with the nonce of the transaction that it names by its hash, and its gas (inferred). */
export const completeCancellation = <Body extends CancellationBody>(
  request: WalletRequest,
  wallet: ChainWallet,
  body: Body
): Effect.Effect<Body & { readonly nonce: number | undefined }, BadRequest | InternalError> => {
  const { nonce, transactionHash } = body
  if (transactionHash === undefined || (nonce !== undefined && nonce !== 0)) {
    return nonce === undefined || nonce === 0
      ? Effect.fail(request.refusals.empty("nonce"))
      : Effect.succeed({ ...body, nonce })
  }
  return Effect.flatMap(
    request.mapStoreFailure(findTransaction(wallet, `0x${transactionHash.slice(2)}`)),
    (transaction) =>
      Option.isSome(transaction) && transaction.value.from === body.from
        ? Effect.succeed({
          ...body,
          nonce: Number(transaction.value.nonce),
          gas: body.gas || Number(transaction.value.gas)
        })
        : Effect.fail(request.refusals.unknownTransaction())
  )
}
