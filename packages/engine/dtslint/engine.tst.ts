import * as Database from "@effect-klaytn/engine/Database"
import * as Engine from "@effect-klaytn/engine/Engine"
import type { EngineError } from "@effect-klaytn/engine/EngineError"
import * as TransactionalActivity from "@effect-klaytn/engine/TransactionalActivity"
import type { DatabaseError } from "@effect-klaytn/store/DatabaseError"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type * as Activity from "@effect/workflow/Activity"
import type { WorkflowEngine } from "@effect/workflow/WorkflowEngine"
import type * as ConfigError from "effect/ConfigError"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "tstyche"

declare const url: Redacted.Redacted

describe("the layers", () => {
  it("of databases provide a client, and fail as DatabaseError", () => {
    expect(Database.layerSqlite({ file: "work.db" })).type.toBe<Layer.Layer<SqlClient, DatabaseError>>()
    expect(Database.layerPostgres({ url })).type.toBe<Layer.Layer<SqlClient, DatabaseError>>()
    expect(Database.layerConfig()).type.toBe<Layer.Layer<SqlClient, DatabaseError | ConfigError.ConfigError>>()
  })

  it("take no password as a plain text", () => {
    expect(Database.layerPostgres).type.not.toBeCallableWith({ url: "postgres://user:password@host/name" })
  })

  it("of engines need a client and nothing else", () => {
    type Both = Layer.Layer<Engine.Engine | WorkflowEngine, EngineError, SqlClient>
    expect(Engine.layerRunner()).type.toBe<Both>()
    expect(Engine.layerClient({ namespace: "payouts" })).type.toBe<Both>()
    expect(Engine.layerMemory).type.toBe<Layer.Layer<Engine.Engine | WorkflowEngine | SqlClient, EngineError>>()
  })
})

describe("a committed activity", () => {
  it("tells what it gives, fails with and needs, and keeps SqlError to itself", () => {
    const activity = TransactionalActivity.make({
      name: "pay",
      success: Schema.Int,
      error: Schema.String,
      // Only the type matters here.
      execute: null as unknown as Effect.Effect<number, string | SqlError, SqlClient>
    })
    expect(activity).type.toBe<Activity.Activity<typeof Schema.Int, typeof Schema.String, SqlClient | Engine.Engine>>()
  })
})
