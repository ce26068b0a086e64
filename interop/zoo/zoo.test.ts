/**
 * Every animal of the zoo times every user of a node: what comes back equals what the node itself says, nothing hangs, and no
 * call is lost or answered by another's answer. The table at the end has the requests that each took, beside the least possible.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Generator from "../../packages/sandbox/src/Generator.js"
import * as Sandbox from "../../packages/sandbox/src/Sandbox.js"
import { result, send, startAnvil } from "../tools/anvil.js"
import { type Animal, animals } from "./animals.js"
import { keep } from "./keeper.js"
import { ethUsers, type User, users, type World } from "./users.js"

const accounts = Array.from({ length: 300 }, (_, i) => `0x5a${(i + 1).toString(16).padStart(38, "0")}`)

/** A sandbox with transfers of tokens here and there on some hundred blocks. */
const openSandbox = async (): Promise<World & { readonly close: () => Promise<void> }> => {
  const scope = Effect.runSync(Scope.make())
  const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)
  const sandbox = await run(
    Scope.extend(
      Sandbox.make({ seed: "zoo", clock: { start: Math.floor(Date.now() / 1000) - 10_000, step: 1 } }),
      scope
    )
  )
  const url = sandbox.rpcUrl(1001) ?? ""
  const chain = sandbox.chains.chain(1001)
  const generated = []
  for (const seed of ["a", "b", "c"]) {
    generated.push(await run(Generator.generate(chain, { seed, transfers: 40, accounts: 5 })))
    await result(url, "hardhat_mine", "0x40")
  }
  for (const [i, to] of accounts.entries()) {
    if (i % 50 === 0) await send(url, { to, value: `0x${(i + 1).toString(16)}`, from: sandbox.accounts[0]?.address })
  }
  const [first] = generated
  const paths = generated.flatMap(({ busiest, tokens }) => [
    `/v2/transfer/account/${busiest.address}?size=100`,
    `/v2/contract/ft/${tokens.ft.address}`,
    `/v2/contract/nft/${tokens.nft.address}/token?size=100`
  ])
  return {
    url,
    accounts,
    token: first?.tokens.ft.address ?? "",
    height: Number(await result(url, "eth_blockNumber")),
    paths,
    close: () => run(Scope.close(scope, Exit.void))
  }
}

/** anvil with coin moved here and there. */
const openAnvil = async (): Promise<World & { readonly close: () => Promise<void> }> => {
  const anvil = await startAnvil("--timestamp", String(Math.floor(Date.now() / 1000) - 10_000))
  const [sender = ""] = await result(anvil.url, "eth_accounts") as ReadonlyArray<string>
  for (const [i, to] of accounts.entries()) {
    if (i % 30 === 0) await send(anvil.url, { to, value: `0x${(i + 1).toString(16)}`, from: sender })
    if (i % 100 === 0) await result(anvil.url, "anvil_mine", "0x30")
  }
  return {
    url: anvil.url,
    accounts,
    token: "",
    height: Number(await result(anvil.url, "eth_blockNumber")),
    paths: [`/v2/transfer/account/${sender}?size=100`],
    close: async () => void anvil.process.kill()
  }
}

/** A row of the table: an animal, a user, and the requests. */
const rows: Array<string> = []

const limitMillis = 120_000

const compare = (name: string, open: typeof openSandbox, some: ReadonlyArray<User>) =>
  describe(name, () => {
    let world: Awaited<ReturnType<typeof openSandbox>>
    const expected = new Map<User, unknown>()
    beforeAll(async () => {
      world = await open()
      for (const user of some) expected.set(user, await user.use(world.url, world))
    }, limitMillis)
    afterAll(() => world?.close())

    const meet = async (animal: Animal, user: User): Promise<unknown> => {
      const keeper = await keep(animal, world.url)
      try {
        const found = await user.use(keeper.url, world)
        const least = user.least(animal, world)
        const { refused, requests } = keeper.seen
        rows.push(
          `${name.padEnd(8)} ${animal.name.padEnd(52)} ${user.name.padEnd(28)} ${requests} (${refused} refused${
            least === 0 ? "" : `, ${least} at least`
          })`
        )
        return found
      } finally {
        await keeper.close()
      }
    }

    for (const animal of animals) {
      it.concurrent(animal.name, async () => {
        const found = await Promise.all(some.map((user) => meet(animal, user)))
        for (const [i, user] of some.entries()) assert.deepStrictEqual(found[i], expected.get(user), user.name)
      }, limitMillis)
    }
  })

compare("sandbox", openSandbox, users)
compare("anvil", openAnvil, ethUsers)

afterAll(() => process.stdout.write(`${rows.join("\n")}\n`))
