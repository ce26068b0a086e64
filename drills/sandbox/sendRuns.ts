/** The drill of sends, for the command and for the test. */
import * as Address from "@effect-klaytn/core/Address"
import type { FeePayerStyle } from "@effect-klaytn/core/FeePayerStyle"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as NonceSource from "@effect-klaytn/wallet/NonceSource"
import type { LookupFailed, SendVerdict } from "@effect-klaytn/wallet/SendOutcome"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as DevAccount from "../../packages/local-chain/src/DevAccount.js"
import type { Chain } from "../../packages/sandbox/src/Chain.js"
import { Random } from "../../packages/sandbox/src/internal/Random.js"
import * as Sandbox from "../../packages/sandbox/src/Sandbox.js"
import { BadDays, type Name } from "../badDays.js"
import * as FaultProxy from "./faultProxy.js"
import * as clients from "./sendClients.js"
import * as counting from "./sendCounts.js"
import * as raw from "./sendRaw.js"
import { aside, besides, contentOf, isPlain, paymentOf, receiver, type Shape, shapesOf } from "./sendShapes.js"

/** Options of the drill. */
export interface Options {
  readonly sends: number
  readonly seed: string
  /** How the service reads who pays. Default: as its document says. */
  readonly feePayerStyle?: FeePayerStyle | undefined
  /** What the service's node does besides. Default: nothing. */
  readonly badDays?: ReadonlyArray<Name>
  /** Called after each round with the number of sends so far. */
  readonly onProgress?: (done: number) => void
}

const balance = 10n ** 24n

/** Shortest time that a client waits for an answer, in milliseconds; late answers take longer. */
const minGiveUpAfter = 1000

/** Probability of a fault: for a request that sends, and for one that reads. */
const likelihood = { sending: 0.6, asking: 0.03, older: 0.1 }

const sendingFaults = FaultProxy.faults.filter((fault) => fault !== "older answer")
/** Faults of a send that names a nonce or is signed locally: one that does not can be made twice by a second delivery. */
const keyedFaults = [...sendingFaults, ...FaultProxy.duplicates]
/** What is no second delivery. */
const onceFaults = [...sendingFaults, "after a later one", "denied after"] as const
const askingFaults = FaultProxy.faults.filter((fault) => fault !== "older answer" && !fault.startsWith("answer of"))

/** One payment to make, and how. */
interface Task {
  readonly index: number
  readonly from: Address.Address
  /** The amount: the payment's own number, or that of its twin of the same account. */
  readonly content: number
  /** With a nonce of the source, a nonce that the service chooses, or signed locally. */
  readonly mode: "keyed" | "once" | "raw"
  readonly shape: Shape
  /** Whether its look-up is also made at once, before late requests have arrived. */
  readonly early: boolean
}

/** How each account sends, and how many sends it makes in a round. */
const uses = ["keyed", "keyed", "keyed", "once", "once", "once", "mixed", "mixed", "raw"] as const
const perRound = 8

/** Concurrent sends. */
const concurrency = 12

/** A send that ended, and its look-up if it ended unknown. */
interface Open {
  readonly end: counting.Ended
  readonly reconcile?: Effect.Effect<counting.Ended>
}

/** A look-up changes nothing, so it is repeated when the connection breaks. */
const patiently = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.retry(effect, Schedule.intersect(Schedule.spaced("20 millis"), Schedule.recurs(20)))

/** A failure in short: its kind, and the service's code if any. */
const words = (failure: { readonly _tag: string; readonly code?: unknown }): string =>
  failure.code === undefined ? failure._tag : `${failure._tag} ${failure.code}`

/** Looks an unknown send up, as often as necessary, and counts the requests of each look-up. */
const looking = (reconcile: Effect.Effect<SendVerdict, LookupFailed>, lookups: Array<number>) =>
  Effect.map(
    Effect.option(patiently(clients.counting(reconcile, (requests) => lookups.push(requests)))),
    Option.getOrUndefined
  )

/** An unknown outcome, and its look-up. */
const unknown = (
  { early, index }: Task,
  reason: string,
  look: Effect.Effect<SendVerdict | undefined>
): Effect.Effect<Open> =>
  Effect.map(early ? look : Effect.succeed(undefined), (early) => {
    const end = { _tag: "Unknown", index, reason, early, verdict: undefined } as const
    return { end, reconcile: Effect.map(look, (verdict) => ({ ...end, verdict })) }
  })

const died = (index: number) => (defect: unknown): Effect.Effect<Open> =>
  Effect.succeed({ end: { _tag: "Died", index, reason: String(defect) } })

