/** The drill of sends, for the command and for the test. */
import type { Address } from "@effect-klaytn/core/Address"
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import type { LookupFailed } from "@effect-klaytn/wallet/FoundTransaction"
import * as NonceSource from "@effect-klaytn/wallet/NonceSource"
import * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as WalletAdditions from "@effect-klaytn/wallet/WalletAdditions"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type { Chain } from "../src/Chain.js"
import { Random } from "../src/internal/Random.js"
import * as Sandbox from "../src/Sandbox.js"
import * as FaultProxy from "./faultProxy.js"
import * as counting from "./sendCounts.js"
import { besides, indexOf, paymentOf, type Shape, shapes } from "./sendShapes.js"

/** What the drill is to do. */
export interface Options {
  readonly sends: number
  readonly seed: string
  /** Called after each round with how many sends are done. */
  readonly onProgress?: (done: number) => void
}

const chainId = 1001
const balance = 10n ** 24n

/** How long a client waits for one answer; late ones take longer. Milliseconds. */
const patience = 1000
const late = 1300

/** How likely something happens to a request: to one that sends, and to one that asks. */
const likelihood = { sending: 0.6, asking: 0.03 }

/** One payment to make, and how. */
interface Task {
  readonly index: number
  readonly from: Address
  /** With a nonce of the source, or with one of the service's choice. */
  readonly mode: "keyed" | "once"
  readonly shape: Shape
  /** Whether its look-up is also made at once, before late requests have arrived. */
  readonly early: boolean
}

/** How each account is used, and how many sends it makes in a round. */
const uses = ["keyed", "keyed", "keyed", "once", "once", "once", "mixed", "mixed"] as const
const perRound = 8

/** How many sends are under way at once. */
const concurrency = 12

/** A send that ended, and the look-up of one that ended unknown. */
interface Open {
  readonly end: counting.Ended
  readonly findOut?: Effect.Effect<counting.Ended>
}

/** A look-up changes nothing: where the wire broke, it is made again. */
const patiently = <A, R>(effect: Effect.Effect<A, LookupFailed, R>) =>
  Effect.retry(effect, Schedule.intersect(Schedule.spaced("20 millis"), Schedule.recurs(20)))

const clientOf = (url: string, behaviour: ClientConfig.Behaviour) =>
  Effect.gen(function*() {
    const sandbox = yield* Sandbox.Sandbox
    const configuration = ClientConfig.layer({
      ...behaviour,
      chain: chainId,
      credentials: Effect.suspend(() => Credentials.fromPair(sandbox)),
      endpoints: { wallet: url, node: url }
    })
    const context = yield* Layer.build(
      Layer.mergeAll(Wallet.layer(), WalletAdditions.layer(), TransactionLookup.layer()).pipe(
        Layer.provide([configuration, FetchHttpClient.layer])
      )
    )
    return yield* Effect.all({
      wallet: Wallet.Wallet,
      additions: WalletAdditions.WalletAdditions,
      lookup: TransactionLookup.TransactionLookup
    }).pipe(Effect.provide(context))
  })

type Client = Effect.Effect.Success<ReturnType<typeof clientOf>>

/** A failure in few words: its kind, and the service's code if it has one. */
const words = (failure: { readonly _tag: string; readonly code?: unknown }): string =>
  failure.code === undefined ? failure._tag : `${failure._tag} ${failure.code}`

/** Makes one payment over the broken wire, and tells how it ended. */
const pay = (
  { wallet }: Client,
  nonces: NonceSource.Service,
  { early, feePayer, from, index, mode, shape }: Task & { readonly feePayer: Address }
): Effect.Effect<Open> =>
  Effect.gen(function*() {
    const { input, way } = paymentOf({ from, shape, index, feePayer })
    const made = yield* Effect.either(
      mode === "once"
        ? way(wallet.sendValue(input))
        : NonceSource.withNonce(from, (nonce) => way(wallet.sendValue({ ...input, nonce }))).pipe(
          Effect.provideService(NonceSource.NonceSource, nonces)
        )
    )
    if (made._tag === "Right") {
      const hash = made.right._tag === "Sent" ? made.right.transactionHash : made.right._tag
      return { end: { _tag: "Sent", index, hash } } as const
    }
    const failed = made.left
    if (failed._tag !== "SendUnknown") {
      const reason = words(failed._tag === "NotSent" ? failed.reason : failed)
      return { end: { _tag: "NotSent", index, reason } } as const
    }
    const look = Effect.map(Effect.option(patiently(failed.findOut)), Option.getOrUndefined)
    const end = {
      _tag: "Unknown",
      index,
      reason: failed.cause === undefined || !("code" in failed.cause)
        ? failed.reason
        : `${failed.reason} ${failed.cause.code}`,
      early: early ? yield* look : undefined,
      verdict: undefined
    } as const
    return { end, findOut: Effect.map(look, (verdict) => ({ ...end, verdict })) }
  }).pipe(
    Effect.catchAllDefect((defect) => Effect.succeed({ end: { _tag: "Died", index, reason: String(defect) } } as const))
  )

