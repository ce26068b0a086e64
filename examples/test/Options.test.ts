/**
 * Every option of a public function that is a number or a duration, as `scripts/options.ts` finds them in the types, and what
 * is refused for each: a new option fails this test until it is here.
 */
import * as Address from "@effect-klaytn/core/Address"
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as Hash from "@effect-klaytn/core/Hash"
import type * as Paged from "@effect-klaytn/core/Paged"
import * as RateLimit from "@effect-klaytn/core/RateLimit"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as Testing from "@effect-klaytn/core/Testing"
import * as Database from "@effect-klaytn/engine/Database"
import * as Engine from "@effect-klaytn/engine/Engine"
import * as Budget from "@effect-klaytn/exports/Budget"
import * as Exports from "@effect-klaytn/exports/Exports"
import * as Plan from "@effect-klaytn/exports/Plan"
import type { Sink } from "@effect-klaytn/exports/Sink"
import * as Workers from "@effect-klaytn/exports/Workers"
import * as Gateway from "@effect-klaytn/gateway/Gateway"
import * as Range from "@effect-klaytn/history/Range"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as Batching from "@effect-klaytn/node/Batching"
import * as BlockHeads from "@effect-klaytn/node/BlockHeads"
import * as BlockStream from "@effect-klaytn/node/BlockStream"
import * as Confirmation from "@effect-klaytn/node/Confirmation"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as LogRange from "@effect-klaytn/node/LogRange"
import * as Signer from "@effect-klaytn/node/Signer"
import * as Batch from "@effect-klaytn/payouts/Batch"
import * as Payouts from "@effect-klaytn/payouts/Payouts"
import type * as Control from "@effect-klaytn/sandbox/Control"
import * as Generator from "@effect-klaytn/sandbox/Generator"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as TokenContract from "@effect-klaytn/sandbox/TokenContract"
import * as Lookup from "@effect-klaytn/tokens/Lookup"
import * as OwnerChanges from "@effect-klaytn/tokens/OwnerChanges"
import * as OwnerSnapshot from "@effect-klaytn/tokens/OwnerSnapshot"
import * as TokenData from "@effect-klaytn/tokens/TokenData"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as HostedSigner from "@effect-klaytn/wallet/HostedSigner"
import * as Migration from "@effect-klaytn/wallet/Migration"
import * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import * as Transactions from "@effect-klaytn/wallet/Transactions"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import { layer as fetchClient } from "@effect/platform/FetchHttpClient"
import type { HttpClient } from "@effect/platform/HttpClient"
import * as Socket from "@effect/platform/Socket"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { run } from "../../scripts/workspace.js"

const address = "0x5a0b54d5dc17e0aadc383d2db43b0a0d3e029c4c"
const hash = `0x${"ab".repeat(32)}`

const wrongCounts = [-7, 0, 1.5, Number.NaN, Number.POSITIVE_INFINITY]
const wrongNumbers = [-7, 1.5, Number.NaN, Number.POSITIVE_INFINITY]
const wrongTimes = ["soon", "10 lightyears", "-1 second", -1, Number.NaN, -1n]
const endlessTimes = [...wrongTimes, Number.POSITIVE_INFINITY]

type Client =
  | TransferHistory.TransferHistory
  | TokenData.TokenData
  | KlaytnNode.KlaytnNode
  | Wallet.Wallet
  | Transactions.Transactions
  | TransactionLookup.TransactionLookup
  | Migration.Migration
  | ClientConfig.ClientConfig

interface Refusal {
  readonly bad: ReadonlyArray<unknown>
  /** Uses the function with the option; what the types keep out is given by programs without types. */
  readonly use: (bad: never) => Effect.Effect<unknown, { readonly _tag: string }, Client>
  /** The error if not `InvalidInput`: of packages with an error of their own. */
  readonly tag?: string
}

const refusal = (
  bad: ReadonlyArray<unknown>,
  use: Refusal["use"],
  tag = "InvalidInput"
): Refusal => ({ bad, use, tag })

const clients = (wire: Testing.Wire) =>
  Layer.mergeAll(
    TransferHistory.layer(),
    TokenData.layer(),
    KlaytnNode.layer(),
    Wallet.layer(),
    Transactions.layer(),
    TransactionLookup.layer(),
    Migration.layer()
  ).pipe(Layer.provideMerge(Testing.layer(wire)))

/** A sink that must not be opened. */
const sink: Sink = { open: () => Effect.dieMessage("the sink was opened") }

const config = (options: object) =>
  ClientConfig.make({ chain: 1001, credentials: Effect.never, endpoints: {}, ...options })

const read = <E>(use: (history: TransferHistory.Service) => Effect.Effect<unknown, E>) =>
  Effect.flatMap(TransferHistory.TransferHistory, use)

