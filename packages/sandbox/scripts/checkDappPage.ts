/**
 * Opens a page of another local server in a real browser, with an EIP-1193 provider in `window.ethereum`, as wallets put it
 * there. The page reads, sends and watches through `/rpc/1001`, and watches over WebSocket; the same page of a foreign site can
 * do none of it.
 *
 *     npx tsx packages/sandbox/scripts/checkDappPage.ts
 *
 * It needs Chromium, see `chromium.ts`.
 */
import * as Effect from "effect/Effect"
import { build } from "esbuild"
import assert from "node:assert/strict"
import { createServer, type Server } from "node:http"
import { join } from "node:path"
import { type Browser, chromium, type Page } from "playwright-core"
import * as Sandbox from "../src/Sandbox.js"
import { executable } from "./chromium.js"

const executablePath = executable("check:dapp", { mayInstall: true })

const to = "0x8888888888888888888888888888888888888888"

const bundle = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "dappPage.ts")],
    bundle: true,
    format: "iife",
    target: "es2022",
    write: false,
    logLevel: "warning"
  })
  return outputFiles[0]?.text ?? assert.fail("no bundle")
}

/** Serves the page at any path, and returns the port. */
const serve = (script: string): Promise<{ readonly server: Server; readonly port: number }> =>
  new Promise((resolve) => {
    const server = createServer((request, response) => {
      const isScript = request.url === "/page.js"
      response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" })
      response.end(isScript ? script : "<!doctype html><title>dapp</title><script src=/page.js></script>")
    })
    server.listen(0, () => {
      const address = server.address()
      resolve({ server, port: typeof address === "object" && address !== null ? address.port : 0 })
    })
  })

/** What a wallet injects: a provider that calls the URL. It is text, because it runs in the page. */
const provider = (url: string): string => `
  let id = 0
  const listeners = []
  window.ethereum = {
    on: (name, listener) => listeners.push([name, listener]),
    removeListener: () => {},
    request: async ({ method, params = [] }) => {
      const response = await fetch(${JSON.stringify(url)}, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method: method === "eth_requestAccounts" ? "eth_accounts" : method, params })
      })
      const { error, result } = await response.json()
      if (error !== undefined) throw Object.assign(new Error(error.message), error)
      return result
    }
  }`

/** The height of the first block that a subscription reports while the page sends; or "refused". */
const subscribes = (page: Page, url: string): Promise<string> =>
  page.evaluate<string>(`new Promise((resolve) => {
    const socket = new WebSocket(${JSON.stringify(url.replace("http", "ws"))})
    socket.onerror = () => resolve("refused")
    socket.onopen = () => socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] }))
    socket.onmessage = ({ data }) => {
      const { id, params } = JSON.parse(data)
      if (id === 1) socket.send(JSON.stringify({ jsonrpc: "2.0", id: 2, method: "evm_mine", params: [] }))
      if (params !== undefined) { resolve(params.result.number); socket.close() }
    }
  })`)

const open = async (browser: Browser, origin: string, url: string): Promise<Page> => {
  const page = await browser.newPage()
  await page.addInitScript(provider(url))
  await page.goto(origin)
  return page
}

const check = Effect.gen(function*() {
  const { accounts, chains, control, rpcUrl } = yield* Sandbox.Sandbox
  const url = rpcUrl(1001) ?? assert.fail("no URL")
  const [sender] = accounts
  const chain = control.chain(1001)
  const { address: token } = yield* chain.deploy({
    kind: "ft",
    from: sender?.name ?? assert.fail("no account"),
    name: "Apple",
    symbol: "APL",
    decimals: 2
  })
  const input = JSON.stringify({ token, to })
  return yield* Effect.promise(async () => {
    const { port, server } = await serve(await bundle())
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] })
    try {
      const own = await open(browser, `http://localhost:${port}/`, url)
      assert.deepEqual(await own.evaluate(`run(${input})`), {
        chainId: 1001,
        account: sender?.address,
        symbol: "APL",
        paid: "5",
        mintedIsBalance: true,
        watched: ["7"],
        sawBlocks: true,
        signature: 132
      })
      const head = await subscribes(own, url)
      assert.match(head, /^0x[0-9a-f]+$/)

      const foreign = await open(browser, `http://foreign.localhost:${port}/`, url)
      const before = await Effect.runPromise(chains.chain(1001).head)
      await assert.rejects(foreign.evaluate(`run(${input})`), /Failed to fetch/)
      // As a form sends it, without asking first.
      await foreign.evaluate(`fetch(${JSON.stringify(url)}, {
        method: "POST",
        mode: "no-cors",
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "evm_mine", params: [] })
      })`)
      assert.equal(await subscribes(foreign, url), "refused")
      const after = await Effect.runPromise(chains.chain(1001).head)
      assert.equal(after.number, before.number)
      return { head: Number(head), foreign: "refused" }
    } finally {
      await browser.close()
      server.close()
    }
  })
}).pipe(Effect.provide(Sandbox.layer({ seed: "dapp", clock: { start: 1_700_000_000, step: 1 } })))

console.log(JSON.stringify(await Effect.runPromise(check)))
