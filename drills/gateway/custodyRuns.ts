/** The parent of the drill of the wallet. */
import { integer } from "@effect-klaytn/store/Column"
import * as Driver from "@effect-klaytn/store/Driver"
import { expression, select } from "@effect-klaytn/store/Query"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { callers as callersOf } from "../../packages/gateway/src/internal/command.js"
import { isAddress } from "../../packages/gateway/src/internal/postgres.js"
import { Random } from "../../packages/sandbox/src/internal/Random.js"
import { bundleProgram } from "../../scripts/bundleProgram.js"
import { BadDays, type Name } from "../badDays.js"
import { Answers, maxPrice, swing } from "./custodyAnswers.js"
import { freePort, type NodeAnswer, type NodeOrder, pause, Place } from "./processes.js"
import { SendProxy } from "./SendProxy.js"

/** How much the drill does. */
export interface Options {
  readonly seed: string
  /** Payments of all callers together. */
  readonly payments: number
  /** How often the gateway is killed, and how often the node is. */
  readonly gatewayKills: number
  readonly nodeKills: number
  /** How often a gateway is frozen, for longer than a lock of the wallet holds. */
  readonly freezes: number
  /** The address of an empty database in Postgres, which three gateways share. Default: one gateway with files. */
  readonly postgres: string | undefined
  /** What else the node does. */
  readonly badDays: ReadonlyArray<Name>
  /**
   * Whether it is asked all the time what became of payments, while the base fee swings; a node that is killed has an empty pool. Not
   * together with `reorg`.
   */
  readonly isWatched: boolean
}

/** Longer than a lock of the wallet holds, in milliseconds. */
const freezeMillis = 20_000

const callers = 4
const senders = 8
const value = 7n

/** The share of the wallet's requests to the node that meet a fault. */
const faultShare = 0.1

/** A payment, to a receiver of its own, and what its caller was told. */
export interface Payment {
  readonly receiver: string
  readonly key: string | undefined
  readonly body: { readonly from: string; readonly to: string; readonly value: string; readonly submit: true }
  /** How often it was asked for. */
  asked: number
  status: number | undefined
  /** The hashes that it was answered with, and its nonce. */
  readonly hashes: Array<string>
  nonce: number | undefined
}

export interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}

export const receiverOf = (seed: string, index: number): string =>
  `0x${createHash("sha256").update(`${seed} ${index}`).digest("hex").slice(0, 40)}`

/** A payment that nobody has asked for yet; every second one has a key. */
export const paymentOf = (seed: string, index: number, from: string): Payment => {
  const receiver = receiverOf(seed, index)
  return {
    receiver,
    key: index % 2 === 0 ? `payment-${index}` : undefined,
    body: { from, to: receiver, value: `0x${value.toString(16)}`, submit: true },
    asked: 0,
    status: undefined,
    hashes: [],
    nonce: undefined
  }
}

/** A caller of the wallet, by any of its processes; undefined if the connection broke. */
export const callerOf = (
  urls: ReadonlyArray<string>,
  authorization: () => string,
  random: Random,
  more: Readonly<Record<string, string>> = {}
) =>
async (method: string, path: string, body?: unknown, key?: string, millis = 30_000): Promise<Answer | undefined> => {
  try {
    const response = await fetch(`${random.pick(urls)}${path}`, {
      method,
      headers: {
        authorization: authorization(),
        "content-type": "application/json",
        "x-chain-id": "1001",
        ...more,
        ...(key !== undefined && { "idempotency-key": key })
      },
      signal: AbortSignal.timeout(millis),
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    return { status: response.status, body: await response.json() as Record<string, unknown> }
  } catch {
    return undefined
  }
}

export type Ask = ReturnType<typeof callerOf>

/** A call of the node that is repeated until it is answered. */
export const rpcOf = (url: string) => async (method: string, ...params: ReadonlyArray<unknown>): Promise<unknown> => {
  for (;;) {
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      })
      const { result, error } = await response.json() as { readonly result?: unknown; readonly error?: unknown }
      if (error !== undefined) throw new Error(JSON.stringify(error))
      return result
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause
      await pause(100)
    }
  }
}

export type Rpc = ReturnType<typeof rpcOf>

const untilAnswered = async (ask: Ask, ...args: Parameters<Ask>): Promise<Answer> => {
  for (;;) {
    const answer = await ask(...args)
    if (answer?.status === 200) return answer
    await pause(100)
  }
}

/** A new account of the wallet with coin. */
export const fundedAccount = async (ask: Ask, rpc: Rpc): Promise<string> => {
  const { body } = await untilAnswered(ask, "POST", "/v2/account", {})
  const [dev] = await rpc("eth_accounts") as ReadonlyArray<string>
  await rpc("eth_sendTransaction", {
    from: dev,
    to: body["address"],
    value: `0x${(10n ** 21n).toString(16)}`,
    gas: "0xf4240"
  })
  // A node that forgets what waits would forget this, too.
  while (BigInt(String(await rpc("klay_getBalance", body["address"], "latest"))) === 0n) await pause(100)
  return String(body["address"])
}

