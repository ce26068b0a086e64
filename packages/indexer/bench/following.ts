/** Follows a synthetic node: in this process, or over HTTP. */
import * as OwnNode from "@effect-klaytn/core/OwnNode"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import * as Testing from "@effect-klaytn/core/Testing"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import { catchUp } from "../src/CatchUp.js"
import * as NodeSource from "../src/NodeSource.js"
import { chainId, type IndexFile } from "./IndexFile.js"
import type { SyntheticNode } from "./SyntheticNode.js"

/** As many blocks as a service has to be able to revert. */
const depth = 128

/** A node behind a URL, and how to follow it to its newest block. */
export const following = (index: IndexFile, url: string, onBlock: (height: number) => void = () => undefined) =>
  Effect.gen(function*() {
    const client = yield* ServiceClient.make("node")
    const source = yield* NodeSource.make(client)
    return catchUp(index, source, { depth, onBlock: ({ number }) => Effect.sync(() => onBlock(number)) })
  }).pipe(Effect.provide(OwnNode.layer({ chain: chainId, url })))

/** Follows a node in this process to its newest block. */
export const inProcess = (index: IndexFile, node: SyntheticNode, onBlock?: (height: number) => void) =>
  following(index, "http://127.0.0.1:8551", onBlock).pipe(
    Effect.flatten,
    Effect.scoped,
    Effect.provideService(
      HttpClient.HttpClient,
      Testing.wire((sent) => Testing.text(200, node.answer(sent.body ?? ""))(sent)).client
    )
  )

/** A node in this process as a source of its own. */
export const source = (node: SyntheticNode) =>
  Effect.flatMap(ServiceClient.make("node"), (client) => NodeSource.make(client)).pipe(
    Effect.provide(OwnNode.layer({ chain: chainId, url: "http://127.0.0.1:8551" })),
    Effect.provideService(
      HttpClient.HttpClient,
      Testing.wire((sent) => Testing.text(200, node.answer(sent.body ?? ""))(sent)).client
    )
  )
