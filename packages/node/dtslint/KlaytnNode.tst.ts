import type { Address } from "@effect-klaytn/core/Address"
import type { Peb } from "@effect-klaytn/core/Amount"
import type { Hash } from "@effect-klaytn/core/Hash"
import type { InvalidInput, ReadError, ServiceError } from "@effect-klaytn/core/ServiceError"
import type * as Abi from "@effect-klaytn/node/Abi"
import { accountMethods } from "@effect-klaytn/node/AccountMethods"
import type * as Block from "@effect-klaytn/node/Block"
import type { BlockNumber, BlockSelector } from "@effect-klaytn/node/BlockSelector"
import type * as BlockStream from "@effect-klaytn/node/BlockStream"
import * as Contract from "@effect-klaytn/node/Contract"
import * as Eip1193 from "@effect-klaytn/node/Eip1193"
import type * as Eth from "@effect-klaytn/node/Eth"
import type * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import type { LogFilter } from "@effect-klaytn/node/Log"
import type * as LogRange from "@effect-klaytn/node/LogRange"
import * as Method from "@effect-klaytn/node/Method"
import type { RpcError } from "@effect-klaytn/node/RpcError"
import type * as Transaction from "@effect-klaytn/node/Transaction"
import { submitMethods } from "@effect-klaytn/node/TransactionMethods"
import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import { describe, expect, test } from "tstyche"

declare const node: KlaytnNode.Service
declare const transaction: Transaction.Transaction

const abi = [
  {
    type: "function",
    name: "balanceOf",
    stateMutability: "view",
    inputs: [{ name: "owner", type: "address" }],
    outputs: [{ name: "", type: "uint256" }]
  },
  {
    type: "event",
    name: "Transfer",
    inputs: [{ name: "from", type: "address", indexed: true }, { name: "value", type: "uint256", indexed: false }]
  }
] as const

describe("a method", () => {
  test("has the parameters of its description, with the block optional", () => {
    expect<Parameters<typeof node.klay.getBalance>>().type.toBe<[address: string, block?: BlockSelector | undefined]>()
    expect<Parameters<typeof node.klay.getBlockByNumber>>().type.toBe<[block?: BlockNumber | undefined]>()
    expect<Parameters<typeof node.klay.blockNumber>>().type.toBe<[]>()
    expect<Parameters<typeof node.klay.getLogs>>().type.toBe<[filter: LogFilter]>()
    expect<"newest">().type.not.toBeAssignableTo<BlockNumber>()
    expect<"latest">().type.toBeAssignableTo<BlockNumber>()
  })

  test("takes no index that `map` or `forEach` pass along for a block or a slot", () => {
    type TakesNumber<F> = F extends (...args: infer Args) => unknown
      ? Args extends readonly [unknown?, ...infer Rest] ? Extract<Rest[number], number> : never
      : never
    // A place in a block is asked for by name and has to be given.
    type Names<Group> = {
      [Name in keyof Group]: Name extends `${string}AndIndex` ? never
        : [TakesNumber<Group[Name]>] extends [never] ? never
        : Name
    }[keyof Group]
    expect<Names<typeof node.klay>>().type.toBe<never>()
    expect<Names<typeof node.eth>>().type.toBe<never>()
    expect<Names<typeof node.net>>().type.toBe<never>()
    expect<number>().type.not.toBeAssignableTo<BlockSelector>()
    expect<number>().type.not.toBeAssignableTo<BlockNumber>()
    expect<string>().type.not.toBeAssignableTo<BlockSelector>()
    expect<number>().type.not.toBeAssignableTo<NonNullable<Contract.ReadOptions["block"]>>()
    expect<number>().type.not.toBeAssignableTo<NonNullable<BlockStream.Options["from"]>>()
    expect<number>().type.not.toBeAssignableTo<LogRange.RangeFilter["fromBlock"]>()
    expect<number>().type.not.toBeAssignableTo<NonNullable<LogFilter["fromBlock"]>>()
    // What `map` and `forEach` call with each address.
    type OfEach = (address: string, index: number) => unknown
    expect<typeof node.klay.getBalance>().type.not.toBeAssignableTo<OfEach>()
    expect<typeof node.klay.getTransactionCount>().type.not.toBeAssignableTo<OfEach>()
    expect<typeof node.klay.getStorageAt>().type.not.toBeAssignableTo<OfEach>()
    expect<typeof node.eth.getBalance>().type.not.toBeAssignableTo<OfEach>()
    expect<(address: string) => ReturnType<typeof node.klay.getBalance>>().type.toBeAssignableTo<OfEach>()
    const addresses: ReadonlyArray<string> = []
    expect(addresses.map).type.not.toBeCallableWith(node.klay.getBalance)
    expect(addresses.map).type.toBeCallableWith((address: string) => node.klay.getBalance(address))
  })

  test("that reads has the failures of the node and of a read", () => {
    expect(node.klay.getBalance("0x")).type.toBe<Effect.Effect<Peb, RpcError | ReadError>>()
    expect(node.klay.blockNumber()).type.toBe<Effect.Effect<bigint, RpcError | ReadError>>()
  })

  test("that changes something may end with an unknown outcome", () => {
    expect(node.klay.sendRawTransaction("0x")).type.toBe<Effect.Effect<Hash, RpcError | ServiceError>>()
    expect(node.klay.newBlockFilter()).type.toBe<Effect.Effect<string, RpcError | ServiceError>>()
  })

  test("has the shape of its namespace", () => {
    expect(node.klay.getBlockByNumber()).type.toBe<Effect.Effect<Block.Block, RpcError | ReadError>>()
    expect(node.eth.getBlockByNumber()).type.toBe<
      Effect.Effect<Option.Option<Eth.Block>, RpcError | ReadError>
    >()
  })

  test("by name has the result of its schema", () => {
    expect(node.call("x_y", [], Schema.NumberFromString)).type.toBe<Effect.Effect<number, RpcError | ServiceError>>()
  })
})

