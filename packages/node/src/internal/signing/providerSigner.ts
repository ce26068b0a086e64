/** Signers that submit transactions in their own way, and the wallets of EIP-1193 among them. */
import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Input from "@effect-klaytn/core/Input"
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { KlaytnNode } from "../../KlaytnNode.js"
import { NotSent, SendUnknown, SigningFailed, type Superseded } from "../../SignerError.js"
import * as rawTransaction from "../calls/rawTransaction.js"
import * as classifyError from "../errors/classifyError.js"
import type { CallDescriptor } from "../errors/failure.js"
import * as request from "./sendRequest.js"
import * as settling from "./settling.js"

type Submit<R> = (
  request: R
) => Effect.Effect<
  Omit<settling.Submission, "from"> & { readonly record?: unknown },
  SigningFailed | NotSent | SendUnknown | Superseded,
  KlaytnNode
>

export const fromSubmit = <R>(
  { address, submit }: { readonly address: Address.Address; readonly submit: Submit<R> }
) => ({
  address,
  send: (input: R, options?: settling.Options) =>
    Effect.gen(function*() {
      const waiting = yield* settling.waitingOf(address, options)
      const submitted = { from: address, ...yield* submit(input) }
      return yield* settling.follow(submitted, waiting, new SendUnknown({ ...submitted, reason: "receipt" }))
    })
})

const call: CallDescriptor = { operation: "node.send", method: "eth_sendTransaction", safety: "once" }

/** The codes with which a wallet says that it did not sign: declined, not authorised, not supported. */
const notSigned: ReadonlySet<unknown> = new Set([4001, 4100, 4200])

const toError = (from: Address.Address, thrown: unknown): SigningFailed | NotSent | SendUnknown => {
  const code = Predicate.hasProperty(thrown, "code") ? thrown.code : undefined
  if (notSigned.has(code)) return new SigningFailed({ from, problem: `the wallet did not sign (code ${String(code)})` })
  // The fields of an `Error` are copied, because it is no plain record.
  const said = Predicate.hasProperty(thrown, "message") ? { code, message: thrown.message } : thrown
  const reason = classifyError.classify(call, JsonRpc.errorObject(identity)(said), identity)
  return rawTransaction.isProof(reason)
    ? new NotSent({ from, reason })
    : new SendUnknown({ from, reason: "answer", failure: reason })
}

const toHash = Schema.decodeUnknownOption(Hash.FromWire)

const decodeAddress = Input.decode("node.signer", Schema.Struct({ address: Address.FromInput }))

/** A wallet as EIP-1193 describes it. */
interface Wallet {
  readonly request: (request: { readonly method: string; readonly params: ReadonlyArray<unknown> }) => Promise<unknown>
}

export const make = (wallet: Wallet, input: string) =>
  Effect.map(decodeAddress({ address: input }), ({ address }) => {
    const submit: Submit<unknown> = (one) =>
      Effect.gen(function*() {
        const checked = yield* Effect.mapError(request.decode(one), (reason) => new NotSent({ from: address, reason }))
        const answer = yield* Effect.tryPromise({
          try: () =>
            wallet.request({
              method: "eth_sendTransaction",
              params: [{ from: address, ...request.toWire(checked) }]
            }),
          catch: (thrown) => toError(address, thrown)
        })
        const hash = toHash(answer)
        return Option.isSome(hash)
          ? { transactionHash: hash.value }
          : yield* new SendUnknown({ from: address, reason: "answer" })
      })
    return fromSubmit({ address, submit })
  })
