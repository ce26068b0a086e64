/**
 * The test vectors that EIP-2537 publishes for its precompiles (`assets/eip-2537` of the repository `ethereum/EIPs`, CC0), under
 * the names that they have there: all that must fail, and those that must succeed but for long sums. They are put together
 * here from the numbers that they share. Their gas is that of the final EIP: some files still have older prices.
 */

/** A number of the base field, as 64 bytes. */
const fp = (hex: string): string => hex.padStart(128, "0")

/** A point by its coordinates: two of G1, four of G2. */
const point = (...coordinates: ReadonlyArray<string>): string => coordinates.map(fp).join("")

const x1 = "17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"
const y1 = "08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1"
const px1 = "112b98340eee2777cc3c14163dea3ec97977ac3dc5c70da32e6e87578f44912e902ccef9efe28d4a78b8999dfbca9426"
const py1 = "186b28d92356c4dfec4b5201ad099dbdede3781f8998ddf929b4cd7756192185ca7b8f4ef7088f813270ac3d48868a21"
const x2 = [
  "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8",
  "13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e"
] as const
const y2 = [
  "0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801",
  "0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be"
] as const
const px2 = [
  "103121a2ceaae586d240843a398967325f8eb5a93e8fea99b62b9f88d8556c80dd726a4b30e84a36eeabaf3592937f27",
  "086b990f3da2aeac0a36143b7d7c824428215140db1bb859338764cb58458f081d92664f9053b50b3fbd2e4723121b68"
] as const
const py2 = [
  "0f9e7ba9a86a8f7624aa2b42dcc8772e1af4ae115685e60abc2c9b90242167acef3d0be4050bf935eed7c3b6fc7ba77e",
  "0d22c3652d0dc6f0fc9316e14268477c2049ef772e852108d269d9c38dba1d4802e8dae479818184c08f9a569d878451"
] as const

const g1 = point(x1, y1)
const p1 = point(px1, py1)
const g2 = point(...x2, ...y2)
const p2 = point(...px2, ...py2)
const inf1 = point("", "")
const inf2 = point("", "", "", "")
const minusG1 = point(
  x1,
  "114d1d6855d545a8aa7d76c8cf2e21f267816aef1db507c96655b9d5caac42364e6f38ba0ecb751bad54dcd6b939c2ca"
)
const minusP1 = point(
  px1,
  "0195e911162921ba5ed055b496420f197693d36569ec34c63d7c0529a097d49e543070afba4b707e878e53c2b779208a"
)
const minusG2 = point(
  ...x2,
  "0d1b3cc2c7027888be51d9ef691d77bcb679afda66c73f17f9ee3837a55024f78c71363275a75d75d86bab79f74782aa",
  "13fa4d4a0ad8b1ce186ed5061789213d993923066dddaf1040bc3ff59f825c78df74f2d75467e25e0f55f8a00fa030ed"
)
const minusP2 = point(
  ...px2,
  "0a6296409115572426717c73668335a949829d739cff2cb4ab043710d28f8e772f6ef41aac4806c9cb273c490384032d",
  "0cde4e850c721fa94e8890d500e3655b442d5c0dc4fff1b694c6f8dd68f6d8dc1bc3251a37d27e7af96f65a96278265a"
)

