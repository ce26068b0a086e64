/** The users of a node: each asks something, and what comes back is compared with what the node itself says. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Stream from "effect/Stream"
import * as OwnNode from "../../packages/core/src/OwnNode.js"
import * as Gateway from "../../packages/gateway/src/Gateway.js"
import { accountMethods } from "../../packages/node/src/AccountMethods.js"
import * as BlockStream from "../../packages/node/src/BlockStream.js"
import * as Contract from "../../packages/node/src/Contract.js"
import * as KlaytnNode from "../../packages/node/src/KlaytnNode.js"
import * as LogRange from "../../packages/node/src/LogRange.js"
import * as Methods from "../../packages/node/src/Methods.js"
import * as NodeReport from "../../packages/node/src/NodeReport.js"
import type { Animal } from "./animals.js"

/** What is known of the chain behind an animal. */
export interface World {
  readonly url: string
  readonly accounts: ReadonlyArray<string>
  readonly token: string
  readonly height: number
  /** Paths of pages that a gateway serves. */
  readonly paths: ReadonlyArray<string>
}

/** Asks, and returns something that can be compared. */
export interface User {
  readonly name: string
  readonly use: (url: string, world: World) => Promise<unknown>
  /** The least number of requests that this takes. */
  readonly least: (animal: Animal, world: World) => number
}

const limit = "110 seconds"

/** Dozens of nodes are asked at the same time: the default of a call would tell how busy the machine is. */
const deadline = "100 seconds"

/** Runs a program with a client of the node at an address. */
const run = <A, E>(url: string, program: Effect.Effect<A, E, KlaytnNode.KlaytnNode>): Promise<A> =>
  Effect.runPromise(program.pipe(
    Effect.timeout(limit),
    Effect.provide(KlaytnNode.layer()),
    Effect.provide(OwnNode.layer({ chain: 1001, url, deadline })),
    Effect.provide(FetchHttpClient.layer)
  ))

const collected = <A, E>(stream: Stream.Stream<A, E, KlaytnNode.KlaytnNode>) =>
  Effect.map(Stream.runCollect(stream), Chunk.toReadonlyArray)

const inParts = (total: number, most: number | undefined) => Math.ceil(total / Math.min(total, most ?? total))

const placeOf = ({ blockNumber, logIndex }: { readonly blockNumber: bigint; readonly logIndex: number | bigint }) =>
  `${blockNumber}.${logIndex}`

const abi = ["event Transfer(address indexed from, address indexed to, uint256 value)"] as const

/** The pages of a gateway in front of the node. */
const pagesOf = (url: string, { height, paths }: World): Promise<unknown> =>
  Effect.runPromise(
    Effect.gen(function*() {
      const gateway = yield* Gateway.make({ node: { url }, database: ":memory:", access: "anyone" })
      const isCaughtUp = Effect.map(gateway.status, ({ index, isReady }) => isReady && index.head?.number === height)
      yield* Effect.repeat(Effect.delay(isCaughtUp, "50 millis"), { until: (caughtUp) => caughtUp })
      return yield* Effect.forEach(paths, (path) =>
        Effect.promise(async () => {
          const response = await fetch(`${gateway.url}${path}`, { headers: { "x-chain-id": "1001" } })
          return [path, response.status, await response.json()]
        }))
    }).pipe(
      Effect.scoped,
      Effect.timeout(limit),
      Effect.provide(FetchHttpClient.layer),
      // A gateway warns of each failure of its node.
      Logger.withMinimumLogLevel(LogLevel.Error)
    )
  )

const lists: User = {
  name: "list of 300 balances",
  // The height, and the balances.
  least: ({ calls }) => 1 + inParts(300, calls),
  use: (url, { accounts }) =>
    run(
      url,
      Effect.flatMap(KlaytnNode.KlaytnNode, (node) =>
        Effect.map(
          Effect.flatMap(
            node.klay.blockNumber(),
            (at) => node.runEach(accountMethods.getBalance, accounts.map((account) => [account, at] as const))
          ),
          (found) => found.map((one) => Either.isRight(one) ? String(one.right) : one.left.message)
        ))
    )
}

