import * as Address from "@effect-klaytn/core/Address"
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as Hash from "@effect-klaytn/core/Hash"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as PrivateKey from "@effect-klaytn/transaction/PrivateKey"
import type * as Result from "@effect-klaytn/transaction/Result"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { inspect } from "node:util"
import * as Client from "../../../core/test/support/client.js"
import * as Contract from "../../src/Contract.js"
import * as Signer from "../../src/Signer.js"
import * as records from "../golden/records.js"
import { bob, token } from "../golden/row.js"
import * as TestNode from "../support/testNode.js"

const keys = [1, 2, 3].map((n) => Redacted.make(`0x${String(n).repeat(64)}`))
const [key, second, payerKey] = keys as [
  Redacted.Redacted<string>,
  Redacted.Redacted<string>,
  Redacted.Redacted<string>
]
const addressOf = (one: Redacted.Redacted<string>) => {
  const address = PrivateKey.toAddress(Redacted.value(one) as Hex)
  return address.ok ? address.value : assert.fail("no key")
}
const alice = addressOf(key)
const payer = addressOf(payerKey)

const quantity = (value: number | bigint) => `0x${value.toString(16)}`

const opened = <A>(result: Result.Result<A>): A => result.ok ? result.value : assert.fail(result.error.message)

/** A transaction in a block of the fake chain. */
interface Mined {
  readonly hash: string
  readonly from: string
  readonly nonce: bigint
  readonly block: bigint
  readonly status: number
}

/** A chain that mines what `answer` lets through when it is told to. */
const chain = (
  options: {
    readonly answer?: (raw: string, sent: number) => unknown
    readonly estimate?: unknown
    /** What the node suggests for a unit of gas, and as a tip. */
    readonly gasPrice?: string
    /** Whether the node leaves out of its count what waits. */
    readonly isBehind?: boolean
    /** The oldest block whose state the node has. */
    readonly statesFrom?: bigint
  } = {}
) => {
  const state = {
    head: 100n,
    pending: [] as Array<Mined>,
    mined: [] as Array<Mined>,
    raws: [] as Array<string>,
    status: 1,
    senderTxHash: null as string | null
  }
  const countAt = (from: unknown, height: bigint) =>
    state.mined.filter((one) => one.from === from && one.block <= height).length
  const accept = (raw: string) => {
    const transaction = opened(Transaction.decode(raw as Hex, { chainId: 1001 }))
    const hash = opened(Transaction.hash(transaction))
    const from = "from" in transaction ? transaction.from : ""
    if (![...state.pending, ...state.mined].some((one) => one.hash === hash)) {
      state.pending.push({ hash, from, nonce: transaction.nonce, block: 0n, status: 1 })
    }
    return hash
  }
  const wire = ({ block, from, hash, nonce, status }: Mined) => {
    const transaction = records.transaction(records.transfer)
    return {
      ...transaction,
      senderTxHash: state.senderTxHash,
      hash,
      from,
      nonce: quantity(nonce),
      blockNumber: quantity(block),
      status: quantity(status)
    }
  }
  const find = (hash: unknown) => state.mined.find((one) => one.hash === hash)
  const node = TestNode.make({
    klay_blockNumber: () => quantity(state.head),
    klay_isContractAccount: ([address]) => address === token,
    klay_gasPrice: () => options.gasPrice ?? "0x5d21dba00",
    klay_estimateGas: () => options.estimate ?? "0x5208",
    klay_getTransactionCount: ([from, at]) =>
      typeof at === "string" && at.startsWith("0x") && BigInt(at) < (options.statesFrom ?? 0n) ?
        new TestNode.Said(-32000, "missing trie node") :
        quantity(
          at === "pending" && options.isBehind !== true
            ? countAt(from, state.head) + state.pending.filter((one) => one.from === from).length
            : countAt(from, at === "latest" || at === "pending" ? state.head : BigInt(String(at)))
        ),
    klay_sendRawTransaction: ([raw]) => {
      state.raws.push(String(raw))
      return options.answer?.(String(raw), state.raws.length) ?? accept(String(raw))
    },
    klay_getTransactionByHash: ([hash]) => {
      const found = find(hash) ?? state.pending.find((one) => one.hash === hash)
      return found === undefined ? TestNode.none : wire(found)
    },
    klay_getTransactionReceipt: ([hash]) => {
      const found = find(hash)
      return found === undefined ? TestNode.none : {
        ...records.receipt(records.transfer),
        ...wire(found),
        transactionHash: found.hash
      }
    },
    klay_maxPriorityFeePerGas: () => "0x1",
    klay_getHeaderByNumber: () => ({ ...records.header, number: quantity(state.head), baseFeePerGas: "0x826299e00" }),
    klay_getBlockByNumber: ([height]) => ({
      ...records.header,
      size: "0x1",
      number: height,
      transactions: state.mined.filter(({ block }) => block === BigInt(String(height))).map(wire)
    })
  })
  /** Puts what waits into a block. */
  const mine = () => {
    state.head++
    state.mined.push(...state.pending.map((one) => ({ ...one, block: state.head, status: state.status })))
    state.pending = []
  }
  /** Another transaction of the account takes its next nonce. */
  const overtake = (from: string) => {
    state.pending = []
    state.pending.push({
      hash: `0x${"cc".repeat(32)}`,
      from,
      nonce: BigInt(countAt(from, state.head)),
      block: 0n,
      status: 1
    })
    mine()
  }
  return { state, node, mine, accept, overtake }
}