/** Makes one payment over the faulty connection and returns its outcome. */
const pay = (
  { wallet }: clients.Clients,
  nonces: NonceSource.Service,
  lookups: Array<number>,
  feePayer: Address.Address,
  task: Task
): Effect.Effect<Open> =>
  Effect.gen(function*() {
    const { content, from, index, mode, shape } = task
    const input = paymentOf({ from, shape, content, feePayer })
    const made = yield* Effect.either(
      mode === "once"
        ? wallet.sendValue(input)
        : NonceSource.withNonce(from, (nonce) => wallet.sendValue({ ...input, nonce })).pipe(
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
      const proof = failed._tag === "NotSent" ? failed.proof : "unsent"
      return { end: { _tag: "NotSent", index, reason, proof, met: [] } } as const
    }
    const reason = failed.cause === undefined || !("code" in failed.cause)
      ? failed.reason
      : `${failed.reason} ${failed.cause.code}`
    return yield* unknown(task, reason, looking(failed.reconcile, lookups))
  }).pipe(Effect.catchAllDefect(died(task.index)))

/** The same with a transaction that is signed locally. */
const submit = (
  { lookup, node }: clients.Clients,
  signed: raw.Signed,
  lookups: Array<number>,
  task: Task
): Effect.Effect<Open> =>
  node.klay.sendRawTransaction(signed.raw).pipe(
    Effect.matchEffect({
      onSuccess: (hash) => Effect.succeed<Open>({ end: { _tag: "Sent", index: task.index, hash } }),
      onFailure: (failed) =>
        failed._tag === "OutcomeUnknown"
          ? unknown(task, `raw: ${failed.reason}`, looking(raw.reconcile(lookup, signed), lookups))
          : Effect.succeed<Open>({
            end: { _tag: "NotSent", index: task.index, reason: `raw: ${words(failed)}`, proof: undefined, met: [] }
          })
    }),
    Effect.catchAllDefect(died(task.index))
  )

/** Fills each nonce that is not in use any more, so that transactions with higher nonces are executed. */
const fill = ({ lookup, wallet }: clients.Clients, nonces: NonceSource.Service, from: Address.Address) =>
  Effect.gen(function*() {
    let filled = 0
    for (;; filled++) {
      yield* patiently(nonces.resync(from))
      const next = yield* patiently(lookup.nextNonce(from))
      if (next >= (yield* nonces.report(from)).next) return filled
      // On a bad day of the node it may fail: what is missing then is filled in the next turn.
      yield* Effect.ignore(wallet.sendValue({ ...besides(from), nonce: next }))
    }
  })

/** The same for an account whose transactions are signed locally; `next` is its next nonce. */
const fillRaw = (
  { lookup }: clients.Clients,
  chain: Chain,
  account: DevAccount.DevAccount,
  from: Address.Address,
  next: number
) =>
  Effect.gen(function*() {
    for (let filled = 0;; filled++) {
      const nonce = yield* patiently(lookup.nextNonce(from))
      if (nonce >= next) return filled
      yield* Effect.ignore(chain.submitRaw(raw.sign(chain, account, { nonce, to: aside, value: 1n }).raw))
    }
  })

/** The payments as the chain has them. */
const paymentsOn = (chain: Chain) =>
  Effect.gen(function*() {
    const payments = new Map<number, ReadonlyArray<string>>()
    const { number: newest } = yield* chain.head
    for (let block = 0; block <= newest; block++) {
      for (const { hash, status, to, value } of yield* chain.transactionsOf(block)) {
        const content = contentOf(to, value)
        if (content !== undefined && status === 1) payments.set(content, [...payments.get(content) ?? [], hash])
      }
    }
    return payments
  })

const drill = (options: Options) =>
  Effect.gen(function*() {
    const random = new Random(options.seed)
    const { chains, feePayerStyle, url } = yield* Sandbox.Sandbox
    const shapes = shapesOf(feePayerStyle)
    const chain = chains.chain(clients.chainId)
    let isNodeBehind = false
    const whole = yield* clients.make(url, {})
    const nonces = yield* NonceSource.make((address) => whole.lookup.nextNonce(address, "pending"))

    const { address: feePayer } = yield* whole.accounts.createFeePayer()
    yield* chain.fund(feePayer, balance)
    const begin = Date.now()
    const accounts = yield* Effect.forEach(uses, (use, index) =>
      Effect.gen(function*() {
        if (use === "raw") {
          const signer = DevAccount.derive(options.seed, `raw ${index}`)
          yield* chain.fund(signer.address, balance)
          return { use, address: yield* Address.make(signer.address), signer, signed: 0 }
        }
        const { address } = yield* whole.wallet.createAccount
        yield* chain.fund(address, balance)
        // The service takes nonce 0 for "choose one", so the first transaction is made without faults.
        yield* whole.wallet.sendValue(besides(address))
        return { use, address, signer: undefined, signed: 0 }
      }))
    // On a slow machine all timeouts are longer, or nothing but timeouts would be seen.
    const patience = Math.min(3 * minGiveUpAfter, Math.max(minGiveUpAfter, 20 * (Date.now() - begin) / accounts.length))
    /** The faults that the requests of each send met. */
    const met = new Map<number, Array<FaultProxy.Fault>>()
    const proxy = yield* FaultProxy.make({
      target: url,
      onFault: (headers, fault) => {
        const send = Number(headers[clients.sendHeader])
        met.set(send, [...met.get(send) ?? [], fault])
      },
      late: patience * 1.3,
      retryAfter: () => String(random.between(0, 1)),
      decide: ({ body, method, path }) => {
        const isSend = method === "POST" && (path.startsWith("/v2/tx/") || body.includes("klay_sendRawTransaction"))
        if (!isSend && isNodeBehind && random.fraction() < likelihood.older) return "older answer"
        const isBroken = random.fraction() < (isSend ? likelihood.sending : likelihood.asking)
        if (!isBroken) return "none"
        const isKeyed = path.startsWith("/node/") || /"nonce":[1-9]/.test(body)
        return random.pick(isSend ? isKeyed ? keyedFaults : onceFaults : askingFaults) ?? "none"
      }
    })
    const faulty = (transport: (typeof clients.transports)[number]) =>
      clients.make(proxy.url, {
        attemptTimeout: patience,
        deadline: 20 * patience,
        retry: RetryPolicy.make({ attempts: 4, baseDelay: "5 millis", maxDelay: "50 millis" })
      }, transport)
    const broken = yield* Effect.forEach(clients.transports, faulty)
    const repeating = yield* faulty(clients.repeating)
    /** One account that names its nonces and the one that signs send with a client that repeats requests by itself. */
    const clientOf = (index: number): clients.Clients => {
      const account = index % accounts.length
      return account === 0 || accounts[account]?.use === "raw"
        ? repeating
        : broken[account % broken.length] ?? whole
    }
    const lookups: Array<number> = []
    const accountOf = (index: number) => accounts[index % accounts.length]
    const contents = new Map<number, Task>()

    const taskOf = (index: number): Task => {
      const { address: from, use } = accountOf(index) ?? { use: "once", address: feePayer }
      const twin = contents.get(index - accounts.length)
      const isTwin = twin !== undefined && twin.content === twin.index && isPlain(twin.shape) && use !== "raw" &&
        random.fraction() < 0.5
      const task: Task = {
        index,
        content: isTwin ? twin.index : index,
        from,
        mode: use === "mixed" ? random.pick(["keyed", "once"] as const) ?? "once" : use,
        shape: random.pick(isTwin ? shapes.filter(isPlain) : shapes) ?? "service",
        early: random.fraction() < 0.3
      }
      contents.set(index, task)
      return task
    }
    const make = (task: Task): Effect.Effect<Open> => {
      const client = clientOf(task.index)
      const account = accountOf(task.index)
      if (account?.signer === undefined) return pay(client, nonces, lookups, feePayer, task)
      const payment = { nonce: account.signed++, to: receiver, value: BigInt(task.content + 1) } as const
      return submit(client, raw.sign(chain, account.signer, payment), lookups, task)
    }
    const ends: Array<counting.Ended> = []
    const badDays = new BadDays(
      { rpcUrl: () => `${url}/rpc/1001`, cut: undefined },
      options.badDays ?? [],
      options.seed
    )
    badDays.start()
    let fillers = 0
    while (ends.length < options.sends) {
      const size = Math.min(perRound * accounts.length, options.sends - ends.length)
      const tasks = Array.from({ length: size }, (_, turn) => taskOf(ends.length + turn))
      isNodeBehind = true
      const round = yield* Effect.forEach(
        tasks,
        (task) => clients.ofSend(task.index)(Effect.suspend(() => make(task))),
        { concurrency }
      )
      yield* proxy.drained
      // What is still unknown is looked up on an up-to-date node, since a lagging one can't tell.
      isNodeBehind = false
      for (const { address, signed, signer, use } of accounts) {
        if (signer !== undefined) fillers += yield* fillRaw(whole, chain, signer, address, signed)
        else if (use !== "once") fillers += yield* fill(whole, nonces, address)
      }
      const ended = yield* Effect.forEach(
        round,
        ({ end, reconcile = Effect.succeed(end) }) => reconcile,
        { concurrency: 4 }
      )
      ends.push(...ended.map((end) => end._tag === "NotSent" ? { ...end, met: met.get(end.index) ?? [] } : end))
      options.onProgress?.(ends.length)
    }
    yield* Effect.promise(() => badDays.stop())
    return {
      ...counting.count(
        options.sends,
        ends,
        yield* paymentsOn(chain),
        (index) => contents.get(index)?.content ?? index
      ),
      fillers,
      lookups: {
        made: lookups.length,
        mean: Math.round(10 * lookups.reduce((sum, one) => sum + one, 0) / Math.max(1, lookups.length)) / 10,
        max: Math.max(0, ...lookups)
      },
      badDays: Object.fromEntries(badDays.counts),
      faults: Object.fromEntries([...proxy.counts].sort(([a], [b]) => a.localeCompare(b)))
    }
  })

/** Runs the drill on its own sandbox. */
export const sendRuns = (options: Options) =>
  Effect.scoped(
    Effect.provide(
      drill(options),
      Sandbox.layer({ seed: options.seed, feePayerStyle: options.feePayerStyle ?? "document" })
    )
  )
