import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Networks from "../../core/test/support/networks.js"
import * as TransferHistory from "../src/TransferHistory.js"
import { alice } from "./support/records.js"
import { nothing } from "./support/service.js"

Networks.areApart("history", 1, {
  answer: nothing,
  use: Effect.flatMap(TransferHistory.TransferHistory, (history) => history.getTransfersByEoa({ address: alice })),
  make: (configured) => Layer.effect(TransferHistory.TransferHistory, configured(TransferHistory.make())),
  layer: () => TransferHistory.layer(),
  layerConfig: () => TransferHistory.layerConfig()
})