const request: Signer.Request = { to: bob, value: 5n }

/** Starts a send, lets the chain do something, and returns the outcome. */
const outcome = (
  fake: ReturnType<typeof chain>,
  then: () => void,
  options: { readonly keys?: Parameters<typeof Signer.fromKeys>[0]; readonly request?: Signer.Request } = {}
) =>
  Effect.gen(function*() {
    const signer = yield* Signer.fromKeys(options.keys ?? { privateKeys: [key] })
    const fiber = yield* Effect.fork(Effect.either(signer.send(options.request ?? request, { within: "10 seconds" })))
    yield* TestClock.adjust("1 second")
    then()
    yield* TestClock.adjust("1 minute")
    return yield* Fiber.join(fiber)
  }).pipe(Effect.provide(fake.node.layer))

const tagOf = (result: Either.Either<unknown, { readonly _tag: string }>) =>
  Either.isRight(result) ? "Sent" : result.left._tag

const decoded = (fake: ReturnType<typeof chain>, at = 0) =>
  opened(Transaction.decode((fake.state.raws[at] ?? "0x") as Hex, { chainId: 1001 }))

describe("a send with a key", () => {
  it.effect("fills in nonce, gas, price and type, and ends with its receipt", () =>
    Effect.gen(function*() {
      const fake = chain()
      fake.state.mined.push({ hash: "0x1", from: alice, nonce: 0n, block: 5n, status: 1 })
      const result = yield* outcome(fake, fake.mine)
      const sent = yield* result
      assert.deepInclude(decoded(fake), {
        type: "ValueTransfer",
        nonce: 1n,
        gas: 21_000n,
        gasPrice: 25_000_000_000n,
        from: alice,
        to: bob,
        value: 5n
      })
      assert.deepStrictEqual([sent.transactionHash, sent.receipt.blockNumber], [
        opened(Transaction.hash(decoded(fake))),
        101n
      ] as unknown)
    }))

  it.effect("keeps what is given", () =>
    Effect.gen(function*() {
      const fake = chain()
      yield* outcome(fake, fake.mine, {
        request: { to: token, value: 5n, input: "0x01", nonce: 7n, gas: 9n, gasPrice: 3n }
      })
      assert.deepInclude(decoded(fake), {
        type: "SmartContractExecution",
        nonce: 7n,
        gas: 9n,
        gasPrice: 3n,
        input: "0x01"
      })
    }))

  it.effect("to an account without code has its input as a memo", () =>
    Effect.gen(function*() {
      const fake = chain()
      yield* outcome(fake, fake.mine, { request: { ...request, input: "0x6869" } })
      assert.deepInclude(decoded(fake), { type: "ValueTransferMemo", to: bob, input: "0x6869" })
    }))

  it.effect("of code creates a contract", () =>
    Effect.gen(function*() {
      const fake = chain({ estimate: "0x10000" })
      yield* outcome(fake, fake.mine, { request: { input: "0x6001" } })
      assert.deepInclude(decoded(fake), { type: "SmartContractDeploy", input: "0x6001", value: 0n, gas: 0x10000n })
    }))

  it.effect("has the gas that the chain asks for the bytes of code at least, whatever the estimate", () =>
    Effect.gen(function*() {
      const input = `0x${"ff".repeat(3000)}` as const
      for (const [estimate, isFloor] of [["0x10000", true], ["0x100000", false]] as const) {
        const fake = chain({ estimate })
        yield* outcome(fake, fake.mine, { request: { input } })
        const { gas } = decoded(fake)
        assert.strictEqual(gas, isFloor ? 53_000n + 40n * 3000n : 0x100000n)
      }
    }))

  it.effect("of an account with several keys is signed with each, and so is the fee payer's part; the gas pays for that", () =>
    Effect.gen(function*() {
      const fake = chain()
      const result = yield* outcome(fake, fake.mine, {
        keys: {
          address: token,
          privateKeys: [key, second],
          feePayer: { privateKeys: [payerKey] }
        }
      })
      assert.strictEqual(tagOf(result), "Sent")
      const transaction = decoded(fake)
      // 10,000 for the fee payer, 15,000 for the second signature.
      assert.deepInclude(transaction, {
        type: "FeeDelegatedValueTransfer",
        from: token,
        feePayer: payer,
        gas: 46_000n
      })
      if (!Transaction.isFeeDelegatedTransaction(transaction)) return assert.fail("no fee payer")
      const senders = opened(Transaction.recoverSenders(transaction, { chainId: 1001 }))
      const payers = opened(Transaction.recoverFeePayers(transaction, { chainId: 1001 }))
      assert.deepStrictEqual([senders, payers].map((list) => list.map(({ address }) => address)), [
        [alice, addressOf(second)],
        [payer]
      ])
    }))

  it.effect("takes one nonce after the other, also if the node does not count what waits", () =>
    Effect.gen(function*() {
      const fake = chain({ isBehind: true })
      const signer = yield* Signer.fromKeys({ privateKeys: [key] })
      const fiber = yield* Effect.fork(
        Effect.all([1, 2, 3].map(() => signer.send(request)), { concurrency: "unbounded" }).pipe(
          Effect.provide(fake.node.layer)
        )
      )
      yield* TestClock.adjust("1 second")
      fake.mine()
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(fake.state.raws.map((_, i) => decoded(fake, i).nonce), [0n, 1n, 2n])
    }))

  it.effect("fails in the block as FailedInBlock", () =>
    Effect.gen(function*() {
      const fake = chain()
      fake.state.status = 0
      const result = yield* outcome(fake, fake.mine)
      assert.strictEqual(tagOf(result), "FailedInBlock")
    }))
})

