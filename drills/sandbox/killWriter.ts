/** The child of the crash drill: adds blocks to a database forever and prints the number of each. */
import * as Effect from "effect/Effect"
import * as DevAccount from "../../packages/local-chain/src/DevAccount.js"
import type { SendRequest } from "../../packages/local-chain/src/SendRequest.js"
import * as Chains from "../../packages/sandbox/src/Chains.js"
import * as TokenContract from "../../packages/sandbox/src/TokenContract.js"

const [database = ":memory:", seed = "drill"] = process.argv.slice(2)
const accounts = Array.from({ length: 8 }, (_, i) => DevAccount.derive("drill", `account ${i}`))

const program = Effect.scoped(Effect.gen(function*() {
  const chains = yield* Chains.make({ database, seed, clock: { start: 1_600_000_000, step: 1 } })
  const chain = chains.chain(8217)
  const acknowledge = (block: number) => Effect.sync(() => void process.stdout.write(`${block}\n`))
  let token: TokenContract.TokenContract | undefined
  for (let turn = 0;; turn++) {
    if (token === undefined) {
      for (const { address } of accounts) yield* chain.fund(address, 10n ** 21n)
      token = yield* TokenContract.deploy(chain, chain.faucet, { kind: "mt", uri: "u" })
    }
    const { address } = token
    const requests = Array.from({ length: 10 }, (_, i): SendRequest => {
      const from = accounts[(turn + i) % accounts.length] ?? chain.faucet
      const to = accounts[(turn * 3 + i) % accounts.length] ?? chain.faucet
      const mint = { kind: "mt", to: to.address, tokenId: BigInt(i), amount: 5n } as const
      return i % 3 === 0
        ? {
          kind: "execute",
          from,
          to: address,
          data: TokenContract.mintCall({ address, kind: "mt", minter: "anyone" }, mint)
        }
        : { kind: "transfer", from, to: to.address, value: BigInt(turn) }
    })
    yield* acknowledge((yield* chain.sendBlock(requests)).number)
    yield* Effect.yieldNow()
  }
}))

void Effect.runPromise(program)
