/** Plans without a client. */
import * as plans from "../../src/internal/plans/plan.js"
import * as intents from "../../src/internal/plans/transactionIntent.js"
import type { SendPlan } from "../../src/SendPlan.js"
import type { TransactionRequest } from "../../src/TransactionRequest.js"

export const planOf = (request: TransactionRequest, nonce?: number): SendPlan => {
  const contents = {
    chain: 1001,
    host: "127.0.0.1:8080",
    request,
    payer: { _tag: "ServiceFeePayer" },
    feePayerStyle: "document",
    nonce,
    submit: true
  } as const
  return plans.seal(contents, intents.make(contents))
}