const said = (code: number, message: string) => () => new TestNode.Said(code, message)

describe("a send that is not accepted", () => {
  it.effect("is not sent if the estimate fails, or the request can't be", () =>
    Effect.gen(function*() {
      const fake = chain({ estimate: new TestNode.Said(-32000, "insufficient funds for gas * price + value") })
      const poor = Either.flip(yield* outcome(fake, fake.mine))
      assert.deepInclude(Either.getOrThrow(poor), { _tag: "NotSent", from: alice } as never)
      const reason = Either.map(poor, (error) => error._tag === "NotSent" ? error.reason._tag : "")
      assert.deepStrictEqual(reason, Either.right("InsufficientFunds"))
      const bad = yield* outcome(fake, fake.mine, { request: { to: "0x12" } })
      const none = yield* outcome(fake, fake.mine, { request: {} })
      assert.deepStrictEqual([tagOf(bad), tagOf(none)], ["NotSent", "NotSent"])
      assert.deepStrictEqual(fake.state.raws, [])
    }))

  it.effect.each(
    [
      ["the chain", said(-32000, "invalid chain id")],
      ["too little gas", said(-32000, "intrinsic gas too low")],
      ["the method", said(-32601, "the method does not exist/is not available")]
    ] as const
  )("for its bytes is not sent: %s", ([, answer]) =>
    Effect.gen(function*() {
      const fake = chain({ answer })
      const result = yield* outcome(fake, fake.mine)
      assert.strictEqual(tagOf(result), "NotSent")
    }))

  it.effect.each(
    [
      ["funds", "insufficient funds for gas * price + value", "InsufficientFunds"],
      ["a full pool", "txpool is full", "TransactionRefused"],
      ["the price", "invalid unit price", "TransactionRefused"],
      ["the key", "invalid transaction v, r, s values of the sender", "TransactionRefused"],
      ["words that nobody knows", "not today", "RpcFailed"],
      ["the nonce", "nonce too low", "OutcomeUnknown"]
    ] as const
  )("for the state of the chain is in doubt: %s", ([, message, tag]) =>
    Effect.gen(function*() {
      const fake = chain({ answer: said(-32000, message) })
      const result = yield* outcome(fake, fake.mine)
      const error = yield* Either.flip(result)
      if (error._tag !== "SendUnknown") return assert.fail(error._tag)
      assert.deepStrictEqual([error.reason, error.failure?._tag, error.nonce], ["answer", tag, 0n])
    }))

  it.effect("because another copy was executed is sent", () =>
    Effect.gen(function*() {
      const fake: ReturnType<typeof chain> = chain({
        answer: (raw) => {
          fake.accept(raw)
          fake.mine()
          return new TestNode.Said(-32000, "insufficient funds for gas * price + value")
        }
      })
      assert.strictEqual(tagOf(yield* outcome(fake, () => undefined)), "Sent")
    }))

  it.effect("because another transaction with its nonce waits is superseded once that is in a block", () =>
    Effect.gen(function*() {
      const taken = "there is another tx which has the same nonce in the tx pool"
      const fake = chain({ answer: said(-32000, taken) })
      const error = yield* Either.flip(yield* outcome(fake, () => fake.overtake(alice)))
      assert.deepInclude(error, { _tag: "Superseded", by: `0x${"cc".repeat(32)}`, nonce: 0n } as never)
    }))

  it.effect("because a block has another transaction with its nonce is superseded", () =>
    Effect.gen(function*() {
      const fake: ReturnType<typeof chain> = chain({
        answer: () => {
          fake.overtake(alice)
          return new TestNode.Said(-32000, "nonce too low")
        }
      })
      const error = yield* Either.flip(yield* outcome(fake, () => undefined))
      assert.deepInclude(
        error,
        { _tag: "Superseded", by: `0x${"cc".repeat(32)}`, blockNumber: 101n, nonce: 0n } as never
      )
    }))
})

