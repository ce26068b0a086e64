/** The metrics of one gateway, in the text format of Prometheus. */
import type { ServiceClient } from "@effect-klaytn/core/ServiceClient"
import type { ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Effect from "effect/Effect"
import { Counter, Gauge, Histogram, Registry } from "prom-client"
import type { GatewayStatus } from "../GatewayStatus.js"

/** Upper bounds of the time of a request, in seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

const makeGauges = (registers: Array<Registry>) => {
  const gauge = (name: string, help: string) => new Gauge({ name: `klaytn_gateway_${name}`, help, registers })
  return {
    ready: gauge("ready", "1 if the index is as new as the node, 0 if not"),
    nodeHead: gauge("node_head_block", "Height of the node when it answered last"),
    indexHead: gauge("index_head_block", "Height of the newest block of the index"),
    lagBlocks: gauge("lag_blocks", "Blocks that the index is behind the node"),
    leader: gauge("leader", "1 if this process follows the node, 0 if not"),
    pieces: gauge("backfill_pieces", "Pieces of the first load, of all processes"),
    piecesLoaded: gauge("backfill_pieces_loaded", "Pieces of the first load that are loaded"),
    blocksFolded: gauge("backfill_blocks_folded", "Blocks of the first load whose tokens and owners are in the index"),
    lagSeconds: gauge("lag_seconds", "Seconds between the newest block of the index and now")
  }
}

const makeCounters = (registers: Array<Registry>) => {
  const counter = <const L extends string = never>(name: string, help: string, ...labelNames: ReadonlyArray<L>) =>
    new Counter({ name: `klaytn_gateway_${name}`, help, labelNames: [...labelNames], registers })
  return {
    blocks: counter("blocks_indexed_total", "Blocks that were added to the index"),
    transfers: counter("transfers_indexed_total", "Transfers that were added to the index"),
    leases: counter("leases_total", "Times that this process began to follow the node"),
    reorgs: counter("reorgs_total", "Times that blocks were reverted"),
    revertedBlocks: counter("blocks_reverted_total", "Blocks that were reverted"),
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
    )
  }
}

/** Which requests to the node are counted together. */
export type Purpose = "index" | "caller"

export class GatewayMetrics {
  readonly #registry = new Registry()
  readonly #gauges = makeGauges([this.#registry])
  readonly #counters = makeCounters([this.#registry])
  readonly #requests = new Histogram({
    name: "klaytn_gateway_request_duration_seconds",
    help: "Time until a request was answered, by operation and HTTP status",
    labelNames: ["operation", "status"],
    buckets,
    registers: [this.#registry]
  })

  readonly contentType = this.#registry.contentType

  indexed(transfers: number): void {
    this.#counters.blocks.inc()
    this.#counters.transfers.inc(transfers)
  }

  loaded(blocks: number, transfers: number): void {
    this.#counters.blocks.inc(blocks)
    this.#counters.transfers.inc(transfers)
  }

  leads(isHeld: boolean): void {
    this.#gauges.leader.set(isHeld ? 1 : 0)
    if (isHeld) this.#counters.leases.inc()
  }

  reverted(blocks: number): void {
    this.#counters.reorgs.inc()
    this.#counters.revertedBlocks.inc(blocks)
  }

  followFailed(error: string): void {
    this.#counters.followFailures.inc({ error })
  }

  called(outcome: "passed" | "refused", calls: number): void {
    if (calls > 0) this.#counters.calls.inc({ outcome }, calls)
  }

  answered(operation: string, status: number, seconds: number): void {
    this.#requests.observe({ operation, status }, seconds)
  }

  /** A client of the node whose requests are counted. */
  counted(purpose: Purpose, client: ServiceClient): ServiceClient {
    const count = (outcome: string) => Effect.sync(() => this.#counters.nodeRequests.inc({ purpose, outcome }))
    return {
      ...client,
      exchange: (exchange) =>
        Effect.tapBoth(client.exchange(exchange), {
          onFailure: ({ _tag }: ServiceError) => count(_tag),
          onSuccess: () => count("success")
        })
    }
  }

  /** All metrics as text. */
  text({ backfill, index, isReady, lag, node }: GatewayStatus): Effect.Effect<string> {
    return Effect.promise(() => {
      const { blocksFolded, indexHead, lagBlocks, lagSeconds, nodeHead, pieces, piecesLoaded, ready } = this.#gauges
      const set = (gauge: Gauge, value: number | undefined) => gauge.set(value ?? Number.NaN)
      set(ready, isReady ? 1 : 0)
      set(nodeHead, node.head)
      set(indexHead, index.head?.number)
      set(lagBlocks, lag?.blocks)
      set(lagSeconds, lag?.seconds)
      set(pieces, backfill?.pieces ?? 0)
      set(piecesLoaded, backfill?.piecesLoaded ?? 0)
      set(blocksFolded, backfill?.blocksFolded ?? 0)
      return this.#registry.metrics()
    })
  }
}
