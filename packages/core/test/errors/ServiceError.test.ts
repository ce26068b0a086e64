import * as ServiceError from "@effect-klaytn/core/ServiceError"
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

const attempts = [
  new ServiceError.Attempt({ status: 503, reason: "HTTP 503", waitMillis: 120 }),
  new ServiceError.Attempt({ reason: "ECONNRESET", waitMillis: 0 })
]
const common = { operation: "history.getTransfers", retrySafe: true, attempts }
const answered = { ...common, status: 400, code: 1040010, serviceMessage: "bad range", requestId: "r-1" }
const spent = new ServiceError.Spent({ attemptsMillis: 5, retryWaitsMillis: 6, rateLimitMillis: 7 })

/** Each member, its category and its message. */
const family: ReadonlyArray<readonly [ServiceError.AnyError, ServiceError.Category, string]> = [
  [
    new ServiceError.InvalidInput({ ...common, attempts: [], path: ["presets", 0], problem: "give one" }),
    "caller",
    "history.getTransfers: invalid presets[0]: give one"
  ],
  [
    new ServiceError.Unauthorized({ ...common, status: 401, code: 1010009, fingerprint: "abcdef123456" }),
    "credential",
    "history.getTransfers: the credential (fingerprint abcdef123456) was not accepted; check the access key [HTTP 401, code 1010009]"
  ],
  [
    new ServiceError.Unauthorized({ ...common, problem: "no credentials: the store is down" }),
    "credential",
    "history.getTransfers: no credentials: the store is down"
  ],
  [
    new ServiceError.Rejected(answered),
    "refused",
    "history.getTransfers: the service refused the call [HTTP 400, code 1040010, \"bad range\", request r-1]"
  ],
  [new ServiceError.NotFound({ ...common, status: 404 }), "refused", "history.getTransfers: not found [HTTP 404]"],
  [
    new ServiceError.RateLimited({ ...common, status: 429, origin: "service", retryAfterMillis: 1000 }),
    "throttled",
    "history.getTransfers: the service limits the rate; retry after 1000 ms [HTTP 429]"
  ],
  [
    new ServiceError.RateLimited({ ...common, origin: "client" }),
    "throttled",
    "history.getTransfers: the configured rate limit is exhausted"
  ],
  [
    new ServiceError.Unavailable({ ...common, status: 503 }),
    "service",
    "history.getTransfers: the service is unavailable [HTTP 503]"
  ],
  [
    new ServiceError.TransportFailed({ ...common, reason: "ECONNREFUSED", sent: false }),
    "network",
    "history.getTransfers: no answer (ECONNREFUSED); check the base address and the network"
  ],
  [
    new ServiceError.TimedOut({ ...common, limit: "deadline", limitMillis: 18, spent }),
    "network",
    "history.getTransfers: the deadline limit of 18 ms passed (attempts 5 ms, waits before retries 6 ms, rate limit 7 ms)"
  ],
  [
    new ServiceError.TimedOut({
      ...common,
      limit: "deadline",
      limitMillis: 10_000,
      spent: new ServiceError.Spent({ attemptsMillis: 0, retryWaitsMillis: 0, rateLimitMillis: 0 })
    }),
    "network",
    "history.getTransfers: the deadline limit of 10000 ms passed (attempts 0 ms, waits before retries 0 ms, rate limit 0 ms; " +
    "10000 ms had passed before this call)"
  ],
  [
    new ServiceError.MalformedResponse({
      ...common,
      status: 200,
      path: ["items", 3, "value"],
      expected: "string",
      actual: "a number"
    }),
    "contract",
    "history.getTransfers: malformed answer at items[3].value: expected string, got a number [HTTP 200]"
  ],
  [
    new ServiceError.RedirectRefused({ ...common, status: 302, location: "evil.example" }),
    "caller",
    "history.getTransfers: a redirect to evil.example was refused; configure the right base address [HTTP 302]"
  ],
  [
    new ServiceError.PagingStalled({ ...common, reason: "repeated-cursor", pages: 3 }),
    "contract",
    "history.getTransfers: the service returned a cursor twice (after 3 pages)"
  ],
  [
    new ServiceError.PagingStalled({ ...common, reason: "empty-pages", pages: 11 }),
    "contract",
    "history.getTransfers: the service keeps sending empty pages with a cursor (after 11 pages)"
  ],
  [
    new ServiceError.OutcomeUnknown({ ...common, retrySafe: false, status: 504, reason: "HTTP 504" }),
    "uncertain",
    "history.getTransfers: it may or may not have happened (HTTP 504); find out before calling again [HTTP 504]"
  ]
]

interface Members {
  readonly members: ReadonlyArray<Members | { readonly _tag: string }>
}

const tags = ({ members }: Members): Array<string> =>
  members.flatMap((member) => "members" in member ? tags(member) : [member._tag])

describe("a member of the family", () => {
  it("is there for each thing a caller can do differently, and these are all", () => {
    assert.deepStrictEqual(
      [...new Set(family.map(([error]) => error._tag))].sort(),
      tags(ServiceError.AnyError).sort()
    )
    assert.deepStrictEqual(tags(ServiceError.StreamError), [...tags(ServiceError.ReadError), "PagingStalled"])
    assert.deepStrictEqual(tags(ServiceError.ServiceError), [...tags(ServiceError.ReadError), "OutcomeUnknown"])
  })

  for (const [error, category, message] of family) {
    it(`${error._tag} says: ${message}`, () => {
      assert.strictEqual(error.message, message)
      assert.strictEqual(error.category, category)
      assert.isTrue(ServiceError.isServiceError(error))
      assert.instanceOf(error, Error)
    })

    it(`${error._tag} comes back from JSON as it was: ${message.slice(22, 60)}`, () => {
      const stored = Schema.parseJson(ServiceError.AnyError)
      const again = Schema.decodeUnknownEither(stored)(Schema.encodeSync(stored)(error))
      assert.isTrue(Either.isRight(again))
      if (Either.isLeft(again)) return
      assert.strictEqual(again.right._tag, error._tag)
      assert.strictEqual(again.right.message, error.message)
      assert.strictEqual(again.right.category, error.category)
      assert.strictEqual(ServiceError.format(again.right), ServiceError.format(error))
    })
  }

  it("is told as a whole by format", () => {
    assert.strictEqual(
      ServiceError.format(new ServiceError.Rejected(answered)),
      [
        "Rejected (refused): history.getTransfers: the service refused the call " +
        "[HTTP 400, code 1040010, \"bad range\", request r-1]",
        "  attempt 1: HTTP 503, then waited 120 ms",
        "  attempt 2: ECONNRESET",
        "  calling again is safe",
        "  more: klaytn explain Rejected"
      ].join("\n")
    )
    assert.include(
      ServiceError.format(new ServiceError.OutcomeUnknown({ ...common, retrySafe: false, reason: "timeout" })),
      "calling again is NOT safe: it could happen twice"
    )
  })

  it("is not every error", () => {
    assert.isFalse(ServiceError.isServiceError(new Error("x")))
    assert.isFalse(ServiceError.isServiceError({ _tag: "NotFound" }))
  })
})