it.effect.each([undefined, null, "0x", 5])(
  "a request that is no object is not sent: %o",
  (request) =>
    Effect.gen(function*() {
      const signer = yield* Signer.fromKeys({ privateKeys: [key] })
      const fake = chain()
      const exit = yield* Effect.exit(Effect.provide(signer.send(request as never), fake.node.layer))
      assert.deepStrictEqual(
        Exit.isFailure(exit) && Option.getOrUndefined(Cause.failureOption(exit.cause))?._tag,
        "NotSent"
      )
      assert.deepStrictEqual(fake.state.raws, [])
    })
)

describe("a price that the node says", () => {
  const signers = {
    "a key": (maxGasPrice?: bigint) => Signer.fromKeys({ privateKeys: [key], maxGasPrice }),
    "a key of Ethereum's types": (maxGasPrice?: bigint) => Signer.fromEthereumKey(key, { maxGasPrice })
  }

  it.effect.each(Object.keys(signers) as ReadonlyArray<keyof typeof signers>)(
    "above the bound is not paid by %s, and the error has both figures and the base fee",
    (name) => {
      const fake = chain({ gasPrice: quantity(750_000_000_001n) })
      return Effect.gen(function*() {
        const signer = yield* signers[name]()
        const error = yield* Effect.flip(signer.send(request))
        assert(error._tag === "NotSent" && error.reason._tag === "PriceTooHigh")
        assert.deepInclude(error.reason, {
          gasPrice: 750_000_000_001n,
          maxGasPrice: Signer.defaultMaxGasPrice,
          baseFee: 35_000_000_000n
        })
        assert.match(error.message, /750\.000000001 gkei .* 750 gkei, at a base fee of 35 gkei/)
        assert.deepStrictEqual(fake.state.raws, [])
        // One that is named is, and so is one within a bound that was chosen.
        const named = yield* signer.prepare({ ...request, gasPrice: 800_000_000_000n })
        assert.notStrictEqual(named.raw, "0x")
        const bold = yield* signers[name](750_000_000_001n)
        assert.notStrictEqual((yield* bold.prepare(request)).raw, "0x")
        const frugal = yield* signers[name](750_000_000_000n)
        assert.strictEqual((yield* Effect.flip(frugal.prepare(request)))._tag, "NotSent")
        const refused = yield* Effect.flip(signers[name](0n))
        assert.strictEqual(refused._tag, "InvalidInput")
      }).pipe(Effect.provide(fake.node.layer))
    }
  )
})

