import type { Address } from "@effect-klaytn/core/Address"
import type { Hash } from "@effect-klaytn/core/Hash"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import type * as Abi from "@effect-klaytn/node/Abi"
import * as Contract from "@effect-klaytn/node/Contract"
import type * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as Signer from "@effect-klaytn/node/Signer"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { describe, expect, test } from "tstyche"

declare const key: Redacted.Redacted<string>
declare const signer: Signer.Signer
declare const local: Signer.LocalSigner
declare const address: Address
declare const hash: Hash

describe("a signer", () => {
  test("has closed errors", () => {
    expect(signer.send({ to: "0x" })).type.toBe<Effect.Effect<Signer.Sent, Signer.SendError, KlaytnNode.KlaytnNode>>()
    expect<Signer.SendError["_tag"]>().type.toBe<
      "SigningFailed" | "NotSent" | "SendUnknown" | "Superseded" | "FailedInBlock"
    >()
  })

  test("takes amounts as bigint, and no nonce as a number", () => {
    expect(signer.send).type.not.toBeCallableWith({ to: "0x", value: 5 })
    expect(signer.send).type.not.toBeCallableWith({ to: "0x", nonce: 5 })
    expect(signer.send).type.not.toBeCallableWith({ to: "0x", valeu: 5n })
  })

  test("of a wallet takes no change of the account, and those with keys do", () => {
    expect(signer.send).type.not.toBeCallableWith({ cancel: 5n })
    expect(signer.send).type.not.toBeCallableWith({ accountKey: { type: "AccountKeyLegacy" } })
    expect(local.send).type.toBeCallableWith({ cancel: 5n })
    expect(local.send).type.toBeCallableWith({ accountKey: { type: "AccountKeyLegacy" } })
    expect(local.send).type.not.toBeCallableWith({ accountKey: "0x" })
    expect(local.send).type.not.toBeCallableWith({ cancel: 5 })
  })

  test("that takes more is one that takes less", () => {
    expect<Signer.LocalSigner>().type.toBeAssignableTo<Signer.Signer>()
    expect<Signer.Signer<Signer.AnyRequest>>().type.toBeAssignableTo<Signer.Signer>()
    expect<Signer.Signer>().type.not.toBeAssignableTo<Signer.Signer<Signer.AnyRequest>>()
  })

  test("with keys has them redacted, and a fee payer has keys", () => {
    expect(Signer.fromKeys({ privateKeys: [key] })).type.toBe<Effect.Effect<Signer.LocalSigner, InvalidInput>>()
    expect(Signer.fromKeys).type.toBeCallableWith({ privateKeys: [key], feePayer: { privateKeys: [key], ratio: 30 } })
    expect(Signer.fromKeys).type.not.toBeCallableWith({ privateKeys: ["0x11"] })
    expect(Signer.fromKeys).type.not.toBeCallableWith({ privateKeys: [key], feePayer: {} })
    expect(Signer.fromKeys).type.not.toBeCallableWith({ privateKeys: [key], feePayer: { ratio: 30 } })
    expect(Signer.fromKeys).type.not.toBeCallableWith({ privateKeys: [key], feePayer: key })
  })

  test("of Ethereum's types takes one key, no fee payer, and no change of the account", () => {
    expect(Signer.fromEthereumKey(key)).type.toBe<Effect.Effect<Signer.LocalSigner<Signer.Request>, InvalidInput>>()
    expect(Signer.fromEthereumKey).type.not.toBeCallableWith({ privateKeys: [key], feePayer: { privateKeys: [key] } })
    expect<Effect.Effect.Success<ReturnType<typeof Signer.fromEthereumKey>>["send"]>().type.not.toBeCallableWith({
      cancel: 5n
    })
  })

  test("of a service returns a hash, and does not fail as executed", () => {
    expect(Signer.make({ address, submit: (_: Signer.Request) => Effect.succeed({ transactionHash: hash }) })).type
      .toBe<
        Signer.Signer
      >()
    expect(Signer.make).type.not.toBeCallableWith({ address, submit: () => Effect.succeed("0x") })
    expect(Signer.make).type.not.toBeCallableWith({
      address: "0x",
      submit: () => Effect.succeed({ transactionHash: hash })
    })
    expect(Signer.make).type.not.toBeCallableWith({
      address,
      submit: () => Effect.fail(new Signer.FailedInBlock({ transactionHash: hash }))
    })
  })
})

describe("a contract that is written to", () => {
  const signatures = [
    "constructor(uint256 supply)",
    "function balanceOf(address owner) view returns (uint256)",
    "function transfer(address to, uint256 amount) returns (bool)",
    "function deposit() payable"
  ] as const
  type Shop = Contract.Contract<Abi.Parsed<typeof signatures>>
  const contract = null as unknown as Shop

  test("has the functions of its ABI, with their arguments", () => {
    expect(contract.write).type.toBeCallableWith("transfer", ["0x11", 5n], { signer })
    expect(contract.write).type.not.toBeCallableWith("transferr", ["0x11", 5n], { signer })
    expect(contract.write).type.not.toBeCallableWith("transfer", ["0x11", 5], { signer })
    expect(contract.write).type.not.toBeCallableWith("transfer", ["0x11"], { signer })
    expect(contract.write).type.not.toBeCallableWith("transfer", [5n, "0x11"], { signer })
    expect(contract.write).type.not.toBeCallableWith("balanceOf", ["0x11"], { signer })
  })

  test("takes coin only where its function is payable", () => {
    expect(contract.write).type.toBeCallableWith("deposit", [], { signer, value: 5n })
    expect(contract.write).type.not.toBeCallableWith("deposit", [], { signer, value: 5 })
    expect(contract.write).type.not.toBeCallableWith("transfer", ["0x11", 5n], { signer, value: 5n })
  })

  test("needs a signer", () => {
    expect(contract.write).type.not.toBeCallableWith("deposit", [], {})
    expect(contract.write).type.not.toBeCallableWith("deposit", [], { signer: key })
    expect(contract.write).type.toBeCallableWith("deposit", [], { signer: local })
  })

  test("is created with the arguments of its constructor", () => {
    const bytecode = "0x60ff"
    expect(Contract.deploy).type.toBeCallableWith({ abi: signatures, bytecode, args: [5n], signer })
    expect(Contract.deploy({ abi: signatures, bytecode, args: [5n], signer })).type.toBe<
      Effect.Effect<
        Contract.Deployed<Abi.Parsed<typeof signatures>>,
        Contract.WriteFailure | InvalidInput,
        KlaytnNode.KlaytnNode
      >
    >()
    expect(() => Contract.deploy({ abi: signatures, bytecode, args: ["5"], signer })).type.toRaiseError()
    expect(() => Contract.deploy({ abi: signatures, bytecode, args: [], signer })).type.toRaiseError()
    expect(() => Contract.deploy({ abi: signatures, bytecode, args: [5n] })).type.toRaiseError()
    expect(() => Contract.deploy({ abi: signatures, bytecode, args: [5n], value: 1n, signer })).type.toRaiseError()
  })
})
