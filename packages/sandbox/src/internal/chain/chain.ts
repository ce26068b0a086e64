import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import type { Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import type { Signer } from "@effect-klaytn/transaction/Signature"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { BlockRecord } from "../../BlockRecord.js"
import type { CallRequest } from "../../Call.js"
import type { Chain, Stuck } from "../../Chain.js"
import {
  ExecutionFailed,
  InvalidRequest,
  SnapshotNotFound,
  type StoreFailure,
  TransactionRejected
} from "../../ChainError.js"
import type { DevAccount } from "../../DevAccount.js"
import type { SendRequest } from "../../SendRequest.js"
import type { ContractLabel } from "../../TokenRecord.js"
import type { ChainTime } from "./BlockClock.js"
import { accessList, call, estimateGas } from "./calls.js"
import type { ChainState } from "./ChainState.js"
import { attempt, readChain } from "./reads.js"
import { sign, type SignedTransaction } from "./SignedTransaction.js"
import { decode, type ValidTransaction } from "./validation.js"

/** When blocks are built: with every transaction, or only when somebody asks (an interval asks too). */
export type MiningMode = "auto" | "onDemand"

/** What a chain service is made of. */
export interface ChainParts {
  readonly live: ChainState
  readonly time: ChainTime
  readonly faucet: DevAccount
  readonly curve: Secp256k1
  readonly mining: MiningMode
}

interface Snapshot {
  readonly height: number
  readonly ahead: number
  readonly pool: ReadonlyArray<ValidTransaction>
}

const maxBlocksAtOnce = 10_000

/** The chain as a service: one change at a time, failures as values. */
export const make = ({ curve, faucet, live, mining, time }: ChainParts): Chain => {
  const permits = Effect.unsafeMakeSemaphore(1)
  let isBusy = false
  const turn = permits.withPermits(1)
  /** Marks the chain busy: the state in memory may not be that of any block. */
  const markBusy = <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      isBusy = true
      return Effect.ensuring(work, Effect.sync(() => void (isBusy = false)))
    })
  /** Reads the state when no work on it is in progress. */
  const whenIdle = <A, E>(look: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => isBusy ? turn(look) : look)
  const reads = readChain(live)
  const snapshots = new Map<number, Snapshot>()
  let lastSnapshot = 0

  const health = new BuildHealth(live.chainId)

  /** Builds one block. Uninterruptible: the block is stored, or the chain is as it was. */
  const buildOf = <E>(
    block: (timestamp: number) => Effect.Effect<BlockRecord, E>
  ): Effect.Effect<BlockRecord, E> =>
    Effect.uninterruptible(
      Effect.flatMap(
        Effect.suspend(() => time.next(live.head.timestamp)),
        (timestamp) => markBusy(block(timestamp))
      )
    )

  /** Builds one block of what can run now. */
  const build = health.watch(buildOf((timestamp) => live.advance(timestamp)))

  const drain: Effect.Effect<void, StoreFailure> = Effect.suspend(() =>
    mining === "auto" && live.ready().length > 0 ? Effect.zipRight(build, drain) : Effect.void
  )

  const submit = (
    transaction: Transaction.Transaction,
    signers?: { readonly sender: Signer; readonly feePayer?: Signer }
  ): Effect.Effect<Hex, TransactionRejected | StoreFailure> =>
    Effect.flatMap(
      Effect.suspend(() => live.submit(transaction, signers)),
      (admitted) =>
        Effect.tapError(drain, () => Effect.sync(() => live.pool.remove(admitted))).pipe(
          Effect.zipRight(unlessDropped(admitted.hash)),
          Effect.as(admitted.hash)
        )
    )

  /** Fails if a transaction left the pool without a block. */
  const unlessDropped = (hash: Hex): Effect.Effect<void, TransactionRejected> =>
    Effect.suspend(() => {
      const message = live.pool.whyDropped(hash)
      return message === undefined
        ? Effect.void
        : Effect.fail(new TransactionRejected({ reason: "Unexecutable", message }))
    })

  /** Builds blocks until a transaction is in one, or can't be. */
  const buildUntilSettled = (hash: Hex): Effect.Effect<void, StoreFailure> =>
    Effect.flatMap(
      build,
      ({ transactionCount }) =>
        transactionCount > 0 && live.pool.get(hash) !== undefined ? buildUntilSettled(hash) : Effect.void
    )

  const nextNonce = (address: Hex): bigint => live.pool.nextNonce(address, live.state.accountOrEmpty(address).nonce)

  const signRequest = (
    request: SendRequest,
    nonceOf: (address: Hex) => bigint = nextNonce
  ): Effect.Effect<SignedTransaction, InvalidRequest> =>
    Effect.suspend(() => {
      const nonce = nonceOf(request.from.address)
      return sign(request, { chainId: live.chainId, unitPrice: live.unitPrice, curve, nonce })
    })

  const send = (request: SendRequest) =>
    Effect.flatMap(signRequest(request), ({ signers, transaction }) => submit(transaction, signers))

  const execute = (request: SendRequest) =>
    turn(Effect.gen(function*() {
      const hash = yield* send(request)
      if (mining !== "auto") yield* Effect.zipRight(buildUntilSettled(hash), unlessDropped(hash))
      const record = yield* attempt("transaction", () => live.store.reader.transactionByHash(hash))
      if (record === undefined) {
        return yield* new InvalidRequest({ message: `transaction ${hash} waits for an earlier nonce` })
      }
      return record.txError === undefined
        ? record
        : yield* new ExecutionFailed({ transactionHash: hash, txError: record.txError })
    }))

  const sendBlock = (requests: ReadonlyArray<SendRequest>) => {
    const nonces = new Map<Hex, bigint>()
    const nonceOf = (address: Hex): bigint => {
      const nonce = nonces.get(address) ?? live.state.accountOrEmpty(address).nonce
      nonces.set(address, nonce + 1n)
      return nonce
    }
    return Effect.flatMap(
      Effect.forEach(
        requests,
        (request) =>
          Effect.flatMap(
            signRequest(request, nonceOf),
            ({ signers, transaction }) => live.validate(transaction, signers)
          )
      ),
      (admitted) => buildOf((timestamp) => live.buildWhole(timestamp, admitted))
    )
  }

  const relabel = (contract: Hex, change: (label: ContractLabel, now: number) => ContractLabel) =>
    Effect.flatMap(Effect.suspend(() => time.now(live.head.timestamp)), (now) =>
      attempt("label", () => {
        const found = live.store.tokens.contract(contract)
        if (found !== undefined) live.store.tokens.setLabel(contract, change(found.label, now))
        return Option.fromNullable(live.store.tokens.contract(contract))
      }))

  return {
    ...reads,
    account: (address, block) => whenIdle(reads.account(lowerCase(address), block)),
    code: (address, block) => whenIdle(reads.code(lowerCase(address), block)),
    storageAt: (address, slot, block) => whenIdle(reads.storageAt(lowerCase(address), slot, block)),
    chainId: live.chainId,
    unitPrice: live.unitPrice,
    faucet,
    now: Effect.suspend(() => time.now(live.head.timestamp)),
    pendingNonce: (address) => whenIdle(Effect.sync(() => nextNonce(lowerCase(address)))),
    pending: Effect.sync(() => live.pool.hashes()),
    dropped: Effect.sync(() => live.pool.dropped()),
    stuck: health.state,
    pendingTransaction: (named) =>
      Effect.sync(() =>
        Option.map(Option.fromNullable(live.pool.get(lowerCase(named))), ({ hash, raw, senderTxHash, view }) => ({
          hash,
          senderTxHash,
          typeInt: view.typeInt,
          from: view.from,
          raw: fromBytes(raw)
        }))
      ),
    submitRaw: (raw) =>
      turn(Effect.flatMap(Effect.suspend(() => decode(raw, live.chainId)), (transaction) => submit(transaction))),
    submit: (transaction) => turn(submit(transaction)),
    send: (request) => turn(send(request)),
    sign: (request) =>
      whenIdle(Effect.flatMap(signRequest(request), ({ transaction }) => {
        const raw = Transaction.encode(transaction)
        return raw.ok ? Effect.succeed(raw.value) : Effect.fail(new InvalidRequest({ message: raw.error.message }))
      })),
    execute,
    sendBlock: (requests) => turn(Effect.suspend(() => sendBlock(requests))),
    fund: (address, peb) => execute({ kind: "transfer", from: faucet, to: address, value: peb }),
    call: (request) => turn(markBusy(call(live, callInLowerCase(request)))),
    estimateGas: (request) => turn(markBusy(estimateGas(live, callInLowerCase(request)))),
    accessList: (request) => accessList(live, callInLowerCase(request), (round) => turn(markBusy(round))),
    mine: (blocks = 1) =>
      Number.isInteger(blocks) && blocks > 0 && blocks <= maxBlocksAtOnce
        ? turn(Effect.replicateEffect(build, blocks))
        : Effect.fail(new InvalidRequest({ message: `mine 1 to ${maxBlocksAtOnce} blocks, not ${blocks}` })),
    advanceTime: (seconds) =>
      Number.isInteger(seconds) && seconds >= 0 && seconds < 2 ** 32
        ? turn(Effect.sync(() => void (time.ahead += seconds)))
        : Effect.fail(new InvalidRequest({ message: `time moves forward by whole seconds, not by ${seconds}` })),
    snapshot: turn(Effect.sync(() => {
      snapshots.set(++lastSnapshot, { height: live.head.number, ahead: time.ahead, pool: live.pool.all() })
      return lastSnapshot
    })),
    revert: (id) =>
      turn(Effect.suspend((): Effect.Effect<void, SnapshotNotFound | StoreFailure> => {
        const snapshot = snapshots.get(id)
        if (snapshot === undefined) return Effect.fail(new SnapshotNotFound({ snapshot: id }))
        return attempt("revert", () => {
          live.revert(snapshot.height)
          for (const admitted of snapshot.pool) live.pool.add(admitted)
          time.ahead = snapshot.ahead
          for (const other of snapshots.keys()) if (other >= id) snapshots.delete(other)
        })
      })),
    reset: turn(attempt("reset", () => {
      live.revert(0)
      time.ahead = 0
      snapshots.clear()
    })),
    addPreset: (preset) => attempt("addPreset", () => live.store.presets.add(preset)),
    setLabel: (contract, status) =>
      relabel(contract, (label, now) => ({
        status,
        createdAt: label.deletedAt === undefined ? label.createdAt : now,
        updatedAt: now,
        deletedAt: undefined
      })),
    removeLabel: (contract) =>
      relabel(contract, (label, now) => ({ ...label, updatedAt: now, deletedAt: label.deletedAt ?? now })),
    removePreset: (id) => attempt("removePreset", () => live.store.presets.remove(id))
  }
}

