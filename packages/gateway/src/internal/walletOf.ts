/** The wallet of a gateway, over its node. */
import type { Chain } from "@effect-klaytn/core/Chain"
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as OwnNode from "@effect-klaytn/core/OwnNode"
import type { RemoteChain } from "@effect-klaytn/custody/WalletChain"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import type { Callers } from "@effect-klaytn/service/ServiceAccess"
import type { RequestIds } from "@effect-klaytn/service/ServiceRefusals"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { GatewayError } from "../GatewayError.js"
import * as GatewayWallet from "../GatewayWallet.js"
import * as NodeWalletChain from "../NodeWalletChain.js"
import type { NodeOptions } from "./connect.js"
import * as refusals from "./startRefusals.js"
import * as walletFees from "./walletFees.js"

/** The node has to answer sooner than a caller gives up. */
const behaviour: ClientConfig.Behaviour = { attemptTimeout: "3 seconds", deadline: "8 seconds" }

/** What a wallet works with. */
export interface Parts {
  readonly node: NodeOptions
  readonly chain: Chain
  readonly database: string
  readonly schema?: string | undefined
  readonly reader: walletFees.Reader & Pick<GatewayWallet.Parts, "facts">
  readonly callers: Callers
  readonly callerOf: GatewayWallet.Parts["callerOf"]
  readonly callerNamed: GatewayWallet.Parts["callerNamed"]
  readonly ids: RequestIds
}

/** The client of a wallet's node. */
const clientOf = (node: NodeOptions, chain: Chain) =>
  Effect.mapError(
    Effect.provideServiceEffect(
      KlaytnNode.make(),
      ClientConfig.ClientConfig,
      OwnNode.make({ ...node, ...behaviour, chain })
    ),
    ({ message }) => refusals.address(message)
  )

/** The chain of a node that answers, and is on that chain. */
export const checkedChain = (
  node: NodeOptions,
  chain: Chain
): Effect.Effect<RemoteChain, GatewayError, Scope.Scope | HttpClient.HttpClient> =>
  Effect.gen(function*() {
    const client = yield* clientOf(node, chain)
    const found = yield* Effect.mapError(client.klay.chainId(), ({ message }) => refusals.node(message))
    if (found !== BigInt(chain)) {
      return yield* refusals.chain(`the node is on chain ${found}, and the wallet on chain ${chain}`)
    }
    return yield* NodeWalletChain.make(client, chain)
  })

/** Opens the wallet beside a database, or in the same Postgres. */
export const open = (
  { callerNamed, callerOf, callers, chain, database, ids, node, reader, schema }: Parts,
  options: GatewayWallet.WalletOptions
): Effect.Effect<GatewayWallet.Service, GatewayError, Scope.Scope | HttpClient.HttpClient> =>
  Effect.gen(function*() {
    return yield* GatewayWallet.make({
      file: database === ":memory:" ? database : GatewayWallet.beside(database, schema),
      // The gateway has compared the chains, or does so as soon as the node answers.
      chain: yield* NodeWalletChain.make(yield* clientOf(node, chain), chain, {
        maxPrice: options.maxGasPrice,
        factor: options.gasPriceFactor,
        heldFactor: options.heldGasPriceFactor
      }),
      callers,
      callerOf,
      callerNamed,
      ids,
      facts: reader.facts,
      feesOf: walletFees.ofIndex(reader)
    }, options)
  })
