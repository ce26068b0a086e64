/**
 * The drill of the wallet: four callers pay with and without an `Idempotency-Key` through a gateway in front of a node, while
 * both are killed (`kill -9`) at random points, and what is sent to the node is lost, late or doubled. When all is at rest, no
 * payment may be in a block twice, none be missing that was answered with 200, no nonce be open, and each account whose creation was
 * answered can sign. With `--database postgres`, three gateways share a wallet on a Postgres of the drill, are killed, and frozen for
 * longer than a lock holds. Without, the gateway's disk becomes full, too, in the middle of payments: every answer has to be a typed
 * error then, and payments go on when there is space again; this part mounts a small file system, and says so where the machine does
 * not let it. Prints one line of JSON, and exits with 1 if any of these counts is not 0.
 *
 *     npx tsx drills/gateway/custody.ts [--short] [--database sqlite|postgres] [--payments 1000] [--kills 100] [--node-kills 20]
 *       [--freezes 30] [--seed text] [--bad-days pool,base-fee] [--watch]
 *     npx tsx drills/gateway/custody.ts --attackers [--short] [--database sqlite|postgres] [--payments 700] [--kills 5] [--seed text]
 *
 * With `--attackers`, three of ten callers are hostile, and the node lies one answer in two hundred, see `custodyAttackers.ts`.
 *
 * `--bad-days` names what else the node does, see `drills/badDays.ts`. With `--watch`, the base fee rises from 25 to 150 gkei and falls
 * again, nodes that are killed lose their pools, sends are refused at random for reasons that pass, and it is asked all the time what
 * became of payments: each answer to a key and to a hash is compared with the blocks, see `custodyAnswers.ts`.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { parseArgs } from "node:util"
import { namesOf } from "../badDays.js"
import { temporary } from "../engine/postgres.js"
import { attackedRuns } from "./custodyAttackers.js"
import { fullDisk } from "./custodyDisk.js"
import { custodyRuns } from "./custodyRuns.js"

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    payments: { type: "string" },
    kills: { type: "string" },
    "node-kills": { type: "string" },
    freezes: { type: "string" },
    database: { type: "string", default: "sqlite" },
    "bad-days": { type: "string" },
    watch: { type: "boolean", default: false },
    attackers: { type: "boolean", default: false },
    seed: { type: "string", default: String(Date.now()) }
  }
})

const began = Date.now()
const isServer = values.database === "postgres"

/** Runs on the database that was asked for. */
const onDatabase = <A>(runs: (postgres: string | undefined) => Promise<A>): Promise<A> =>
  isServer
    ? Effect.runPromise(
      Effect.scoped(Effect.flatMap(temporary, (url) => Effect.promise(() => runs(Redacted.value(url)))))
    )
    : runs(undefined)

if (values.attackers) {
  const done = await onDatabase((postgres) =>
    attackedRuns({
      postgres,
      seed: values.seed,
      payments: Number(values.payments ?? (values.short ? "70" : "700")),
      kills: Number(values.kills ?? (values.short ? "1" : "5"))
    })
  )
  process.stdout.write(
    `${JSON.stringify({ drill: "custody", ...done, seconds: Math.round((Date.now() - began) / 1000) })}\n`
  )
  process.exit(done.isRight ? 0 : 1)
}
const counts = await onDatabase((postgres) =>
  custodyRuns({
    postgres,
    isWatched: values.watch,
    badDays: namesOf(values["bad-days"] ?? (values.watch ? "pool,full,price,known,forgotten" : undefined)),
    freezes: isServer ? Number(values.freezes ?? (values.short ? "1" : "30")) : 0,
    seed: values.seed,
    payments: Number(values.payments ?? (values.short ? "60" : "1000")),
    gatewayKills: Number(values.kills ?? (values.short ? "5" : "100")),
    nodeKills: Number(values["node-kills"] ?? (values.short ? "2" : "20"))
  })
)
const disk = isServer || values.watch
  ? undefined
  : await fullDisk({ seed: values.seed, payments: values.short ? 40 : 400, times: values.short ? 1 : 10 })
const seconds = Math.round((Date.now() - began) / 1000)
process.stdout.write(`${JSON.stringify({ drill: "custody", ...counts, disk, seconds })}\n`)
process.exit(counts.isRight && counts.ends.length === 0 && (disk?.isTried !== true || disk.isRight) ? 0 : 1)
