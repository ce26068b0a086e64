/** anvil beside a sandbox, and what both are asked. */
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { open } from "./world.js"

/** An address without a key that both may send from. */
export const sender = "0x5e4de45e4de45e4de45e4de45e4de45e4de45e4d"

const gas = "0x1e8480"

interface Reply {
  readonly result?: unknown
  readonly error?: { readonly message: string; readonly data?: unknown }
}

const ask = async (url: string, method: string, params: ReadonlyArray<unknown>): Promise<Reply> => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  })
  return response.json() as Promise<Reply>
}

export const result = async (url: string, method: string, ...params: ReadonlyArray<unknown>): Promise<unknown> => {
  const reply = await ask(url, method, params)
  if (reply.error !== undefined) throw new Error(`${method}: ${reply.error.message}`)
  return reply.result
}

interface Receipt {
  readonly status: string
  readonly gasUsed: string
  readonly contractAddress: string | null
  readonly logs: ReadonlyArray<
    { readonly address: string; readonly topics: ReadonlyArray<string>; readonly data: string }
  >
}

/** The receipt of a transaction. anvil answers a send before the block is there. */
const receiptOf = async (url: string, hash: unknown, tries = 500): Promise<Receipt> => {
  const receipt = await result(url, "eth_getTransactionReceipt", hash) as Receipt | null
  if (receipt !== null) return receipt
  if (tries === 0) throw new Error(`${url} has no receipt of ${String(hash)}`)
  await new Promise((resolve) => setTimeout(resolve, 10))
  return receiptOf(url, hash, tries - 1)
}

/** What a transaction came to. */
export const send = async (url: string, transaction: object) => {
  const hash = await result(url, "eth_sendTransaction", { from: sender, gas, gasPrice: "0x5d21dba00", ...transaction })
  const receipt = await receiptOf(url, hash)
  return {
    status: receipt.status,
    gasUsed: receipt.gasUsed,
    // A creation that failed has no contract; anvil names the address all the same.
    contractAddress: receipt.status === "0x1" ? receipt.contractAddress?.toLowerCase() ?? null : null,
    logs: receipt.logs.map(({ address, data, topics }) => ({ address: address.toLowerCase(), topics, data }))
  }
}

/** What a call answers: its data, or that it failed and with which data. */
export const call = async (url: string, transaction: object) => {
  const reply = await ask(url, "eth_call", [{ from: sender, gas, ...transaction }, "latest"])
  return reply.error === undefined
    ? { succeeded: true, data: reply.result }
    : { succeeded: false, data: typeof reply.error.data === "string" ? reply.error.data : "0x" }
}

/** Everything that code can have changed of a contract. */
export const contents = async (url: string, address: string) => ({
  code: await result(url, "eth_getCode", address, "latest"),
  balance: await result(url, "eth_getBalance", address, "latest"),
  nonce: await result(url, "eth_getTransactionCount", address, "latest"),
  slots: await Promise.all(
    [0, 1, 2, 3, 4, 5].map((slot) => result(url, "eth_getStorageAt", address, `0x${slot.toString(16)}`, "latest"))
  )
})

/** Starts anvil on a free port, with the rules and the price of the sandbox, and with further options. */
export const startAnvil = (
  ...options: ReadonlyArray<string>
): Promise<{ readonly url: string; readonly process: ChildProcess }> =>
  new Promise((resolve, reject) => {
    const words = "--port 0 --hardfork osaka --chain-id 1001 --base-fee 25000000000 --gas-price 25000000000"
    const bin = fileURLToPath(new URL("../node_modules/@foundry-rs/anvil/bin.mjs", import.meta.url))
    const process_ = spawn(process.execPath, [bin, ...words.split(" "), "--disable-min-priority-fee", ...options], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    let out = ""
    process_.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString()
      const [, address] = /Listening on (\S+)/.exec(out) ?? []
      if (address !== undefined) resolve({ url: `http://${address}`, process: process_ })
    })
    process_.on("exit", (code) => reject(new Error(`anvil ended with ${code}: ${out}`)))
  })

/** Both, with coin for the sender; anvil with further options. */
export const openBoth = async (...options: ReadonlyArray<string>) => {
  const sandbox = await open()
  const anvil = await startAnvil(...options)
  for (const url of [sandbox.url, anvil.url]) {
    await result(url, "anvil_impersonateAccount", sender)
    await result(url, "anvil_setBalance", sender, "0xd3c21bcecceda1000000")
  }
  return {
    sandbox: sandbox.url,
    anvil: anvil.url,
    close: async () => {
      anvil.process.kill()
      await sandbox.close()
    }
  }
}
