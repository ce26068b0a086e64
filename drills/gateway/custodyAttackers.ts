/**
 * The wallet among hostile callers, in front of a node that lies: seven callers pay, three have limits and pools of their own and attack
 * everything else. Honest payments run once, soon, and are refused by nobody; what a hostile caller costs stays within its limits.
 */
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { callers as callersOf } from "../../packages/gateway/src/internal/command.js"
import { Random } from "../../packages/sandbox/src/internal/Random.js"
import { bundleProgram } from "../../scripts/bundleProgram.js"
import { callerOf, credential, fundedAccount, receiverOf, type Rpc, rpcOf } from "./custodyRuns.js"
import { attack } from "./hostileCaller.js"
import { lying } from "./lies.js"
import { freePort, type NodeAnswer, type NodeOrder, pause, Place } from "./processes.js"
import { SendProxy } from "./SendProxy.js"

/** How much is done. */
export interface Options {
  readonly seed: string
  readonly payments: number
  readonly kills: number
  /** The address of an empty database in Postgres, which two gateways share. Default: one gateway with files. */
  readonly postgres: string | undefined
}

const klay = 10n ** 18n
const [honestCallers, hostileCallers] = [7, 3]
const value = 7n
/** The limits of a hostile caller, and how late an honest payment may be answered, and how long it may be under way, in milliseconds. */
const limits = { largestValue: klay, dailySum: 5n * klay, largestFee: klay / 10n, contractCalls: false }
const [lateMillis, stuckMillis] = [30_000, 300_000]
const lieShare = 1 / 200

interface Payment {
  readonly receiver: string
  readonly from: string
  readonly key: string
  hash?: string
  status?: number
  millis?: number
  refused?: string
}

interface Paid {
  readonly from: string
  readonly feePayer?: string
  readonly value?: string
  readonly gas: string
  readonly gasPrice: string
  readonly hash: string
}

/** What the accounts of a caller have sent, and the dearest fee of one transaction. */
const spentBy = async (rpc: Rpc, accounts: ReadonlyArray<string>) => {
  const known = new Set(accounts.map((account) => account.toLowerCase()))
  const spent = { value: 0n, dearest: 0n, transactions: 0 }
  const head = Number(await rpc("klay_blockNumber"))
  for (let number = 0; number <= head; number++) {
    const block = await rpc("klay_getBlockByNumber", `0x${number.toString(16)}`, true)
    const { transactions } = block as { readonly transactions: ReadonlyArray<Paid> }
    for (const one of transactions) {
      if (!known.has(one.from.toLowerCase())) continue
      const fee = BigInt(one.gas) * BigInt(one.gasPrice)
      spent.value += BigInt(one.value ?? "0x0")
      spent.transactions++
      if (fee > spent.dearest) spent.dearest = fee
    }
  }
  return spent
}

const callerIn = async (database: string, name: string, options: Parameters<typeof callersOf.add>[2]) => {
  const { accessKeyId, secretAccessKey } = await Effect.runPromise(callersOf.add(database, name, options))
  return `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`
}

