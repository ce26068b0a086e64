import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Testing from "@effect-klaytn/core/Testing"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as Client from "../../core/test/support/client.js"
import * as OwnerChanges from "../src/OwnerChanges.js"
import * as OwnerSnapshot from "../src/OwnerSnapshot.js"
import * as TokenData from "../src/TokenData.js"
import { alice, bob, hash, mtToken, nft, token, zero } from "./support/records.js"
import * as Service from "./support/service.js"

const transaction = {
  from: alice,
  transactionHash: hash,
  blockNumber: 7000001,
  timestamp: 1000,
  typeInt: 48,
  value: "0x0",
  fee: "0x0",
  feePayer: "",
  feeRatio: 0
}
const nftTransfer = (tokenId: string, address: string) => ({
  transferType: "nft",
  from: zero,
  to: bob,
  tokenId,
  contract: { address },
  transaction
})
const mtTransfer = {
  transferType: "mt",
  operator: alice,
  from: alice,
  to: bob,
  ids: ["0x2", "0x1"],
  values: ["0x1", "0x1"],
  contract: { address: token },
  transaction
}

/** Token data and transfer history behind one host, and what was sent to it. */
const together = (transfers: ReadonlyArray<unknown>, tokens: Testing.Step) => {
  const wire = Testing.wire((sent) =>
    new URL(sent.url).pathname.startsWith("/prefix/v2/transfer") ? Service.page(transfers)(sent) : tokens(sent)
  )
  const configured = Layer.merge(
    ClientConfig.layer({
      ...Client.options,
      endpoints: { tokens: "http://127.0.0.1:8080/prefix", history: "http://127.0.0.1:8080/prefix" }
    }),
    Layer.succeed(HttpClient.HttpClient, wire.client)
  )
  return { wire, layer: Layer.provide(Layer.merge(TokenData.layer(), TransferHistory.layer()), configured) }
}

const changes = OwnerChanges.fromTransfers((search) =>
  Stream.unwrap(
    Effect.map(TransferHistory.TransferHistory, (history) => history.getTransfers.items({ presets: [65], ...search }))
  )
)

describe("changes by the transfer history of this SDK", () => {
  it.effect("are searched by the preset, the kind and the window, and kept if they are of the contract", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_000_000)
      const service = together(
        [
          nftTransfer("0x1c2", token),
          nftTransfer("0x5", bob),
          { transferType: "sbt", contract: { address: bob } },
          nftTransfer("0x7", token)
        ],
        Service.page([nft])
      )
      const table = yield* OwnerSnapshot.snapshotNftOwners({ contract: token, changes, slack: "1 minute" }).pipe(
        OwnerSnapshot.collect,
        Effect.provide(service.layer),
        Client.within("5 minutes")
      )
      assert.deepStrictEqual(
        table.verdict?._tag === "Changed" ? [table.verdict.tokens, table.verdict.unnamed] : table.verdict,
        [[7n, 450n], 0]
      )
      assert.deepStrictEqual(Service.requests(service.wire), [
        `GET /v2/contract/nft/${token}/token?size=1000`,
        "GET /v2/transfer?presets=65&kind=nft&range=940%2C"
      ])
      assert.strictEqual(service.wire.sent[1]?.at, 1_060_000, "asked for when late transfers have arrived")
    }))

  it.effect("name each token of a transfer of multi tokens", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_000_000)
      const service = together([mtTransfer], (sent) =>
        sent.url.includes("/token/") ? Service.page([{ ...mtToken, updatedAt: 1 }])(sent) : Service.page([])(sent))
      const elements = yield* OwnerSnapshot.snapshotMtOwners({ contract: token, changes }).pipe(
        Stream.runCollect,
        Effect.provide(service.layer),
        Client.within("1 minute")
      )
      assert.deepStrictEqual(
        Chunk.toReadonlyArray(elements).map((_) =>
          _._tag === "Changed" ? _.tokens : _._tag
        ),
        [[1n, 2n]]
      )
      assert.strictEqual(Service.requests(service.wire)[1], "GET /v2/transfer?presets=65&kind=mt&range=990%2C")
    }))

  it.effect("fail the snapshot as the history fails: an unknown preset is NotFound", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(
        Service.page([nft]),
        Service.failure(404, 1_040_400, "[ResourceNotFound]preset not found")
      )
      const configured = Layer.merge(
        ClientConfig.layer({
          ...Client.options,
          endpoints: { tokens: "http://127.0.0.1", history: "http://127.0.0.1" }
        }),
        Layer.succeed(HttpClient.HttpClient, wire.client)
      )
      const error = yield* OwnerSnapshot.snapshotNftOwners({ contract: token, changes }).pipe(
        Stream.runDrain,
        Effect.provide(Layer.provide(Layer.merge(TokenData.layer(), TransferHistory.layer()), configured)),
        Client.within("1 minute"),
        Client.failsAs("NotFound")
      )
      assert.strictEqual(error.operation, "history.getTransfers")
    }))
})
