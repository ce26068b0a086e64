/**
 * How many transfers one second of CPU executes and stores, in blocks of 20, without making the signatures. Prints one
 * JSON line a figure, each the median of several runs:
 *
 *     npx tsx packages/sandbox/bench/execution.ts
 */
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ChainState } from "../../local-chain/src/internal/ChainState.js"
import { sign, type SignedTransaction } from "../../local-chain/src/internal/SignedTransaction.js"
import * as DevAccount from "../src/DevAccount.js"
import { openStore } from "../src/internal/store/Store.js"
import type { SendRequest } from "../src/SendRequest.js"
import * as TokenContract from "../src/TokenContract.js"

const runs = 5
const perBlock = 20
const unitPrice = 25_000_000_000n
const owners = Array.from({ length: 50 }, (_, i) => DevAccount.derive("bench", `owner ${i}`))
const owner = (i: number): DevAccount.DevAccount => owners[i % owners.length] ?? DevAccount.derive("bench", "owner 0")

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const one = async (count: number, kind: "coin" | "ft" | "nft" | "mt") => {
  const directory = mkdtempSync(join(tmpdir(), "bench-"))
  const store = openStore(join(directory, "chain.db"))
  const { index, storage } = store.chain(1001)
  const chainState = await Effect.runPromise(ChainState.open({
    internalTransfers: false,
    chainId: 1001,
    storage,
    unitPrice,
    hardfork: "osaka",
    curve: noble,
    genesis: owners.map(({ address }) => ({ address, balance: 10n ** 24n })),
    genesisTimestamp: 1_600_000_000
  }))
  const nonces = new Map<string, bigint>()
  const prepare = (request: SendRequest): SignedTransaction => {
    const nonce = nonces.get(request.from.address) ?? 0n
    nonces.set(request.from.address, nonce + 1n)
    return Either.getOrThrowWith(
      sign(request, { chainId: 1001, gasPrice: unitPrice, curve: noble, nonce }),
      (error) => error
    )
  }
  const append = async (signed: ReadonlyArray<SignedTransaction>) => {
    const valid = signed.map(({ signers, transaction }) =>
      Either.getOrThrowWith(chainState.validate(transaction, signers), (error) => error)
    )
    const block = await Effect.runPromise(chainState.build(chainState.head.timestamp + 1, valid))
    if (block.transactionCount !== signed.length) throw new Error("a transaction was left out")
    return block
  }
  const setUp = async (): Promise<TokenContract.TokenContract | undefined> => {
    if (kind === "coin") return undefined
    const spec: TokenContract.TokenSpec = kind === "mt" ? { kind, uri: "u" } : { kind, name: "A", symbol: "B" }
    const block = await append([prepare({ kind: "deploy", from: owner(0), code: TokenContract.creationCode(spec) })])
    const address = index.rows.transactionByIndex(block.number, 0)?.contractAddress ?? "0x"
    const token: TokenContract.TokenContract = { address, kind, minter: "anyone" }
    for (let start = 0; start < count; start += perBlock) {
      await append(Array.from({ length: perBlock }, (_, i) => {
        const to = owner(start + i).address
        const tokenId = BigInt(start + i)
        const mint: TokenContract.Mint = kind === "ft"
          ? { kind, to, amount: 1000n }
          : kind === "nft"
          ? { kind, to, tokenId, uri: "x" }
          : { kind, to, tokenId, amount: 10n }
        return prepare({
          kind: "execute",
          from: owner(start + i),
          to: address,
          data: TokenContract.mintCall(token, mint)
        })
      }))
    }
    return token
  }
  const token = await setUp()
  const signed = Array.from({ length: count }, (_, i) => {
    const from = owner(i)
    const to = owner(i * 7 + 1).address
    if (token === undefined) return prepare({ kind: "transfer", from, to, value: 1n })
    const transfer: TokenContract.TokenTransfer = kind === "ft"
      ? { kind, to, amount: 1n }
      : kind === "nft"
      ? { kind, to, tokenId: BigInt(i) }
      : { kind: "mt", to, ids: [BigInt(i)], amounts: [1n] }
    return prepare({
      kind: "execute",
      from,
      to: token.address,
      data: TokenContract.transferCall(from.address, transfer)
    })
  })
  const cpu = process.cpuUsage()
  const wall = performance.now()
  for (let start = 0; start < count; start += perBlock) await append(signed.slice(start, start + perBlock))
  const { system, user } = process.cpuUsage(cpu)
  const result = {
    perCpuSecond: count / ((user + system) / 1e6),
    perSecond: count / ((performance.now() - wall) / 1000)
  }
  store.close()
  rmSync(directory, { recursive: true })
  return result
}

for (const [kind, count] of [["coin", 4000], ["ft", 1000], ["nft", 1000], ["mt", 1000]] as const) {
  const results: Array<{ readonly perCpuSecond: number; readonly perSecond: number }> = []
  for (let run = 0; run < runs; run++) results.push(await one(count, kind))
  process.stdout.write(`${
    JSON.stringify({
      figure: "transfers executed and stored",
      kind,
      blocksOf: perBlock,
      transactions: count,
      runs,
      perCpuSecond: Math.round(median(results.map((result) => result.perCpuSecond))),
      perSecond: Math.round(median(results.map((result) => result.perSecond)))
    })
  }\n`)
}
