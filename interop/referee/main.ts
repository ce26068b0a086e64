/**
 * Compares a node of Kaia with a sandbox: the same random transactions, questions and requests to both, and each difference once.
 *
 * The node is one that somebody has on this machine, of a network of its own. It gets transactions, reads, and wrong parameters of
 * reads; never a method that changes the node itself.
 */
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { parseArgs } from "node:util"
import * as Sandbox from "../../packages/sandbox/src/Sandbox.js"
import type { Hex } from "../../packages/transaction/src/Hex.js"
import * as PrivateKey from "../../packages/transaction/src/PrivateKey.js"
import * as Transaction from "../../packages/transaction/src/Transaction.js"
import { get, random } from "../transaction/random.js"
import { Differences } from "./differences.js"
import { Listening } from "./listening.js"
import { Lockstep } from "./lockstep.js"
import { rightOnes, wrongOne } from "./parameters.js"
import { aboutAccount, aboutBlock, aboutCall, aboutTransaction, type Question } from "./questions.js"
import { type Reply, Side, sleep } from "./sides.js"
import { Traffic } from "./traffic.js"
import { requests } from "./transport.js"

const { values } = parseArgs({
  options: {
    node: { type: "string" },
    key: { type: "string" },
    ws: { type: "string" },
    seed: { type: "string", default: new Date().toISOString().slice(0, 10) },
    transactions: { type: "string", default: "10000" },
    questions: { type: "string", default: "20000" },
    minutes: { type: "string", default: "30" },
    json: { type: "boolean", default: false }
  }
})

const usage =
  "pnpm referee --node http://127.0.0.1:8551 --key PRIVATE_KEY [--ws ws://127.0.0.1:8552] [--seed TEXT] [--transactions 10000] [--questions 20000]" +
  " [--minutes 30] [--json]"

const fail = (why: string): never => {
  console.error(`${why}\n\n${usage}`)
  process.exit(2)
}

const isLocal = (url: string): boolean => /^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(new URL(url).hostname)

const nodeUrl = values.node ?? fail("--node names the node, for example http://127.0.0.1:8551")
if (!URL.canParse(nodeUrl) || !isLocal(nodeUrl)) fail("--node is the address of a node on this machine")
if (values.ws !== undefined && !(URL.canParse(values.ws) && isLocal(values.ws))) {
  fail("--ws is the WebSocket address of the same node")
}
const key = (values.key ?? fail("--key is the private key of an account that has coin at the node")) as Hex
const most = { transactions: Number(values.transactions), questions: Number(values.questions) }
const until = Date.now() + Number(values.minutes) * 60_000
const isOver = (): boolean => Date.now() > until

const seedOf = (text: string): number =>
  Array.from(text).reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0) | 0, 7)
const r = random(seedOf(values.seed))

const node = new Side("node", nodeUrl)
const version = String(await node.result("web3_clientVersion"))
const chainId = Number(await node.result("eth_chainId"))
if (chainId !== 1001 && chainId !== 8217) fail(`the node is of chain ${chainId}; a sandbox is of 1001 or 8217`)
const genesis = await node.result("eth_getBlockByNumber", "0x0", false) as { readonly timestamp: string }

const runtime = ManagedRuntime.make(Sandbox.layer({
  seed: values.seed,
  baseFee: "moving",
  nodeDefaults: true,
  mining: "manual",
  clock: { start: Number(genesis.timestamp), step: 1 }
}))
const sandboxUrl = await runtime.runPromise(
  Effect.map(Sandbox.Sandbox, ({ rpcUrl }) => rpcUrl(chainId) ?? fail("the sandbox has no JSON-RPC"))
)
const sandbox = new Side("sandbox", sandboxUrl)

const differences = new Differences()
const lockstep = new Lockstep(node, sandbox, differences)
const counts = { transactions: 0, mined: 0, failed: 0, refused: 0, questions: 0, requests: 0, told: 0 }

const say = (text: string): void => {
  if (!values.json) console.log(text)
}

/** A reply without what only names it. */
const resultOf = ({ error, result }: Reply = {}): Reply => error === undefined ? { result } : { error }

