/**
 * What the report finds in the database of a run: first as it is, where each transaction that somebody else sent must be
 * named and nothing else, then with differences planted in it.
 */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as Database from "@effect-klaytn/engine/Database"
import * as Engine from "@effect-klaytn/engine/Engine"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Difference } from "../../packages/payouts/src/DayReport.js"
import * as Payouts from "../../packages/payouts/src/Payouts.js"
import type { Executed } from "./payoutChain.js"
import { aside } from "./payoutPlan.js"

/** Where the database and the service of a run are. */
export interface Place {
  readonly database: string
  readonly url: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** Differences that the report should have named and did not, and those that it should not have named. */
export interface Findings {
  readonly strange: number
  readonly planted: number
  readonly unnamed: ReadonlyArray<string>
  readonly invented: ReadonlyArray<string>
}

const nameOf = (one: Difference): string => {
  switch (one._tag) {
    case "Differs":
      return `${one.key} differs in ${one.field}`
    case "NotOnChain":
      return `${one.key} is not on the chain`
    case "ClaimedTwice":
      return `${[...one.keys].sort().join(" ")} are one`
    case "Unexplained":
      return `${one.transactionHash} is unexplained`
  }
}

const layerOf = ({ accessKeyId, database, secretAccessKey, url }: Place) => {
  const db = Database.layerConfig(Config.succeed(Redacted.make(database)))
  return Payouts.layer({}).pipe(
    Layer.provide(Engine.layerClient({})),
    Layer.provideMerge(db),
    Layer.provide(ClientConfig.layer({
      chain: 1001,
      credentials: Effect.suspend(() =>
        Credentials.fromPair({ accessKeyId, secretAccessKey: Redacted.make(secretAccessKey) })
      ),
      endpoints: { wallet: url, node: url }
    })),
    Layer.provide(FetchHttpClient.layer)
  )
}

const dayOf = ({ time }: Executed): string => new Date(time * 1000).toISOString().slice(0, 10)

/** Replaces a text in a column of a payout, as a person with a database client would. */
const plant = (key: string, column: "state" | "content", change: (text: string) => string) =>
  Effect.gen(function*() {
    const sql = (yield* SqlClient.SqlClient).withoutTransforms()
    const [row] = yield* sql<{ readonly text: string }>`
      SELECT ${sql(column)} AS text FROM klaytn_payouts WHERE id = ${key}`
    const text = change(row?.text ?? "")
    if (text === row?.text) return yield* Effect.dieMessage(`nothing was planted in ${key}`)
    yield* sql`UPDATE klaytn_payouts SET ${sql(column)} = ${text} WHERE id = ${key}`
  })

/**
 * Plants a difference in each of three payouts, and returns what the report has to say of them. The account of the one that
 * is deleted has others: a report reads the accounts that pay in the database.
 */
const plantAll = (paid: ReadonlyArray<Paid>) =>
  Effect.gen(function*() {
    const gone = paid.find(({ from, key }) => paid.some((beside) => beside.from === from && beside.key !== key))
    const [one, other] = paid.filter((each) => each !== gone)
    if (one === undefined || other === undefined || gone === undefined) {
      return yield* Effect.dieMessage("too few payouts were executed")
    }
    const sql = (yield* SqlClient.SqlClient).withoutTransforms()
    yield* plant(one.key, "content", (text) => text.replace(/"value":"(\d+)"/, `"value":"${"9$1"}"`))
    yield* plant(other.key, "state", (text) => text.replace(/"block":(\d+)/, `"block":9$1`))
    yield* sql`DELETE FROM klaytn_payouts WHERE id = ${gone.key}`
    return [`${one.key} differs in amount`, `${other.key} differs in block`, `${gone.hash} is unexplained`]
  })

/** A payout that was executed. */
export interface Paid {
  readonly from: string
  readonly key: string
  readonly hash: string
}

/** Makes the reports. `chain` are the transactions of the accounts, `paid` the payouts that were executed. */
export const reportOn = (
  place: Place,
  chain: ReadonlyArray<Executed>,
  paid: ReadonlyArray<Paid>
): Effect.Effect<Findings, unknown> => {
  const days = [...new Set(chain.map(dayOf))]
  const named = Effect.gen(function*() {
    const payouts = yield* Payouts.Payouts
    const reports = yield* Effect.forEach(days, (day) => payouts.report(day))
    return reports.flatMap(({ differences }) => differences.map(nameOf))
  })
  const strange = chain.filter(({ to }) => to === aside).map(({ hash }) => `${hash} is unexplained`)
  const compare = (found: ReadonlyArray<string>, expected: ReadonlyArray<string>) => ({
    unnamed: expected.filter((one) => !found.includes(one)),
    invented: found.filter((one) => !expected.includes(one))
  })
  return Effect.gen(function*() {
    const before = compare(yield* named, strange)
    const planted = yield* plantAll(paid)
    const after = compare(yield* named, [...strange, ...planted])
    return {
      strange: strange.length,
      planted: planted.length,
      unnamed: [...before.unnamed, ...after.unnamed],
      invented: [...before.invented, ...after.invented]
    }
  }).pipe(Effect.provide(layerOf(place)))
}