/** How long a payment with a key is repeated, in milliseconds: a gateway that was killed takes its time to start. */
const patience = 300_000

/** Pays until it is answered, if it has a key; once, if not. */
export const pay = async (ask: Ask, payment: Payment): Promise<void> => {
  const { body, key } = payment
  const until = Date.now() + patience
  do {
    payment.asked++
    const answer = await ask("POST", "/v2/tx/value", body, key)
    if (answer?.status === 200) {
      payment.hashes.push(String(answer.body["transactionHash"]))
      payment.nonce = Number(answer.body["nonce"])
    }
    payment.status = answer?.status
    if (payment.status !== 200) await pause(200)
  } while (key !== undefined && payment.status !== 200 && Date.now() < until)
}

/** The share of kills before which a payment is answered: on a slow machine, all would come before any. */
const calmShare = 1 / 3

/** How long such a kill waits for an answer, in milliseconds. */
const calmMillis = 30_000

/** Kills one side at random points until all kills are done or the payments are. */
const storm = async (
  { gateways, node }: { readonly gateways: ReadonlyArray<Place>; readonly node: Place<NodeOrder, NodeAnswer> },
  random: Random,
  { freezes, gatewayKills, nodeKills }: Options,
  { answered, emptied, isDone }: {
    readonly answered: () => number
    /** Empties the pool of a node that has just started. */
    readonly emptied: (() => Promise<unknown>) | undefined
    readonly isDone: () => boolean
  }
): Promise<void> => {
  const sides = [
    ...Array.from({ length: gatewayKills }, () => "gateway" as const),
    ...Array.from({ length: nodeKills }, () => "node" as const),
    ...Array.from({ length: freezes }, () => "freeze" as const)
  ]
  while (sides.length > 0 && !isDone()) {
    const before = answered()
    const isCalm = random.fraction() < calmShare
    for (const until = Date.now() + calmMillis; isCalm && answered() === before && Date.now() < until;) await pause(50)
    await pause(random.between(50, 1500))
    const [trouble] = sides.splice(random.between(0, sides.length - 1), 1)
    const side = trouble === "node" ? node : random.pick(gateways)
    if (trouble === "freeze") await side?.freeze(freezeMillis)
    else {
      side?.kill()
      await side?.start()
      if (trouble === "node") await emptied?.()
    }
  }
}

const counted = { count: expression("count(*)", integer) }

/** How many sends no block has decided, in the wallet's own tables. */
const openSends = async (file: string): Promise<number> => {
  if (isAddress(file)) {
    return Effect.runPromise(
      Effect.scoped(Effect.gen(function*() {
        const sql = yield* PgClient.make({ url: Redacted.make(file), maxConnections: 1 })
        const [row] = yield* sql.unsafe("SELECT count(*) FROM klaytn_index_wallet.wallet_sends_1001 WHERE state = 0")
          .values
        return Number(row?.[0])
      })).pipe(Effect.provide(Reactivity.layer))
    )
  }
  const driver = Driver.open(file)
  try {
    return select(driver, counted, "FROM wallet_sends_1001 WHERE state = 0").first()?.count ?? 0
  } finally {
    driver.close()
  }
}

/** What the chain and the wallet say when everything is at rest. */
export const judge = async (
  rpc: Rpc,
  ask: Ask,
  { accounts, created, payments, file }: {
    readonly accounts: ReadonlyArray<string>
    readonly created: ReadonlyArray<string>
    readonly payments: ReadonlyArray<Payment>
    readonly file: string
  }
) => {
  const counts = { twice: 0, lostAfter200: 0, once: 0, none: 0, neverAnswered: 0, noncesOpen: 0, keysLost: 0 }
  for (let left = 600; (await openSends(file)) > 0 && left > 0; left--) await pause(100)
  counts.noncesOpen = await openSends(file)
  for (const account of accounts) {
    const [latest, pending] = [
      await rpc("klay_getTransactionCount", account, "latest"),
      await rpc("klay_getTransactionCount", account, "pending")
    ]
    if (latest !== pending) counts.noncesOpen++
  }
  for (const { asked, key, receiver, status } of payments) {
    const times = BigInt(String(await rpc("klay_getBalance", receiver, "latest"))) / value
    if (times > 1n) counts.twice++
    if (times === 1n) counts.once++
    if (times === 0n) counts.none++
    if (status === 200 && times === 0n) counts.lostAfter200++
    if (key !== undefined && status !== 200 && asked > 0) counts.neverAnswered++
  }
  for (const account of created) {
    // An account without coin signs all the same.
    const body = { from: account, to: account, value: "0x1", submit: false }
    const answer = await untilAnswered(ask, "POST", "/v2/tx/value", body).catch(() => undefined)
    if (typeof answer?.body["rlp"] !== "string") counts.keysLost++
  }
  return counts
}