const sum1 = point(
  "0a40300ce2dec9888b60690e9a41d3004fda4886854573974fab73b046d3147ba5b7a5bde85279ffede1b45b3918d82d",
  "06d3d887e9f53b9ec4eb6cedf5607226754b07c01ace7834f57f3e7315faefb739e59018e22c492006190fba4a870025"
)
const twiceG1 = point(
  "0572cbea904d67468808c8eb50a9450c9721db309128012543902d0ac358a62ae28f75bb8f1c7c42c39a8c5529bf0f4e",
  "166a9d8cabc673a322fda673779d8e3822ba3ecb8670e461f73bb9021d5fd76a4c56d9d4cd16bd1bba86881979749d28"
)
const twiceP1 = point(
  "15222cddbabdd764c4bee0b3720322a65ff4712c86fc4b1588d0c209210a0884fa9468e855d261c483091b2bf7de6a63",
  "09f9edb99bc3b75d7489735c98b16ab78b9386c5f7a1f76c7e96ac6eb5bbde30dbca31a74ec6e0f0b12229eecea33c39"
)
const sum2 = point(
  "0b54a8a7b08bd6827ed9a797de216b8c9057b3a9ca93e2f88e7f04f19accc42da90d883632b9ca4dc38d013f71ede4db",
  "077eba4eecf0bd764dce8ed5f45040dd8f3b3427cb35230509482c14651713282946306247866dfe39a8e33016fcbe52",
  "14e60a76a29ef85cbd69f251b9f29147b67cfe3ed2823d3f9776b3a0efd2731941d47436dc6d2b58d9e65f8438bad073",
  "1586c3c910d95754fef7a732df78e279c3d37431c6a2b77e67a00c7c130a8fcd4d19f159cbeb997a178108fffffcbd20"
)
const twiceG2 = point(
  "1638533957d540a9d2370f17cc7ed5863bc0b995b8825e0ee1ea1e1e4d00dbae81f14b0bf3611b78c952aacab827a053",
  "0a4edef9c1ed7f729f520e47730a124fd70662a904ba1074728114d1031e1572c6c886f6b57ec72a6178288c47c33577",
  "0468fb440d82b0630aeb8dca2b5256789a66da69bf91009cbfe6bd221e47aa8ae88dece9764bf3bd999d95d71e4c9899",
  "0f6d4552fa65dd2638b361543f887136a43253d9c66c411697003f7a13c308f5422e1aa0a59c8967acdefd8b6e36ccf3"
)
const twiceP2 = point(
  "0b76fcbb604082a4f2d19858a7befd6053fa181c5119a612dfec83832537f644e02454f2b70d40985ebb08042d1620d4",
  "19a4a02c0ae51365d964c73be7babb719db1c69e0ddbf9a8a335b5bed3b0a4b070d2d5df01d2da4a3f1e56aae2ec106d",
  "0d18322f821ac72d3ca92f92b000483cf5b7d9e5d06873a44071c4e7e81efd904f210208fe0b9b4824f01c65bc7e6208",
  "04e563d53609a2d1e216aaaee5fbc14ef460160db8d1fdc5e1bd4e8b54cd2f39abf6f925969fa405efb9e700b01c7085"
)

// What no point may have.

const tooLarge1 = "31f2e5916b17be2e71b10b4292f558e727dfd7d48af9cbc5087f0ce00dcca27c8b01e83eaace1aefb539f00adb227166"
const tooLarge2 = "1c4bb49d2a0ef12b7123acdd7110bd292b5bc659edc54dc21b81de057194c79b2a5803255959bbef8e7f56c8c1216863"
const unreduced1 = point(tooLarge1, y1)
const unreduced2 = point(tooLarge2, x2[1], ...y2)
const offCurve1 = point(x1, py1)
const offCurve2 = point(x2[0], px2[1], ...y2)
const otherGroup1 = point(
  "0123456789abcdef".repeat(6),
  "193fb7cedb32b2c3adc06ec11a96bc0d661869316f5e4a577a9f7c179593987beb4fb2ee424dbb2f5dd891e228b46c4a"
)
const otherGroup2 = point(
  "197bfd0342bbc8bee2beced2f173e1a87be576379b343e93232d6cef98d84b1d696e5612ff283ce2cfdccb2cfb65fa0c",
  "184e811f55e6f9d84d77d2f79102fd7ea7422f4759df5bf7f6331d550245e3f1bcf6a30e3b29110d85e0ca16f9f6ae7a",
  "0f10e1eb3c1e53d2ad9cf2d398b2dc22c5842fab0a74b174f691a7e914975da3564d835cd7d2982815b8ac57f507348f",
  "0767d1c453890f1b9110fda82f5815c27281aba3f026ee868e4176a0654feea41a96575e0c4d58a14dbfbcc05b5010b1"
)
const otherCurve2 = point(
  "152f39ccc20272ce00fb519fc4a3e91f50d9eccefbfa51bfbaa77af322907a4372dc493b5226e66b836bc3f454cfbe0e",
  "116ce538b309cdd3587d13fd3fdccc523d2cea1c7be76994ef157dc677520ce22fded623d6408b042d38be76afdba889",
  "192c5538ec7cb7b7b7ee56520d39e2a1b8dded91cb5d4c3fcbbde46795e2c7eb61871ba09aa6d521d063a4d99603cda4",
  "094919a748626cc6899e7cdfbc86c87d0eda311ad5d78418719b3468c4c7d34223d6d0da1c4d8a99b32d46f835c5ba8f"
)

