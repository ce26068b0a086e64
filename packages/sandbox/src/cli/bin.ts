import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as Effect from "effect/Effect"
import * as Settings from "./Settings.js"
const c = Command.make("effect-klaytn-sandbox", Settings.options, (o) => Effect.sync(() => console.log(o))).pipe(Command.withDescription("The whole service on loopback"))
Effect.runFork(Command.run(c, { name: "effect-klaytn-sandbox", version: "0.0.0" })(process.argv).pipe(Effect.provide(NodeContext.layer), Effect.provide(CliConfig.layer({ showBuiltIns: false }))))
