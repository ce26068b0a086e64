import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as TransactionType from "@effect-klaytn/transaction/TransactionType"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as PersonalMessage from "ox/PersonalMessage"
import * as Secp256k1 from "ox/Secp256k1"
import * as Signature from "ox/Signature"
import { mostImported } from "../src/internal/devRpc/DevRpcState.js"
import * as Sandbox from "../src/Sandbox.js"
import * as DevRpc from "./support/devRpc.js"

const sandbox = Sandbox.layer({ seed: "devRpc chain sends", clock: { start: 1_600_000_000, step: 1 } })
const to = `0x${"78".repeat(20)}` as const

const elsewhere = `0x${"79".repeat(20)}`

/** Returns nothing: PUSH0 PUSH0 RETURN. */
const code = "0x5f5ff3"

const account = (name: string) => Effect.map(Sandbox.Sandbox, ({ chains }) => chains.account(name))

const value = <A>(result: { readonly ok: true; readonly value: A } | { readonly ok: false }): A =>
  result.ok ? result.value : assert.fail("no value")

const encoded = (key: AccountKey.AccountKey) => value(AccountKey.encode(key))

const publicKey = ({ publicKey }: DevAccount.DevAccount): AccountKey.AccountKeyPublic => ({
  type: "AccountKeyPublic",
  publicKey: value(PublicKey.compress(publicKey))
})

/** What a type needs beside a sender and, if there is one, a fee payer. */
const fieldsOf = (type: TransactionType.TransactionType, key: string): Record<string, unknown> => {
  const plain = type.replace(/^FeeDelegated|WithRatio$/g, "")
  if (plain === "AccountUpdate") return { key }
  if (plain === "Cancel") return {}
  if (plain === "ChainDataAnchoring") return { input: "0xf8" }
  if (plain === "SmartContractDeploy") {
    return { value: "0x0", input: code, codeFormat: "0x0", humanReadable: false }
  }
  if (plain === "ValueTransfer") return { to: elsewhere, value: "0x5" }
  if (plain === "ValueTransferMemo") return { to: elsewhere, value: "0x5", input: "0x01" }
  return { to, value: "0x0", input: "0x01" }
}

interface Signed {
  readonly raw: `0x${string}`
  readonly tx: Record<string, unknown> & { readonly signatures: ReadonlyArray<unknown> }
}

const signed = (method: string, ...params: ReadonlyArray<unknown>) =>
  // What it has is what a test goes on to check.
  Effect.map(DevRpc.call(method, ...params), (answer) => answer as Signed)

const receipt = (hash: string) => DevRpc.object("klay_getTransactionReceipt", hash)

const delegated = TransactionType.all.filter(TransactionType.isFeeDelegated)
const plain = TransactionType.all.filter((type) =>
  !TransactionType.isFeeDelegated(type) && !TransactionType.isEthereum(type) && type !== "LegacyTransaction"
)

