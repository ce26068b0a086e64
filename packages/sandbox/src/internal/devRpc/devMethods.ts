import type { InvalidRequest, StoreFailure } from "@effect-klaytn/local-chain/ChainError"
import { quantity } from "@effect-klaytn/transaction/Hex"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Chain } from "../../Chain.js"
import { clientVersion as nodeVersion } from "../rpc/chainFacts.js"
import { type Failure, failure, invalidParams, type Method, method, type Methods, type Run } from "../rpc/Method.js"
import { address, bool, data, type Decoded, fail, hash, isRecord, make, optional } from "../rpc/ParamDecoder.js"
import { count, whole } from "./devRpcParams.js"
import { type DevRpcState, mostImpersonated } from "./DevRpcState.js"

/** Answers with invalid params if the chain refuses an argument. */
const orInvalid = <A>(effect: Effect.Effect<A, InvalidRequest | StoreFailure>): Effect.Effect<A, Failure> =>
  Effect.catchTag(effect, "InvalidRequest", ({ message }) => Effect.fail(invalidParams(message)))

/** Answers `true` once it is done. */
const done = (effect: Effect.Effect<unknown, InvalidRequest | StoreFailure>): Run => Effect.as(orInvalid(effect), true)

/** Builds blocks whose timestamps are `seconds` apart. */
const mineApart = (chain: Chain, blocks: number, seconds: number | undefined): Run =>
  seconds === undefined || seconds === 0 || blocks < 2
    ? done(blocks === 0 ? Effect.void : chain.mine(blocks))
    : done(Effect.gen(function*() {
      yield* chain.mine()
      const before = yield* chain.timestampInterval
      yield* chain.setTimestampInterval(seconds)
      yield* Effect.ensuring(chain.mine(blocks - 1), Effect.ignore(chain.setTimestampInterval(before)))
    }))

/** What `evm_mine` takes: nothing, a timestamp, or an object. */
const mineOptions = make((value): Decoded<{ readonly blocks: number; readonly timestamp: number | undefined }> => {
  const { blocks = 1, timestamp = undefined } = isRecord(value) ? value : { timestamp: value ?? undefined }
  return Either.all({
    blocks: count.decode(blocks),
    timestamp: optional(count).decode(timestamp)
  })
})

const mineNow = (
  chain: Chain,
  { blocks, timestamp }: { readonly blocks: number; readonly timestamp: number | undefined }
): Run =>
  Effect.as(
    orInvalid(Effect.zipRight(
      timestamp === undefined ? Effect.void : chain.setNextTimestamp(timestamp),
      chain.mine(blocks)
    )),
    "0x0"
  )

/** Under the names of both tools. */
const both = (name: string, run: Method): Methods => ({ [`hardhat_${name}`]: run, [`anvil_${name}`]: run })

/** Under the older name too. */
const all = (name: string, run: Method): Methods => ({ [`evm_${name}`]: run, [`anvil_${name}`]: run })

const mining: Methods = {
  evm_mine: method(
    [optional(mineOptions)],
    (chain, options) => mineNow(chain, options ?? { blocks: 1, timestamp: undefined })
  ),
  ...both(
    "mine",
    method([optional(count), optional(count)], (chain, blocks = 1, seconds) => mineApart(chain, blocks, seconds))
  ),
  ...all(
    "setAutomine",
    method([bool], (chain, isOn) =>
      Effect.flatMap(chain.mining, (mining) =>
        // Turned off, an interval stays.
        done(isOn ? chain.setMining("auto") : mining === "auto" ? chain.setMining("manual") : Effect.void)))
  ),
  ...both("getAutomine", method([], (chain) => Effect.map(chain.mining, (mining) => mining === "auto"))),
  ...all(
    "setIntervalMining",
    method(
      [count],
      (chain, seconds) => done(chain.setMining(seconds === 0 ? "manual" : { every: Duration.seconds(seconds) }))
    )
  ),
  anvil_getIntervalMining: method([], (chain) =>
    Effect.map(
      chain.mining,
      (mining) => typeof mining === "object" ? Duration.toSeconds(Duration.decode(mining.every)) : null
    ))
}

/** Moves the clock to a time that is not before now. Answers by how many seconds. */
const setTime = (chain: Chain, timestamp: number): Run =>
  Effect.flatMap(chain.now, (now) => Effect.as(orInvalid(chain.advanceTime(timestamp - now)), timestamp - now))

const time: Methods = {
  ...all(
    "increaseTime",
    method([count], (chain, seconds) => Effect.as(orInvalid(chain.advanceTime(seconds)), quantity(seconds)))
  ),
  ...all("setTime", method([count], setTime)),
  ...all("setNextBlockTimestamp", method([count], (chain, timestamp) => done(chain.setNextTimestamp(timestamp)))),
  anvil_setBlockTimestampInterval: method([count], (chain, seconds) => done(chain.setTimestampInterval(seconds))),
  // Hardhat has no such method; viem calls it by Hardhat's prefix, with milliseconds.
  hardhat_setBlockTimestampInterval: method(
    [count],
    (chain, milliseconds) => done(chain.setTimestampInterval(Math.floor(milliseconds / 1000)))
  ),
  ...both("removeBlockTimestampInterval", method([], (chain) => done(chain.setTimestampInterval(undefined))))
}

