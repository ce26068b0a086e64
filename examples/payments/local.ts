/** The same service on a sandbox in its process, offline: `npx tsx examples/payments/local.ts`. */
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Layer from "effect/Layer"
import * as SandboxEnvironment from "./SandboxEnvironment.js"
import * as Server from "./Server.js"
import * as Service from "./Service.js"

NodeRuntime.runMain(
  Layer.launch(
    Service.layer.pipe(
      Layer.provide(Server.layer),
      Layer.provide(SandboxEnvironment.layer),
      Layer.provide(Sandbox.layer({ accounts: [] }))
    )
  )
)
