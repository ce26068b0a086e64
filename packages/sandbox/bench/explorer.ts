/**
 * Bytes and milliseconds of the explorer's pages, over HTTP on loopback, on a small chain or on that of a database file,
 * such as one that `bench/pages.ts` has filled with 1,000,000 transfers. Prints one JSON line a page, medians of several
 * visits:
 *
 *     npx tsx packages/sandbox/bench/explorer.ts [database file]
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Generator from "../src/Generator.js"
import * as Sandbox from "../src/Sandbox.js"

const database = process.argv[2]
const visits = 9

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const linkOf = (page: string, pattern: RegExp): string | undefined => pattern.exec(page)?.[1]?.replaceAll("&amp;", "&")

const measure = Effect.gen(function*() {
  const { chains, url } = yield* Sandbox.Sandbox
  const heads = yield* Effect.forEach(
    chains.all,
    (chain) => Effect.map(chain.head, ({ number }) => ({ chain, number }))
  )
  const [fullest] = heads.toSorted((a, b) => b.number - a.number)
  if (fullest === undefined) return
  const { chain } = fullest
  if (fullest.number === 0) yield* Generator.generate(chain, { seed: "explorer", transfers: 2_000, accounts: 50 })
  const head = yield* chain.head
  const base = `/explorer/${chain.chainId}`
  const read = (path: string) => Effect.promise(async () => (await fetch(`${url}${path}`)).text())
  const [contract] = yield* chain.contracts({ limit: 1 })
  const middle = Math.floor(head.number / 2)
  const [last] = yield* chain.transfers({ limit: 1, blocks: { from: 0, to: middle } })
  const [busy] = yield* chain.transfers({ limit: 1, kinds: ["ft"] })
  const pages: Record<string, string | undefined> = {
    overview: base,
    blocks: `${base}/blocks`,
    "blocks, in the middle": `${base}/blocks?before=${middle}`,
    block: `${base}/blocks/${middle}`,
    transactions: `${base}/transactions`,
    "transactions, in the middle": `${base}/transactions?before=${middle}-0`,
    transaction: linkOf(yield* read(`${base}/blocks/${middle}`), new RegExp(`"(${base}/transactions/0x\\w+)"`)),
    transfers: `${base}/transfers`,
    "transfers, in the middle": `${base}/transfers?before=${last?.id ?? 0}`,
    tokens: `${base}/tokens`,
    "token, transfers": contract && `${base}/tokens/${contract.address}`,
    "token, owners": contract && `${base}/tokens/${contract.address}?view=owners`,
    accounts: `${base}/accounts`,
    account: busy && `${base}/accounts/${busy.from}`,
    "account, tokens": busy && `${base}/accounts/${busy.from}?view=tokens`,
    wallet: `${base}/wallet`,
    requests: `${base}/requests`,
    search: `/explorer/search?chain=${chain.chainId}&q=coin`
  }
  for (const [page, path] of Object.entries(pages)) {
    if (path === undefined) continue
    const times: Array<number> = []
    let bytes = 0
    let status = 0
    for (let visit = 0; visit <= visits; visit++) {
      const start = performance.now()
      const answer = yield* Effect.promise(async () => {
        const response = await fetch(`${url}${path}`)
        return { status: response.status, bytes: (await response.arrayBuffer()).byteLength }
      })
      if (visit > 0) times.push(performance.now() - start)
      bytes = answer.bytes
      status = answer.status
    }
    const milliseconds = Number(median(times).toFixed(1))
    const slowest = Number(Math.max(...times).toFixed(1))
    process.stdout.write(`${JSON.stringify({ page, status, bytes, milliseconds, slowest, blocks: head.number })}\n`)
  }
})

await Effect.runPromise(
  Effect.provide(
    measure,
    Sandbox.layer(
      database === undefined ? { seed: "explorer" } : { database, walletKey: Redacted.make("00".repeat(32)) }
    )
  )
)
