import type { Hex } from "@effect-klaytn/transaction/Hex"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Sandbox from "../src/Sandbox.js"
import * as TokenContract from "../src/TokenContract.js"
import { contractOf, signed } from "./support/nodeWorld.js"
import * as Rpc from "./support/rpc.js"

const sandbox = Sandbox.layer({ seed: "access lists", clock: { start: 1_600_000_000, step: 1 } })

const price = 25_000_000_000n
const slot = (value: number | bigint): Hex => `0x${value.toString(16).padStart(64, "0")}`
const bare = (address: string) => address.slice(2)

interface Answer {
  readonly accessList: ReadonlyArray<{ readonly address: Hex; readonly storageKeys: ReadonlyArray<Hex> }>
  readonly gasUsed: Hex
  readonly error?: string
}

/** The answer to a call; what its fields hold is what each test goes on to say. */
const ask = (call: object, ...block: ReadonlyArray<unknown>) =>
  Effect.map(Rpc.call("klay_createAccessList", call, ...block), (answer) => answer as Answer)

const actors = Effect.map(Sandbox.Sandbox, ({ chains }) => ({
  chain: chains.chain(1001),
  alice: chains.account("alice"),
  bob: chains.account("bob"),
  carol: chains.account("carol")
}))

/** A failure without the hash of the transaction that was made up of the call, which RpcPrices.test.ts compares with a node's. */
const withoutHash = <E extends { readonly message: string }>(failure: E) => ({
  ...failure,
  message: failure.message.replace(/transaction: 0x[0-9a-f]{64}/, "transaction: HASH")
})

/** Deploys code given as hex without 0x. */
const deploy = (code: string) =>
  Effect.gen(function*() {
    const { alice, chain } = yield* actors
    const { contractAddress } = yield* chain.execute({ kind: "deploy", from: alice, code: contractOf(code) })
    return contractAddress ?? assert.fail("no contract")
  })

/** What a transaction of alice with a list is charged for, and taken back afterwards. */
const charged = (call: { readonly to?: Hex; readonly input: Hex }, accessList: Answer["accessList"]) =>
  Effect.gen(function*() {
    const { alice, chain } = yield* actors
    const before = yield* chain.snapshot
    const hash = yield* chain.submitRaw(signed(alice, {
      type: "EthereumAccessList",
      chainId: 1001,
      nonce: yield* chain.pendingNonce(alice.address),
      gas: 5_000_000n,
      gasPrice: price,
      value: 0n,
      ...call,
      accessList
    }))
    const record = Option.getOrThrow(yield* chain.transaction(hash))
    yield* chain.revert(before)
    return record
  })

/** What a transaction with the list costs: the answer leaves out the list itself. */
const withList = (gasUsed: string, list: Answer["accessList"]): bigint =>
  list.reduce((sum, { storageKeys }) => sum + 2_400n + 1_900n * BigInt(storageKeys.length), BigInt(gasUsed))

