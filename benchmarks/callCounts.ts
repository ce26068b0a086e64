/**
 * What one single call costs, counted and not timed: objects, fibers, steps of fibers and timers. Each thing is counted in runs
 * of its own, since counting one adds to the others.
 */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as RuntimeFlags from "effect/RuntimeFlags"
import * as Supervisor from "effect/Supervisor"
import { createHook } from "node:async_hooks"
import { Session } from "node:inspector/promises"
import { configOf } from "./config.js"
import { server } from "./guard/server.js"
import { columns } from "./guard/table.js"
import { peer } from "./Peer.js"
import * as Plain from "./Plain.js"
import { Server } from "./Server.js"
import { undici } from "./undici.js"

/** Calls that are counted together, after as many that are not. */
const calls = 100

/** Calls whose objects are counted, which takes long. */
const callsOfObjects = 20

const { accessKeyId, secretAccessKey, transactionHash, url } = server
const path = `/v2/transfer/tx/${transactionHash}`
/** Our client beside the platform's. */
class Undici extends Effect.Tag("Undici")<Undici, { readonly http: HttpClient.HttpClient }>() {}
const Ours = Layer.provide(Layer.effect(Undici, Effect.map(HttpClient.HttpClient, (http) => ({ http }))), undici)
const InUse = Layer.mergeAll(NodeHttpClient.layerUndici, Ours, Layer.succeed(Server, server))

/** One way to make the call. */
interface Way {
  readonly name: string
  readonly call: Effect.Effect<unknown, unknown, HttpClient.HttpClient | Server | Undici>
}

const clientOf = (changes: Partial<ClientConfig.ClientConfig["Type"]>) =>
  Effect.gen(function*() {
    const config = yield* configOf(server)
    return yield* Effect.provideService(TransferHistory.make(), ClientConfig.ClientConfig, { ...config, ...changes })
  })

const ways = Effect.gen(function*() {
  const http = yield* HttpClient.HttpClient
  const { get } = yield* peer
  const plain = yield* Plain.Plain
  const { http: onUndici } = yield* Undici
  const sdk = yield* clientOf({})
  const sdkOnUndici = yield* Effect.provideService(clientOf({}), HttpClient.HttpClient, onUndici)
  const unlimited = yield* clientOf({ deadline: Duration.infinity, attemptTimeout: Duration.infinity })
  const request = HttpClientRequest.get(`${url}${path}`).pipe(
    HttpClientRequest.basicAuth(accessKeyId, secretAccessKey),
    HttpClientRequest.setHeader("x-chain-id", "1001")
  )
  const all: ReadonlyArray<Way> = [
    { name: "fetch and JSON.parse", call: Effect.promise(() => get(path)) },
    { name: "platform's client", call: Effect.flatMap(http.execute(request), (response) => response.json) },
    {
      name: "platform's client, no tracing",
      call: Effect.flatMap(
        HttpClient.withTracerDisabledWhen(http, () => true).execute(request),
        (response) => response.json
      )
    },
    { name: "our client", call: Effect.flatMap(onUndici.execute(request), (response) => response.json) },
    { name: "platform and Schema", call: plain.transfersOf(transactionHash) },
    { name: "SDK on the platform's client", call: sdk.getTransfersByTxHash({ transactionHash }) },
    { name: "SDK on our client", call: sdkOnUndici.getTransfersByTxHash({ transactionHash }) },
    { name: "SDK, no time limits", call: unlimited.getTransfersByTxHash({ transactionHash }) }
  ]
  return all
})

