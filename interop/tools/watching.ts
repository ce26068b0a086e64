import { assert } from "vitest"

/** What a watch delivers first, while something happens again and again: no tool says when its watch begins. */
export const watching = async <A>(
  start: (found: (one: A) => void, failed: (error: Error) => void) => (() => unknown) | Promise<() => unknown>,
  act: () => Promise<unknown>
): Promise<A> => {
  const found: Array<A> = []
  const errors: Array<Error> = []
  const stop = await start((one) => found.push(one), (error) => errors.push(error))
  try {
    for (let times = 0; found.length === 0; times++) {
      assert.isBelow(times, 100, "nothing came")
      await act()
      await new Promise((resolve) => setTimeout(resolve, 30))
      assert.deepStrictEqual(errors, [])
    }
  } finally {
    await stop()
  }
  return found[0] ?? assert.fail("nothing came")
}

/** Whether something is refused. */
export const refusal = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(() => assert.fail("it was not refused"), (error: unknown) => String(error))