const ethLists: User = {
  ...lists,
  name: "list of 300 balances of eth",
  use: (url, { accounts }) =>
    run(
      url,
      Effect.flatMap(KlaytnNode.KlaytnNode, (node) =>
        Effect.map(
          Effect.flatMap(
            node.eth.blockNumber(),
            (at) => node.runEach(Methods.eth.getBalance, accounts.map((account) => [account, at] as const))
          ),
          (found) => found.map((one) => Either.isRight(one) ? String(one.right) : one.left.message)
        ))
    )
}

const fibers = (namespace: "klay" | "eth"): User => ({
  name: `300 fibers of ${namespace}`,
  // The height, and the balances.
  least: ({ calls }) => 1 + inParts(300, Math.min(100, calls ?? 100)),
  use: (url, { accounts }) =>
    run(
      url,
      Effect.flatMap(KlaytnNode.KlaytnNode, (node) =>
        Effect.flatMap(node[namespace].blockNumber(), (at) =>
          Effect.forEach(
            accounts,
            (account) =>
              Effect.merge(Effect.mapBoth(node[namespace].getBalance(account, at), {
                onFailure: ({ message }) =>
                  message,
                onSuccess: String
              })),
            { concurrency: "unbounded" }
          )))
    )
})

const doctor: User = {
  name: "doctor",
  least: () => 0,
  use: (url, { height }) =>
    Effect.runPromise(
      NodeReport.inspect().pipe(
        Effect.map(({ chainId, height: found, requests }) => ({
          chainId,
          isBounded: requests <= NodeReport.maxRequests,
          isNear: Math.abs(Number(found._tag === "Some" ? found.value : 0n) - height) <= 20
        })),
        Effect.timeout(limit),
        Effect.provide(OwnNode.layer({ chain: 1001, url, deadline })),
        Effect.provide(FetchHttpClient.layer)
      )
    )
}

const gateway: User = { name: "gateway", least: () => 0, use: pagesOf }

/** Those of a node with the chain's own methods. */
export const users: ReadonlyArray<User> = [
  lists,
  fibers("klay"),
  {
    name: "log search",
    least: ({ blocks }, { height }) => inParts(height + 1, blocks),
    use: (url) => run(url, Effect.map(collected(LogRange.logs({ fromBlock: 0n })), (logs) => logs.map(placeOf)))
  },
  {
    name: "events of a contract",
    least: ({ blocks }, { height }) => inParts(height + 1, blocks),
    use: (url, { token }) =>
      run(
        url,
        Effect.flatMap(Contract.make({ address: token, abi }), (contract) =>
          Effect.map(
            collected(contract.events("Transfer", { fromBlock: 0n })),
            (events) => events.map(({ args, log }) => [placeOf(log), args.from, args.to, String(args.value)])
          ))
      )
  },
  {
    name: "logs that follow",
    least: ({ blocks }, { height }) => inParts(height + 1, blocks),
    use: (url, { height }) =>
      run(
        url,
        Effect.map(
          collected(
            LogRange.follow({ fromBlock: 0n }).pipe(Stream.takeUntil(({ toBlock }) => toBlock >= BigInt(height)))
          ),
          (pieces) => pieces.flatMap(({ logs }) => logs.map(placeOf))
        )
      )
  },
  {
    name: "stream of 60 blocks",
    least: ({ calls }) => inParts(60, calls),
    use: (url, { height }) =>
      run(
        url,
        Effect.map(
          collected(BlockStream.blocks({ from: BigInt(height - 59) }).pipe(Stream.take(60))),
          (blocks) => blocks.map(({ hash, number }) => `${number} ${hash}`)
        )
      )
  },
  gateway,
  doctor
]

/** Those of a node with Ethereum's methods alone. */
export const ethUsers: ReadonlyArray<User> = [ethLists, fibers("eth"), gateway, doctor]
