/** What the drill asks for, and when it does what: all of it follows from the seed. */

/** What is special about a payment. */
export type Kind =
  /** From an account with funds that has sent before. */
  | "plain"
  /** One of several with the same accounts and value. */
  | "equal"
  /** From an account that has never sent. */
  | "fresh"
  /** From an account that has never sent and has no coin before the drill is well under way. */
  | "poor"
  /** From an account whose coin does not do for all of its payments before the drill is well under way. */
  | "short"
  /** So much that only a few fit into the spend window. */
  | "large"

/** A payment that is asked for. */
export interface Requested {
  readonly key: string
  readonly kind: Kind
  readonly from: string
  readonly to: string
  readonly value: string
  /** Somebody asks for its cancellation. */
  readonly isCancelled: boolean
}

/** The accounts that pay, by what is special about them. */
export interface Accounts {
  readonly plain: ReadonlyArray<string>
  readonly fresh: ReadonlyArray<string>
  readonly poor: ReadonlyArray<string>
  readonly short: ReadonlyArray<string>
}

const klay = 10n ** 18n

/** The spend window: three large payments fit into it, and all others beside them. */
export const window = { large: 1_000n * klay, max: 3_900n * klay, millis: 4_000 }

/** What an account of kind `short` has at first, and what every other of its payments moves. */
export const short = { balance: 25n * klay, value: 20n * klay }

/** How many payments are equal to each other. */
const groupSize = 4

/** How many keys an account of its own kind pays. */
const perAccount = { fresh: 4, poor: 3, short: 4 }

const kindOf = (i: number): Kind => {
  const turn = i % 20
  if (turn < 8) return "plain"
  if (turn < 12) return "equal"
  if (turn < 15) return "fresh"
  if (turn < 16) return "poor"
  if (turn < 17) return "short"
  return "large"
}

const countOf = (keys: number, kind: Kind): number =>
  Array.from({ length: keys }, (_, i) => kindOf(i)).filter((one) => one === kind).length

/** How many accounts of each kind so many keys take. */
export const accountsFor = (keys: number): Readonly<Record<keyof Accounts, number>> => ({
  plain: 12,
  fresh: Math.ceil(countOf(keys, "fresh") / perAccount.fresh),
  poor: Math.ceil(countOf(keys, "poor") / perAccount.poor),
  short: Math.ceil(countOf(keys, "short") / perAccount.short)
})

const address = (prefix: string, i: number): string => `0x${prefix}${i.toString(16).padStart(40 - prefix.length, "0")}`

/** Receivers of nothing but the drill, and nobody's accounts. */
const receivers = { own: "d1", group: "d2" }

/** Where strangers pay to. */
export const aside = address("ee", 1)

/** All payments. Each has a receiver of its own, apart from those that are equal. */
export const requestsOf = (keys: number, accounts: Accounts): ReadonlyArray<Requested> => {
  const seen = new Map<Kind, number>()
  return Array.from({ length: keys }, (_, i): Requested => {
    const kind = kindOf(i)
    const nth = seen.get(kind) ?? 0
    seen.set(kind, nth + 1)
    const account = (list: ReadonlyArray<string>, at: number): string => list[at % list.length] ?? ""
    const own = { key: `order-${i}`, kind, to: address(receivers.own, i), isCancelled: i % 9 === 3 }
    switch (kind) {
      case "plain":
        return { ...own, from: account(accounts.plain, i), value: String(1_000 + i) }
      case "large":
        return { ...own, from: account(accounts.plain, i), value: String(window.large) }
      case "equal": {
        const group = Math.floor(nth / groupSize)
        return { ...own, from: account(accounts.plain, group), to: address(receivers.group, group), value: "7" }
      }
      case "fresh":
      case "poor":
        return { ...own, from: account(accounts[kind], nth), value: String(1_000 + i) }
      case "short": {
        const round = Math.floor(nth / accounts.short.length)
        return { ...own, from: account(accounts.short, nth), value: String(round % 2 === 0 ? short.value : 1_000 + i) }
      }
      default:
        return kind satisfies never
    }
  })
}

/** What is done to the processes, the database and the service. */
export type Blow = "kill" | "freeze" | "cut" | "database restart" | "sandbox restart"

/** How often each is done. */
export type Blows = Readonly<Record<Blow, number>>

/** Something that is done at a time: a part of the whole, from 0 to 1. */
export type Step =
  & { readonly at: number }
  & (
    | { readonly do: "ask"; readonly request: Requested }
    /** At once, or as soon as a request to send it is seen. */
    | { readonly do: "cancel"; readonly request: Requested; readonly onSend: boolean }
    | { readonly do: "fund" | "stranger"; readonly account: string }
    | { readonly do: "blow"; readonly blow: Blow }
  )

export const shuffled = <A>(list: ReadonlyArray<A>, random: () => number): ReadonlyArray<A> =>
  list.map((one) => [random(), one] as const).sort(([a], [b]) => a - b).map(([, one]) => one)

/** How often each key is asked for, by different processes. */
const times = 3

/** How many large payments are asked for at the same time: more than fit into the spend window. */
const burst = 8

/** Everything that is done, in order. `second` is a second's part of the whole. */
export const stepsOf = (
  requests: ReadonlyArray<Requested>,
  accounts: Accounts,
  blows: Blows,
  second: number,
  random: () => number
): ReadonlyArray<Step> => {
  const deck = shuffled(
    Object.entries(blows).flatMap(([blow, count]) => Array.from({ length: count }, () => blow as Blow)),
    random
  )
  const large = requests.filter(({ kind }) => kind === "large")
  const bursts = Array.from({ length: Math.ceil(large.length / burst) }, () => random() * 0.9)
  const asks = requests.flatMap((request): ReadonlyArray<Step> => {
    const first = bursts[Math.floor(large.indexOf(request) / burst)] ?? random() * 0.9
    const again = Array.from({ length: times - 1 }, () => ({
      at: first + random() * (1 - first),
      do: "ask" as const,
      request
    }))
    const onSend = request.kind !== "equal" && random() < 0.6
    const cancel: Step = {
      at: onSend ? first : Math.min(1, first + random() * 2 * second),
      do: "cancel",
      request,
      onSend
    }
    return [{ at: first, do: "ask", request }, ...again, ...(request.isCancelled ? [cancel] : [])]
  })
  const funds = [...accounts.poor, ...accounts.short].map((account): Step => ({
    at: 0.5 + random() * 0.4,
    do: "fund",
    account
  }))
  const payers = [...accounts.plain, ...accounts.fresh]
  const strangers = Array.from({ length: Math.ceil(requests.length / 15) }, (): Step => ({
    at: random() * 0.95,
    do: "stranger",
    account: payers[Math.floor(random() * payers.length)] ?? ""
  }))
  const struck = deck.map((blow, i): Step => ({ at: (i + 1) / (deck.length + 1), do: "blow", blow }))
  return [...asks, ...funds, ...strangers, ...struck].sort((a, b) => a.at - b.at)
}
