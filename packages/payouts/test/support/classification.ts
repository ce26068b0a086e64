/**
 * What the wallet makes of an answer: the real client on a recorded wire, with a chain that shows what the test says. The
 * result depends on the request, the answers and that view alone, so each combination is run once.
 */
import { Address } from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as Testing from "@effect-klaytn/core/Testing"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import {
  type FoundTransaction,
  LookupFailed,
  type NotSent,
  type SendUnknown,
  type SendVerdict,
  type Submission
} from "@effect-klaytn/wallet/SendOutcome"
import * as SpendPolicy from "@effect-klaytn/wallet/SpendPolicy"
import * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import * as Transactions from "@effect-klaytn/wallet/Transactions"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

export const from = Schema.decodeSync(Address)("0x71c7656ec7ab88b098defb751b7401b5f6d8976f")
const to = Schema.decodeSync(Address)("0x2222222222222222222222222222222222222222")

/** What a transaction of the model moves: a payment of an amount, or a cancellation. */
export type Content = "cancel" | "stranger" | `pay ${number}`

/** The hash of a transaction: the service signs the same bytes for the same content and nonce. */
export const hashOf = (content: Content, nonce: number): Hash.Hash =>
  Either.getOrThrow(Hash.make(`0x${Buffer.from(`${content} ${nonce}`).toString("hex").padEnd(64, "0")}`))

const amountOf = (content: Content): bigint => content.startsWith("pay ") ? BigInt(content.slice(4)) : 0n

/** Types of the chain, as numbers: a value transfer and a cancellation, whose fee another account pays. */
const found = (content: Content, nonce: number): FoundTransaction => ({
  transactionHash: hashOf(content, nonce),
  from,
  nonce,
  typeInt: content === "cancel" ? 57 : 9,
  to: content === "cancel" ? undefined : content === "stranger" ? from : to,
  value: amountOf(content),
  input: "0x",
  state: "succeeded",
  block: 10 + nonce
})

/** What the chain shows at the nonce that is asked about: a transaction in a block, nothing yet, or no answer. */
export type View = Content | "nothing" | "no answer"

const lookup = (view: View, at: number): TransactionLookup.Service => {
  const fails = view === "no answer" ? new LookupFailed({ problem: "the node does not answer" }) : undefined
  const shown = view === "nothing" || view === "no answer" ? undefined : found(view, at)
  return {
    nextNonce: () => fails ?? Effect.succeed(shown === undefined ? at : at + 1),
    byHash: (hash) =>
      fails ?? Effect.succeed(Option.filter(Option.fromNullable(shown), (one) => one.transactionHash === hash)),
    byNonce: (_, nonce) => fails ?? Effect.succeed(Option.filter(Option.fromNullable(shown), () => nonce === at)),
    byNonces: (_, nonces) => fails ?? Effect.succeed(shown !== undefined && nonces.includes(at) ? [shown] : [])
  }
}

const refusal = (code: number, message: string): Testing.Step => Testing.json(400, { code, message })
const node = (words: string): Testing.Step =>
  refusal(1065001, `failed to send a raw transaction to klaytn node; -32000::${words}`)

const accepted = (content: Content, nonce: number): Testing.Step =>
  Testing.json(200, {
    from,
    gas: 1_000_000,
    gasPrice: "0x5d21dba00",
    hash: hashOf(content, nonce),
    nonce,
    signatures: [],
    status: "Submitted",
    transactionHash: hashOf(content, nonce),
    typeInt: content === "cancel" ? 57 : 9,
    ...(content === "cancel" ? {} : { to, value: `0x${amountOf(content).toString(16)}` })
  })

/** What comes back for one request: every answer depends on state, except for the one that every copy must get. */
const wires = {
  accepted,
  "nonce too low": () => node("nonce too low"),
  "known transaction": (content: Content, nonce: number) =>
    node(`known transaction: ${hashOf(content, nonce).slice(2)}`),
  "same nonce": () => node("there is another tx which has the same nonce in the tx pool"),
  "already submitted": () => refusal(1061914, "already submitted transaction. Confirm transaction hash"),
  "no funds": () => node("insufficient funds of the sender for value "),
  "too many": () => Testing.json(429, { code: 1010010, message: "too many requests" }),
  "not available": () => Testing.text(503, ""),
  "answer lost": () => Testing.text(502, ""),
  "a proxy's word": () => Testing.text(403, "<html>"),
  "no connection": () => Testing.broken(Testing.networkError("ECONNREFUSED", { syscall: "connect" })),
  "not an address": () => refusal(1061609, "it just allow Klaytn address form; to")
} satisfies Record<string, (content: Content, nonce: number) => Testing.Step>

