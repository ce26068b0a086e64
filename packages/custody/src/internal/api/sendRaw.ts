import { bytesOf, fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { isEthereum } from "@effect-klaytn/transaction/TransactionType"
import { RLP } from "@ethereumjs/rlp"
import * as Effect from "effect/Effect"
import type { Payer } from "../../WalletRecord.js"
import { done, finish, requestedPayer, type Result, runAlone, signAndFinish } from "./sending.js"
import type { Failure, Pools, WalletRequest } from "./WalletRequest.js"

/** A request to sign, pay for, or send a raw transaction. */
export interface RawRequest {
  readonly rlp: Hex
  /** The sender, for a transaction that does not name one. */
  readonly from?: Hex | undefined
  readonly submit?: boolean | undefined
  readonly payer: Payer
  /** 0 is none. */
  readonly feeRatio: number
}

/**
 * Signs a raw transaction as its sender unless it is signed, adds the fee payer's signature on the paths of fee delegation,
 * and sends the transaction if the request says so. The node checks the signatures.
 */
export const sendRaw = (
  request: WalletRequest,
  pools: Pools,
  { submit = false, ...input }: RawRequest
): Effect.Effect<Result, Failure> => {
  const { refusals, wallet } = request

  /** Checks that the transaction has the form that the path asks for. */
  const check = (transaction: Transaction.Transaction) => {
    if (input.payer === "sender") {
      return Transaction.isFeeDelegatedTransaction(transaction) || isEthereum(transaction.type)
        ? refusals.fail("notBasic")
        : Effect.void
    }
    if (!Transaction.isFeeDelegatedTransaction(transaction)) return refusals.fail("notFeeDelegated")
    if (!("feeRatio" in transaction)) return input.feeRatio === 0 ? Effect.void : refusals.fail("feeRatioUnwanted")
    if (input.feeRatio === 0) return refusals.fail("feeRatioMissing")
    return input.feeRatio === transaction.feeRatio ? Effect.void : refusals.fail("rlpDiffers", "feeRatio")
  }

  /** The sender: the one that the transaction names, or else the signer, or else the one that the request names. */
  const senderOf = (transaction: Transaction.Transaction) => {
    if ("from" in transaction) {
      return input.from === undefined || input.from === transaction.from
        ? Effect.succeed(transaction.from)
        : refusals.fail("rlpDiffers", "from")
    }
    const signers = Transaction.recoverSenders(transaction, { chainId: wallet.chain.chainId, curve: wallet.curve })
    const address = signers.ok ? signers.value[0]?.address : input.from
    return address === undefined ? refusals.fail("empty", "from") : Effect.succeed(address)
  }

  return Effect.gen(function*() {
    const decoded = Transaction.decode(fromSigRlp(input.rlp, wallet.chain.chainId) ?? input.rlp)
    // Inferred: no source shows the answer to bytes that are no transaction.
    if (!decoded.ok) return yield* refusals.fail("outOfRange", "rlp")
    const transaction = decoded.value
    yield* check(transaction)
    const from = yield* senderOf(transaction)
    const before = yield* done(wallet, from)
    if (before !== undefined) return before
    const isSigned = transaction.signatures.length > 0
    const account = isSigned ? undefined : yield* request.usableAccount(pools["account-pool"], from)
    const feePayer = yield* requestedPayer(request, pools, input.payer)
    const named = "feePayer" in transaction ? transaction.feePayer : undefined
    if (feePayer !== undefined && named !== undefined && named !== feePayer.address) {
      return yield* refusals.fail("rlpDiffers", "feePayer")
    }
    const payable = feePayer !== undefined && Transaction.isFeeDelegatedTransaction(transaction)
      ? { ...transaction, feePayer: feePayer.address }
      : transaction
    return yield* runAlone(
      wallet,
      from,
      account === undefined
        ? finish(request, feePayer, { from, transaction, submit })
        : signAndFinish(request, account, feePayer, {
          make: () => Effect.succeed(payable),
          payer: input.payer,
          submit
        })
    )
  })
}

type Item = Uint8Array | Array<Item>

const none = new Uint8Array(0)

/** The signature of a transaction that is not signed yet. */
const unsigned = [[Uint8Array.of(1), none, none]]

const noAddress = new Uint8Array(20)

const isBytes = (item: Item | undefined): item is Uint8Array => item instanceof Uint8Array

/** Whether three items are a chain and the two empty items in place of a signature, with which every SigRLP ends. */
const isEnd = (chain: Item | undefined, r: Item | undefined, s: Item | undefined, chainId: number): boolean =>
  isBytes(chain) && BigInt(fromBytes(chain) === "0x" ? 0 : fromBytes(chain)) === BigInt(chainId) &&
  isBytes(r) && r.length === 0 && isBytes(s) && s.length === 0

/** A fee-delegated type ends in 1 or 2. */
const isFeeDelegated = (type: number): boolean => (type & 7) !== 0

/**
 * The transaction of a `SigRLP`: the bytes that its sender signs. The service's paths for raw transactions take unsigned
 * transactions in this form. Undefined if the bytes are no `SigRLP`, or one for another chain.
 */
const fromSigRlp = (rlp: Hex, chainId: number): Hex | undefined => {
  try {
    const items: Item = RLP.decode(bytesOf(rlp))
    if (isBytes(items)) return undefined
    if (items.length === 9 && isEnd(items[6], items[7], items[8], chainId)) {
      return fromBytes(RLP.encode([...items.slice(0, 6), ...unsigned.flat()]))
    }
    const [inner, chain, r, s] = items
    if (items.length !== 4 || !isBytes(inner) || !isEnd(chain, r, s, chainId)) return undefined
    const body: Item = RLP.decode(inner)
    if (isBytes(body)) return undefined
    const [type, ...fields] = body
    if (!isBytes(type) || type.length !== 1) return undefined
    const [number = 0] = type
    const payer = isFeeDelegated(number) ? [noAddress, unsigned] : []
    const written = RLP.encode([...fields, unsigned, ...payer])
    return fromBytes(Uint8Array.of(number, ...written))
  } catch {
    // Bytes that are no RLP.
    return undefined
  }
}
