/** Non-fungible tokens of one contract, streamed over pages. */
import * as TokenData from "@effect-klaytn/tokens/TokenData"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { compare, runsOf } from "./Comparison.js"
import { peer } from "./Peer.js"
import { Plain } from "./Plain.js"
import { Server } from "./Server.js"

export const tokens = Effect.gen(function*() {
  const { collection } = yield* Server
  const { count } = yield* peer
  const sdk = yield* TokenData.TokenData
  const plain = yield* Plain

  for (const size of [1000, 100]) {
    const path = `/v2/contract/nft/${collection}/token?size=${size}`
    const amount = yield* Effect.promise(() => count(path))
    yield* compare({
      figure: `tokens streamed, pages of ${size}`,
      amount,
      runs: runsOf(15),
      sdk: Stream.runFold(
        sdk.getNftsByContractAddress.items({ contract: collection, size }),
        0,
        (records) => records + 1
      ),
      peers: { fetch: Effect.promise(() => count(path)), "bare Effect": plain.bareCount(path) }
    })
  }
})