describe("a send that was accepted", () => {
  it.effect("and is in no block in time is in doubt, and a later look finds it", () =>
    Effect.gen(function*() {
      const fake = chain()
      const error = yield* Either.flip(yield* outcome(fake, () => undefined))
      if (error._tag !== "SendUnknown") return assert.fail(error._tag)
      assert.strictEqual(error.reason, "receipt")
      fake.mine()
      const sent = yield* Signer.reconcile(error).pipe(Effect.provide(fake.node.layer))
      assert.strictEqual(sent.transactionHash, error.transactionHash)
    }))

  it.effect("and has a receipt is found once the account's count says that its nonce is used", () =>
    Effect.gen(function*() {
      const fake = chain()
      const error = yield* Either.flip(yield* outcome(fake, () => undefined))
      if (error._tag !== "SendUnknown") return assert.fail(error._tag)
      const look = Effect.either(Signer.reconcile(error, { within: 0 })).pipe(Effect.provide(fake.node.layer))
      const { head, mined, pending } = fake.state
      mined.push(...pending.map((one) => ({ ...one, block: head + 5n })))
      assert.strictEqual(tagOf(yield* look), "SendUnknown")
      fake.state.head = head + 5n
      assert.strictEqual(tagOf(yield* look), "Sent")
    }))

  it.effect("and lost its nonce to another one is superseded only when that is in a block", () =>
    Effect.gen(function*() {
      const fake = chain()
      const error = yield* Either.flip(
        yield* outcome(fake, () => {
          fake.mine = () => undefined
          fake.overtake(alice)
        })
      )
      assert.deepInclude(error, { _tag: "Superseded", nonce: 0n } as never)
    }))

  it.effect("and was signed anew by another fee payer is found by its sender's part", () =>
    Effect.gen(function*() {
      const fake = chain()
      const keys = { privateKeys: [key], feePayer: { privateKeys: [payerKey] } }
      const hash = `0x${"cc".repeat(32)}`
      const result = yield* outcome(fake, () => {
        const sent = decoded(fake)
        fake.state.senderTxHash = opened(Transaction.senderHash(sent))
        fake.overtake(alice)
      }, { keys })
      assert.strictEqual((yield* result).transactionHash, hash as never)
      const other = chain()
      const error = yield* Either.flip(
        yield* outcome(other, () => {
          other.state.senderTxHash = `0x${"dd".repeat(32)}`
          other.overtake(alice)
        }, { keys })
      )
      assert.deepInclude(error, { _tag: "Superseded", by: hash } as never)
      const silent = chain()
      const doubt = yield* Either.flip(yield* outcome(silent, () => silent.overtake(alice), { keys }))
      assert.strictEqual(doubt._tag, "SendUnknown")
    }))

  it.effect("is waited for no longer than a deadline around it", () =>
    Effect.gen(function*() {
      const fake = chain()
      const signer = yield* Signer.fromKeys({ privateKeys: [key] })
      const error = yield* signer.send(request).pipe(
        Deadline.withDeadline("3 seconds"),
        Effect.flip,
        Effect.provide(fake.node.layer),
        Client.within("3 seconds")
      )
      assert.strictEqual(error._tag, "SendUnknown")
    }))

  it.effect("and vanished from the pool is in doubt", () =>
    Effect.gen(function*() {
      const fake = chain()
      const error = yield* Either.flip(
        yield* outcome(fake, () => {
          fake.state.pending = []
        })
      )
      assert.strictEqual(error._tag, "SendUnknown")
    }))

  it.effect("is found in the middle of a long chain by the block of its nonce", () =>
    Effect.gen(function*() {
      const fake = chain()
      const from = addressOf(second)
      fake.state.head = 5000n
      for (const block of [7n, 100n, 2345n, 4999n]) {
        const nonce = BigInt(fake.state.mined.length)
        fake.state.mined.push({ hash: `0x${"ab".repeat(31)}0${nonce}`, from, nonce, block, status: 1 })
      }
      for (const [nonce, block] of [7n, 100n, 2345n, 4999n].entries()) {
        const unknown = new Signer.SendUnknown({
          from: Schema.decodeSync(Schema.typeSchema(Schema.Any))(from),
          nonce: BigInt(nonce),
          transactionHash: Schema.decodeSync(Hash.FromWire)(`0x${"ee".repeat(32)}`),
          reason: "receipt"
        })
        const error = yield* Effect.flip(Signer.reconcile(unknown)).pipe(Effect.provide(fake.node.layer))
        assert.deepInclude(
          error,
          { _tag: "Superseded", blockNumber: block, by: `0x${"ab".repeat(31)}0${nonce}` } as never
        )
      }
    }))

  it.effect("is found near the newest block on a node that has no old states", () =>
    Effect.gen(function*() {
      const fake = chain({ statesFrom: 4000n })
      fake.state.head = 5000n
      const by = `0x${"ab".repeat(32)}` as const
      fake.state.mined.push({ hash: by, from: alice, nonce: 0n, block: 4700n, status: 1 })
      const unknown = new Signer.SendUnknown({
        from: Schema.decodeSync(Address.FromWire)(alice),
        nonce: 0n,
        transactionHash: Schema.decodeSync(Hash.FromWire)(`0x${"ee".repeat(32)}`),
        reason: "receipt"
      })
      const error = yield* Effect.flip(Signer.reconcile(unknown)).pipe(Effect.provide(fake.node.layer))
      assert.deepInclude(error, { _tag: "Superseded", blockNumber: 4700n, by } as never)
    }))
})