const retry = (options: object) =>
  read((history) => history.getTransfersByEoa({ address }).pipe(RetryPolicy.withRetryPolicy(RetryPolicy.make(options))))

const plan = Effect.flatMap(
  Range.time({ from: 0, to: 1 }),
  (range) => Plan.make({ accounts: [address], range })
)

const planned = (options: object) =>
  Effect.flatMap(Range.time({ from: 0, to: 1 }), (range) => Plan.make({ accounts: [address], range, ...options }))

const listed = (options: Paged.StreamOptions) =>
  read((history) => Stream.runDrain(history.getTransfersByEoa.items({ address }, options)))

const onNode = <E>(use: (node: KlaytnNode.Service) => Effect.Effect<unknown, E>) =>
  Effect.flatMap(KlaytnNode.KlaytnNode, use)

const batching = (options: object) =>
  Layer.build(KlaytnNode.layer({ batching: Batching.make(options) })).pipe(
    Effect.scoped,
    Effect.provide(Testing.layer(Testing.wire()))
  )

const postgres = (options: object) =>
  Layer.build(Database.layerPostgres({ url: Redacted.make("postgres://127.0.0.1:1/x"), ...options })).pipe(
    Effect.scoped
  )

const engine = (options: object) =>
  Layer.build(Engine.layerRunner(options)).pipe(
    Effect.scoped,
    Effect.provide(Database.layerSqlite({ file: ":memory:" }))
  )

const gateway = (options: object) =>
  Gateway.make({ node: { url: Redacted.make("http://127.0.0.1:1") }, database: "/nowhere/index.db", ...options }).pipe(
    Effect.scoped,
    Effect.provide(fetchClient)
  )

const send = (options: object) =>
  Effect.flatMap(
    Wallet.Wallet,
    (wallet) => wallet.plan({ from: address, to: address, value: 1n, payer: FeeDelegation.service, ...options })
  )

const snapshot = (options: object) =>
  Stream.runDrain(
    OwnerSnapshot.snapshotMtOwners({ contract: address, changes: OwnerChanges.fromUpdateTimes, ...options })
  )

const confirmed = (options: { readonly within: number; readonly pollInterval?: number }) =>
  Effect.flatMap(
    Hash.make(hash),
    (transactionHash) =>
      Effect.flatMap(Address.make(address), (from) =>
        TransactionLookup.confirm({ transactionHash, from, nonce: 1 }, options))
  )

const accounts = (options: object) => Effect.flatMap(Wallet.Wallet, (wallet) => wallet.getAccounts(options))

const privateKey = Redacted.make(`0x${"11".repeat(32)}`)

const sent = (options: object) =>
  Effect.flatMap(
    Effect.map(Address.make(address), (from) =>
      Signer.make({ address: from, submit: () => Effect.dieMessage("it was submitted") })),
    (signer) =>
      signer.send({ to: address }, options)
  )

const payment = { key: "x", from: address, to: address, value: 1n, payer: FeeDelegation.service }

const onPayouts = <E extends { readonly _tag: string }>(
  use: (
    payouts: Payouts.Service
  ) => Effect.Effect<unknown, E, Payouts.Payouts | ClientConfig.ClientConfig | HttpClient>,
  options: object = {}
) =>
  Effect.flatMap(Payouts.Payouts, use).pipe(
    Effect.provide(Payouts.layer(options).pipe(Layer.provide(Engine.layerMemory))),
    Effect.provide(Testing.layer(Testing.wire()))
  )

const sandbox = <E>(use: (sandbox: Sandbox.Sandbox["Type"]) => Effect.Effect<unknown, E>) =>
  Effect.scoped(Effect.flatMap(Sandbox.make({ explorer: false }), use))

const onChain = <E>(use: (chain: Control.ChainControl) => Effect.Effect<unknown, E>) =>
  sandbox(({ control }) => use(control.chain(1001)))

const generated = (options: object) =>
  sandbox(({ chains }) => Generator.generate(chains.chain(1001), { seed: "x", transfers: 1000, ...options }))

