import { it, makeMethods } from "@effect/vitest"
import * as Option from "effect/Option"
import { chai } from "vitest"

// `layer` of @effect/vitest 0.30 writes its `effect` and `scoped` into the runner's own `it`, and files share a worker: without
// this, a plain `it.effect` of the next file would run in the layer of the last one, without a test clock.
makeMethods(it)

type Comparison = (left: unknown, right: unknown) => boolean | null

const fieldsOf = ({ message, name, ...fields }: Error): object => ({ ...fields, message, name })

/**
 * By itself `assert.deepStrictEqual` takes a `Some` for a `None`, as both can be walked through in the same number of steps,
 * and an error for any other one with its name and message, whatever fields they have.
 */
const compare: Comparison = (left, right) => {
  if (Option.isOption(left) && Option.isOption(right)) return left._tag === right._tag ? null : false
  if (left instanceof Error && right instanceof Error) {
    return left === right || chai.util.eql(fieldsOf(left), fieldsOf(right), { comparator: compare })
  }
  return null
}

chai.config.deepEqual = (left, right) => chai.util.eql(left, right, { comparator: compare })
