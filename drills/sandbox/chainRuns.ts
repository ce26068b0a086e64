/** The drill of the chain, for the command and for the test. */
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as DevAccount from "../../packages/local-chain/src/DevAccount.js"
import { JournalState } from "../../packages/local-chain/src/internal/JournalState.js"
import type { Chain } from "../../packages/sandbox/src/Chain.js"
import * as chains from "../../packages/sandbox/src/internal/openedChains.js"
import { Random } from "../../packages/sandbox/src/internal/Random.js"
import { deploy, mint, transferCall } from "../../packages/sandbox/src/TokenContract.js"
import { type Accepted, check, type StateKey } from "./chainChecks.js"
import { creationOf, programOf } from "./chainCode.js"
import { type ChainCounts, type ChainWrong, emptyCounts, tally } from "./chainCounts.js"
import { type Deed, keyOf, type Sender, senderOf, transactionOf } from "./chainSenders.js"
import { direct, overRpc, type Sending } from "./chainSending.js"
import { withMethod } from "./withMethod.js"

/** Options of the drill. */
export interface Options {
  /** Transactions in each mode. */
  readonly transactions: number
  readonly seed: string
  /** Highest gas limit of hostile code, which an endless loop uses up. */
  readonly maxGas: number
  /** Default: all. */
  readonly modes?: ReadonlyArray<(typeof allModes)[number]>
}

/** The modes of mining, and automatic mining of transactions that are sent over `/rpc`. */
const allModes = ["auto", "manual", "interval", "rpc"] as const
const balance = 10n ** 27n
const names = Array.from({ length: 8 }, (_, index) => `account ${index}`)
const nobody: Hex = `0x${"0".repeat(40)}`

interface Contract {
  readonly address: Hex
  readonly burns: boolean
}

/** Measures how long the event loop was blocked. */
const watched = <A, E, R>(counts: ChainCounts, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      let last = performance.now()
      return setInterval(() => {
        const now = performance.now()
        counts.longestPause = Math.max(counts.longestPause, Math.round(now - last - 5))
        counts.memory = Math.max(counts.memory, Math.round(process.memoryUsage.rss() / 2 ** 20))
        last = now
      }, 5)
    }),
    () => work,
    (timer) => Effect.sync(() => clearInterval(timer))
  )

/** Sends random bytes and transactions of unlikely senders. */
class Adversary {
  readonly contracts: Array<Contract> = []
  readonly accepted: Array<Accepted> = []
  readonly #senders: ReadonlyArray<Sender>
  readonly #updates = new Map<Hex, { readonly sender: Sender; readonly signers: Sender["signers"] }>()
  #programs = 0

  constructor(
    readonly chain: Chain,
    readonly sending: Sending,
    readonly random: Random,
    readonly counts: ChainCounts,
    readonly holders: ReadonlyArray<DevAccount.DevAccount>,
    readonly options: Options,
    readonly token: Hex
  ) {
    this.#senders = holders.map(senderOf)
  }

