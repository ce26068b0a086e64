/**
 * ethers on a hosted node, through the SDK's client, which adds the credential, batches calls made at the same time and
 * retries. ethers itself is used unchanged.
 */
import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
import * as Eip1193 from "@effect-klaytn/node/Eip1193"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { BrowserProvider, Contract, formatEther, isError, parseEther, Wallet } from "ethers"
import assert from "node:assert/strict"

const abi = [
  "function balanceOf(address owner) view returns (uint256)",
  "function transfer(address to, uint256 amount) returns (bool)",
  "event Transfer(address indexed from, address indexed to, uint256 value)"
]

const story = async (eip1193: Eip1193.Provider, alice: DevAccount.DevAccount, token: string) => {
  // With the network given, ethers needn't ask for it. Its cache is off: this chain moves faster than the cache expires,
  // so that a cached nonce would be stale.
  const settings = { staticNetwork: true, cacheTimeout: -1, pollingInterval: 100 }
  const provider = new BrowserProvider(eip1193, 1001, settings)
  // The provider holds no accounts: ethers signs with its own key and sends raw transactions.
  const wallet = new Wallet(DevAccount.revealPrivateKey(alice), provider)
  const contract = new Contract(token, abi, wallet)
  const [balanceOf, transfer] = [contract.getFunction("balanceOf"), contract.getFunction("transfer")]
  const to = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"

  // Two reads at the same moment share one request.
  const [height, apples] = await Promise.all([provider.getBlockNumber(), balanceOf(wallet.address)])
  console.log(`block ${height}: ${apples} apples`)

  const paid = await (await wallet.sendTransaction({ to, value: parseEther("1.5") })).wait()
  console.log(`type ${paid?.type}, status ${paid?.status}; ${to} has ${formatEther(await provider.getBalance(to))}`)

  await (await transfer.send(to, 40n)).wait()
  const [event] = await contract.queryFilter("Transfer", height + 1)
  const sent = event !== undefined && "args" in event ? event.args.getValue("value") : undefined
  console.log(`${sent} apples for ${to}`)

  // The revert data reaches ethers, which decodes it.
  const refused: unknown = await transfer.staticCall(to, 10n ** 9n).then(() => undefined, (error: unknown) => error)
  assert(isError(refused, "CALL_EXCEPTION"))
  assert.equal(refused.reason, "KIP7: transfer amount exceeds balance")
  assert.equal(apples, 1000n)
  assert.equal(sent, 40n)
  provider.destroy()
}

const program = Effect.gen(function*() {
  const { control, chains } = yield* Sandbox.Sandbox
  const chain = control.chain(1001)
  const token = yield* chain.deploy({ kind: "ft", from: "alice", name: "Apple", symbol: "APL", decimals: 0 })
  yield* chain.mint(token.address, { kind: "ft", from: "alice", to: "alice", amount: 1000n })
  const provider = yield* Eip1193.make
  yield* Effect.promise(() => story(provider, chains.account("alice"), token.address))
})

// Replace it with `KlaytnNode.layerConfig()` for the real service.
const Node = KlaytnNode.layer().pipe(
  Layer.provide(Sandbox.clientConfig(1001)),
  Layer.provide(FetchHttpClient.layer)
)

await Effect.runPromise(Effect.provide(program, Layer.provideMerge(Node, Sandbox.layer())))