layer(sandbox, { excludeTestServices: true })("An access list", (it) => {
  it.effect("names what a transaction touches, and a transaction with it costs what it says", () =>
    Effect.gen(function*() {
      const { alice, bob, chain } = yield* actors
      const token = yield* TokenContract.deploy(chain, alice, { kind: "ft", name: "Coin", symbol: "CN" })
      yield* TokenContract.mint(chain, alice, token, { kind: "ft", to: alice.address, amount: 1_000n })
      const input = TokenContract.transferCall(alice.address, { kind: "ft", to: bob.address, amount: 1_000n })
      const call = { from: alice.address, to: token.address, input }
      const { accessList, gasUsed, ...rest } = yield* ask(call, "latest")
      assert.deepStrictEqual(rest, {})
      assert.deepStrictEqual(accessList.map(({ address }) => address), [token.address])
      // The balances of both, the flags of the token, whoever is paused: all of one contract.
      assert.isAtLeast(accessList[0]?.storageKeys.length ?? 0, 2)
      const record = yield* charged({ to: token.address, input }, accessList)
      assert.strictEqual(record.status, 1)
      // The balance that becomes nothing is refunded, which the answer counts too.
      assert.strictEqual(withList(gasUsed, accessList), record.gasUsed)
      const without = yield* charged({ to: token.address, input }, [])
      assert.notStrictEqual(without.gasUsed, record.gasUsed)
      assert.deepStrictEqual(yield* Rpc.call("eth_createAccessList", call), { accessList, gasUsed })
      assert.deepStrictEqual(yield* Rpc.call("kaia_createAccessList", call), { accessList, gasUsed })
    }))

  it.effect("leaves out the sender, the target and the precompiles, but no slot", () =>
    Effect.gen(function*() {
      const { alice, bob, carol } = yield* actors
      const library = yield* deploy("6001600755")
      const look = (instruction: string, address: string) => `73${bare(address)}${instruction}50`
      const to = yield* deploy([
        // CALLER and ADDRESS with their balances; those of bob (BALANCE) and of carol (EXTCODESIZE).
        "333150",
        "303150",
        look("31", bob.address),
        look("3b", carol.address),
        look("3f", bob.address),
        // STATICCALL of the precompiles 1 and 0x3fd, which are warm.
        "6000600060006000600161fffffa50",
        "600060006000600061",
        "03fd61fffffa50",
        // Slot 5 is read, and the library writes slot 7 of this contract.
        "60055450",
        `600060006000600073${bare(library)}62fffffff450`
      ].join(""))
      const call = { from: alice.address, to }
      const expected = [
        { address: bob.address, storageKeys: [] },
        { address: carol.address, storageKeys: [] },
        { address: to, storageKeys: [slot(5), slot(7)] },
        { address: library, storageKeys: [] }
      ]
      const { accessList, gasUsed } = yield* ask(call)
      assert.deepStrictEqual(accessList, expected)
      assert.strictEqual((yield* charged({ to, input: "0x" }, accessList)).gasUsed, withList(gasUsed, accessList))
      // Anybody else who looks at bob has nothing to announce of alice, and announces nothing of themselves.
      assert.deepStrictEqual((yield* ask({ from: bob.address, to })).accessList, expected.slice(1))
    }))

  it.effect("names an account that is called, and not another one whose code it runs", () =>
    Effect.gen(function*() {
      const { alice, chain } = yield* actors
      const [delegated, implementation] = [`0x${"d1".repeat(20)}`, `0x${"d2".repeat(20)}`] as const
      yield* chain.edit(implementation, { code: "0x00" })
      yield* chain.edit(delegated, { code: `0xef0100${bare(implementation)}` })
      for (const [instruction, value] of [["f1", "5f"], ["f2", "5f"], ["f4", ""], ["fa", ""]]) {
        const to = yield* deploy(`5f5f5f5f${value}73${bare(delegated)}5a${instruction}00`)
        const { accessList } = yield* ask({ from: alice.address, to })
        assert.deepStrictEqual(accessList, [{ address: delegated, storageKeys: [] }], instruction)
      }
      // Where code names it, it is there.
      const to = yield* deploy(`5f5f5f5f5f73${bare(delegated)}5af173${bare(implementation)}3100`)
      const { accessList } = yield* ask({ from: alice.address, to })
      assert.deepStrictEqual(accessList.map(({ address }) => address), [delegated, implementation])
    }))

  it.effect("keeps what is announced, except for addresses that need no announcement", () =>
    Effect.gen(function*() {
      const { alice, bob, carol } = yield* actors
      const to = yield* deploy("60055450")
      const { accessList } = yield* ask({
        from: alice.address,
        to,
        accessList: [
          { address: carol.address, storageKeys: [] },
          { address: alice.address, storageKeys: [] },
          { address: `0x${"1".padStart(40, "0")}`, storageKeys: [] },
          { address: to, storageKeys: [] },
          { address: bob.address, storageKeys: [slot(1), slot(1)] },
          { address: alice.address, storageKeys: [slot(2)] }
        ]
      })
      assert.deepStrictEqual(accessList, [
        { address: carol.address, storageKeys: [] },
        { address: bob.address, storageKeys: [slot(1)] },
        { address: alice.address, storageKeys: [slot(2)] },
        { address: to, storageKeys: [slot(5)] }
      ])
    }))

  it.effect("is looked for again while what is warm changes where the code goes", () =>
    Effect.gen(function*() {
      const { alice } = yield* actors
      // Slot 0 is read; only if that cost next to nothing is slot 2 read too, and only after that one slot 3.
      const warm = (label: number, read: string) => `5a${read}5a90036103e81160${label.toString(16).padStart(2, "0")}57`
      const to = yield* deploy([
        warm(0x10, "60005450"),
        "00",
        "5b",
        warm(0x21, "60025450"),
        "00",
        "5b",
        "60035450"
      ].join(""))
      const { accessList, gasUsed } = yield* ask({ from: alice.address, to })
      assert.deepStrictEqual(accessList, [{ address: to, storageKeys: [slot(0), slot(2), slot(3)] }])
      assert.strictEqual((yield* charged({ to, input: "0x" }, accessList)).gasUsed, withList(gasUsed, accessList))
    }))

  it.effect("can be given up while the code finds something new each time, and others get their turn meanwhile", () =>
    Effect.gen(function*() {
      const { alice, chain } = yield* actors
      // It reads the slot whose number is the gas that is left: each entry of the list makes that another one.
      const to = yield* deploy("5a5450")
      const { number } = yield* chain.head
      const endless = chain.accessList({ from: alice.address, to, gas: 20_000_000n })
      const blocks = Effect.replicateEffect(chain.mine(), 10)
      assert.strictEqual(yield* Effect.raceFirst(Effect.as(endless, "listed"), Effect.as(blocks, "mined")), "mined")
      assert.strictEqual((yield* chain.head).number, number + 10)
      assert.deepStrictEqual(
        withoutHash(yield* Rpc.failure("klay_createAccessList", { from: alice.address, to, gas: "0x186a0" })),
        { code: -32000, message: "failed to apply transaction: HASH err: intrinsic gas too low" }
      )
    }))

  it.effect("is told of an execution that fails too, with the reason", () =>
    Effect.gen(function*() {
      const { alice, bob } = yield* actors
      const reverting = yield* deploy(`73${bare(bob.address)}315060006000fd`)
      const list = [{ address: bob.address, storageKeys: [] }]
      const reverted = yield* ask({ from: alice.address, to: reverting })
      assert.deepStrictEqual(reverted, {
        accessList: list,
        error: "evm: execution reverted",
        gasUsed: `0x${((yield* charged({ to: reverting, input: "0x" }, list)).gasUsed - 2_400n).toString(16)}`
      })
      const invalid = yield* deploy(`73${bare(bob.address)}3150fe`)
      assert.deepStrictEqual(yield* ask({ from: alice.address, to: invalid, gas: "0x186a0" }), {
        accessList: list,
        error: "VM error occurs while running smart contract",
        gasUsed: "0x186a0"
      })
      const endless = yield* deploy("5b600056")
      assert.deepStrictEqual(yield* ask({ from: alice.address, to: endless, gas: "0x186a0" }), {
        accessList: [],
        error: "out of gas",
        gasUsed: "0x186a0"
      })
    }))

  it.effect("of a creation has the slots of the contract that comes to be", () =>
    Effect.gen(function*() {
      const { alice, chain } = yield* actors
      // The constructor writes slot 1 and looks at its own balance.
      const input = "0x6002600155303150" as const
      const { accessList, gasUsed } = yield* ask({ from: alice.address, input })
      const record = yield* charged({ input }, accessList)
      const address = record.contractAddress ?? assert.fail("no contract")
      assert.deepStrictEqual(accessList, [{ address, storageKeys: [slot(1)] }])
      assert.strictEqual(withList(gasUsed, accessList), record.gasUsed)
      assert.isTrue(Option.isNone(yield* chain.account(address)))
    }))

  it.effect("is of the block that is asked about", () =>
    Effect.gen(function*() {
      const { alice, chain } = yield* actors
      // Slot 1 says which slot to read; whoever calls with data writes it.
      const to = yield* deploy("3615600c57600035600155005b60015454")
      const { number } = yield* chain.head
      yield* chain.execute({ kind: "execute", from: alice, to, data: slot(9) })
      const at = (...block: ReadonlyArray<unknown>) =>
        Effect.map(ask({ from: alice.address, to }, ...block), ({ accessList }) => accessList[0]?.storageKeys)
      assert.deepStrictEqual(yield* at(), [slot(1), slot(9)])
      assert.deepStrictEqual(yield* at(number), [slot(1), slot(0)])
      assert.deepStrictEqual(yield* at({ blockNumber: `0x${(number + 1).toString(16)}` }), [slot(1), slot(9)])
    }))

  it.effect("leaves no trace: nothing is warm or written for whoever comes next", () =>
    Effect.gen(function*() {
      const { alice, bob, chain } = yield* actors
      const to = yield* deploy(`60016001556001545073${bare(bob.address)}3150`)
      const call = { from: alice.address, to }
      const before = yield* Rpc.call("klay_estimateGas", call)
      const head = yield* chain.head
      const state = yield* chain.account(alice.address)
      const first = yield* ask(call)
      assert.deepStrictEqual(yield* Effect.all([ask(call), ask(call)], { concurrency: 2 }), [first, first])
      assert.strictEqual(yield* Rpc.call("klay_estimateGas", call), before)
      assert.strictEqual(yield* chain.storageAt(to, 1n), slot(0))
      assert.deepStrictEqual(yield* chain.account(alice.address), state)
      assert.deepStrictEqual(yield* chain.head, head)
      const { gasUsed } = yield* charged({ to, input: "0x" }, [])
      assert.strictEqual(`0x${gasUsed.toString(16)}`, before)
    }))

  it.effect("is refused in a node's words", () =>
    Effect.gen(function*() {
      const { alice, bob } = yield* actors
      const from = alice.address
      const to = bob.address
      const refused = [
        [[{ from }], -32000, "contract creation without any data provided"],
        [
          [{ from, to, data: "0x01", input: "0x02" }],
          -32000,
          "both \"data\" and \"input\" are set and not equal. Please use \"input\" to pass transaction call data"
        ],
        [
          [{ from, to, gasPrice: "0x1", maxFeePerGas: "0x1" }],
          -32000,
          "both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified"
        ],
        [[{ from, to, maxFeePerGas: "0x1" }], -32000, "maxFeePerGas (0x1) < BaseFee (27500000000)"],
        [[{ from, to, gas: "0x5207" }], -32000, "failed to apply transaction: HASH err: intrinsic gas too low"],
        [
          [{ from, to, value: `0x${"f".repeat(30)}` }],
          -32000,
          "failed to apply transaction: HASH err: insufficient balance for transfer"
        ],
        [[{ from, to }, 99_999], -32000, "the header does not exist (block number: 99999)"],
        [[], -32602, "missing value for required argument 0"],
        [[{ from, to }, "latest", {}, {}, {}], -32602, "too many arguments, want at most 4"],
        [
          [{ from, to, nonce: 1 }],
          -32602,
          "invalid argument 0: json: cannot unmarshal non-string into Go struct field EthTransactionArgs.nonce of type " +
          "hexutil.Uint64"
        ]
      ] as const
      for (const [params, code, message] of refused) {
        assert.deepStrictEqual(withoutHash(yield* Rpc.failure("klay_createAccessList", ...params)), { code, message })
      }
    }))
})
