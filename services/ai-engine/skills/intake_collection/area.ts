/** Categories of matters that are not about a civil cause of action, with the words that show them. */
const areas: [category: string, pattern: RegExp][] = [
  [
    'criminal_litigation',
    /刑事|刑拘|拘留|逮捕|取保候审|看守所|批捕|涉嫌|[诈盗抢]\S{0,2}罪|\b(?:criminal|arrested|detained|bail|prosecut\w+)\b/iu,
  ],
  [
    'administrative_litigation',
    /行政(?:处罚|复议|诉讼|机关)|征收|拆迁(?!款)|强拆|城管|被?罚款|吊销|\b(?:administrative|expropriat\w+|demolish\w+|city (?:government|authority))\b/iu,
  ],
]

/** Category of a matter outside of civil law; undefined if the text shows none. */
export const detectArea = (text: string): string | undefined =>
  areas.find(([, pattern]) => pattern.test(text))?.[0]
