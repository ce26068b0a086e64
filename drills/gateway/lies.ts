/** What a node that lies answers: now and then something else than the truth, of the kinds that the wallet must withstand. */
import type { Random } from "../../packages/sandbox/src/internal/Random.js"

interface Call {
  readonly id: unknown
  readonly method: string
}

const hex = (value: bigint | number): string => `0x${value.toString(16)}`

/** What may be answered to a method in place of its result, or of its error. Not an invented block: that is believed, as the guide says. */
const liesOf = (random: Random): Readonly<Record<string, ReadonlyArray<object>>> => {
  const hash = `0x${Array.from({ length: 64 }, () => hex(random.between(0, 15)).slice(2)).join("")}`
  return {
    chainID: [{ result: "0x2019" }, { result: "0x1" }],
    blockNumber: [{ result: "0x0" }, { result: "0xffffffffff" }],
    getTransactionCount: [{ result: hex(2n ** 60n) }, { result: "0x0" }, { result: null }],
    getBalance: [{ result: "0x0" }, { result: hex(10n ** 40n) }],
    getAccount: [{ result: null }, { result: {} }, {
      result: { accType: 1, account: { nonce: 0, balance: "0x0", key: { keyType: 3, key: {} } } }
    }],
    getTransactionReceipt: [{ result: null }],
    getTransactionByHash: [{ result: null }],
    getRawTransactionByHash: [{ result: "0x" }, { result: "0x00" }],
    getCode: [{ result: "0x" }, { result: "0x60006000" }],
    getHeaderByNumber: [{ result: null }, { result: { baseFeePerGas: "0x0" } }, {
      result: { baseFeePerGas: hex(10n ** 15n) }
    }],
    sendRawTransaction: [
      { result: hash },
      { error: { code: -32000, message: "txpool is full: 5120" } },
      { error: { code: -32000, message: "known transaction: " + hash.slice(2) } },
      { error: { code: -32000, message: "nonce too low" } },
      { error: { code: -32603, message: "internal error" } }
    ]
  }
}

/** The answers to a request, with lies in place of a share of them. */
export const lying =
  (random: Random, share: number, lied: (method: string) => void) => (asked: string, answered: string): string => {
    try {
      const calls = [JSON.parse(asked) as Call | ReadonlyArray<Call>].flat()
      const answers = JSON.parse(answered) as Call | ReadonlyArray<Call>
      const one = (answer: Call): unknown => {
        const method = calls.find(({ id }) => id === answer.id)?.method.replace(/^[a-z]+_/, "") ?? ""
        const lie = random.fraction() < share ? random.pick(liesOf(random)[method] ?? []) : undefined
        if (lie === undefined) return answer
        lied(method)
        return { jsonrpc: "2.0", id: answer.id, ...lie }
      }
      return JSON.stringify(Array.isArray(answers) ? answers.map(one) : one(answers as Call))
    } catch {
      return answered
    }
  }
