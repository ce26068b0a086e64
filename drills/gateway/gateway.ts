/**
 * The drill of the gateway: a gateway follows a sandbox as its node, while the sandbox makes traffic of every kind and forks,
 * either side is killed, and the node lags, limits the rate, lies about parents, drops receipts and answers null. Every three seconds
 * the node takes another number of calls a request, and refuses more in another form. When
 * both are at rest, every page of the gateway must be the sandbox's. Prints the first differences, then one line of
 * JSON, and exits with 1 if there was any.
 *
 *     npx tsx drills/gateway/gateway.ts [--short] [--rounds 60] [--minutes 0] [--no-kills] [--seed text] [--databases sqlite,postgres]
 *       [--bad-days reorg,cut] [--contradicting 100]
 *
 * There is a gateway on each of `--databases`, `sqlite` alone by default; `postgres` is a server of its own in a temporary
 * folder, or any address. `--minutes` adds minutes of following, each of which ends with a kill of the gateway unless there is `--no-kills`; the
 * `--bad-days` names what else the node does, see `drills/badDays.ts`. With `--contradicting 100`, one answer of the node in a hundred
 * contradicts another one, in each of the ways of `NodeProxy.ts`, in place of its other faults, and the gateway traces transactions; a run
 * that is not `--short` must have tried each way. The
 * megabytes that the gateway uses after each are in `memory`. Of a long run's names a part is compared, spread evenly.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { parseArgs } from "node:util"
import { namesOf } from "../badDays.js"
import { temporary } from "../engine/postgres.js"
import { gatewayRuns } from "./gatewayRuns.js"

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    rounds: { type: "string" },
    minutes: { type: "string", default: "0" },
    databases: { type: "string", default: "sqlite" },
    "bad-days": { type: "string" },
    contradicting: { type: "string", default: "0" },
    "no-kills": { type: "boolean", default: false },
    seed: { type: "string", default: String(Date.now()) }
  }
})

const began = Date.now()
const rounds = Number(values.rounds ?? (values.short ? "9" : "60"))
const run = (server: string | undefined) =>
  Effect.promise(() =>
    gatewayRuns({
      seed: values.seed,
      badDays: namesOf(values["bad-days"]),
      contradicting: Number(values.contradicting),
      rounds,
      minutes: Number(values.minutes),
      kills: !values["no-kills"],
      databases: values.databases.split(",").map((one) => one === "postgres" && server !== undefined ? server : one)
    })
  )
const { differences, ...counts } = await Effect.runPromise(
  values.databases.split(",").includes("postgres")
    ? Effect.scoped(Effect.flatMap(temporary, (url) => run(Redacted.value(url))))
    : run(undefined)
)
for (const one of differences) process.stdout.write(`${JSON.stringify(one)}\n`)
const seconds = Math.round((Date.now() - began) / 1000)
process.stdout.write(`${JSON.stringify({ drill: "gateway", ...counts, seconds })}\n`)
const isTried = values.short || counts.untried.length === 0
process.exit(counts.isCaughtUp && counts.different === 0 && counts.ends.length === 0 && isTried ? 0 : 1)
