/** The parent of the drill of a busy chain. */
import { holderOf } from "../../packages/indexer/bench/SyntheticNode.js"
import { Random } from "../../packages/sandbox/src/internal/Random.js"
import { bundleProgram } from "../../scripts/bundleProgram.js"
import { type Database, gaps, miscounted, numberOf, readAlways } from "./clusterRuns.js"
import type { LiveNodeJob } from "./liveNode.js"
import { freePort, pause, Place } from "./processes.js"

export interface Options {
  readonly seed: string
  readonly url: string
  readonly database: Database
  readonly minutes: number
  /** Seconds between two kills of the follower. */
  readonly killEvery: number
  /** Is told how far the drill is. */
  readonly say: (line: string) => void
}

/** A busy chain, and a node at some distance. */
const chain = { transactions: 420, latency: 20 }

/** The furthest that the index may be behind, in seconds: a block is made each second. */
const longestLag = 30

/** The most by which the memory of the process that is never killed may grow from the second quarter to the last one. */
const growth = 1.1

const schema = "drill"

/** The newest block of the node. */
const heightOf = async (node: string): Promise<number> => {
  const response = await fetch(node, {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "klay_blockNumber", params: [] })
  })
  const { result } = await response.json() as { readonly result: string }
  return Number(result)
}

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const megabytes = (bytes: number): number => Math.round(bytes / 1e6)

/** The medians of each quarter. */
const quarters = (values: ReadonlyArray<number>): ReadonlyArray<number> =>
  [0, 1, 2, 3].map((quarter) =>
    median(values.slice(Math.floor(quarter * values.length / 4), Math.floor((quarter + 1) * values.length / 4)))
  )

export const liveRuns = async ({ database, killEvery, minutes, say, seed, url }: Options) => {
  const random = new Random(seed)
  const job: LiveNodeJob = { ...chain, port: await freePort() }
  const nodeUrl = `http://127.0.0.1:${job.port}`
  const node = new Place(await bundleProgram(new URL("./liveNode.ts", import.meta.url)), job)
  const program = await bundleProgram(new URL("./gatewayProgram.ts", import.meta.url))
  const ports = await Promise.all([1, 2, 3].map(freePort))
  const [serving, ...others] = ports.map((port, at) =>
    new Place(program, { database: url, schema, port, node: nodeUrl, role: at === 0 ? "serve" : "all" })
  )
  if (serving === undefined) throw new Error("there is no gateway that only serves")
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  const paths = Array.from({ length: 20 }, (_, number) => `/v2/transfer/account/${holderOf(number)}?size=100`)
  const lags: Array<number> = []
  const memory = { serving: new Array<number>(), following: 0, node: 0 }
  try {
    await node.start()
    await Promise.all(others.map((gateway) => gateway.start()))
    await serving.start()
    // What follows is measured from an index that is near the head.
    const behind = async (): Promise<number> => {
      const indexed = await numberOf(database, `SELECT max(number) FROM ${schema}.blocks`)
      return await heightOf(nodeUrl) - indexed
    }
    const isServed = (): Promise<boolean> => fetch(`${urls[0]}${paths[0]}`).then(({ status }) => status === 200)
    while (await behind() > longestLag / 3 || !await isServed()) await pause(500)
    const stops = [readAlways(urls.slice(0, 1), paths, random, 1), readAlways(urls.slice(1), paths, random, 1)]
    const began = Date.now()
    const end = began + minutes * 60_000
    let nextKill = began + killEvery * 1000
    let said = began
    let misses = 0
    while (Date.now() < end) {
      lags.push(await behind())
      memory.serving.push(serving.memory())
      memory.following = Math.max(memory.following, ...others.map((gateway) => gateway.memory()))
      memory.node = node.memory()
      if (Date.now() >= nextKill) {
        nextKill += killEvery * 1000
        const holder = String((await database.query(`SELECT holder FROM ${schema}.lease`))?.[0]?.[0])
        const follower = others.find(({ pid }) => holder.includes(`-${pid}-`))
        if (follower === undefined) misses++
        else {
          follower.kill()
          void pause(random.between(0, 3000)).then(() => follower.start())
        }
      }
      if (Date.now() - said >= 60_000) {
        said = Date.now()
        say(
          `minute ${Math.round((said - began) / 60_000)} of ${minutes}: ${lags.at(-1)} s behind, at most ${
            Math.max(...lags)
          } s; memory ${megabytes(serving.memory())} MB`
        )
      }
      await pause(1000)
    }
    const [ofServing, ofOthers] = [await stops[0]?.(), await stops[1]?.()]
    const [, second = 0, , last = 0] = quarters(memory.serving)
    const found = {
      lag: { median: median(lags), highest: Math.max(...lags) },
      megabytes: {
        serving: quarters(memory.serving).map(megabytes),
        following: megabytes(memory.following),
        node: megabytes(memory.node)
      },
      kills: others.reduce((sum, { kills }) => sum + kills, 0),
      misses,
      read: { serving: ofServing, others: ofOthers },
      blocks: await numberOf(database, `SELECT count(*) FROM ${schema}.blocks`),
      gaps: await numberOf(database, gaps),
      miscounted: await numberOf(database, miscounted),
      ends: [serving, ...others].flatMap(({ ends }) => ends).slice(0, 3)
    }
    const isRight = found.lag.highest <= longestLag && last <= growth * second && found.gaps === 0 &&
      found.miscounted === 0 && ofServing?.failed === 0 && ofServing.twice === 0 && ofOthers?.twice === 0 &&
      found.kills > 0 && found.ends.length === 0
    return { isRight, seed, minutes, ...chain, ...found }
  } finally {
    for (const gateway of [serving, ...others]) gateway.kill()
    node.kill()
  }
}
