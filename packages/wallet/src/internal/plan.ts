/** Plans: the preview, the digest, and the check of both. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Chain from "@effect-klaytn/core/Chain"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { Contents, SendPlan } from "../SendPlan.js"
import type { TransactionRequest } from "../TransactionRequest.js"
import * as subject from "./subject.js"

const canonical = (value: unknown): string => {
  if (typeof value === "bigint") return `${value}n`
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (!Predicate.isRecord(value)) return JSON.stringify(value) ?? "null"
  const fields = Object.keys(value).filter((name) => value[name] !== undefined).sort()
  return `{${fields.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`
}

const digestOf = (contents: Contents, preview: string): string =>
  bytesToHex(sha256(utf8ToBytes(canonical({ contents, preview }))))

const freeze = <A>(value: A): A => {
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

const recipient = (to: Address.Address | undefined): ReadonlyArray<readonly [string, string]> =>
  to === undefined ? [] : [["to", Address.checksum(to)]]

type Lines = readonly [headline: string, ...rest: ReadonlyArray<readonly [string, string]>]

const lines = (request: TransactionRequest, chain: Chain.Chain): Lines => {
  switch (request._tag) {
    case "Value":
      return [
        `Send ${amount(request.value)}`,
        ...recipient(request.to),
        ...(request.memo === undefined ? [] : [["memo", quoted(request.memo)] as const])
      ]
    case "Legacy":
      return [
        request.to === undefined ? "Create a contract (legacy)" : `Send ${amount(request.value ?? 0n)} (legacy)`,
        ...recipient(request.to),
        ...(request.to === undefined ? [["value", amount(request.value ?? 0n)] as const] : []),
        ["input", bytes(request.input ?? "0x")]
      ]
    case "Deploy":
      return ["Create a contract", ["value", amount(request.value ?? 0n)], ["code", bytes(request.input)]]
    case "Execute":
      return [
        "Call a contract",
        ...recipient(request.to),
        ["value", amount(request.value ?? 0n)],
        ["input", bytes(request.input)]
      ]
    case "Anchor":
      return ["Anchor data", ["data", bytes(request.input)]]
    case "Cancel":
      return [
        "Cancel a transaction that waits",
        request.nonce === undefined ? ["of hash", String(request.transactionHash)] : ["of nonce", String(request.nonce)]
      ]
    case "AccountUpdate":
      return ["Give the account another key", ["key", canonical(request.accountKey)]]
    case "Rlp": {
      const inside = subject.decoded(request.rlp, chain)
      return [
        "Submit a transaction that was built elsewhere",
        ...Option.match(inside, {
          onNone: () => [["inside", "can't be read here"] as const],
          onSome: ({ marks, type }) => [
            ["type", type] as const,
            ...recipient(marks.to),
            ["value", amount(marks.value)] as const
          ]
        }),
        ["rlp", bytes(request.rlp)]
      ]
    }
  }
}

const payer = ({ feeRatio, payer, way }: Contents): string => {
  const share = feeRatio === undefined ? "" : `, ${feeRatio} percent of it; the sender pays the rest`
  switch (payer._tag) {
    case "UserFeePayer":
      return `paid by ${Address.checksum(payer.address)}${share}`
    case "ServiceFeePayer":
      return `paid by the service's global fee payer, charged later${share}` +
        (way === "field" ? "; as the document says, by leaving the fee payer out" : "")
    case "SenderPays":
      return "paid by the sender"
  }
}

const nonceText = (contents: Contents): string => {
  const nonce = Option.getOrUndefined(subject.nonceOf(contents))
  if (nonce === undefined) return "chosen by the service; never repeated by itself"
  return subject.isKeyed(contents)
    ? String(nonce)
    : "0, which the service reads as: choose one; never repeated by itself"
}

const gasText = ({ gasLimit, request }: Contents): string => {
  if (request._tag === "Rlp") return "as its bytes say"
  return gasLimit === undefined ? "the service's default" : String(gasLimit)
}

const previewOf = (contents: Contents): string => {
  const [headline, ...own] = lines(contents.request, contents.chain)
  const from = subject.fromOf(contents)
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["network", Chain.label(contents.chain)],
    ["service", contents.host],
    ["from", from === undefined ? "not known" : Address.checksum(from)],
    ...own,
    ["fee", payer(contents)],
    ["nonce", nonceText(contents)],
    ["gas limit", gasText(contents)],
    ["pool", contents.pool ?? "the customer's default"],
    ["submit", contents.submit ? "yes" : "no: sign only"]
  ]
  return [headline, ...rows.map(([name, value]) => `  ${name.padEnd(10)}${value}`)].join("\n")
}

export const make = (contents: Contents): SendPlan => {
  const copy = structuredClone(contents)
  const preview = previewOf(copy)
  return freeze({ _tag: "SendPlan", ...copy, preview, digest: digestOf(copy, preview) })
}

const intact = (plan: SendPlan): Option.Option<SendPlan> => {
  const { _tag, digest, preview, ...contents } = plan
  return preview === previewOf(contents) && digest === digestOf(contents, preview) ? Option.some(plan) : Option.none()
}

/** The contents of an unchanged plan. They are a copy, so later changes to the plan have no effect. */
export const verified = (plan: SendPlan): Option.Option<Contents> => {
  try {
    return Option.map(
      intact(structuredClone(plan)),
      ({ _tag, digest: _digest, preview: _preview, ...contents }) => contents
    )
  } catch {
    // Anything that can't be copied or previewed is not a plan.
    return Option.none()
  }
}
