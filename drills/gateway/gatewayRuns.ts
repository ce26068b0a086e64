/** The parent of the drill of the gateway. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Random } from "../../packages/sandbox/src/internal/Random.js"
import { bundleProgram } from "../../scripts/bundleProgram.js"
import { BadDays, type Name } from "../badDays.js"
import { type Names, operations, type Page, readBoth, type Server } from "../sandbox/dataPages.js"
import { contradictions, NodeProxy } from "./NodeProxy.js"
import { freePort, type NodeAnswer, type NodeOrder, pause, Place } from "./processes.js"

/** How long the drill lasts. */
export interface Options {
  readonly seed: string
  /** Orders to the node while either side is killed and the node is wrong. */
  readonly rounds: number
  /** Minutes of following after that. */
  readonly minutes: number
  /** Whether each of these ends with a kill of the gateway. */
  readonly kills: boolean
  /** Where gateways keep their index, one gateway each: `sqlite`, or the address of a Postgres. */
  readonly databases: ReadonlyArray<string>
  /** What else the node does. */
  readonly badDays: ReadonlyArray<Name>
  /** In each of the ways, one answer of the node in so many contradicts another one; none if it is 0. */
  readonly contradicting: number
}

/** The share of the gateway's requests that meet a fault. */
const faultShare = 0.25

/** How long the node keeps the form in which it refuses requests of many calls. */
const formMillis = 3000

/** Characters that are shown of each page, from a little before the first difference. */
const shown = 300

/** The first difference of two pages. */
const differenceOf = (path: string, node: string, gateway: string) => {
  const at = [...node].findIndex((character, index) => character !== gateway[index])
  const part = (page: string) => page.slice(Math.max(0, at - shown / 3)).slice(0, shown)
  return { path, node: part(node), gateway: part(gateway) }
}

/** How long the gateway may take to catch up when nothing disturbs it any more, in milliseconds. */
const patience = 120_000

/** What both servers may word differently: cursors, and the ID of a request. */
const comparable = ({ status, text }: Page): string =>
  `${status} ${text.replace(/"cursor":"[^"]+"/, "\"cursor\":\"...\"").replace(/"requestId":"[^"]+"/, "")}`

/** A read that a broken connection ended is repeated. */
const again = Schedule.spaced("1 second").pipe(Schedule.intersect(Schedule.recurs(5)))

export const server = (url: string, headers: Readonly<Record<string, string>>): Server<unknown> => (path) =>
  Effect.tryPromise(async () => {
    const response = await fetch(url + path, { headers: { "x-chain-id": "1001", ...headers } })
    return { status: response.status, text: await response.text() }
  }).pipe(Effect.retry(again))

/** How many names of each kind are compared, so that a long run ends soon after its last block. */
const most: Readonly<Record<keyof Names, number>> = {
  address: 100,
  owner: 60,
  tokenId: 40,
  hash: 1000,
  contracts: 40
}

/** As many names, spread evenly over all. */
const someOf = <A>(names: ReadonlyArray<A>, count: number): ReadonlyArray<A> => {
  const step = names.length / count
  return names.filter((_, index) => Math.floor(index / step) > Math.floor((index - 1) / step))
}

export const sampleOf = ({ address, contracts, hash, owner, tokenId }: Names): Names => ({
  address: someOf(address, most.address),
  owner: someOf(owner, most.owner),
  tokenId: someOf(tokenId, most.tokenId),
  hash: someOf(hash, most.hash),
  // The first kind may have one contract alone.
  contracts: someOf(contracts.toSorted((one, other) => one.kind.localeCompare(other.kind)), most.contracts)
})

interface Status {
  readonly isReady: boolean
  readonly index: { readonly head?: { readonly number: number }; readonly blocksReverted: number }
}

const statusOf = async (url: string): Promise<Status | undefined> => {
  try {
    return await (await fetch(`${url}/status`)).json() as Status
  } catch {
    return undefined
  }
}

/** Waits until the gateway is ready at a height, as long as its index grows, and says whether it is. */
export const caughtUp = async (url: string, height: number): Promise<boolean> => {
  let [seen, end] = [-1, Date.now() + patience]
  for (; Date.now() < end; await pause(100)) {
    const status = await statusOf(url)
    const newest = status?.index.head?.number ?? -1
    if (status?.isReady === true && newest === height) return true
    // On a busy machine, an index that is behind takes minutes.
    if (newest > seen) [seen, end] = [newest, Date.now() + patience]
  }
  return false
}

export const credential = { accessKeyId: "KASKDRILL", secretAccessKey: "drill" }

interface Processes {
  readonly node: Place<NodeOrder, NodeAnswer>
  readonly gateways: ReadonlyArray<Place>
  readonly proxy: NodeProxy
}

/** Orders to the node, of which every third ends with a kill of one side. */
const storm = async (
  { gateways, node, proxy }: Processes,
  random: Random,
  { contradicting, rounds, seed }: Options
): Promise<void> => {
  proxy.share = contradicting > 0 ? 0 : faultShare
  proxy.contradicting = contradicting
  for (let round = 0; round < rounds; round++) {
    const verb = random.pick(["transfers", "operations", "fork"] as const) ?? "fork"
    const asked = node.ask({ verb, seed: `${seed} ${round}`, blocks: random.between(3, 8) })
    if (round % 3 === 2) {
      await pause(random.between(100, 2500))
      const side = random.pick([node, ...gateways])
      side?.kill()
      await side?.start()
    }
    await asked
  }
}

