/**
 * The drill of databases on a bad day: a gateway with a wallet, payouts and exports work on one Postgres by way of a proxy, and a gateway
 * that only serves on its hot standby, with no more rights than the guide gives. The proxy swallows what is sent, one way or both,
 * takes connections and does not answer, or cuts them; the primary restarts, is read-only, is full, and fails over. Every call has to end
 * within its limit, with 503 and the cause; everything goes on within 30 seconds of the database's return; nothing is lost or done
 * twice; the log says once that the database fails, and once that it answers again. Prints one line of JSON, and exits with 1 if anything is wrong.
 *
 *     npx tsx drills/database/database.ts [--short] [--rounds 2] [--troubles swallow,failover] [--seed text] [--planted]
 *
 * `--planted` makes mistakes (a page held back, a payment made again, a payment forgotten, a fault told twice), and exits with 1 if the
 * drill misses one of them.
 */
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { Random } from "../../packages/sandbox/src/internal/Random.js"
import { replicated } from "../engine/postgres.js"
import { databaseRuns, type Mistake, mistakes } from "./databaseRuns.js"
import { type Name, names, type Trouble, troubles } from "./databaseTroubles.js"

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    planted: { type: "boolean", default: false },
    rounds: { type: "string", default: "2" },
    troubles: { type: "string" },
    seed: { type: "string", default: String(Date.now()) }
  }
})

const isLast = (name: Name): boolean => (troubles[name] satisfies Trouble as Trouble).isLast === true

/** Whether it takes seconds, on a busy machine too. */
const isSoon = (name: Name): boolean => !isLast(name) && (troubles[name] satisfies Trouble as Trouble).isSilent !== true

/** The troubles of a run in their order. */
const chosen = (canFill: boolean): ReadonlyArray<Name> => {
  const random = new Random(`${values.seed} troubles`)
  const given = values.troubles?.split(",")
  const unknown = given?.find((one) => !names.some((name) => name === one))
  if (unknown !== undefined) {
    throw new Error(`--troubles has no ${JSON.stringify(unknown)}; there are: ${names.join(", ")}`)
  }
  const possible = names.filter((name) => (canFill || name !== "full") && (given?.includes(name) ?? true))
  const shuffled = (list: ReadonlyArray<Name>) =>
    list.map((name) => [random.fraction(), name] as const).sort(([left], [right]) => left - right).map(([, name]) =>
      name
    )
  if (values.planted) return ["refuse"]
  const all = values.short
    ? (given === undefined ? shuffled(possible.filter(isSoon)).slice(0, 1) : shuffled(possible))
    : Array.from({ length: Number(values.rounds) }, () => shuffled(possible.filter((name) => !isLast(name)))).flat()
  const last = values.short ? [] : possible.filter(isLast)
  return [...all.filter((name) => !isLast(name)), ...all.filter(isLast), ...last]
}

const began = Date.now()

const runOnce = (mistake?: Mistake) =>
  Effect.scoped(Effect.flatMap(replicated, (servers) =>
    databaseRuns({
      seed: values.seed,
      servers,
      troubles: chosen(servers.disk !== undefined),
      lasts: values.short || values.planted ? [2_000, 4_000] : [3_000, 25_000],
      mistake,
      say: (line) => void process.stderr.write(`${line}\n`)
    })))

const line = (value: object): void => {
  const seconds = Math.round((Date.now() - began) / 1000)
  process.stdout.write(`${JSON.stringify({ drill: "database", seed: values.seed, ...value, seconds })}\n`)
}

let isRight = true
if (values.planted) {
  for (const mistake of mistakes) {
    const found = await Effect.runPromise(runOnce(mistake))
    line({ mistake, isFound: found[mistake] > 0, ...found })
    isRight &&= found[mistake] > 0
  }
} else {
  const found = await Effect.runPromise(runOnce())
  line(found)
  isRight = found.isRight
}
process.exit(isRight ? 0 : 1)