describe("a prepared transaction", () => {
  it.effect("sends nothing, and is executed once however often it is submitted", () => {
    const fake = chain()
    return Effect.gen(function*() {
      const signer = yield* Signer.fromKeys({ privateKeys: [key] })
      const prepared = yield* signer.prepare(request)
      assert.deepStrictEqual(fake.state.raws, [])
      const fiber = yield* Effect.fork(
        Effect.all([signer.submit(prepared), signer.submit(prepared)], { concurrency: 2 })
      )
      yield* TestClock.adjust("1 second")
      fake.mine()
      yield* TestClock.adjust("1 second")
      const [one, other] = yield* Fiber.join(fiber)
      assert.deepStrictEqual(one.transactionHash, other.transactionHash)
      assert.deepStrictEqual([fake.state.raws.length, fake.state.mined.length], [2, 1])
    }).pipe(Effect.provide(fake.node.layer))
  })
})

describe("keys", () => {
  const secret = "0x11111111111111111111111111111111111111111111111111111111111111zz"

  it.effect.each(
    [
      ["none", { privateKeys: [] }, ["privateKeys"]],
      ["one that is none", { privateKeys: [Redacted.make(secret)] }, ["privateKeys"]],
      ["several without an address", { privateKeys: [key, second] }, ["address"]],
      ["a wrong address", { address: "0x12", privateKeys: [key] }, ["address"]],
      ["a fee payer's that is none", { privateKeys: [key], feePayer: { privateKeys: [Redacted.make("")] } }, [
        "feePayer",
        "privateKeys"
      ]]
    ] as const
  )("are refused without being shown: %s", ([, keys, path]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Signer.fromKeys(keys))
      assert.deepStrictEqual(error.path, path)
      assert.notInclude(`${error.message} ${JSON.stringify(error)}`, secret.slice(2))
    }))

  it.effect.each([{}, { privateKeys: [key], feePayer: null }, { privateKeys: key }, { privateKeys: null }])(
    "that are no list of keys are refused: %o",
    (given) =>
      Effect.gen(function*() {
        const exit = yield* Effect.exit(Effect.suspend(() => Signer.fromKeys(given as never)))
        assert.isTrue(Exit.isFailure(exit) && Cause.isFailure(exit.cause) && !Cause.isDie(exit.cause))
      })
  )

  it.effect("are in no signer that is printed, and in no error", () =>
    Effect.gen(function*() {
      const fake = chain({ answer: said(-32000, "txpool is full") })
      const signer = yield* Signer.fromKeys({ privateKeys: [key] })
      const error = yield* Either.flip(yield* outcome(fake, fake.mine))
      const shown = [signer, error].map((one) => `${inspect(one, { depth: 10 })} ${JSON.stringify(one)} ${String(one)}`)
      assert.notInclude(shown.join(), Redacted.value(key).slice(2))
    }))
})

