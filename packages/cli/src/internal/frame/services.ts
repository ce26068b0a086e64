/** What commands use of the process: the network and files. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Layer from "effect/Layer"

export const services = Layer.mergeAll(FetchHttpClient.layer, NodeFileSystem.layer, NodePath.layer)