/** Input whose first byte is not zero. */
const topByte = (input: string): string => `10${input.slice(2)}`

/** Input that is a byte short, or a byte long. */
const short = (input: string): string => input.slice(2)
const long = (input: string): string => `00${input}`

/** A point and what it is multiplied by. */
const times = (scalar: string, of: string): string => of + scalar.padStart(64, "0")

const unnormalized = "9a2b64cc58f8992cb21237914262ca9ada6cb13dc7b7d3f11c278fe0462040e4"

/** A vector that succeeds. */
export type Success = readonly [name: string, input: string, expected: string, gas: bigint]

/** A vector that fails. */
export type Failure = readonly [name: string, input: string]

/** The vectors of one precompile. */
export interface Vectors {
  readonly address: number
  readonly succeed: ReadonlyArray<Success>
  readonly fail: ReadonlyArray<Failure>
}

const g1Add: Vectors = {
  address: 0x0b,
  succeed: [
    ["bls_g1add_g1+p1", g1 + p1, sum1, 375n],
    ["bls_g1add_p1+g1", p1 + g1, sum1, 375n],
    ["bls_g1add_(g1+0=g1)", g1 + inf1, g1, 375n],
    ["bls_g1add_(p1+0=p1)", p1 + inf1, p1, 375n],
    ["bls_g1add_(g1-g1=0)", g1 + minusG1, inf1, 375n],
    ["bls_g1add_(p1-p1=0)", p1 + minusP1, inf1, 375n],
    ["bls_g1add_(g1+g1=2*g1)", g1 + g1, twiceG1, 375n],
    ["bls_g1add_(p1+p1=2*p1)", p1 + p1, twiceP1, 375n]
  ],
  fail: [
    ["bls_g1add_empty_input", ""],
    ["bls_g1add_short_input", short(g1 + p1)],
    ["bls_g1add_large_input", long(g1 + p1)],
    ["bls_g1add_point_not_on_curve", offCurve1 + p1],
    ["bls_g2add_invalid_field_element", unreduced1 + p1],
    ["bls_g1add_violate_top_bytes", topByte(g1) + p1]
  ]
}

const g2Add: Vectors = {
  address: 0x0d,
  succeed: [
    ["bls_g2add_g2+p2", g2 + p2, sum2, 600n],
    ["bls_g2add_p2+g2", p2 + g2, sum2, 600n],
    ["bls_g2add_(g2+0=g2)", g2 + inf2, g2, 600n],
    ["bls_g2add_(p2+0=p2)", p2 + inf2, p2, 600n],
    ["bls_g2add_(g2-g2=0)", g2 + minusG2, inf2, 600n],
    ["bls_g2add_(p2-p2=0)", p2 + minusP2, inf2, 600n],
    ["bls_g2add_(g2+g2=2*g2)", g2 + g2, twiceG2, 600n],
    ["bls_g2add_(p2+p2=2*p2)", p2 + p2, twiceP2, 600n]
  ],
  fail: [
    ["bls_g2add_empty_input", ""],
    ["bls_g2add_short_input", short(g2 + p2)],
    ["bls_g2add_long_input", long(g2 + p2)],
    ["bls_g2add_point_not_on_curve", offCurve2 + p2],
    ["bls_g2add_invalid_field_element", unreduced2 + p2],
    ["bls_g2add_violate_top_bytes", topByte(g2) + p2]
  ]
}

const twoTerms1 = (first: string): string => times("2", first) + times("2", p1)
const twoTerms2 = (first: string): string => times("2", first) + times("2", p2)

