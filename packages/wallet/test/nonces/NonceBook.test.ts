import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as NonceBook from "../../src/NonceBook.js"

const step = FastCheck.oneof(
  FastCheck.constant({ _tag: "reserve" } as const),
  ...(["confirm", "release", "suspect", "advance"] as const).map((_tag) =>
    FastCheck.record({ _tag: FastCheck.constant(_tag), nonce: FastCheck.nat({ max: 12 }) })
  ),
  FastCheck.constant({ _tag: "suspectAll" } as const)
)

const fromReserve = (book: NonceBook.NonceBook) => Option.getOrElse(NonceBook.reserve(book), () => [-1, book] as const)

describe("a book of nonces", () => {
  it.prop(
    "hands out no nonce that is open or taken, whatever happens, and stays in order and storable",
    [FastCheck.nat({ max: 3 }), FastCheck.array(step, { maxLength: 40 })],
    ([start, steps]) => {
      let book = NonceBook.make(start)
      const taken = new Set(Array.from({ length: start }, (_, nonce) => nonce))
      for (const one of steps) {
        switch (one._tag) {
          case "reserve": {
            const [nonce, next] = fromReserve(book)
            if (nonce === -1) {
              assert.isTrue(book.open.includes(0))
              break
            }
            assert.isFalse(taken.has(nonce) || book.open.includes(nonce), `${nonce} is free`)
            const free = Array.from({ length: nonce }, (_, lower) => lower)
            assert.isTrue(
              free.every((lower) => taken.has(lower) || book.open.includes(lower)),
              `${nonce} is the lowest`
            )
            book = next
            break
          }
          case "confirm": {
            book = NonceBook.confirm(book, one.nonce)
            taken.add(one.nonce)
            break
          }
          case "advance": {
            // What is open and not suspected stays open; its send settles it as taken or as never used.
            const lost = book.open.filter((nonce) => nonce < one.nonce && !book.unresolved.includes(nonce))
            book = NonceBook.advance(book, one.nonce)
            for (let nonce = 0; nonce < one.nonce; nonce++) if (!lost.includes(nonce)) taken.add(nonce)
            break
          }
          case "suspectAll":
            book = NonceBook.suspectAll(book)
            break
          default: {
            const was = book
            book = one._tag === "release" ? NonceBook.release(book, one.nonce) : NonceBook.suspect(book, one.nonce)
            if (!was.open.includes(one.nonce)) assert.deepStrictEqual(book, was)
          }
        }
        const { gaps, next, open, unresolved } = book
        for (const list of [open, unresolved, gaps]) {
          assert.deepStrictEqual(list, [...new Set(list)].sort((a, b) => a - b))
        }
        assert.isTrue(unresolved.every((nonce) => open.includes(nonce)))
        assert.isTrue([...open, ...gaps].every((nonce) => nonce < next))
        assert.isTrue(gaps.every((nonce) => !open.includes(nonce) && !taken.has(nonce)))
        assert.deepStrictEqual(
          Schema.decodeUnknownSync(NonceBook.NonceBook)(Schema.encodeSync(NonceBook.NonceBook)(book)),
          book
        )
      }
    }
  )

  it("fills the lowest gap first, and takes back what is released at the upper end", () => {
    const open = NonceBook.confirm(NonceBook.make(5), 8)
    assert.deepStrictEqual(open, { next: 9, open: [], unresolved: [], gaps: [5, 6, 7] })
    const [nonce, book] = fromReserve(open)
    assert.strictEqual(nonce, 5)
    assert.deepStrictEqual(NonceBook.release(book, 5), open)
    const [nine, more] = fromReserve(NonceBook.make(9))
    assert.deepStrictEqual(NonceBook.release(more, nine), NonceBook.make(9))
  })

  it("hands out nothing while nonce 0 is open, unresolved or not", () => {
    const [, book] = fromReserve(NonceBook.make(0))
    assert.deepStrictEqual(NonceBook.reserve(book), Option.none())
    assert.deepStrictEqual(NonceBook.reserve(NonceBook.suspect(book, 0)), Option.none())
    assert.strictEqual(fromReserve(NonceBook.confirm(book, 0))[0], 1)
    assert.strictEqual(fromReserve(NonceBook.release(book, 0))[0], 0)
  })

  it("of a newer version is refused, and one without a version has version 1", () => {
    const read = Schema.decodeUnknownEither(NonceBook.NonceBook)
    assert.isTrue(Either.isRight(read(NonceBook.make(3))))
    assert.isTrue(Either.isRight(read({ ...NonceBook.make(3), version: 1 })))
    assert.isTrue(Either.isLeft(read({ ...NonceBook.make(3), version: 2 })))
  })

  it("comes down from a count that was far too high, whatever is open up there, and lists no millions", () => {
    const far = 5_000_000
    const counted = NonceBook.advance(NonceBook.make(3), far)
    assert.deepStrictEqual(NonceBook.retreat(counted, 3), NonceBook.make(3))
    const [, held] = fromReserve(counted)
    const back = NonceBook.retreat(held, 3, new Set([4, far + 7]))
    assert.deepStrictEqual(back, { next: 5, open: [far], unresolved: [], gaps: [3] })
    const [first, one] = fromReserve(back)
    const [second, both] = fromReserve(one)
    assert.deepStrictEqual([first, second], [3, 5])
    assert.deepStrictEqual(NonceBook.release(both, far), { next: 6, open: [3, 5], unresolved: [], gaps: [] })
    assert.deepStrictEqual(NonceBook.confirm(both, far), { next: far + 1, open: [3, 5], unresolved: [], gaps: [] })
    assert.isFalse(NonceBook.isOutOfReach(3, 1003))
    assert.isTrue(NonceBook.isOutOfReach(3, 1004))
  })

  it("hands out no nonce that is open above its next one", () => {
    const book = { ...NonceBook.make(3), open: [3, 4] }
    assert.deepStrictEqual(fromReserve(book), [5, { next: 6, open: [3, 4, 5], unresolved: [], gaps: [] }])
  })
})