describe("a wallet with a provider", () => {
  const using = (request: Signer.Wallet["request"], fake = chain()) =>
    Effect.gen(function*() {
      const signer = yield* Signer.fromProvider({ request }, alice)
      const fiber = yield* Effect.fork(Effect.either(signer.send({ to: bob, value: 5n, input: "0x01" })))
      yield* Effect.promise(() => Promise.resolve())
      yield* TestClock.adjust("2 minutes")
      return yield* Fiber.join(fiber)
    }).pipe(Effect.provide(fake.node.layer))

  it.effect("is asked to send, and its transaction is followed", () =>
    Effect.gen(function*() {
      const fake = chain()
      const asked: Array<unknown> = []
      const hash = `0x${"dd".repeat(32)}`
      const result = yield* using((one) => {
        asked.push(one)
        fake.state.pending.push({ hash, from: alice, nonce: 0n, block: 0n, status: 1 })
        fake.mine()
        return Promise.resolve(hash)
      }, fake)
      const sent = yield* result
      assert.strictEqual(sent.transactionHash, hash as never)
      assert.deepStrictEqual(asked, [{
        method: "eth_sendTransaction",
        params: [{ from: alice, to: bob, value: "0x5", data: "0x01" }]
      }])
    }))

  it.effect.each(
    [
      ["is declined", { code: 4001, message: "User rejected" }, "SigningFailed"],
      ["has no such method", { code: -32601, message: "no such method" }, "NotSent"],
      ["lost its connection", new Error("socket hang up"), "SendUnknown"],
      ["has too little", { code: -32000, message: "insufficient funds" }, "SendUnknown"],
      ["says nothing", undefined, "SendUnknown"]
    ] as const
  )("fails by what is known when it %s", ([, thrown, tag]) =>
    Effect.gen(function*() {
      assert.strictEqual(tagOf(yield* using(() => Promise.reject(thrown))), tag)
    }))

  it.effect("is followed by the hash of its answer, in any letter case", () =>
    Effect.gen(function*() {
      const result = yield* using(() => Promise.resolve(`0x${"DD".repeat(32)}`))
      assert.deepInclude(Either.isLeft(result) ? result.left : {}, {
        _tag: "SendUnknown",
        reason: "receipt",
        transactionHash: `0x${"dd".repeat(32)}`
      })
    }))

  it.effect.each([["no hash", "0x12"], ["null", null]] as const)(
    "is in doubt after an answer with %s",
    ([, answer]) =>
      Effect.gen(function*() {
        assert.strictEqual(tagOf(yield* using(() => Promise.resolve(answer))), "SendUnknown")
      })
  )
})

