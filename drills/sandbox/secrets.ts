/**
 * The drill of secrets: odd credentials and private keys in every failure of every operation of every package, including
 * look-ups and migration. The other end repeats the credential in many forms wherever an answer has room for it; every
 * failure is printed in every way that a program could, under Effect's loggers and an OpenTelemetry exporter. Prints each
 * hit, then one line of JSON, and exits with 1 if there was a hit, if a call died, or if a deliberate leak was missed.
 *
 * Then the sandbox's JSON-RPC without a credential, `/rpc`: see `devRpcRuns.ts`; and a gateway with a wallet, in every trouble, with
 * all that it leaves behind: see `../gateway/secretRuns.ts`. That part prints a table of finds by place. Heap and memory are in the
 * table, and don't count: a process has the secrets that it works with.
 *
 *     npx tsx drills/sandbox/secrets.ts [--pairs 21] [--seed text] [--seconds 600] [--short]
 */
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { gatewaySecrets, isInside } from "../gateway/secretRuns.js"
import { devRpcRuns } from "./devRpcRuns.js"
import { secretRuns } from "./secretRuns.js"

const { values } = parseArgs({
  options: {
    pairs: { type: "string", default: "21" },
    seed: { type: "string", default: String(Date.now()) },
    seconds: { type: "string", default: "600" },
    short: { type: "boolean", default: false }
  }
})

const begin = performance.now()
const isTerminal = process.stderr.isTTY
const { counts, leaks } = await Effect.runPromise(secretRuns({
  pairs: values.short ? 4 : Number(values.pairs),
  seed: values.seed,
  within: values.short ? 12_000 : Number(values.seconds) * 1000,
  onProgress: (done, of) => {
    if (isTerminal) process.stderr.write(`\r${done.toFixed(2)} of ${of} credentials`)
  }
}))
if (isTerminal) process.stderr.write("\n")
const devRpc = await Effect.runPromise(devRpcRuns)
const gateway = await Effect.runPromise(gatewaySecrets({ seed: values.seed, isShort: values.short }))
for (const { bytes, finds, forms, place, secrets } of gateway.table) {
  const what = Object.entries(secrets).map(([name, count]) => `${name} ${count}`).join(", ")
  process.stdout.write(
    `${place.padEnd(48)} ${String(bytes).padStart(12)} bytes ${String(finds).padStart(5)} finds  ${what}\n`
  )
  if (!isInside(place)) { for (const form of forms) process.stdout.write(`  ${form}\n`) }
}
for (const leak of [...leaks, ...devRpc.leaks].slice(0, 200)) process.stdout.write(`${JSON.stringify(leak)}\n`)
const seconds = Math.round((performance.now() - begin) / 1000)
process.stdout.write(
  `${
    JSON.stringify({
      drill: "secrets",
      seed: values.seed,
      ...counts,
      devRpc: devRpc.counts,
      gateway: gateway.counts,
      seconds
    })
  }\n`
)
const { canaries, defects, failures, hits } = counts
process.exitCode = devRpc.isKept && gateway.isKept && hits === 0 && defects === 0 && failures > 0 && canaries.let > 0 &&
    canaries.found === canaries.let
  ? 0
  : 1
