/** The metrics of one gateway, in the text format of Prometheus. */
import * as Amount from "@effect-klaytn/core/Amount"
import type { ServiceClient } from "@effect-klaytn/core/ServiceClient"
import type { ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricLabel from "effect/MetricLabel"
import type { GatewayStatus, WalletHealth } from "../GatewayStatus.js"
import { contentType, textOf } from "./prometheus.js"

/** Upper bounds of the time of a request, in seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** In the metrics of one gateway, so that another one in the same process has its own. It is not written out. */
const own = "gateway"

let gateways = 0

type Update = (value: number, ...labels: ReadonlyArray<string>) => void

/** Makes metrics with names of labels, whose values come with each update. */
const maker = (id: string) => {
  const updating = <Type, Out>(
    metric: Metric.Metric<Type, number, Out>,
    names: ReadonlyArray<string>
  ): Update => {
    const known = new Map<string, Metric.Metric<Type, number, Out>>()
    return (value, ...labels) => {
      const key = labels.join(" ")
      const found = known.get(key) ?? Metric.taggedWithLabels(metric, [
        ...names.map((name, place) => MetricLabel.make(name, labels[place] ?? "")),
        MetricLabel.make(own, id)
      ])
      known.set(key, found)
      found.unsafeUpdate(value, [])
    }
  }
  return {
    counter: (name: string, description: string, ...labels: ReadonlyArray<string>) =>
      updating(Metric.counter(`klaytn_gateway_${name}`, { description, incremental: true }), labels),
    gauge: (name: string, description: string, ...labels: ReadonlyArray<string>) =>
      updating(Metric.gauge(`klaytn_gateway_${name}`, { description }), labels),
    histogram: (name: string, description: string, ...labels: ReadonlyArray<string>) =>
      updating(
        Metric.histogram(`klaytn_gateway_${name}`, MetricBoundaries.fromIterable(buckets), description),
        labels
      )
  }
}

/** Most sends are in a block before: accounts with older ones are shown by name. */
const oldSeconds = 30

/** Of a gateway with a wallet. */
const makeWalletMetrics = (id: string) => {
  const { gauge } = maker(id)
  return {
    frozen: gauge("wallet_frozen", "1 if the wallet is frozen and signs nothing, 0 if not"),
    sends: gauge("wallet_sends_under_way", "Sends of which no block has decided yet"),
    oldest: gauge(
      "wallet_oldest_send_seconds",
      "Seconds since the oldest send of which no block has decided was signed: of all (without an account), and of each " +
        "account whose oldest is older than 30 seconds",
      "account"
    ),
    feePayers: gauge("wallet_fee_payers", "Fee payers, by pool (without a pool: the global one)", "pool"),
    low: gauge("wallet_fee_payers_low", "Fee payers that have little coin left, by pool", "pool"),
    lowest: gauge("wallet_fee_payer_lowest_klay", "The smallest balance of the fee payers in KLAY, by pool", "pool")
  }
}

const makeMetrics = (id: string) => {
  const { counter, gauge, histogram } = maker(id)
  const made = {
    ready: gauge("ready", "1 if the index is as new as the node, 0 if not"),
    leader: gauge("leader", "1 if this process follows the node, 0 if not"),
    nodeHead: gauge("node_head_block", "Height of the node when it answered last"),
    indexHead: gauge("index_head_block", "Height of the newest block of the index"),
    lagBlocks: gauge("lag_blocks", "Blocks that the index is behind the node"),
    lagSeconds: gauge("lag_seconds", "Seconds between the newest block of the index and now"),
    pieces: gauge("backfill_pieces", "Pieces of the first load, of all processes"),
    piecesLoaded: gauge("backfill_pieces_loaded", "Pieces of the first load that are loaded"),
    blocksFolded: gauge("backfill_blocks_folded", "Blocks of the first load whose tokens and owners are in the index"),
    connections: gauge("connections", "Connections to this process that are open"),
    blocks: counter("blocks_indexed_total", "Blocks that were added to the index"),
    transfers: counter("transfers_indexed_total", "Transfers that were added to the index"),
    reorgs: counter("reorgs_total", "Times that blocks were reverted"),
    revertedBlocks: counter("blocks_reverted_total", "Blocks that were reverted"),
    leases: counter("leases_total", "Times that this process began to follow the node"),
    followFailures: counter("follow_failures_total", "Failures to follow the node, by error", "error"),
    nodeRequests: counter(
      "node_requests_total",
      "Requests to the node, by purpose (index, caller) and outcome (success, or the error)",
      "purpose",
      "outcome"
    ),
    calls: counter(
      "node_calls_total",
      "Calls of callers to methods of the node, by outcome (passed, refused)",
      "outcome"
    ),
    requests: histogram(
      "request_duration_seconds",
      "Time until a request was answered, by operation and HTTP status",
      "operation",
      "status"
    )
  }
  // What has not happened yet is shown, too.
  for (const update of [made.blocks, made.transfers, made.reorgs, made.revertedBlocks, made.leases]) update(0)
  return made
}

/** Which requests to the node are counted together. */
export type Purpose = "index" | "caller"

/** What one gateway counts. The metrics of core's clients, of all of the process, are written out with them. */
export class GatewayMetrics {
  readonly #id = String(++gateways)
  readonly #metrics = makeMetrics(this.#id)
  #wallet: ReturnType<typeof makeWalletMetrics> | undefined
  /** The accounts that were shown with an old send. */
  readonly #old = new Set<string>()

  readonly contentType = contentType

  indexed(transfers: number): void {
    this.loaded(1, transfers)
  }

  loaded(blocks: number, transfers: number): void {
    this.#metrics.blocks(blocks)
    this.#metrics.transfers(transfers)
  }

  leads(isHeld: boolean): void {
    this.#metrics.leader(isHeld ? 1 : 0)
    if (isHeld) this.#metrics.leases(1)
  }

  connected(open: number): void {
    this.#metrics.connections(open)
  }

  reverted(blocks: number): void {
    this.#metrics.reorgs(1)
    this.#metrics.revertedBlocks(blocks)
  }

  followFailed(error: string): void {
    this.#metrics.followFailures(1, error)
  }

  called(outcome: "passed" | "refused", calls: number): void {
    if (calls > 0) this.#metrics.calls(calls, outcome)
  }

  answered(operation: string, status: number, seconds: number): void {
    this.#metrics.requests(seconds, operation, String(status))
  }

  /** A client of the node whose requests are counted. */
  counted(purpose: Purpose, client: ServiceClient): ServiceClient {
    const count = (outcome: string) => Effect.sync(() => this.#metrics.nodeRequests(1, purpose, outcome))
    return {
      ...client,
      exchange: (exchange) =>
        Effect.tapBoth(client.exchange(exchange), {
          onFailure: ({ _tag }: ServiceError) => count(_tag),
          onSuccess: () => count("success")
        })
    }
  }

  /** An account that has no old send any more has 0 seconds. */
  #setOldest(update: Update, oldestSends: WalletHealth["oldestSends"]): void {
    const old = new Map(
      oldestSends.filter(({ seconds }) => seconds > oldSeconds).map((one) => [one.account, one.seconds])
    )
    for (const account of this.#old) if (!old.has(account)) update(0, account)
    for (const [account, seconds] of old) {
      update(seconds, account)
      this.#old.add(account)
    }
    update(oldestSends[0]?.seconds ?? 0, "")
  }

  #setWallet({ feePayers, frozen, oldestSends, sendsUnderWay }: WalletHealth): void {
    const metrics = this.#wallet ??= makeWalletMetrics(this.#id)
    metrics.frozen(frozen === undefined ? 0 : 1)
    metrics.sends(sendsUnderWay)
    this.#setOldest(metrics.oldest, oldestSends)
    for (const { count, low, lowest, pool = "" } of feePayers) {
      metrics.feePayers(count, pool)
      metrics.low(low, pool)
      metrics.lowest(Number(Amount.toKlay(lowest)), pool)
    }
  }

  /** All metrics as text. */
  text({ backfill, index, isReady, lag, node, wallet }: GatewayStatus): string {
    const { blocksFolded, indexHead, lagBlocks, lagSeconds, nodeHead, pieces, piecesLoaded, ready } = this.#metrics
    const set = (gauge: Update, value: number | undefined) => gauge(value ?? Number.NaN)
    set(ready, isReady ? 1 : 0)
    set(nodeHead, node.head)
    set(indexHead, index.head?.number)
    set(lagBlocks, lag?.blocks)
    set(lagSeconds, lag?.seconds)
    set(pieces, backfill?.pieces ?? 0)
    set(piecesLoaded, backfill?.piecesLoaded ?? 0)
    set(blocksFolded, backfill?.blocksFolded ?? 0)
    if (wallet !== undefined) this.#setWallet(wallet)
    const shown = Metric.unsafeSnapshot().filter(({ metricKey: { tags } }) =>
      tags.every(({ key, value }) => key !== own || value === this.#id)
    )
    return textOf(shown, [own])
  }
}
