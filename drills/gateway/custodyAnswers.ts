/**
 * What the wallet answers to the keys and hashes of payments while everything fails, held against the blocks of that moment, and a base
 * fee that rises to six times the lowest and falls again.
 */
import type { Random } from "../../packages/sandbox/src/internal/Random.js"
import type { Answer, Ask, Payment, Rpc } from "./custodyRuns.js"
import { pause } from "./processes.js"

const gkei = 10n ** 9n
const [lowest, highest] = [25n * gkei, 150n * gkei]

/** The most that the wallet may pay for a unit of gas in this drill, in peb. */
export const maxPrice = 160n * gkei

/** A wallet that has just started learns within this time what blocks have, in milliseconds. */
const learns = 10_000

/** Questions that are open at a time, and the rest between two. */
const [askers, rest] = [3, 20] as const

const hex = (value: bigint): string => `0x${value.toString(16)}`

/** Moves the base fee up and down until it is told to stop, and leaves it at the lowest. A node that is down misses a step. */
export const swing = async (rpcUrl: string, random: Random, isOver: () => boolean): Promise<void> => {
  const set = (fee: bigint) =>
    fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "anvil_setNextBlockBaseFeePerGas", params: [hex(fee)] }),
      signal: AbortSignal.timeout(5000)
    }).then(({ ok }) => ok, () => false)
  while (!isOver()) {
    for (let fee = lowest; fee < highest && !isOver(); fee = fee * 5n / 4n) {
      await set(fee)
      await pause(1000)
    }
    await set(highest)
    for (let left = random.between(3, 15); left > 0 && !isOver(); left--) await pause(1000)
    for (let fee = highest; fee > lowest && !isOver(); fee = fee * 9n / 10n) {
      await set(fee)
      await pause(1000)
    }
    for (let left = random.between(1, 10); left > 0 && !isOver(); left--) await pause(1000)
  }
  while (!(await set(lowest))) await pause(200)
}

/** A transaction in a block, and when it was seen there. */
interface Mined {
  readonly hash: string
  readonly price: bigint
  readonly at: number
}

interface BlockTransaction {
  readonly hash: string
  readonly from: string
  readonly nonce: string
  readonly gasPrice: string
}

/** The transactions of all blocks, by sender and nonce. */
class Blocks {
  readonly byNonce = new Map<string, Mined>()
  readonly byHash = new Map<string, Mined>()
  readonly #rpc: Rpc
  #next = 0

  constructor(rpc: Rpc) {
    this.#rpc = rpc
  }

  async read(): Promise<void> {
    const head = Number(await this.#rpc("klay_blockNumber"))
    for (; this.#next <= head; this.#next++) {
      const block = await this.#rpc("klay_getBlockByNumber", hex(BigInt(this.#next)), true)
      // What this method answers with its second parameter.
      const { transactions } = block as { readonly transactions: ReadonlyArray<BlockTransaction> }
      for (const { from, gasPrice, hash, nonce } of transactions) {
        const mined = { hash, price: BigInt(gasPrice), at: Date.now() }
        this.byNonce.set(`${from.toLowerCase()} ${Number(nonce)}`, mined)
        this.byHash.set(hash, mined)
      }
    }
  }
}

/** An answer that the blocks belie. */
interface Untrue {
  readonly by: "key" | "hash"
  readonly hash: string
  readonly why: string
  readonly answer: unknown
}

/** What an answer says of a payment. */
interface Said {
  readonly status: string
  readonly stage: string | undefined
  /** The hash that stands for the payment. */
  readonly hash: string | undefined
}

const said = ({ body }: Answer): Said => {
  const outcome = Object(body["outcome"]) as { readonly stage?: string; readonly transactionHash?: string }
  const own = body["transactionHash"]
  return {
    status: String(body["status"]),
    stage: outcome.stage,
    hash: outcome.transactionHash ?? (typeof own === "string" ? own : undefined)
  }
}

/** Asks what became of payments that were answered with 200, and holds each answer against the blocks. */
export class Answers {
  readonly untrue: Array<Untrue> = []
  readonly counts = new Map<string, number>()
  /** The longest time from a block to an answer that did not know of it, in milliseconds. */
  slowest = 0
  /** Receivers of payments that were said to run never. */
  readonly dead = new Set<string>()
  readonly #ask: Ask
  readonly #blocks: Blocks
  readonly #payments: ReadonlyArray<Payment>
  readonly #random: Random
  #isOver = false
  #running: Promise<unknown> = Promise.resolve()

  constructor(
    { ask, payments, rpc }: { readonly ask: Ask; readonly payments: ReadonlyArray<Payment>; readonly rpc: Rpc },
    random: Random
  ) {
    this.#ask = ask
    this.#blocks = new Blocks(rpc)
    this.#payments = payments
    this.#random = random
  }

