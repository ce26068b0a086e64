/** Where the service listens: `HOST` and `PORT`. It speaks plain HTTP, so a proxy in front of it brings TLS. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Config from "effect/Config"
import { createServer } from "node:http"

export const layer = NodeHttpServer.layerConfig(
  () => createServer(),
  Config.all({
    host: Config.withDefault(Config.string("HOST"), "127.0.0.1"),
    port: Config.withDefault(Config.integer("PORT"), 8080)
  })
)