const g1Msm: Vectors = {
  address: 0x0c,
  succeed: [
    ["bls_g1msm_(g1+g1=2*g1)", times("2", g1), twiceG1, 12_000n],
    ["bls_g1msm_(p1+p1=2*p1)", times("2", p1), twiceP1, 12_000n],
    ["bls_g1msm_(1*g1=g1)", times("1", g1), g1, 12_000n],
    ["bls_g1msm_(1*p1=p1)", times("1", p1), p1, 12_000n],
    ["bls_g1msm_(0*g1=inf)", times("0", g1), inf1, 12_000n],
    ["bls_g1msm_(0*p1=inf)", times("0", p1), inf1, 12_000n],
    ["bls_g1msm_(x*inf=inf)", times("11", inf1), inf1, 12_000n],
    ["bls_g1msm_(2g1+inf)", times("2", g1) + times("0", g1), twiceG1, 22_776n],
    ["bls_g1msm_(inf+inf)", times("0", g1) + times("0", g1), inf1, 22_776n],
    [
      "bls_g1msm_(2g1+2p1)",
      twoTerms1(g1),
      point(
        "148f92dced907361b4782ab542a75281d4b6f71f65c8abf94a5a9082388c64662d30fd6a01ced724feef3e284752038c",
        "15c3634c3b67bc18e19150e12bfd8a1769306ed010f59be645a0823acb5b38f39e8e0d86e59b6353fdafc59ca971b769"
      ),
      22_776n
    ],
    [
      "bls_g1msm_random*g1_unnormalized_scalar",
      times(unnormalized, g1),
      point(
        "0491d1b0ecd9bb917989f0e74f0dea0422eac4a873e5e2644f368dffb9a6e20fd6e10c1b77654d067c0618f6e5a7f79a",
        "17cd7061575d3e8034fcea62adaa1a3bc38dca4b50e4c5c01d04dd78037c9cee914e17944ea99e7ad84278e5d49f36c4"
      ),
      12_000n
    ],
    [
      "bls_g1msm_random*p1_unnormalized_scalar",
      times(unnormalized, p1),
      point(
        "06ee9c9331228753bcb148d0ca8623447701bb0aa6eafb0340aa7f81543923474e00f2a225de65c62dd1d8303270220c",
        "18dd7be47eb4e80985d7a0d2cc96c8b004250b36a5c3ec0217705d453d3ecc6d0d3d1588722da51b40728baba1e93804"
      ),
      12_000n
    ],
    ["bls_g1msm_discount_table_3", times("0", inf1).repeat(3), inf1, 30_528n]
  ],
  fail: [
    ["bls_g1msm_empty_input", ""],
    ["bls_g1msm_short_input", short(twoTerms1(g1))],
    ["bls_g1msm_long_input", long(twoTerms1(g1))],
    ["bls_g1msm_invalid_field_element", twoTerms1(unreduced1)],
    ["bls_g1msm_violate_top_bytes", topByte(twoTerms1(g1))],
    ["bls_g1msm_point_not_on_curve", twoTerms1(offCurve1)],
    ["bls_g1msm_g1_not_in_correct_subgroup", twoTerms1(otherGroup1)]
  ]
}

const g2Msm: Vectors = {
  address: 0x0e,
  succeed: [
    ["bls_g2msm_(g2+g2=2*g2)", times("2", g2), twiceG2, 22_500n],
    ["bls_g2msm_(p2+p2=2*p2)", times("2", p2), twiceP2, 22_500n],
    ["bls_g2msm_(1*g2=g2)", times("1", g2), g2, 22_500n],
    ["bls_g2msm_(1*p2=p2)", times("1", p2), p2, 22_500n],
    ["bls_g2msm_(0*g2=inf)", times("0", g2), inf2, 22_500n],
    ["bls_g2msm_(0*p2=inf)", times("0", p2), inf2, 22_500n],
    ["bls_g2msm_(x*inf=inf)", times("11", inf2), inf2, 22_500n],
    ["bls_g2msm_(2g2+inf)", times("2", g2) + times("2", inf2), twiceG2, 45_000n],
    ["bls_g2msm_(2p2+inf)", times("2", p2) + times("2", inf2), twiceP2, 45_000n],
    ["bls_g1msm_(inf+inf)", times("0", p2) + times("0", p2), inf2, 45_000n],
    [
      "bls_g2msm_(2g2+2p2)",
      twoTerms2(g2),
      point(
        "009cc9ed6635623ba19b340cbc1b0eb05c3a58770623986bb7e041645175b0a38d663d929afb9a949f7524656043bccc",
        "0c0fb19d3f083fd5641d22a861a11979da258003f888c59c33005cb4a2df4df9e5a2868832063ac289dfa3e997f21f8a",
        "168bf7d87cef37cf1707849e0a6708cb856846f5392d205ae7418dd94d94ef6c8aa5b424af2e99d957567654b9dae1d9",
        "17e0fa3c3b2665d52c26c7d4cea9f35443f4f9007840384163d3aa3c7d4d18b21b65ff4380cf3f3b48e94b5eecb221dd"
      ),
      45_000n
    ]
  ],
  fail: [
    ["bls_g2msm_empty_input", ""],
    ["bls_g2msm_short_input", short(twoTerms2(g2))],
    ["bls_g2msm_long_input", long(twoTerms2(g2))],
    ["bls_g2msm_violate_top_bytes", topByte(twoTerms2(g2))],
    ["bls_g2msm_invalid_field_element", twoTerms2(unreduced2)],
    ["bls_g2msm_point_not_on_curve", twoTerms2(offCurve2)],
    ["bls_pairing_g2_not_in_correct_subgroup", twoTerms2(otherGroup2)],
    ["bls_g2msm_point_in_correct_subgroup_invalid_curve", twoTerms2(otherCurve2)]
  ]
}

