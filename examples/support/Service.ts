/**
 * The service that the examples talk to: one layer, and what is in it. It answers from a script inside this process, the
 * way the service was seen to answer.
 */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/** The account whose history is searched. */
export const account = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"

/** A fungible token it holds. */
export const token = "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359"

/** A preset that nobody made. */
export const unknownPreset = 404

const shop = "0xdbf03b407c01e7cd3cbea99509d93f8dddc8c6fb"
const hash = (n: number) => `0x${n.toString(16).padStart(64, "0")}`

const about = (n: number, sender: string) => ({
  from: sender,
  fee: "0x1dd7c1681d000",
  feePayer: "",
  feeRatio: 0,
  transactionHash: hash(n),
  blockNumber: 7000000 + n,
  timestamp: 1704067200 + n
})

const coin = (n: number, from: string, to: string, value: string, typeInt: number) => ({
  transferType: "klay",
  to,
  value,
  status: 1,
  transactionIndex: 0,
  typeInt,
  ...about(n, from)
})

const apples = (n: number, from: string, to: string, value: string, formattedValue: string) => ({
  transferType: "ft",
  from,
  to,
  value,
  formattedValue,
  contract: { address: token, name: "Apple", symbol: "APL", decimals: 2 },
  transaction: { typeInt: 48, value: "0x0", ...about(n, from) }
})

const pages = [
  [
    apples(4, shop, account, "0x3e8", "10"),
    apples(3, account, shop, "0xfa", "2.5"),
    coin(3, account, token, "0x0", 48)
  ],
  [coin(2, account, shop, "0xde0b6b3a7640000", 8)],
  [apples(1, shop, account, "0x32", "0.5")]
]

const cursor = (page: number): string => page < pages.length ? `page${page}` : ""

const answer = (url: URL): Response => {
  if (url.pathname !== `/v2/transfer/account/${account}`) {
    return Response.json({ code: 1040400, message: "[ResourceNotFound]preset not found" }, { status: 404 })
  }
  const page = Number(url.searchParams.get("cursor")?.slice("page".length) ?? 0)
  return Response.json({ items: pages[page], cursor: cursor(page + 1) })
}

const Wire = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make((request, url) => Effect.sync(() => HttpClientResponse.fromWeb(request, answer(url))))
)

const Config = ClientConfig.layer({
  chain: 1001,
  credentials: Effect.suspend(() =>
    Credentials.fromPair({ accessKeyId: "KASK0EXAMPLE", secretAccessKey: Redacted.make("not-a-secret") })
  ),
  endpoints: { history: "http://127.0.0.1:8080" }
})

/** Transfer history of that service. */
export const Service = TransferHistory.layer.pipe(Layer.provide(Config), Layer.provide(Wire))