/** Follows a chain that grows all the time, and kills the gateway every minute. Gives its memory after each, in bytes. */
const live = async (
  { gateways, node, proxy }: Processes,
  random: Random,
  { contradicting, kills, minutes, seed }: Options
): Promise<ReadonlyArray<number>> => {
  proxy.share = contradicting > 0 ? 0 : faultShare / 10
  const memory: Array<number> = []
  for (let minute = 0; minute < minutes; minute++) {
    const end = Date.now() + 60_000
    for (let order = 0; Date.now() < end; order++) {
      const verb = random.fraction() < 0.1 ? "fork" : "operations"
      await node.ask({ verb, seed: `${seed} ${minute} ${order}`, blocks: 2 })
      await pause(2000)
    }
    memory.push(Math.max(...gateways.map((one) => one.memory())))
    if (!kills) continue
    for (const gateway of gateways) {
      gateway.kill()
      await gateway.start()
    }
  }
  return memory
}

/** Reads every page of both, and gives what differs. */
export const compare = async (names: Names, servers: readonly [Server<unknown>, Server<unknown>]) => {
  const differences: Array<ReturnType<typeof differenceOf>> = []
  const { pages, served } = await Effect.runPromise(readBoth(names, servers, (path, [one, other]) => {
    const [expected, found] = [comparable(one), comparable(other)]
    if (expected !== found) differences.push(differenceOf(path, expected, found))
  }))
  return {
    pages,
    unserved: operations.map(({ name }) => name).filter((name) => !served.includes(name)),
    different: differences.length,
    differences: differences.slice(0, 5)
  }
}

/** Disturbs a gateway and its node while the chain grows and forks, and compares every page when they are at rest. */
export const gatewayRuns = async (options: Options) => {
  const { seed } = options
  const random = new Random(seed)
  const folder = mkdtempSync(join(tmpdir(), "gateway-drill-"))
  const [nodePort, proxyPort] = [await freePort(), await freePort()]
  const nodeUrl = `http://127.0.0.1:${nodePort}`
  const proxy = new NodeProxy(`${nodeUrl}/rpc/1001`, random)
  await proxy.listen(proxyPort)
  const node = new Place<NodeOrder, NodeAnswer>(
    await bundleProgram(new URL("./nodeProgram.ts", import.meta.url)),
    { database: join(folder, "node.db"), port: nodePort, internalTransfers: options.contradicting > 0, ...credential }
  )
  const program = await bundleProgram(new URL("./gatewayProgram.ts", import.meta.url))
  const ports = await Promise.all(options.databases.map(freePort))
  const gateways = options.databases.map((database, index) =>
    new Place(program, {
      ...(database === "sqlite" ? { database: join(folder, "index.db") } : { database, schema: "drill" }),
      port: ports[index],
      trace: options.contradicting > 0,
      node: `http://127.0.0.1:${proxyPort}`
    })
  )
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  const badDays = new BadDays(
    { rpcUrl: () => `${nodeUrl}/rpc/1001`, cut: "rpc.exchange" },
    options.badDays,
    seed
  )
  let isRight = false
  const changing = setInterval(() => proxy.changeForm(), formMillis)
  try {
    await node.start()
    await node.ask({ verb: "begin", seed, blocks: 0 })
    for (const gateway of gateways) await gateway.start()
    const processes = { node, gateways, proxy }
    badDays.start()
    await storm(processes, random, options)
    const memory = (await live(processes, random, options)).map((bytes) => Math.round(bytes / 2 ** 20))
    if (memory.length > 0) process.stderr.write(`megabytes of the gateway after each minute: ${memory.join(" ")}\n`)
    // At rest, but for a node that contradicts itself: it always does.
    proxy.share = 0
    await badDays.stop()
    const answer = await node.ask({ verb: "names", seed, blocks: 0 })
    if (answer?.names === undefined) throw new Error("the node did not say what its chain has")
    const isCaughtUp = (await Promise.all(urls.map((url) => caughtUp(url, answer.head)))).every((is) => is)
    const basic = Buffer.from(`${credential.accessKeyId}:${credential.secretAccessKey}`).toString("base64")
    const ofNode = server(nodeUrl, { authorization: `Basic ${basic}` })
    const compared = { pages: 0, different: 0, unserved: new Array<string>(), differences: new Array<unknown>() }
    for (const url of urls) {
      const { different, differences, pages, unserved } = await compare(sampleOf(answer.names), [
        ofNode,
        server(url, {})
      ])
      compared.pages += pages
      compared.different += different
      compared.unserved.push(...unserved)
      compared.differences.push(...differences)
    }
    isRight = isCaughtUp && compared.different === 0
    return {
      ...options,
      databases: options.databases.map((one) => one.split(":")[0]),
      ...(isRight ? {} : { folder }),
      blocks: answer.head,
      forks: node.orders.get("fork") ?? 0,
      kills: { node: node.kills, gateways: gateways.map((one) => one.kills) },
      ends: [...node.ends, ...gateways.flatMap((one) => one.ends)],
      faults: Object.fromEntries([...proxy.counts].sort()),
      /** The ways in which the node has not contradicted itself. */
      untried: options.contradicting > 0
        ? contradictions.flatMap(({ name }) => proxy.counts.has(name) ? [] : [name])
        : [],
      badDays: Object.fromEntries(badDays.counts),
      refused: Object.fromEntries([...proxy.refused].sort()),
      memory,
      isCaughtUp,
      ...compared
    }
  } finally {
    clearInterval(changing)
    for (const gateway of gateways) gateway.kill()
    node.kill()
    proxy.close()
    if (isRight) rmSync(folder, { recursive: true, force: true })
  }
}