/** Sends something with each nonce that nobody holds any more, so that everything above it happens. */
const fill = ({ lookup, wallet }: Client, nonces: NonceSource.Service, from: Address) =>
  Effect.gen(function*() {
    let filled = 0
    for (;; filled++) {
      yield* patiently(nonces.resync(from))
      const next = yield* patiently(lookup.nextNonce(from))
      if (next >= (yield* nonces.report(from)).next) return filled
      yield* wallet.sendValue({ ...besides(from), nonce: next })
    }
  })

/** What the chain shows of the payments. */
const paymentsOn = (chain: Chain) =>
  Effect.gen(function*() {
    const payments = new Map<number, ReadonlyArray<string>>()
    const { number: newest } = yield* chain.head
    for (let block = 0; block <= newest; block++) {
      for (const { hash, status, to, value } of yield* chain.transactionsOf(block)) {
        const index = indexOf(to, value)
        if (index !== undefined && status === 1) payments.set(index, [...payments.get(index) ?? [], hash])
      }
    }
    return payments
  })

const drill = (options: Options) =>
  Effect.gen(function*() {
    const random = new Random(options.seed)
    const { engine, url } = yield* Sandbox.Sandbox
    const chain = engine.chain(chainId)
    const proxy = yield* FaultProxy.make({
      target: url,
      late,
      retryAfter: () => String(random.between(0, 1)),
      decide: ({ method, path }) => {
        const isSend = method === "POST" && path.startsWith("/v2/tx/")
        const isBroken = random.fraction() < (isSend ? likelihood.sending : likelihood.asking)
        return isBroken ? random.pick(FaultProxy.faults) ?? "none" : "none"
      }
    })
    const whole = yield* clientOf(url, {})
    const broken = yield* clientOf(proxy.url, {
      attemptTimeout: patience,
      deadline: "20 seconds",
      retry: RetryPolicy.make({ attempts: 4, baseDelay: "5 millis", maxDelay: "50 millis" })
    })
    const nonces = yield* NonceSource.memory((address) => whole.lookup.nextNonce(address, "pending"))

    const { address: feePayer } = yield* whole.additions.createFeePayer()
    yield* chain.fund(`0x${feePayer.slice(2)}`, balance)
    const accounts = yield* Effect.forEach(uses, (use) =>
      Effect.gen(function*() {
        const { address } = yield* whole.wallet.createAccount
        yield* chain.fund(`0x${address.slice(2)}`, balance)
        // The service reads nonce 0 as "choose one", so the first transaction is made in peace.
        yield* whole.wallet.sendValue(besides(address))
        return { use, address }
      }))

    const taskOf = (index: number): Task => {
      const { address: from, use } = accounts[index % accounts.length] ?? { use: "once", address: feePayer }
      return {
        index,
        from,
        mode: use === "mixed" ? random.pick(["keyed", "once"] as const) ?? "once" : use,
        shape: random.pick(shapes) ?? "service",
        early: random.fraction() < 0.3
      }
    }
    const ends: Array<counting.Ended> = []
    let fillers = 0
    while (ends.length < options.sends) {
      const size = Math.min(perRound * accounts.length, options.sends - ends.length)
      const tasks = Array.from({ length: size }, (_, turn) => taskOf(ends.length + turn))
      const round = yield* Effect.forEach(tasks, (task) => pay(broken, nonces, { ...task, feePayer }), {
        concurrency
      })
      yield* proxy.drained
      for (const { address, use } of accounts) if (use !== "once") fillers += yield* fill(whole, nonces, address)
      ends.push(
        ...yield* Effect.forEach(round, ({ end, findOut = Effect.succeed(end) }) => findOut, { concurrency: 4 })
      )
      options.onProgress?.(ends.length)
    }
    return {
      ...counting.count(options.sends, ends, yield* paymentsOn(chain)),
      fillers,
      faults: Object.fromEntries([...proxy.counts].sort(([a], [b]) => a.localeCompare(b)))
    }
  })

/** Runs the drill on a sandbox of its own. */
export const sendRuns = (options: Options) =>
  Effect.scoped(Effect.provide(drill(options), Sandbox.layer({ seed: options.seed })))
