/**
 * All methods of this SDK, by namespace.
 */
import type { Safety } from "@effect-klaytn/core/Operation"
import { accountMethods } from "./AccountMethods.js"
import { blockMethods } from "./BlockMethods.js"
import { chainMethods } from "./ChainMethods.js"
import { ethOnlyMethods, ethShapedMethods, ethTwinMethods } from "./EthMethods.js"
import { gasMethods } from "./GasMethods.js"
import { logMethods } from "./LogMethods.js"
import type * as Method from "./Method.js"
import { netMethods, rpcMethods, web3Methods } from "./NetMethods.js"
import { submitMethods, transactionMethods } from "./TransactionMethods.js"

/**
 * The methods of `klay`, sent as `kaia` if the client is configured that way.
 *
 * @category methods
 */
export const klay = {
  ...accountMethods,
  ...blockMethods,
  ...transactionMethods,
  ...gasMethods,
  ...chainMethods,
  ...logMethods,
  ...submitMethods
}

/**
 * The methods of `eth`.
 *
 * @category methods
 */
export const eth = { ...ethShapedMethods, ...ethTwinMethods, ...ethOnlyMethods }

/**
 * The methods of `net`.
 *
 * @category methods
 */
export const net = netMethods

/**
 * The methods of `web3`.
 *
 * @category methods
 */
export const web3 = web3Methods

/**
 * The methods of `rpc`.
 *
 * @category methods
 */
export const rpc = rpcMethods

/**
 * All of them, in the order of the table.
 *
 * @category methods
 */
export const all: ReadonlyArray<Method.Any> = [klay, eth, net, web3, rpc].flatMap((group) =>
  Object.values<Method.Any>(group)
)

const safeties: ReadonlyMap<string, Safety> = new Map(
  all.flatMap((method): ReadonlyArray<readonly [string, Safety]> => {
    const entry = (namespace: string) => [`${namespace}_${method.name}`, method.safety] as const
    return method.namespace === "klay" ? [entry("klay"), entry("kaia")] : [entry(method.namespace)]
  })
)

/**
 * Whether a method may be repeated, by its wire name; `undefined` if it is not one of {@link all}.
 *
 * @category getters
 */
export const safetyOf = (wireName: string): Safety | undefined => safeties.get(wireName)
