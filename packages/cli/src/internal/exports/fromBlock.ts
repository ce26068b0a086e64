/** An export from a block on with an open end: the end is a time, so the beginning is the second of the block. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as Effect from "effect/Effect"
import type { Connection } from "../service/Connection.js"
import * as Failure from "../terminal/Failure.js"
import type { Search } from "./selection.js"

/** Whether the second of a block has to be known. */
export const isOpenFrom = ({ from, to }: Search): boolean => from?.unit === "block" && to === undefined

/** The search from the second of its first block on, which the node says. */
export const inTime = (search: Search, { config }: Connection) =>
  Effect.gen(function*() {
    const { from } = search
    if (from === undefined || !isOpenFrom(search)) return search
    if (config.endpoints.node === undefined) {
      return yield* Failure.usage(
        `--from #${from.value} without --to needs the time of the block, and the address of a node is not set`,
        "set KLAYTN_NODE_URL, or give --to as a block, or --from as a time"
      )
    }
    const { klay } = yield* KlaytnNode.make()
    const { timestamp } = yield* klay.getBlockByNumber(BigInt(from.value))
    return { ...search, from: { unit: "second" as const, value: timestamp } }
  }).pipe(Effect.provideService(ClientConfig.ClientConfig, config))