/** Counts fibers that start, and steps of all fibers. */
class Counting extends Supervisor.AbstractSupervisor<void> {
  readonly value = Effect.void
  fibers = 0
  steps = 0
  override onStart<A, E, R>(
    _context: Context.Context<R>,
    _effect: Effect.Effect<A, E, R>,
    _parent: unknown,
    fiber: Fiber.RuntimeFiber<A, E>
  ): void {
    this.fibers++
    // A cast: the flags of a fiber are not public. A fiber that begins with the default ones would not tell its steps.
    const started = fiber as unknown as { currentRuntimeFlags: RuntimeFlags.RuntimeFlags }
    started.currentRuntimeFlags = RuntimeFlags.enable(started.currentRuntimeFlags, RuntimeFlags.OpSupervision)
  }
  override onEffect(): void {
    this.steps++
  }
}

const counting = new Counting()
const Supervised = Layer.merge(Supervisor.addSupervisor(counting), RuntimeFlags.enableOpSupervision)

const times = (count: number, { call }: Way) => Effect.repeatN(call, count - 1)

/** What Effect does for a call. The fiber and the steps of the loop itself are left out. */
const effects = (way: Way) =>
  Effect.gen(function*() {
    const loop = { name: "", call: Effect.void }
    yield* times(calls, way)
    const read = (one: Way) =>
      Effect.gen(function*() {
        const { fibers, steps } = counting
        yield* times(calls, one)
        return { fibers: counting.fibers - fibers, steps: counting.steps - steps }
      })
    const [of, empty] = [yield* read(way), yield* read(loop)]
    return { fibers: of.fibers / calls, steps: (of.steps - empty.steps) / calls }
  })

/** The asynchronous resources of Node that a call makes, by type. */
const resources = (way: Way) =>
  Effect.gen(function*() {
    yield* times(calls, way)
    const made = new Map<string, number>()
    const hook = createHook({ init: (_, type) => void made.set(type, (made.get(type) ?? 0) + 1) })
    hook.enable()
    yield* times(calls, way)
    hook.disable()
    const of = (type: string): number => (made.get(type) ?? 0) / calls
    return { timers: of("Timeout"), immediates: of("Immediate"), ticks: of("TickObject"), promises: of("PROMISE") }
  })

const session = new Session()
session.connect()

/** The objects that a call allocates, those included that are garbage at once, and their bytes. */
const objects = (way: Way) =>
  Effect.gen(function*() {
    yield* times(calls, way)
    yield* Effect.promise(() =>
      session.post("HeapProfiler.startSampling", {
        // One byte: every allocation is a sample.
        samplingInterval: 1,
        includeObjectsCollectedByMajorGC: true,
        includeObjectsCollectedByMinorGC: true
      })
    )
    yield* times(callsOfObjects, way)
    const { profile } = yield* Effect.promise(() => session.post("HeapProfiler.stopSampling"))
    // A cast: Node's types leave the samples out.
    const { samples } = profile as typeof profile & { readonly samples: ReadonlyArray<{ readonly size: number }> }
    const bytes = samples.reduce((sum, { size }) => sum + size, 0)
    return { objects: samples.length / callsOfObjects, kilobytes: bytes / callsOfObjects / 1000 }
  })

const plainly = ManagedRuntime.make(Layer.provideMerge(Plain.layer, InUse))
const supervised = ManagedRuntime.make(Layer.merge(Layer.provideMerge(Plain.layer, InUse), Supervised))

const head = ["", "fibers", "steps", "timers", "immediates", "ticks", "promises", "objects", "kB"]
const lines: Array<ReadonlyArray<string>> = [head]
for (const [i, way] of (await plainly.runPromise(ways)).entries()) {
  const ofEffect = await supervised.runPromise(
    Effect.flatMap(ways, (all) => effects(all[i] ?? way))
  )
  const ofNode = await plainly.runPromise(resources(way))
  const ofHeap = await plainly.runPromise(objects(way))
  const counts = [...Object.values(ofEffect), ...Object.values(ofNode), ofHeap.objects]
  lines.push([way.name, ...counts.map((count) => count.toFixed(count < 10 ? 1 : 0)), ofHeap.kilobytes.toFixed(1)])
}
process.stdout.write(`${columns(lines)}\n`)
await plainly.dispose()
await supervised.dispose()
