/** Runs `klaytn gateway callers` and `klaytn gateway presets`. */
import type { Caller, MovableCallers, Preset } from "@effect-klaytn/gateway/command"
import * as Effect from "effect/Effect"
import type { Input } from "../frame/Subcommand.js"
import { limitsOf } from "../terminal/callerLimits.js"
import * as Failure from "../terminal/Failure.js"
import * as instant from "../terminal/instant.js"
import { jsonLine, write, writeAll } from "../terminal/printed.js"
import { counted } from "../terminal/progress.js"
import * as Screen from "../terminal/Screen.js"
import * as secretFile from "../terminal/secretFile.js"
import * as values from "../terminal/values.js"
import { failureOf, load } from "./gatewayPackage.js"
import { type callerOptions, type CallersInput, type PresetsInput, rights } from "./options.js"

/** Refuses an action without the name that it takes, and a name for `list`. */
const checkName = (action: string, name: string, noun: "caller" | "preset", kind: "name" | "number") => {
  if (action === "move") return Effect.void
  if (action === "list" && name !== "") return Failure.usage("list takes no name")
  return action === "list" || name !== "" ? Effect.void : Failure.usage(
    `${action} takes the ${kind} of a ${noun}`,
    `klaytn gateway ${noun}s ${action} ${kind.toUpperCase()}`
  )
}

/** What the options of `callers add` say. */
const rulesOf = Effect.fnUntraced(function*(input: Input<typeof callerOptions>) {
  const named = values.list(input.rights)
  const known = named?.flatMap((name) => rights.find((right) => right === name) ?? [])
  if (known?.length !== named?.length) {
    return yield* Failure.usage("--rights takes read, wallet and destroy, with commas between them")
  }
  const receivers = yield* values.ifGiven(values.list(input.receivers), Effect.forEach(values.address("--receivers")))
  return {
    rights: known,
    pools: values.list(input.pools),
    limits: {
      largestValue: yield* values.ifGiven(input.maxValue, values.klay("--max-value")),
      dailySum: yield* values.ifGiven(input.maxDay, values.klay("--max-day")),
      largestFee: yield* values.ifGiven(input.maxFee, values.klay("--max-fee")),
      receivers,
      contractCalls: input.noContractCalls ? false : undefined,
      blindSigning: input.blindSigning === undefined ? undefined : input.blindSigning === "on"
    }
  }
})

const callerRow = ({ accessKeyId, createdAt, name, pools, rights }: Caller): ReadonlyArray<string> => [
  name,
  accessKeyId,
  rights.join(),
  pools?.join() ?? "all pools",
  instant.format({ unit: "second", value: createdAt })
]

const movablePage = ({ callers, fingerprint }: MovableCallers, move: string): string =>
  callers.length === 0
    ? "no caller has rights for the wallet beside the index: there is nothing to move\n"
    : Screen.lines([
      "These callers have rights for the wallet beside the index, where they don't count any more. Who may write the index may have",
      "made one or changed its limits: compare them with what you gave.",
      "",
      ...Screen.table(callers.map((caller) => [...callerRow(caller), limitsOf(caller.limits)])).map((line) =>
        `  ${line}`
      ),
      "",
      `If they are right, move them into the wallet: ${move} ${fingerprint}`
    ])

/** A credential as a shell reads it. */
const credentialOf = (added: { readonly accessKeyId: string; readonly secretAccessKey: string }): string =>
  Screen.lines([
    `export KLAYTN_ACCESS_KEY_ID=${added.accessKeyId}`,
    `export KLAYTN_SECRET_ACCESS_KEY=${added.secretAccessKey}`
  ])

/** Creates, lists, revokes or moves callers. */
export const callers = Effect.fnUntraced(
  function*({ action, database, json, name = "", out, schema, ...options }: CallersInput) {
    yield* checkName(action, name, "caller", "name")
    const { callers } = yield* load
    switch (action) {
      case "list": {
        const all = yield* callers.list(database, schema)
        return yield* writeAll(json, all, () => Screen.lines(Screen.table(all.map(callerRow))))
      }
      case "add": {
        const rules = yield* rulesOf(options)
        const add = callers.add(database, name, rules, schema)
        if (out === undefined) {
          return yield* Effect.flatMap(add, (added) => write(json, added, () => credentialOf(added)))
        }
        yield* secretFile.write(out, Effect.map(add, (added) => json ? jsonLine(added) : credentialOf(added)))
        return yield* write(json, { added: name, file: out }, () => `the credential of ${name} is in ${out}\n`)
      }
      case "move": {
        if (name !== "") {
          const moved = yield* callers.move(database, name, schema)
          return yield* write(json, { moved }, () => `in the wallet now: ${moved.join(", ")}\n`)
        }
        const found = yield* callers.movable(database, schema)
        return yield* write(
          json,
          found,
          () => movablePage(found, "klaytn gateway callers move, with the same options and")
        )
      }
      case "revoke":
        yield* callers.revoke(database, name, schema)
        return yield* write(json, { revoked: name }, () => `${name} is revoked\n`)
    }
  },
  Effect.catchTag("GatewayError", failureOf)
)

const presetRow = ({ accounts, contracts, id, name }: Preset): ReadonlyArray<string> => [
  String(id),
  name,
  counted(accounts.length, "account"),
  counted(contracts.length, "contract")
]

const listOf = (text = ""): ReadonlyArray<string> => values.list(text)?.filter((one) => one !== "") ?? []

/** Adds, lists or removes presets. */
export const presets = Effect.fnUntraced(
  function*({ accounts, action, contracts, database, json, name = "", schema }: PresetsInput) {
    yield* checkName(action, name, "preset", action === "add" ? "name" : "number")
    if (action === "remove" && !/^\d{1,15}$/.test(name)) {
      return yield* Failure.usage("remove takes the number of a preset", "klaytn gateway presets list")
    }
    const { presets } = yield* load
    switch (action) {
      case "list": {
        const all = yield* presets.list(database, schema)
        return yield* writeAll(json, all, () => Screen.lines(Screen.table(all.map(presetRow))))
      }
      case "add": {
        const preset = { name, accounts: listOf(accounts), contracts: listOf(contracts) }
        const added = yield* presets.add(database, preset, schema)
        return yield* write(json, added, () => `preset ${added.id} is ${added.name}\n`)
      }
      case "remove":
        yield* presets.remove(database, Number(name), schema)
        return yield* write(json, { removed: Number(name) }, () => `preset ${name} is removed\n`)
    }
  },
  Effect.catchTag("GatewayError", failureOf)
)