const blocks: Methods = {
  ...both("setCoinbase", method([address], (chain, miner) => done(chain.setNextBlock({ miner })))),
  ...both("setPrevRandao", method([hash], (chain, mixHash) => done(chain.setNextBlock({ mixHash })))),
  ...both(
    "setNextBlockBaseFeePerGas",
    method([whole], (chain, baseFeePerGas) => done(chain.setNextBlock({ baseFeePerGas })))
  ),
  ...all("setBlockGasLimit", method([whole], (chain, gasLimit) => done(chain.setNextBlock({ gasLimit }))))
}

const account: Methods = {
  ...both("setBalance", method([address, whole], (chain, owner, balance) => done(chain.edit(owner, { balance })))),
  ...both("setNonce", method([address, whole], (chain, owner, nonce) => done(chain.edit(owner, { nonce })))),
  ...both("setCode", method([address, data], (chain, owner, code) => done(chain.edit(owner, { code })))),
  ...both(
    "setStorageAt",
    method(
      [address, whole, hash],
      (chain, owner, slot, value) => done(chain.edit(owner, { storage: new Map([[slot, BigInt(value)]]) }))
    )
  )
}

const pool: Methods = {
  ...both("dropTransaction", method([hash], (chain, waiting) => chain.dropTransaction(waiting))),
  anvil_dropAllTransactions: method([], (chain) => Effect.as(chain.emptyPool, true))
}

/** What a reset takes: nothing, or where to fork from, which this chain can't. */
const resetOptions = make((value): Decoded<undefined> => {
  const forking = isRecord(value) ? value["forking"] : undefined
  return isRecord(forking) && typeof forking["jsonRpcUrl"] === "string"
    ? fail("a chain of the sandbox can't fork another")
    : Either.right(undefined)
})

/** Reverts to a snapshot; false if there is none, or no more. */
const revert = (chain: Chain, snapshot: number): Effect.Effect<boolean, StoreFailure> => {
  const reverted = Effect.as(chain.revert(snapshot), true)
  return Effect.catchTag(reverted, "SnapshotNotFound", () => Effect.succeed(false))
}

const history: Methods = {
  ...all("snapshot", method([], (chain) => Effect.map(chain.snapshot, quantity))),
  ...all("revert", method([count], revert)),
  ...both("reset", method([optional(resetOptions)], (chain, _options) => done(chain.reset)))
}

/** The version that tools for development accept: they ask what it begins with. */
const clientVersion = `anvil/${nodeVersion}`

const nodeInfo = method(
  [],
  (chain) =>
    Effect.map(Effect.all([chain.head, chain.nextBlock]), ([{ hash, number, timestamp }, next]) => ({
      currentBlockNumber: quantity(number),
      currentBlockTimestamp: timestamp,
      currentBlockHash: hash,
      hardFork: chain.hardfork,
      transactionOrder: "fees",
      environment: {
        baseFee: quantity(next.baseFeePerGas),
        chainId: chain.chainId,
        gasLimit: quantity(next.gasLimit),
        gasPrice: quantity(next.baseFeePerGas)
      },
      forkConfig: {}
    }))
)

const metadata = (state: DevRpcState): Method =>
  method([], (chain) =>
    Effect.map(chain.head, ({ hash, number }) => ({
      clientVersion,
      chainId: chain.chainId,
      instanceId: state.instanceId,
      latestBlockNumber: number,
      latestBlockHash: hash
    })))

const impersonation = (state: DevRpcState): Methods => ({
  ...both(
    "impersonateAccount",
    method([address], (_, owner) =>
      Effect.suspend(() =>
        state.impersonate(owner)
          ? Effect.succeed(true)
          : Effect.fail(failure(`${mostImpersonated} addresses are impersonated already, the most that may be`))
      ))
  ),
  ...both(
    "stopImpersonatingAccount",
    method([address], (_, owner) => Effect.as(Effect.sync(() => state.stopImpersonating(owner)), true))
  ),
  anvil_autoImpersonateAccount: method([bool], (_, isOn) =>
    Effect.sync(() => {
      state.impersonatesAll = isOn
      return true
    }))
})

/** What tools for development ask of a node of their own, under the names of Hardhat and of anvil. */
export const devMethods = (state: DevRpcState): Methods => ({
  ...mining,
  ...time,
  ...blocks,
  ...account,
  ...pool,
  ...history,
  ...impersonation(state),
  anvil_nodeInfo: nodeInfo,
  eth_coinbase: method([], (chain) => Effect.map(chain.nextBlock, ({ miner }) => miner)),
  ...both("metadata", metadata(state)),
  // Nothing is logged that this could turn off.
  ...both("setLoggingEnabled", method([bool], (_chain, _isOn) => Effect.succeed(true))),
  web3_clientVersion: method([], () => Effect.succeed(clientVersion))
})