/** What is tried for each option, and refused before anything is sent, opened or stored. */
const refusals: Readonly<Record<string, Refusal>> = {
  "core/ClientConfig.Behaviour.attemptTimeout": refusal(wrongTimes, (attemptTimeout) => config({ attemptTimeout })),
  "core/ClientConfig.Behaviour.deadline": refusal(wrongTimes, (deadline) => config({ deadline })),
  "core/ClientConfig.Behaviour.maxResponseBytes": refusal(
    [-7, 0, 1.5, Number.NaN],
    (maxResponseBytes) => config({ maxResponseBytes })
  ),
  "core/Deadline.start(limit)": refusal(
    wrongTimes,
    (limit) => Effect.flatMap(Deadline.start(limit), (deadline) => Deadline.check("test", deadline))
  ),
  "core/Deadline.withDeadline(limit)": refusal(
    wrongTimes,
    (limit) => read((history) => history.getTransfersByEoa({ address }).pipe(Deadline.withDeadline(limit)))
  ),
  "core/Deadline.withStreamDeadline(limit)": refusal(
    wrongTimes,
    (limit) =>
      read((history) =>
        Stream.runDrain(history.getTransfersByEoa.items({ address }).pipe(Deadline.withStreamDeadline(limit)))
      )
  ),
  "core/Paged.StreamOptions.maxEmptyPages": refusal(wrongNumbers, (maxEmptyPages) => listed({ maxEmptyPages })),
  "core/Paged.StreamOptions.prefetch": refusal(wrongNumbers, (prefetch) => listed({ prefetch })),
  "core/Paged.fields.size": refusal(
    wrongNumbers,
    (size) => read((history) => history.getTransfersByEoa({ address, size }))
  ),
  "core/RateLimit.make.interval": refusal([...endlessTimes, 0], (interval) => RateLimit.make({ limit: 1, interval })),
  "core/RateLimit.make.limit": refusal(wrongCounts, (limit) => RateLimit.make({ limit, interval: 1 })),
  "core/RateLimit.make.maxWait": refusal(wrongTimes, (maxWait) => RateLimit.make({ limit: 1, interval: 1, maxWait })),
  "core/RetryPolicy.RetryPolicy.statusAttempts": refusal(
    [-7, 0, 1.5, Number.NaN],
    (statusAttempts) =>
      read((history) =>
        history.getTransfersByEoa({ address }).pipe(
          RetryPolicy.withRetryPolicy({ ...RetryPolicy.defaultPolicy, statusAttempts })
        )
      )
  ),
  "core/RetryPolicy.make.attempts": refusal([-7, 0, 1.5, Number.NaN], (attempts) => retry({ attempts })),
  "core/RetryPolicy.make.baseDelay": refusal(wrongTimes, (baseDelay) => retry({ baseDelay })),
  "core/RetryPolicy.make.maxDelay": refusal(wrongTimes, (maxDelay) => retry({ maxDelay })),
  "core/RetryPolicy.make.maxRetryAfter": refusal(wrongTimes, (maxRetryAfter) => retry({ maxRetryAfter })),
  "core/RetryPolicy.make.statuses": refusal([...wrongCounts, 99, 600], (status) => retry({ statuses: [status] })),
  "engine/Engine.Options.databaseTimeout": refusal(
    wrongTimes,
    (databaseTimeout) => engine({ databaseTimeout }),
    "EngineError"
  ),
  "engine/Engine.Options.lockExpiration": refusal(
    [...wrongTimes, "9 seconds"],
    (lockExpiration) => engine({ lockExpiration }),
    "EngineError"
  ),
  "engine/Engine.Options.pollInterval": refusal(wrongTimes, (pollInterval) => engine({ pollInterval }), "EngineError"),
  "engine/Engine.Options.shutdownTimeout": refusal(
    wrongTimes,
    (shutdownTimeout) => engine({ shutdownTimeout }),
    "EngineError"
  ),
  "exports/Budget.Limits.perDay": refusal(wrongCounts, (perDay) => Budget.make({ perDay })),
  "exports/Budget.Limits.perRun": refusal(wrongCounts, (perRun) => Budget.make({ perRun })),
  "exports/Budget.Limits.perSecond": refusal(
    wrongCounts.filter((value) => value !== 1.5),
    (perSecond) => Budget.make({ perSecond })
  ),
  "exports/Exports.CatchUpOptions.indexLag": refusal(
    endlessTimes,
    (indexLag) => Stream.runDrain(Exports.catchUp({ sink, indexLag }))
  ),
  "exports/Exports.CatchUpOptions.recheck": refusal(
    wrongTimes,
    (recheck) => Stream.runDrain(Exports.catchUp({ sink, recheck }))
  ),
  "exports/Exports.CatchUpOptions.to": refusal(wrongNumbers, (to) => Stream.runDrain(Exports.catchUp({ sink, to }))),
  "exports/Exports.MergedOptions.ahead": refusal(
    wrongCounts,
    (ahead) => Effect.flatMap(plan, (plan) => Stream.runDrain(Exports.merged({ plan, ahead })))
  ),
  "exports/Exports.ReconcileOptions.from": refusal(
    wrongNumbers,
    (from) => Stream.runDrain(Exports.reconcile({ sink, from }))
  ),
  "exports/Exports.ReconcileOptions.to": refusal(
    wrongNumbers,
    (to) => Stream.runDrain(Exports.reconcile({ sink, to }))
  ),
  "exports/Exports.Settings.concurrency": refusal(wrongCounts, (concurrency) => Exports.run({ sink, concurrency })),
  "exports/Exports.Settings.giveUpAfter": refusal(wrongTimes, (giveUpAfter) => Exports.run({ sink, giveUpAfter })),
  "exports/Exports.settled.indexLag": refusal(
    endlessTimes,
    (indexLag) => Effect.flatMap(plan, (plan) => Exports.settled(plan, { indexLag }))
  ),
  "exports/Exports.TailOptions.indexLag": refusal(
    endlessTimes,
    (indexLag) => Stream.runDrain(Exports.tail({ sink, indexLag }))
  ),
  "exports/Exports.TailOptions.pollInterval": refusal(
    endlessTimes,
    (pollInterval) => Stream.runDrain(Exports.tail({ sink, pollInterval }))
  ),
  "exports/Plan.Options.indexLag": refusal(endlessTimes, (indexLag) => planned({ indexLag })),
  "exports/Plan.Options.size": refusal([...wrongCounts, 1001], (size) => planned({ size })),
  "exports/Plan.Options.windows": refusal([...wrongCounts, 100_001], (windows) => planned({ windows })),
  "gateway/Gateway.Options.maxConnections": refusal(
    [...wrongNumbers, 3, 1001],
    (maxConnections) => gateway({ maxConnections }),
    "GatewayError"
  ),
  "gateway/Gateway.Options.maxLag": refusal(wrongNumbers, (maxLag) => gateway({ maxLag }), "GatewayError"),
  "gateway/Gateway.Options.port": refusal([...wrongNumbers, 65_536], (port) => gateway({ port }), "GatewayError"),
  "gateway/Gateway.Options.stopWithin": refusal(wrongTimes, (stopWithin) => gateway({ stopWithin }), "GatewayError"),
  "gateway/GatewayWallet.WalletOptions.cancelAfter": refusal(
    wrongTimes,
    (cancelAfter) => gateway({ wallet: { cancelAfter } }),
    "GatewayError"
  ),
  "gateway/GatewayWallet.WalletOptions.gasPriceFactor": refusal(
    [0.99, 10.01, -1, Number.NaN, Number.POSITIVE_INFINITY],
    (gasPriceFactor) => gateway({ wallet: { gasPriceFactor } }),
    "GatewayError"
  ),
  "gateway/GatewayWallet.WalletOptions.heldGasPriceFactor": refusal(
    [0.99, 30.01, -1, Number.NaN, Number.POSITIVE_INFINITY],
    (heldGasPriceFactor) => gateway({ wallet: { heldGasPriceFactor } }),
    "GatewayError"
  ),
  "gateway/GatewayWallet.WalletOptions.keepDeleted": refusal(
    wrongTimes,
    (keepDeleted) => gateway({ wallet: { keepDeleted } }),
    "GatewayError"
  ),
  "gateway/GatewayWallet.WalletOptions.patience": refusal(
    wrongTimes,
    (patience) => gateway({ wallet: { patience } }),
    "GatewayError"
  ),
  "history/Range.blocks.from": refusal(wrongNumbers, (from) => Range.blocks({ from })),
  "history/Range.blocks.to": refusal(wrongNumbers, (to) => Range.blocks({ from: 0, to })),
  "history/Range.time.from": refusal(wrongNumbers, (from) => Range.time({ from })),
  "history/Range.time.to": refusal(wrongNumbers, (to) => Range.time({ from: 0, to })),
  "node/Batching.make.maxBytes": refusal(wrongCounts, (maxBytes) => batching({ maxBytes })),
  "node/Batching.make.maxCount": refusal(wrongCounts, (maxCount) => batching({ maxCount })),
  "node/Batching.make.maxListCount": refusal(wrongCounts, (maxListCount) => batching({ maxListCount })),
  "node/Batching.make.window": refusal(endlessTimes, (window) => batching({ window })),
  "node/BlockHeads.Options.silence": refusal(
    [...endlessTimes, 0],
    (silence) =>
      Layer.build(BlockHeads.layer({ url: Redacted.make("ws://127.0.0.1:1"), silence })).pipe(
        Effect.scoped,
        Effect.provide(Socket.layerWebSocketConstructorGlobal)
      )
  ),
  "node/BlockStream.Options.atOnce": refusal(
    [...wrongCounts, 1001],
    (atOnce) => Stream.runDrain(BlockStream.blocks({ atOnce }))
  ),
  "node/BlockStream.Options.pollInterval": refusal(
    endlessTimes,
    (pollInterval) => Stream.runDrain(BlockStream.fullBlocks({ pollInterval }))
  ),
  "node/Confirmation.Options.pollInterval": refusal(
    endlessTimes,
    (pollInterval) => Confirmation.waitForReceipt(hash, { pollInterval })
  ),
  "node/Confirmation.Options.within": refusal(wrongTimes, (within) => Confirmation.waitForReceipt(hash, { within })),
  "node/KlaytnNode.ListOptions.concurrency": refusal(
    [...wrongCounts, 1001],
    (concurrency) => onNode((node) => node.runAll([], { concurrency }))
  ),
  "node/KlaytnNode.ListOptions.maxCount": refusal(
    wrongCounts,
    (maxCount) => onNode((node) => node.runAll([], { maxCount }))
  ),
  "node/LogRange.RangeFilter.piece.first": refusal(
    [...wrongCounts, 10_001],
    (first) => Stream.runDrain(LogRange.logs({ fromBlock: 0n, piece: { first } }))
  ),
  "node/LogRange.RangeFilter.piece.most": refusal(
    wrongCounts,
    (most) => Stream.runDrain(LogRange.logs({ fromBlock: 0n, piece: { most } }))
  ),
  "node/LogRange.RangeFilter.pollInterval": refusal(
    endlessTimes,
    (pollInterval) => Stream.runDrain(LogRange.follow({ fromBlock: 0n, pollInterval }))
  ),
  "node/Signer.FeePayerKeys.ratio": refusal(
    [...wrongCounts, 100],
    (ratio) => Signer.fromKeys({ privateKeys: [privateKey], feePayer: { privateKeys: [privateKey], ratio } })
  ),
  "node/Signer.Options.pollInterval": refusal(endlessTimes, (pollInterval) => sent({ pollInterval }), "NotSent"),
  "node/Signer.Options.within": refusal(wrongTimes, (within) => sent({ within }), "NotSent"),
  "payouts/Payouts.CommonInput.feeRatio": refusal(
    [...wrongCounts, 100],
    (feeRatio) => onPayouts((payouts) => payouts.pay({ ...payment, feeRatio }))
  ),
  "payouts/Payouts.CommonInput.gasLimit": refusal(
    wrongCounts,
    (gasLimit) => onPayouts((payouts) => payouts.pay({ ...payment, gasLimit }))
  ),
  "payouts/internal/batchLines.pace.concurrency": refusal(
    wrongCounts,
    (concurrency) => onPayouts(() => Stream.runDrain(Batch.payAll(Stream.empty, { concurrency })))
  ),
  "payouts/internal/inputs.list.size": refusal(
    [...wrongCounts, 1001],
    (size) => onPayouts((payouts) => payouts.list({ size }))
  ),
  "payouts/internal/inputs.options.concurrency": refusal(
    wrongCounts,
    (concurrency) => onPayouts(() => Effect.void, { concurrency })
  ),
  "payouts/internal/inputs.options.confirmations": refusal(
    [...wrongNumbers, 10_001],
    (confirmations) => onPayouts(() => Effect.void, { confirmations })
  ),
  "payouts/internal/inputs.options.confirmInterval": refusal(
    endlessTimes,
    (confirmInterval) => onPayouts(() => Effect.void, { confirmInterval })
  ),
  "payouts/internal/inputs.options.pollInterval": refusal(
    endlessTimes,
    (pollInterval) => onPayouts(() => Effect.void, { pollInterval })
  ),
  "payouts/internal/inputs.options.signaturesWithin": refusal(
    endlessTimes,
    (signaturesWithin) => onPayouts(() => Effect.void, { signaturesWithin })
  ),
  "payouts/internal/inputs.options.stuckAfter": refusal(
    endlessTimes,
    (stuckAfter) => onPayouts(() => Effect.void, { stuckAfter })
  ),
  "sandbox/Control.ChainControl.advanceTime.seconds": refusal(
    wrongNumbers,
    (seconds) => onChain((chain) => chain.advanceTime({ seconds })),
    "InvalidControl"
  ),
  "sandbox/Control.ChainControl.mine.blocks": refusal(
    [...wrongCounts, 10_001],
    (blocks) => onChain((chain) => chain.mine({ blocks })),
    "InvalidControl"
  ),
  "sandbox/ControlInput.Deploy.decimals": refusal(
    [...wrongNumbers, 256],
    (decimals) => onChain((chain) => chain.deploy({ kind: "ft", from: "alice", name: "A", symbol: "A", decimals })),
    "InvalidControl"
  ),
  "sandbox/ControlInput.carrier.feeRatio": refusal(
    [...wrongCounts, 100],
    (feeRatio) =>
      onChain((chain) => chain.transfer({ from: "alice", to: "bob", amount: 1n, feePayer: "carol", feeRatio })),
    "InvalidControl"
  ),
  "sandbox/Fault.Answer.code": refusal(
    [1.5, Number.NaN, Number.POSITIVE_INFINITY],
    (code) => sandbox(({ control }) => control.addFault({ action: { kind: "answer", status: 500, code } })),
    "InvalidControl"
  ),
  "sandbox/Fault.Drop.milliseconds": refusal(
    [...wrongNumbers, 600_001],
    (milliseconds) =>
      sandbox(({ control }) => control.addFault({ action: { kind: "drop", when: "after", milliseconds } })),
    "InvalidControl"
  ),
  "sandbox/Fault.Fault.times": refusal(
    wrongCounts,
    (times) => sandbox(({ control }) => control.addFault({ times, action: { kind: "answer", status: 500 } })),
    "InvalidControl"
  ),
  "sandbox/Generator.GeneratorOptions.accounts": refusal(
    [...wrongCounts, 1, 5001],
    (accounts) => generated({ accounts }),
    "InvalidRequest"
  ),
  "sandbox/Generator.GeneratorOptions.busyShare": refusal(
    [-0.1, 1.1, Number.NaN, Number.POSITIVE_INFINITY],
    (busyShare) => generated({ busyShare }),
    "InvalidRequest"
  ),
  "sandbox/Generator.GeneratorOptions.transfers": refusal(
    [...wrongCounts, 302],
    (transfers) => generated({ transfers }),
    "InvalidRequest"
  ),
  "sandbox/Sandbox.Options.port": refusal(
    [...wrongNumbers, 65_536],
    (port) => Effect.scoped(Sandbox.make({ port })),
    "SandboxError"
  ),
  "sandbox/TokenContract.TokenSpec.decimals": refusal(
    [...wrongNumbers, 256],
    (decimals) =>
      sandbox(({ chains }) =>
        TokenContract.deploy(chains.chain(1001), chains.account("alice"), {
          kind: "ft",
          name: "A",
          symbol: "A",
          decimals
        })
      ),
    "InvalidRequest"
  ),
  "local-chain/SendRequest.SendRequest.feeRatio": refusal([...wrongCounts, 100], (feeRatio) =>
    sandbox(({ chains }) => {
      const [from, feePayer] = [chains.account("alice"), chains.account("bob")]
      return chains.chain(1001).execute({ kind: "transfer", from, to: from.address, value: 1n, feePayer, feeRatio })
    }), "InvalidRequest"),
  "store/Database.PostgresOptions.idleTimeout": refusal(
    [...endlessTimes, "999 millis", "61 minutes"],
    (idleTimeout) => postgres({ idleTimeout }),
    "DatabaseError"
  ),
  "store/Database.PostgresOptions.maxConnections": refusal(
    [...wrongCounts, 3],
    (maxConnections) => postgres({ maxConnections }),
    "DatabaseError"
  ),
  "store/Database.PostgresOptions.statementTimeout": refusal(
    [...endlessTimes, "999 millis", "61 minutes"],
    (statementTimeout) => postgres({ statementTimeout }),
    "DatabaseError"
  ),
  "tokens/Lookup.Options.concurrency": refusal(
    wrongCounts,
    (concurrency) => Stream.runDrain(Lookup.getNftsById({ contract: address, tokenIds: [1n], concurrency }))
  ),
  "tokens/OwnerSnapshot.MtOptions.concurrency": refusal(wrongCounts, (concurrency) => snapshot({ concurrency })),
  "tokens/OwnerSnapshot.Options.readings": refusal(wrongCounts, (readings) => snapshot({ readings })),
  "tokens/OwnerSnapshot.Options.size": refusal(wrongNumbers, (size) => snapshot({ size })),
  "tokens/OwnerSnapshot.Options.slack": refusal([...endlessTimes, "25 hours"], (slack) => snapshot({ slack })),
  "exports/Workers.submit.attempt": refusal(
    wrongNumbers,
    (attempt) =>
      Effect.flatMap(plan, (plan) => Workers.submit({ plan, attempt })).pipe(Effect.provide(Engine.layerMemory))
  ),
  "wallet/HostedSigner.account.feeRatio": refusal(
    [...wrongCounts, 100],
    (feeRatio) => HostedSigner.make({ address, payer: FeeDelegation.service, feeRatio })
  ),
  "wallet/TransactionRequest.kinds.nonce": refusal(
    wrongNumbers,
    (nonce) =>
      Effect.flatMap(
        Transactions.Transactions,
        (transactions) =>
          transactions.plan({ request: { _tag: "Cancel", from: address, nonce }, payer: FeeDelegation.service })
      )
  ),
  "wallet/internal/migration/migrationSteps.updateOptions.gasLimit": refusal(
    wrongCounts,
    (gasLimit) => Effect.flatMap(Migration.Migration, (migration) => migration.dryRun([], { gasLimit }))
  ),
  "wallet/TransactionLookup.confirm.pollInterval": refusal(
    [...endlessTimes, 0],
    (pollInterval) => confirmed({ within: 1, pollInterval })
  ),
  "wallet/TransactionLookup.confirm.within": refusal(wrongTimes, (within) => confirmed({ within })),
  "wallet/Transactions.contractCall.gas": refusal(
    wrongCounts,
    (gas) =>
      Effect.flatMap(
        Transactions.Transactions,
        (transactions) => transactions.callContract({ to: address, method: "x", arguments: [], gas })
      )
  ),
  "wallet/Wallet.registrationOptions.chunkSize": refusal(
    wrongCounts,
    (chunkSize) =>
      Effect.flatMap(Wallet.Wallet, (wallet) => Stream.runDrain(wallet.registerAccounts([], { chunkSize })))
  ),
  "wallet/internal/contract/fields.list.from": refusal(wrongNumbers, (from) => accounts({ from })),
  "wallet/internal/contract/fields.list.to": refusal(wrongNumbers, (to) => accounts({ to })),
  "wallet/internal/contract/fields.send.feeRatio": refusal([...wrongCounts, 100], (feeRatio) => send({ feeRatio })),
  "wallet/internal/contract/fields.send.gasLimit": refusal(wrongCounts, (gasLimit) => send({ gasLimit })),
  "wallet/internal/contract/fields.send.nonce": refusal(wrongNumbers, (nonce) => send({ nonce }))
}

