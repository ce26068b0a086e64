import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { startSandbox } from "../src/testing.js"

/** What a promise rejects with. */
const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(() => assert.fail("it did not reject"), (error: unknown) => error)

const messageOf = async (promise: Promise<unknown>): Promise<string> => {
  const error = await rejection(promise)
  return error instanceof Error ? error.message : assert.fail("it is no Error")
}

const balanceOf = async (rpcUrl: string | undefined, address: string): Promise<bigint> => {
  const answer = await fetch(rpcUrl ?? "", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "klay_getBalance", params: [address, "latest"] })
  })
  const { result }: { readonly result: string } = JSON.parse(await answer.text())
  return BigInt(result)
}

describe("startSandbox", () => {
  it("gives a sandbox with controls that return promises", async () => {
    const { accounts, chain, control, credentials, env, rpcUrl, stop, url } = await startSandbox({ seed: "promises" })
    try {
      assert.deepStrictEqual([chain, accounts[0]?.name], [1001, "alice"])
      assert.deepInclude(env, {
        KLAYTN_WALLET_URL: url,
        KLAYTN_ACCESS_KEY_ID: credentials.accessKeyId,
        KLAYTN_SECRET_ACCESS_KEY: credentials.secretAccessKey
      })
      const { address } = await control.createAccount("shop")
      const snapshot = await control.snapshot()
      await control.fund("shop", 5n)
      assert.strictEqual(await balanceOf(rpcUrl, address), 5n)
      await control.setBalance(address, 7n)
      assert.strictEqual(await balanceOf(rpcUrl, address), 7n)
      await control.revert(snapshot)
      assert.strictEqual(await balanceOf(rpcUrl, address), 0n)
      const [first] = await control.mine()
      await control.advanceTime(3600)
      const [second] = await control.mine(2)
      assert.isAtLeast((second?.timestamp ?? 0) - (first?.timestamp ?? 0), 3600)
      const { blockHash, height } = await control.setNextBaseFee(50_000_000_000n)
      const set = await control.reorg(1, "drop")
      assert.strictEqual(set.height, height)
      assert.notStrictEqual(set.blockHash, blockHash)
      assert.deepStrictEqual(await control.emptyPool(), { dropped: 0 })
      await control.addFault({ operation: "wallet.getAccounts", action: { kind: "answer", status: 503 } })
      const authorization = `Basic ${btoa(`${credentials.accessKeyId}:${credentials.secretAccessKey}`)}`
      const ask = () => fetch(`${url}/v2/account`, { headers: { authorization, "x-chain-id": "1001" } })
      assert.strictEqual((await ask()).status, 503)
      await control.clearFaults()
      assert.notStrictEqual((await ask()).status, 503)
      assert.strictEqual((await control.requests({ operation: "wallet.getAccounts" })).length, 2)
    } finally {
      await stop()
    }
  }, 60_000)

  it("rejects with an Error that says what is wrong", async () => {
    const { control, stop, url } = await startSandbox()
    const { port } = new URL(url)
    assert.include(await messageOf(startSandbox({ port: Number(port) })), "something else listens there already")
    assert.include(await messageOf(startSandbox({ host: "example.com" })), "the sandbox listens on this machine only")
    for (const wrong of [70_000, -1, 1.5]) {
      const refused = await rejection(startSandbox({ port: wrong }))
      assert.propertyVal(refused, "reason", "Listen", String(wrong))
      assert.include(String(refused), `${wrong}`)
    }
    assert.include(await messageOf(control.setBalance("0x12", 1n)), "\"0x12\" is no address")
    assert.include(await messageOf(control.fund("Nobody", 1n)), "account")
    assert.include(await messageOf(control.revert(99)), "99")
    assert.include(await messageOf(control.reorg(99)), "99")
    await Promise.all([stop(), stop()])
    await stop()
    assert.include(await messageOf(control.mine()), "is stopped")
    assert.include(await messageOf(fetch(url)), "fetch failed")
  }, 60_000)

  it("keeps no process alive after stop", async () => {
    const program = `
      const { startSandbox } = await import(${JSON.stringify(join(import.meta.dirname, "../src/testing.ts"))})
      const sandbox = await startSandbox()
      await fetch(sandbox.url + "/rpc/1001", { method: "POST", headers: { "content-type": "application/json" }, body: '{"jsonrpc":"2.0","id":1,"method":"klay_blockNumber"}' })
      await sandbox.control.mine()
      await sandbox.stop()
      console.log("stopped")`
    const args = ["--import", "tsx", "--input-type=module", "--eval", program]
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 })
    assert.strictEqual(stdout.trim(), "stopped")
  }, 90_000)
})
