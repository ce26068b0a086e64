/** The wallet on a disk that becomes full in the middle of sends and account creations, and has space again later. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Random } from "../../packages/sandbox/src/internal/Random.js"
import { bundleProgram } from "../../scripts/bundleProgram.js"
import {
  type Answer,
  callerIn,
  callerOf,
  credential,
  fundedAccount,
  judge,
  pay,
  paymentOf,
  rpcOf
} from "./custodyRuns.js"
import { freePort, type NodeAnswer, type NodeOrder, pause, Place } from "./processes.js"
import { SmallDisk } from "./SmallDisk.js"

/** How much is done. */
export interface Options {
  readonly seed: string
  readonly payments: number
  /** How often the disk becomes full. */
  readonly times: number
}

/** Room for the databases, and little more. */
const megabytes = 16

const senders = 4

/** How long the disk is full, in milliseconds: the first, and more up to the second until some requests were refused. */
const [fullMillis, longestMillis] = [3000, 30_000]

/** Refusals for each time that the disk is full. */
const refusals = 3

/** What was answered while the disk was full. */
class Outage {
  readonly statuses = new Map<number, number>()
  /** Answers that are no refusal in the service's form, connections that broke included. */
  untyped = 0

  get refused(): number {
    return (this.statuses.get(500) ?? 0) + (this.statuses.get(503) ?? 0)
  }

  note(answer: Answer | undefined): void {
    const status = answer?.status ?? 0
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    if (status === 200) return
    const isTyped = typeof answer?.body["code"] === "number" && typeof answer.body["message"] === "string"
    if (!isTyped || status < 500) this.untyped++
  }
}

/** Fills the disk, takes what becomes free meanwhile, and gives everything back. */
const outage = async (disk: SmallDisk, isOver: () => boolean): Promise<void> => {
  const since = Date.now()
  const past = () => Date.now() - since
  while (past() < fullMillis || (past() < longestMillis && !isOver())) {
    disk.fill()
    await pause(50)
  }
  disk.free()
}

/** Pays and creates accounts while the disk becomes full some times. */
const runsOn = async (disk: SmallDisk, folder: string, { payments: count, seed, times }: Options) => {
  const random = new Random(seed)
  const [nodePort, port] = [await freePort(), await freePort()]
  const rpcUrl = `http://127.0.0.1:${nodePort}/rpc/1001`
  const node = new Place<NodeOrder, NodeAnswer>(
    await bundleProgram(new URL("./nodeProgram.ts", import.meta.url)),
    { database: join(folder, "node.db"), port: nodePort, ...credential }
  )
  const database = join(disk.folder, "index.db")
  const script = await bundleProgram(new URL("./custodyProgram.ts", import.meta.url))
  const gateway = new Place(script, { database, port, node: rpcUrl })
  try {
    await node.start()
    await gateway.start()
    const authorization = await callerIn(database)
    const ask = callerOf([`http://127.0.0.1:${port}`], () => authorization, random)
    const rpc = rpcOf(rpcUrl)
    const accounts = await Promise.all(Array.from({ length: senders }, () => fundedAccount(ask, rpc)))
    const created = [...accounts]
    const payments = Array.from(
      { length: count },
      (_, index) => paymentOf(`${seed} full disk`, index, accounts[index % senders] ?? "")
    )
    const during = new Outage()
    let isFull = false
    const noting: typeof ask = async (...asked) => {
      const wasFull = isFull
      const answer = await ask(...asked)
      if (wasFull && isFull) during.note(answer)
      return answer
    }
    let next = 0
    const caller = async () => {
      for (let index = next++; index < count; index = next++) {
        const payment = payments[index]
        if (payment !== undefined) await pay(noting, payment)
        const made = index % 3 === 0 ? await noting("POST", "/v2/account", {}) : undefined
        if (made?.status === 200) created.push(String(made.body["address"]))
        // So slow that payments are left for each time, and are made during it.
        while (next > count / (times + 1) * (begun + 1) && begun < times) await pause(50)
      }
    }
    let [begun, full] = [0, 0]
    const paying = Promise.all(Array.from({ length: senders }, caller))
    for (; full < times; full++) {
      await pause(random.between(300, 1500))
      isFull = true
      begun++
      await outage(disk, () => during.refused >= refusals * (full + 1))
      isFull = false
    }
    await paying
    const counts = await judge(rpc, ask, { accounts, created, payments, file: `${database}.wallet` })
    const { keysLost, lostAfter200, neverAnswered, noncesOpen, twice } = counts
    const isRight = keysLost + lostAfter200 + neverAnswered + noncesOpen + twice + during.untyped === 0 &&
      during.refused > 0 && gateway.ends.length === 0
    return {
      isRight,
      full,
      whileFull: { statuses: Object.fromEntries(during.statuses), untyped: during.untyped },
      ends: gateway.ends,
      accountsCreated: created.length,
      ...counts
    }
  } finally {
    gateway.kill()
    node.kill()
  }
}

/** Runs this part of the drill, where the machine lets this process mount a file system. */
export const fullDisk = async (options: Options) => {
  const folder = mkdtempSync(join(tmpdir(), "custody-disk-"))
  const disk = SmallDisk.mount(join(folder, "disk"), megabytes)
  try {
    return disk === undefined
      ? { isTried: false as const, why: "this process may not mount a file system" }
      : { isTried: true as const, ...await runsOn(disk, folder, options) }
  } finally {
    disk?.unmount()
    rmSync(folder, { recursive: true, force: true })
  }
}
