import * as AuditedStore from "@effect-klaytn/custody/AuditedStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { make } from "./support/guardedWallet.js"

const sealed = new Uint8Array(1)

describe("a store with an audit log", () => {
  it.scoped("writes each change into the log first, and stores a key only while its root is there", () =>
    Effect.gen(function*() {
      const { wallet } = yield* make()
      const pool = yield* wallet.pool("account-pool")
      const { key, ...account } = yield* wallet.createAccount(pool)
      const happened: Array<string> = []
      const tell = (what: string) => Effect.sync(() => void happened.push(what))
      const own = { ...account, key }
      // Each method of the store tells its name.
      const telling = (name: string) => () => tell(name)
      const store = AuditedStore.make({
        ...wallet.store,
        addPool: telling("addPool"),
        addKey: telling("addKey"),
        dropKey: telling("dropKey"),
        destroyKey: telling("destroyKey"),
        reviveKey: telling("reviveKey"),
        reviveAccount: telling("reviveAccount"),
        addAccount: telling("addAccount"),
        setDisabled: telling("setDisabled"),
        setMultiSig: telling("setMultiSig"),
        dropAccount: telling("dropAccount")
      }, {
        note: ({ event, what }) => tell(`${event} ${what}`),
        keyring: { keeping: () => (effect) => Effect.zipRight(Effect.orDie(tell("root")), effect) }
      })
      const changes = [
        store.addPool("key-pool", "more", 1),
        store.addKey(pool, { ...key, sealed }, 1),
        store.dropKey(key, 1),
        store.destroyKey(key, 1),
        store.reviveKey(key),
        store.reviveKey(key, sealed),
        store.reviveAccount(own, 1),
        store.addAccount(pool, own.address, key, 1),
        store.setDisabled(own, true, 1),
        store.setMultiSig(own, undefined, 1),
        store.dropAccount(own, 1)
      ]
      const told: Array<string> = []
      for (const change of changes) {
        yield* change
        told.push(happened.splice(0).join(", "))
      }
      assert.deepStrictEqual(told, [
        "created key-pool, addPool",
        "created key in default, root, addKey",
        "deleted key, dropKey",
        "deleted secret of a key, destroyKey",
        "created key that was deleted, reviveKey",
        "created key that was deleted, root, reviveKey",
        "created account that was deleted, reviveAccount",
        "created account in account-pool default, addAccount",
        "changed account disabled, setDisabled",
        "changed keys of the account, setMultiSig",
        "deleted account, dropAccount"
      ])
    }))
})
