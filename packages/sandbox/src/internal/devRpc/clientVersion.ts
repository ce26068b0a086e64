/** The version that tools for development accept: they ask what it begins with. */
export const clientVersion = `anvil/effect-klaytn-sandbox/${process.platform}-${process.arch}/node${process.version}`
