import { bytesOf, fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { isEthereum } from "@effect-klaytn/transaction/TransactionType"
import { RLP } from "@ethereumjs/rlp"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { WalletRefused } from "../../CustodyError.js"
import { digestOf } from "../../WalletGuard.js"
import type { Payer, WalletAccount } from "../../WalletRecord.js"
import { authenticate, checkLimits } from "../wallet/authentic.js"
import { acceptResult, checkPrice, checkRest, encode } from "../wallet/signing.js"
import { done, finish, requestedPayer, type Result, runAlone, signAndFinish } from "./sending.js"
import type { Failure, Pools, WalletRequest } from "./WalletRequest.js"
import { wireTransactionResult } from "./wire.js"

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

/** Checks that the transaction has the form that the path asks for. */
const check = ({ refusals }: WalletRequest, { feeRatio, payer }: RawRequest, transaction: Transaction.Transaction) => {
  if (payer === "sender") {
    return Transaction.isFeeDelegatedTransaction(transaction) || isEthereum(transaction.type)
      ? refusals.fail("notBasic")
      : Effect.void
  }
  if (!Transaction.isFeeDelegatedTransaction(transaction)) return refusals.fail("notFeeDelegated")
  if (!("feeRatio" in transaction)) return feeRatio === 0 ? Effect.void : refusals.fail("feeRatioUnwanted")
  if (feeRatio === 0) return refusals.fail("feeRatioMissing")
  return feeRatio === transaction.feeRatio ? Effect.void : refusals.fail("rlpDiffers", "feeRatio")
}

/** The sender: the one that the transaction names, or else the signer, or else the one that the request names. */
const senderOf = (
  { refusals, wallet }: WalletRequest,
  { from }: RawRequest,
  transaction: Transaction.Transaction
): Effect.Effect<Hex, Failure> => {
  if ("from" in transaction) {
    return from === undefined || from === transaction.from
      ? Effect.succeed(transaction.from)
      : refusals.fail("rlpDiffers", "from")
  }
  const signers = Transaction.recoverSenders(transaction, { chainId: wallet.chain.chainId, curve: wallet.curve })
  const address = signers.ok ? signers.value[0]?.address : from
  return address === undefined ? refusals.fail("empty", "from") : Effect.succeed(address)
}

/** What a request hands in, and for which account. */
const identify = (request: WalletRequest, input: RawRequest) =>
  Effect.gen(function*() {
    const transaction = yield* read(request, input.rlp)
    yield* check(request, input, transaction)
    return { from: yield* senderOf(request, input, transaction), transaction }
  })

type Identified = Effect.Effect.Success<ReturnType<typeof identify>>

/** Everything else that can be refused before something is signed or stored, but for the signatures. */
const accept = (request: WalletRequest, pools: Pools, payer: Payer, { from, transaction }: Identified) =>
  Effect.gen(function*() {
    const { refusals, wallet } = request
    const isSigned = transaction.signatures.length > 0
    const pool = pools["account-pool"]
    // An account of the wallet is served in its pool alone, whoever has signed for it.
    const served = isSigned && !(yield* wallet.isHeld(from))
      ? Either.right(undefined)
      : yield* Effect.either(request.usableAccount(pool, from))
    // Who has not signed for an account learns nothing about it: bytes with signatures are refused for those first.
    if (Either.isLeft(served) && !isSigned) return yield* Effect.fail(served.left)
    const feePayer = yield* requestedPayer(request, pools, payer)
    const named = "feePayer" in transaction ? transaction.feePayer : undefined
    if (feePayer !== undefined && named !== undefined && named !== feePayer.address) {
      return yield* refusals.fail("rlpDiffers", "feePayer")
    }
    return {
      account: Either.getOrUndefined(served),
      unserved: Either.isLeft(served) ? served.left : undefined,
      feePayer,
      from,
      isSigned,
      transaction
    }
  })

type Accepted = Effect.Effect.Success<ReturnType<typeof accept>>

/**
 * The answer to bytes that a block has: whoever signs for the account by now, they were accepted once, and may have changed its key
 * themselves. Nothing is stored.
 */
const answerMined = ({ wallet }: WalletRequest, { from, transaction }: Accepted) =>
  Effect.gen(function*() {
    const hash = yield* acceptResult(Transaction.hash(transaction))
    return Option.isNone(yield* wallet.chain.transaction(hash))
      ? undefined
      : wireTransactionResult(transaction, from, { kind: "sent", rlp: yield* encode(transaction), hash })
  })

/** Sends a transaction that its sender has signed, by the key that the chain has for the account. */
const sendSigned = (request: WalletRequest, accepted: Accepted, submit: boolean): Effect.Effect<Result, Failure> => {
  const { feePayer, from, transaction, unserved } = accepted
  const ours = Effect.zipRight(
    Effect.zipRight(
      checkRest(request.wallet, from, feePayer, { transaction, submit }),
      noteSent(request, from, transaction)
    ),
    finish(request, feePayer, { from, transaction, submit })
  )
  return Effect.matchEffect(authenticate(request.wallet, from, transaction), {
    onSuccess: () =>
      unserved === undefined ? ours : Effect.zipRight(noteRefused(request, from, unserved), Effect.fail(unserved)),
    onFailure: (failure) =>
      Effect.gen(function*() {
        const answer = yield* Effect.orElseSucceed(answerMined(request, accepted), () => undefined)
        yield* answer === undefined ? noteRefused(request, from, failure) : noteSent(request, from, transaction)
        return answer ?? (yield* Effect.fail(failure))
      })
  })
}

/** Signs a transaction as its sender, and sends it. */
const signAndSend = (
  request: WalletRequest,
  account: WalletAccount,
  { feePayer, transaction }: Accepted,
  { payer, submit }: { readonly payer: Payer; readonly submit: boolean }
) => {
  const payable = feePayer !== undefined && Transaction.isFeeDelegatedTransaction(transaction)
    ? { ...transaction, feePayer: feePayer.address }
    : transaction
  return signAndFinish(request, account, feePayer, {
    make: () => Effect.succeed(payable),
    payer,
    submit,
    // The price is the caller's.
    isRaisable: false
  })
}

/**
 * Signs a raw transaction as its sender unless it is signed, adds the fee payer's signature on the paths of fee delegation,
 * and sends the transaction if the request says so. Signatures that it has are checked by the account's key on the chain first: a
 * transaction that its sender has not signed gets no row and no nonce.
 */
export const sendRaw = (request: WalletRequest, pools: Pools, input: RawRequest): Effect.Effect<Result, Failure> =>
  Effect.gen(function*() {
    const { payer, submit = false } = input
    const told = (failure: Failure) => noteRefused(request, nameIn(input), failure)
    const identified = yield* Effect.tapError(identify(request, input), told)
    const before = yield* done(request.wallet, identified.from)
    if (before !== undefined) return before
    const accepted = yield* Effect.tapError(accept(request, pools, payer, identified), told)
    const { account, from, isSigned } = accepted
    // The bound holds for what its accounts pay, whoever has signed it.
    if (account !== undefined) {
      yield* Effect.tapError(
        checkPrice(request.wallet.chain, accepted.transaction),
        (failure) => note(request, nameIn(input), failure)
      )
    }
    return yield* runAlone(
      request.wallet,
      from,
      account === undefined || isSigned
        ? sendSigned(request, accepted, submit)
        : signAndSend(request, account, accepted, { payer, submit })
    )
  })

/** The transaction of a request, signed or not. What no node takes is refused before it is read. */
const read = ({ refusals, wallet }: WalletRequest, rlp: Hex) =>
  Effect.gen(function*() {
    const size = sizeOf(rlp)
    yield* checkLimits({ gas: 0n }, size)
    const decoded = Transaction.decode(fromSigRlp(rlp, wallet.chain.chainId) ?? rlp)
    // Inferred: no source shows the answer to bytes that are no transaction.
    // Nor what it says to blobs, which are longer than a wallet's request.
    if (!decoded.ok || decoded.value.type === "EthereumBlob") return yield* refusals.fail("outOfRange", "rlp")
    yield* checkLimits(decoded.value, size)
    return decoded.value
  })

const what = "raw transaction"

/** Who asked is written down, whatever the answer. */
const note = ({ wallet: { guard } }: WalletRequest, subject: Hex | undefined, failure: Failure) =>
  guard === undefined ? Effect.void : guard.note({ event: "refused", what, subject, reason: failure.message })

/** The same where the guard may have refused, which writes that down itself. */
const noteRefused = (request: WalletRequest, subject: Hex | undefined, failure: Failure) =>
  failure instanceof WalletRefused ? Effect.void : note(request, subject, failure)

/** The account that refused bytes name, if they can be read. */
const nameIn = ({ from, rlp }: Pick<RawRequest, "rlp" | "from">): Hex | undefined => {
  if (sizeOf(rlp) > Transaction.largestSize) return from
  const decoded = Transaction.decode(rlp)
  return decoded.ok && "from" in decoded.value ? decoded.value.from : from
}

const sizeOf = (rlp: Hex): number => rlp.length / 2 - 1

/** The same for a transaction that was signed elsewhere, or by an earlier request. */
const noteSent = ({ wallet: { chain, guard } }: WalletRequest, subject: Hex, transaction: Transaction.Transaction) =>
  guard === undefined ? Effect.void : guard.note({
    event: "sent",
    what: `${what}, ${transaction.type}`,
    subject,
    signed: digestOf(transaction, "sender", chain.chainId)
  })

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
