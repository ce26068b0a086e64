/** Contracts that move coin, as assembled code, and what each transaction to them moves. */

/**
 * Calls the address in the first word of the data, with the second word as data and with the value of the call:
 * MSTORE(0, CALLDATALOAD(32)); CALL(GAS, CALLDATALOAD(0), CALLVALUE, 0, 32, 0, 0). DELEGATECALL takes no value.
 */
const pass = (instruction: "f1" | "f2" | "f4", end: string): string =>
  `6020356000526000600060206000${instruction === "f4" ? "" : "34"}6000355a${instruction}${end}`

/** Sends half of the value of the call to an address that an instruction gives. */
export const sendHalf = (address: string): string => `600060006000600060023404${address}5af150`

const stop = "00"
const revert = "60006000fd"

/** The contracts, by name: the code that each has. */
export const codes = {
  /** Sends the value of its call to the address in its first word. */
  forwarder: pass("f1", stop),
  /** The same, but fails afterwards. */
  failing: pass("f1", revert),
  /** Runs the code of the address in its first word as its own. */
  delegate: pass("f4", stop),
  /** The same with the older instruction, which names a value that stays. */
  codeCaller: pass("f2", stop),
  /** Creates an empty contract with the value of its call: CREATE(CALLVALUE, 0, 0). */
  creator: "6000600034f000",
  /** Sends half of the value of its call, and then the other half, to the address in its first word. */
  halver: `${sendHalf("600035").repeat(2)}${stop}`,
  /** Destroys itself in favour of the address in its first word. */
  destroyer: "600035ff",
  /** Destroys itself in favour of itself. */
  selfish: "30ff"
} as const

/** Code that creates contracts. */
const constructors = {
  /** Sends half of the coin that it gets to the sender of the transaction. */
  halver: `${sendHalf("33")}${stop}`,
  /** Destroys the contract that it creates, in favour of itself: the coin is lost. */
  selfish: "30ff"
} as const

export type Contract = keyof typeof codes

/** An account of the transfers: a contract, the sender, somebody without code, or what a transaction created. */
export type Party = Contract | "sender" | "shop" | "created"

/** A transaction with a value of 10 peb, and the transfers of coin that it makes, its own first. */
export interface Move {
  readonly name: string
  /** The contract, or the code of the one that it creates. */
  readonly to: Contract | { readonly code: `0x${string}` }
  /** The words of its data. */
  readonly data: ReadonlyArray<Party>
  readonly moved: ReadonlyArray<readonly [from: Party, to: Party, value: number]>
}

export const moves: ReadonlyArray<Move> = [
  {
    name: "a contract that forwards coin",
    to: "forwarder",
    data: ["shop"],
    moved: [["sender", "forwarder", 10], ["forwarder", "shop", 10]]
  },
  {
    name: "calls in calls, from the outside to the inside",
    to: "forwarder",
    data: ["halver", "shop"],
    moved: [
      ["sender", "forwarder", 10],
      ["forwarder", "halver", 10],
      ["halver", "shop", 5],
      ["halver", "shop", 5]
    ]
  },
  {
    name: "a call that fails, and with it what it has moved",
    to: "forwarder",
    data: ["failing", "shop"],
    moved: [["sender", "forwarder", 10]]
  },
  { name: "a transaction that fails", to: "failing", data: ["shop"], moved: [["sender", "failing", 10]] },
  {
    name: "code that runs as a contract's own",
    to: "delegate",
    data: ["halver", "shop"],
    moved: [["sender", "delegate", 10], ["delegate", "shop", 5], ["delegate", "shop", 5]]
  },
  {
    name: "code that is called with a value that stays",
    to: "codeCaller",
    data: ["halver", "shop"],
    moved: [["sender", "codeCaller", 10], ["codeCaller", "shop", 5], ["codeCaller", "shop", 5]]
  },
  {
    name: "a contract that is created with coin",
    to: "creator",
    data: [],
    moved: [["sender", "creator", 10], ["creator", "created", 10]]
  },
  {
    name: "a constructor that sends coin",
    to: { code: `0x${constructors.halver}` },
    data: [],
    moved: [["sender", "created", 10], ["created", "sender", 5]]
  },
  {
    name: "a contract that is destroyed by its constructor",
    to: { code: `0x${constructors.selfish}` },
    data: [],
    moved: [["sender", "created", 10]]
  },
  {
    name: "a contract that destroys itself",
    to: "destroyer",
    data: ["shop"],
    moved: [["sender", "destroyer", 10], ["destroyer", "shop", 10]]
  },
  {
    name: "a contract that destroys itself in a call",
    to: "forwarder",
    data: ["destroyer", "shop"],
    moved: [["sender", "forwarder", 10], ["forwarder", "destroyer", 10], ["destroyer", "shop", 10]]
  },
  { name: "a contract that leaves its coin to itself", to: "selfish", data: [], moved: [["sender", "selfish", 10]] }
]
