/** Runs `klaytn gateway presets`. */
import type { Preset } from "@effect-klaytn/gateway/command"
import * as Effect from "effect/Effect"
import * as Failure from "../terminal/Failure.js"
import { jsonLines, write } from "../terminal/printed.js"
import * as Screen from "../terminal/Screen.js"
import { failureOf, load } from "./gatewayPackage.js"
import type { PresetsInput } from "./presetOptions.js"

const row = ({ accounts, contracts, id, name }: Preset): ReadonlyArray<string> => [
  String(id),
  name,
  `${accounts.length} accounts`,
  `${contracts.length} contracts`
]

const listOf = (text: string | undefined): ReadonlyArray<string> =>
  (text ?? "").split(",").map((one) => one.trim()).filter((one) => one !== "")

/** Adds, lists or removes presets. */
export const presets = Effect.fnUntraced(
  function*({ accounts, action, contracts, database, json, name = "", schema }: PresetsInput) {
    if (action === "list" && name !== "") return yield* Failure.usage("list takes no name")
    if (action !== "list" && name === "") {
      return yield* Failure.usage(
        action === "add" ? "add takes the name of a preset" : "remove takes the number of a preset",
        `klaytn gateway presets ${action} ${action === "add" ? "NAME" : "NUMBER"}`
      )
    }
    if (action === "remove" && !/^\d{1,15}$/.test(name)) {
      return yield* Failure.usage("remove takes the number of a preset", "klaytn gateway presets list")
    }
    const { out } = yield* Screen.Screen
    const { presets } = yield* load
    switch (action) {
      case "list": {
        const all = yield* presets.list(database, schema)
        return yield* out.write(json ? jsonLines(all) : Screen.lines(Screen.table(all.map(row))))
      }
      case "add": {
        const added = yield* presets.add(
          database,
          { name, accounts: listOf(accounts), contracts: listOf(contracts) },
          schema
        )
        return yield* write(json, added, () => `preset ${added.id} is ${added.name}\n`)
      }
      case "remove":
        yield* presets.remove(database, Number(name), schema)
        return yield* write(json, { removed: Number(name) }, () => `preset ${name} is removed\n`)
    }
  },
  Effect.catchTag("GatewayError", failureOf)
)