layer(sandbox, { excludeTestServices: true })("A send of the chain's own", (it) => {
  it.effect.each(plain)("of %s is filled in, signed and executed", (type) =>
    Effect.gen(function*() {
      const from = yield* account("alice")
      yield* DevRpc.call("hardhat_setCode", to, code)
      const args = {
        typeInt: TransactionType.typeInt(type),
        from: from.address,
        gas: "0x7a120",
        ...fieldsOf(type, encoded(publicKey(from)))
      }
      for (const namespace of ["kaia", "klay"]) {
        const { raw, tx } = yield* signed(`${namespace}_signTransaction`, args)
        assert.deepInclude(tx, {
          type: `TxType${type}`,
          typeInt: args.typeInt,
          from: from.address,
          gas: "0x7a120",
          gasPrice: "0x66720b300"
        })
        assert.strictEqual(value(Transaction.hash(value(Transaction.decode(raw)))), tx["hash"])
        if (type === "Cancel" && namespace === "klay") continue
        const hash = yield* DevRpc.text(`${namespace}_sendTransaction`, args)
        assert.deepInclude(yield* receipt(hash), { type: `TxType${type}`, from: from.address, status: "0x1" })
      }
    }))

  it.effect.each(delegated)("of %s is signed by both sides, one after the other", (type) =>
    Effect.gen(function*() {
      const from = yield* account("bob")
      const payer = yield* account("carol")
      yield* DevRpc.call("hardhat_setCode", to, code)
      const { gasPrice, nonce } = {
        gasPrice: "0x5d21dba00",
        nonce: yield* DevRpc.text("klay_getTransactionCount", from.address, "pending")
      }
      const args = {
        typeInt: TransactionType.typeInt(type),
        from: from.address,
        gas: "0x7a120",
        gasPrice,
        nonce,
        feePayer: payer.address,
        ...(TransactionType.isFeeRatio(type) && { feeRatio: 30 }),
        ...fieldsOf(type, encoded(publicKey(from)))
      }
      const { tx: { signatures } } = yield* signed("kaia_signTransaction", args)
      const complete = yield* signed("kaia_signTransactionAsFeePayer", { ...args, signatures })
      const decoded = value(Transaction.decode(complete.raw))
      assert.lengthOf(value(Transaction.recoverSenders(decoded, { chainId: 1001 })), 1)
      assert.deepInclude(complete.tx, { feePayer: payer.address, signatures })
      const hash = yield* DevRpc.text("kaia_sendTransactionAsFeePayer", { ...args, signatures })
      assert.strictEqual(complete.tx["type"], `TxType${type}`)
      assert.deepInclude(yield* receipt(hash), { feePayer: payer.address, status: "0x1", from: from.address })
      // A fee payer may sign before the sender does.
      const early = yield* signed("klay_signTransactionAsFeePayer", args)
      assert.deepStrictEqual(early.tx.signatures, [])
    }))

  it.effect("of Ethereum's types takes what they need, and has the defaults of a node", () =>
    Effect.gen(function*() {
      const { address: from } = yield* account("dave")
      const legacy = yield* DevRpc.text("kaia_sendTransaction", { from, to, value: "0x1" })
      assert.deepInclude(yield* receipt(legacy), { type: "TxTypeLegacyTransaction", gas: "0x15f90", status: "0x1" })
      const cases = [
        [0x7801, { gasPrice: "0x5d21dba00" }, "TxTypeEthereumAccessList"],
        [0x7802, { maxFeePerGas: "0x5d21dba00", maxPriorityFeePerGas: "0x0" }, "TxTypeEthereumDynamicFee"]
      ] as const
      for (const [typeInt, prices, type] of cases) {
        const hash = yield* DevRpc.text("klay_sendTransaction", { typeInt, from, to, ...prices })
        assert.deepInclude(yield* receipt(hash), { type, status: "0x1" })
        assert.match(
          (yield* DevRpc.failure("klay_sendTransaction", { typeInt, from, to })).message,
          /^missing gasPrice/
        )
      }
      const { raw } = yield* signed("kaia_signTransaction", { typeInt: 0x7802, from, to, ...cases[1][1] })
      assert.match(raw, /^0x7802/)
    }))

  it.effect("says which field is missing or is none of the type's", () =>
    Effect.gen(function*() {
      const { address: from } = yield* account("alice")
      const cases = [
        [{ typeInt: 8, from, value: "0x1" }, "json:\"to\" is required for TxTypeValueTransfer"],
        [{ typeInt: 8, from, to }, "json:\"value\" is required for TxTypeValueTransfer"],
        [{ typeInt: 8, from, to, value: "0x1", input: "0x" }, "json:\"input\" is not a field of TxTypeValueTransfer"],
        [
          { typeInt: 8, from, to, value: "0x1", chainId: "0x1" },
          "json:\"chainId,omitempty\" is not a field of TxTypeValueTransfer"
        ],
        [
          { typeInt: 10, from, to, value: "0x1", feePayer: to },
          "json:\"feeRatio\" is required for TxTypeFeeDelegatedValueTransferWithRatio"
        ],
        [{ typeInt: 7, from, to }, "json:\"typeInt\" is not a field of UndefinedTxType"],
        [{ from }, "contract creation without any data provided"]
      ] as const
      for (const [args, message] of cases) {
        assert.deepStrictEqual(yield* DevRpc.failure("kaia_signTransaction", args), { code: -32000, message })
      }
      const base = { typeInt: 9, nonce: "0x0", gas: "0x5208", gasPrice: "0x5d21dba00", signatures: [], from, to }
      const lacking = [
        ["typeInt", "tx should have a type value"],
        ["nonce", "nonce of the sender is not set"],
        ["gas", "gas limit is not set"],
        ["gasPrice", "gas price is not set"],
        ["signatures", "sender signature is not set"]
      ] as const
      for (const [field, message] of lacking) {
        const failure = yield* DevRpc.failure("klay_sendTransactionAsFeePayer", { ...base, [field]: undefined })
        assert.strictEqual(failure.message, message)
      }
      const payment = yield* DevRpc.failure("kaia_signTransactionAsFeePayer", { typeInt: 8, from, to, value: "0x1" })
      assert.strictEqual(payment.message, "invalid fee payer is set")
      assert.deepStrictEqual(yield* DevRpc.failure("kaia_sendTransaction", { typeInt: "8", from }), {
        code: -32602,
        message:
          "invalid argument 0: json: cannot unmarshal string into Go struct field SendTxArgs.typeInt of type types.TxType"
      })
    }))
})