export type Answer = keyof typeof wires

const answers = Object.keys(wires) as ReadonlyArray<Answer> // `Object.keys` forgets the names

/** The refusals that every copy of a request must get. */
export const isForGood = (answer: Answer): boolean => answer === "not an address"

type Clients = Effect.Effect.Success<ReturnType<typeof clients>>

const clients = (view: View, nonce: number, wire: Testing.Wire, attempts: number) => {
  const options = { policy: SpendPolicy.unlimited, lookup: lookup(view, nonce) }
  return Effect.all({ wallet: Wallet.make(options), transactions: Transactions.make(options) }).pipe(
    Effect.provide(Testing.layer(wire, { retry: RetryPolicy.make({ attempts, baseDelay: "1 millis" }) }))
  )
}

/** What the wallet makes of a request, and of a look-up, with nonce 1; {@link atNonce} gives the event another one. */
export interface Classification {
  readonly send: (
    content: Content,
    script: Script,
    view: View
  ) => Either.Either<Submission, NotSent | SendUnknown>
  /** Undefined if the look-up fails. */
  readonly lookUp: (content: Content, view: View) => SendVerdict | undefined
}

/** The answers to the one request of a send, or to both if the client repeats the first. */
export type Script = ReadonlyArray<Answer>

const repeated: ReadonlyArray<Answer> = ["accepted", "nonce too low", "no funds", "no connection", "not an address"]

export const scripts: ReadonlyArray<Script> = [
  ...answers.map((answer) => [answer]),
  ...repeated.flatMap((answer): ReadonlyArray<Script> => [["answer lost", answer], ["no connection", answer]])
]

/** The nonce of all requests that are made: what becomes of them does not depend on the nonce, as long as it is not 0. */
const madeWith = 1

/** Plain data about a request, as if the request had another nonce. */
export const atNonce = <A>(contents: ReadonlyArray<Content>, data: A, nonce: number): A => {
  const hashes = new Map<unknown, unknown>(
    [...contents, "cancel", "stranger"].map((
      content
    ) => [hashOf(content as Content, madeWith), hashOf(content as Content, nonce)])
  )
  const replace = (part: unknown): unknown => {
    if (typeof part !== "object" || part === null) return hashes.get(part) ?? part
    return Object.fromEntries(
      Object.entries(part).map(([name, inner]) => [name, name === "nonce" ? nonce : replace(inner)])
    )
  }
  return replace(data) as A
}

const sendOf = (content: Content, { transactions, wallet }: Clients) =>
  content === "cancel"
    ? transactions.send({ request: { _tag: "Cancel", from, nonce: madeWith }, payer: FeeDelegation.service })
    : wallet.sendValue({ from, to, value: amountOf(content), payer: FeeDelegation.service, nonce: madeWith })

const lookUpOf = (content: Content, view: View, { wallet }: Clients) =>
  wallet.plan({ from, to, value: amountOf(content), payer: FeeDelegation.service, nonce: madeWith }).pipe(
    Effect.flatMap((plan) => TransactionLookup.reconcile({ plan })),
    Effect.provideService(TransactionLookup.TransactionLookup, lookup(view, madeWith)),
    Effect.option
  )

/** Makes every request, with every answer and everything that the chain may show. */
export const classify = (contents: ReadonlyArray<Content>) =>
  Effect.gen(function*() {
    const known: ReadonlyArray<Content> = [...contents, "stranger"]
    const sends = new Map<string, Either.Either<Submission, NotSent | SendUnknown>>()
    const verdicts = new Map<string, SendVerdict | undefined>()
    for (const content of contents) {
      for (const view of [...known, "nothing", "no answer"] as const) {
        for (const script of scripts) {
          const wire = Testing.wire(...script.map((answer) => wires[answer](content, madeWith)))
          const send = sendOf(content, yield* clients(view, madeWith, wire, script.length))
          sends.set([content, script, view].join("|"), yield* Effect.either(send))
        }
        if (content === "cancel") continue
        const verdict = yield* lookUpOf(content, view, yield* clients(view, madeWith, Testing.wire(), 1))
        verdicts.set([content, view].join("|"), Option.getOrUndefined(verdict))
      }
    }
    const classification: Classification = {
      send: (content, script, view) => {
        const outcome = sends.get([content, script, view].join("|"))
        if (outcome === undefined) throw new Error(`no send of ${content}, ${script}, ${view}`)
        return outcome
      },
      lookUp: (content, view) => verdicts.get([content, view].join("|"))
    }
    return classification
  })
