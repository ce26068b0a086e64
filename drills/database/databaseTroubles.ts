/** What happens to the database of the drill, by name. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Replicated } from "../engine/postgres.js"
import type { DatabaseProxy } from "./DatabaseProxy.js"

/** Runs statements on a server, past the proxy. */
export type Query = (url: Redacted.Redacted, ...statements: ReadonlyArray<string>) => Promise<void>

/** What troubles are made on. */
export interface Place {
  readonly servers: Replicated
  readonly proxy: DatabaseProxy
  readonly query: Query
}

/** A trouble that begins, and ends after a while. */
export interface Trouble {
  readonly begin: (place: Place) => Promise<void>
  readonly end: (place: Place) => Promise<void>
  /** Whether it is over as soon as it begins. */
  readonly isShort?: boolean
  /** Whether connections are lost without a word: who waits for an answer on one finds it by a limit alone. */
  readonly isSilent?: boolean
  /** Whether the servers are others after it: nothing may follow it, and a wallet refuses each key that it does not know until its owner accepts them. */
  readonly isLast?: boolean
}

const none = (): Promise<void> => Promise.resolve()

/** The proxy does something else for a while. */
const mode = (name: "swallow" | "deaf" | "silent" | "refuse"): Trouble => ({
  begin: async ({ proxy }) => proxy.set(name),
  end: async ({ proxy }) => proxy.set("pass"),
  isSilent: name === "swallow" || name === "deaf"
})

const setting = "default_transaction_read_only"

/** By name. `full` is left out where no disk can be mounted. */
export const troubles = {
  swallow: mode("swallow"),
  deaf: mode("deaf"),
  silent: mode("silent"),
  refuse: mode("refuse"),
  vanish: { begin: async ({ proxy }) => proxy.vanish(), end: none, isShort: true, isSilent: true },
  cut: { begin: async ({ proxy }) => proxy.cut(), end: none, isShort: true },
  restart: {
    begin: ({ servers }) => Effect.runPromise(servers.primary.restart("immediate")),
    end: none,
    isShort: true
  },
  "read-only": {
    // New sessions alone can't write, and stay so after the end: as those that were opened while the primary was a standby.
    begin: async ({ proxy, query, servers }) => {
      await query(servers.primary.url, `ALTER DATABASE postgres SET ${setting} = on`)
      proxy.cut()
    },
    end: ({ query, servers }) =>
      query(servers.primary.url, "SET default_transaction_read_only = off", `ALTER DATABASE postgres RESET ${setting}`)
  },
  full: {
    begin: async ({ servers }) => servers.disk?.fill(),
    end: async ({ servers }) => servers.disk?.free()
  },
  failover: {
    begin: async ({ proxy, servers }) => {
      proxy.vanish()
      proxy.set("refuse")
      await Effect.runPromise(servers.primary.end("immediate"))
    },
    end: async ({ proxy, query, servers }) => {
      await query(servers.standby.url, "SELECT pg_promote()")
      proxy.leadTo(new URL(Redacted.value(servers.standby.url)))
      proxy.set("pass")
    },
    isLast: true
  }
} satisfies Readonly<Record<string, Trouble>>

export type Name = keyof typeof troubles

export const names = Object.keys(troubles).filter((name): name is Name => name in troubles)