layer(sandbox, { excludeTestServices: true })("An account with another key", (it) => {
  it.effect("signs in each role with the keys that the sandbox holds", () =>
    Effect.gen(function*() {
      const [owner, first, second, update, payer] = yield* Effect.all(
        ["alice", "bob", "carol", "dave", "erin"].map(account)
      )
      if (
        owner === undefined || first === undefined || second === undefined || update === undefined ||
        payer === undefined
      ) {
        return assert.fail()
      }
      const key: AccountKey.AccountKeyRoleBased = {
        type: "AccountKeyRoleBased",
        keys: [
          {
            type: "AccountKeyWeightedMultiSig",
            threshold: 3,
            keys: [owner, first, second].map((one) => ({ weight: 2, publicKey: publicKey(one).publicKey }))
          },
          publicKey(update),
          publicKey(payer)
        ]
      }
      const from = owner.address
      const changed = { typeInt: 0x20, from, gas: "0x7a120", key: encoded(key) }
      assert.include(yield* receipt(yield* DevRpc.text("kaia_sendTransaction", changed)), { status: "0x1" })
      const transfer = { typeInt: 8, from, to, value: "0x1", gas: "0x7a120" }
      // Two weights of 2 reach the threshold of 3.
      assert.lengthOf((yield* signed("kaia_signTransaction", transfer)).tx.signatures, 2)
      assert.include(yield* receipt(yield* DevRpc.text("kaia_sendTransaction", transfer)), { status: "0x1" })
      const { raw } = yield* signed("kaia_signTransaction", changed)
      const [signer] = value(Transaction.recoverSenders(value(Transaction.decode(raw)), { chainId: 1001 }))
      assert.strictEqual(signer?.address, update.address)
      // The key of the role is the fee payer's.
      const paid = yield* signed("kaia_signTransactionAsFeePayer", {
        typeInt: 9,
        from: first.address,
        to,
        value: "0x1",
        feePayer: from
      })
      const decoded = value(Transaction.decode(paid.raw))
      if (!Transaction.isFeeDelegatedTransaction(decoded)) return assert.fail()
      const [payment] = value(Transaction.recoverFeePayers(decoded, { chainId: 1001 }))
      assert.strictEqual(payment?.address, payer.address)
      const fail = { ...changed, key: encoded({ type: "AccountKeyFail" }) }
      yield* DevRpc.call("kaia_sendTransaction", fail)
      assert.match((yield* DevRpc.failure("kaia_sendTransaction", transfer)).message, /^unknown account/)
    }))
})

