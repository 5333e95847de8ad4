import * as z from 'zod'
import { mapInSlices } from './time-slice.ts'

type Issue = z.core.$ZodIssue
type Parsed = { success: true; data: unknown } | { success: false; issues: readonly Issue[] }

/** Arrays with fewer elements are parsed with the rest. */
const minLength = 256

/**
 * Parses a value like `safeParse`, but the elements of long arrays that are members of an object in slices: an
 * import of thousands of records would keep the event loop for seconds. Issues of elements are reported alone.
 */
export async function parseInSlices(schema: z.ZodType, value: unknown): Promise<Parsed> {
  if (!(schema instanceof z.ZodObject) || !isObject(value)) return toParsed(schema.safeParse(value))
  const shape: Record<string, z.core.$ZodType> = { ...schema.shape }
  const members: Record<string, unknown> = { ...value }
  for (const [name, member] of Object.entries(schema.shape)) {
    const list = value[name]
    const found = Array.isArray(list) && list.length >= minLength && findElement(member)
    if (!found) continue
    const results = await mapInSlices(list, (each) => found.element.safeParse(each))
    const issues = results.flatMap(({ error }, index) =>
      (error?.issues ?? []).map((issue) => ({ ...issue, path: [name, index, ...issue.path] })),
    )
    if (issues.length > 0) return { success: false, issues }
    members[name] = results.map(({ data }) => data)
    shape[name] = found.withParsedElements
  }
  return toParsed(schema.clone({ ...schema.def, shape } as typeof schema.def).safeParse(members))
}

interface FoundElement {
  element: z.ZodType
  /** The schema of the member for elements that are parsed already. */
  withParsedElements: z.ZodType
}

/** Finds the element schema of an array, which may be optional or have a default. */
function findElement(member: unknown): FoundElement | undefined {
  if (member instanceof z.ZodArray) {
    const element = member.element as z.ZodType
    return { element, withParsedElements: member.clone({ ...member.def, element: z.any() }) }
  }
  if (!(member instanceof z.ZodDefault || member instanceof z.ZodOptional)) return undefined
  const inner = findElement(member.def.innerType)
  if (!inner) return undefined
  const definition = { ...member.def, innerType: inner.withParsedElements } as never
  return { ...inner, withParsedElements: member.clone(definition) as z.ZodType }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const toParsed = (result: z.ZodSafeParseResult<unknown>): Parsed =>
  result.success ? result : { success: false, issues: result.error.issues }