describe("a list of calls", () => {
  type Outcome<A> = Either.Either<A, RpcError | ReadError>

  test("of one method has its arguments and results", () => {
    expect(node.runEach(accountMethods.getBalance, [["0x"], ["0x", 5n]])).type.toBe<
      Effect.Effect<ReadonlyArray<Outcome<Peb>>, InvalidInput>
    >()
    const addresses: ReadonlyArray<string> = []
    expect(node.runEach(accountMethods.getBalance, addresses.map((address) => [address]))).type.toBe<
      Effect.Effect<ReadonlyArray<Outcome<Peb>>, InvalidInput>
    >()
    expect(node.runEach).type.not.toBeCallableWith(accountMethods.getBalance, addresses)
    expect(node.runEach).type.not.toBeCallableWith(accountMethods.getBalance, [[5n]])
  })

  test("of several methods has a result for each", () => {
    const calls = [
      Method.call(accountMethods.getBalance, "0x"),
      Method.call(accountMethods.accountCreated, "0x")
    ] as const
    expect(node.runAll(calls)).type.toBe<Effect.Effect<readonly [Outcome<Peb>, Outcome<boolean>], InvalidInput>>()
    expect(node.runAll([...calls])).type.toBe<Effect.Effect<readonly [Outcome<Peb>, Outcome<boolean>], InvalidInput>>()
  })

  test("changes nothing", () => {
    expect(node.runEach).type.not.toBeCallableWith(submitMethods.sendRawTransaction, [["0x"]])
    expect(node.runAll).type.not.toBeCallableWith([Method.call(submitMethods.sendRawTransaction, "0x")])
  })
})

describe("a transaction", () => {
  test("is told apart by its tag", () => {
    if (transaction._tag === "FeeDelegatedValueTransferWithRatio") {
      expect(transaction.feePayer).type.toBe<Address>()
      expect(transaction.feeRatio).type.toBe<number>()
      expect(transaction).type.not.toHaveProperty("input")
    }
    if (transaction._tag === "UnknownTransaction") {
      expect(transaction.record).type.toBe<{ readonly [x: string]: unknown }>()
    }
  })
})

