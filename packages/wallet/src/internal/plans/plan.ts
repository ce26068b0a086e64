/** Makes and checks plans: what can't be sent, the preview and the digest. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Chain from "@effect-klaytn/core/Chain"
import { canonical } from "@effect-klaytn/core/Checkpoint"
import type * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { Contents, TransactionRequest } from "../../TransactionRequest.js"
import * as routes from "./routes.js"
import * as intents from "./transactionIntent.js"

/** A plan: what is sent, the same as text, and the digest of both. */
export interface SendPlan extends Contents {
  readonly _tag: "SendPlan"
  /** The plan as text: network, full addresses, amount in KLAY and peb, who pays, nonce. */
  readonly preview: string
  /** 64 hexadecimal digits. */
  readonly digest: string
}

const digestOf = (contents: Contents, preview: string): string =>
  bytesToHex(sha256(utf8ToBytes(canonical({ contents, preview }))))

export const freeze = <A>(value: A): A => {
  if (Predicate.isObject(value)) {
    Object.values(value).forEach(freeze)
    Object.freeze(value)
  }
  return value
}

/** Foreign text on one line: nothing in it can look like another line or change the reading direction. */
const quoted = (text: string): string =>
  JSON.stringify(text).replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
  )

const amount = (peb: bigint): string => `${Amount.format(peb)} (${peb} peb)`

const bytes = (data: string): string => `${data.length / 2 - 1} bytes, ${data}`

const address = (address: Address.Address | undefined): string | undefined =>
  address === undefined ? undefined : Address.checksum(address)

/** Lines of the preview by name; those without text are left out. */
type Lines = Readonly<Record<string, string | undefined>>

/** What a request does, in a headline and lines of its own. */
const describe = (
  request: TransactionRequest,
  raw: intents.RawTransaction | undefined
): readonly [headline: string, lines: Lines] => {
  switch (request._tag) {
    case "Value": {
      const memo = request.memo === undefined ? undefined : quoted(request.memo)
      return [`Send ${amount(request.value)}`, { to: address(request.to), memo }]
    }
    case "Legacy": {
      const value = amount(request.value ?? 0n)
      const input = bytes(request.input ?? "0x")
      return request.to === undefined
        ? ["Create a contract (legacy)", { value, input }]
        : [`Send ${value} (legacy)`, { to: address(request.to), input }]
    }
    case "Deploy":
      return ["Create a contract", { value: amount(request.value ?? 0n), code: bytes(request.input) }]
    case "Execute": {
      const { input, to, value = 0n } = request
      return ["Call a contract", { to: address(to), value: amount(value), input: bytes(input) }]
    }
    case "Anchor":
      return ["Anchor data", { data: bytes(request.input) }]
    case "Cancel": {
      const { nonce, transactionHash } = request
      return ["Cancel a transaction that waits", { "of nonce": nonce?.toString(), "of hash": transactionHash }]
    }
    case "AccountUpdate":
      return ["Give the account another key", { key: canonical(request.accountKey) }]
    case "Rlp": {
      const inside = raw === undefined
        ? { inside: "can't be read here" }
        : { type: raw.transaction.type, to: address(raw.marks.to), value: amount(raw.marks.value) }
      return ["Submit a transaction that was built elsewhere", { ...inside, rlp: bytes(request.rlp) }]
    }
  }
}

/** Phrases of a preview: today's, then those of earlier versions, whose plans are executed too. */
const wordings = [
  { later: "charged to you later", unnamed: "the request names no fee payer" },
  { later: "charged later", unnamed: "as the document says, by leaving the fee payer out" }
] as const

type Wording = typeof wordings[number]

const payerText = ({ feePayerStyle, feeRatio, payer, request }: Contents, wording: Wording): string => {
  if (payer._tag === "SenderPays") return "paid by the sender"
  const share = feeRatio === undefined ? "" : `, ${feeRatio} percent of it; the sender pays the rest`
  if (payer._tag === "UserFeePayer") return `paid by ${Address.checksum(payer.address)}${share}`
  const unnamed = feePayerStyle === "document" && request._tag === "Value" ? `; ${wording.unnamed}` : ""
  return `paid by the service's global fee payer, ${wording.later}${share}${unnamed}`
}

const nonceText = ({ isKeyed, nonce }: intents.TransactionIntent): string => {
  if (nonce === undefined) return "chosen by the service; never repeated by itself"
  return isKeyed ? String(nonce) : "0, which the service reads as: choose one; never repeated by itself"
}

const gasText = ({ gasLimit, request }: Contents): string => {
  if (request._tag === "Rlp") return "as its bytes say"
  return gasLimit === undefined ? "the service's default" : String(gasLimit)
}

