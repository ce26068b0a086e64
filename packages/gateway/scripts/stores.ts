/**
 * Makes a small index as the gateway of a version makes it, and the sandbox that was its node:
 *
 *     npx tsx packages/gateway/scripts/stores.ts 73b558d3
 *
 * The clone must have that commit. The index stops in the middle of the chain, as one does that an upgrade interrupts.
 */
import * as Generator from "@effect-klaytn/sandbox/Generator"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort, pause, Place } from "../../../drills/gateway/processes.js"
import { bundleOlder } from "../../../scripts/bundleProgram.js"
import * as packed from "./packed.js"

const storesDir = new URL("../test/stores/", import.meta.url).pathname
/** The gateway is killed, so its last writes are in the log beside its file. */
const names = ["node.sqlite", "index.sqlite", "index.sqlite-wal"] as const

/** The options of the sandbox that is the node. */
export const sandboxOptions = (database: string) => ({
  seed: "old index",
  clock: { start: 1_700_000_000, step: 1 },
  database,
  walletKey: Redacted.make("old index")
})

/** Puts the stores of a version into a folder, and gives their paths. */
export const unpack = (version: string, dir: string) => {
  packed.unpack(names, join(storesDir, version), dir)
  return { node: join(dir, names[0]), index: join(dir, names[1]) }
}

const headOf = async (url: string): Promise<number | undefined> => {
  const status = await fetch(`${url}/status`).then((one) => one.json()) as { index: { head?: { number: number } } }
  return status.index.head?.number
}

const make = async (version: string): Promise<void> => {
  const dir = mkdtempSync(join(tmpdir(), "old-index-"))
  const [nodeFile, index] = [join(dir, names[0]), join(dir, names[1])]
  const grow = (seed: string) =>
    Effect.flatMap(
      Sandbox.Sandbox,
      ({ chains }) => Generator.generate(chains.chain(1001), { seed, transfers: 60, accounts: 6 })
    )
  const older = await bundleOlder(version, "gateway", "../../drills/gateway/gatewayProgram.ts")
  const port = await freePort()
  await Effect.gen(function*() {
    const { chains, url } = yield* Sandbox.Sandbox
    yield* grow("before")
    const { number } = yield* chains.chain(1001).head
    const gateway = new Place(older, { database: index, port, node: `${url}/rpc/1001` })
    yield* Effect.promise(async () => {
      await gateway.start()
      while (await headOf(`http://127.0.0.1:${port}`) !== number) await pause(50)
      gateway.kill()
    })
    yield* grow("after")
  }).pipe(Effect.provide(Sandbox.layer(sandboxOptions(nodeFile))), Effect.runPromise)
  packed.pack(names, dir, join(storesDir, version))
  rmSync(dir, { recursive: true })
}

await packed.run(import.meta.url, make)
