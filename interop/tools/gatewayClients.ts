/** What the clients of the project read from a gateway: an export of an account, and receipts by hash. */
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as ClientConfig from "../../packages/core/src/ClientConfig.js"
import * as Credentials from "../../packages/core/src/Credentials.js"
import * as Exports from "../../packages/exports/src/Exports.js"
import * as FileSink from "../../packages/exports/src/FileSink.js"
import * as Plan from "../../packages/exports/src/Plan.js"
import { Row } from "../../packages/exports/src/Row.js"
import type * as Gateway from "../../packages/gateway/src/Gateway.js"
import * as Range from "../../packages/history/src/Range.js"
import * as TransferHistory from "../../packages/history/src/TransferHistory.js"
import * as KlaytnNode from "../../packages/node/src/KlaytnNode.js"

const clients = ({ url }: Gateway.Service) =>
  Layer.mergeAll(TransferHistory.layer(), KlaytnNode.layer()).pipe(
    Layer.provide(ClientConfig.layer({
      chain: 1001,
      // Clients of the service have a credential; this gateway asks for none.
      credentials: Effect.suspend(() =>
        Credentials.fromPair({ accessKeyId: "anyone", secretAccessKey: Redacted.make("anyone") })
      ),
      endpoints: { history: url, node: url }
    })),
    Layer.provideMerge(FetchHttpClient.layer),
    Layer.provideMerge(NodeContext.layer)
  )

const decodeRow = Schema.decode(Schema.parseJson(Row))

/** The rows of an export of an account up to a block. */
export const exportOf = (gateway: Gateway.Service, account: string, to: number): Promise<ReadonlyArray<Row>> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const directory = yield* fs.makeTempDirectoryScoped()
    const plan = yield* Plan.make({ accounts: [account], range: yield* Range.blocks({ from: 0, to }), windows: 3 })
    yield* Exports.run({ plan, sink: yield* FileSink.make({ directory }) })
    const parts = yield* Effect.forEach(
      yield* fs.readDirectory(`${directory}/parts`),
      (part) => fs.readFileString(`${directory}/parts/${part}`)
    )
    return yield* Effect.forEach(
      parts.flatMap((part) => part.split("\n").filter((line) => line !== "")),
      (line) => decodeRow(line)
    )
  }).pipe(Effect.scoped, Effect.provide(clients(gateway)), Effect.runPromise)

/** Blocks and gas of transactions, by the receipts that the node client gets through a gateway. */
export const receiptsOf = (
  gateway: Gateway.Service,
  hashes: ReadonlyArray<string>
): Promise<ReadonlyArray<readonly [block: bigint, gasUsed: bigint] | undefined>> =>
  Effect.gen(function*() {
    const { eth } = yield* KlaytnNode.KlaytnNode
    return yield* Effect.forEach(hashes, (hash) =>
      Effect.map(eth.getTransactionReceipt(hash), (found) =>
        found._tag === "None" ? undefined : [found.value.blockNumber, found.value.gasUsed] as const))
  }).pipe(Effect.provide(clients(gateway)), Effect.runPromise)