/** Runs this part of the drill. */
export const attackedRuns = async ({ kills, payments: count, postgres, seed }: Options) => {
  const random = new Random(`${seed} attackers`)
  const folder = mkdtempSync(join(tmpdir(), "custody-attackers-"))
  const database = postgres ?? join(folder, "index.db")
  const [nodePort, proxyPort] = [await freePort(), await freePort()]
  const ports = await Promise.all(Array.from({ length: postgres === undefined ? 1 : 2 }, freePort))
  const rpcUrl = `http://127.0.0.1:${nodePort}/rpc/1001`
  const proxy = new SendProxy(rpcUrl, random)
  const lies = new Map<string, number>()
  await proxy.listen(proxyPort)
  const node = new Place<NodeOrder, NodeAnswer>(
    await bundleProgram(new URL("./nodeProgram.ts", import.meta.url)),
    { database: join(folder, "node.db"), port: nodePort, ...credential, mining: { every: "1 second" } }
  )
  const pools = Array.from({ length: hostileCallers }, (_, index) => `evil-${index}`)
  const program = await bundleProgram(new URL("./custodyProgram.ts", import.meta.url))
  const gateways = ports.map((port) =>
    new Place(program, {
      database,
      port,
      node: `http://127.0.0.1:${proxyPort}`,
      pools,
      ...(postgres !== undefined && { walletKey: "5a".repeat(32) })
    })
  )
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  const rpc = rpcOf(rpcUrl)
  let isRight = false
  try {
    await node.start()
    for (const gateway of gateways) await gateway.start()
    const owner = await callerIn(database, "owner", { rights: ["read", "wallet"] })
    const asOwner = callerOf(urls, () => owner, random)
    const accounts: Array<string> = []
    for (let made = 0; made < honestCallers; made++) accounts.push(await fundedAccount(asOwner, rpc))
    const honest = await Promise.all(accounts.map(async (from, index) => {
      const authorization = await callerIn(database, `honest-${index}`, {
        rights: ["read", "wallet"],
        pools: ["default"]
      })
      return { from, ask: callerOf(urls, () => authorization, random) }
    }))
    const customer = String(
      /krn:\d+:wallet:([^:]+):/.exec(JSON.stringify((await asOwner("GET", "/v2/account?size=1"))?.body))?.[1]
    )
    const hostile = await Promise.all(pools.map(async (pool) => {
      const authorization = await callerIn(database, pool, { rights: ["wallet"], pools: [pool], limits })
      const krn = { "x-krn": `krn:1001:wallet:${customer}:account-pool:${pool}` }
      const ask = callerOf(urls, () => authorization, random, krn)
      const own: Array<string> = []
      for (let made = 0; made < 2; made++) own.push(await fundedAccount(ask, rpc))
      return { ask, own, pool }
    }))
    const payments = Array.from({ length: count }, (_, index): Payment => ({
      receiver: receiverOf(`${seed} attackers`, index),
      from: accounts[index % honestCallers] ?? "",
      key: `payment-${index}`
    }))
    proxy.lie = lying(random, lieShare, (method) => void lies.set(method, (lies.get(method) ?? 0) + 1))
    let isOver = false
    const attacks = hostile.map(({ ask, own }, index) =>
      attack({
        ask,
        rpc,
        random: new Random(`${seed} hostile ${index}`),
        own,
        victims: accounts,
        keys: payments.map(({ key }) => key)
      }, () => isOver)
    )
    const paying = Promise.all(honest.map(async ({ ask, from }) => {
      for (const payment of payments.filter((one) => one.from === from)) {
        const body = { from, to: payment.receiver, value: `0x${value.toString(16)}`, submit: true }
        const since = Date.now()
        while (payment.hash === undefined && Date.now() - since < stuckMillis) {
          const answer = await ask("POST", "/v2/tx/value", body, payment.key)
          payment.status = answer?.status ?? 0
          if (answer?.status === 400) payment.refused = JSON.stringify(answer.body)
          if (answer?.status === 200) payment.hash = String(answer.body["transactionHash"])
          else await pause(200)
        }
        payment.millis = Date.now() - since
      }
    }))
    for (let killed = 0; killed < kills; killed++) {
      await pause(random.between(2000, 8000))
      const gateway = random.pick(gateways)
      gateway?.kill()
      await gateway?.start()
    }
    await paying
    isOver = true
    const statuses = await Promise.all(attacks)
    proxy.lie = (_, answered) => answered
    // Each hash says what became of it, and within five minutes that is a block.
    const until = Date.now() + stuckMillis
    const open = new Set(payments.filter(({ hash }) => hash !== undefined))
    while (open.size > 0 && Date.now() < until) {
      for (const payment of open) {
        const status = (await asOwner("GET", `/v2/tx/${payment.hash}`))?.body["status"]
        if (status === "Committed") open.delete(payment)
      }
      await pause(500)
    }
    const counts = { twice: 0, once: 0, stuck: open.size, lost: 0, refused: 0, late: 0, keysLost: 0, beyondLimits: 0 }
    for (const { hash, millis = Infinity, receiver, refused } of payments) {
      const times = BigInt(String(await rpc("klay_getBalance", receiver, "latest"))) / value
      if (times > 1n) counts.twice++
      if (times === 1n) counts.once++
      if (times === 0n && hash !== undefined) counts.lost++
      // A node that lies may refuse, too: what was refused and paid under its key was not refused by others.
      if (refused !== undefined && hash === undefined) counts.refused++
      if (millis > lateMillis) counts.late++
    }
    for (const from of [...accounts, ...hostile.flatMap(({ own }) => own)]) {
      const ask = hostile.find(({ own }) => own.includes(from))?.ask ?? asOwner
      const signed = await ask("POST", "/v2/tx/value", { from, to: from, value: "0x0", submit: false })
      if (typeof signed?.body["rlp"] !== "string") counts.keysLost++
    }
    const losses = await Promise.all(hostile.map(({ own }) => spentBy(rpc, own)))
    for (const { dearest, value } of losses) {
      if (value > limits.dailySum || dearest > limits.largestFee) counts.beyondLimits++
    }
    const { once: _, ...bad } = counts
    const ends = gateways.flatMap(({ ends }) => ends)
    isRight = Object.values(bad).every((one) => one === 0) && ends.length === 0
    return {
      isRight,
      ...(isRight
        ? {}
        : {
          databases: folder,
          bad: payments.filter((one) => open.has(one) || (one.millis ?? 0) > lateMillis || one.refused !== undefined)
            .slice(0, 9)
        }),
      payments: count,
      postgres: postgres !== undefined,
      kills: gateways.reduce((sum, { kills }) => sum + kills, 0),
      ends,
      lies: Object.fromEntries(lies),
      attacks: statuses.map((one) => Object.fromEntries(one)),
      losses: losses.map(({ dearest, transactions, value }) => ({
        transactions,
        value: Number(value) / 1e18,
        dearestFee: Number(dearest) / 1e18
      })),
      slowest: Math.max(...payments.map(({ millis = 0 }) => millis)),
      ...counts
    }
  } finally {
    for (const gateway of gateways) gateway.kill()
    node.kill()
    proxy.close()
    if (isRight) rmSync(folder, { recursive: true, force: true })
  }
}
