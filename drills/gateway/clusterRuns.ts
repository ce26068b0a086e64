/** The parent of the drill of many gateways. */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Random } from "../../packages/sandbox/src/internal/Random.js"
import { bundleProgram } from "../../scripts/bundleProgram.js"
import { caughtUp, compare, credential, sampleOf, server } from "./gatewayRuns.js"
import { freePort, type NodeAnswer, type NodeOrder, pause, Place } from "./processes.js"

/** Statements that the drill makes; undefined if the server does not answer. */
export interface Database {
  readonly query: (text: string) => Promise<ReadonlyArray<ReadonlyArray<unknown>> | undefined>
}

/** Statements of the drill's own connection, which a restart of the server ends: each has a connection of its own. */
export const databaseOf = (url: Redacted.Redacted): Database => ({
  query: (text) =>
    PgClient.make({ url, maxConnections: 1 }).pipe(
      Effect.flatMap((sql) => sql.unsafe(text).values),
      Effect.scoped,
      Effect.provide(Reactivity.layer),
      Effect.orElseSucceed(() => undefined),
      Effect.runPromise
    )
})

export interface Options {
  readonly seed: string
  readonly url: string
  readonly database: Database
  readonly restart: () => Promise<void>
  readonly kills: number
  readonly freezes: number
  readonly restarts: number
  readonly cuts: number
  /** Is told how far the drill is. */
  readonly say: (line: string) => void
}

/** Longer than a lease, in milliseconds. */
const freezeMillis = 16_000

/** Notes each block whose writer is not the holder of the lease: the name of a session ends in the ID of its process. */
const trigger = `
  CREATE TABLE drill.foreign_writes (number bigint, writer text, holder text);
  CREATE FUNCTION drill.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO drill.foreign_writes SELECT NEW.number, current_setting('application_name'), holder FROM drill.lease
    WHERE holder NOT LIKE '%-' || regexp_replace(current_setting('application_name'), '.*-', '') || '-%';
    RETURN NEW;
  END $$;
  CREATE TRIGGER note BEFORE INSERT ON drill.blocks FOR EACH ROW EXECUTE FUNCTION drill.note()`

/** Gaps between blocks, and blocks whose transactions or transfers are not those that they count. */
export const gaps =
  `SELECT count(*) FROM (SELECT number - lag(number) OVER (ORDER BY number) AS step FROM drill.blocks) s WHERE step <> 1`
const countOf = (table: string) =>
  `(SELECT id / 1048576 AS number, count(*) AS count FROM drill.${table} GROUP BY 1) ${table} USING (number)`
export const miscounted = `SELECT count(*) FROM drill.blocks b
  LEFT JOIN ${countOf("transactions")} LEFT JOIN ${countOf("transfers")}
  WHERE b.transactions <> coalesce(transactions.count, 0) OR b.transfers <> coalesce(transfers.count, 0)`

export const numberOf = async ({ query }: Database, text: string): Promise<number> =>
  Number((await query(text))?.[0]?.[0] ?? -1)

/** Watches how long nobody held the lease, until it is stopped. */
const watchLease = (database: Database) => {
  let isOver = false
  let longest = 0
  let since = Date.now()
  const watching = (async () => {
    while (!isOver) {
      const free = await numberOf(database, "SELECT (until < clock_timestamp())::int FROM drill.lease")
      if (free === 0) since = Date.now()
      else longest = Math.max(longest, Date.now() - since)
      await pause(250)
    }
  })()
  return async () => {
    isOver = true
    await watching
    return longest
  }
}

/** Reads pages of random processes, until it is stopped: by default two at a time. */
export const readAlways = (
  urls: ReadonlyArray<string>,
  paths: ReadonlyArray<string>,
  random: Random,
  readers = 2
) => {
  const seen = { pages: 0, failed: 0, twice: 0 }
  let isOver = false
  const reading = Array.from({ length: readers }, async () => {
    while (!isOver) {
      try {
        const path = `${random.pick(urls)}${random.pick(paths)}`
        const response = await fetch(path, { signal: AbortSignal.timeout(5000) })
        const text = await response.text()
        if (response.status !== 200) throw new Error(text)
        const { items = [] } = JSON.parse(text) as { readonly items?: ReadonlyArray<unknown> }
        seen.pages++
        if (new Set(items.map((item) => JSON.stringify(item))).size !== items.length) seen.twice++
      } catch {
        seen.failed++
      }
      await pause(20)
    }
  })
  return async () => {
    isOver = true
    await Promise.all(reading)
    return seen
  }
}