/** Addresses and hashes are in lower case everywhere inside a chain; checksums stay outside. */
const lowerCase = (hex: Hex): Hex => `0x${hex.slice(2).toLowerCase()}`

/** The same for everything in a call. */
const callInLowerCase = (request: CallRequest): CallRequest => {
  const { accessList, from, overrides, to } = request
  return {
    ...request,
    ...(from !== undefined && { from: lowerCase(from) }),
    ...(to !== undefined && { to: lowerCase(to) }),
    ...(accessList !== undefined && {
      accessList: accessList.map(({ address, storageKeys }) => ({
        address: lowerCase(address),
        storageKeys: storageKeys.map(lowerCase)
      }))
    }),
    ...(overrides !== undefined && {
      overrides: new Map([...overrides].map(([address, account]) => [lowerCase(address), account]))
    })
  }
}

/** Tracks whether a chain can build blocks, and logs when that changes. */
class BuildHealth {
  #stuck: Stuck | undefined

  constructor(readonly chainId: number) {}

  /** None while blocks can be built. */
  readonly state = Effect.sync(() => Option.fromNullable(this.#stuck))

  /** Tracks the outcome of a build. */
  watch<A>(build: Effect.Effect<A, StoreFailure>): Effect.Effect<A, StoreFailure> {
    return build.pipe(
      Effect.tapError((failure) => this.#failed(failure)),
      Effect.tap(() => this.#built())
    )
  }

  #failed({ message }: StoreFailure): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const { attempts = 0, since = Math.floor(now / 1000) } = this.#stuck ?? {}
      this.#stuck = { since, attempts: attempts + 1, message }
      return attempts > 0 ? Effect.void : Effect.logError(`chain ${this.chainId} can't build blocks: ${message}`)
    })
  }

  #built(): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.#stuck === undefined) return Effect.void
      this.#stuck = undefined
      return Effect.logInfo(`chain ${this.chainId} builds blocks again`)
    })
  }
}
