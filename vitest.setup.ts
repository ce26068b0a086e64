import { it, makeMethods } from "@effect/vitest"

// `layer` of @effect/vitest 0.30 writes its `effect` and `scoped` into the runner's own `it`, and files share a worker: without
// this, a plain `it.effect` of the next file would run in the layer of the last one, without a test clock.
makeMethods(it)