describe("a contract", () => {
  test("is typed by its ABI", () => {
    const contract = null as unknown as Contract.Contract<typeof abi>
    expect(contract.read("balanceOf", ["0x11"])).type.toBe<
      Effect.Effect<
        bigint,
        Contract.AbiMismatch | Contract.ContractReverted | RpcError | ReadError,
        KlaytnNode.KlaytnNode
      >
    >()
    expect<Contract.Args<typeof abi, "balanceOf">>().type.toBe<readonly [`0x${string}`]>()
    expect<Contract.Event<typeof abi>["name"]>().type.toBe<"Transfer">()
  })
})

describe("a contract by signatures", () => {
  const signatures = [
    "function pair() view returns (address owner, uint256 count)",
    "event Transfer(address indexed from, address indexed to, uint256 value)",
    "error TooMuch(uint256 most)",
    "error Closed()"
  ] as const
  type Signed = Contract.Contract<Abi.Parsed<typeof signatures>>
  const contract = null as unknown as Signed

  test("is typed by them", () => {
    expect(Contract.make({ address: "0x", abi: signatures })).type.toBe<Effect.Effect<Signed, InvalidInput>>()
    expect(contract.simulate("pair", [])).type.toBe<
      Effect.Effect<
        Contract.Simulation<readonly [`0x${string}`, bigint]>,
        Contract.CallFailure,
        KlaytnNode.KlaytnNode
      >
    >()
    expect(contract.read).type.not.toBeCallableWith("nothing", [])
  })

  test("searches for events by indexed arguments only", () => {
    expect<Contract.Event<Signed["abi"]>["args"]>().type.toBe<
      { from: `0x${string}`; to: `0x${string}`; value: bigint }
    >()
    expect(contract.events("Transfer", { fromBlock: 1n, where: { from: ["0x1", "0x2"] } })).type.toBe<
      Stream.Stream<Contract.Event<Signed["abi"]>, Contract.AbiMismatch | RpcError | ReadError, KlaytnNode.KlaytnNode>
    >()
    expect(contract.events).type.not.toBeCallableWith("Transfer", { fromBlock: 1n, where: { value: 5n } })
    expect(contract.events).type.not.toBeCallableWith("Transfer", { fromBlock: 1n, where: { from: 5n } })
    expect(contract.events).type.not.toBeCallableWith("Approval", { fromBlock: 1n })
  })

  test("tells its errors apart", () => {
    expect<Contract.DecodedError<Signed["abi"]>>().type.toBe<
      | { readonly _tag: "Declared"; readonly name: "TooMuch"; readonly args: readonly [bigint] }
      | { readonly _tag: "Declared"; readonly name: "Closed"; readonly args: readonly [] }
      | { readonly _tag: "Panic"; readonly code: bigint; readonly meaning: string | undefined }
      | { readonly _tag: "Reason"; readonly reason: string }
    >()
  })

  test("reads many with a result for each", () => {
    const call = contract.call("pair", [])
    expect(Contract.readAll([call, call])).type.toBe<
      Effect.Effect<
        Contract.Read<
          readonly [Contract.Call<readonly [`0x${string}`, bigint]>, Contract.Call<readonly [`0x${string}`, bigint]>]
        >,
        RpcError | ReadError,
        KlaytnNode.KlaytnNode
      >
    >()
  })
})

describe("a layer", () => {
  test("of a test needs nothing", () => {
    expect<ReturnType<typeof KlaytnNode.layerTest>>().type.toBe<Layer.Layer<KlaytnNode.KlaytnNode>>()
  })
})

describe("a provider", () => {
  test("needs a node only", () => {
    expect(Eip1193.make).type.toBe<Effect.Effect<Eip1193.Provider, never, KlaytnNode.KlaytnNode>>()
  })
})