/** Options that need more than a client here: the test that refuses bad values of them. */
const triedIn: Readonly<Record<string, string>> = {
  "custody/Keyring.rekey.patience": "packages/custody/test/Options.test.ts",
  "custody/MasterKey.fromCommand(timeout)": "packages/custody/test/Options.test.ts",
  "indexer/CatchUp.Options.depth": "packages/indexer/test/Options.test.ts",
  "indexer/PostgresBackfill.Options.pieceSize": "packages/indexer/test/Backfill.postgres.test.ts",
  "indexer/NodeSource.Options.concurrency": "packages/indexer/test/Options.test.ts",
  "indexer/NodeSource.Options.maxAhead": "packages/indexer/test/Options.test.ts",
  "indexer/NodeSource.Options.maxCount": "packages/indexer/test/Options.test.ts"
}

const failure = "what the service answered"
const record = "a record that was read"
const compared = "compared with a record: nothing is equal to a number that can't be"
const query = "a query of a server, whose requests are decoded"

/** Numbers that are no options, and why. */
const facts: Readonly<Record<string, string>> = {
  "core/ServiceError.answered.code": failure,
  "core/ServiceError.refusal.code": failure,
  "core/ServiceError.refusal.status": failure,
  "core/ServiceError.retryAfterMillis": failure,
  "core/ServiceError.status": failure,
  "core/Testing.after(duration)": "the wire of a test: the test ends as a defect",
  "custody/DeletionKeeper.Parts.every": "a part of a server, which has checked its options",
  "custody/DeletionKeeper.Parts.keep": "a part of a server, which has checked its options",
  "custody/RequestKeeper.Parts.age": "a part of a server, which has checked its options",
  "custody/RequestKeeper.Parts.every": "a part of a server, which has checked its options",
  "custody/RequestKeeper.Parts.piece": "a part of a server, which has checked its options",
  "custody/SendKeeper.Parts.every": "a part of a server, which has checked its options",
  "custody/SendStore.RequestStore.answer.status": record,
  "custody/SendStore.StoredSend.attempt": record,
  "custody/SendStore.StoredSend.payment": record,
  "custody/WalletChain.FeeLedger.list.before": query,
  "custody/WalletChain.FeeLedger.list.limit": query,
  "custody/WalletChain.PriceRules.factor": "a part of a server, which has checked its options",
  "custody/WalletChain.PriceRules.heldFactor": "a part of a server, which has checked its options",
  "custody/WalletRecord.PageRange.before": query,
  "core/UndiciHttpClient.DispatchOptions.bodyTimeout": "what the client gives undici",
  "core/UndiciHttpClient.DispatchOptions.headersTimeout": "what the client gives undici",
  "custody/WalletRecord.PageRange.from": query,
  "custody/WalletRecord.PageRange.to": query,
  "custody/internal/sends/delivering.Parts.patience": "a part of a server, which has checked its options",
  "custody/internal/sends/record.Parts.cancelAfter": "a part of a server, which has checked its options",
  "exports/Plan.columns": "a plan that was made and stored",
  "exports/Plan.Window.planned": "a plan that was made and stored",
  "exports/Plan.settled": "a plan that was made and stored",
  "exports/Sink.WindowState.until": "what was stored of a window",
  "history/Range.BlockRange.to": "a range that was made",
  "history/Range.problem.block": compared,
  "history/Range.problem.time": compared,
  "history/Transfer.ContractSummary.decimals": record,
  "history/Transfer.TransactionSummary.blockNumber": record,
  "history/Transfer.coin.blockNumber": record,
  "history/Transfer.coin.status": record,
  "history/Transfer.coin.transactionIndex": record,
  "indexer/TransactionRecord.PaidQuery.before": query,
  "indexer/ChangeSet.Options.prune": "a height of blocks that were prepared",
  "indexer/IndexReader.IndexReader.ownership.before": query,
  "indexer/IndexReader.IndexReader.ownership.limit": query,
  "indexer/IndexScope.IndexScope.firstSecond": "a scope that was made: its schema refuses others",
  "indexer/TransactionRecord.TransactionQuery.block": query,
  "indexer/TransferRecord.TransferQuery.before": query,
  "local-chain/Call.CallRequest.block": "a block that does not exist is refused as such",
  "local-chain/Call.BlockOverride.number": query,
  "local-chain/Call.BlockOverride.timestamp": query,
  "local-chain/LocalChain.LocalChain.traceBlock.first":
    "a place in a block: behind the last one there is nothing to trace",
  "local-chain/LocalChain.LocalChain.traceBlock.last": "a place in a block: there is no transaction after the last",
  "local-chain/Trace.TraceOptions.largest": "a bound: a trace that may take nothing is given up",
  "local-chain/Trace.TraceOptions.longest": "a bound: a trace that may take no time is given up",
  "local-chain/Trace.TraceOptions.steps": "a bound: a trace that may have none records none",
  "local-chain/LocalChain.LocalChainOptions.chainId": "a transaction of another chain is refused as such",
  "local-chain/LocalChain.LocalChainOptions.poolSize":
    "a bound: a pool that may hold nothing refuses everything as full",
  "node/TransactionSchemas.receiptFields.txError": record,
  "payouts/Batch.fromCsv.gasLimit": "the gas limit of each line, see Payouts.CommonInput",
  "payouts/PayoutState.Call.gas": record,
  "custody/WalletCaller.NamedCaller.revokedBefore": record,
  "payouts/PayoutState.PayoutEvent.beyond": record,
  "payouts/PayoutState.PayoutState.block": record,
  "sandbox/Chains.ChainsOptions.poolSize": "a bound: a pool that may hold nothing refuses everything as full",
  "sandbox/RequestRecord.RequestFilter.before": compared,
  "sandbox/RequestRecord.RequestFilter.limit": compared,
  "sandbox/RequestRecord.RequestFilter.status": compared,
  "transaction/Transaction.DecodeOptions.chainId": compared,
  "transaction/Transaction.RecoverOptions.chainId": compared,
  "transaction/TransactionBody.FeeRatio.feeRatio": "a body that was made: its fields refuse others",
  "wallet/SendRecord.SendRecord.startedAt": record
}

