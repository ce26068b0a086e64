/** The peers that a list of calls is measured with; the plain one first. */
export const listPeers: ReadonlyArray<string> = ["fetch", "sdk on fetch", "sdk, a fiber each", "viem", "ethers"]