export const clusterRuns = async (options: Options) => {
  const { database, say, seed, url } = options
  const random = new Random(seed)
  const folder = mkdtempSync(join(tmpdir(), "cluster-drill-"))
  const nodePort = await freePort()
  const nodeUrl = `http://127.0.0.1:${nodePort}`
  const node = new Place<NodeOrder, NodeAnswer>(
    await bundleProgram(new URL("./nodeProgram.ts", import.meta.url)),
    { database: join(folder, "node.db"), port: nodePort, ...credential }
  )
  const program = await bundleProgram(new URL("./gatewayProgram.ts", import.meta.url))
  const ports = await Promise.all([1, 2, 3].map(freePort))
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  const gateways = ports.map((port) =>
    new Place(program, { database: url, schema: "drill", port, node: `${nodeUrl}/rpc/1001` })
  )
  try {
    await node.start()
    await node.ask({ verb: "begin", seed, blocks: 0 })
    for (const gateway of gateways) await gateway.start()
    for (const statement of trigger.split(";\n  CREATE").map((one, at) => at === 0 ? one : `CREATE${one}`)) {
      await database.query(statement)
    }
    const names = (await node.ask({ verb: "names", seed, blocks: 0 }))?.names
    const stopWatching = watchLease(database)
    const stopReading = readAlways(
      urls,
      (names?.address ?? []).slice(0, 5).map((one) => `/v2/transfer/account/${one}?size=100`),
      random
    )
    const troubles = [
      ...Array.from({ length: options.kills }, () => "kill" as const),
      ...Array.from({ length: options.freezes }, () => "freeze" as const),
      ...Array.from({ length: options.restarts }, () => "restart" as const),
      ...Array.from({ length: options.cuts }, () => "cut" as const)
    ].sort(() => random.fraction() - 0.5)
    const began = Date.now()
    const seconds = () => Math.round((Date.now() - began) / 1000)
    for (const [round, trouble] of troubles.entries()) {
      if (round % 10 === 0) say(`${round} of ${troubles.length} troubles after ${seconds()} s`)
      const verb = random.pick(["transfers", "operations", "fork"] as const) ?? "fork"
      const asked = node.ask({ verb, seed: `${seed} ${round}`, blocks: random.between(3, 6) })
      await pause(random.between(200, 1500))
      const gateway = random.pick(gateways)
      if (trouble === "kill") {
        gateway?.kill()
        await pause(random.between(0, 3000))
        await gateway?.start()
      } else if (trouble === "freeze") await gateway?.freeze(freezeMillis)
      else if (trouble === "restart") await options.restart()
      else {
        await database.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'klaytn-gateway%'"
        )
      }
      await asked
    }
    const answer = await node.ask({ verb: "names", seed, blocks: 0 })
    if (answer?.names === undefined) throw new Error("the node did not say what its chain has")
    const isCaughtUp = (await Promise.all(urls.map((one) => caughtUp(one, answer.head)))).every((is) => is)
    if (!isCaughtUp) say("an index is behind and does not grow any more")
    const read = await stopReading()
    const millisWithoutFollower = await stopWatching()
    const basic = Buffer.from(`${credential.accessKeyId}:${credential.secretAccessKey}`).toString("base64")
    say(`all troubles are over after ${seconds()} s: every page of each process is compared`)
    const sample = sampleOf(answer.names)
    const ofNode = server(nodeUrl, { authorization: `Basic ${basic}` })
    const found = await Promise.all(urls.map((one) => compare(sample, [ofNode, server(one, {})])))
    const compared = {
      pages: found.reduce((sum, { pages }) => sum + pages, 0),
      different: found.reduce((sum, { different }) => sum + different, 0),
      differences: found.flatMap(({ differences }) => differences).slice(0, 5)
    }
    const counts = {
      gaps: await numberOf(database, gaps),
      miscounted: await numberOf(database, miscounted),
      foreignWrites: await numberOf(database, "SELECT count(*) FROM drill.foreign_writes"),
      leases: await numberOf(database, "SELECT number FROM drill.lease")
    }
    const isRight = isCaughtUp && compared.different === 0 && read.twice === 0 && counts.gaps === 0 &&
      counts.miscounted === 0 && counts.foreignWrites === 0
    return {
      isRight,
      seed,
      blocks: answer.head,
      forks: node.orders.get("fork") ?? 0,
      kills: gateways.reduce((sum, one) => sum + one.kills, 0),
      freezes: options.freezes,
      restarts: options.restarts,
      cuts: options.cuts,
      ...counts,
      secondsWithoutFollower: Math.round(millisWithoutFollower / 100) / 10,
      read,
      isCaughtUp,
      ...compared,
      ends: gateways.flatMap((one) => one.ends).slice(0, 3)
    }
  } finally {
    for (const gateway of gateways) gateway.kill()
    node.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}
