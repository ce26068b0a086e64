/** Runs the service until SIGTERM or SIGINT: `npx tsx examples/payments/main.ts`. README.md names its variables. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Layer from "effect/Layer"
import * as Server from "./Server.js"
import * as Service from "./Service.js"

NodeRuntime.runMain(Layer.launch(Layer.provide(Service.layer, Server.layer)))