const preview = (contents: Contents, intent: intents.TransactionIntent, wording: Wording = wordings[0]): string => {
  const [headline, own] = describe(contents.request, intent.raw)
  const lines: Lines = {
    network: Chain.label(contents.chain),
    service: contents.host,
    from: address(intent.from) ?? "not known",
    ...own,
    fee: payerText(contents, wording),
    nonce: nonceText(intent),
    "gas limit": gasText(contents),
    pool: contents.pool ?? "the customer's default",
    submit: contents.submit ? "yes" : "no: sign only"
  }
  const rows = Object.entries(lines).flatMap(([name, text]) => text === undefined ? [] : `  ${name.padEnd(10)}${text}`)
  return [headline, ...rows].join("\n")
}

/** The first reason why contents can't be sent, and the field that it is about. */
const problemOf = (
  { feePayerStyle, feeRatio, gasLimit, nonce, payer, request }: Contents,
  intent: intents.TransactionIntent,
  hasCall: boolean
) => {
  const isOfDocument = feePayerStyle === "document" && request._tag === "Value"
  const isBySender = payer._tag === "SenderPays"
  const isShared = feeRatio !== undefined
  const isRaw = request._tag === "Rlp"
  const remedy =
    "with KLAYTN_FEE_PAYER_STYLE=paths, or feePayerStyle: \"paths\", it has: set that where the service, or the " +
    "gateway of your own, was started so (--fee-payer-style paths)"
  const owner = intent.raw?.from
  const other = owner === undefined || owner === intent.from ? undefined : Address.checksum(owner)
  const problems: ReadonlyArray<readonly [isSo: boolean, path: string, problem: string]> = [
    [
      isOfDocument && isBySender,
      "payer",
      `the API document of the service has no value transfer whose fee the sender pays; ${remedy}`
    ],
    [
      isOfDocument && isShared,
      "feeRatio",
      `the API document of the service has no value transfer with a shared fee; ${remedy}`
    ],
    [isShared && isBySender, "feeRatio", "a fee can be shared with a fee payer only"],
    [request._tag === "Legacy" && !isBySender, "payer", "the legacy form has no fee payer: only the sender can pay"],
    [(isRaw || request._tag === "Cancel") && nonce !== undefined, "nonce", "the request names its nonce itself"],
    [isRaw && gasLimit !== undefined, "gasLimit", "the bytes name their gas limit themselves"],
    [
      request._tag === "Cancel" && request.nonce === 0,
      "nonce",
      "the service reads nonce 0 as none: name the transaction by its transactionHash"
    ],
    [intent.isOfAnotherChain, "rlp", `it was signed for another chain than ${Chain.label(intent.chain)}`],
    [other !== undefined, "rlp", `it belongs to ${other}, and not to the account that is named as from`],
    [
      intent.nonce !== undefined && !Number.isSafeInteger(intent.nonce),
      "rlp",
      "its nonce is beyond any that an account can reach"
    ],
    [!hasCall, "accountKey", "the service has no form for this account key"]
  ]
  return problems.find(([isSo]) => isSo)
}

/** Makes a plan without checking whether it can be sent. */
export const seal = (contents: Contents, intent: intents.TransactionIntent): SendPlan => {
  const text = preview(contents, intent)
  return freeze({ _tag: "SendPlan", ...contents, preview: text, digest: digestOf(contents, text) })
}

/** Makes a plan, or refuses what can't be sent. */
export const make = (
  client: ServiceClient.ServiceClient,
  operation: string,
  contents: Contents
): Effect.Effect<SendPlan, InvalidInput> =>
  Effect.suspend(() => {
    const copy = structuredClone(contents)
    const intent = intents.make(copy)
    const refused = problemOf(copy, intent, Option.isSome(routes.call(client, copy, intent, {})))
    if (refused === undefined) return Effect.succeed(seal(copy, intent))
    const [, path, problem] = refused
    return InvalidInput.at(operation, [path], problem)
  })

/** Whether a plan matches its digest. */
export const isSealed = ({ _tag, digest, preview, ...contents }: SendPlan): boolean =>
  digest === digestOf(contents, preview)

/** What an unchanged plan contains. */
export interface Verified {
  /** A copy, so that later changes to the plan have no effect. */
  readonly plan: SendPlan
  readonly intent: intents.TransactionIntent
}

export const verify = (input: SendPlan): Option.Option<Verified> => {
  try {
    const plan = freeze(structuredClone(input))
    const intent = intents.make(plan)
    return isSealed(plan) && wordings.some((wording) => plan.preview === preview(plan, intent, wording))
      ? Option.some({ plan, intent })
      : Option.none()
  } catch {
    // Anything that can't be copied or previewed is not a plan.
    return Option.none()
  }
}
