/** Random traffic on a chain of anvil: coin, three kinds of tokens, contracts that move coin, and every type of transaction. */
import {
  type Abi,
  commitmentToVersionedHash,
  createPublicClient,
  createWalletClient,
  defineChain,
  type Hex,
  http,
  type TransactionReceipt
} from "viem"
import { mnemonicToAccount } from "viem/accounts"
import { artifacts } from "../../packages/sandbox/src/internal/contracts/artifacts.generated.js"
import { codes, moves, type Party } from "../../packages/sandbox/test/support/coinMoves.js"
import { contractOf } from "../../packages/sandbox/test/support/nodeWorld.js"
import type { Random } from "../transaction/random.js"
import { result, startAnvil } from "./anvil.js"

const mnemonic = "test test test test test test test test test test test junk"
const person = (addressIndex: number) => mnemonicToAccount(mnemonic, { addressIndex })
const people = [person(0), person(1), person(2), person(3)] as const
type Person = (typeof people)[number]

/** The token contracts: their standard, and what their constructors get. */
const deployed = {
  ft: { standard: "KIP-7", artifact: "OpenKIP7", args: ["Coins", "COIN", 6] },
  nft: { standard: "KIP-17", artifact: "OpenKIP17", args: ["Cats", "CAT"] },
  mt: { standard: "KIP-37", artifact: "OpenKIP37", args: ["https://items.example/{id}"] }
} as const

/** A kind of tokens. */
export type TokenKind = keyof typeof deployed

const abiOf = (kind: TokenKind): Abi => JSON.parse(artifacts[deployed[kind].artifact].abi) as Abi

/** A token contract of the traffic. */
export interface Token {
  readonly kind: TokenKind
  readonly address: Hex
  readonly standard: string
  readonly abi: Abi
}

/** A receiver of coin without code. */
const shop: Hex = `0x${"5a".repeat(20)}`

const secondsOfDay = 24 * 60 * 60

/** Starts a chain with the contracts. Its clock is a day behind, as each block is a second later than the last at least. */
export const open = async () => {
  const anvil = await startAnvil("--timestamp", String(Math.floor(Date.now() / 1000) - secondsOfDay))
  const chain = defineChain({
    id: 1001,
    name: "anvil",
    nativeCurrency: { name: "KLAY", symbol: "KLAY", decimals: 18 },
    rpcUrls: { default: { http: [anvil.url] } }
  })
  const reader = createPublicClient({ chain, transport: http(), pollingInterval: 20 })
  const wallet = createWalletClient({ chain, transport: http(undefined, { timeout: 60_000 }) })
  const receipt = (hash: Hex): Promise<TransactionReceipt> =>
    reader.waitForTransactionReceipt({ hash, timeout: 60_000 })
  const created = async (sent: Promise<Hex>): Promise<Hex> => {
    const { contractAddress } = await receipt(await sent)
    if (!contractAddress) throw new Error("a contract was not deployed")
    return contractAddress.toLowerCase() as Hex
  }
  const token = async (kind: TokenKind): Promise<Token> => {
    const { args, artifact, standard } = deployed[kind]
    const abi = abiOf(kind)
    const bytecode = artifacts[artifact].bytecode as Hex
    const address = await created(wallet.deployContract({ account: people[0], abi, bytecode, args }))
    return { kind, address, standard, abi }
  }
  const tokens = { ft: await token("ft"), nft: await token("nft"), mt: await token("mt") }
  const movers = new Map<Party, Hex>([["sender", people[0].address], ["shop", shop]])
  for (const [name, code] of Object.entries(codes)) {
    const data = contractOf(code) as Hex
    movers.set(name as Party, await created(wallet.sendTransaction({ account: people[0], data })))
  }
  return { url: anvil.url, reader, wallet, receipt, tokens, movers, close: () => anvil.process.kill() }
}

export type World = Awaited<ReturnType<typeof open>>

const gasPrice = 100_000_000_000n
const fees = { maxFeePerGas: gasPrice, maxPriorityFeePerGas: 1n }
const gas = 500_000n