const isOne = "1".padStart(64, "0")
const isNotOne = "".padStart(64, "0")

/** Two pairs whose product is one. */
const balanced = g1 + g2 + g1 + minusG2

const notOnCurve1 = point(px1, y1)
const notOnCurve2 = point(px2[0], x2[1], ...y2)

const pairing: Vectors = {
  address: 0x0f,
  succeed: [
    ["bls_pairing_e(0,0)", inf1 + inf2, isOne, 70_300n],
    ["bls_pairing_e(0,0)=e(0,0)", inf1 + inf2 + inf1 + inf2, isOne, 102_900n],
    ["bls_pairing_e(0,G2)", inf1 + g2, isOne, 70_300n],
    ["bls_pairing_e(G1,0)", g1 + inf2, isOne, 70_300n],
    ["bls_pairing_e(0,-G2)!=e(-G1,G2)", inf1 + g2 + g1 + minusG2, isNotOne, 102_900n],
    ["bls_pairing_e(G1,0)!=e(-G1,G2)", g1 + inf2 + g1 + minusG2, isNotOne, 102_900n],
    ["bls_pairing_e(G1,0)=e(0,G2)", g1 + inf2 + inf1 + g2, isOne, 102_900n],
    ["bls_pairing_non-degeneracy", g1 + g2, isNotOne, 70_300n],
    ["bls_pairing_bilinearity", g1 + g2 + p1 + g2 + sum1 + minusG2, isOne, 135_500n],
    ["bls_pairing_e(G1,-G2)=e(-G1,G2)", balanced, isOne, 102_900n]
  ],
  fail: [
    ["bls_pairing_empty_input", ""],
    ["bls_pairing_missing_data", short(balanced)],
    ["bls_pairing_extra_data", long(balanced)],
    ["bls_pairing_top_bytes", topByte(balanced)],
    ["bls_pairing_e(G1_invalid_field_element,0)", unreduced1 + inf2],
    ["bls_pairing_e(0,G2_invalid_field_element)", inf1 + unreduced2],
    ["bls_pairing_e(G1_invalid_field_element,G2)", unreduced1 + g2],
    ["bls_pairing_e(G1,G2_invalid_field_element)", g1 + unreduced2],
    ["bls_pairing_e(G1_invalid_field_element,-G2)=e(-G1,G2)", unreduced1 + g2 + g1 + minusG2],
    ["bls_pairing_e(G1,G2_invalid_field_element)=e(-G1,G2)", g1 + unreduced2 + g1 + minusG2],
    ["bls_pairing_e(G1_not_on_curve,0)", notOnCurve1 + inf2],
    ["bls_pairing_e(0,G2_not_on_curve)", inf1 + notOnCurve2],
    ["bls_pairing_e(G1_not_on_curve,G2)", notOnCurve1 + g2],
    ["bls_pairing_e(G1,G2_not_on_curve)", g1 + notOnCurve2],
    ["bls_pairing_e(G1_not_on_curve,-G2)=e(-G1,G2)", offCurve1 + g2 + g1 + minusG2],
    ["bls_pairing_e(G1,G2_not_on_curve)=e(-G1,G2)", g1 + offCurve2 + g1 + minusG2],
    ["bls_pairing_e(G1_not_in_correct_subgroup,0)", otherGroup1 + inf2],
    ["bls_pairing_e(0,G2_not_in_correct_subgroup)", inf1 + otherGroup2],
    ["bls_pairing_e(G1_not_in_correct_subgroup,G2)", otherGroup1 + g2],
    ["bls_pairing_e(G1,G2_not_in_correct_subgroup)", g1 + otherGroup2],
    ["bls_pairing_e(G1_not_in_correct_subgroup,-G2)=e(-G1,G2)", otherGroup1 + g2 + g1 + minusG2],
    ["bls_pairing_e(G1,G2_not_in_correct_subgroup)=e(-G1,G2)", g1 + otherGroup2 + g1 + minusG2]
  ]
}