  start(): void {
    this.#running = Promise.all([this.#follow(), ...Array.from({ length: askers }, () => this.#poll())])
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#running
  }

  /** Asks once for every key and hash, when all is at rest, and sums up: no answer may be open any more, and nothing was paid above the bound. */
  async judgement(accounts: ReadonlyArray<string>) {
    await this.#blocks.read()
    let open = 0
    for (const payment of this.#payments.filter(({ status }) => status === 200)) {
      for (const by of [...(payment.key === undefined ? [] : ["key"]), ...payment.hashes]) {
        const answer = await this.#answered(payment, by)
        if (answer === undefined || by !== "key" && said(answer).status !== "Committed") open++
      }
    }
    const own = new Set(accounts.map((account) => account.toLowerCase()))
    const dearest = [...this.#blocks.byNonce].reduce(
      (most, [place, { price }]) => own.has(place.slice(0, 42)) && price > most ? price : most,
      0n
    )
    return {
      isTrue: this.untrue.length + this.dead.size + open === 0 && dearest <= maxPrice,
      asked: Object.fromEntries([...this.counts].sort()),
      hashes: this.#payments.reduce((sum, { hashes }) => sum + new Set(hashes).size, 0),
      untrue: this.untrue.length,
      saidDead: this.dead.size,
      open,
      slowest: this.slowest,
      dearest: Number(dearest / gkei),
      examples: this.untrue.slice(0, 5)
    }
  }

  async #follow(): Promise<void> {
    while (!this.#isOver) {
      await this.#blocks.read()
      await pause(200)
    }
  }

  async #poll(): Promise<void> {
    while (!this.#isOver) {
      await pause(rest)
      const told = this.#payments.filter(({ status }) => status === 200)
      // Mostly those of the last moments.
      const payment = this.#random.pick(this.#random.fraction() < 0.7 ? told.slice(-24) : told)
      if (payment === undefined) continue
      const by = this.#random.pick(["key", ...payment.hashes]) ?? "key"
      if (by === "key" && payment.key === undefined) continue
      await this.#answered(payment, by)
    }
  }

  /** Asks by the key or by a hash, and judges the answer. No answer, or that the service is not there, says nothing. */
  async #answered(payment: Payment, by: string): Promise<Answer | undefined> {
    const asked = Date.now()
    const answer = by === "key"
      ? await this.#ask("POST", "/v2/tx/value", payment.body, payment.key)
      : await this.#ask("GET", `/v2/tx/${by}`)
    if (answer === undefined || answer.status >= 500) return undefined
    if (answer.status !== 200) {
      this.#belie(by, by, "it was answered with 200 before", answer)
      return undefined
    }
    const { hash, stage, status } = said(answer)
    const what = `${by === "key" ? "key" : "hash"} ${status}${stage === undefined ? "" : ` ${stage}`}`
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
    const own = answer.body["transactionHash"]
    if (by === "key" && Number(answer.body["nonce"]) !== payment.nonce) {
      this.#belie(by, by, `it was at the nonce ${payment.nonce}`, answer)
    }
    if (by === "key" && typeof own === "string" && !payment.hashes.includes(own)) payment.hashes.push(own)
    await this.#judge(payment, by, answer, asked, { hash, stage, status })
    return answer
  }

  async #judge(payment: Payment, by: string, answer: Answer, asked: number, { hash, stage, status }: Said) {
    const name = by === "key" ? payment.hashes[0] ?? "" : by
    const used = () => this.#blocks.byNonce.get(`${payment.body.from.toLowerCase()} ${payment.nonce}`)
    if (status === "Committed" || stage === "mined") {
      if (hash !== undefined && !this.#blocks.byHash.has(hash)) await this.#blocks.read()
      if (used()?.hash !== hash) this.#belie(by, name, `no block has ${hash} at its nonce ${payment.nonce}`, answer)
      return
    }
    if (status === "CommitError") {
      this.dead.add(payment.receiver)
      return
    }
    const mined = used()
    // The key of a payment is answered with `Submitted` also when a block has the payment.
    if (mined === undefined || by === "key" && mined.hash === hash) return
    const late = asked - mined.at
    this.slowest = Math.max(this.slowest, late)
    if (late > learns) this.#belie(by, name, `a block has ${mined.hash} at its nonce since ${late} ms`, answer)
  }

  #belie(by: string, hash: string, why: string, { body, status }: Answer): void {
    this.untrue.push({ by: by === "key" ? "key" : "hash", hash, why, answer: { status, ...body, rlp: undefined } })
  }
}
