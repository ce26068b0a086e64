import { HistoryGroup } from "@effect-klaytn/history/HistoryApi"
import * as HttpApi from "@effect/platform/HttpApi"

/** Everything that the sandbox serves in the service's place, on one address. */
export class ServiceApi extends HttpApi.make("klaytn-service").add(HistoryGroup) {}