/** Asks both, and compares the answers. */
const compareAll = async (questions: ReadonlyArray<Question>): Promise<void> => {
  const calls = questions.map(({ call }) => call)
  const [theirs, ours] = await Promise.all([node.batch(calls), sandbox.batch(calls)])
  for (const [index, { call, kind }] of questions.entries()) {
    const question = JSON.stringify(call)
    // The node may have made a block before the one or after the other: both are asked again.
    const isCertain = differences.areAlike(kind, question, theirs[index], ours[index])
    if (!isCertain) await lockstep.nextBlock()
    const [again, oursAgain] = isCertain
      ? [theirs[index], ours[index]]
      : await Promise.all([node.ask(...call), sandbox.ask(...call)])
    differences.compare(kind, question, resultOf(again), resultOf(oursAgain))
  }
  counts.questions += questions.length
}

/** More digits than a transaction without blobs has. */
const withBlobs = 262_144

/** How many others are sent at a time: few enough that the node makes no block meanwhile. */
const atOnce = 15

/**
 * Sends transactions to both. A node looks at a blob for long, so that each of those is sent at the begin of a block. The sandbox
 * follows the blocks that the node makes in between.
 */
const sendBoth = async (raws: ReadonlyArray<Hex>): Promise<readonly [ReadonlyArray<Reply>, ReadonlyArray<Reply>]> => {
  const theirs: Array<Reply> = []
  const ours: Array<Reply> = []
  const send = async (places: ReadonlyArray<number>): Promise<void> => {
    const calls = places.map((place) => ["kaia_sendRawTransaction", raws[place]] as const)
    const [those, these] = await Promise.all([node.batch(calls), sandbox.batch(calls)])
    for (const [index, place] of places.entries()) {
      const [reply, raw] = [those[index] ?? {}, raws[place]]
      theirs[place] = reply
      ours[place] = these[index] ?? {}
      if (typeof reply.result === "string" && raw !== undefined && ours[place]?.error === undefined) {
        lockstep.accepted(reply.result, raw)
      }
    }
  }
  const places = raws.map((_, place) => place)
  const isLarge = (place: number): boolean => (raws[place]?.length ?? 0) > withBlobs
  for (const place of places.filter(isLarge)) {
    await send([place])
    await lockstep.nextBlock()
  }
  const others = places.filter((place) => !isLarge(place))
  for (let at = 0; at < others.length; at += atOnce) {
    await lockstep.follow()
    await send(others.slice(at, at + atOnce))
  }
  return [theirs, ours]
}

/** Gives coin to accounts, on both chains by the same transactions. */
const funder = get(PrivateKey.toAddress(key))
const fund = async (addresses: ReadonlyArray<Hex>): Promise<void> => {
  const nonce = Number(await node.result("eth_getTransactionCount", funder, "pending"))
  const raws = addresses.map((to, index) => {
    const made = get(Transaction.make({
      type: "LegacyTransaction",
      nonce: BigInt(nonce + index),
      gas: 21_000n,
      gasPrice: 750_000_000_000n,
      to,
      value: 100n * 10n ** 18n,
      input: "0x"
    }))
    return get(Transaction.encode(get(Transaction.signAsSender(made, { chainId, privateKey: key }))))
  })
  await lockstep.nextBlock()
  const [theirs, ours] = await sendBoth(raws)
  const refused = [...theirs, ...ours].find(({ error }) => error !== undefined)
  if (refused?.error !== undefined) throw new Error(`an account can't be given coin: ${refused.error.message}`)
  await lockstep.nextBlock()
}

say(`${version}, chain ${chainId}; seed ${values.seed}`)
await sandbox.result("anvil_setBalance", funder, await node.result("eth_getBalance", funder, "latest"))
await sandbox.result("anvil_setNonce", funder, await node.result("eth_getTransactionCount", funder, "latest"))
await lockstep.begin()
say(`both are at block ${await lockstep.follow()}`)

const listening = values.ws === undefined
  ? undefined
  : await Listening.begin(differences, [node, sandbox], [values.ws, sandboxUrl.replace(/^http/, "ws")])

const both = await lockstep.nextBlock()
// What was told is on its way for a moment.
await sleep(300)
await listening?.skip(both)

const traffic = new Traffic(r, chainId, 120)
await fund(traffic.actors.map(({ owner }) => owner.address))

interface Receipt {
  readonly status: string
  readonly contractAddress: Hex | null
}