describe("an option that is a number or a duration", () => {
  // The types of all packages are read, in a process of its own: the test's must answer its runner meanwhile.
  it.live("is in the table of what is refused, wherever it is public", () =>
    Effect.gen(function*() {
      const { code, output } = yield* Effect.promise(() =>
        run(process.execPath, ["--import", "tsx", "scripts/options.ts"])
      )
      assert.strictEqual(code, 0, output)
      const known = [...Object.keys(refusals), ...Object.keys(triedIn), ...Object.keys(facts)]
      assert.deepStrictEqual(known.toSorted(), output.trim().split("\n"))
    }), 600_000)

  it.effect.each(Object.entries(refusals))(
    "%s is refused outside its range, and nothing is sent",
    ([name, { bad, tag, use }]) =>
      Effect.gen(function*() {
        for (const value of bad) {
          const wire = Testing.wire()
          // As `Refusal` says.
          const outcome = yield* Effect.flip(use(value as never)).pipe(Effect.provide(clients(wire)))
          assert.strictEqual(outcome._tag, tag, `${name}: ${String(value)}`)
          assert.strictEqual(wire.sent.length, 0)
        }
      })
  )

  it("is tried in the test that the table names", () => {
    for (const [option, file] of Object.entries(triedIn)) {
      const text = readFileSync(join(import.meta.dirname, "../..", file), "utf8")
      assert.include(text, option.slice(option.lastIndexOf(".") + 1))
      assert.include(text, "InvalidInput")
    }
  })
})
