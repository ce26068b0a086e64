/** Transfers that a chain executes and stores, in blocks of 20. */
import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
import type { SendRequest } from "@effect-klaytn/local-chain/SendRequest"
import { type Hex, zeroAddress } from "@effect-klaytn/transaction/Hex"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ChainState } from "../../local-chain/src/internal/ChainState.js"
import { sign, type SignedTransaction } from "../../local-chain/src/internal/SignedTransaction.js"
import { openStore } from "../src/internal/store/Store.js"
import * as TokenContract from "../src/TokenContract.js"

/** Transfers in each block. */
export const perBlock = 20
const unitPrice = 25_000_000_000n
const owners = Array.from({ length: 50 }, (_, i) => DevAccount.derive("bench", `owner ${i}`))
const owner = (i: number): DevAccount.DevAccount => owners[i % owners.length] ?? DevAccount.derive("bench", "owner 0")

export type Kind = "coin" | "ft" | "nft" | "mt"

/** A chain in a database file of a temporary folder. */
const openChain = async () => {
  const directory = mkdtempSync(join(tmpdir(), "bench-"))
  const store = openStore(join(directory, "chain.db"))
  const { index, storage } = store.chain(1001)
  const chainState = await Effect.runPromise(ChainState.open({
    internalTransfers: false,
    poolSize: 5120,
    anchoring: true,
    chainId: 1001,
    storage,
    unitPrice,
    highestUnitPrice: undefined,
    baseFee: "fixed",
    proposer: zeroAddress,
    hardfork: "osaka",
    curve: noble,
    genesis: owners.map(({ address }) => ({ address, balance: 10n ** 24n })),
    genesisMixHash: undefined,
    genesisTimestamp: 1_600_000_000
  }))
  const nonces = new Map<string, bigint>()
  return {
    index,
    prepare: (request: SendRequest): SignedTransaction => {
      const nonce = nonces.get(request.from.address) ?? 0n
      nonces.set(request.from.address, nonce + 1n)
      return Either.getOrThrowWith(
        sign(request, { chainId: 1001, gasPrice: unitPrice, curve: noble, nonce }),
        (error) => error
      )
    },
    append: async (signed: ReadonlyArray<SignedTransaction>) => {
      const valid = signed.map(({ signers, transaction }) =>
        Either.getOrThrowWith(chainState.validate(transaction, signers), (error) => error)
      )
      const block = await Effect.runPromise(chainState.build(chainState.head.timestamp + 1, valid))
      if (block.transactionCount !== signed.length) throw new Error("a transaction was left out")
      return block
    },
    remove: (): void => {
      store.close()
      rmSync(directory, { recursive: true })
    }
  }
}

type OpenChain = Awaited<ReturnType<typeof openChain>>

const mintOf = (kind: Exclude<Kind, "coin">, to: Hex, tokenId: bigint): TokenContract.Mint => {
  if (kind === "ft") return { kind, to, amount: 1000n }
  return kind === "nft" ? { kind, to, tokenId, uri: "x" } : { kind, to, tokenId, amount: 10n }
}

/** Deploys a token contract and mints what each transfer moves. */
const mintAll = async ({ append, index, prepare }: OpenChain, kind: Exclude<Kind, "coin">, count: number) => {
  const spec: TokenContract.TokenSpec = kind === "mt" ? { kind, uri: "u" } : { kind, name: "A", symbol: "B" }
  const block = await append([prepare({ kind: "deploy", from: owner(0), code: TokenContract.creationCode(spec) })])
  const address = index.rows.transactionByIndex(block.number, 0)?.contractAddress ?? "0x"
  const token: TokenContract.TokenContract = { address, kind, minter: "anyone" }
  for (let start = 0; start < count; start += perBlock) {
    await append(Array.from({ length: perBlock }, (_, i) =>
      prepare({
        kind: "execute",
        from: owner(start + i),
        to: address,
        data: TokenContract.mintCall(token, mintOf(kind, owner(start + i).address, BigInt(start + i)))
      })))
  }
  return token
}

const transferOf = (kind: Exclude<Kind, "coin">, to: Hex, tokenId: bigint): TokenContract.TokenTransfer => {
  if (kind === "ft") return { kind, to, amount: 1n }
  return kind === "nft" ? { kind, to, tokenId } : { kind, to, ids: [tokenId], amounts: [1n] }
}

/** Transfers that are signed, with the tokens that they move. Each of `blocks` executes and stores the next 20; `remove` removes the file. */
export const signedTransfers = async (kind: Kind, count: number) => {
  const chain = await openChain()
  const token = kind === "coin" ? undefined : await mintAll(chain, kind, count)
  const signed = Array.from({ length: count }, (_, i) => {
    const from = owner(i)
    const to = owner(i * 7 + 1).address
    if (kind === "coin" || token === undefined) return chain.prepare({ kind: "transfer", from, to, value: 1n })
    const data = TokenContract.transferCall(from.address, transferOf(kind, to, BigInt(i)))
    return chain.prepare({ kind: "execute", from, to: token.address, data })
  })
  return {
    blocks: Array.from({ length: count / perBlock }, (_, block) => async (): Promise<void> => {
      await chain.append(signed.slice(block * perBlock, (block + 1) * perBlock))
    }),
    remove: chain.remove
  }
}