const mapped1 = "156c8a6a2c184569d69a76be144b5cdc5141d2d2ca4fe341f011e25e3969c55ad9e9b9ce2eb833c81a908e5fa4ac5f03"

const mapToG1: Vectors = {
  address: 0x10,
  succeed: [
    [
      "bls_g1map_",
      fp(mapped1),
      point(
        "184bb665c37ff561a89ec2122dd343f20e0f4cbcaec84e3c3052ea81d1834e192c426074b02ed3dca4e7676ce4ce48ba",
        "04407b8d35af4dacc809927071fc0405218f1401a6d15af775810e4e460064bcc9468beeba82fdc751be70476c888bf3"
      ),
      5500n
    ],
    [
      "bls_g1map_616263",
      fp("147e1ed29f06e4c5079b9d14fc89d2820d32419b990c1c7bb7dbea2a36a045124b31ffbde7c99329c05c559af1c6cc82"),
      point(
        "009769f3ab59bfd551d53a5f846b9984c59b97d6842b20a2c565baa167945e3d026a3755b6345df8ec7e6acb6868ae6d",
        "1532c00cf61aa3d0ce3e5aa20c3b531a2abd2c770a790a2613818303c6b830ffc0ecf6c357af3317b9575c567f11cd2c"
      ),
      5500n
    ],
    [
      "bls_g1map_6162636465663031",
      fp("04090815ad598a06897dd89bcda860f25837d54e897298ce31e6947378134d3761dc59a572154963e8c954919ecfa82d"),
      point(
        "1974dbb8e6b5d20b84df7e625e2fbfecb2cdb5f77d5eae5fb2955e5ce7313cae8364bc2fff520a6c25619739c6bdcb6a",
        "15f9897e11c6441eaa676de141c8d83c37aab8667173cbe1dfd6de74d11861b961dccebcd9d289ac633455dfcc7013a3"
      ),
      5500n
    ],
    [
      "bls_g1map_713132385f717171",
      fp("08dccd088ca55b8bfbc96fb50bb25c592faa867a8bb78d4e94a8cc2c92306190244532e91feba2b7fed977e3c3bb5a1f"),
      point(
        "0a7a047c4a8397b3446450642c2ac64d7239b61872c9ae7a59707a8f4f950f101e766afe58223b3bff3a19a7f754027c",
        "1383aebba1e4327ccff7cf9912bda0dbc77de048b71ef8c8a81111d71dc33c5e3aa6edee9cf6f5fe525d50cc50b77cc9"
      ),
      5500n
    ],
    [
      "bls_g1map_613531325f616161",
      fp("0dd824886d2123a96447f6c56e3a3fa992fbfefdba17b6673f9f630ff19e4d326529db37e1c1be43f905bf9202e0278d"),
      point(
        "0e7a16a975904f131682edbb03d9560d3e48214c9986bd50417a77108d13dc957500edf96462a3d01e62dc6cd468ef11",
        "0ae89e677711d05c30a48d6d75e76ca9fb70fe06c6dd6ff988683d89ccde29ac7d46c53bb97a59b1901abf1db66052db"
      ),
      5500n
    ]
  ],
  fail: [
    ["bls_mapg1_empty_input", ""],
    ["bls_mapg1_short_input", fp(mapped1).slice(0, -2)],
    ["bls_mapg1_large_input", long(fp(mapped1))],
    ["bls_mapg1_top_bytes", topByte(long(fp(mapped1).slice(0, -2)))],
    [
      "bls_invalid_fq_element",
      fp("2f6d9c5465982c0421b61e74579709b3b5b91e57bdd4f6015742b4ff301abb7ef895b9cce00c33c7d48f8e5fa4ac09ae")
    ]
  ]
}

