/**
 * From starting the bundled command to its first answered request, as one JSON line: `tsx bench/startup.ts [runs]`.
 *
 * `nodeMs` is how long Node itself takes to start and end here, the floor under every figure; `cpuMs` is the processor
 * time of the command up to that answer (Linux only), which other programs on the machine don't change.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { cpus, loadavg } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"

const dir = join(import.meta.dirname, "..")
const runs = Number(process.argv[2] ?? 9)

interface Ready {
  readonly url: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly accounts: ReadonlyArray<{ readonly address: string }>
}

/** User and system time of a running process; clock ticks are hundredths of a second. */
const cpuOf = (pid: number | undefined): number | undefined => {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return undefined
  const fields = readFileSync(file, "utf8").replace(/^.*\) /, "").split(" ")
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const measure = async (): Promise<
  { readonly ready: number; readonly answered: number; readonly cpu: number | undefined }
> => {
  const since = performance.now()
  const child = spawn(process.execPath, [join(dir, "dist/bin.mjs"), "--port", "0", "--json"], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const [line] = await once(createInterface(child.stdout), "line")
  const ready = performance.now() - since
  const { accessKeyId, accounts, secretAccessKey, url }: Ready = JSON.parse(line)
  const response = await fetch(`${url}/v2/transfer/account/${accounts[0]?.address}`, {
    headers: {
      authorization: `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`,
      "x-chain-id": "1001"
    }
  })
  const body: { readonly items?: unknown } = JSON.parse(await response.text())
  const answered = performance.now() - since
  const cpu = cpuOf(child.pid)
  child.kill("SIGTERM")
  const [code] = await once(child, "exit")
  if (response.status !== 200 || !Array.isArray(body.items) || code !== 0) {
    throw new Error(`status ${response.status}, exit code ${code}`)
  }
  return { ready, answered, cpu }
}

const median = (values: ReadonlyArray<number>): number =>
  Math.round([...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN)

// Bundles first if the sources changed, and warms the disk cache.
spawnSync(process.execPath, [join(dir, "scripts/sandbox.mjs"), "--version"], { stdio: "ignore" })

const bare: Array<number> = []
for (let run = 0; run < 5; run++) {
  const since = performance.now()
  spawnSync(process.execPath, ["-e", "0"])
  bare.push(performance.now() - since)
}

const results: Array<Awaited<ReturnType<typeof measure>>> = []
for (let run = 0; run < runs; run++) results.push(await measure())

process.stdout.write(`${
  JSON.stringify({
    benchmark: "startup",
    runs,
    answeredMs: median(results.map((one) => one.answered)),
    fastestMs: Math.round(Math.min(...results.map((one) => one.answered))),
    readyMs: median(results.map((one) => one.ready)),
    cpuMs: median(results.flatMap((one) => one.cpu ?? [])),
    nodeMs: median(bare),
    node: process.version,
    cpu: cpus()[0]?.model,
    load: Number(loadavg()[0]?.toFixed(1))
  })
}\n`)
