import type { Catalogue } from './catalogue.ts'
import calculators from './zh/calculators.ts'
import consultations from './zh/consultations.ts'
import matters from './zh/matters.ts'
import shell from './zh/shell.ts'

export default {
  ...shell,
  ...consultations,
  ...matters,
  ...calculators,
} satisfies Catalogue
