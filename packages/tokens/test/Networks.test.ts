import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Networks from "../../core/test/support/networks.js"
import * as TokenData from "../src/TokenData.js"
import * as TokenDirectory from "../src/TokenDirectory.js"
import { alice, token } from "./support/records.js"
import { page } from "./support/service.js"

Networks.areApart("tokens", 2, {
  answer: page([]),
  use: Effect.gen(function*() {
    const tokens = yield* TokenData.TokenData
    const directory = yield* TokenDirectory.TokenDirectory
    yield* tokens.getNftsByContractAddress({ contract: token })
    yield* directory.getTokensByOwnerAddress({ owner: alice })
  }),
  make: (configured) =>
    Layer.merge(
      Layer.effect(TokenData.TokenData, configured(TokenData.make())),
      Layer.effect(TokenDirectory.TokenDirectory, configured(TokenDirectory.make()))
    ),
  layer: () => Layer.merge(TokenData.layer(), TokenDirectory.layer()),
  layerConfig: () => Layer.merge(TokenData.layerConfig(), TokenDirectory.layerConfig())
})
