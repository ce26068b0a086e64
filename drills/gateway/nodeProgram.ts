/** The node of the drill: a sandbox as a process of its own, which is killed and started again on its database. */
import * as Generator from "@effect-klaytn/sandbox/Generator"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import { createInterface } from "node:readline"
import { Random } from "../../packages/sandbox/src/internal/Random.js"
import * as nodeWorld from "../../packages/sandbox/test/support/nodeWorld.js"
import { namesOf } from "../sandbox/dataPages.js"
import { stories } from "../sandbox/tokenStories.js"
import type { NodeJob, NodeOrder } from "./processes.js"

// Written by the parent.
const { accessKeyId, database, internalTransfers = false, mining = "auto", port, secretAccessKey } = JSON.parse(
  process.env["DRILL_JOB"] ?? "{}"
) as NodeJob

// The parent is gone.
process.stdin.on("close", () => process.exit(1))

/**
 * Contracts whose logs tell the truth, which every index must show as the sandbox does. Of others, the sandbox sees
 * what each transaction wrote and asks after each block; an index that is behind learns at the end what they say then, but
 * not the owners and descriptions in between.
 */
const logging = stories.filter(({ name }) => ["KIP-17", "KIP-37"].includes(name))

const transactionsInBlock = 6

/** The coin that each run of the generator takes from the faucet. */
const generatorFunds = 10n ** 27n

/** Blocks of random operations on a new contract. */
const operate = ({ chains }: Sandbox.Sandbox["Type"], seed: string, blocks: number) =>
  Effect.gen(function*() {
    const chain = chains.chain(1001)
    const random = new Random(seed)
    const story = random.pick(logging)
    const running = yield* Effect.fromNullable(story).pipe(
      Effect.flatMap(({ begin }) => begin(chain, ["alice", "bob", "carol"].map(chains.account), blocks))
    )
    for (let done = 0; done < blocks; done++) {
      yield* chain.sendBlock(Array.from({ length: transactionsInBlock }, () => running.next(random, done)))
    }
  })

const obey = (sandbox: Sandbox.Sandbox["Type"], order: NodeOrder) =>
  Effect.gen(function*() {
    const chain = sandbox.chains.chain(1001)
    switch (order.verb) {
      case "begin":
        yield* Effect.provideService(nodeWorld.make, Sandbox.Sandbox, sandbox)
        break
      case "transfers": {
        const faucet = yield* Effect.flatten(chain.account(chain.faucet.address))
        if (faucet.balance > 2n * generatorFunds) {
          yield* Generator.generate(chain, { seed: order.seed, transfers: order.blocks * 20, accounts: 4 })
        } else yield* operate(sandbox, order.seed, order.blocks)
        break
      }
      case "operations":
        yield* operate(sandbox, order.seed, order.blocks)
        break
      case "fork": {
        const snapshot = yield* chain.snapshot
        yield* operate(sandbox, `${order.seed} taken back`, order.blocks)
        // Long enough for a gateway to see these blocks.
        yield* Effect.sleep("1500 millis")
        // A bad day may have taken the snapshot's block back.
        yield* Effect.catchTag(chain.revert(snapshot), "SnapshotNotFound", () => Effect.void)
        yield* operate(sandbox, order.seed, order.blocks)
        break
      }
      case "names":
        return { names: yield* namesOf(chain), head: (yield* chain.head).number }
    }
    return { head: (yield* chain.head).number }
  })

const program = Effect.gen(function*() {
  const sandbox = yield* Sandbox.make({
    database,
    port,
    credentials: { accessKeyId, secretAccessKey: Redacted.make(secretAccessKey) },
    mining,
    internalTransfers,
    explorer: false
  })
  const write = (line: unknown) => Effect.sync(() => void process.stdout.write(`${JSON.stringify(line)}\n`))
  const orders = yield* Queue.unbounded<NodeOrder>()
  // An iterator of lines would lose those that come before it is read.
  createInterface({ input: process.stdin }).on("line", (line) => orders.unsafeOffer(JSON.parse(line) as NodeOrder))
  yield* write({ ready: sandbox.url })
  yield* Effect.forever(Effect.flatMap(Effect.flatMap(orders, (order) => obey(sandbox, order)), write))
})

await Effect.runPromise(Effect.scoped(program))
process.exit(0)
