/**
 * The child of the drill of kills: opens a store, writes, copies it, stops in order, and opens it again, for ever. Each line on standard
 * output says what it does (`phase`), what is stored (`acked`), or which copy is complete, up to which number (`copy`).
 */
import * as Effect from "effect/Effect"
import { copyFileSync } from "node:fs"
import { type KindName, kinds } from "./storeKinds.js"

const [kind = "payouts", file = "", copies = "", rows = "40"] = process.argv.slice(2)

const tell = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

const open = kinds[kind as KindName]

const turn = (n: number) =>
  Effect.gen(function*() {
    tell({ phase: "opening" })
    let last = 0
    yield* Effect.scoped(Effect.gen(function*() {
      const store = yield* open(file)
      const found = yield* store.numbers
      last = Math.max(0, ...found)
      tell({ opened: last, count: found.length })
      tell({ phase: "writing" })
      for (const until = last + Number(rows); last < until;) {
        yield* store.write(last + 1)
        tell({ acked: ++last })
      }
      if (store.copy !== undefined) {
        tell({ phase: "copying" })
        yield* store.copy(`${copies}/${n}.db`)
        tell({ copy: `${copies}/${n}.db`, upTo: last })
      }
      tell({ phase: "stopping" })
    }))
    tell({ phase: "stopped" })
    copyFileSync(file, `${copies}/${n}-stopped.db`)
    tell({ copy: `${copies}/${n}-stopped.db`, upTo: last })
  })

await Effect.runPromise(Effect.iterate(process.pid * 1000, {
  while: () => true,
  body: (n) => Effect.as(turn(n), n + 1)
}))
