/** The script of a dapp's page: all that it has is an EIP-1193 provider, which a wallet put into `window.ethereum`. */
import {
  createPublicClient,
  createWalletClient,
  custom,
  type EIP1193Provider,
  encodeFunctionData,
  parseAbi,
  parseEventLogs
} from "viem"
import { kairos } from "viem/chains"

declare const window: {
  readonly ethereum: EIP1193Provider
  run?: (input: { readonly token: `0x${string}`; readonly to: `0x${string}` }) => Promise<unknown>
}

const abi = parseAbi([
  "function symbol() view returns (string)",
  "function balanceOf(address owner) view returns (uint256)",
  "function mint(address to, uint256 amount)",
  "event Transfer(address indexed from, address indexed to, uint256 value)"
])

/** Reads, sends and watches; returns what it saw. */
window.run = async ({ to, token }) => {
  const transport = custom(window.ethereum)
  const client = createPublicClient({ chain: kairos, transport, pollingInterval: 20, cacheTime: 0 })
  const [account] = await createWalletClient({ transport }).requestAddresses()
  if (account === undefined) throw new Error("the wallet has no account")
  const wallet = createWalletClient({ chain: kairos, transport, account })
  const watched: Array<bigint | undefined> = []
  const blocks: Array<bigint> = []
  const stops = [
    client.watchContractEvent({
      address: token,
      abi,
      eventName: "Transfer",
      onLogs: (logs) => watched.push(...logs.map(({ args }) => args.value))
    }),
    client.watchBlockNumber({ onBlockNumber: (number) => blocks.push(number) })
  ]
  const symbol = await client.readContract({ address: token, abi, functionName: "symbol" })
  const before = await client.getBalance({ address: to })
  await client.waitForTransactionReceipt({ hash: await wallet.sendTransaction({ to, value: 5n }) })
  let minted = 0n
  // A watch begins some time after it was asked for.
  for (let times = 0; times < 100 && (watched.length === 0 || blocks.length === 0); times++) {
    const data = encodeFunctionData({ abi, functionName: "mint", args: [to, 7n] })
    const receipt = await client.waitForTransactionReceipt({ hash: await wallet.sendTransaction({ to: token, data }) })
    minted += parseEventLogs({ abi, logs: receipt.logs }).reduce((sum, { args }) => sum + args.value, 0n)
  }
  stops.forEach((stop) => stop())
  const balance = await client.readContract({ address: token, abi, functionName: "balanceOf", args: [to] })
  return {
    chainId: await client.getChainId(),
    account: account.toLowerCase(),
    symbol,
    paid: String(await client.getBalance({ address: to }) - before),
    mintedIsBalance: minted === balance && minted > 0n,
    watched: watched.slice(0, 1).map(String),
    sawBlocks: blocks.length > 0,
    signature: (await wallet.signMessage({ message: "hello" })).length
  }
}
