/**
 * viem on a hosted node, through the SDK's client, which adds the credential, batches calls made at the same time and
 * retries. viem itself is used unchanged, and values that the SDK decodes, such as a transfer of the history, go into viem
 * without conversion.
 */
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
import * as Eip1193 from "@effect-klaytn/node/Eip1193"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import assert from "node:assert/strict"
import { createPublicClient, createWalletClient, custom, formatEther, parseAbi, parseEther } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { kairos } from "viem/chains"

const abi = parseAbi([
  "function balanceOf(address owner) view returns (uint256)",
  "function transfer(address to, uint256 amount) returns (bool)",
  "event Transfer(address indexed from, address indexed to, uint256 value)"
])

/** A provider is all it takes. The SDK's client retries, so viem must not. */
const transport = (provider: Eip1193.Provider) => custom(provider, { retryCount: 0 })

const story = async (provider: Eip1193.Provider, alice: DevAccount.DevAccount, token: `0x${string}`) => {
  const reader = createPublicClient({ chain: kairos, transport: transport(provider), pollingInterval: 100 })
  // The provider holds no accounts: viem signs with its own key and sends raw transactions.
  const account = privateKeyToAccount(DevAccount.revealPrivateKey(alice))
  const writer = createWalletClient({ account, chain: kairos, transport: transport(provider) })
  const to = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"

  // Two reads at the same moment share one request.
  const [height, apples] = await Promise.all([
    reader.getBlockNumber(),
    reader.readContract({ address: token, abi, functionName: "balanceOf", args: [account.address] })
  ])
  console.log(`block ${height}: ${apples} apples`)

  const paid = await reader.waitForTransactionReceipt({
    hash: await writer.sendTransaction({ to, value: parseEther("1.5") })
  })
  console.log(`${paid.type} ${paid.status}; ${to} has ${formatEther(await reader.getBalance({ address: to }))}`)

  const contract = { address: token, abi, account } as const
  const { request } = await reader.simulateContract({ ...contract, functionName: "transfer", args: [to, 40n] })
  await reader.waitForTransactionReceipt({ hash: await writer.writeContract(request) })
  const [event] = await reader.getContractEvents({ address: token, abi, eventName: "Transfer", fromBlock: height + 1n })
  console.log(`${event?.args.value} apples for ${event?.args.to}`)

  // The revert data reaches viem, which decodes it.
  const refused = await reader.simulateContract({ ...contract, functionName: "transfer", args: [to, 10n ** 9n] })
    .then(() => "", (error: Error) => error.message)
  assert.match(refused, /KIP7: transfer amount exceeds balance/)
  assert.equal(apples, 1000n)
  assert.equal(event?.args.value, 40n)
}

/** The newest token transfer of an account in the transfer history, checked against the chain. */
const lookAgain = (provider: Eip1193.Provider, address: string) =>
  Effect.gen(function*() {
    const history = yield* TransferHistory.TransferHistory
    const reader = createPublicClient({ chain: kairos, transport: transport(provider) })
    const newest = yield* Stream.runHead(history.getTransfersByEoa.items({ address, kinds: ["ft"], size: 1 }))
    const transfer = yield* newest
    if (transfer._tag !== "FtTransfer") return
    const { contract, to, transaction } = transfer
    const args = [to] as const
    const [left, { status }] = yield* Effect.promise(() =>
      Promise.all([
        reader.readContract({ address: contract.address, abi, functionName: "balanceOf", args }),
        reader.getTransactionReceipt({ hash: transaction.transactionHash })
      ])
    )
    console.log(`${contract.symbol}: ${left} held by ${to} since a transaction with ${status}`)
    assert.equal(left, 40n)
  })

const program = Effect.gen(function*() {
  const { control, chains } = yield* Sandbox.Sandbox
  const chain = control.chain(1001)
  const token = yield* chain.deploy({ kind: "ft", from: "alice", name: "Apple", symbol: "APL", decimals: 0 })
  yield* chain.mint(token.address, { kind: "ft", from: "alice", to: "alice", amount: 1000n })
  const provider = yield* Eip1193.make
  const alice = chains.account("alice")
  yield* Effect.promise(() => story(provider, alice, token.address))
  yield* lookAgain(provider, alice.address)
})

// Put `KlaytnNode.layerConfig()` and `TransferHistory.layerConfig()` in their place for the real service.
const Clients = Layer.merge(KlaytnNode.layer(), TransferHistory.layer()).pipe(
  Layer.provide(Sandbox.clientConfig(1001)),
  Layer.provide(FetchHttpClient.layer)
)

await Effect.runPromise(Effect.provide(program, Layer.provideMerge(Clients, Sandbox.layer())))