layer(sandbox, { excludeTestServices: true })("An imported account", (it) => {
  const key = "8".repeat(64)
  const { address } = DevAccount.fromPrivateKey(Buffer.from(key, "hex"))

  it.effect("is locked until it is opened with its passphrase, and after it is locked again", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* DevRpc.call("personal_importRawKey", key, "open sesame"), address)
      assert.include(yield* DevRpc.texts("personal_listAccounts"), address)
      assert.include(yield* DevRpc.texts("eth_accounts"), address)
      yield* DevRpc.call("hardhat_setBalance", address, "0x56bc75e2d63100000")
      const send = { from: address, to, value: "0x1" }
      const locked = { code: -32000, message: "authentication needed: password or unlock" }
      const closed = { code: -32000, message: "could not decrypt key with given passphrase" }
      for (const method of ["kaia_sendTransaction", "eth_sendTransaction"]) {
        assert.deepStrictEqual(yield* DevRpc.failure(method, send), locked)
      }
      assert.deepStrictEqual(yield* DevRpc.failure("personal_sendTransaction", send, "wrong"), closed)
      assert.deepStrictEqual(yield* DevRpc.failure("personal_unlockAccount", address, "wrong"), closed)
      assert.include(yield* receipt(yield* DevRpc.text("personal_sendTransaction", send, "open sesame")), {
        status: "0x1"
      })
      assert.isTrue(yield* DevRpc.call("personal_unlockAccount", address, "open sesame", 0))
      assert.include(yield* receipt(yield* DevRpc.text("kaia_sendTransaction", send)), { status: "0x1" })
      assert.isTrue(yield* DevRpc.call("personal_lockAccount", address))
      assert.deepStrictEqual(yield* DevRpc.failure("kaia_sign", address, "0x00"), locked)
      assert.isFalse(yield* DevRpc.call("personal_lockAccount", to))
      assert.strictEqual(
        (yield* DevRpc.failure("personal_unlockAccount", to, "")).message,
        "no key for given address or file"
      )
    }))

  it.effect("has a key that is made or brought once, and no other chain has it", () =>
    Effect.gen(function*() {
      const made = yield* DevRpc.text("personal_newAccount", "pass")
      assert.match(made, /^0x[0-9a-f]{40}$/)
      assert.notStrictEqual(made, yield* DevRpc.text("personal_newAccount", "pass"))
      const wallet = `${"7".repeat(64)}0x00${to}`
      assert.strictEqual(yield* DevRpc.call("personal_importRawKey", wallet, ""), to)
      const refusals = [
        [key, "account already exists"],
        ["0x" + key, "invalid hex data for private key"],
        ["12", "invalid length, need 256 bits"],
        ["0".repeat(64), "invalid private key"]
      ] as const
      for (const [given, message] of refusals) {
        assert.deepStrictEqual(yield* DevRpc.failure("personal_importRawKey", given, ""), { code: -32000, message })
      }
      assert.notInclude((yield* DevRpc.on(8217)("eth_accounts")) as ReadonlyArray<unknown>, made)
    }))

  it.effect("signs messages, from which its address is recovered", () =>
    Effect.gen(function*() {
      const signature = yield* DevRpc.text("personal_sign", "0x6869", address, "open sesame")
      const payload = PersonalMessage.getSignPayload("0x6869")
      assert.strictEqual(
        Secp256k1.recoverAddress({ payload, signature: Signature.fromHex(signature as `0x${string}`) }).toLowerCase(),
        address
      )
      assert.strictEqual(yield* DevRpc.call("personal_ecRecover", "0x6869", signature), address)
      const { address: alice } = yield* account("alice")
      assert.strictEqual(
        yield* DevRpc.call("personal_ecRecover", "0x01", yield* DevRpc.text("klay_sign", alice, "0x01")),
        alice
      )
      assert.match((yield* DevRpc.failure("personal_ecRecover", "0x", "0x00")).message, /must be 65 bytes long/)
      assert.match(
        (yield* DevRpc.failure("personal_ecRecover", "0x", `0x${"01".repeat(65)}`)).message,
        /V is not 27 or 28/
      )
    }))

  it.effect("is one of as many as there is room for", () =>
    Effect.gen(function*() {
      const import_ = (index: number) =>
        DevRpc.call("personal_importRawKey", (index + 1).toString(16).padStart(64, "0"), "")
      const known = (yield* DevRpc.texts("personal_listAccounts")).length - (yield* Sandbox.Sandbox).accounts.length
      yield* Effect.forEach(Array.from({ length: mostImported - known }, (_, index) => index), import_, {
        concurrency: 20
      })
      assert.match((yield* DevRpc.failure("personal_newAccount", "")).message, /the most that may be/)
    }), 60_000)
})

layer(sandbox, { excludeTestServices: true })("A transaction of Ethereum's types", (it) => {
  it.effect("is filled in without a signature, and signed only if it is complete", () =>
    Effect.gen(function*() {
      const { address: from } = yield* account("alice")
      const filled = yield* signed("eth_fillTransaction", { from, to, value: "0x1" })
      assert.deepInclude(filled.tx, {
        type: "0x2",
        nonce: "0x0",
        gas: "0x5208",
        gasPrice: null,
        maxFeePerGas: "0x66720b300",
        maxPriorityFeePerGas: "0x0",
        chainId: "0x3e9",
        input: "0x",
        to,
        v: "0x0",
        r: "0x0",
        s: "0x0"
      })
      assert.match(filled.raw, /^0x02.*808080$/)
      const lacking = [
        [{ from, to }, "gas not specified"],
        [{ from, to, gas: "0x5208" }, "missing gasPrice or maxFeePerGas/maxPriorityFeePerGas"],
        [{ from, to, gas: "0x5208", gasPrice: "0x5d21dba00" }, "nonce not specified"]
      ] as const
      for (const [args, message] of lacking) {
        assert.deepStrictEqual(yield* DevRpc.failure("eth_signTransaction", args), { code: -32000, message })
      }
      const complete = { from, to, gas: "0x5208", gasPrice: "0x5d21dba00", nonce: "0x0" }
      const { raw, tx } = yield* signed("eth_signTransaction", complete)
      assert.deepInclude(tx, { type: "0x0", gasPrice: "0x5d21dba00", maxFeePerGas: null, nonce: "0x0" })
      assert.strictEqual(yield* DevRpc.call("eth_sendRawTransaction", raw), tx["hash"])
    }))
})