/** Sends some transactions to both, waits for them, and asks about what came of them. */
const round = async (): Promise<void> => {
  const nonces = await node.batch(
    traffic.actors.map(({ owner: { address } }) => ["eth_getTransactionCount", address, "latest"] as const)
  )
  for (const [index, actor] of traffic.actors.entries()) actor.nonce = Number(nonces[index]?.result)
  const made = traffic.round()
  await lockstep.nextBlock()
  const [theirs, ours] = await sendBoth(made.map(({ raw }) => raw))
  for (const [index, { what }] of made.entries()) {
    if (theirs[index]?.error !== undefined) counts.refused++
    differences.compare("send", `${what}: ${made[index]?.raw}`, theirs[index], ours[index])
  }
  counts.transactions += made.length
  await lockstep.nextBlock()
  const head = await lockstep.nextBlock()
  const receipts = await node.batch(made.map(({ hash }) => ["kaia_getTransactionReceipt", hash] as const))
  const mined = made.filter((one, index) => {
    const receipt = receipts[index]?.result as Receipt | null | undefined
    if (receipt === null || receipt === undefined) return false
    counts.mined++
    if (receipt.status === "0x1") {
      one.succeeded()
      if (receipt.contractAddress !== null) traffic.contracts.push(receipt.contractAddress)
    } else counts.failed++
    return true
  })
  const questions = [
    ...mined.flatMap((one) => aboutTransaction(r, one)),
    ...[head - 2, head - 1].flatMap((number) => aboutBlock(r, number)),
    ...Array.from({ length: 20 }, () => aboutAccount(r, traffic.address(), head - 1)).flat(),
    ...Array.from({ length: 30 }, () => aboutCall(r, traffic, head - 1))
  ]
  // What was told is on its way for a moment.
  await sleep(300)
  counts.told += await listening?.compare(head, await lockstep.isAt(head)) ?? 0
  await compareAll(questions)
  for (const actor of traffic.actors) {
    if (actor.signers.transaction.length === 0 || actor.signers.accountUpdate.length === 0) {
      await fund([traffic.replace(actor).owner.address])
    }
  }
}

while (counts.transactions < most.transactions && !isOver()) {
  await round()
  say(
    `${counts.transactions} transactions (${counts.mined} mined, ${counts.failed} of them failed, ${counts.refused} refused), ` +
      `${counts.questions} questions: ${differences.found.size} kinds of difference`
  )
}

await compareAll(rightOnes)
while (counts.questions < most.questions && !isOver()) {
  await lockstep.follow()
  await compareAll(Array.from({ length: 200 }, () => wrongOne(r)))
}

for (const { init, name } of requests) {
  const [theirs, ours] = await Promise.all(
    [node.http(init), sandbox.http(init)].map((answer) => answer.catch((cause: unknown) => ({ failed: String(cause) })))
  )
  differences.compare(`request: ${name}`, name, theirs, ours)
  counts.requests++
}

const found = [...differences.found.values()].sort((a, b) => b.times - a.times)
const allowed = Array.from(differences.allowed, ([{ at, why }, times]) => ({ at: at.source, why, times }))
const seconds = Math.round((Date.now() - until) / 1000 + Number(values.minutes) * 60)
if (values.json) {
  console.log(
    JSON.stringify({ version, seed: values.seed, ...counts, equal: differences.equal, seconds, allowed, found })
  )
} else {
  const short = (value: unknown): string => (JSON.stringify(value) ?? "absent").slice(0, 300)
  for (const { kind, node: theirs, question, sandbox: ours, times } of found) {
    console.log(
      `\n${kind} (${times})\n  asked    ${question.slice(0, 400)}\n  node     ${short(theirs)}\n  sandbox  ${
        short(ours)
      }`
    )
  }
  console.log(`\nallowed: ${allowed.map(({ at, times, why }) => `${at} ${times} (${why})`).join("; ")}`)
  console.log(
    `\n${counts.transactions} transactions, ${counts.questions} questions, ${counts.requests} requests, ${counts.told} told in ${seconds} s: ` +
      `${differences.equal} equal, ${found.length} kinds of difference`
  )
}
listening?.end()
await sleep(0)
await runtime.dispose()
process.exit(found.length === 0 ? 0 : 1)
