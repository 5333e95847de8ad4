import type { Catalogue } from './catalogue.ts'
import consultations from './zh/consultations.ts'
import matters from './zh/matters.ts'
import shell from './zh/shell.ts'

export default { ...shell, ...consultations, ...matters } satisfies Catalogue
