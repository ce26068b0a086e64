/** Assertions on values whose types are narrower than the literals they are compared with. */
import { assert } from "@effect/vitest"

/** The value has these fields with exactly these values. */
export const has = (actual: object, expected: Readonly<Record<string, unknown>>): void => {
  for (const [name, value] of Object.entries(expected)) {
    assert.deepStrictEqual<unknown>(Reflect.get(actual, name), value, name)
  }
}

/** The same, for values that differ in their brands only. */
export const equal = (actual: unknown, expected: unknown): void => assert.deepStrictEqual<unknown>(actual, expected)