describe("a contract", () => {
  const abi = ["constructor(uint256 supply)", "function stop() payable", "error Closed(uint256 since)"] as const

  it.effect("is written to with a signer, and says why an estimate was reverted", () =>
    Effect.gen(function*() {
      const fake = chain()
      const signer = yield* Signer.fromKeys({ privateKeys: [key] })
      const contract = yield* Contract.make({ address: token, abi })
      const write = contract.write("stop", [], { signer, value: 3n, within: "5 seconds" })
      const fiber = yield* Effect.fork(Effect.provide(write, fake.node.layer))
      yield* TestClock.adjust("1 second")
      fake.mine()
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual((yield* Fiber.join(fiber)).events, [])
      assert.deepInclude(decoded(fake), { to: token, value: 3n, input: Either.getOrThrow(contract.encode("stop", [])) })

      const { encode, fromAbi } = yield* Effect.promise(() => import("ox/AbiError"))
      const data = encode(fromAbi(contract.abi, "Closed"), [7n])
      const closed = chain({ estimate: new TestNode.Said(3, "execution reverted", data) })
      const error = yield* Effect.flip(Effect.provide(write, closed.node.layer))
      assert.deepInclude(error, { _tag: "ContractReverted", errorName: "Closed", args: [7n] } as never)
      assert.deepStrictEqual(closed.state.raws, [])
    }))

  it.effect("is created from its code and the arguments of its constructor", () =>
    Effect.gen(function*() {
      const fake = chain()
      const signer = yield* Signer.fromKeys({ privateKeys: [key] })
      const deploy = Contract.deploy({ abi, bytecode: "0x60FF", args: [5n], signer, within: "2 seconds" })
      const fiber = yield* Effect.fork(Effect.either(Effect.provide(deploy, fake.node.layer)))
      yield* TestClock.adjust("1 second")
      assert.deepInclude(decoded(fake), { type: "SmartContractDeploy", input: `0x60ff${"5".padStart(64, "0")}` })
      yield* Fiber.interrupt(fiber)
      // As a program without types would.
      const wrong = Contract.deploy({ abi, bytecode: "0x60ff", args: [] as never, signer })
      assert.strictEqual((yield* Effect.flip(Effect.provide(wrong, fake.node.layer)))._tag, "AbiMismatch")
    }))

  it.effect("is not created from code without 0x, with or without a constructor", () =>
    Effect.gen(function*() {
      const fake = chain()
      const signer = yield* Signer.fromKeys({ privateKeys: [key] })
      const deploys = [
        Effect.flip(Contract.deploy({ abi, bytecode: "6001", args: [5n], signer })),
        Effect.flip(Contract.deploy({ abi: [], bytecode: "6001", args: [], signer }))
      ]
      const fiber = yield* Effect.fork(Effect.provide(Effect.all(deploys), fake.node.layer))
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual((yield* Fiber.join(fiber)).map(({ _tag }) => _tag), ["AbiMismatch", "AbiMismatch"])
      assert.deepStrictEqual(fake.state.raws, [])
    }))
})