  /** Tries one transaction. */
  readonly act = Effect.gen(this, function*() {
    const { chain, counts, random, sending } = this
    counts.transactions++
    const sender = random.pick(this.#senders)
    if (sender === undefined) return
    const nonce = yield* chain.pendingNonce(sender.address)
    const { burns, deed, update } = this.#deed(sender)
    const feePayer = random.fraction() < 0.3 ? random.pick(this.#senders) : undefined
    const transaction = transactionOf(chain, sender, deed, {
      nonce: random.fraction() < 0.02 ? nonce + 1n : nonce,
      gas: this.#gas(),
      feePayer,
      feeRatio: random.fraction() < 0.5 ? random.between(1, 99) : undefined
    })
    if (transaction === undefined) return
    const began = performance.now()
    const outcome = yield* random.fraction() < 0.03
      ? this.#garbled(transaction)
      : Effect.either(sending.submit(transaction, sender.address))
    counts.longestBlock = Math.max(counts.longestBlock, Math.round(performance.now() - began))
    if (outcome._tag === "Left") {
      if (outcome.left._tag === "StoreFailure") return yield* Effect.fail(outcome.left)
      counts.refused++
      tally(counts.refusals, outcome.left.reason)
      return
    }
    const value = "value" in deed ? deed.value : 0n
    this.accepted.push({ hash: outcome.right, mayBurn: burns ? value : 0n })
    if (update !== undefined) this.#updates.set(outcome.right, { sender, signers: update })
  })

  /** Learns the results of accepted transactions: current keys, and contracts to call. */
  readonly learn = Effect.gen(this, function*() {
    for (const [hash, { sender, signers }] of this.#updates) {
      const found = yield* this.chain.transaction(hash)
      if (Option.isNone(found)) continue
      this.#updates.delete(hash)
      if (found.value.status === 1) {
        sender.signers = signers
        sender.isLegacy = false
      }
    }
    for (const { hash, mayBurn } of this.accepted.slice(-50)) {
      const found = yield* this.chain.transaction(hash)
      const address = Option.isSome(found) ? found.value.contractAddress : undefined
      if (address !== undefined && !this.contracts.some((known) => known.address === address)) {
        this.contracts.push({ address, burns: mayBurn > 0n })
        this.counts.contracts++
      }
    }
  })

  /** A call that must not change the state. */
  readonly look = Effect.gen(this, function*() {
    const { chain, counts, random } = this
    counts.calls++
    const { code } = programOf(random, this.#programs++)
    const before = (yield* chain.head).stateRoot
    const to = random.pick(this.contracts)?.address
    yield* chain.call({ data: `0x${code}`, gas: BigInt(this.options.maxGas), ...(to !== undefined && { to }) })
    if (random.fraction() < 0.2) yield* chain.estimateGas({ data: `0x${creationOf(code)}`, gas: 1_000_000n })
    return (yield* chain.head).stateRoot === before
  })

  /** Uses the next nonce of an account, for which later transactions wait. */
  fill(address: Hex) {
    return Effect.gen(this, function*() {
      const sender = this.#senders.find((one) => one.address === address)
      if (sender === undefined) return
      const nonce = yield* this.chain.pendingNonce(address)
      const transaction = transactionOf(this.chain, sender, { kind: "transfer", to: address, value: 0n }, {
        nonce,
        gas: 0n
      })
      if (transaction === undefined) return
      const outcome = yield* Effect.either(this.sending.submit(transaction, address))
      if (outcome._tag === "Right") this.accepted.push({ hash: outcome.right, mayBurn: 0n })
    })
  }

  #gas(): bigint {
    const { maxGas } = this.options
    const { random } = this
    const most = random.pick([maxGas, maxGas / 4, maxGas / 4, maxGas / 20, maxGas / 20, maxGas / 20]) ?? maxGas
    return BigInt(random.between(-100, Math.floor(most)))
  }

  #garbled(transaction: Transaction.Transaction) {
    const encoded = Transaction.encode(transaction)
    const raw = encoded.ok ? encoded.value : "0x00"
    const at = 2 + 2 * this.random.between(0, raw.length / 2 - 2)
    const changed: Hex = `0x${raw.slice(2, at)}${this.random.between(16, 255).toString(16)}${raw.slice(at + 2)}`
    return Effect.either(this.sending.submitRaw(changed))
  }

  #deed(sender: Sender): {
    readonly deed: Deed
    readonly burns: boolean
    readonly update?: Sender["signers"]
  } {
    const { counts, random } = this
    const value = BigInt(random.between(0, 5))
    const chance = random.fraction()
    const other = random.pick(this.#senders)?.address ?? nobody
    if (chance < 0.4) {
      const { burns = false, code, name } = programOf(random, this.#programs++)
      tally(counts.programs, name)
      // As a deployed contract, or as creation code that runs once.
      const input: Hex = `0x${random.fraction() < 0.6 ? creationOf(code) : code}`
      return { deed: { kind: sender.isLegacy ? "create" : "deploy", input, value }, burns }
    }
    const contract = random.pick(this.contracts)
    if (chance < 0.75 && contract !== undefined) {
      const input: Hex = `0x${"5a".repeat(random.between(0, 300))}`
      const kind = sender.isLegacy ? "call" : "execute"
      return { deed: { kind, to: contract.address, input, value }, burns: true }
    }
    if (chance < 0.85) {
      const data = transferCall(sender.address, { kind: "ft", to: other, amount: BigInt(random.between(0, 100)) })
      return { deed: { kind: "execute", to: this.token, input: data, value: 0n }, burns: false }
    }
    if (chance < 0.9) {
      const to = random.pick<Hex | undefined>([other, nobody, contract?.address, `0x${"0".repeat(37)}3ff`]) ?? other
      return { deed: { kind: "transfer", to, value }, burns: false }
    }
    if (chance < 0.95) {
      const key = keyOf(random, this.holders)
      if (key !== undefined) return { deed: { kind: "update", key: key.key }, burns: false, update: key.signers }
    }
    return random.fraction() < 0.5
      ? { deed: { kind: "cancel" }, burns: false }
      : { deed: { kind: "anchor", input: `0x${"61".repeat(random.between(1, 200))}` }, burns: false }
  }
}

/** Runs an effect with the list of what blocks change meanwhile, of both chains. */
const withChanged = <A, E, R>(use: (changed: ReadonlyArray<StateKey>) => Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const known = new Set<string>()
    const changed: Array<StateKey> = []
    return withMethod(JournalState.prototype, "changes", (changes) =>
      function(this: JournalState) {
        const found = changes.call(this)
        for (const { address, slot } of found) {
          if (known.has(address + slot)) continue
          known.add(address + slot)
          changed.push({ address: `0x${address.slice(2)}`, slot })
        }
        return found
      }, use(changed))
  })

const run = (
  name: (typeof allModes)[number],
  options: Options,
  counts: ChainCounts,
  changed: ReadonlyArray<StateKey>
) =>
  Effect.gen(function*() {
    const { service, store } = yield* chains.open({
      seed: options.seed,
      mining: name === "interval" ? { every: "20 millis" } : name === "rpc" ? "auto" : name,
      accounts: names.map((account) => ({ name: account, balance }))
    })
    const chain = service.chain(1001)
    const holders = names.map(service.account)
    const [first] = holders
    if (first === undefined) return []
    const wrong: Array<ChainWrong> = []
    const genesis = BigInt(names.length) * balance + 10n ** 28n
    const token = yield* deploy(chain, first, { kind: "ft", name: "Drill", symbol: "DRL" })
    for (const { address } of holders) yield* mint(chain, first, token, { kind: "ft", to: address, amount: 10_000n })
    const random = new Random(`${options.seed} ${name}`)
    const sending = name === "rpc" ? yield* overRpc(service, chain, holders, counts.sent) : direct(chain)
    const adversary = new Adversary(chain, sending, random, counts, holders, options, token.address)
    for (let done = 0; done < options.transactions; done++) {
      yield* adversary.act
      if (done % 10 === 9) {
        if (name === "manual") yield* Effect.ignore(chain.mine())
        if (name === "interval") yield* Effect.sleep("25 millis")
        yield* adversary.learn
        if (!(yield* adversary.look)) {
          if (name !== "interval") wrong.push({ mode: name, kind: "view", what: "a call changed the chain" })
        }
      }
    }
    // Whatever still waits should run, or waits for a nonce that must be filled.
    for (let round = 0; round < 200 && (yield* chain.pending).length > 0; round++) {
      const before = yield* chain.pending
      yield* Effect.ignore(chain.mine())
      if (Option.isSome(yield* chain.stuck)) break
      if ((yield* chain.pending).length < before.length) continue
      yield* adversary.learn
      for (const hash of before) {
        const waiting = yield* chain.pendingTransaction(hash)
        if (Option.isNone(waiting)) continue
        yield* adversary.fill(waiting.value.from)
      }
    }
    const stuck = yield* chain.stuck
    if (Option.isSome(stuck)) return [...wrong, { mode: name, kind: "stuck" as const, what: stuck.value.message }]
    // A block between the reads of memory and of the database would differ from both.
    if (name === "interval") yield* chain.setMining("manual")
    return [
      ...wrong,
      ...yield* check({
        chain,
        store,
        changed,
        mode: name,
        genesis,
        accepted: adversary.accepted,
        token: token.address,
        counts
      })
    ]
  })

/** Runs the drill in every mining mode, and returns counts and faults. */
export const chainRuns = (
  options: Options
): Effect.Effect<{ readonly counts: ChainCounts; readonly wrong: ReadonlyArray<ChainWrong> }> => {
  const counts = emptyCounts()
  return Effect.map(
    watched(
      counts,
      Effect.forEach(
        options.modes ?? allModes,
        (mode) =>
          Effect.scoped(withChanged((changed) => run(mode, options, counts, changed))).pipe(
            Effect.catchAllCause((cause) =>
              Effect.succeed<ReadonlyArray<ChainWrong>>([{
                mode,
                kind: "defect",
                what: String(cause).slice(0, 2_000)
              }])
            )
          )
      )
    ),
    (wrong) => ({ counts, wrong: wrong.flat() })
  )
}