const mapped2 = [
  "07355d25caf6e7f2f0cb2812ca0e513bd026ed09dda65b177500fa31714e09ea0ded3a078b526bed3307f804d4b93b04",
  "02829ce3c021339ccb5caf3e187f6370e1e2a311dec9b75363117063ab2015603ff52c3d3b98f19c2f65575e99e8b78c"
] as const

const mapToG2: Vectors = {
  address: 0x11,
  succeed: [
    [
      "bls_g2map_",
      point(...mapped2),
      point(
        "00e7f4568a82b4b7dc1f14c6aaa055edf51502319c723c4dc2688c7fe5944c213f510328082396515734b6612c4e7bb7",
        "126b855e9e69b1f691f816e48ac6977664d24d99f8724868a184186469ddfd4617367e94527d4b74fc86413483afb35b",
        "0caead0fd7b6176c01436833c79d305c78be307da5f6af6c133c47311def6ff1e0babf57a0fb5539fce7ee12407b0a42",
        "1498aadcf7ae2b345243e281ae076df6de84455d766ab6fcdaad71fab60abb2e8b980a440043cd305db09d283c895e3d"
      ),
      23_800n
    ],
    [
      "bls_g2map_616263",
      point(
        "138879a9559e24cecee8697b8b4ad32cced053138ab913b99872772dc753a2967ed50aabc907937aefb2439ba06cc50c",
        "0a1ae7999ea9bab1dcc9ef8887a6cb6e8f1e22566015428d220b7eec90ffa70ad1f624018a9ad11e78d588bd3617f9f2"
      ),
      point(
        "108ed59fd9fae381abfd1d6bce2fd2fa220990f0f837fa30e0f27914ed6e1454db0d1ee957b219f61da6ff8be0d6441f",
        "0296238ea82c6d4adb3c838ee3cb2346049c90b96d602d7bb1b469b905c9228be25c627bffee872def773d5b2a2eb57d",
        "033f90f6057aadacae7963b0a0b379dd46750c1c94a6357c99b65f63b79e321ff50fe3053330911c56b6ceea08fee656",
        "153606c417e59fb331b7ae6bce4fbf7c5190c33ce9402b5ebe2b70e44fca614f3f1382a3625ed5493843d0b0a652fc3f"
      ),
      23_800n
    ],
    [
      "bls_g2map_6162636465663031",
      point(
        "18c16fe362b7dbdfa102e42bdfd3e2f4e6191d479437a59db4eb716986bf08ee1f42634db66bde97d6c16bbfd342b3b8",
        "0e37812ce1b146d998d5f92bdd5ada2a31bfd63dfe18311aa91637b5f279dd045763166aa1615e46a50d8d8f475f184e"
      ),
      point(
        "038af300ef34c7759a6caaa4e69363cafeed218a1f207e93b2c70d91a1263d375d6730bd6b6509dcac3ba5b567e85bf3",
        "0da75be60fb6aa0e9e3143e40c42796edf15685cafe0279afd2a67c3dff1c82341f17effd402e4f1af240ea90f4b659b",
        "19b148cbdf163cf0894f29660d2e7bfb2b68e37d54cc83fd4e6e62c020eaa48709302ef8e746736c0e19342cc1ce3df4",
        "0492f4fed741b073e5a82580f7c663f9b79e036b70ab3e51162359cec4e77c78086fe879b65ca7a47d34374c8315ac5e"
      ),
      23_800n
    ]
  ],
  fail: [
    ["bls_mapg2_empty_input", ""],
    ["bls_mapg2_short_input", point(...mapped2).slice(0, -2)],
    ["bls_mapg2_long_input", long(point(...mapped2))],
    ["bls_mapg2_top_bytes", long(point(...mapped2).slice(0, -2))],
    [
      "bls_mapg2_invalid_fq_element",
      point(
        "21366f100476ce8d3be6cfc90d59fe13349e388ed12b6dd6dc31ccd267ff000e2c993a063ca66beced06f804d4b8e5af",
        mapped2[1]
      )
    ]
  ]
}

/** The vectors of each precompile. */
export const blsVectors: ReadonlyArray<Vectors> = [g1Add, g1Msm, g2Add, g2Msm, pairing, mapToG1, mapToG2]
