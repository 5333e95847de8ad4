import administration from './en/administration.ts'
import calculators from './en/calculators.ts'
import consultations from './en/consultations.ts'
import knowledge from './en/knowledge.ts'
import matters from './en/matters.ts'
import shell from './en/shell.ts'

export default {
  ...shell,
  ...consultations,
  ...matters,
  ...calculators,
  ...knowledge,
  ...administration,
}
