import type { Catalogue } from './catalogue.ts'
import administration from './zh/administration.ts'
import calculators from './zh/calculators.ts'
import consultations from './zh/consultations.ts'
import knowledge from './zh/knowledge.ts'
import matters from './zh/matters.ts'
import shell from './zh/shell.ts'

export default {
  ...shell,
  ...consultations,
  ...matters,
  ...calculators,
  ...knowledge,
  ...administration,
} satisfies Catalogue