/** The point at infinity: commitment and proof of a blob of zeros, whatever the trusted setup is. */
const infinity: Hex = `0xc0${"00".repeat(47)}`
const sidecar = { blob: `0x${"00".repeat(131_072)}`, commitment: infinity, proof: infinity } as const
const blobs = {
  maxFeePerBlobGas: gasPrice,
  sidecars: [sidecar],
  blobVersionedHashes: [commitmentToVersionedHash({ commitment: infinity })]
} as const

/** Fields of a transaction of any type but that of blobs. */
const shape = async ({ wallet }: World, from: Person, to: Hex, pick: Random) => {
  switch (pick.int(4)) {
    case 0:
      return { type: "legacy", gasPrice } as const
    case 1:
      return { type: "eip2930", gasPrice, accessList: [{ address: to, storageKeys: [] }] } as const
    case 2:
      return { type: "eip1559", ...fees } as const
    default: {
      const contractAddress = pick.pick(people).address
      const authorization = await wallet.signAuthorization({ account: from, contractAddress, executor: "self" })
      // An invalid authorization has no effect, and no account gets code of its own.
      return { type: "eip7702", ...fees, authorizationList: [{ ...authorization, nonce: 1_000_000 }] } as const
    }
  }
}

/** Sends a transaction that moves coin from contract to contract. */
const sendMove = ({ movers, wallet }: World, account: Person, pick: Random): Promise<Hex> => {
  const move = moves[pick.int(moves.length)] ?? moves[0]
  const value = BigInt(pick.int(5) * 10)
  if (move === undefined) throw new Error("there are no moves")
  const { data, to } = move
  if (typeof to === "object") return wallet.sendTransaction({ account, data: to.code, value, gas, gasPrice })
  const word = (party: Party): string => (movers.get(party) ?? "0x").slice(2).padStart(64, "0")
  const target = movers.get(to) ?? shop
  return wallet.sendTransaction({ account, to: target, data: `0x${data.map(word).join("")}`, value, gas, gasPrice })
}

/** Sends one operation, which may fail in its block. */
const send = async (world: World, pick: Random): Promise<Hex> => {
  const { tokens, wallet } = world
  const [account, other] = [pick.pick(people), pick.pick(people)]
  const [from, to] = [account.address, other.address]
  const [id, amount] = [BigInt(pick.int(20)), BigInt(pick.int(50))]
  const calls = {
    ft: [["mint", [to, amount]], ["transfer", [to, amount]], ["burn", [from, amount]]],
    nft: [["mint", [to, id, `https://cats.example/${id}`]], ["transferFrom", [from, to, id]], ["burn", [id]]],
    mt: [
      ["mint", [to, id, amount]],
      ["mintBatch", [to, [id, id + 1n], [amount, 1n]]],
      ["safeTransferFrom", [from, to, id, amount / 2n, "0x"]],
      ["safeBatchTransferFrom", [from, to, [id, id + 1n], [1n, 1n], "0x"]],
      ["burn", [from, id, 1n]]
    ]
  } as const
  const kind = pick.pick(["coin", "blob", "move", "ft", "nft", "nft", "mt", "mt"] as const)
  switch (kind) {
    case "coin":
      return wallet.sendTransaction({ account, to, value: amount, gas, ...await shape(world, account, to, pick) })
    case "blob":
      return wallet.sendTransaction({ account, to, value: amount, gas, type: "eip4844", ...fees, ...blobs })
    case "move":
      return sendMove(world, account, pick)
    default: {
      const [functionName, args] = calls[kind][pick.int(calls[kind].length)] ?? calls[kind][0]
      const { abi, address } = tokens[kind]
      const fields = await shape(world, account, address, pick)
      return wallet.writeContract({ account, address, abi, functionName, args, gas, ...fields })
    }
  }
}

/** Adds a block of one to three operations. */
export const addBlock = async (world: World, pick: Random): Promise<void> => {
  await result(world.url, "evm_setAutomine", false)
  const sent: Array<Hex> = []
  for (let left = 1 + pick.int(3); left > 0; left--) sent.push(await send(world, pick))
  await result(world.url, "evm_mine")
  for (const hash of sent) await world.receipt(hash)
}
