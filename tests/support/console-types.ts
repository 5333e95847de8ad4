import { describe } from '../../services/_kit/openapi.ts'
import { suite } from '../../services/_run/services.ts'

/** Schemas of the API descriptions that the console uses. */
const schemas: Record<string, string[]> = {
  gateway: ['Me', 'OwnedSession', 'OwnedToken'],
  'consultations-service': ['ConsultationSession', 'ConsultationMessage'],
  'ai-engine': [
    'Card',
    'Question',
    'Calculator',
    'CalculationStep',
    'Trace',
    'TraceDetail',
    'Checkpoint',
    'Round',
    'RunAnswer',
  ],
  'matter-service': [
    'Matter',
    'Todo',
    'MatterPhaseProgress',
    'MatterEvent',
    'Deliverable',
    'AnalysisSubmission',
  ],
  'knowledge-service': [
    'SearchAnswer',
    'Hit',
    'KnowledgeBase',
    'KnowledgeDocument',
    'KnowledgeFile',
    'KnowledgeJob',
    'CauseOfActionProfile',
    'CauseParty',
    'CauseOfAction',
    'ElementWithKnowledge',
    'ElementKnowledgeMapping',
    'Defence',
    'Calculation',
    'ElementCase',
    'LawEdition',
    'LaterText',
  ],
  'platform-service': [
    'SystemConfig',
    'FeatureFlag',
    'Tag',
    'TagGroup',
    'AuditLog',
    'Verdict',
    'AuditVerification',
    'Webhook',
  ],
  'collector-service': ['SeedPackage', 'SeedRun', 'Source', 'CollectionRun'],
  'files-service': ['File'],
}

/** Writes TypeScript types of the schemas. */
export function consoleTypes(): string {
  const types = suite.flatMap(({ name, endpoints }) => {
    const { components } = describe(name, '', endpoints)
    return (schemas[name] ?? []).map(
      (schema) => `export interface ${schema} ${formatType(components.schemas[schema])}\n`,
    )
  })
  return `// Written by npm run generate from the API descriptions of the services.\n\n${types.join('\n')}`
}

function formatType(schema: any, indent = ''): string {
  if (schema === true || schema === undefined) return 'unknown'
  if (schema.$ref) return schema.$ref.split('/').at(-1)
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  // Choices beside properties only restrict them.
  if (schema.properties) return objectType(schema, indent)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices)
    return [...new Set(choices.map((each: unknown) => formatType(each, indent)))].join(' | ')
  if (schema.allOf) return schema.allOf.map((each: unknown) => formatType(each, indent)).join(' & ')
  if (Array.isArray(schema.type)) {
    return schema.type.map((type: string) => formatType({ ...schema, type }, indent)).join(' | ')
  }
  switch (schema.type) {
    case 'array': {
      const item = formatType(schema.items, indent)
      return item.includes(' | ') ? `(${item})[]` : `${item}[]`
    }
    case 'object':
      return objectType(schema, indent)
    case 'integer':
      return 'number'
    case 'number':
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    default:
      return 'unknown'
  }
}

function objectType({ properties, required = [], additionalProperties }: any, indent: string) {
  if (!properties) return `Record<string, ${formatType(additionalProperties ?? true, indent)}>`
  const inner = `${indent}  `
  const members = Object.entries(properties).map(
    ([name, schema]) =>
      `${inner}${name}${required.includes(name) ? '' : '?'}: ${formatType(schema, inner)}\n`,
  )
  return `{\n${members.join('')}${indent}}`
}

const literal = (value: unknown) =>
  typeof value === 'string' ? `'${value}'` : JSON.stringify(value)
