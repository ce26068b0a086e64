/** The code of the guide for dapp tools, as it stands there, but for the address. */
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, it } from "vitest"
import { open, type World } from "./world.js"

const run = promisify(execFile)
const here = join(import.meta.dirname, "..")
const guide = readFileSync(join(here, "../docs/guides/dapp-tools.md"), "utf8")

let world: World
let folder: string

beforeAll(async () => {
  world = await open()
  folder = mkdtempSync(join(tmpdir(), "guide-"))
  symlinkSync(join(here, "node_modules"), join(folder, "node_modules"))
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await world.close()
})

/** The blocks of a section in a language, with the address of this sandbox. */
const blocksOf = (title: string, language: "js" | "ts"): ReadonlyArray<string> => {
  const section = guide.split(/^## /m).find((one) => one.startsWith(`${title}\n`)) ?? assert.fail(title)
  const address = new URL(world.url).host
  return [...section.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))]
    .map(([, code = ""]) => code.replaceAll("127.0.0.1:8217", address))
}

const blockOf = (title: string, at = 0): string =>
  blocksOf(title, "js")[at] ?? assert.fail(`${title} has no block ${at}`)

/** Runs a block as a module, with more after it, and returns what it printed. */
const execute = async (name: string, code: string, more: string): Promise<string> => {
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, `${code}\n${more}\n`)
  return (await run(process.execPath, [file], { timeout: 30_000 })).stdout
}

it("viem over WebSocket watches blocks", async () => {
  const printed = await execute(
    "viem",
    blockOf("viem"),
    `const mine = () => client.request({ method: "evm_mine", params: [] })
     for (let i = 0; i < 20; i++) { await mine(); await new Promise((done) => setTimeout(done, 20)) }
     process.exit(0)`
  )
  assert.match(printed, /^\d+n\n/)
})

it("wagmi's configuration reads the chain", async () => {
  const printed = await execute(
    "wagmi",
    blockOf("wagmi"),
    `import { getBalance, getBlockNumber } from "@wagmi/core"
     const [height, { value }] = await Promise.all([
       getBlockNumber(config),
       getBalance(config, { address: ${JSON.stringify(world.accounts[0]?.address)} })
     ])
     console.log(height >= 0n && value > 0n)
     process.exit(0)`
  )
  assert.strictEqual(printed, "true\n")
})

it("ethers has a signer of the sandbox", async () => {
  const printed = await execute(
    "ethers",
    blockOf("ethers"),
    `const sent = await signer.sendTransaction({ to: "0x8888888888888888888888888888888888888888", value: 5n })
     console.log((await sent.wait()).status)
     process.exit(0)`
  )
  assert.strictEqual(printed, "1\n")
})

it("Hardhat runs the test of the guide on the network of the guide", async () => {
  writeFileSync(join(folder, "package.json"), "{ \"name\": \"guide\", \"private\": true }\n")
  writeFileSync(join(folder, "hardhat.config.js"), blockOf("Hardhat 2"))
  // What the guide's test is about: an auction that may be closed a day after it was made.
  const auction = `
    const deployAuction = async () => {
      const ends = await time.latest() + 24 * 3600
      return {
        close: async () => {
          if (await time.latest() < ends) throw new Error("too early")
          await require("node:fs").promises.writeFile(${JSON.stringify(join(folder, "closed"))}, "yes")
        }
      }
    }`
  const [imports = "", ...test] = blockOf("Hardhat 2", 1).split("\n\n")
  writeFileSync(join(folder, "auction.js"), `${imports}\n${auction}\n${test.join("\n\n")}`)
  const env = {
    ...process.env,
    HARDHAT_CONFIG: join(folder, "hardhat.config.js"),
    HARDHAT_DISABLE_TELEMETRY_PROMPT: "true"
  }
  const program = `const { it: test } = { it: async (name, check) => { await check(); console.log("passed: " + name) } }
    globalThis.it = test
    require(${JSON.stringify(join(folder, "auction.js"))})`
  writeFileSync(join(folder, "run.js"), program)
  const { stdout } = await run(
    process.execPath,
    [
      join(here, "node_modules/hardhat/internal/cli/bootstrap.js"),
      "run",
      "--no-compile",
      "--network",
      "sandbox",
      "run.js"
    ],
    { cwd: folder, env, timeout: 50_000 }
  )
  assert.include(stdout, "passed: ends after a day")
  assert.strictEqual(readFileSync(join(folder, "closed"), "utf8"), "yes")
})

it("viem's test of the guide passes", async () => {
  const [code = ""] = blocksOf("viem", "ts")
  // Its runner is Effect's in the guide, and its assertions are the same.
  const file = join(folder, "shop.test.ts")
  writeFileSync(file, code.replace("@effect/vitest", "vitest"))
  const env = { ...process.env, SANDBOX_URL: new URL(world.url).origin }
  const vitest = join(here, "node_modules/vitest/vitest.mjs")
  const { stdout } = await run(process.execPath, [vitest, "run", "--root", folder], { env, timeout: 50_000 })
  assert.match(stdout, /1 passed/)
})