export const credential = { accessKeyId: "KASKDRILL", secretAccessKey: "drill" }

export const callerIn = (database: string) =>
  Effect.runPromise(Effect.gen(function*() {
    const { accessKeyId, secretAccessKey } = yield* callersOf.add(database, "drill", { rights: ["read", "wallet"] })
    return `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`
  }))

/** Pays by four callers while everything fails, and counts what happened. */
export const custodyRuns = async (options: Options) => {
  const { payments: count, postgres, seed } = options
  const random = new Random(seed)
  const folder = mkdtempSync(join(tmpdir(), "custody-drill-"))
  const database = postgres ?? join(folder, "index.db")
  const [nodePort, proxyPort] = [await freePort(), await freePort()]
  const ports = await Promise.all(Array.from({ length: postgres === undefined ? 1 : 3 }, freePort))
  const rpcUrl = `http://127.0.0.1:${nodePort}/rpc/1001`
  const proxy = new SendProxy(rpcUrl, random)
  await proxy.listen(proxyPort)
  const node = new Place<NodeOrder, NodeAnswer>(
    await bundleProgram(new URL("./nodeProgram.ts", import.meta.url)),
    {
      database: join(folder, "node.db"),
      port: nodePort,
      ...credential,
      // A pool that is empty all the time has no bad days.
      ...((options.badDays.length > 0 || options.isWatched) && { mining: { every: "1 second" } })
    }
  )
  const program = await bundleProgram(new URL("./custodyProgram.ts", import.meta.url))
  const gateways = ports.map((port) =>
    new Place(program, {
      database,
      port,
      node: `http://127.0.0.1:${proxyPort}`,
      ...(options.isWatched && { maxGasPrice: String(maxPrice) }),
      ...(postgres !== undefined && { walletKey: "5a".repeat(32) })
    })
  )
  let authorization = ""
  const ask = callerOf(ports.map((port) => `http://127.0.0.1:${port}`), () => authorization, random)
  const rpc = rpcOf(rpcUrl)
  const badDays = new BadDays({ rpcUrl: () => rpcUrl, cut: "rpc.exchange" }, options.badDays, seed)
  let isRight = false
  try {
    await node.start()
    // The tables of callers in Postgres are made by the first gateway.
    for (const gateway of gateways) await gateway.start()
    authorization = await callerIn(database)
    const accounts: Array<string> = []
    for (let made = 0; made < senders; made++) accounts.push(await fundedAccount(ask, rpc))
    const created = [...accounts]
    const payments = Array.from(
      { length: count },
      (_, index) => paymentOf(seed, index, accounts[index % senders] ?? "")
    )
    const answers = new Answers({ ask, payments, rpc }, new Random(`${seed} answers`))
    let isDone = false
    const swinging = options.isWatched ? swing(rpcUrl, new Random(`${seed} swing`), () => isDone) : undefined
    if (options.isWatched) answers.start()
    proxy.share = faultShare
    badDays.start()
    let next = 0
    const caller = async () => {
      for (let index = next++; index < count; index = next++) {
        const payment = payments[index]
        if (payment !== undefined) await pay(ask, payment)
        const made = index % 10 === 0 ? await ask("POST", "/v2/account", {}) : undefined
        if (made?.status === 200) created.push(String(made.body["address"]))
      }
    }
    const paying = Promise.all(Array.from({ length: callers }, caller)).then(() => {
      isDone = true
    })
    const answered = () => payments.filter(({ status }) => status === 200).length
    const emptied = options.isWatched ? () => rpc("anvil_dropAllTransactions") : undefined
    await storm({ gateways, node }, random, options, { answered, emptied, isDone: () => isDone })
    await paying
    await swinging
    proxy.share = 0
    await badDays.stop()
    const file = postgres ?? `${database}.wallet`
    const counts = await judge(rpc, ask, { accounts, created, payments, file })
    if (options.isWatched) await answers.stop()
    const told = options.isWatched ? await answers.judgement(accounts) : undefined
    const { keysLost, lostAfter200, neverAnswered, noncesOpen, twice } = counts
    isRight = keysLost + lostAfter200 + neverAnswered + noncesOpen + twice === 0 && told?.isTrue !== false
    return {
      ...options,
      postgres: postgres !== undefined,
      ...(isRight ? {} : { databases: folder }),
      isRight,
      kills: { gateways: gateways.reduce((sum, { kills }) => sum + kills, 0), node: node.kills },
      frozen: gateways.reduce((sum, one) => sum + one.freezes, 0),
      ends: [...gateways.flatMap(({ ends }) => ends), ...node.ends],
      faults: Object.fromEntries([...proxy.counts].sort()),
      badDays: Object.fromEntries(badDays.counts),
      ...(told !== undefined && { answers: told }),
      accountsCreated: created.length,
      ...counts
    }
  } finally {
    for (const gateway of gateways) gateway.kill()
    node.kill()
    proxy.close()
    if (isRight) rmSync(folder, { recursive: true, force: true })
  }
}
