/** All figures, or those of one group: `reader`, `history`, `tokens`, `node`, `lists`. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as TokenData from "@effect-klaytn/tokens/TokenData"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Bare from "./Bare.js"
import { configOf } from "./config.js"
import { history } from "./history.js"
import { listsOfCalls } from "./lists.js"
import { node, onFetch } from "./node.js"
import * as Plain from "./Plain.js"
import { reader } from "./reader.js"
import * as Server from "./Server.js"
import { tokens } from "./tokens.js"
import { undici } from "./undici.js"

const Config = Layer.effect(ClientConfig.ClientConfig, Effect.flatMap(Server.Server, configOf))

const Clients = Layer.mergeAll(
  Layer.provide(Layer.mergeAll(TransferHistory.layer(), TokenData.layer(), KlaytnNode.layer()), undici),
  Layer.provide(Layer.mergeAll(Bare.layer, Plain.layer), NodeHttpClient.layerUndici),
  onFetch
).pipe(
  Layer.provide(Config),
  Layer.provideMerge(Server.layer)
)

const requests = { history, tokens, node, lists: listsOfCalls }
const wanted = process.argv.slice(2).filter((word) => !word.startsWith("--"))
const isWanted = (group: string): boolean => wanted.length === 0 || wanted.includes(group)
const chosen = Object.entries(requests).filter(([name]) => isWanted(name))

if (isWanted("reader")) await Effect.runPromise(reader)
if (chosen.length > 0) {
  await Effect.runPromise(Effect.provide(Effect.all(chosen.map(([, group]) => group), { discard: true }), Clients))
}
